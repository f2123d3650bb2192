import * as fc from 'fast-check';
import headless from '@xterm/headless';
import {describe, expect, test} from 'vitest';
import {blank, paint, type Painted} from '../../../src/tui/fullscreen/paint.ts';
import {randomInputs} from '../../support/random-inputs.ts';

const columns = 24;

/** A terminal's rows and cursor after these bytes. */
async function shownBy(bytes: string, rows: number): Promise<Painted> {
  const terminal = new headless.Terminal({cols: columns, rows, scrollback: 0, allowProposedApi: true});
  await new Promise<void>(resolve => terminal.write(`\u001B[?1049h\u001B[2J\u001B[H${bytes}`, resolve));
  const {active} = terminal.buffer;
  return {
    rows: Array.from({length: rows}, (_, at) => active.getLine(at)?.translateToString(true) ?? ''),
    cursor: {x: active.cursorX, y: active.cursorY},
  };
}

const line = fc.stringMatching(/^[a-c]{0,3}$/u);
const screens = fc.integer({min: 2, max: 9}).chain(rows =>
  fc.record({
    rows: fc.constant(rows),
    scrolling: fc.integer({min: 0, max: rows}),
    steps: fc.array(
      fc.record({
        rows: fc.array(line, {minLength: rows, maxLength: rows}),
        cursor: fc.record({x: fc.integer({min: 0, max: columns - 1}), y: fc.integer({min: 0, max: rows - 1})}),
      }),
      {minLength: 1, maxLength: 5},
    ),
  }),
);

describe('paint', () => {
  test('whatever stood there, the terminal shows what it should', async () => {
    await fc.assert(
      fc.asyncProperty(screens, async ({rows, scrolling, steps}) => {
        let before = blank(rows);
        let bytes = '';
        for (const step of steps) {
          bytes += paint(before, step, scrolling);
          before = step;
        }
        expect(await shownBy(bytes, rows)).toEqual(before);
      }),
      {numRuns: randomInputs(300)},
    );
  });

  test('the same screen writes nothing', () => {
    const screen: Painted = {rows: ['a', 'b'], cursor: {x: 1, y: 1}};
    expect(paint(screen, {rows: ['a', 'b'], cursor: {x: 1, y: 1}}, 2)).toBe('');
  });

  test('one changed row writes that row', () => {
    const before: Painted = {rows: ['one', 'two', 'three'], cursor: {x: 0, y: 2}};
    const after: Painted = {rows: ['one', 'zwei', 'three'], cursor: {x: 0, y: 2}};
    expect(paint(before, after, 2)).toBe('\u001B[?25l\u001B[2;1Hzwei\u001B[K\u001B[3;1H\u001B[?25h');
  });

  test('text that moves up is moved by the terminal, and only the new row is written', () => {
    const rows = Array.from({length: 20}, (_, at) => `a longer line of text with number ${at}`);
    const before: Painted = {rows: [...rows.slice(0, 19), 'status'], cursor: {x: 0, y: 19}};
    const after: Painted = {rows: [...rows.slice(1, 20), 'status'], cursor: {x: 0, y: 19}};
    const bytes = paint(before, after, 19);
    expect(bytes).toContain('number 19');
    expect(bytes).not.toContain('number 18');
    expect(bytes.length).toBeLessThan(100);
  });
});
