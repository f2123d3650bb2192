import type {ScheduleId, SessionId} from './ids.ts';
import type {PermissionMode} from './risk.ts';

/** The outcome of the last run. `stopped` includes a run whose process was cut off. */
export type LastRun =
  | {readonly state: 'none'}
  | {readonly state: 'running'; readonly at: number; readonly session: SessionId | 'not-open'}
  | {
      readonly state: 'completed' | 'failed' | 'stopped';
      /** When it began, in milliseconds since the epoch. */
      readonly at: number;
      readonly session: SessionId | 'not-open';
      /** The reason why it didn't finish. Empty if it did. */
      readonly trouble: string;
      readonly told: 'yes' | 'no';
    };

export interface Schedule {
  readonly id: ScheduleId;
  /** Five fields, or six with seconds before them; in the time zone of the machine. */
  readonly cron: string;
  readonly prompt: string;
  readonly directory: string;
  /** The widest mode it may run in; that of the folder's settings holds where it is narrower. */
  readonly mode: PermissionMode;
  readonly createdAt: number;
  readonly nextAt: number;
  readonly last: LastRun;
}
