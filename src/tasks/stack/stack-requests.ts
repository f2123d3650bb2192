import * as z from 'zod/mini';
import {
  anyJson,
  index,
  jsonObject,
  readingStatuses,
  senderTypes,
  nonEmptyText as text,
  taskStatuses,
} from './stack-records.ts';

/* The bodies of requests to the task stack, as in the Task Stack API. Fields that are not named here are ignored and not kept. */

const taskId = text;

/** Lower case on the wire. Upper case is accepted. */
export const senderType = z.pipe(
  z.enum([...senderTypes, 'DIRECTOR', 'SUBAGENT', 'USER']),
  z.transform(given => senderTypes.find(type => type === given.toLowerCase()) ?? 'user'),
);

const description = z.object({
  overall_description: text,
  input: z.prefault(jsonObject, {}),
  requirements: z.prefault(z.array(anyJson), []),
  additional_notes: z.prefault(z.string(), ''),
});

/** `null` removes a hook. A hook that is left out stays unchanged. */
const hooks = {pre_hook: z.optional(z.nullable(jsonObject)), post_hook: z.optional(z.nullable(jsonObject))};

export const messageRequest = z.object({
  content: text,
  sender_type: z.prefault(senderType, 'user'),
  task_id: z.prefault(z.nullable(taskId), null),
});
export const taskMessageRequest = z.omit(messageRequest, {task_id: true});

const readingStatus = z.optional(z.enum(readingStatuses));
export const readStatusRequest = z.object({director_read_status: readingStatus, user_read_status: readingStatus});

export const taskRequest = z.object({description});
const status = z.enum(taskStatuses);
export const taskChangeRequest = z.object({
  description: z.optional(description),
  status: z.optional(status),
  progress: z.optional(jsonObject),
  results: z.optional(z.nullable(jsonObject)),
});
export const taskStatusRequest = z.object({status});

export const layerRequest = z.object({layer_index: z.optional(index), ...hooks});
export const hooksRequest = z.object(hooks);
export const additionRequest = z.object({task_id: taskId, insert_index: z.optional(index)});
export const replacementRequest = z.object({old_task_id: taskId, new_task_id: taskId});

/** `task_index` is required for a task and ignored for a hook. */
export const pointerRequest = z.object({
  layer_index: index,
  task_index: z.optional(z.int()),
  is_executing_pre_hook: z.prefault(z.boolean(), false),
  is_executing_post_hook: z.prefault(z.boolean(), false),
});

export const insertLayerRequest = z.object({
  insert_layer_index: index,
  task_ids: z.prefault(z.array(taskId), []),
  ...hooks,
});

const inLayer = {layer_index: index};
const some = <Item extends z.ZodMiniType>(item: Item) => z.array(item).check(z.minLength(1));

const operation = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('create_tasks'),
    params: z.object({tasks: some(z.object({description, ref: z.optional(text)}))}),
  }),
  z.object({type: z.literal('create_layers'), params: z.object({layers: some(layerRequest)})}),
  z.object({
    type: z.literal('add_tasks_to_layers'),
    params: z.object({additions: some(z.extend(additionRequest, inLayer))}),
  }),
  z.object({
    type: z.literal('remove_tasks_from_layers'),
    params: z.object({removals: some(z.object({...inLayer, task_id: taskId}))}),
  }),
  z.object({
    type: z.literal('replace_tasks_in_layers'),
    params: z.object({replacements: some(z.extend(replacementRequest, inLayer))}),
  }),
  z.object({
    type: z.literal('update_layer_hooks'),
    params: z.object({updates: some(z.extend(hooksRequest, inLayer))}),
  }),
]);

/** Two tasks of a batch can't share a ref. */
export const modifyRequest = z.object({operations: some(operation), atomic: z.prefault(z.boolean(), true)}).check(
  z.refine(({operations}) => {
    const refs = operations.flatMap(each =>
      each.type === 'create_tasks' ? each.params.tasks.flatMap(({ref}) => ref ?? []) : [],
    );
    return new Set(refs).size === refs.length;
  }, 'a ref is used twice'),
);

export type MessageRequest = z.infer<typeof messageRequest>;
export type ReadStatusRequest = z.infer<typeof readStatusRequest>;
export type TaskRequest = z.infer<typeof taskRequest>;
export type TaskChangeRequest = z.infer<typeof taskChangeRequest>;
export type LayerRequest = z.infer<typeof layerRequest>;
export type AdditionRequest = z.infer<typeof additionRequest>;
export type ReplacementRequest = z.infer<typeof replacementRequest>;
export type PointerRequest = z.infer<typeof pointerRequest>;
export type InsertLayerRequest = z.infer<typeof insertLayerRequest>;
export type Operation = z.infer<typeof operation>;
export type ModifyRequest = z.infer<typeof modifyRequest>;
