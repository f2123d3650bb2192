import {failed, ok, type Outcome} from '../base/outcome.ts';
import {unreachable} from '../base/unreachable.ts';
import type {PlanId, SessionId} from './ids.ts';
import type {TodoList} from './todo.ts';

export const planStates = ['pending', 'approved', 'rejected', 'executing', 'completed', 'failed', 'stopped'] as const;
export type PlanState = (typeof planStates)[number];

export const planStepStatuses = ['pending', 'in_progress', 'completed', 'failed', 'cancelled'] as const;

/** One step. Lines after the first of its `description` are what belongs to it, at their levels. Only the agent marks it as done. */
export interface PlanStep {
  readonly id: string;
  readonly description: string;
  readonly status: (typeof planStepStatuses)[number];
}

/** The agent's proposal, for the user to approve. It is executed at most once, bound to its steps. */
export interface Plan {
  readonly id: PlanId;
  readonly goal: string;
  readonly steps: readonly PlanStep[];
  readonly notes: string;
  readonly state: PlanState;
  readonly session: SessionId;
  readonly directory: string;
  readonly createdAt: number;
  /** Why the plan was rejected; empty if the user gave no reason, and in every other state. */
  readonly reason: string;
}

export type PlanDraft = Pick<Plan, 'goal' | 'notes'> & {readonly steps: readonly string[]};

export const draftOf = ({goal, steps, notes}: Plan): PlanDraft => ({
  goal,
  steps: steps.map(({description}) => description),
  notes,
});

/** The maximum number of steps, and the maximum number of UTF-16 units of a step, of the goal and of the notes. */
export const planBounds = {steps: 50, step: 1000, goal: 2000, notes: 8000} as const;

/** Makes the steps of a plan, with the ids `1`, `2`, … */
export const planSteps = (descriptions: readonly string[]): readonly PlanStep[] =>
  descriptions.map((description, at) => ({id: String(at + 1), description, status: 'pending'}));

/** The state that prevents the requested change of a plan. */
export interface PlanConflict {
  readonly state: PlanState;
}

type Change = Outcome<Plan, PlanConflict>;

const from = (plan: Plan, states: readonly PlanState[], change: Partial<Plan>): Change =>
  states.includes(plan.state) ? ok({...plan, ...change}) : failed({state: plan.state});

/** Approves a plan. `steps` are the steps after the user's edits. */
export const approvePlan = (plan: Plan, steps: readonly PlanStep[] = plan.steps): Change =>
  from(plan, ['pending'], {state: 'approved', steps});

/** Rejects a plan. Even an approved plan can be rejected until it is executed. */
export const rejectPlan = (plan: Plan, reason: string): Change =>
  from(plan, ['pending', 'approved'], {state: 'rejected', reason});

export const beginPlan = (plan: Plan): Change => from(plan, ['approved'], {state: 'executing'});

/** Begins an execution. Approves the plan if it is still pending. */
export function approveAndBegin(plan: Plan): Change {
  const approved = plan.state === 'pending' ? approvePlan(plan) : ok(plan);
  return approved.tag === 'ok' ? beginPlan(approved.value) : approved;
}

/** Replaces the content of a pending plan with the user's. */
export const editPlan = (plan: Plan, {goal, steps, notes}: PlanDraft): Change =>
  from(plan, ['pending'], {goal, steps: planSteps(steps), notes});

/** A user's change of a stored plan. `begin` approves it if it is pending, and claims its execution. */
export type PlanChange =
  | {readonly kind: 'approve' | 'begin'}
  | {readonly kind: 'reject'; readonly reason: string}
  | {readonly kind: 'edit'; readonly draft: PlanDraft};

/** Says why a plan in this state did not change, after its name. */
export function planConflict(state: PlanState): string {
  switch (state) {
    case 'executing':
      return 'is already running';
    case 'rejected':
      return 'was rejected';
    case 'completed':
    case 'failed':
    case 'stopped':
      return `has already run (${state}). A plan runs only once`;
    case 'pending':
    case 'approved':
      return 'has just changed. Try again';
    default:
      return unreachable(state);
  }
}

/** Resumes an execution that was interrupted. */
export const resumePlan = (plan: Plan): Change => from(plan, ['stopped'], {state: 'executing'});

/** Applies the statuses that the agent has set on the todos made from the steps. Other todos do not affect the plan. */
export function markPlan(plan: Plan, todos: TodoList): Change {
  const marks = new Map<string, PlanStep['status']>(todos.map(({id, status}) => [id, status]));
  return from(plan, ['executing'], {
    steps: plan.steps.map(step => ({...step, status: marks.get(step.id) ?? step.status})),
  });
}

/**
 * Ends an execution. The plan is completed only if the agent has marked every step as completed. `unmet`: the condition of a step does
 * not hold.
 */
export function endPlan(plan: Plan, end: 'finished' | 'unmet' | 'stopped'): Change {
  if (end === 'stopped') return from(plan, ['executing'], {state: 'stopped'});
  const isDone =
    end === 'finished' && plan.steps.some(({status}) => status === 'completed') && openSteps(plan).length === 0;
  return from(plan, ['executing'], {state: isDone ? 'completed' : 'failed'});
}

/** Returns the steps that are left. A dropped step is not open. */
export const openSteps = ({steps}: Plan): readonly PlanStep[] =>
  steps.filter(({status}) => status !== 'completed' && status !== 'cancelled');

