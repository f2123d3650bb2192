// @module-tag long
import {expect, test} from 'vitest';
import {type Json, objectOf} from '../../src/base/json.ts';
import {payloadText, readPayloadField} from '../../src/protocol/task/payload.ts';
import {runWeft, TempPlace} from '../support/run-weft.ts';
import {readAnthropic, readOpenAi} from '../unit/protocol/transform/read-answers.ts';
import {jsonIn, seedExamples, seedText} from '../support/seeds.ts';

const seed = seedText('task-protocol-analysis');

/** The JSON examples of the seed, in order. A comment stands for the content of an object. */
const [envelope, task, cleared, list, one, several, updated] = seedExamples('task-protocol-analysis')
  .filter(({language}) => language === 'json')
  .flatMap(({code}) => jsonIn(code.replaceAll(/\/\*.*?\*\//gu, '')));

const bytes = (payload: Json | undefined): string => payloadText(readPayloadField(objectOf(payload), 'anywhere'));

/** The messages of the table of places: the payload of a call is base64, that of an event is an object. */
const inCall = (id: string, payload: Json | undefined) => ({
  id,
  tool_call: {tool_call_id: `call_${id}`, server: {payload: bytes(payload)}},
});
const inEvent = (id: string, payload: Json | undefined) => ({id, server_event: {payload}});
const added = (message: object) => ({add_messages_to_task: {task_id: 't', messages: [message]}});
const changed = (message: object) => ({update_task_message: {task_id: 't', message}});

const mcp = {id: 'm', tool_call: {tool_call_id: 'call_m', call_mcp_tool: {name: 'find', args: {query: 'x'}}}};
const actions = [
  added(inCall('a', cleared)),
  added(inEvent('b', list)),
  added(mcp),
  changed(inCall('c', one)),
  changed(inCall('d', several)),
  changed(inEvent('e', updated)),
];

/** A todo as the seed converts it. */
const todo = (title: string, status: 'pending' | 'in_progress' | 'completed') => ({
  content: title,
  status,
  activeForm: `${status === 'completed' ? '已完成' : '执行'} ${title}`,
});

test('the life of the list that the seed shows becomes its calls, in both formats', {tags: 'smoke'}, async () => {
  expect(envelope).toEqual({client_actions: {actions: [{add_messages_to_task: {}, update_task_message: {}}]}});
  expect(Object.keys(objectOf(task))).toEqual(['1', '2', '3']);
  const [, form = ''] = /^ +```json\n([^]*?)^ +```/mu.exec(seed) ?? [];
  const [shown] = jsonIn(form);
  expect(shown).toEqual({todos: [{...todo('任务标题', 'pending'), status: 'pending/completed'}]});
  expect(seed).toContain(`f"执行 {`);
  expect(seed).toContain(`f"已完成 {`);
  const text = JSON.stringify({client_actions: {actions}});
  using place = new TempPlace();
  const transformed = async (to: string): Promise<string> =>
    (await runWeft(['tasks', 'transform', '--to', to], {place, stdin: {text}})).stdout;
  const calls = [
    ['TodoWrite', {todos: []}],
    [
      'TodoWrite',
      {
        todos: [
          todo('Initialize Git repository', 'pending'),
          todo('Check current status and files', 'pending'),
          todo('已完成的任务标题', 'completed'),
        ],
      },
    ],
    ['find', {query: 'x'}],
    ['TaskStatusUpdate', {task_ids: ['ff566ea1-6879-428f-8ea8-68a2d64e0328'], status: 'in_progress'}],
    [
      'TaskStatusUpdate',
      {
        task_ids: ['d93d16a1-64a7-4c73-bd3d-bf90b98cd9ca', '00c32a19-73cd-487c-8ff7-ce4c6ad149bc'],
        status: 'in_progress',
      },
    ],
    ['TodoWrite', {todos: [todo('剩余任务标题', 'pending'), todo('已完成任务标题', 'completed')]}],
  ];
  const completion = await readOpenAi(await transformed('openai'));
  expect(
    completion.choices[0]?.message.tool_calls?.map(call =>
      call.type === 'function' ? [call.function.name, JSON.parse(call.function.arguments)] : call,
    ),
  ).toEqual(calls);
  const {message} = await readAnthropic(await transformed('anthropic'));
  expect(message.content.map(block => (block.type === 'tool_use' ? [block.name, block.input] : block))).toEqual(calls);
});
