import type {Json, JsonObject} from '../../base/json.ts';
import type {StackMessageId, StackTaskId} from '../../domain/ids.ts';

/**
 * What the task stack consists of. The records have the names and fields of the Task Stack API, since they are kept and sent as they
 * are. Times are ISO 8601 in UTC, without a zone.
 */
export const taskStatuses = ['PENDING', 'IN_PROGRESS', 'COMPLETED', 'FAILED', 'CANCELLED'] as const;
export type TaskStatus = (typeof taskStatuses)[number];

export const readingStatuses = ['UNREAD', 'READ'] as const;
export type ReadingStatus = (typeof readingStatuses)[number];

export const senderTypes = ['director', 'subagent', 'user'] as const;
export type SenderType = (typeof senderTypes)[number];

export interface UserMessage {
  readonly id: StackMessageId;
  readonly content: string;
  readonly timestamp: string;
  readonly user_id: 'user';
  readonly sender_type: SenderType;
  readonly director_read_status: ReadingStatus;
  readonly user_read_status: ReadingStatus;
  /** A task that may have been deleted since. */
  readonly task_id: StackTaskId | null;
}

export interface TaskDescription {
  readonly overall_description: string;
  readonly input: JsonObject;
  readonly requirements: readonly Json[];
  readonly additional_notes: string;
}

export interface StackTask {
  readonly id: StackTaskId;
  readonly description: TaskDescription;
  readonly status: TaskStatus;
  readonly progress: JsonObject;
  readonly results: JsonObject | null;
  readonly created_at: string;
  readonly updated_at: string;
}

/** A status that never changes again. */
export const isFinalStatus = (status: TaskStatus): boolean =>
  status === 'COMPLETED' || status === 'FAILED' || status === 'CANCELLED';

export interface LayerEntry {
  readonly task_id: StackTaskId;
  readonly created_at: string;
}

export interface TaskLayer {
  readonly layer_index: number;
  readonly tasks: readonly LayerEntry[];
  readonly pre_hook: JsonObject | null;
  readonly post_hook: JsonObject | null;
  readonly created_at: string;
}

/** The hooks of a layer as a request names them: `null` removes one, what is left out stays. */
export interface HookChanges {
  readonly pre_hook?: JsonObject | null | undefined;
  readonly post_hook?: JsonObject | null | undefined;
}

/** A place in the stack at which work is done. */
export type Position =
  | {readonly kind: 'pre-hook' | 'post-hook'; readonly layer: number}
  | {readonly kind: 'task'; readonly layer: number; readonly index: number};

/** The execution pointer as the API shows it. */
export interface ExecutionPointer {
  readonly current_layer_index: number;
  /** 0 for a pre-hook, the last index of the layer for a post-hook. */
  readonly current_task_index: number;
  readonly is_executing_pre_hook: boolean;
  readonly is_executing_post_hook: boolean;
}

/** What is to be done next. For a hook, the task is the first (pre-hook) or the last (post-hook) one of its layer, if it has any. */
export interface NextTask {
  readonly layer_index: number;
  readonly task_index: number;
  readonly task_id: StackTaskId | null;
  readonly task: StackTask | null;
  readonly layer: TaskLayer;
  readonly is_pre_hook: boolean;
  readonly is_post_hook: boolean;
}

/** Why an operation changes nothing: what it names is not there (or was executed), or it is not allowed. Written for people. */
export interface StackRefusal {
  readonly kind: 'not-found' | 'invalid';
  readonly message: string;
}
