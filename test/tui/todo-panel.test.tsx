import * as fc from 'fast-check';
import {afterEach, describe, expect, test} from 'vitest';
import {todoId} from '../../src/domain/ids.ts';
import type {Todo, TodoList, TodoStatus} from '../../src/domain/todo.ts';
import {framesFor} from '../../src/tasks/update-list.ts';
import {TodoPanel} from '../../src/tui/components/todo-panel.tsx';
import {drawn} from './support/drawn.ts';
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

const panel = (marks: string, rows: number, width = 60): readonly string[] =>
  drawn(<TodoPanel todos={list(marks)} times={new Map([[todoId('4'), 6000]])} width={width} rows={rows} />);

describe('the panel', () => {
  test.each([
    ['+>-', 4, ['  Todos ███░░░░░░░ 1/3', '  ✓ step 1.', '  ● step 2.', '  ○ step 3.']],
    [
      '+++>----',
      7,
      [
        '  Todos ███░░░░░░░ 3/8',
        '  ✓ step 1.',
        '  ✓ step 2.',
        '  ✓ step 3.',
        '  ● step 4. · 6 s',
        '  ○ step 5.',
        '  ↓ 3 more',
      ],
    ],
    [
      '+++>----',
      6,
      ['  Todos ███░░░░░░░ 3/8', '  ↑ 2 more', '  ✓ step 3.', '  ● step 4. · 6 s', '  ○ step 5.', '  ↓ 3 more'],
    ],
    ['+++>----', 4, ['  Todos ███░░░░░░░ 3/8', '  ↑ 3 more', '  ● step 4. · 6 s', '  ↓ 4 more']],
    ['+++>----', 3, ['  Todos ███░░░░░░░ 3/8', '  ● step 4. · 6 s']],
    ['+++>----', 2, ['  Todos ███░░░░░░░ 3/8', '  ● step 4. · 6 s']],
    ['+++>----', 1, ['  Todos ███░░░░░░░ 3/8 · step 4.']],
    ['+++++++', 4, ['  Todos ██████████ 7/7']],
    ['+++++++>', 4, ['  Todos ████████░░ 7/8', '  ↑ 6 more', '  ✓ step 7.', '  ● step 8.']],
    ['---', 4, ['  Todos ░░░░░░░░░░ 0/3', '  ○ step 1.', '  ○ step 2.', '  ○ step 3.']],
    ['', 4, ['']],
    ['>', 0, ['']],
  ])('%s on %i rows', (marks, rows, lines) => {
    expect(panel(marks, rows)).toEqual(lines);
  });

  test('whatever its size, the list shows its current todo and fits', () => {
    fc.assert(
      fc.property(fc.nat(30), fc.nat(30), fc.integer({min: 2, max: 12}), (before, after, rows) => {
        const lines = panel(`${'+'.repeat(before)}>${'-'.repeat(after)}`, rows);
        expect(lines.length).toBeLessThanOrEqual(rows);
        expect(lines.filter(line => line.includes(`● step ${before + 1}.`))).toHaveLength(1);
        const [up, down] = ['↑', '↓'].map(arrow =>
          Number(lines.join('\n').match(new RegExp(`${arrow} (\\d+) more`, 'u'))?.[1] ?? 0),
        );
        const shown = lines.filter(line => /step \d/u.test(line)).length;
        if (rows > 3 && lines.length > 2) expect((up ?? 0) + shown + (down ?? 0)).toBe(before + 1 + after);
      }),
      {numRuns: 60},
    );
  });
});

const framed = (before: string, after: string) =>
  ({event: 'todos-framed', frames: framesFor(list(before), list(after))}) as const;

describe('the panel on a screen', () => {
  test('shows what runs, is one line when all is done and goes with the prompt', async () => {
    const {screen, engine} = await start();
    engine.emit(accepted('do it'), framed('', '+++>----'));
    await screen.until(
      /Todos ███░+ 3\/8\n {2}✓ step 1\.\n {2}✓ step 2\.\n {2}✓ step 3\.\n {2}● step 4\.\n {2}○ step 5\.\n {2}○ step 6\.\n {2}↓ 2 more\n/u,
    );
    engine.emit(framed('+++>----', '++++++++'));
    await screen.until(/Todos █{10} 8\/8\n(?! {2}[✓●○])/u);
    engine.emit(finished({kind: 'done'}));
    await screen.until(/^(?![^]*Todos)[^]*Ask weft to do something/u);
  });

  test('goes with the prompt where nothing was marked, and stays where something is open', async () => {
    const {screen, engine} = await start();
    engine.emit(accepted('do it'), framed('', '---'));
    await screen.until(/Todos ░{10} 0\/3/u);
    engine.emit(finished({kind: 'done'}));
    await screen.until(/^(?![^]*Todos)[^]*Ask weft to do something/u);
    engine.emit(accepted('go on'), framed('---', '+--'), finished({kind: 'done'}));
    await screen.until(/Todos ███░+ 1\/3 · step 2\.[^]*Ask weft to do something/u);
  });

  test('an old list stays folded in the next prompt until it changes', async () => {
    const {screen, engine} = await start();
    engine.emit(accepted('do it'), framed('', '+>-'), finished({kind: 'done'}), accepted('something else'));
    await screen.until(/Todos ███░+ 1\/3 · step 2\.\n[^]*Working/u);
    engine.emit(framed('+>-', '++>'));
    await screen.until(/Todos ██████░+ 2\/3\n {2}✓ step 1\.\n {2}✓ step 2\.\n {2}● step 3\./u);
  });

  test('is there again in a resumed session', async () => {
    const {screen, engine} = await start();
    engine.emit({
      ...opening,
      session: {...opening.session, origin: 'resumed'},
      todoFrames: framesFor([], list('+>-')),
    });
    await screen.until(/Todos ███░+ 1\/3 · step 2\./u);
  });

  test('survives a smaller and a larger screen, each row once', async () => {
    const {screen, engine} = await start([80, 24]);
    engine.emit(accepted('do it'), framed('', '+++>----'));
    await screen.until(/Todos .* 3\/8/u);
    for (const [columns, rows] of [
      [30, 12],
      [40, 10],
      [120, 40],
    ] as const) {
      screen.resize(columns, rows);
      await screen.until(/3\/8[^]* step 4/u);
      const shown = (await screen.rows()).filter(row => row.includes('step 4'));
      expect(shown).toHaveLength(1);
    }
    await screen.until(/Todos .* 3\/8\n {2}✓ step 1\.\n[^]* {2}● step 4\./u);
  });
});
