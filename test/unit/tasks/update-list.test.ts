import * as fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import type {TodoEntry} from '../../../src/actions/ports.ts';
import {todoId, type TodoId} from '../../../src/domain/ids.ts';
import type {Todo, TodoList, TodoStatus} from '../../../src/domain/todo.ts';
import {decodePayload} from '../../../src/protocol/task/decode-payload.ts';
import {applyTaskFrames, emptyTaskView, todosOf} from '../../../src/tasks/task-view.ts';
import {framesFor, replaceTodos} from '../../../src/tasks/update-list.ts';

const statuses = {'+': 'completed', '>': 'in_progress', '-': 'pending', x: 'cancelled'} as const;

const statusOf = (mark: string): TodoStatus =>
  mark === '+' || mark === '>' || mark === '-' || mark === 'x' ? statuses[mark] : 'pending';

/** `+id=Title`, words apart by blanks. */
const list = (words: string): TodoList =>
  words.split(' ').flatMap(word => {
    const [id = '', title = ''] = word.slice(1).split('=');
    return word === '' ? [] : [{id: todoId(id), title, description: '', status: statusOf(word.charAt(0))}];
  });

const shown = (todos: TodoList): string =>
  todos
    .map(({id, title, status}) => {
      const mark = status === 'completed' ? '+' : status === 'in_progress' ? '>' : '-';
      return `${mark}${id}=${title}`;
    })
    .join(' ');

/** The same words; an empty id is no id. */
const entries = (words: string): readonly TodoEntry[] =>
  list(words).map(todo => ({...todo, id: todo.id === '' ? undefined : todo.id}));

const counter = (): (() => TodoId) => {
  let count = 0;
  return () => todoId(`n${(count += 1)}`);
};

describe('replacing the list', () => {
  test.each([
    ['a first list gets new ids', '', '>=Read -=Edit', '>n1=Read -n2=Edit'],
    ['equal titles keep their ids', '-a=Read -b=Edit', '+=Read >=Edit', '+a=Read >b=Edit'],
    ['a named id is kept whatever the title', '-a=Read', '>a=Look', '>a=Look'],
    ['a named id that is not known is taken', '-a=Read', '-z=Read', '-z=Read'],
    ['a named id comes before a match by title', '-a=Read', '-=Read -a=Other', '-n1=Read -a=Other'],
    ['an id named twice is used once', '-a=Read', '-a=One -a=Two', '-a=One -n1=Two'],
    ['equal titles take different ids', '-a=Same -b=Same', '-=Same -=Same -=Same', '-a=Same -b=Same -n1=Same'],
    ['an id that a model chose is not made again', '', '-n1=Mine -=Other', '-n1=Mine -n1-2=Other'],
    ['nor is one of the old list', '-n1=Old', '-=New', '-n1-2=New'],
    ['completed entries move to the front', '', '-=A +=B >=C +=D', '+n2=B +n4=D -n1=A >n3=C'],
    ['in order of completion', '+b=B -a=A -c=C', '+=A +=B +=C', '+b=B +a=A +c=C'],
    ['cancelled entries leave', '-a=A -b=B', 'xa=A >=B', '>b=B'],
    ['nothing is left of an empty list', '+a=A', '', ''],
  ])('%s', (_name, current, next, expected) => {
    expect(shown(replaceTodos(list(current), entries(next), counter()))).toBe(expected);
  });

  test('text that UTF-8 cannot carry is mended, so that every view shows the same', () => {
    const entry: TodoEntry = {id: todoId('a\udc00'), title: 'T\ud800', description: '\ud800', status: 'pending'};
    const after = replaceTodos([], [entry], counter());
    expect(after).toEqual([{id: 'a\ufffd', title: 'T\ufffd', description: '\ufffd', status: 'pending'}]);
    expect(todosOf(applyTaskFrames(emptyTaskView, framesFor([], after)))).toEqual(after);
  });
});

const kinds = (before: string, after: string): readonly string[] =>
  framesFor(list(before), list(after)).map(frame => {
    const payload = decodePayload(frame);
    return payload.tag === 'ok' ? payload.value.kind : payload.error;
  });

describe('the frames of a change', () => {
  test.each<[string, string, string, readonly string[]]>([
    ['no change', '+a=A >b=B -c=C', '+a=A >b=B -c=C', []],
    ['nothing at all', '', '', []],
    ['a first list', '', '-a=A -b=B', ['snapshot']],
    ['a first list with something running', '', '>a=A -b=B', ['snapshot', 'running']],
    ['a start', '-a=A -b=B', '>a=A -b=B', ['running']],
    ['a completion', '>a=A -b=B', '+a=A -b=B', ['snapshot']],
    ['a completion and a start', '>a=A -b=B', '+a=A >b=B', ['snapshot', 'running']],
    ['a new entry beside a running one', '>a=A', '>a=A -b=B', ['snapshot']],
    ['a stop', '>a=A -b=B', '-a=A -b=B', ['cleared', 'snapshot']],
    ['a switch', '>a=A -b=B', '-a=A >b=B', ['cleared', 'snapshot', 'running']],
    ['a removal of what runs', '>a=A -b=B', '-b=B', ['snapshot']],
    ['an end', '+a=A', '', ['cleared']],
  ])('%s', (_name, before, after, expected) => {
    expect(kinds(before, after)).toEqual(expected);
  });

  test('from the view of any list they lead to exactly the next one', () => {
    fc.assert(
      fc.property(fc.array(writes, {maxLength: 8}), sent => {
        const newId = counter();
        let current: TodoList = [];
        let view = emptyTaskView;
        for (const next of sent) {
          const after = replaceTodos(current, next, newId);
          view = applyTaskFrames(view, framesFor(current, after));
          expect(todosOf(view)).toEqual(after);
          current = after;
        }
        expect(view.unreadable).toBe(0);
      }),
      {numRuns: 500},
    );
  });

  test('ids are distinct and every entry that was not cancelled is there', () => {
    fc.assert(
      fc.property(writes, writes, (first, second) => {
        const newId = counter();
        const after = replaceTodos(replaceTodos([], first, newId), second, newId);
        expect(new Set(after.map((todo: Todo) => todo.id)).size).toBe(after.length);
        const titles = second.filter(({status}) => status !== 'cancelled').map(({title}) => title.toWellFormed());
        expect(after.map(todo => todo.title).toSorted()).toEqual(titles.toSorted());
      }),
      {numRuns: 500},
    );
  });
});

/** Few ids and titles, so that they clash; now and then any text. */
const writes: fc.Arbitrary<readonly TodoEntry[]> = fc.array(
  fc.record({
    id: fc.option(fc.constantFrom('a', 'b', 'n1', 'n2', '').map(todoId), {nil: undefined}),
    title: fc.oneof(fc.constantFrom('A', 'B', 'C'), fc.string({unit: 'binary'})),
    description: fc.constantFrom('', 'Doing it'),
    status: fc.constantFrom<TodoStatus>('pending', 'in_progress', 'completed', 'cancelled'),
  }),
  {maxLength: 6},
);
