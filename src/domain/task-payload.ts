import type {TodoId} from './ids.ts';

/**
 * The meaning of one opaque payload of the task protocol: `cleared` (field 11), `snapshot` (field 2), `running` (field 9), or `other`
 * for payloads that weft does not use.
 */
export type TaskPayload =
  | {
      readonly kind: 'snapshot';
      readonly pending: readonly TaskItem[];
      readonly completed: readonly TaskItem[];
      /** The todos that the same payload marks as running. Usually there are none, because a separate payload marks them. */
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

/** A field of a payload with its tag, unchanged, so that it can be written again. */
export interface RawField {
  readonly number: number;
  readonly bytes: Uint8Array;
}
