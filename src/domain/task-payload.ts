import type {TodoId} from './ids.ts';

/**
 * What one opaque payload of the task protocol says: the call 11 (`cleared`), the event 2 (`snapshot`), the call 9 (`running`),
 * or something weft has no use for (`other`).
 */
export type TaskPayload =
  | {
      readonly kind: 'snapshot';
      readonly pending: readonly TaskItem[];
      readonly completed: readonly TaskItem[];
      /** What the same payload says to be running; mostly none, since that comes in a call of its own. */
      readonly running: readonly TodoId[];
    }
  | {readonly kind: 'running'; readonly ids: readonly TodoId[]}
  | {readonly kind: 'cleared'}
  | {readonly kind: 'other'; readonly fields: readonly RawField[]};

export interface TaskItem {
  readonly id: TodoId;
  readonly title: string;
  readonly description: string;
}

/** A field as it stood in the payload, tag and all, so that it can be passed on unchanged. */
export interface RawField {
  readonly number: number;
  readonly bytes: Uint8Array;
}
