import {describe, expect, test} from 'vitest';
import type {FileDiff} from '../../src/actions/preview.ts';
import {themeOf} from '../../src/tui/theme/theme.ts';
import {diffLines, folded} from '../../src/tui/views/diff-lines.ts';

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
        {kind: 'context', text: 'keep'},
        {kind: 'removed', text: 'old\u001B[2J'},
        {kind: 'added', text: 'new and long enough to wrap'},
      ],
    },
  ],
};

describe('diffLines', () => {
  test('numbers, signs, wrapped lines and visible controls', () => {
    expect(diffLines([file], {most: 99, shown: 'all'}, {theme: themeOf('plain'), width: 24})).toEqual([
      ' 9   keep',
      '10 - old^[[2J',
      '10 + new and long enough',
      '      to wrap',
    ]);
  });

  test('colour marks what is added and removed', () => {
    const lines = diffLines([file], {most: 99, shown: 'all'}, {theme: themeOf('colour'), width: 60});
    expect(lines[1]).toBe('\u001B[2m10\u001B[22m\u001B[31m - old^[[2J\u001B[39m');
  });

  test('what is too long is folded in the middle', () => {
    expect(folded(['1', '2', '3', '4', '5', '6'], 4, {theme: themeOf('plain'), width: 60})).toEqual([
      '1',
      '2',
      '  … 3 lines not shown',
      '6',
    ]);
  });
});
