import type {Queries} from '../agent/client.ts';
import {failed, type Outcome} from '../base/outcome.ts';
import {unreachable} from '../base/unreachable.ts';
import {rejected, type Fault} from '../domain/fault.ts';
import {type PlanId, planId} from '../domain/ids.ts';
import {
  approveAndBegin,
  approvePlan,
  editPlan,
  type Plan,
  type PlanChange,
  planConflict,
  rejectPlan,
} from '../domain/plan.ts';
import {changeStack, type StackBoard, stackBoard, type StackChange} from '../tasks/stack/stack-board.ts';
import {dryRunsIn} from '../workspace/checkpoints/dry-runs.ts';
import {userPlaces} from './user-data.ts';
import type {InDatabase} from './user-database.ts';
import {withUserStores} from './user-jobs.ts';

/** Lists the user's plans, newest first, and the dry runs that wait to be applied. */
export const listPlans = (places: InDatabase): Promise<Queries['plans']['answer']> =>
  withUserStores(
    ({plans}) => ({
      plans: plans.list(),
      dryRuns: dryRunsIn(userPlaces().checkpoints).flatMap(({plan, end}) => (end === undefined ? [] : [planId(plan)])),
    }),
    places,
  );

/** Changes a plan, if its state allows that. */
export function changePlan(
  {plan: id, change}: {readonly plan: PlanId; readonly change: PlanChange},
  places: InDatabase,
): Promise<Outcome<Plan, Fault>> {
  return withUserStores(({plans}) => {
    const changed = plans.change(id, plan => {
      switch (change.kind) {
        case 'approve':
          return approvePlan(plan);
        case 'reject':
          return rejectPlan(plan, change.reason);
        case 'edit':
          return editPlan(plan, change.draft);
        case 'begin':
          return approveAndBegin(plan);
        default:
          return unreachable(change);
      }
    });
    if (changed.tag === 'ok') return changed;
    const why =
      changed.error === 'unknown' ? 'does not exist. List the plans: /plans' : planConflict(changed.error.state);
    return failed(rejected(`Plan ${id} ${why}.`));
  }, places);
}

/** Reads the user's task stack. */
export const readStack = (places: InDatabase): Promise<StackBoard> =>
  withUserStores(({stack}) => stack.read(stackBoard), places);

/** Changes the user's task stack. */
export function changeUserStack(change: StackChange, places: InDatabase): Promise<Outcome<StackBoard, Fault>> {
  return withUserStores(({stack}) => {
    const changed = stack.perform(each => changeStack(each, change));
    return changed.tag === 'ok' ? changed : failed(rejected(`${changed.error.message}.`));
  }, places);
}
