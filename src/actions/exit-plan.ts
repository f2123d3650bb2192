import * as z from 'zod/mini';
import {pluralize} from '../base/clip.ts';
import {failed, ok, type Outcome} from '../base/outcome.ts';
import {rejected} from '../domain/fault.ts';
import {type Plan, planBounds, type PlanDraft, draftIn, draftOf, isStep, planText} from '../domain/plan.ts';
import {checkedForm, defineAction, textContent, toolForm} from './define-action.ts';

/** Shows the user a plan and asks whether to carry it out. Approval ends plan mode. */
export const exitPlan = defineAction<
  PlanDraft,
  {readonly plan: Plan; readonly decision: 'approved' | 'kept'},
  {readonly goal: string}
>({
  summary: 'Propose a plan, which ends plan mode when the user approves it.',
  risk: 'read-only',
  offered: 'always',
  access: ({goal}) => ({kind: 'plan', goal}),
  asks: [{name: 'plan', risks: ['read-only'], askedWhen: 'the agent wants to carry out its plan'}],
  tools: [
    checkedForm(
      toolForm({
        name: 'ExitPlanMode',
        description: 'In plan mode only: propose the finished plan, which the user approves, edits or refuses.',
        unlistedFields: ['plan'],
        expectedFields: ['goal', 'steps'],
        schema: () =>
          z.object({
            goal: z.optional(z.string().check(z.minLength(1), z.maxLength(planBounds.goal))),
            steps: z.optional(
              z
                .array(z.string().check(z.minLength(1), z.maxLength(planBounds.step)))
                .check(z.minLength(1), z.maxLength(planBounds.steps), z.describe('In order')),
            ),
            notes: z.optional(z.string().check(z.maxLength(planBounds.notes), z.describe('Risks, choices, omissions'))),
            // Claude Code's tool takes the plan as one text.
            plan: z.optional(z.string()),
          }),
        toInput: raw => raw,
      }),
      ({goal, steps, notes, plan}): Outcome<PlanDraft, string> => {
        if (plan !== undefined && goal === undefined && steps === undefined) return draftIn(withGoal(plan));
        if (plan !== undefined) return failed('plan is given beside goal or steps. Give only goal and steps');
        if (goal === undefined) return failed('goal is missing. Give what the plan is for');
        if (steps === undefined) return failed('steps is missing. Give a list of texts, in order');
        return ok({goal: goal.trim(), steps: steps.map(step => step.trim()), notes: notes?.trim() ?? ''});
      },
    ),
  ],
  label: ({goal}) => `Plan: ${goal}`,
  cancelled: ({goal}) => ({goal}),
  modelContent: ({plan, decision}) =>
    textContent(
      decision === 'kept'
        ? `The plan is saved as ${plan.id} for the user to decide on later. End your turn now.`
        : `The user approved the plan, and plan mode is over. Carry it out now:\n\n${planText(draftOf(plan))}\n\nIts steps are your todo ` +
            'list. With the same wording, mark each one in_progress when you begin it and completed when it is done.',
    ),
  outcome: ({plan, decision}) => [
    pluralize(plan.steps.length, 'step'),
    decision === 'kept' ? `kept as ${plan.id}` : 'approved',
  ],
  preview: async (input, {ports}) => {
    const proposed = await ports.plans.propose(input);
    return proposed.tag === 'ok'
      ? ok({kind: 'plan', plan: input})
      : failed({state: 'error', fault: rejected(proposed.error)});
  },
  async run(input, {ports, approval}) {
    const left = await ports.plans.leavePlanMode(input, approval);
    return left.tag === 'ok' ? {state: 'success', output: left.value} : {state: 'error', fault: rejected(left.error)};
  },
});

/**
 * Returns a plan in Markdown with a goal on its first line: its heading, or `Plan` if it begins with a step. The
 * paragraphs of a plan without a list are its steps.
 */
function withGoal(plan: string): string {
  const text = plan.trim().replace(/^#+\s+/u, '');
  if (isStep(text)) return `Plan\n\n${text}`;
  if (text === '' || text.split('\n').some(isStep)) return text;
  const [goal = '', ...paragraphs] = text.split(/\n\s*\n/u);
  const steps = paragraphs.length === 0 ? [text] : paragraphs;
  return `${goal}\n\n${steps.map((step, at) => `${String(at + 1)}. ${step.trim()}`).join('\n')}`;
}
