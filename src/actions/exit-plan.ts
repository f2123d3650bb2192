import * as z from 'zod/mini';
import {pluralize} from '../base/clip.ts';
import {failed, ok} from '../base/outcome.ts';
import {rejected} from '../domain/fault.ts';
import {type Plan, planBounds, type PlanDraft, draftOf, planText} from '../domain/plan.ts';
import {defineAction, textContent, toolForm} from './define-action.ts';

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
    toolForm({
      name: 'ExitPlanMode',
      description: 'In plan mode only: propose the finished plan, which the user approves, edits or refuses.',
      schema: () =>
        z.object({
          goal: z.string().check(z.minLength(1), z.maxLength(planBounds.goal)),
          steps: z
            .array(z.string().check(z.minLength(1), z.maxLength(planBounds.step)))
            .check(z.minLength(1), z.maxLength(planBounds.steps), z.describe('In order')),
          notes: z.optional(z.string().check(z.maxLength(planBounds.notes), z.describe('Risks, choices, omissions'))),
        }),
      toInput: ({goal, steps, notes}): PlanDraft => ({
        goal: goal.trim(),
        steps: steps.map(step => step.trim()),
        notes: notes?.trim() ?? '',
      }),
    }),
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
