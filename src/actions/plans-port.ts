import type {Outcome} from '../base/outcome.ts';
import type {Plan, PlanDraft} from '../domain/plan.ts';

/** The plans of the session, for the action that proposes one. Errors are for the model. */
export interface PlansPort {
  /** Keeps the plan as one that waits for the user; proposed again by the same action it replaces what that proposed. */
  propose(draft: PlanDraft): Promise<Outcome<undefined, string>>;
  /** `answered`: the user has approved it as it is here, so plan mode ends and the steps become todos. Else it stays kept. */
  leave(
    draft: PlanDraft,
    approval: 'answered' | 'not-asked',
  ): Promise<Outcome<{readonly plan: Plan; readonly decision: 'approved' | 'kept'}, string>>;
}
