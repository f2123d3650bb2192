import * as fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {cellWidth} from '../../src/tui/text/cell-width.ts';
import {themeOf} from '../../src/tui/theme/theme.ts';
import {commandRows, fitRows} from '../../src/tui/scrollback/command-rows.ts';
import {processorClock} from '../support/processor-clock.ts';

const frame = {theme: themeOf('plain'), width: 39};
const all = {room: Number.POSITIVE_INFINITY, signs: 'with', frame} as const;
const shown = (command: string, marked = ''): readonly string[] => {
  const from = command.indexOf(marked);
  const marks = marked === '' ? [] : [{from, to: from + marked.length}];
  return fitRows(commandRows(command, {highlights: marks, criticalRanges: []}, frame), all);
};

describe('a command to the letter', () => {
  test.each<[string, string, string, readonly string[]]>([
    ['as it is', 'ls -l', '', ['  ls -l']],
    ['marked', 'a && rm x', 'rm x', ['! a && rm x', '       ^^^^']],
    ['all of it marked', 'rm x', 'rm x', ['! rm x']],
    ['a mark over two lines', 'a; rm \\\n x; b', 'rm \\\n x', ['! a; rm \\', '     ^^^^', '!  x; b', '  ^^']],
    [
      'bidi, zero width, tags',
      'a\u202Eb\u2066c\u200Bd\uFEFFe\u{E0041}f',
      '',
      ['  a\\u{202e}b\\u{2066}c\\u{200b}d\\u{feff}↩', '    e\\u{e0041}f'],
    ],
    ['variation selectors, spaces that are none', 'a\uFE0Fb\u00A0c\u3000d', '', ['  a\\u{fe0f}b\\xa0c\\u{3000}d']],
    ['control characters', 'a\u001B[2Kb\rc\u0000', '', ['  a^[[2Kb^Mc^@']],
    ['a blank stretch', `a${' '.repeat(200)}b`, '', ['  a[200 blanks]b']],
    ['tabs are blanks', `a${'\t'.repeat(50)}b`, '', ['  a[200 blanks]b']],
    ['a marked blank stretch', `a${' '.repeat(200)}b`, ' '.repeat(200), ['! a[200 blanks]b', '   ^^^^^^^^^^^^']],
    ['empty lines', `a${'\n'.repeat(80)}b`, '', ['  a', '  [79 empty lines]', '  b']],
    ['empty lines with blanks', `a\n ${'\n \n'.repeat(9)}b`, '', ['  a', '  [18 empty lines]', '  b']],
    ['line feeds at the end', 'a\n\n', '', ['  a']],
    [
      'between words',
      'cd build && git push --force origin main && rm -rf node_modules/.cache ../other-project',
      '',
      ['  cd build && git push --force origin ', '    main && rm -rf node_modules/.cache ', '    ../other-project'],
    ],
    [
      'one sign for one command',
      'cd build && rm -rf node_modules/.cache ../other-project && git push --force origin main',
      'node_modules/.cache ../other-project',
      [
        '! cd build && rm -rf ',
        '    node_modules/.cache ',
        '    ^^^^^^^^^^^^^^^^^^^^',
        '    ../other-project && git push ',
        '    ^^^^^^^^^^^^^^^^',
        '    --force origin main',
      ],
    ],
    [
      'after operators without blanks',
      'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa&&bbb|cc',
      '',
      ['  aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa&&', '    bbb|cc'],
    ],
    [
      'a long path, after a slash',
      `rm ${'a'.repeat(15)}/${'b'.repeat(15)}/${'c'.repeat(9)}`,
      '',
      ['  rm ', `    ${'a'.repeat(15)}/${'b'.repeat(15)}/↩`, `    ${'c'.repeat(9)}`],
    ],
    ['never inside ../', `${'a'.repeat(34)}../b`, '', [`  ${'a'.repeat(34)}↩`, '    ../b']],
    ['wide characters', '日本 rm', 'rm', ['! 日本 rm', '       ^^']],
  ])('%s', (_title, command, marked, rows) => {
    expect(shown(command, marked)).toEqual(rows);
  });

  test('what does not fit is hidden, the marked parts last', () => {
    const padding = 'echo fine\n'.repeat(50);
    const command = `${padding}curl x | sh\n${padding}rm -rf ~\n${padding}`;
    const highlights = ['curl x | sh', 'rm -rf ~'].map(part => ({
      from: command.indexOf(part),
      to: command.indexOf(part) + part.length,
    }));
    const rows = commandRows(command, {highlights, criticalRanges: []}, frame);
    expect(fitRows(rows, {room: 6, signs: 'with', frame})).toEqual([
      '  echo fine',
      '  … 49 more lines · v',
      '! curl x | sh',
      '  … 50 more lines · v',
      '! rm -rf ~',
      '  … 50 more lines · v',
    ]);
    expect(fitRows(rows, {room: 3, signs: 'with', frame})).toEqual([
      '  … 50 more lines · v',
      '! curl x | sh',
      '  … 101 more lines, 1 marked · v',
    ]);
  });

  test('no stretch of text makes a line too wide, a card too long, or a marked part unseen', () => {
    const text = fc.string({
      unit: fc.constantFrom('a', ' ', '\n', '日', '\u202E', 'rm x', '\t', '\u0301'),
      maxLength: 300,
    });
    fc.assert(
      fc.property(text, text, text, fc.integer({min: 3, max: 20}), (before, marked, after, room) => {
        const command = before + marked + after;
        const marks = [{from: before.length, to: before.length + marked.length}];
        const rows = commandRows(command, {highlights: marks, criticalRanges: []}, frame);
        const lines = fitRows(rows, {room, signs: 'with', frame});
        expect(lines.length).toBeLessThanOrEqual(room);
        expect(Math.max(...lines.map(cellWidth))).toBeLessThanOrEqual(frame.width);
        if (marked.trim() !== '') expect(lines.some(line => line.trimStart().startsWith('!'))).toBe(true);
      }),
    );
  });

  test('every word that fits on a row stays whole, and nothing is lost', () => {
    const command = fc.string({
      unit: fc.constantFrom('a', ' ', '../', '/', 'some-word', '&&', '|', ';', '日'),
      maxLength: 60,
    });
    fc.assert(
      fc.property(command, fc.integer({min: 12, max: 40}), (text, width) => {
        const rows = commandRows(text, {highlights: [], criticalRanges: []}, {...frame, width}).map(
          ({text: row}) => row,
        );
        const isBroken = rows.map(row => row.endsWith('↩'));
        const bare = rows.map(row => row.replace(/↩$/u, ''));
        expect(bare.join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''));
        for (const [at, row] of bare.entries()) {
          if (isBroken[at] !== true) continue;
          expect(row).not.toContain(' ');
          expect(row.slice(-1) + (bare[at + 1] ?? '').slice(0, 1)).not.toMatch(/^\.[./]$/u);
        }
      }),
    );
  });

  test('a command of a megabyte is laid out in well under a second', () => {
    const command = 'echo padding && '.repeat(65_536);
    const spentMs = processorClock();
    expect(
      fitRows(commandRows(command, {highlights: [{from: 500_000, to: 500_100}], criticalRanges: []}, frame), {
        ...all,
        room: 9,
      }),
    ).toHaveLength(9);
    expect(spentMs()).toBeLessThan(3000);
  });
});
