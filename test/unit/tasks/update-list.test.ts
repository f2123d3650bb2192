import * as fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import type {TodoEntry} from '../../../src/actions/ports.ts';
import {todoId, type TodoId} from '../../../src/domain/ids.ts';
import type {TodoList, TodoStatus} from '../../../src/domain/todo.ts';
import {decodePayload} from '../../../src/protocol/task/payload.ts';
import {applyTaskFrames, emptyTaskView, todosOf} from '../../../src/tasks/task-view.ts';
import {framesFor, framesOfUpdate, isOpen, type ListWrite, updateList} from '../../../src/tasks/update-list.ts';
import {randomInputs} from '../../support/random-inputs.ts';

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

describe('what a model writes over its list', () => {
  test.each([
    ['a first list gets new ids', '', '>=Read -=Edit', '>n1=Read -n2=Edit'],
    ['equal titles keep their ids', '-a=Read -b=Edit', '+=Read >=Edit', '+a=Read >b=Edit'],
    ['even under other ids', '-a=Read', '>1=Read', '>a=Read'],
    ['a named id is kept whatever the title', '-a=Read', '>a=Look', '>a=Look'],
    ['a named id that is not known is taken', '-a=Read', '-=Read -z=Edit', '-a=Read -z=Edit'],
    ['a title comes before an id', '-a=Read', '-=Read -a=Other', '-a=Read -n1=Other'],
    ['an id with its own title before both', '-a=Same -b=Same', '>=Same -a=Same', '>b=Same -a=Same'],
    ['an id named twice is used once', '-a=Read', '-a=One -a=Two', '-a=One -n1=Two'],
    ['equal titles take different ids', '-a=Same -b=Same', '-=Same -=Same -=Same', '-a=Same -b=Same -n1=Same'],
    ['an id that a model chose is not made again', '', '-n1=Mine -=Other', '-n1=Mine -n1-2=Other'],
    ['nor is one of the old list', '-n1=Old', '-=New -=Old', '-n1-2=New -n1=Old'],
    ['completed entries move to the front', '', '-=A +=B >=C +=D', '+n2=B +n4=D -n1=A >n3=C'],
    ['in order of completion', '+b=B -a=A -c=C', '+=A +=B +=C', '+b=B +a=A +c=C'],
    ['cancelled entries leave, by id', '-a=A -b=B', 'xa=Any >=B', '>b=B'],
    ['or by title', '-a=A -b=B', 'x=A >=B', '>b=B'],
    ['one of two with the same title', '-a=A -b=A', '-=A x=A', '-a=A'],
    ['a cancelled entry that is not known does nothing', '-a=A', 'x=Z -=A', '-a=A'],
    ['completed todos can be dropped too', '+a=A -b=B', 'x=A -=B', '-b=B'],
    ['open todos that are left out stay, behind', '-a=A >b=B -c=C', '>=C', '>c=C -a=A -b=B'],
    ['completed ones that are left out stay, in front', '+a=A >b=B', '+=B >=C', '+a=A +b=B >n1=C'],
    ['an empty list takes what is completed', '+a=A', '', ''],
    ['and leaves what is open', '+a=A >b=B', '', '-b=B'],
  ])('%s', (_name, current, next, expected) => {
    expect(shown(write(current, next).todos)).toBe(expected);
  });

  test.each([
    ['all done before: the old task is archived', '+a=A +b=B', '>=C', '>n1=C', 'earlier-task'],
    ['what is repeated of it stays, under its id', '+a=A +b=B', '+=A >=C', '+a=A >n1=C', 'earlier-task'],
    ['nothing in common: what is open is carried on', '+a=A -b=B', '>=C', '>n1=C -b=B', 'earlier-task'],
    ['ids that are only counted say nothing', '+1=A -2=B', '>1=C -2=D', '>n1=C -n2=D -2=B', 'earlier-task'],
    ['something in common: the task goes on', '+a=A -b=B', '>=B -=C', '+a=A >b=B -n1=C', 'nothing'],
    ['nothing there yet', '', '>=C', '>n1=C', 'nothing'],
    ['only open ones there', '-a=A', '>=C', '>n1=C -a=A', 'nothing'],
    ['all of it repeated', '+a=A', '+=A >=B', '+a=A >n1=B', 'nothing'],
  ])('the first list of a prompt, %s', (_name, current, next, expected, archived) => {
    const update = write(current, next, 'first-of-prompt');
    expect([shown(update.todos), update.archived]).toEqual([expected, archived]);
  });

  test('what was kept although it was left out is told', () => {
    expect(shown(write('+a=A >b=B -c=C', '-=C').keptOpen)).toBe('-b=B');
    expect(write('+a=A >b=B -c=C', '-=C x=B').keptOpen).toEqual([]);
  });

  test('text that UTF-8 cannot carry is mended, so that every view shows the same', () => {
    const entry: TodoEntry = {id: todoId('a\udc00'), title: 'T\ud800', description: '\ud800', status: 'pending'};
    const {todos} = updateList([], {entries: [entry], moment: 'later'}, counter());
    expect(todos).toEqual([{id: 'a\ufffd', title: 'T\ufffd', description: '\ufffd', status: 'pending'}]);
    expect(todosOf(applyTaskFrames(emptyTaskView, framesFor([], todos)))).toEqual(todos);
  });

  test('ten thousand entries take no time that grows with their square', () => {
    const many = Array.from({length: 10_000}, (_, at) => `-t${at}=T${at}`).join(' ');
    expect(updateList(list(many), {entries: entries(many), moment: 'later'}, counter()).todos).toHaveLength(10_000);
  }, 2000);
});

