import * as fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {todoId} from '../../../src/domain/ids.ts';
import type {Todo, TodoStatus} from '../../../src/domain/todo.ts';
import {readTodosLine, writeTodosLine} from '../../../src/tasks/todo-lines.ts';

const todo = (id: string, status: TodoStatus, title = `Title ${id}`): Todo => ({
  id: todoId(id),
  title,
  description: '',
  status,
});

describe('a line with a list', () => {
  test('is read as it was written, in display order', () => {
    const list = [todo('a', 'completed'), todo('b', 'in_progress'), todo('c', 'pending')];
    expect(readTodosLine(writeTodosLine(list), [])).toEqual({tag: 'ok', value: list});
    expect(readTodosLine(writeTodosLine(list.toReversed()), [])).toEqual({
      tag: 'ok',
      value: [todo('a', 'completed'), todo('c', 'pending'), todo('b', 'in_progress')],
    });
  });

  test('loses its cancelled todos', () => {
    const read = readTodosLine(writeTodosLine([todo('a', 'cancelled'), todo('b', 'pending')]), []);
    expect(read).toEqual({tag: 'ok', value: [todo('b', 'pending')]});
  });

  test('may leave out everything but titles; ids are those of equal titles before', () => {
    const written = JSON.stringify({todos: [{title: 'Read'}, {title: 'Edit'}, {title: 'Edit', id: 'todo-1'}]});
    expect(readTodosLine(written, [todo('r', 'completed', 'Read')])).toEqual({
      tag: 'ok',
      value: [todo('r', 'pending', 'Read'), todo('todo-2', 'pending', 'Edit'), todo('todo-1', 'pending', 'Edit')],
    });
  });

  test.each([
    ['{"todos":[', /^not JSON: /u],
    ['[]', 'not a list: {"todos":[…]} is expected'],
    ['null', 'not a list: {"todos":[…]} is expected'],
    ['{"todos":{}}', 'not a list: {"todos":[…]} is expected'],
    ['{"todos":[1]}', 'todos[0]: not an object'],
    ['{"todos":[{"title":"A"},{"id":"x"}]}', 'todos[1]: the title is missing'],
    ['{"todos":[{"title":7}]}', 'todos[0]: the title is not a string'],
    ['{"todos":[{"title":"A","id":7}]}', 'todos[0]: the id is not a text'],
    ['{"todos":[{"title":"A","description":{}}]}', 'todos[0]: the description is not a text'],
    [
      '{"todos":[{"title":"A","status":"toString"}]}',
      'todos[0]: the status is none of pending, in_progress, completed, cancelled',
    ],
    ['{"todos":[{"title":"A","id":"x"},{"title":"B","id":"x"}]}', 'two todos have the id "x"'],
  ])('%s is told', (line, message) => {
    const error: unknown = typeof message === 'string' ? message : expect.stringMatching(message);
    expect(readTodosLine(line, [])).toEqual({tag: 'failed', error});
  });

  test('any text comes to a list or a complaint, and ids are distinct', () => {
    const jsonish = fc.oneof(
      fc.string(),
      fc.json(),
      fc.json().map(json => `{"todos":[${json}]}`),
      lists,
    );
    fc.assert(
      fc.property(jsonish, lists, (line, earlier) => {
        const before = readTodosLine(earlier, []);
        const read = readTodosLine(line, before.tag === 'ok' ? before.value : []);
        if (read.tag === 'failed') return;
        expect(new Set(read.value.map(({id}) => id)).size).toBe(read.value.length);
        expect(readTodosLine(writeTodosLine(read.value), [])).toEqual(read);
      }),
    );
  });
});

const lists = fc
  .array(
    fc.record(
      {
        title: fc.constantFrom('A', 'B', '\ud800'),
        id: fc.constantFrom('a', 'b', 'todo-1', ''),
        status: fc.constantFrom('pending', 'in_progress', 'completed', 'cancelled'),
      },
      {requiredKeys: ['title']},
    ),
    {maxLength: 5},
  )
  .map(todos => JSON.stringify({todos}));
