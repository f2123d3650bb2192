import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {nextTime} from '../../../src/tasks/cron.ts';

const local = (...parts: readonly [number, number, number, number, number]): number => new Date(...parts).getTime();

test.each([
  ['0 9 * * 1-5', local(2026, 10, 20, 9, 0), local(2026, 10, 23, 9, 0)],
  ['*/15 * * * *', local(2026, 10, 23, 9, 1), local(2026, 10, 23, 9, 15)],
  ['0 0 1 1 *', local(2026, 10, 23, 9, 1), local(2027, 0, 1, 0, 0)],
  ['30 0 9 * * *', local(2026, 10, 23, 9, 0), local(2026, 10, 23, 9, 0) + 30_000],
  [' @daily ', local(2026, 10, 23, 9, 1), local(2026, 10, 24, 0, 0)],
])('%j comes next after a moment, never at it', (expression, after, next) => {
  expect(nextTime(expression, after)).toEqual({tag: 'ok', value: next});
});

test.each(['', 'soon', '61 * * * *', '0 9 * *', '* * * * * * *', '0 0 30 2 *', '2026-11-23T09:00:00'])(
  '%j is none, or never comes',
  expression => {
    expect(nextTime(expression, local(2026, 10, 23, 9, 0))).toEqual({
      tag: 'failed',
      error: expect.stringMatching(/./u),
    });
  },
);

test('whatever is given is read or refused, and what comes next comes later', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[\d*/,-]{1,5}( [\d*/,-]{1,5}){4}$/u)), expression => {
      const next = nextTime(expression, 1_795_000_000_000);
      expect(next.tag === 'failed' || next.value > 1_795_000_000_000).toBe(true);
    }),
  );
});
