import {describe, expect, test} from 'vitest';
import {reflowOf, rowsAfterReflow} from '../../src/tui/text/reflow.ts';

const region = {lines: ['a'.repeat(50), '', '> draft', 'b'.repeat(70)], cursor: {x: 7, y: 2}};
const there = 'there' as const;

describe('a live region after its terminal became narrower', () => {
  test.each([
    ['wrapped rows above the cursor are gone up over', {reflow: 'wrapped', below: there}, '\u001B[3A\r\u001B[J\n\n'],
    ['and those below it, where the cursor was moved', {reflow: 'adrift', below: there}, '\u001B[5A\r\u001B[J\n\n'],
    ['unless they may be gone', {reflow: 'adrift', below: 'perhaps-gone'}, '\u001B[3A\r\u001B[J\n\n'],
    ['what is cut is as high as before', {reflow: 'cut', below: there}, ''],
  ] as const)('%s', (_title, how, written) => {
    expect(rowsAfterReflow(region, 30, how)).toBe(written);
  });

  test('nothing is written where all fits', () => {
    expect(rowsAfterReflow(region, 75, {reflow: 'adrift', below: there})).toBe('');
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
