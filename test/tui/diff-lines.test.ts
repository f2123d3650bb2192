import {cachedDiffLines, changeTitle, diffLines, foldLines, pageOf} from '../../src/tui/scrollback/diff-lines.ts';
import type {Role} from '../../src/tui/theme/palette.ts';
import * as fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import type {FileDiff} from '../../src/actions/preview.ts';
import {loadGrammar} from '../../src/tui/scrollback/syntax/highlight.ts';
import {cellWidth} from '../../src/tui/text/cell-width.ts';
import {themeOf} from '../../src/tui/theme/theme.ts';

const file: FileDiff = {
  path: 'src/a.ts',
  before: 'x',
  after: 'y',
  added: 1,
  removed: 1,
  movedFrom: undefined,
  notes: [],
  hunks: [
    {
      oldStart: 9,
      newStart: 9,
      lines: [
        {kind: 'context', text: 'keep', changed: []},
        {kind: 'removed', text: 'old\u001B[2J', changed: []},
        {kind: 'added', text: 'new and long enough to wrap', changed: []},
      ],
    },
  ],
};

const change = (path: string, lines: FileDiff['hunks'][number]['lines']): FileDiff => ({
  ...file,
  path,
  hunks: [{oldStart: 1, newStart: 1, lines}],
});

describe('diffLines', () => {
  test('numbers, signs, wrapped lines and visible controls', () => {
    expect(
      diffLines([file], {maxLines: 99, shown: 'all', long: 'clipped', home: ''}, {theme: themeOf('plain'), width: 24}),
    ).toEqual([' 9   keep', '10 - old^[[2J', '10 + new and long ↩', '       enough to wrap']);
  });

  test('colour marks what is added and removed', () => {
    // A text without a grammar: code keeps its own colours once its grammar has been read, here or in another test.
    const text = change('notes.txt', structuredClone(file.hunks[0]?.lines ?? []));
    const lines = diffLines(
      [text],
      {maxLines: 99, shown: 'all', long: 'clipped', home: ''},
      {theme: themeOf('color'), width: 60},
    );
    expect(lines[1]).toBe('\u001B[2m2\u001B[22m\u001B[31m -\u001B[39m \u001B[31mold^[[2J\u001B[39m');
  });

  const form = {maxLines: 99, shown: 'all', long: 'clipped', home: ''} as const;
  const dark = themeOf({theme: 'dark', level: 'truecolor', links: 'shown', background: 'unknown'}, 'dark');

  test('several files have headings, with ~ for the home', () => {
    const lines = [{kind: 'added', text: 'x', changed: []}] as const;
    const files = [change('/home/u/notes.txt', lines), change('a.txt', lines)];
    const headings = diffLines(files, {...form, home: '/home/u'}, {theme: themeOf('plain'), width: 40}).filter(line =>
      line.startsWith('Edit'),
    );
    expect(headings).toEqual([expect.stringMatching(/^Edit ~\/notes\.txt /u), expect.stringMatching(/^Edit a\.txt /u)]);
  });

  test('changed words stand out, other code keeps its colours on the ground of the line', async () => {
    await loadGrammar('typescript');
    const lines = [
      {kind: 'removed', text: 'let a = "x";', changed: [{from: 8, to: 11}]},
      {kind: 'added', text: 'let a = "\u{1F600}";', changed: [{from: 8, to: 12}]},
      {kind: 'context', text: 'return 1;', changed: []},
    ] as const;
    const on = (role: 'added-line' | 'removed-line', inner: Role | 'none', text: string): string =>
      dark.style(inner === 'none' ? [role] : [role, inner], text);
    expect(diffLines([change('a.ts', lines)], form, {theme: dark, width: 60})).toEqual([
      `${dark.style(['dim'], '1')}${on('removed-line', 'removed', ' - ')}${on('removed-line', 'syntax-keyword', 'let')}${on('removed-line', 'none', ' a ')}${on('removed-line', 'none', '= ')}${on('removed-line', 'removed-word', '"x"')}${on('removed-line', 'none', ';')}${on('removed-line', 'none', ' '.repeat(44))}`,
      `${dark.style(['dim'], '1')}${on('added-line', 'added', ' + ')}${on('added-line', 'syntax-keyword', 'let')}${on('added-line', 'none', ' a ')}${on('added-line', 'none', '= ')}${on('added-line', 'added-word', '"\u{1F600}"')}${on('added-line', 'none', ';')}${on('added-line', 'none', ' '.repeat(43))}`,
      `${dark.style(['dim'], '2')}${dark.style(['dim'], '  ')} ${dark.style(['syntax-keyword'], 'return')} ${dark.style(['syntax-number'], '1')};`,
    ]);
    expect(diffLines([change('a.ts', lines)], form, {theme: themeOf('plain'), width: 60})).toEqual([
      '1 - let a = "x";',
      '1 + let a = "\u{1F600}";',
      '2   return 1;',
    ]);
  });

  test('the band of a line goes on under its mark and its indent, and blanks around changed words have no mark', () => {
    const lines = [{kind: 'added', text: '  old words ', changed: [{from: 5, to: 12}]}] as const;
    const on = (role: Role, text: string): string => dark.style(['added-line', role], text);
    const ground = (cells: number): string => dark.style(['added-line'], ' '.repeat(cells));
    expect(diffLines([change('a.txt', lines)], form, {theme: dark, width: 14})).toEqual([
      `${dark.style(['dim'], '1')}${on('added', ' + ')}${on('added', '  old')}${on('dim', ' ↩')}${ground(3)}`,
      `${dark.style(['dim'], ' ')}${on('added', '   ')}${on('added-word', 'words')}${on('added', ' ')}${ground(4)}`,
    ]);
  });

  test('a row that goes on has a mark, and never ends inside ../', () => {
    const text = 'cp ../one-project/a ../../other-project/b && rm ../../../third-project/c';
    const lines = [{kind: 'added', text, changed: []}] as const;
    for (let width = 20; width < 70; width++) {
      const rows = diffLines([change('a.sh', lines)], form, {theme: themeOf('plain'), width}).map((row, at) =>
        row.slice(at === 0 ? 4 : 4 + Math.min(2, Math.max(0, width - 20))),
      );
      expect(rows.map(row => row.replace(/↩$/u, '')).join('')).toBe(text);
      expect(rows.slice(0, -1).every(row => row.endsWith('↩') && !/(?:^|[^.])\.{1,2}↩$/u.test(row))).toBe(true);
    }
  });

  test('a very long line is clipped around its change, or whole where that is asked for', () => {
    const text = `${'a'.repeat(1000)}NEW${'b'.repeat(1000)}`;
    const lines = [{kind: 'added', text, changed: [{from: 1000, to: 1003}]}] as const;
    const clipped = diffLines([change('a.min.js', lines)], form, {theme: themeOf('plain'), width: 40});
    expect(clipped).toHaveLength(6);
    expect(clipped.join('').replaceAll(/\s+|↩/gu, '')).toMatch(
      /^1\+…982charactersnotshown…a{18}NEWb+…913charactersnotshown…$/u,
    );
    const whole = diffLines(
      [change('a.min.js', lines)],
      {...form, long: 'whole'},
      {theme: themeOf('plain'), width: 40},
    );
    expect(whole.join('').replaceAll(/[^ab]/gu, '')).toBe(text.replace('NEW', ''));
  });

  test('no line is wider than the frame, and none steers the terminal', () => {
    const part = fc.constantFrom('a', 'word ', '日本', '\t', '\u001B[2J', '\u202E', '\u{1F600}', '"', '/*', '\r');
    const text = fc.array(part, {maxLength: 60}).map(parts => parts.join(''));
    const ranges = fc
      .uniqueArray(fc.nat({max: 100}), {maxLength: 6})
      .map(edges => edges.toSorted((a, b) => a - b))
      .map(edges => edges.slice(1).flatMap((to, at) => (at % 2 === 0 ? [{from: edges[at] ?? 0, to}] : [])));
    const kind = fc.constantFrom('added' as const, 'removed' as const, 'context' as const);
    const line = fc.record({kind, text, changed: ranges}).map(one => ({
      ...one,
      changed: one.changed.flatMap(({from, to}) =>
        from < one.text.length ? [{from, to: Math.min(to, one.text.length)}] : [],
      ),
    }));
    fc.assert(
      fc.property(fc.array(line, {maxLength: 8}), fc.integer({min: 12, max: 50}), (lines, width) => {
        const one = change('a.ts', lines);
        const shown = diffLines([one], form, {theme: themeOf('plain'), width});
        for (const row of shown) {
          expect(cellWidth(row)).toBeLessThanOrEqual(width);
          // oxlint-disable-next-line no-control-regex -- control characters are looked for
          expect(row).not.toMatch(/[\u0000-\u001F\u202E]/u);
        }
        const coloured = diffLines([change('a.ts', lines)], form, {theme: dark, width});
        // oxlint-disable-next-line no-control-regex -- SGR begins with ESC
        const bare = coloured.map(row => row.replaceAll(/\u001B\[[\d;]*m/gu, '').trimEnd());
        expect(bare).toEqual(shown.map(row => row.trimEnd()));
      }),
    );
  });

  test('what is too long is folded in the middle', () => {
    expect(foldLines(['1', '2', '3', '4', '5', '6'], 4, {theme: themeOf('plain'), width: 60})).toEqual([
      '1',
      '2',
      '  … 3 lines not shown',
      '6',
    ]);
  });
});

test('what is kept of a layout is the one that is asked for: by width, theme, form, and colours that come later', async () => {
  const swift = [{...file, path: 'a.swift', hunks: file.hunks.map(hunk => ({...hunk, lines: [...hunk.lines]}))}];
  const all = {maxLines: 99, shown: 'all', long: 'clipped', home: ''} as const;
  const colour = themeOf('color');
  const ways = [
    [all, {theme: colour, width: 60}],
    [all, {theme: colour, width: 24}],
    [all, {theme: themeOf('plain'), width: 24}],
    [
      {...all, shown: 'changes'},
      {theme: colour, width: 60},
    ],
  ] as const;
  for (const [form, frame] of [...ways, ...ways]) {
    const lines = cachedDiffLines(swift, form, frame);
    expect(lines).toEqual(diffLines(swift, form, frame));
    expect(cachedDiffLines(swift, form, {...frame})).toBe(lines);
  }
  const before = cachedDiffLines(swift, all, {theme: colour, width: 60});
  await loadGrammar('swift');
  const after = cachedDiffLines(swift, all, {theme: colour, width: 60});
  expect(after).not.toEqual(before);
  expect(after).toEqual(diffLines(swift, all, {theme: colour, width: 60}));
});

test('several kinds of changes are edits, and a page of one row has no place', () => {
  const theme = themeOf('plain');
  const made = {...file, path: 'b.ts', before: 'absent'};
  const titles = [[made], [made, made], [file, made], [made, file]].map(files =>
    changeTitle(files, {cells: 60, home: ''}),
  );
  expect(titles.map(title => title.split(' ')[0])).toEqual(['Create', 'Create', 'Edit', 'Edit']);
  expect(pageOf(['a', 'b', 'c'], {top: 1, rows: 1}, {theme, width: 40})).toEqual(['b']);
  expect(pageOf(['a', 'b', 'c'], {top: 9, rows: 2}, {theme, width: 40})).toEqual(['c', ' 3–3 of 3 lines · PgUp PgDn']);
});
