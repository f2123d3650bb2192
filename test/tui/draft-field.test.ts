import * as fc from 'fast-check';
import headless from '@xterm/headless';
import {describe, expect, test} from 'vitest';
import {
  applyEditKey,
  type Draft,
  draftFromText,
  emptyDraft,
  moveByRow,
  pasteText,
  rowsOfLine,
  typeText,
} from '../../src/tui/editor/draft.ts';
import type {KeyName} from '../../src/tui/terminal/keymap.ts';
import {boundaryAfter, lineEnd, lineStart} from '../../src/tui/editor/text-buffer.ts';
import {cellWidth, stripStyles} from '../../src/tui/text/cell-width.ts';
import {themeOf} from '../../src/tui/theme/theme.ts';
import {draftLayout} from '../../src/tui/components/draft-field.tsx';
import {randomInputs} from '../support/random-inputs.ts';

const frame = (width: number) => ({theme: themeOf('plain'), width});
const view = (draft: Draft, width = 20, rows = 8) =>
  draftLayout(draft, {rows, frame: frame(width), hint: 'write', selection: 'none'});
const placed = (draft: Draft, cursor: number): Draft => ({...draft, buffer: {...draft.buffer, cursor}});

describe('the draft on screen', () => {
  test('only rows around the cursor are shown, the cursor on the last of them', () => {
    const draft = draftFromText(Array.from({length: 30}, (_, at) => `line ${at}`).join('\n'));
    expect(view(draft, 20, 3)).toEqual({lines: ['  line 27', '  line 28', '  line 29'], cursor: {x: 9, y: 2}});
  });

  test.each<readonly [string, string, readonly string[]]>([
    ['a word goes to the next row whole', 'charge the cart charges', ['› charge the cart ', '  charges']],
    ['a blank behind a full row stays there', 'twelve letters tog ether', ['› twelve letters ', '  tog ether']],
    ['a blank fits behind a full row', '12345678901234567 b', ['› 12345678901234567 ', '  b']],
    ['a blank at the end opens a row', '12345678901234567 ', ['› 12345678901234567 ', '  ']],
    ['a word longer than a row breaks at the edge', 'see 123456789012345678', ['› see ', '  12345678901234567', '  8']],
    ['other letters wrap alike', 'prüfe den Warenkorb jetzt', ['› prüfe den ', '  Warenkorb jetzt']],
    ['a tab that does not fit starts a row', 'größer als zwölf\tx', ['› größer als zwölf', '      x']],
  ])('%s', (_name, text, lines) => {
    expect(view(draftFromText(text)).lines).toEqual(lines);
  });

  test('a word goes to the next row with the paste in it', () => {
    const draft = pasteText(draftFromText('look at this:'), 'x\n'.repeat(20));
    expect(view(draft, 38).lines).toEqual(['› look at this:[pasted 20 lines]']);
    expect(view(draft, 30).lines).toEqual(['› look at ', '  this:[pasted 20 lines]']);
  });

  const drafts = fc
    .array(
      fc.constantFrom(
        'a',
        'word',
        'longer-than-any',
        ' ',
        ' ',
        '  ',
        '\t',
        '\n',
        '日本',
        'e\u0301',
        '👩‍👩‍👧',
        '🇩🇪',
        'ก็',
        'שלום',
      ),
      {maxLength: 30},
    )
    .map(parts => draftFromText(parts.join('')));
  const wide = fc.integer({min: 4, max: 24});

  test('rows hold the whole draft, fit, and split no word that fits a row', () => {
    fc.assert(
      fc.property(drafts, wide, (draft, width) => {
        const {text} = draft.buffer;
        for (let from = 0; from <= text.length; from = lineEnd(text, from) + 1) {
          const line = text.slice(from, lineEnd(text, from));
          const rows = rowsOfLine(draft, from, width);
          expect(rows.map(row => text.slice(row.from, row.to)).join('')).toBe(line);
          expect(rows.map(row => row.text).join('')).toBe(line.replaceAll('\t', '    '));
          for (const row of rows)
            expect(cellWidth(row.text)).toBeLessThanOrEqual(width + (row.text.endsWith(' ') ? 1 : 0));
          const starts = new Set(rows.map(row => row.from - from));
          for (const {0: word, index} of line.matchAll(/[^ \t]+/gu)) {
            if (cellWidth(word) > width) continue;
            for (let inside = index + 1; inside < index + word.length; inside++) expect(starts).not.toContain(inside);
          }
        }
      }),
      {numRuns: randomInputs(500)},
    );
  });

  test('the cursor is on a visible cell at every place, and up then down comes back', () => {
    fc.assert(
      fc.property(drafts, wide, (draft, width) => {
        const {text} = draft.buffer;
        const cellAt = (from: Draft) => view(from, width + 3, 100).cursor;
        for (
          let cursor = 0;
          cursor <= text.length;
          cursor = boundaryAfter(text, cursor) + (text[cursor] === '\n' ? 1 : 0)
        ) {
          const cell = cellAt(placed(draft, cursor));
          expect(cell.x).toBeLessThanOrEqual(width + 2);
          expect(cell.y).toBeLessThan(view(draft, width + 3, 100).lines.length);
          for (const [there, back] of [
            ['up', 'down'],
            ['down', 'up'],
          ] as const) {
            const moved = moveByRow(placed(draft, cursor), {direction: there, width, goal: 'none'});
            if (moved === undefined) continue;
            expect(cellAt(moved.draft).y).toBe(cell.y + (there === 'up' ? -1 : 1));
            const again = moveByRow(moved.draft, {direction: back, width, goal: moved.goal});
            expect(again === undefined ? 'nowhere' : cellAt(again.draft)).toEqual(cell);
          }
          if (cursor === text.length) break;
        }
      }),
      {numRuns: randomInputs(300)},
    );
  });

  test('a selection that begins on the next row marks nothing behind this one', () => {
    const theme = themeOf('color');
    const draft = draftFromText('charge the cart charges');
    const {lines} = draftLayout(draft, {
      rows: 8,
      frame: {theme, width: 20},
      hint: '',
      selection: {from: 16, to: 23},
    });
    expect(lines.map(stripStyles)).toEqual(['› charge the cart ', '  charges']);
  });

  // A search for a blank back to the start of the line takes a minute here.
  test('a line of 5 MB without a blank is laid out in one pass', () => {
    const draft = draftFromText('a'.repeat(5_000_000));
    expect(rowsOfLine(draft, 0, 50)).toHaveLength(100_000);
  }, 10_000);

  test('a wide character is never split by the edge', () => {
    expect(view(draftFromText('1234567890123456日本'))).toEqual({
      lines: ['› 1234567890123456', '  日本'],
      cursor: {x: 6, y: 1},
    });
  });

  test('up and down keep the column where rows are shorter', () => {
    const draft = draftFromText('a long first line\nx\nlong again');
    const up = moveByRow(draft, {direction: 'up', width: 40, goal: 'none'});
    const twice = up && moveByRow(up.draft, {direction: 'up', width: 40, goal: up.goal});
    expect(twice?.draft.buffer.cursor).toBe(10);
  });

  test('after any edits the cursor is on the cell where the emulator has the place', async () => {
    // Emoji are left out: the emulator has the widths of Unicode 6 and knows no clusters.
    const pieces = ['a', ' ', '\n', '日', '한', '\u1112\u1161\u11AB', '\u0301', 'ก็', 'שלום', '\t'];
    const names: readonly KeyName[] = [
      ...([
        'left',
        'right',
        'word-left',
        'word-right',
        'line-start',
        'line-end',
        'delete-left',
        'delete-right',
      ] as const),
      ...(['delete-word', 'delete-word-right', 'delete-to-start', 'delete-to-end', 'newline'] as const),
    ];
    type Edit = (draft: Draft) => Draft;
    const edits: readonly Edit[] = [
      ...pieces.map(
        (piece): Edit =>
          draft =>
            typeText(draft, piece),
      ),
      ...pieces.map(
        (piece): Edit =>
          draft =>
            typeText(draft, piece),
      ),
      ...names.map(
        (name): Edit =>
          draft =>
            applyEditKey(draft, name) ?? draft,
      ),
      ...(['up', 'down'] as const).map(
        (direction): Edit =>
          draft =>
            moveByRow(draft, {direction, width: 17, goal: 'none'})?.draft ?? draft,
      ),
      draft => pasteText(draft, 'x\n'.repeat(20)),
    ];
    const terminal = new headless.Terminal({cols: 200, rows: 12, allowProposedApi: true});
    const write = (text: string): Promise<void> => new Promise(resolve => terminal.write(text, resolve));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...edits), {minLength: 50, maxLength: 50}), async steps => {
        let draft = emptyDraft;
        for (const step of steps) {
          draft = step(draft);
          const {lines, cursor} = view(draft);
          expect(cursor.y).toBeLessThan(lines.length);
          // The row, written up to the place of the cursor alone, ends in the same column.
          const {text, cursor: place} = draft.buffer;
          const start = rowsOfLine(draft, lineStart(text, place), 17).findLast(({from}) => from <= place)?.from ?? 0;
          const before = view({...draft, buffer: {text: text.slice(start, place), cursor: place - start}});
          const isJoined = /^[\p{Mark}\u1160-\u11FF]/u.test(text.slice(place));
          if (place === 0 || isJoined || cursor.x === 2) continue;
          await write(`\u001Bc${before.lines[0] ?? ''}`);
          expect({text, x: cursor.x}).toEqual({text, x: terminal.buffer.active.cursorX});
        }
      }),
      {numRuns: randomInputs(100)},
    );
  }, 20_000);
});
