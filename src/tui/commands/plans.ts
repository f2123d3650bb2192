import type {Queries} from '../../agent/client.ts';
import {inBrackets, keyHint} from '../terminal/keymap.ts';
import {firstLine} from '../../base/clip.ts';
import {unreachable} from '../../base/unreachable.ts';
import {visible, visibleExactLine, visibleLine} from '../../base/visible.ts';
import type {PermissionMode} from '../../domain/risk.ts';
import {draftIn, draftOf, type Plan, type PlanChange, planPrompt, planText} from '../../domain/plan.ts';
import {commandEffect} from '../state/effect.ts';
import {choicePanel, type ChoicePanel, choiceOfEffects} from '../state/panels/panel.ts';
import {directoryOf, hasNoModel, isIdle} from '../state/selectors.ts';
import {withTildes} from '../text/workspace-paths.ts';
import {type CommandContext, editInEditor, nameHint, openList, runInTerminal} from './command.ts';

type PlanBoard = Queries['plans']['answer'];

const verbs = ['show', 'run', 'dry', 'apply', 'approve', 'edit', 'reject'] as const;
type Verb = (typeof verbs)[number];

/** Lists the user's plans, or shows, changes or runs one. */
export async function runPlans(argument: string, context: CommandContext): Promise<void> {
  if (argument === '') {
    openList(
      {title: 'Plans', loading: 'Loading plans…', request: {query: 'plans'}},
      board => plansPanel(board, context),
      context,
    );
    return;
  }
  const [, word = '', id = '', reason = ''] = /^(\S+)\s*(\S*)\s*([^]*)$/u.exec(argument) ?? [];
  const verb = verbs.find(each => each === word);
  if (verb === undefined) {
    context.notify('warning', `Unknown command /plans ${visibleLine(word)}. ${nameHint(word, verbs)}`);
    return;
  }
  const known = await context.runQuery({query: 'plans'});
  if (known === undefined) return;
  const plan = known.plans.find(each => each.id === id);
  if (plan === undefined) context.notify('warning', `No plan ${visibleLine(id)}. Type /plans for the list.`);
  else await act(verb, {plan, reason, ...known}, context);
}

async function act(
  verb: Verb,
  {plan, reason, dryRuns}: PlanBoard & {readonly plan: Plan; readonly reason: string},
  context: CommandContext,
): Promise<void> {
  switch (verb) {
    case 'show':
      context.notify('info', shownPlan(plan));
      return;
    case 'edit':
      await edit(plan, context);
      return;
    case 'run':
      await run(plan, context);
      return;
    case 'dry':
      await runWeft(plan, ['run', plan.id, '--dry', '--permission-mode', dryMode(context.view.mode)], context);
      return;
    case 'apply':
      if (dryRuns.includes(plan.id)) await runWeft(plan, ['apply', plan.id], context);
      else context.notify('warning', `No dry run of ${plan.id}. Make one: /plans dry ${plan.id}`);
      return;
    case 'approve':
      if ((await change(plan, {kind: 'approve'}, context)) !== undefined)
        context.notify('info', `Approved ${plan.id}. Run it: /plans run ${plan.id}`);
      return;
    case 'reject':
      if ((await change(plan, {kind: 'reject', reason}, context)) !== undefined)
        context.notify('info', `Rejected ${plan.id}`);
      return;
    default:
      unreachable(verb);
  }
}

const change = ({id}: Plan, kind: PlanChange, context: CommandContext): Promise<Plan | undefined> =>
  context.runQuery({query: 'change-plan', plan: id, change: kind});

async function edit(plan: Plan, context: CommandContext): Promise<void> {
  const edited = await editInEditor({text: planText(draftOf(plan)), name: 'plan.md'}, context);
  if (edited === undefined) return;
  const draft = draftIn(edited);
  if (draft.tag === 'failed') context.notify('warning', `Can't save the plan. ${draft.error}`);
  else if ((await change(plan, {kind: 'edit', draft: draft.value}, context)) !== undefined)
    context.notify('info', `Saved ${plan.id}. Run it: /plans run ${plan.id}`);
}

/** A dry run keeps no edit without a yes, so that it does not ask for each. */
const dryMode = (mode: PermissionMode): PermissionMode =>
  mode === 'bypassPermissions' ? 'bypassPermissions' : 'acceptEdits';

async function runWeft(plan: Plan, args: readonly string[], context: CommandContext): Promise<void> {
  if (!isIdle(context.view)) {
    context.notify('warning', busyText);
    return;
  }
  await runInTerminal(['plan', ...args], context);
  const now = (await context.runQuery({query: 'plans'}))?.plans.find(({id}) => id === plan.id);
  if (now !== undefined) context.notify('info', `${plan.id}: ${progressText(now)}`);
}

