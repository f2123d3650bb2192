import {afterEach, describe, expect, test} from 'vitest';
import {todoId} from '../../src/domain/ids.ts';
import type {Todo, TodoList, TodoStatus} from '../../src/domain/todo.ts';
import {framesFor} from '../../src/tasks/update-list.ts';
import {todoRows} from '../../src/tui/state/select.ts';
import {accepted, finished} from './support/events.ts';
import {opening} from './support/scripted-engine.ts';
import {leaveStages, start} from './support/stage.ts';

afterEach(leaveStages);

const statuses: Readonly<Record<string, TodoStatus>> = {'+': 'completed', '>': 'in_progress', '-': 'pending'};

/** `+++>----`: one todo for each mark, `step 1` first. */
const list = (marks: string): TodoList =>
  marks.split('').map((mark, at): Todo => {
    const name = `${at + 1}`;
    return {id: todoId(name), title: `step ${name}.`, description: '', status: statuses[mark] ?? 'pending'};
  });

describe('the rows around what runs', () => {
  test.each([
    ['>----', 5, '1 2 3 4 5'],
    ['>-------', 5, '1 2 3 4 5'],
    ['+++>------', 5, '3 4 5 6 7'],
    ['+++++++++>', 5, '6 7 8 9 10'],
    ['+++++++>--', 5, '6 7 8 9 10'],
    ['+++-------', 5, '3 4 5 6 7'],
    ['---->-', 5, '2 3 4 5 6'],
    ['>->->->->->', 5, '1 3 5 7 9'],
    ['+++>------', 1, '4'],
    ['+++>------', 2, '4 5'],
    ['+++>------', 3, '3 4 5'],
    ['+++>------', 0, ''],
    ['++++', 5, ''],
    ['', 5, ''],
  ])('%s in %i rows: %s', (marks, rows, expected) => {
    const {shown, done, all} = todoRows(list(marks), rows);
    const doneMarks = marks.split('').filter(mark => mark === '+').length;
    expect([shown.map(({id}) => id).join(' '), done, all]).toEqual([expected, doneMarks, marks.length]);
  });
});

const framed = (before: string, after: string) =>
  ({event: 'todos-framed', frames: framesFor(list(before), list(after))}) as const;

describe('the panel on a screen', () => {
  test('shows five rows, counts the rest, collapses when all is done and goes with the prompt', async () => {
    const {screen, engine} = await start();
    engine.emit(accepted('do it'), framed('', '+++>----'));
    await screen.until(
      /Todos 3 of 8 done, 3 not shown\n {2}✓ step 3\.\n {2}● step 4\.\n {2}○ step 5\.\n {2}○ step 6\.\n {2}○ step 7\.\n(?! *○)/u,
    );
    engine.emit(framed('+++>----', '++++++++'));
    await screen.until(/Todos 8 of 8 done\n(?! {2}[✓●○])/u);
    engine.emit(finished({kind: 'done'}));
    await screen.until(/^(?![^]*Todos)[^]*Ask for something/u);
  });

  test('is there again in a resumed session', async () => {
    const {screen, engine} = await start();
    engine.emit({
      ...opening,
      session: {...opening.session, origin: 'resumed'},
      todoFrames: framesFor([], list('+>-')),
    });
    await screen.until(/Todos 1 of 3 done\n {2}✓ step 1\.\n {2}● step 2\.\n {2}○ step 3\./u);
  });

  test('survives a smaller and a larger screen, each row once', async () => {
    const {screen, engine} = await start([80, 24]);
    engine.emit(accepted('do it'), framed('', '+++>----'));
    await screen.until(/Todos 3 of 8 done/u);
    for (const [columns, rows] of [
      [30, 10],
      [12, 8],
      [120, 40],
    ] as const) {
      screen.resize(columns, rows);
      // oxlint-disable-next-line no-await-in-loop -- one size after the other
      await screen.until(/● step 4/u);
      // oxlint-disable-next-line no-await-in-loop -- one size after the other
      const shown = (await screen.rows()).filter(row => row.includes('● step 4'));
      expect(shown).toHaveLength(1);
    }
    await screen.until(/Todos 3 of 8 done, 3 not shown\n {2}✓ step 3\.\n {2}● step 4\./u);
  });
});
