import * as z from 'zod/mini';
import {isJsonObject, type Json, type JsonObject} from '../../base/json.ts';
import {readingStatuses, senderTypes, taskStatuses} from '../../tasks/stack/stack-records.ts';
import {schemaNotes} from '../../tasks/stack/stack-requests.ts';

/** What the routes of the task stack answer with, for the document. */
const named = <Schema extends z.ZodMiniType>(id: string, schema: Schema): Schema => {
  schemaNotes.add(schema, {id});
  return schema;
};

const object = z.custom<JsonObject>(isJsonObject);
schemaNotes.add(object, {type: 'object'});
const anything = z.custom<Json>(value => value !== undefined);
const index = z.int().check(z.minimum(0));

export const userMessage = named(
  'UserMessage',
  z.object({
    id: z.string(),
    content: z.string(),
    timestamp: z.string(),
    user_id: z.literal('user'),
    sender_type: z.enum(senderTypes),
    director_read_status: z.enum(readingStatuses),
    user_read_status: z.enum(readingStatuses),
    task_id: z.nullable(z.string()),
  }),
);

export const task = named(
  'Task',
  z.object({
    id: z.string(),
    description: z.object({
      overall_description: z.string(),
      input: object,
      requirements: z.array(anything),
      additional_notes: z.string(),
    }),
    status: z.enum(taskStatuses),
    progress: object,
    results: z.nullable(object),
    created_at: z.string(),
    updated_at: z.string(),
  }),
);

export const taskLayer = named(
  'TaskLayer',
  z.object({
    layer_index: index,
    tasks: z.array(z.object({task_id: z.string(), created_at: z.string()})),
    pre_hook: z.nullable(object),
    post_hook: z.nullable(object),
    created_at: z.string(),
  }),
);

export const executionPointer = named(
  'ExecutionPointer',
  z.object({
    current_layer_index: index,
    current_task_index: index,
    is_executing_pre_hook: z.boolean(),
    is_executing_post_hook: z.boolean(),
  }),
);

export const words = z.object({message: z.string()});

export const messageCheck = z.object({message: userMessage, is_new_task: z.boolean(), data_structure: userMessage});

export const nextTask = z.object({
  layer_index: index,
  task_index: index,
  task_id: z.nullable(z.string()),
  task: z.nullable(task),
  layer: taskLayer,
  is_pre_hook: z.boolean(),
  is_post_hook: z.boolean(),
});

const operationType = z.string();

export const modifyAnswer = named(
  'ModifyAnswer',
  z.object({
    success: z.boolean(),
    results: z.array(
      z.object({
        operation_index: index,
        type: operationType,
        success: z.boolean(),
        data: z.optional(
          z.object({
            created_task_ids: z.optional(z.array(z.string())),
            created_layer_indices: z.optional(z.array(index)),
          }),
        ),
        error: z.optional(z.string()),
        rolled_back: z.optional(z.literal(true)),
      }),
    ),
    errors: z.array(z.object({operation_index: index, type: operationType, error: z.string(), params: object})),
    created_task_ids: z.array(z.string()),
    created_layer_indices: z.array(index),
  }),
);
