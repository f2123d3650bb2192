import type {Outcome} from '../base/outcome.ts';
import type {Plan, PlanDraft} from '../domain/plan.ts';

/** The plans of the session, for the action that proposes one. Errors are for the model. */
export interface PlansPort {
  /** Stores the plan for the user to decide on. A further proposal by the same action replaces it. */
  propose(draft: PlanDraft): Promise<Outcome<undefined, string>>;
  /** `answered`: the user approved the plan in this form, so plan mode ends and the steps become todos. Otherwise it stays stored. */
  leavePlanMode(
    draft: PlanDraft,
    approval: 'answered' | 'not-asked',
  ): Promise<Outcome<{readonly plan: Plan; readonly decision: 'approved' | 'kept'}, string>>;
}
