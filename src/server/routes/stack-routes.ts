import * as z from 'zod/mini';
import type {Outcome} from '../../base/outcome.ts';
import {stackMessageId, stackTaskId} from '../../domain/ids.ts';
import {modifyStack} from '../../tasks/stack/modify-stack.ts';
import {
  executionPointer,
  index,
  jsonObject,
  nextTask,
  schemaNotes,
  type StackRefusal,
  stackTask,
  taskLayer,
  userMessage,
} from '../../tasks/stack/stack-records.ts';
import {
  additionRequest,
  hooksRequest,
  insertLayerRequest,
  layerRequest,
  messageRequest,
  modifyRequest,
  pointerRequest,
  readStatusRequest,
  replacementRequest,
  senderType,
  taskChangeRequest,
  taskMessageRequest,
  taskRequest,
  taskStatusRequest,
} from '../../tasks/stack/stack-requests.ts';
import type {TaskStack} from '../../tasks/stack/task-stack.ts';
import {flag, isTrue, json, refuse, route, type Reply, type Route} from '../route.ts';

const words = z.object({message: z.string()});

/** The part of a list that a request asks for: at most `limit` records behind the one with the id `after`. */
const pageQuery = z.object({
  after: z.optional(z.string()),
  limit: z.optional(z.string().check(z.regex(/^[1-9]\d{0,5}$/u, 'must be a number from 1 to 999999'))),
});

function pageOf<T extends {readonly id: string}>(
  records: readonly T[],
  {after, limit}: z.infer<typeof pageQuery>,
  missing: string,
): Outcome<readonly T[], StackRefusal> {
  const before = after === undefined ? -1 : records.findIndex(({id}) => id === after);
  if (after !== undefined && before < 0) return {tag: 'failed', error: {kind: 'not-found', message: missing}};
  const from = before + 1;
  return {tag: 'ok', value: records.slice(from, limit === undefined ? undefined : from + Number(limit))};
}

const messageCheck = z.object({message: userMessage, is_new_task: z.boolean(), data_structure: userMessage});

