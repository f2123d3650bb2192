import type {ListedModel, ModelList} from '../../agent/client.ts';
import {efforts} from '../../domain/model-stream.ts';
import {nearestName} from '../../base/nearest-name.ts';
import {type Choice, choicePanel, type ChoicePanel, confirmPanel} from '../state/panels/panel.ts';
import {commandEffect} from '../state/effect.ts';
import {estimateCost, estimateText} from '../../domain/cost-estimate.ts';
import {costAt, type Usage} from '../../domain/usage.ts';
import {countText} from '../state/selectors.ts';
import type {View} from '../state/view.ts';
import {type CommandContext, openList, slashCommand} from './command.ts';

export const modelCommand = slashCommand({
  name: 'model',
  usage: '/model [name [effort]]',
  summary: 'Choose the model and its effort',
  choices: 'models',
  run(argument, context) {
    const [name = '', effort = ''] = argument.split(/\s+/u);
    if (name === '')
      openList(
        {title, loading: 'Loading models…', request: {query: 'models'}},
        list => modelPanel(list, context.view),
        context,
      );
    else void useModel({name, effort}, context);
  },
});

const title = 'Choose a model';

export const effortCommand = slashCommand({
  name: 'effort',
  usage: '/effort [level]',
  summary: 'Choose how much effort the model puts into its answers',
  choices: efforts.map(level => ({value: level, summary: ''})),
  run(level, context) {
    const {model} = context.view;
    if (level !== '') context.query({query: 'use-effort', model, effort: level});
    else
      openList(
        {title: 'Choose an effort', loading: 'Loading the levels…', request: {query: 'models'}},
        list => effortPanel(list, model),
        context,
      );
  },
});

function effortPanel({models}: ModelList, current: string): ChoicePanel {
  const listed = models.find(({model}) => model === current);
  const levels = listed === undefined || listed.efforts.length === 0 ? [] : (['default', ...listed.efforts] as const);
  return choicePanel({
    title: 'Choose an effort',
    note: current,
    does: 'use',
    empty: 'weft knows no effort levels of this model',
    rows: levels.map(effort => ({
      label: effort,
      mark: effort === listed?.effort ? 'current' : 'none',
      details: [effort === 'default' ? 'what the model uses by itself' : ''],
      choice: {effects: [{do: 'query', request: {query: 'use-effort', model: current, effort}}], next: 'none'},
    })),
  });
}

/** Lists the models with their known facts. The current model is listed even if the provider doesn't list it. */
export function modelPanel(
  {models, from}: ModelList,
  {model: current, usage}: Pick<View, 'model' | 'usage'>,
): ChoicePanel {
  const isListed = current === '' || models.some(({model}) => model === current);
  const own: ListedModel = {
    model: current,
    defaultOf: '',
    contextWindow: 0,
    maxOutput: 0,
    price: 'unknown',
    efforts: [],
    effort: 'default',
    images: 'unknown',
    pdfs: 'unknown',
    about: '',
    from: 'nobody',
  };
  const panel = choicePanel({
    title,
    note: from.kind === 'weft' ? 'built-in list, may be incomplete' : '',
    does: 'use',
    empty: 'The provider lists no models',
    rows: [...models, ...(isListed ? [] : [own])].map(listed => ({
      label: listed.model,
      mark: listed.model === current ? 'current' : 'none',
      ...effortRows(listed, switchText(listed, {model: current, usage})),
    })),
  });
  return models.some(listed => listed.efforts.length > 0) ? {...panel, variantLabel: 'effort'} : panel;
}

/** Returns a variant of the row for each effort that the model supports. The current effort is selected. */
function effortRows(listed: ListedModel, switchCost: string) {
  const {effort: now} = listed;
  const levels = listed.efforts.length === 0 ? [now] : (['default', ...listed.efforts] as const);
  const at = Math.max(0, levels.indexOf(now));
  return {
    all: levels.map(effort => ({
      // A narrow screen drops the last details first.
      details: [
        listed.efforts.length === 0 ? '' : effortText(effort),
        priceText(listed),
        switchCost,
        listed.defaultOf === '' ? '' : 'default',
        contextText(listed),
        listed.about,
      ],
      choice: choiceOf(listed, effort === now ? 'same' : effort),
    })),
    at,
  };
}

const effortText = (effort: ListedModel['effort']): string =>
  effort === 'default' ? 'auto effort' : `effort ${effort}`;

/** The cost of reading the conversation with another model, which has no cache of it. Empty if there is none yet. */
function switchText({model, price}: ListedModel, {model: current, usage}: Pick<View, 'model' | 'usage'>): string {
  const tokens = usage.contextTokens;
  if (model === current || tokens === 0) return '';
  const costOf = (used: Usage): number | 'unknown' => (price === 'unknown' ? price : costAt(price, used));
  return `rereads ${estimateText(estimateCost(costOf, {tokens}))}`;
}

/** Switches the model for this session. If the model isn't the default, also offers to save it. */
const choiceOf = ({model, defaultOf}: ListedModel, effort: ListedModel['effort'] | 'same'): Choice => ({
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
          title: 'Use this model in new sessions too?',
          subject: model,
          does: 'save',
          yes: commandEffect('config', `model ${model}`),
        })
      : 'none',
});

const contextText = ({contextWindow}: ListedModel): string =>
  contextWindow === 0 ? '' : `${countText(contextWindow)} context`;

const priceText = ({price}: ListedModel): string =>
  price === 'unknown' ? 'price unknown' : `$${price.input}/M in, $${price.output}/M out`;

/** Switches to the named model. A name that the provider doesn't list is refused. If the provider can't be reached, the name is accepted. */
async function useModel(
  {name, effort}: {readonly name: string; readonly effort: string},
  context: CommandContext,
): Promise<void> {
  const list = await context.runQuery({query: 'models'});
  if (list === undefined) return;
  const known = findModel(name, list);
  if (known.kind === 'unknown') {
    const hint = known.nearest === undefined ? 'Type /model for the list.' : `Did you mean ${known.nearest}?`;
    context.notify('warning', `Unknown model ${name}. ${hint}`);
    return;
  }
  if (effort !== '') {
    context.query({query: 'use-effort', model: known.model, effort});
    return;
  }
  context.submit({op: 'set-model', model: known.model});
  const unsure = known.kind === 'unsure' ? " (couldn't verify it with the provider)" : '';
  const listed = list.models.find(({model}) => model === known.model);
  const cost = listed === undefined ? '' : switchText(listed, context.view);
  const rereading = cost === '' ? '' : ` The next request ${cost}, because another model has no cache of it.`;
  context.notify('info', `Model: ${known.model}${unsure}.${rereading} Save as default: /config model ${known.model}`);
}

type FoundModel =
  | {readonly kind: 'listed' | 'unsure'; readonly model: string}
  | {readonly kind: 'unknown'; readonly nearest: string | undefined};

/** Looks up a model name. A name without a date matches the dated name that the provider lists. */
export function findModel(name: string, {models, from}: ModelList): FoundModel {
  const names = models.map(({model}) => model);
  const wanted = name.toLowerCase();
  const same = names.find(model => model.toLowerCase() === wanted);
  if (same !== undefined) return {kind: 'listed', model: same};
  if (names.some(model => model.toLowerCase().replace(/-(?:\d{8}|\d{4}-\d\d-\d\d|latest)$/u, '') === wanted))
    return {kind: 'listed', model: name};
  return from.kind === 'weft' ? {kind: 'unsure', model: name} : {kind: 'unknown', nearest: nearestName(name, names)};
}
