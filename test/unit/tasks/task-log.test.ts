import * as fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import type {Json, JsonObject} from '../../../src/base/json.ts';
import {readEventJson} from '../../../src/protocol/task/read-item.ts';
import {readPayloadField} from '../../../src/protocol/task/payload.ts';
import {makeTaskLog} from '../../../src/tasks/task-log.ts';
import {todosOf, type TaskView} from '../../../src/tasks/task-view.ts';
import {randomInputs} from '../../support/random-inputs.ts';

const items = (ids: string): readonly JsonObject[] => ids.split('').map(id => ({'1': id, '2': `T${id}`}));
const todos = (ids: string): readonly JsonObject[] => ids.split('').map(id => ({id, title: `T${id}`}));

const call = (payload: Json): JsonObject => ({tool_call: {tool_call_id: 'c', server: {payload}}});
const result = (payload: Json): JsonObject => ({tool_call_result: {server: {serialized_result: payload}}});
const list = (pending: string, completed = ''): JsonObject => ({'1': items(pending), '2': items(completed)});
const snapshot = (pending: string, completed = ''): JsonObject => ({
  server_event: {payload: {'2': list(pending, completed)}},
});
const clear = call('WgA=');
const mark = (...ids: readonly string[]): JsonObject => call({'9': {'1': ids}});
const create = (ids: string): JsonObject => ({update_todos: {create_todo_list: {initial_todos: todos(ids)}}});
const pend = (ids: string): JsonObject => ({update_todos: {update_pending_todos: {updated_pending_todos: todos(ids)}}});
const complete = (...ids: readonly string[]): JsonObject => ({update_todos: {mark_todos_completed: {todo_ids: ids}}});

const add = (id: string, ...bodies: readonly JsonObject[]): JsonObject => ({
  add_messages_to_task: {task_id: 't', messages: bodies.map(body => ({id, ...body}))},
});
const update = (id: string, body: JsonObject, ...mask: readonly string[]): JsonObject => ({
  update_task_message: {task_id: 't', message: {id, ...body}, mask: {paths: mask}},
});
const append = (id: string, body: JsonObject, ...mask: readonly string[]): JsonObject => ({
  append_to_message_content: {task_id: 't', message: {id, ...body}, mask: {paths: mask}},
});
const begin: JsonObject = {begin_transaction: {}};
const commit: JsonObject = {commit_transaction: {}};
const rollback: JsonObject = {rollback_transaction: {}};
const start: JsonObject = {init: {conversation_id: 'c'}};

function viewOf(actions: readonly JsonObject[]): TaskView {
  const log = makeTaskLog();
  for (const action of actions) {
    const read = readEventJson(action);
    if (read.tag === 'failed') throw new Error(read.error);
    for (const event of read.value) log.applyEvent(event);
  }
  return log.view;
}

/** `+a >b -c`: completed, running, pending, in display order. */
const shown = (view: TaskView): string =>
  todosOf(view)
    .map(todo => `${todo.status === 'completed' ? '+' : todo.status === 'in_progress' ? '>' : '-'}${todo.id}`)
    .join(' ');