const modifyAnswer = z
  .object({
    success: z.boolean(),
    results: z.array(
      z.object({
        operation_index: index,
        type: z.string(),
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
    errors: z.array(z.object({operation_index: index, type: z.string(), error: z.string(), params: jsonObject})),
    created_task_ids: z.array(z.string()),
    created_layer_indices: z.array(index),
  })
  .register(schemaNotes, {id: 'ModifyAnswer'});

/** The saved task stack. `performInGroup` carries out a request and saves its changes; `read` changes nothing. */
interface StackPort {
  performInGroup<T>(work: (stack: TaskStack) => T): Promise<T>;
  read<T>(work: (stack: TaskStack) => T): T;
}

/** The routes of the Task Stack API. */
export function stackRoutes(port: StackPort): readonly Route[] {
  const shows = (work: (stack: TaskStack) => object): Reply => json(200, port.read(work));
  const changing = async <T extends object>(
    status: number,
    work: (stack: TaskStack) => Outcome<T, StackRefusal>,
  ): Promise<Reply> => replyOf(status, await port.performInGroup(stack => stack.attempt(() => work(stack))));
  const reading = <T extends object>(work: (stack: TaskStack) => Outcome<T, StackRefusal>): Reply =>
    replyOf(200, port.read(work));

  return [
    route('post', '/api/messages/create', {
      tag: 'messages',
      id: 'createMessage',
      summary: 'Create a message',
      body: messageRequest,
      answer: [201, 'The message', userMessage],
      handle: ({body}) => changing(201, stack => stack.createMessage(body)),
    }),
    route('get', '/api/messages/list', {
      tag: 'messages',
      id: 'listMessages',
      summary: 'List the messages: all, or at most `limit` of those behind the message `after`',
      query: pageQuery,
      answer: [200, 'The messages, oldest first', z.array(userMessage)],
      errors: {404: noMessage},
      handle: ({query}) => reading(stack => pageOf(stack.messages(), query, noMessage)),
    }),
    route('get', '/api/messages/unread', {
      tag: 'messages',
      id: 'listUnreadMessages',
      summary: 'List unread messages',
      query: z.object({
        sender_type: z.optional(senderType),
        check_director_read: z.optional(flag),
        check_user_read: z.optional(flag),
      }),
      answer: [200, 'The messages, oldest first', z.array(userMessage)],
      handle: ({query: {sender_type, check_director_read, check_user_read}}) =>
        shows(stack =>
          stack.unreadMessages({
            sender: sender_type ?? 'anybody',
            director: isTrue(check_director_read ?? (check_user_read === undefined ? 'true' : 'false')),
            user: isTrue(check_user_read ?? 'false'),
          }),
        ),
    }),
    route('get', '/api/messages/{msg_id}', {
      tag: 'messages',
      id: 'getMessage',
      summary: 'Get a message',
      answer: [200, 'The message', userMessage],
      errors: {404: noMessage},
      handle: ({params}) => reading(stack => stack.message(messageOf(params))),
    }),
    route('put', '/api/messages/{msg_id}/read-status', {
      tag: 'messages',
      id: 'setReadStatus',
      summary: 'Change who has read a message',
      body: readStatusRequest,
      answer: [200, 'The message', userMessage],
      errors: {404: noMessage},
      handle: ({params, body}) => changing(200, stack => stack.setReadStatus(messageOf(params), body)),
    }),
    route('get', '/api/messages/{msg_id}/check', {
      tag: 'messages',
      id: 'checkMessage',
      summary: 'Check a message, and whether it names a new task',
      answer: [200, 'The message', messageCheck],
      errors: {404: noMessage},
      handle: ({params}) =>
        reading(stack => {
          const message = stack.message(messageOf(params));
          if (message.tag === 'failed') return message;
          const is_new_task = stack.isNewTask(message.value);
          return {tag: 'ok', value: {message: message.value, is_new_task, data_structure: message.value}};
        }),
    }),
    route('post', '/api/tasks/create', {
      tag: 'tasks',
      id: 'createTask',
      summary: 'Create a task that is in no layer yet',
      body: taskRequest,
      answer: [201, 'The task', stackTask],
      handle: async ({body}) => json(201, await port.performInGroup(stack => stack.createTask(body))),
    }),
    route('get', '/api/tasks/list', {
      tag: 'tasks',
      id: 'listTasks',
      summary: 'List the tasks: all, or at most `limit` of those behind the task `after`',
      query: pageQuery,
      answer: [200, 'The tasks, oldest first', z.array(stackTask)],
      errors: {404: noTask},
      handle: ({query}) => reading(stack => pageOf(stack.tasks(), query, noTask)),
    }),
    route('get', '/api/tasks/{task_id}', {
      tag: 'tasks',
      id: 'getTask',
      summary: 'Get a task',
      answer: [200, 'The task', stackTask],
      errors: {404: noTask},
      handle: ({params}) => reading(stack => stack.task(idOf(params))),
    }),
    route('put', '/api/tasks/{task_id}', {
      tag: 'tasks',
      id: 'updateTask',
      summary: 'Change a task',
      body: taskChangeRequest,
      answer: [200, 'The task', stackTask],
      errors: {404: noTask},
      handle: ({params, body}) => changing(200, stack => stack.changeTask(idOf(params), body)),
    }),
    route('delete', '/api/tasks/{task_id}', {
      tag: 'tasks',
      id: 'deleteTask',
      summary: 'Delete a task',
      answer: [200, 'The task is deleted', words],
      errors: {404: `${noTask}, or it was executed`},
      handle: ({params}) => changing(200, stack => said(stack.deleteTask(idOf(params)), 'Task deleted successfully')),
    }),
    route('put', '/api/tasks/{task_id}/status', {
      tag: 'tasks',
      id: 'updateTaskStatus',
      summary: 'Change the status of a task',
      body: taskStatusRequest,
      answer: [200, 'The task', stackTask],
      errors: {404: noTask},
      handle: ({params, body}) => changing(200, stack => stack.changeTask(idOf(params), body)),
    }),
    route('post', '/api/tasks/{task_id}/messages', {
      tag: 'tasks',
      id: 'pushMessage',
      summary: 'Create a message about a task',
      body: taskMessageRequest,
      answer: [201, 'The message', userMessage],
      errors: {404: noTask},
      handle: ({params, body}) =>
        changing(201, stack => {
          const known = stack.task(idOf(params));
          return known.tag === 'failed' ? known : stack.createMessage({...body, task_id: known.value.id});
        }),
    }),
    route('post', '/api/layers/create', {
      tag: 'layers',
      id: 'createLayer',
      summary: 'Create a layer',
      body: layerRequest,
      bodyIs: 'optional',
      answer: [201, 'The layer', taskLayer],
      handle: ({body}) => changing(201, stack => stack.createLayer(body)),
    }),
    route('get', '/api/layers/list', {
      tag: 'layers',
      id: 'listLayers',
      summary: 'List all layers',
      answer: [200, 'The layers in order', z.array(taskLayer)],
      handle: () => shows(stack => stack.layers()),
    }),
    route('get', '/api/layers/{layer_index}', {
      tag: 'layers',
      id: 'getLayer',
      summary: 'Get a layer',
      answer: [200, 'The layer', taskLayer],
      errors: {404: noLayer},
      handle: ({params}) => reading(stack => stack.layer(layerOf(params))),
    }),
    route('put', '/api/layers/{layer_index}/hooks', {
      tag: 'layers',
      id: 'updateHooks',
      summary: 'Change the hooks of a layer; null removes one',
      body: hooksRequest,
      answer: [200, 'The layer', taskLayer],
      errors: {404: `${noLayer}, or it was executed`},
      handle: ({params, body}) => changing(200, stack => stack.changeHooks(layerOf(params), body)),
    }),
    route('post', '/api/layers/{layer_index}/tasks', {
      tag: 'layers',
      id: 'addTask',
      summary: 'Add a task to a layer',
      body: additionRequest,
      answer: [200, 'The layer', taskLayer],
      errors: {404: `${noLayer}, no such task, it is in a layer, or the layer was executed`},
      handle: ({params, body}) => changing(200, stack => stack.addTask(layerOf(params), body)),
    }),
    route('post', '/api/layers/{layer_index}/tasks/replace', {
      tag: 'layers',
      id: 'replaceTask',
      summary: 'Cancel a task and put another in its place',
      body: replacementRequest,
      answer: [200, 'The layer', taskLayer],
      errors: {404: `${noLayer}, no such task, or it was executed`},
      handle: ({params, body}) => changing(200, stack => stack.replaceTask(layerOf(params), body)),
    }),
    route('delete', '/api/layers/{layer_index}/tasks/{task_id}', {
      tag: 'layers',
      id: 'removeTask',
      summary: 'Remove a task from a layer',
      answer: [200, 'The task is removed', words],
      errors: {404: `${noLayer}, no such task, or it was executed`},
      handle: ({params}) =>
        changing(200, stack =>
          said(stack.removeTask(layerOf(params), idOf(params)), 'Task removed from layer successfully'),
        ),
    }),
    route('get', '/api/execution-pointer/get', {
      tag: 'pointer',
      id: 'getPointer',
      summary: 'Get the execution pointer',
      answer: [200, 'The pointer, or a message that there is none', z.union([executionPointer, words])],
      handle: () => shows(stack => orWords(stack.pointer(), 'No execution pointer set')),
    }),
    route('put', '/api/execution-pointer/set', {
      tag: 'pointer',
      id: 'setPointer',
      summary: 'Set the execution pointer',
      body: pointerRequest,
      answer: [200, 'The pointer', executionPointer],
      handle: ({body}) => changing(200, stack => stack.setPointer(body)),
    }),
    route('post', '/api/execution-pointer/advance', {
      tag: 'pointer',
      id: 'advancePointer',
      summary: 'Advance the execution pointer to the next position',
      answer: [200, 'The pointer', executionPointer],
      errors: {400: 'The stack is at its end'},
      handle: () => changing(200, stack => stack.advancePointer()),
    }),
    route('get', '/api/task-stack', {
      tag: 'stack',
      id: 'getTaskStack',
      summary: 'List all layers of the task stack',
      answer: [200, 'The layers in order', z.array(taskLayer)],
      handle: () => shows(stack => stack.layers()),
    }),
    route('get', '/api/task-stack/next', {
      tag: 'stack',
      id: 'getNextTask',
      summary: 'Get the next task or hook',
      answer: [200, 'The task or hook, or a message that there is none', z.union([nextTask, words])],
      handle: () => shows(stack => orWords(stack.next(), 'No tasks in stack')),
    }),
    route('post', '/api/task-stack/insert-layer', {
      tag: 'stack',
      id: 'insertLayer',
      summary: 'Insert a layer with tasks',
      body: insertLayerRequest,
      answer: [201, 'The layer', taskLayer],
      handle: ({body}) => changing(201, stack => stack.insertLayer(body)),
    }),
    route('post', '/api/task-stack/modify', {
      tag: 'stack',
      id: 'modifyTaskStack',
      summary: 'Carry out several operations at once',
      body: modifyRequest,
      answer: [200, 'The result of each operation', modifyAnswer],
      handle: async ({body}) => json(200, await port.performInGroup(stack => modifyStack(stack, body))),
    }),
  ];
}

const noMessage = 'There is no such message';
const noTask = 'There is no such task';
const noLayer = 'There is no such layer';

const idOf = ({task_id = ''}: Readonly<Record<string, string>>) => stackTaskId(task_id);
const messageOf = ({msg_id = ''}: Readonly<Record<string, string>>) => stackMessageId(msg_id);

/** Returns the layer index in a path, or -1 if the path has no number there. No layer has the index -1. */
const layerOf = ({layer_index = ''}: Readonly<Record<string, string>>): number =>
  /^(?:0|[1-9]\d{0,8})$/u.test(layer_index) ? Number(layer_index) : -1;

function replyOf(status: number, outcome: Outcome<object, StackRefusal>): Reply {
  if (outcome.tag === 'ok') return json(status, outcome.value);
  return refuse(outcome.error.kind === 'not-found' ? 404 : 400, outcome.error.message);
}

const orWords = (found: object | 'none', message: string): object => (found === 'none' ? {message} : found);

const said = (outcome: Outcome<undefined, StackRefusal>, message: string): Outcome<object, StackRefusal> =>
  outcome.tag === 'ok' ? {tag: 'ok', value: {message}} : outcome;