const write = (current: string, next: string, moment: ListWrite['moment'] = 'later'): ReturnType<typeof updateList> =>
  updateList(list(current), {entries: entries(next), moment}, counter());

const kinds = (before: string, after: string): readonly string[] => kindsOf(framesFor(list(before), list(after)));

const kindsOf = (frames: readonly Uint8Array[]): readonly string[] =>
  frames.map(frame => {
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

  test('an archived task ends with 11, and the new one begins after it', () => {
    const before = list('+a=A -b=B');
    const frames = framesOfUpdate(before, write('+a=A -b=B', '>=C', 'first-of-prompt'));
    expect(kindsOf(frames)).toEqual(['cleared', 'snapshot', 'running']);
  });

  test('from the view of any list they lead to exactly the next one', () => {
    fc.assert(
      fc.property(fc.array(writes, {maxLength: 8}), sent => {
        const newId = counter();
        let current: TodoList = [];
        let view = emptyTaskView;
        for (const next of sent) {
          const update = updateList(current, next, newId);
          view = applyTaskFrames(view, framesOfUpdate(current, update));
          expect(todosOf(view)).toEqual(update.todos);
          current = update.todos;
        }
      }),
      {numRuns: randomInputs(500)},
    );
  });

  test('ids are distinct, entries are there, and no open todo is lost that was not dropped', () => {
    fc.assert(
      fc.property(writes, writes, (first, second) => {
        const newId = counter();
        const before = updateList([], first, newId).todos;
        const after = updateList(before, second, newId).todos;
        expect(new Set(after.map(todo => todo.id)).size).toBe(after.length);
        const titles = titlesOf(after);
        for (const entry of second.entries) {
          if (entry.status !== 'cancelled') expect(titles).toContain(entry.title.toWellFormed());
        }
        const entryCount = second.entries.filter(({status}) => status !== 'cancelled').length;
        expect(after.length).toBeGreaterThanOrEqual(entryCount);
        const ids = new Set(after.map(({id}) => id));
        const lost = before.filter(todo => isOpen(todo) && !ids.has(todo.id));
        const dropped = second.entries.filter(({status}) => status === 'cancelled');
        for (const todo of lost)
          expect(dropped.some(({id, title}) => id === todo.id || title === todo.title)).toBe(true);
      }),
      {numRuns: randomInputs(500)},
    );
  });
});

const titlesOf = (todos: TodoList): readonly string[] => todos.map(({title}) => title);

/** Few ids and titles, so that they clash; now and then any text. */
const writes: fc.Arbitrary<ListWrite> = fc.record({
  entries: fc.array(
    fc.record({
      id: fc.option(fc.constantFrom('a', 'b', 'n1', 'n2', '').map(todoId), {nil: undefined}),
      title: fc.oneof(fc.constantFrom('A', 'B', 'C'), fc.string({unit: 'binary'})),
      description: fc.constantFrom('', 'Doing it'),
      status: fc.constantFrom<TodoStatus>('pending', 'in_progress', 'completed', 'cancelled'),
    }),
    {maxLength: 6},
  ),
  moment: fc.constantFrom('first-of-prompt', 'later'),
});
