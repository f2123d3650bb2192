import type {SessionBranch} from '../../agent/client.ts';
import {firstLine, pluralize} from '../../base/clip.ts';
import {visibleLine} from '../../base/visible.ts';
import {branchElsewhere} from '../../domain/session-list.ts';
import {rewindDetails, type RewindPoint} from '../../domain/rewind.ts';
import {commandEffect, type Effect} from '../state/effect.ts';
import {choiceOfEffects, choicePanel, type ChoiceRow} from '../state/panels/panel.ts';
import {directoryOf, isIdle} from '../state/selectors.ts';
import {type CommandContext, openList, slashCommand} from './command.ts';

export const branchCommand = slashCommand({
  name: 'branch',
  aliases: ['fork'],
  usage: '/branch [N]',
  summary: 'Continue in a new session from before prompt N; this one stays',
  run(argument, context) {
    const {session} = context.view;
    // A server opens sessions, and does not copy them.
    if (context.options.workAfter === 'goes-on' && session.tag === 'open')
      context.notify('warning', branchElsewhere(session.info.id));
    else if (argument === '')
      openList(
        {title, loading: 'Loading prompts…', request: {query: 'rewind-points'}},
        points => choicePanel({title, does: 'branch', rows: pointRows(points, context)}),
        context,
      );
    else void branchAt(argument, context);
  },
});

const title = 'Branch from before a prompt';

function pointRows(points: readonly RewindPoint[], context: CommandContext): readonly ChoiceRow[] {
  const rows = points.map(({number, prompt}, at): ChoiceRow => {
    const changes = points.slice(at).some(({files}) => files === 'changed');
    return {
      label: prompt,
      mark: 'none',
      details: [changes ? 'changed files' : ''],
      choice: choiceOfEffects(commandEffect('branch', String(number))),
    };
  });
  const now: ChoiceRow = {
    label: 'Now, with the whole conversation',
    mark: 'none',
    details: [''],
    choice: choiceOfEffects(...branchEffects({to: 'end', files: 'stay'}, '', context)),
  };
  return [now, ...rows.toReversed()];
}

/** Branches from before a prompt. Asks about the files if they have changed since, unless the agent works on them. */
async function branchAt(argument: string, context: CommandContext): Promise<void> {
  const points = await context.runQuery({query: 'rewind-points'});
  if (points === undefined) return;
  const at = /^[1-9]\d{0,4}$/u.test(argument) ? Number(argument) - 1 : -1;
  const point = points[at];
  if (point === undefined) {
    context.notify(
      'warning',
      `No prompt ${argument}. This session has ${pluralize(points.length, 'prompt')}: /branch shows them.`,
    );
    return;
  }
  const {to, prompt} = point;
  const talkOnly = branchEffects({to, files: 'stay'}, prompt, context);
  const mayAsk = isIdle(context.view) && points.slice(at).some(({files}) => files === 'changed');
  const report = mayAsk
    ? await context.runQuery({query: 'preview-rewind', target: {kind: 'prompt', to, what: 'both'}})
    : undefined;
  if (report === undefined || report.files.files.length === 0) return perform(talkOnly, context);
  const directory = directoryOf(context.view);
  context.open(
    choicePanel({
      title: `Branch from before "${visibleLine(firstLine(prompt, 40))}"`,
      does: 'branch',
      rows: [
        {label: 'Keep the files as they are', mark: 'none', details: [''], choice: choiceOfEffects(...talkOnly)},
        {
          label: `Take back ${pluralize(report.files.files.length, 'file')}, too`,
          mark: 'none',
          details: [rewindDetails(report, directory).slice(1).join(' ').trim()],
          choice: choiceOfEffects(...branchEffects({to, files: 'go-back'}, prompt, context)),
        },
      ],
    }),
  );
}

/** Returns the effects of a branch. The prompt that it drops becomes the draft. */
function branchEffects(
  where: Pick<SessionBranch, 'to' | 'files'>,
  prompt: string,
  {view}: CommandContext,
): readonly Effect[] {
  if (view.session.tag === 'opening') return [{do: 'notify', text: 'The session is still opening'}];
  const {id} = view.session.info;
  return [
    {do: 'op', op: {op: 'open-session', session: {kind: 'branch', id, ...where}}},
    ...(prompt === '' ? [] : [{do: 'write', text: prompt} as const]),
  ];
}

function perform(effects: readonly Effect[], context: CommandContext): void {
  for (const effect of effects) {
    if (effect.do === 'op') context.submit(effect.op);
    if (effect.do === 'write') context.writeDraft(effect.text);
    if (effect.do === 'notify') context.notify('info', effect.text);
  }
}
