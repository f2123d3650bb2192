import type {ScheduleId, SessionId} from './ids.ts';
import type {PermissionMode} from './risk.ts';

/** The outcome of the last run. `stopped` includes a run whose process died. */
export type LastRun =
  | {readonly state: 'none'}
  | {readonly state: 'running'; readonly at: number; readonly session: SessionId | 'not-open'}
  | {
      readonly state: 'completed' | 'failed' | 'stopped';
      /** When the run began, in milliseconds since the epoch. */
      readonly at: number;
      readonly session: SessionId | 'not-open';
      /** Why the run did not finish; empty if it did. */
      readonly trouble: string;
      readonly told: 'yes' | 'no';
    };

export interface Schedule {
  readonly id: ScheduleId;
  /** Five fields, or six if seconds come first, in the machine's time zone. */
  readonly cron: string;
  readonly prompt: string;
  readonly directory: string;
  /** The widest mode that the schedule may run in. The folder's settings can only narrow it. */
  readonly mode: PermissionMode;
  readonly createdAt: number;
  readonly nextAt: number;
  readonly last: LastRun;
}