describe('payloads in their places', () => {
  test.each<[string, readonly JsonObject[], string]>([
    [
      'the seed’s four steps',
      [add('1', clear), add('2', snapshot('ab')), update('3', mark('a')), update('4', snapshot('b', 'a'))],
      '+a -b',
    ],
    ['with the mark still there', [add('1', clear), add('2', snapshot('ab')), update('3', mark('a'))], '>a -b'],
    ['several marks', [add('1', snapshot('abc')), add('2', mark('a', 'c'))], '>a -b >c'],
    ['a mark of an id that is not there', [add('1', snapshot('a')), add('2', mark('x'))], '-a'],
    ['a result of 9', [add('1', snapshot('ab')), add('2', result({'9': {'1': list('b', 'a')}}))], '+a -b'],
    ['a result of 11', [add('1', result({'11': {'1': list('ab')}}))], '-a -b'],
    ['one that cannot be read', [add('1', snapshot('a')), add('2', call('%'))], '-a'],
    [
      'items without ids are each their own',
      [
        add('1', snapshot('a')),
        add('2', {server_event: {payload: {'2': {'1': [{'2': 'x'}, {'2': 'y'}]}}}}),
        add('3', mark('')),
      ],
      '- -',
    ],
    ['a result as base64', [add('1', result('WgcKBQoDCgFh'))], '-a'],
    [
      'what says nothing of todos',
      [add('1', snapshot('a')), add('2', call('IgIQAQ==')), add('3', {agent_output: {text: 'x'}})],
      '-a',
    ],
    [
      'several messages in one action',
      [{add_messages_to_task: {messages: [clear, snapshot('ab'), mark('b')]}}],
      '-a >b',
    ],
    [
      'messages of a task that is created',
      [{create_task: {task: {id: 't', messages: [{id: '1', ...snapshot('a')}]}}}],
      '-a',
    ],
    [
      'messages put in place of others',
      [{move_messages_to_new_task: {replacement_messages: [{id: '1', ...snapshot('a')}]}}],
      '-a',
    ],
  ])('%s', (_name, actions, expected) => {
    expect(shown(viewOf(actions))).toBe(expected);
  });

  test('payloads without events around them', () => {
    const log = makeTaskLog();
    for (const text of ['WgA=', 'EgoKCAoBYRIDT25l', 'SgMKAWE=']) log.applyPayload(readPayloadField(text, 'anywhere'));
    expect(todosOf(log.view)).toEqual([{id: 'a', title: 'One', description: '', status: 'in_progress'}]);
  });
});

describe('public operations', () => {
  test.each<[string, readonly JsonObject[], string]>([
    ['a list is created', [add('1', create('ab'))], '-a -b'],
    ['another one takes its place', [add('1', create('ab')), add('2', create('cd'))], '-c -d'],
    ['with nothing completed', [add('1', create('ab')), add('2', complete('a')), add('3', create('ac'))], '-a -c'],
    ['items are completed, in this order', [add('1', create('abc')), add('2', complete('c', 'a'))], '+c +a -b'],
    ['one after the other', [add('1', create('abc')), add('2', complete('b')), add('3', complete('a'))], '+b +a -c'],
    ['ids that are not there', [add('1', create('a')), add('2', complete('x', 'a', 'a'))], '+a'],
    ['without a list', [add('1', complete('a'))], ''],
    [
      'pending items are replaced',
      [add('1', create('abc')), add('2', complete('a')), add('3', pend('db'))],
      '+a -d -b',
    ],
    ['pending items without a list', [add('1', pend('a'))], '-a'],
    [
      'a completed item does not come back',
      [add('1', create('ab')), add('2', complete('a')), add('3', pend('ab'))],
      '+a -b',
    ],
    ['a mark ends with its item', [add('1', create('ab')), add('2', mark('a')), add('3', complete('a'))], '+a -b'],
  ])('%s', (_name, actions, expected) => {
    expect(shown(viewOf(actions))).toBe(expected);
  });
});

describe('a message applies once', () => {
  const done = [add('1', create('ab')), add('2', complete('a'))];
  test.each<[string, readonly JsonObject[], string]>([
    ['added again', [...done, add('1', create('ab'))], '+a -b'],
    ['updated', [...done, update('1', create('ab'))], '+a -b'],
    ['updated with a mask', [...done, update('1', create('ab'), 'update_todos')], '+a -b'],
    ['appended to', [...done, append('1', create('ab'), 'update_todos')], '+a -b'],
    [
      'an old snapshot again',
      [add('1', snapshot('ab')), add('2', snapshot('b', 'a')), update('1', snapshot('ab'))],
      '+a -b',
    ],
    ['an old clearing again', [add('1', clear), add('2', snapshot('a')), update('1', clear)], '-a'],
    [
      'an old mark again',
      [
        add('1', snapshot('ab')),
        add('2', mark('a')),
        add('3', clear),
        add('4', snapshot('ab')),
        update('2', mark('a')),
      ],
      '-a -b',
    ],
    [
      'a list that grows is the same list',
      [add('1', create('a')), add('2', complete('a')), update('1', create('ab'))],
      '+a -b',
    ],
    [
      'a list of before does not come back',
      [add('1', create('a')), add('2', create('c')), update('1', create('ab'))],
      '-c',
    ],
    [
      'a completion that grows',
      [add('1', create('abc')), add('2', complete('b')), update('2', complete('b', 'a'))],
      '+b +a -c',
    ],
    ['a snapshot that has changed', [add('1', snapshot('ab')), update('1', snapshot('b', 'a'))], '+a -b'],
    [
      'a message that is not known is added, whatever the mask',
      [update('1', create('ab'), 'agent_output.text')],
      '-a -b',
    ],
    [
      'of a known one only what the mask names',
      [add('1', create('ab')), update('1', create('c'), 'agent_output.text')],
      '-a -b',
    ],
    ['nothing is appended to what is not known', [append('9', create('ab'), 'update_todos')], ''],
    [
      'messages without an id are each their own',
      [add('', create('ab')), add('', complete('a')), add('', create('ab'))],
      '-a -b',
    ],
  ])('%s', (_name, actions, expected) => {
    expect(shown(viewOf(actions))).toBe(expected);
  });
});

