import type {ListedModel, ModelList} from '../../agent/client.ts';
import {nearestName} from '../../base/nearest-name.ts';
import {type Choice, choicePanel, type ChoicePanel, confirmPanel} from '../state/panels/panel.ts';
import {commandEffect} from '../state/effect.ts';
import {countText} from '../state/selectors.ts';
import {type CommandContext, openList, slashCommand} from './command.ts';

export const modelCommand = slashCommand({
  name: 'model',
  usage: '/model [name [effort]]',
  summary: 'choose the model and its effort',
  choices: 'models',
  run(argument, context) {
    const [name = '', effort = ''] = argument.split(/\s+/u);
    if (name === '')
      openList(
        {title, loading: 'Asking the provider for its models …', request: {query: 'models'}},
        list => modelPanel(list, context.view.model),
        context,
      );
    else void useModel({name, effort}, context);
  },
});

const title = 'Choose a model';

/** The models with what is known of them. One that is in use is offered even where the provider does not list it. */
export function modelPanel({models, from, effort}: ModelList, current: string): ChoicePanel {
  const isListed = current === '' || models.some(({model}) => model === current);
  const own: ListedModel = {
    model: current,
    defaultOf: '',
    contextWindow: 0,
    maxOutput: 0,
    price: 'unknown',
    efforts: [],
    images: 'unknown',
    pdfs: 'unknown',
    about: '',
    from: 'nobody',
  };
  const panel = choicePanel({
    title,
    note: from.kind === 'weft' ? 'known to weft, there may be others' : '',
    does: 'use',
    empty: 'The provider lists no model',
    rows: [...models, ...(isListed ? [] : [own])].map(listed => ({
      label: listed.model,
      mark: listed.model === current ? 'current' : 'none',
      ...effortRows(listed, effort),
    })),
  });
  return models.some(({efforts}) => efforts.length > 0) ? {...panel, turns: 'effort'} : panel;
}

/** A form of the row for each effort that the model takes; the one in use is shown first. */
function effortRows(listed: ListedModel, now: ModelList['effort']) {
  const levels = listed.efforts.length === 0 ? [now] : (['default', ...listed.efforts] as const);
  const at = Math.max(0, levels.indexOf(now));
  return {
    all: levels.map(effort => ({
      // On a narrow screen the last ones are left out.
      details: [
        listed.efforts.length === 0 ? '' : effortText(effort),
        priceText(listed),
        listed.defaultOf === '' ? '' : 'default',
        contextText(listed),
        listed.about,
      ],
      choice: choiceOf(listed, effort === now ? 'same' : effort),
    })),
    at,
  };
}

const effortText = (effort: ModelList['effort']): string =>
  effort === 'default' ? 'usual effort' : `effort ${effort}`;

/** Choosing switches for the session, and offers to keep what is not the default. */
const choiceOf = ({model, defaultOf}: ListedModel, effort: ModelList['effort'] | 'same'): Choice => ({
  effects:
    effort === 'same'
      ? [
          {do: 'op', op: {op: 'set-model', model}},
          {do: 'notify', text: `Model: ${model}`},
        ]
      : [{do: 'query', request: {query: 'use-effort', model, effort}}],
  next:
    defaultOf === ''
      ? confirmPanel({
          title: 'Use it in new sessions, too?',
          subject: model,
          does: 'keep in your settings',
          yes: commandEffect('config', `model ${model}`),
        })
      : 'none',
});

const contextText = ({contextWindow}: ListedModel): string =>
  contextWindow === 0 ? '' : `${countText(contextWindow)} context`;

const priceText = ({price}: ListedModel): string =>
  price === 'unknown' ? 'price unknown' : `$${price.input}/M in, $${price.output}/M out`;

/** Uses a model that is named. A name that the provider does not list is refused; where it could not be asked, it is tried. */
async function useModel(
  {name, effort}: {readonly name: string; readonly effort: string},
  context: CommandContext,
): Promise<void> {
  const list = await context.answerTo({query: 'models'});
  if (list === undefined) return;
  const known = findModel(name, list);
  if (known.kind === 'unknown') {
    const hint = known.nearest === undefined ? '/model lists the models.' : `Did you mean ${known.nearest}?`;
    context.notify('warning', `There is no model ${name}. ${hint}`);
    return;
  }
  if (effort !== '') {
    const taken = list.models.find(({model}) => model === known.model)?.efforts ?? [];
    const wanted = effort === 'default' ? effort : taken.find(level => level === effort);
    if (wanted !== undefined) context.query({query: 'use-effort', model: known.model, effort: wanted});
    else if (taken.length === 0)
      context.notify('warning', `${known.model} takes no effort. /model ${known.model} uses it`);
    else context.notify('warning', `${known.model} takes the efforts ${['default', ...taken].join(', ')}`);
    return;
  }
  context.submit({op: 'set-model', model: known.model});
  const unsure = known.kind === 'unsure' ? ' (the provider could not be asked whether it has it)' : '';
  context.notify('info', `Model: ${known.model}${unsure}. /config model ${known.model} keeps it`);
}

type FoundModel =
  | {readonly kind: 'listed' | 'unsure'; readonly model: string}
  | {readonly kind: 'unknown'; readonly nearest: string | undefined};

/** Providers list dated names; the name without its date stands for them. */
export function findModel(name: string, {models, from}: ModelList): FoundModel {
  const names = models.map(({model}) => model);
  const wanted = name.toLowerCase();
  const same = names.find(model => model.toLowerCase() === wanted);
  if (same !== undefined) return {kind: 'listed', model: same};
  if (names.some(model => model.toLowerCase().replace(/-(?:\d{8}|\d{4}-\d\d-\d\d|latest)$/u, '') === wanted))
    return {kind: 'listed', model: name};
  return from.kind === 'weft' ? {kind: 'unsure', model: name} : {kind: 'unknown', nearest: nearestName(name, names)};
}
