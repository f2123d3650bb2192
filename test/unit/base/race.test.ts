import {describe, expect, test} from 'vitest';
import {raceAbort, raceTimeout} from '../../../src/base/race.ts';

const never = new Promise<never>(() => {});

describe('unlessAborted', () => {
  test('comes to what the promise comes to', async () => {
    const {signal} = new AbortController();
    expect(await raceAbort(Promise.resolve(7), signal)).toBe(7);
    await expect(raceAbort(Promise.reject(new Error('broke')), signal)).rejects.toThrow('broke');
  });

  test('an abort ends the wait', async () => {
    const abort = new AbortController();
    const waiting = raceAbort(never, abort.signal);
    abort.abort();
    expect(await waiting).toBe('aborted');
  });

  test('after the abort nothing is waited for, and what breaks is nobody’s', async () => {
    const signal = AbortSignal.abort();
    expect(await raceAbort(Promise.resolve(7), signal)).toBe('aborted');
    expect(await raceAbort(Promise.reject(new Error('broke')), signal)).toBe('aborted');
  });
});

test('unlessLate: the promise, its trouble, or late', async () => {
  expect(await raceTimeout(Promise.resolve(7), 60_000)).toBe(7);
  await expect(raceTimeout(Promise.reject(new Error('broke')), 60_000)).rejects.toThrow('broke');
  expect(await raceTimeout(never, 1)).toBe('timeout');
});
