import {expect, test} from 'vitest';
import {cellAbove, linesOfRows, reflowOf, rowsUp} from '../../src/tui/terminal/reflow.ts';

const region = {lines: ['a'.repeat(50), '', '› draft', 'b'.repeat(70)], cursor: {x: 7, y: 2}};

test.each([
  [30, 3],
  [75, 2],
  [6, 11],
] as const)('a live region in a terminal made %i columns wide begins %i rows above the cursor', (columns, up) => {
  expect(rowsUp(region, columns)).toBe(up);
});

test.each([
  [0, []],
  [1, ['a'.repeat(30)]],
  [2, ['a'.repeat(50)]],
  [4, ['a'.repeat(50), '', '› draft']],
  [5, ['a'.repeat(50), '', '› draft', 'b'.repeat(30)]],
  [9, region.lines],
] as const)('the first %i rows at 30 columns', (rows, lines) => {
  expect(linesOfRows(region.lines, rows, 30, 'wrapped')).toEqual(lines);
});

test.each([
  [1, {x: 60, y: 3}],
  [3, {x: 0, y: 3}],
  [4, {x: 0, y: 2}],
  [6, {x: 30, y: 0}],
] as const)('the cell %i rows above the end at 30 columns', (rows, cell) => {
  expect(cellAbove({lines: region.lines, cursor: {x: 0, y: 4}}, rows, 30)).toEqual(cell);
});

test.each([
  ['0;276;0', 'adrift'],
  ['41;390;0', 'cut'],
  ['83;40900;0', 'cut'],
  ['0;136;0', 'cut'],
  ['84;0;0', 'wrapped'],
  ['65;7600;1', 'wrapped'],
  ['', 'wrapped'],
] as const)('a terminal that says %j has its lines %s', (attributes, reflow) => {
  expect(reflowOf(attributes)).toBe(reflow);
});