const busyText = 'The agent is working. Run the plan when it is done.';

/** Approves the plan and lets the agent of this session carry it out. */
async function run(plan: Plan, context: CommandContext): Promise<void> {
  const {view, options} = context;
  const directory = directoryOf(view);
  if (plan.directory !== directory) {
    const place = visibleExactLine(withTildes(plan.directory, options.home));
    context.notify('warning', `This plan is for ${place}. Start weft there, and type /plans run ${plan.id}`);
    return;
  }
  if (!isIdle(view) || hasNoModel(view)) {
    context.notify('warning', hasNoModel(view) ? 'Choose a model first: /model' : busyText);
    return;
  }
  const begun = await change(plan, {kind: 'begin'}, context);
  if (begun === undefined) return;
  if (view.mode === 'plan') context.submit({op: 'set-mode', mode: 'default'});
  context.submit({op: 'start-plan', plan: begun});
  context.queue(planPrompt(begun));
}

const maxPlans = 50;

function plansPanel({plans, dryRuns}: PlanBoard, {view, options, frame}: CommandContext): ChoicePanel {
  const directory = directoryOf(view);
  const isNarrow = frame.width < 50;
  return choicePanel({
    title: 'Plans',
    note: plans.length > maxPlans ? `newest ${maxPlans} of ${plans.length}` : '',
    does: 'open',
    empty: `No plans yet. In plan mode${keyHint('next-mode', inBrackets)}, the agent proposes one.`,
    rows: plans.slice(0, maxPlans).map(plan => ({
      // On a narrow screen, the details have no room.
      label: visibleLine(`${isNarrow ? `${progressText(plan)}: ` : ''}${firstLine(plan.goal, 80)}`),
      details: [
        isNarrow ? '' : progressText(plan),
        plan.directory === directory ? '' : visibleExactLine(withTildes(plan.directory, options.home)),
      ],
      mark: 'none',
      choice: {effects: [], next: planPanel(plan, dryRuns)},
    })),
  });
}

const stateNames: Readonly<Record<Plan['state'], string>> = {
  pending: 'to approve',
  approved: 'approved',
  rejected: 'rejected',
  executing: 'running',
  completed: 'done',
  failed: 'ended with open steps',
  stopped: 'stopped',
};

function progressText({state, steps}: Plan): string {
  const done = steps.filter(({status}) => status === 'completed').length;
  return state === 'pending' || state === 'approved' || state === 'rejected'
    ? stateNames[state]
    : `${stateNames[state]} ${done}/${steps.length}`;
}

function planPanel(plan: Plan, dryRuns: PlanBoard['dryRuns']): ChoicePanel {
  const {id, state} = plan;
  const all: readonly (readonly [verb: Verb, label: string, detail: string, states: readonly Plan['state'][]])[] = [
    ['run', 'Run', state === 'pending' ? 'approve and carry out here' : 'carry out here', ['pending', 'approved']],
    ['dry', 'Dry run', 'hold changes back and show them', ['pending', 'approved']],
    ['apply', 'Apply', 'exactly the changes of the dry run', dryRuns.includes(id) ? ['pending', 'approved'] : []],
    ['approve', 'Approve', 'run later', ['pending']],
    ['edit', 'Edit', 'in your editor', ['pending']],
    ['reject', 'Reject', '', ['pending', 'approved']],
    ['show', 'Show', 'goal, steps, and notes', [state]],
  ];
  return choicePanel({
    title: `${id}  ${visibleLine(firstLine(plan.goal, 60))}`,
    note: stateNames[state],
    does: 'select',
    rows: all
      .filter(([, , , states]) => states.includes(state))
      .map(([verb, label, detail]) => ({
        label,
        details: [detail],
        mark: 'none',
        choice: choiceOfEffects(commandEffect('plans', `${verb} ${id}`)),
      })),
  });
}

const stepStates: Readonly<Record<Plan['steps'][number]['status'], string>> = {
  pending: '',
  in_progress: ' (running)',
  completed: ' (done)',
  failed: ' (failed)',
  cancelled: ' (dropped)',
};

const shownPlan = (plan: Plan): string =>
  visible(
    [
      `${plan.id}: ${progressText(plan)}${plan.reason === '' ? '' : ` (${plan.reason})`}`,
      '',
      plan.goal,
      '',
      ...plan.steps.map(({id, description, status}) => `${id}. ${description}${stepStates[status]}`),
      ...(plan.notes === '' ? [] : ['', plan.notes]),
    ].join('\n'),
  );
