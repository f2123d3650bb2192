import * as z from 'zod/mini';
import {isJsonObject, type Json, type JsonObject} from '../../base/json.ts';
import type {StackMessageId, StackTaskId} from '../../domain/ids.ts';

/** Metadata that a schema can't hold itself, for generated documents. */
export const schemaNotes = z.registry<{readonly id?: string; readonly type?: string; readonly description?: string}>();

export const jsonObject = z
  .custom<JsonObject>(isJsonObject, 'expected an object')
  .register(schemaNotes, {type: 'object'});
export const anyJson = z
  .custom<Json>(value => value !== undefined)
  .register(schemaNotes, {description: 'Any JSON value'});
export const nonEmptyText = z.string().check(z.minLength(1));
export const index = z.int().check(z.minimum(0));
const idOf = <Id extends string>() => z.custom<Id>().register(schemaNotes, {type: 'string'});

type Frozen<T> = T extends string | JsonObject
  ? T
  : T extends readonly (infer Item)[]
    ? readonly Frozen<Item>[]
    : {readonly [Key in keyof T]: Frozen<T[Key]>};

/*
 * The records of the task stack. They have the names and fields of the Task Stack API, because they are stored and sent
 * unchanged. Times are ISO 8601 in UTC, without a zone.
 */
export const taskStatuses = ['PENDING', 'IN_PROGRESS', 'COMPLETED', 'FAILED', 'CANCELLED'] as const;
export type TaskStatus = (typeof taskStatuses)[number];

export const readingStatuses = ['UNREAD', 'READ'] as const;

export const senderTypes = ['director', 'subagent', 'user'] as const;
export type SenderType = (typeof senderTypes)[number];

export const userMessage = z
  .object({
    id: idOf<StackMessageId>(),
    content: z.string(),
    timestamp: z.string(),
    user_id: z.literal('user'),
    sender_type: z.enum(senderTypes),
    director_read_status: z.enum(readingStatuses),
    user_read_status: z.enum(readingStatuses),
    /** The task may have been deleted since. */
    task_id: z.nullable(idOf<StackTaskId>()),
  })
  .register(schemaNotes, {id: 'UserMessage'});
export type UserMessage = Frozen<z.infer<typeof userMessage>>;

export const stackTask = z
  .object({
    id: idOf<StackTaskId>(),
    description: z.object({
      overall_description: z.string(),
      input: jsonObject,
      requirements: z.array(z.custom<Json>()),
      additional_notes: z.string(),
    }),
    status: z.enum(taskStatuses),
    progress: jsonObject,
    results: z.nullable(jsonObject),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .register(schemaNotes, {id: 'Task'});
export type StackTask = Frozen<z.infer<typeof stackTask>>;
export type TaskDescription = StackTask['description'];

/** True for a status that never changes again. */
export const isFinalStatus = (status: TaskStatus): boolean =>
  status === 'COMPLETED' || status === 'FAILED' || status === 'CANCELLED';

export const taskLayer = z
  .object({
    layer_index: index,
    tasks: z.array(z.object({task_id: idOf<StackTaskId>(), created_at: z.string()})),
    pre_hook: z.nullable(jsonObject),
    post_hook: z.nullable(jsonObject),
    created_at: z.string(),
  })
  .register(schemaNotes, {id: 'TaskLayer'});
export type TaskLayer = Frozen<z.infer<typeof taskLayer>>;
export type LayerEntry = TaskLayer['tasks'][number];

/** Changes to the hooks of a layer: `null` removes a hook, and a hook that is left out stays. */
export interface HookChanges {
  readonly pre_hook?: JsonObject | null | undefined;
  readonly post_hook?: JsonObject | null | undefined;
}

export type Position =
  | {readonly kind: 'pre-hook' | 'post-hook'; readonly layer: number}
  | {readonly kind: 'task'; readonly layer: number; readonly index: number};

/** The execution pointer as the API shows it. The task index is 0 for a pre-hook, and the last one of the layer for a post-hook. */
export const executionPointer = z
  .object({
    current_layer_index: index,
    current_task_index: index,
    is_executing_pre_hook: z.boolean(),
    is_executing_post_hook: z.boolean(),
  })
  .register(schemaNotes, {id: 'ExecutionPointer'});
export type ExecutionPointer = Frozen<z.infer<typeof executionPointer>>;

/** The next work. For a hook, the task is the first (pre-hook) or last (post-hook) one of its layer, if any. */
export const nextTask = z.object({
  layer_index: index,
  task_index: index,
  task_id: z.nullable(idOf<StackTaskId>()),
  task: z.nullable(stackTask),
  layer: taskLayer,
  is_pre_hook: z.boolean(),
  is_post_hook: z.boolean(),
});
export type NextTask = Frozen<z.infer<typeof nextTask>>;

/** Why an operation changed nothing: its subject does not exist (or was executed), or it is not allowed. Written for people. */
export interface StackRefusal {
  readonly kind: 'not-found' | 'invalid';
  readonly message: string;
}
