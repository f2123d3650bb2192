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
  typeText,
} from '../../src/tui/editor/draft.ts';
import type {KeyName} from '../../src/tui/terminal/keymap.ts';
import {themeOf} from '../../src/tui/theme/theme.ts';
import {draftLayout} from '../../src/tui/components/draft-field.tsx';
import {randomInputs} from '../support/random-inputs.ts';

const frame = (width: number) => ({theme: themeOf('plain'), width});
const view = (draft: Draft, width = 20, rows = 8) =>
  draftLayout(draft, {rows, frame: frame(width), hint: 'write', selection: 'none'});

describe('the draft on screen', () => {
  test('only rows around the cursor are shown, the cursor on the last of them', () => {
    const draft = draftFromText(Array.from({length: 30}, (_, at) => `line ${at}`).join('\n'));
    expect(view(draft, 20, 3)).toEqual({lines: ['  line 27', '  line 28', '  line 29'], cursor: {x: 9, y: 2}});
  });

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
          // The same row, written up to the place of the cursor alone, ends in the same column.
          const {text} = draft.buffer;
          const before = view({
            ...draft,
            buffer: {text: text.slice(0, draft.buffer.cursor), cursor: draft.buffer.cursor},
          });
          const isJoined = /^[\p{Mark}\u1160-\u11FF]/u.test(text.slice(draft.buffer.cursor));
          if (draft.buffer.cursor === 0 || isJoined || cursor.x === 2) continue;
          await write(`\u001Bc${before.lines[before.cursor.y] ?? ''}`);
          expect({text, x: cursor.x}).toEqual({text, x: terminal.buffer.active.cursorX});
        }
      }),
      {numRuns: randomInputs(100)},
    );
  }, 20_000);
});
