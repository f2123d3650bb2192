import * as z from 'zod/mini';
import {pluralize} from '../base/clip.ts';
import {failed, ok} from '../base/outcome.ts';
import {rejected} from '../domain/fault.ts';
import {type Plan, planBounds, type PlanDraft, draftOf, planText} from '../domain/plan.ts';
import {defineAction, textContent, toolForm} from './define-action.ts';

/** Shows the user a plan and asks whether it is to be carried out; a yes ends plan mode. */
export const exitPlan = defineAction<
  PlanDraft,
  {readonly plan: Plan; readonly decision: 'approved' | 'kept'},
  {readonly goal: string}
>({
  summary: 'Propose a plan, which ends plan mode when the user approves it.',
  risk: 'read-only',
  offered: 'planning',
  access: ({goal}) => ({kind: 'plan', goal}),
  asks: [{name: 'plan', risks: ['read-only'], askedWhen: 'the agent wants to carry out its plan'}],
  tools: [
    toolForm({
      name: 'ExitPlanMode',
      description:
        'You are in plan mode: look at what you need, change nothing, and when the plan is ready call this. The user approves it, ' +
        'changes its steps or says what to plan instead.',
      schema: () =>
        z.object({
          goal: z.string().check(z.minLength(1), z.maxLength(planBounds.goal)),
          steps: z
            .array(z.string().check(z.minLength(1), z.maxLength(planBounds.step)))
            .check(z.minLength(1), z.maxLength(planBounds.steps), z.describe('In order, each one thing to do')),
          notes: z.optional(
            z.string().check(z.maxLength(planBounds.notes), z.describe('Risks, choices, what is left out')),
          ),
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
        ? `The plan is kept as ${plan.id} for the user, who decides about it later. End your turn now.`
        : `The user has approved the plan, and plan mode is over. Carry it out now:\n\n${planText(draftOf(plan))}\n\nIts steps are your todo ` +
            'list: mark each one there, by its wording, as in_progress when you begin it and as completed when it is done.',
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
    const left = await ports.plans.leave(input, approval);
    return left.tag === 'ok' ? {state: 'success', output: left.value} : {state: 'error', fault: rejected(left.error)};
  },
});