/**
 * Returns the conditions that steps carry, as written: a line such as "Done when: `npm test`" or "Done when: file: dist/x.js exists". Other
 * words after "Done when:" are for people.
 */
export const stepGoals = (steps: readonly PlanStep[]): readonly string[] =>
  steps.flatMap(({description, status}) =>
    status === 'cancelled'
      ? []
      : [
          ...description.matchAll(/^\W*done when:\s*(?:`(?<command>[^`\n]+)`|(?<form>(?:check|file|json):.+)).*$/gimu),
        ].map(({groups}) => groups?.['form'] ?? `command: ${groups?.['command'] ?? ''}`),
  );

/** Lists the steps that are left of a plan whose execution has ended. */
export const unfinishedText = (plan: Plan): string => {
  const open = openSteps(plan).map(({id}) => id);
  return open.length === 0
    ? `the plan ${plan.id} ended, and the condition of a step does not hold`
    : `the plan ${plan.id} ended with steps that are not done: ${open.join(', ')}`;
};

/** Writes a plan as text for people and models. `draftIn` reads this text. */
export const planText = ({goal, steps, notes}: PlanDraft): string =>
  [
    goal,
    '',
    ...steps.map((description, at) => `${String(at + 1)}. ${description}`),
    ...(notes === '' ? [] : ['', notes]),
  ].join('\n');

/** Asks a model once more for a plan that it described without calling the tool. */
export const planReminder = 'Now call ExitPlanMode with the plan: its goal and its steps.';

/** Returns the message that tells the agent to carry out the plan. */
export const planPrompt = (plan: Plan): string =>
  `Carry out this plan, which the user has approved.\n\n${planText(draftOf(plan))}\n\n` +
  'Its steps are your todo list now. Mark each step there, by its wording, as in_progress when you begin it and as completed when it ' +
  'is done. Do what the steps say and nothing beyond them.';

/** Returns the message that asks the agent, after its final answer, about the steps that it has not marked. */
export function askAboutSteps(open: readonly PlanStep[]): string {
  const ids = open.map(({id}) => id);
  const last = ids.pop() ?? '';
  const named =
    ids.length === 0 ? `Step ${last} of the plan is` : `Steps ${ids.join(', ')} and ${last} of the plan are`;
  return (
    `${named} not marked. Done?\n\n${open.map(({id, description}) => `${id}. ${description}`).join('\n')}\n\n` +
    'Mark each one in your todo list, by its wording: completed if it is done, cancelled if it is not wanted any more. ' +
    'If a step is not done, say why. Do not repeat your answer.'
  );
}

/** Returns the message that tells the agent to continue a plan after an interruption. */
export const resumePlanPrompt = (plan: Plan): string =>
  `You were cut off while you carried out this plan. Check how far you got, and continue from there.\n\n${planText(draftOf(plan))}\n\n` +
  'Your todo list says which steps are done. Mark the others there as you do them. Do what the steps say and nothing beyond them.';

/**
 * Reads a plan that is written as text. The goal is before the first numbered line, and the notes are after the last one. A list below
 * a step belongs to that step. Without numbers, the items of a list are the steps.
 */
export function draftIn(text: string): Outcome<PlanDraft, string> {
  const lines = text.replaceAll('\r', '').split('\n');
  const first = lines.findIndex(isStep);
  if (first < 0)
    return failed('There is no step: write each one on a line that begins with its number, such as "1. Add a test".');
  const isOwn = stepLike(lines[first] ?? '');
  const blank = lines.findIndex((line, at) => at > first && line.trim() === '' && !lines.slice(at).some(isOwn));
  const end = blank < 0 ? lines.length : blank;
  const steps: string[] = [];
  for (const line of lines.slice(first, end)) {
    const words = line.trim();
    const level = ' '.repeat(Math.max(3, depthOf(line)));
    if (isOwn(line)) steps.push(line.replace(listMark, '').trim());
    else if (words !== '') steps.push(`${steps.pop() ?? ''}${isStep(line) ? `\n${level}` : ' '}${words}`);
  }
  const goal = lines.slice(0, first).join('\n').trim();
  const notes = lines.slice(end).join('\n').trim();
  if (goal === '') return failed('The goal is missing: write it above the steps.');
  if (steps.length > planBounds.steps) return failed(`There are more than ${String(planBounds.steps)} steps.`);
  const tooLong = [
    goal.length > planBounds.goal ? 'The goal' : '',
    steps.some(step => step.length > planBounds.step) ? 'A step' : '',
    notes.length > planBounds.notes ? 'The text after the steps' : '',
  ].find(part => part !== '');
  return tooLong === undefined ? ok({goal, steps, notes}) : failed(`${tooLong} is too long.`);
}

const listMark = /^\s*(?:\d+[.)]|[-*])\s+/u;

/** Returns whether a text begins with the number or the sign of a step, and has words after it. */
export const isStep = (text: string): boolean => listMark.test(text.trimEnd());

/** Returns whether a line is a step as the first one is: with a number or a sign, and not indented further. */
function stepLike(first: string): (line: string) => boolean {
  return line => isStep(line) && hasNumber(line) === hasNumber(first) && depthOf(line) <= depthOf(first) + 1;
}

const hasNumber = (line: string): boolean => /^\s*\d/u.test(line);

const depthOf = (line: string): number => line.length - line.trimStart().length;
