import {describe, expect, test} from 'vitest';
import {reflowOf, rowsUp} from '../../src/tui/terminal/reflow.ts';

const region = {lines: ['a'.repeat(50), '', '› draft', 'b'.repeat(70)], cursor: {x: 7, y: 2}};
const there = 'there' as const;

describe('a live region after its terminal became narrower', () => {
  test.each([
    ['wrapped rows above the cursor are gone up over', {reflow: 'wrapped', below: there}, 3],
    ['and those below it, where the cursor was moved', {reflow: 'adrift', below: there}, 5],
    ['unless they may be gone', {reflow: 'adrift', below: 'uncertain'}, 3],
    ['what is cut is as high as before', {reflow: 'cut', below: there}, 2],
  ] as const)('%s', (_title, how, up) => {
    expect(rowsUp(region, 30, how)).toBe(up);
  });

  test('all rows are there once where all fits', () => {
    expect(rowsUp(region, 75, {reflow: 'adrift', below: there})).toBe(2);
  });
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