describe('transactions', () => {
  const before = add('1', snapshot('ab'));
  test.each<[string, readonly JsonObject[], string]>([
    ['kept', [before, begin, add('2', mark('a')), commit], '>a -b'],
    ['kept, and then nothing to go back to', [before, begin, add('2', mark('a')), commit, rollback], '>a -b'],
    ['rolled back', [before, begin, add('2', snapshot('c')), rollback], '-a -b'],
    ['rolled back and sent again', [before, begin, add('2', mark('a')), rollback, add('2', mark('a'))], '>a -b'],
    [
      'a list that was begun in it',
      [add('1', create('a')), begin, add('2', create('x')), rollback, update('1', create('ab'))],
      '-a -b',
    ],
    ['one in another', [before, begin, add('2', mark('a')), begin, add('3', clear), rollback, commit], '>a -b'],
    ['both', [before, begin, add('2', mark('a')), begin, add('3', clear), rollback, rollback], '-a -b'],
    ['an end without a beginning', [before, rollback, commit], '-a -b'],
    ['not ended', [before, begin, add('2', mark('a'))], '>a -b'],
    ['ended by the next stream', [before, begin, add('2', mark('a')), start, rollback], '>a -b'],
    [
      'very many',
      [
        before,
        ...Array.from({length: 500}, () => begin),
        add('2', clear),
        ...Array.from({length: 500}, () => rollback),
      ],
      '-a -b',
    ],
  ])('%s', (_name, actions, expected) => {
    expect(shown(viewOf(actions))).toBe(expected);
  });
});

const bodies = fc.constantFrom(
  clear,
  snapshot('ab'),
  snapshot('b', 'a'),
  mark('a'),
  create('abc'),
  pend('c'),
  complete('b', 'a'),
);
const messages = fc.tuple(fc.nat({max: 3}), bodies).map(([id, body]) => ({id: `m${id}`, body}));
const steps = fc.array(messages, {maxLength: 12});

test('what is sent twice through any action is as if it were sent once', () => {
  const ways = fc.constantFrom(add, update, append);
  fc.assert(
    fc.property(fc.array(fc.tuple(messages, ways), {maxLength: 12}), sent => {
      const once = sent.map(([{id, body}]) => add(id, body));
      const twice = sent.flatMap(([{id, body}, again]) => [add(id, body), again(id, body)]);
      expect(viewOf(twice)).toEqual(viewOf(once));
    }),
    {numRuns: randomInputs(500)},
  );
});

test('a transaction that is rolled back is as if it had not been', () => {
  fc.assert(
    fc.property(steps, steps, steps, (first, undone, last) => {
      const sent = (part: typeof first): readonly JsonObject[] => part.map(({id, body}) => add(id, body));
      expect(viewOf([...sent(first), begin, ...sent(undone), rollback, ...sent(last)])).toEqual(
        viewOf([...sent(first), ...sent(last)]),
      );
    }),
    {numRuns: randomInputs(500)},
  );
});

test('ids are distinct, completed ones come first, and marks lie on pending ones', () => {
  fc.assert(
    fc.property(steps, sent => {
      const all = todosOf(viewOf(sent.map(({id, body}) => add(id, body))));
      expect(new Set(all.map(({id}) => id)).size).toBe(all.length);
      const open = all.findIndex(({status}) => status !== 'completed');
      expect(open < 0 || all.slice(open).every(({status}) => status !== 'completed')).toBe(true);
    }),
  );
});
