import type {AgentTaskId, PlanId, ScheduleId, SessionId} from './ids.ts';
import type {ProviderName} from './sandbox.ts';

/** Work that any worker may take up, on whatever machine: kept until it is done, and done by one at a time. */
export type QueuedRun =
  | {
      readonly kind: 'execution';
      readonly task: AgentTaskId;
      readonly session: SessionId;
      readonly plan: PlanId;
      readonly prompt: string;
      readonly directory: string;
      readonly sandbox: ProviderName | 'of-settings';
      /** Empty where the settings decide. There is never a key: it would be kept. */
      readonly model: string;
      readonly baseUrl: string;
    }
  | {readonly kind: 'scheduled'; readonly schedule: ScheduleId};

/** What there can be only one of at a time, waiting or at work. */
export const runKey = (run: QueuedRun): string =>
  run.kind === 'execution' ? `plan ${run.plan}` : `schedule ${run.schedule}`;
