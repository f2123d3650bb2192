import type {ActionId} from '../../domain/ids.ts';

/** Milliseconds since the running prompt began, and until the next try of a request that failed; how what runs comes along. */
export interface RunTimes {
  readonly elapsedMs: number;
  readonly retryInMs: number;
  readonly actions: ReadonlyMap<ActionId, ActionProgress>;
  /** In dollars, while work was done; `unknown` before there has been enough of it. */
  readonly costPerMinute: number | 'unknown';
}

/** Of one running action: how long, and the whole lines it has printed. */
export interface ActionProgress {
  readonly elapsedMs: number;
  readonly lines: number;
}
