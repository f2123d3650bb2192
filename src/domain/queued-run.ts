import {unreachable} from '../base/unreachable.ts';
import {type AgentTaskId, parseSessionId, type PlanId, type ScheduleId, type SessionId} from './ids.ts';
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
      /** A folder with skills, on the machine of the worker; empty for none. */
      readonly skills: string;
    }
  | {readonly kind: 'scheduled'; readonly schedule: ScheduleId}
  | {
      /** A run of the task stack. */
      readonly kind: 'stack';
      /** Whose agent does the tasks: `weft`, or the name of a harness. */
      readonly harness: string;
      readonly afterFailure: 'stop' | 'go-on';
      readonly positions: 'all' | 'one';
      readonly directory: string;
    };

/** What there can be only one of at a time, waiting or at work. */
export function runKey(run: QueuedRun): string {
  switch (run.kind) {
    case 'execution':
      return `plan ${run.plan}`;
    case 'scheduled':
      return `schedule ${run.schedule}`;
    case 'stack':
      return 'stack';
    default:
      return unreachable(run);
  }
}

/** Stands for the run of the task stack where runs are known by their session. */
export const stackSession: SessionId = ((): SessionId => {
  const id = parseSessionId('00000000-0000-4000-8000-000000000000');
  if (id === undefined) throw new Error('no session id');
  return id;
})();
