import {describe, test} from 'vitest';
import type {TaskItem} from '../../../../src/domain/task-payload.ts';
import type {MessageBody} from '../../../../src/protocol/task/response-event.ts';
import {
  acts,
  add,
  append,
  begin,
  callsServer,
  cleared,
  commit,
  finished,
  init,
  item,
  preamble,
  rollback,
  running,
  serverResult,
  snapshot,
  tells,
  unreadable,
  update,
} from './event-builders.ts';
import {expectTold} from './read-answers.ts';

const todo = (content: string, status: string) => ({
  content,
  status,
  activeForm: `${status === 'completed' ? '已完成' : '执行'} ${content}`,
});
const todoWrite = (id: string, ...todos: readonly object[]) => ({id, name: 'TodoWrite', input: {todos}});

describe('todos become calls', () => {
  test('the life of a list, as the seed has it', async () => {
    await expectTold(
      [
        init,
        acts(add('p', callsServer('call_p', preamble)), add('a', callsServer('call_a', cleared))),
        acts(add('b', tells(snapshot([item('1', 'Init'), item('2', 'Check')])))),
        acts(update('c', callsServer('call_c', running('1')))),
        acts(update('b', tells(snapshot([item('2', 'Check')], [item('1', 'Init')])))),
        acts(add('d', callsServer('call_d', running('2', '3')))),
        acts(add('e', tells(snapshot([], [item('1', 'Init'), item('2', 'Check')])))),
        finished(),
      ],
      {
        text: '',
        calls: [
          todoWrite('call_a'),
          todoWrite('call_b', todo('Init', 'pending'), todo('Check', 'pending')),
          {id: 'call_c', name: 'TaskStatusUpdate', input: {task_ids: ['1'], status: 'in_progress'}},
          todoWrite('call_b_2', todo('Check', 'pending'), todo('Init', 'completed')),
          {id: 'call_d', name: 'TaskStatusUpdate', input: {task_ids: ['2', '3'], status: 'in_progress'}},
          todoWrite('call_e', todo('Init', 'completed'), todo('Check', 'completed')),
        ],
      },
    );
  });

  test('a snapshot keeps the marks of what is still pending', async () => {
    await expectTold(
      [
        acts(
          add('a', tells(snapshot([item('1', 'One'), item('2', 'Two')]))),
          add('b', callsServer('b', running('1', '2'))),
        ),
        acts(add('c', tells(snapshot([item('2', 'Two')], [item('1', 'One')])))),
        finished(),
      ],
      {
        text: '',
        calls: [
          todoWrite('call_a', todo('One', 'pending'), todo('Two', 'pending')),
          {id: 'b', name: 'TaskStatusUpdate', input: {task_ids: ['1', '2'], status: 'in_progress'}},
          todoWrite('call_c', todo('Two', 'in_progress'), todo('One', 'completed')),
        ],
      },
    );
  });

  test('results of the server are snapshots; their call id is taken by the call', async () => {
    await expectTold(
      [
        acts(add('a', callsServer('x', cleared)), add('b', serverResult('x', snapshot([item('1', 'One')])))),
        finished(),
      ],
      {
        text: '',
        calls: [todoWrite('x'), todoWrite('x_2', todo('One', 'pending'))],
      },
    );
  });

  test('a message that comes again as it was makes no call', async () => {
    const list = snapshot([item('1', 'One')]);
    await expectTold(
      [
        acts(
          add('a', tells(list)),
          update('a', tells(list)),
          append('a', tells(list)),
          add('b', callsServer('b', running('1'))),
          update('b', callsServer('b', running('1'))),
        ),
        finished(),
      ],
      {
        text: '',
        calls: [
          todoWrite('call_a', todo('One', 'pending')),
          {id: 'b', name: 'TaskStatusUpdate', input: {task_ids: ['1'], status: 'in_progress'}},
        ],
      },
    );
  });

  test('public operations: a list, its pending part, what is completed in order of completion', async () => {
    await expectTold(
      [
        acts(operate('a', {kind: 'create', todos: [item('1', 'One'), item('2', 'Two')]})),
        acts(operate('a', {kind: 'create', todos: [item('1', 'One'), item('2', 'Two')]})),
        acts(operate('b', {kind: 'mark-completed', ids: [item('2').id, item('9').id]})),
        acts(operate('c', {kind: 'mark-completed', ids: [item('9').id]})),
        acts(operate('d', {kind: 'update-pending', todos: [item('3', 'Three'), item('2', 'Two again')]})),
        acts(operate('e', {kind: 'other'})),
        finished(),
      ],
      {
        text: '',
        calls: [
          todoWrite('call_a', todo('One', 'pending'), todo('Two', 'pending')),
          todoWrite('call_b', todo('One', 'pending'), todo('Two', 'completed')),
          todoWrite('call_d', todo('Three', 'pending'), todo('Two', 'completed')),
        ],
      },
    );
  });

  test('a list that is begun again by its message is changed, not begun; one begun before it stays away', async () => {
    const created = (id: string, ...todos: readonly TaskItem[]) => operate(id, {kind: 'create', todos});
    await expectTold(
      [
        acts(
          created('a', item('1', 'One'), item('2', 'Two')),
          operate('b', {kind: 'mark-completed', ids: [item('1').id]}),
        ),
        acts(created('a', item('2', 'Two'), item('3', 'Three'))),
        acts(created('c', item('4', 'Four')), created('a', item('5', 'Five'))),
        finished(),
      ],
      {
        text: '',
        calls: [
          todoWrite('call_a', todo('One', 'pending'), todo('Two', 'pending')),
          todoWrite('call_b', todo('Two', 'pending'), todo('One', 'completed')),
          todoWrite('call_a_2', todo('Two', 'pending'), todo('Three', 'pending'), todo('One', 'completed')),
          todoWrite('call_c', todo('Four', 'pending')),
        ],
      },
    );
  });

  test('payloads that cannot be read, unknown ones and marks of nothing make no call', async () => {
    await expectTold(
      [
        acts(add('a', tells(unreadable)), add('b', callsServer('b', preamble)), add('c', callsServer('c', running()))),
        finished(),
      ],
      {text: '', calls: []},
    );
  });

  test('a title is data', async () => {
    const title = '"]}\n\ndata: [DONE]\n\n${process.exit(1)} </script> __proto__';
    await expectTold([acts(add('a', tells(snapshot([item('__proto__', title)])))), finished()], {
      text: '',
      calls: [todoWrite('call_a', todo(title, 'pending'))],
    });
  });

  test('a list that was rolled back was never told', async () => {
    await expectTold(
      [
        acts(add('a', tells(snapshot([item('1', 'One')])))),
        acts(begin, add('b', callsServer('b', cleared)), add('c', tells(snapshot([item('9', 'Wrong')]))), rollback),
        acts(begin, add('d', tells(snapshot([], [item('1', 'One')]))), commit),
        finished(),
      ],
      {text: '', calls: [todoWrite('call_a', todo('One', 'pending')), todoWrite('call_d', todo('One', 'completed'))]},
    );
  });
});

const operate = (id: string, operation: Operation) => add(id, {kind: 'update-todos', operation});

type Operation = Extract<MessageBody, {kind: 'update-todos'}>['operation'];
