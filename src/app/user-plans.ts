import type {DatabaseChoice} from '../config/places.ts';
import {type AskStore, openAskStore} from '../store/ask-store.ts';
import {type AgentTaskStore, openAgentTaskStore} from '../store/agent-task-store.ts';
import {openPlanStore, type PlanStore} from '../store/plan-store.ts';
import {openRunningAgentStore, type RunningAgentStore} from '../store/running-agent-store.ts';
import {unwrap} from './exit-code.ts';
import {userDatabase} from './user-database.ts';

/** Opens the plans in the user's database. */
export const openUserPlans = async ({database}: {readonly database: DatabaseChoice}): Promise<PlanStore> =>
  unwrap(openPlanStore({database: await userDatabase(database), now: () => Date.now(), process}));

/** Opens the tasks that programs have run, in the user's database. */
export const openUserTasks = async ({database}: {readonly database: DatabaseChoice}): Promise<AgentTaskStore> =>
  unwrap(openAgentTaskStore({database: await userDatabase(database), now: () => Date.now(), process}));

/** Opens what runs ask, in the user's database. */
export const openUserAsks = async ({database}: {readonly database: DatabaseChoice}): Promise<AskStore> =>
  unwrap(openAskStore({database: await userDatabase(database), now: () => Date.now(), process}));

/** Opens the list of sub-agents at work, in the user's database. */
export const openUserRunningAgents = async ({
  database,
}: {
  readonly database: DatabaseChoice;
}): Promise<RunningAgentStore> =>
  unwrap(openRunningAgentStore({database: await userDatabase(database), now: () => Date.now(), process}));
