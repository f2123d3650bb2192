import {describe, expect, test} from 'vitest';
import {todoId} from '../../src/domain/ids.ts';
import type {Todo, TodoList, TodoStatus} from '../../src/domain/todo.ts';
import {watchTodos, type TodoWatch} from '../../src/tui/watch-todos.tsx';
import {openVirtualScreen, type VirtualScreen} from '../support/virtual-screen.ts';

const statuses: Readonly<Record<string, TodoStatus>> = {'+': 'completed', '>': 'in_progress', '-': 'pending'};

const list = (marks: string): TodoList =>
  marks.split('').map((mark, at): Todo => {
    const name = `${at + 1}`;
    return {id: todoId(name), title: `step ${name}.`, description: 'at length', status: statuses[mark] ?? 'pending'};
  });

const open = (columns: number, rows: number): {readonly screen: VirtualScreen; readonly watch: TodoWatch} => {
  const screen = openVirtualScreen(columns, rows);
  return {screen, watch: watchTodos({stdin: screen.stdin, stdout: screen.stdout, look: 'plain'})};
};

describe('a list that is watched', () => {
  test('is drawn as it changes, leaves the keyboard alone, and stands there once at the end', async () => {
    const {screen, watch} = open(80, 24);
    await screen.until(/No todos\./u);
    watch.show(list('+>-'));
    await screen.until(/Todos 1 of 3 done\n {2}✓ step 1\.\n {2}● step 2\.\n {2}○ step 3\./u);
    expect(screen.rawMode()).toBe('cooked');
    watch.show(list('+++'));
    await watch.close();
    expect(await screen.everything()).toEqual(['Todos 3 of 3 done', '  ✓ step 1.', '  ✓ step 2.', '  ✓ step 3.']);
  });

  test('longer than the screen shows what runs, counts the rest, and is left whole', async () => {
    const {screen, watch} = open(40, 8);
    watch.show(list('++++++++++>---------'));
    await screen.until(/^Todos 10 of 20 done, 15 not shown\n {2}✓ step 10\.\n {2}● step 11\.\n {2}○ step 12\./u);
    screen.resize(20, 6);
    await screen.until(/Todos 10 of 20 don…\n {2}✓ step 10\.\n {2}● step 11\.\n {2}○ step 12\.\n\n/u);
    await watch.close();
    const rows = await screen.everything();
    expect(rows.filter(row => row.includes('step'))).toEqual(
      list('++++++++++>---------').map(({title}, at) => `  ${at < 10 ? '✓' : at === 10 ? '●' : '○'} ${title}`),
    );
  });
});
