import * as fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {cellWidth} from '../../src/tui/text/cell-width.ts';
import {wrapCode} from '../../src/tui/text/wrap.ts';
import {themeOf} from '../../src/tui/theme/theme.ts';

const theme = themeOf('plain');
const rowsOf = (text: string, width: number, mark = ''): readonly string[] =>
  wrapCode([{text, roles: []}], {theme, width}, {mark, roles: []});

describe('wrapCode', () => {
  test.each([
    [
      'between words',
      '  return Math.round(item.cents * item.quantity * bulkRate);',
      50,
      ['  return Math.round(item.cents * item.quantity * ', '    bulkRate);'],
    ],
    [
      'after punctuation',
      '  return Math.round(item.cents * item.quantity);',
      26,
      ['  return Math.round(item.', '    cents * ', '    item.quantity);'],
    ],
    [
      'before a path begins, never inside ../',
      'cat ../../packages/one/.git/config',
      20,
      ['cat ../../packages/', '  one/.git/config'],
    ],
    [
      'inside a word that is longer than a row',
      `  ${'a'.repeat(30)}`,
      20,
      [`  ${'a'.repeat(18)}`, `    ${'a'.repeat(12)}`],
    ],
    ['after a deep indent', ' '.repeat(30) + 'discountFor(x)', 40, [' '.repeat(30), ' '.repeat(24) + 'discountFor(x)']],
  ] as const)('a line breaks %s', (_case, text, width, rows) => {
    expect(rowsOf(text, width)).toEqual(rows);
  });

  const part = fc.constantFrom(
    'item',
    'cents',
    'discountFor',
    '日本',
    ' ',
    '  ',
    '.',
    ', ',
    '(',
    ');',
    ' * ',
    '=>',
    '../',
    '"',
    '--',
    ' 1.5 ',
    '.git',
  );
  const line = fc
    .tuple(fc.nat({max: 30}), fc.array(part, {maxLength: 40}))
    .map(([indent, parts]) => ' '.repeat(indent) + parts.join(''));

  test.each(['', '↩'])(
    'no row is too wide, no word that fits is split, and nothing is lost, with the mark %j',
    mark => {
      fc.assert(
        fc.property(line, fc.integer({min: 12, max: 60}), (text, width) => {
          const rows = rowsOf(text, width, mark);
          const hang = Math.max(0, Math.min(text.search(/[^ ]/u) + 2, width - 16));
          const parts = rows.map((row, at) => {
            expect(cellWidth(row)).toBeLessThanOrEqual(width);
            expect(row.slice(0, at === 0 ? 0 : hang).trim()).toBe('');
            if (at < rows.length - 1) expect(row.endsWith(mark)).toBe(true);
            return row.slice(at === 0 ? 0 : hang, at === rows.length - 1 ? undefined : row.length - mark.length);
          });
          expect(parts.join('')).toBe(text);
          let end = 0;
          for (const one of parts.slice(0, -1)) {
            end += one.length;
            // Punctuation stays at its word if it can't end a row.
            const before = /[^\p{L}\p{N} ]*[\p{L}\p{N}]*$/u.exec(text.slice(0, end))?.[0] ?? '';
            const after = /^[\p{L}\p{N}]*[^\p{L}\p{N} ]*/u.exec(text.slice(end))?.[0] ?? '';
            if (/\p{L}$/u.test(before) && /^\p{L}/u.test(after))
              expect(cellWidth(before + after + mark)).toBeGreaterThan(width - hang);
            expect(`${text.slice(0, end).slice(-2)}|${text.slice(end, end + 3)}`).not.toMatch(
              /^\.\|\.\/|^[^.]?\.\|\.\/|\.\.\|\//u,
            );
          }
        }),
      );
    },
  );
});
