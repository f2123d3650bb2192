import {expect, test} from 'vitest';
import {reflowOf, rowsUp} from '../../src/tui/terminal/reflow.ts';

const region = {lines: ['a'.repeat(50), '', '› draft', 'b'.repeat(70)], cursor: {x: 7, y: 2}};

test.each([
  [30, 3],
  [75, 2],
  [6, 11],
] as const)('a live region in a terminal made %i columns wide begins %i rows above the cursor', (columns, up) => {
  expect(rowsUp(region, columns)).toBe(up);
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
