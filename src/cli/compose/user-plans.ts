import type {Places} from '../../config/places.ts';
import {type AgentTaskStore, openAgentTaskStore} from '../../store/agent-task-store.ts';
import {openPlanStore, type PlanStore} from '../../store/plan-store.ts';
import {unwrap} from '../exit-code.ts';

/** Opens the plans in the user's database. */
export const openUserPlans = (places: Pick<Places, 'database'>): PlanStore =>
  unwrap(openPlanStore({file: places.database, now: () => Date.now(), process}));

/** Opens the tasks that programs have run, in the user's database. */
export const openUserTasks = (places: Pick<Places, 'database'>): AgentTaskStore =>
  unwrap(openAgentTaskStore({file: places.database, now: () => Date.now(), process}));
