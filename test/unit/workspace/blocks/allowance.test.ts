import {expect, test} from 'vitest';
import {makeAllowance} from '../../../../src/workspace/blocks/allowance.ts';

const megabyte = 1024 * 1024;

test('much at once is free, what comes on top has to wait, and a second earns a megabyte', () => {
  let now = 0;
  const allowance = makeAllowance(() => now);
  const spend = (bytes: number): number => allowance.spend(bytes);
  expect(spend(8 * megabyte)).toBe(0);
  expect(spend(megabyte / 32)).toBe(31.25);
  expect(spend(8 * megabyte)).toBe(100);
  now = 60_000;
  expect([spend(8 * megabyte), spend(1) > 0]).toEqual([0, true]);
});
