import {describe, expect, test} from 'vitest';
import {unlessAborted} from '../../../src/base/unless-aborted.ts';
import {unlessLate} from '../../../src/base/unless-late.ts';

const never = new Promise<never>(() => {});

describe('unlessAborted', () => {
  test('comes to what the promise comes to', async () => {
    const {signal} = new AbortController();
    expect(await unlessAborted(Promise.resolve(7), signal)).toBe(7);
    await expect(unlessAborted(Promise.reject(new Error('broke')), signal)).rejects.toThrow('broke');
  });

  test('an abort ends the wait', async () => {
    const abort = new AbortController();
    const waiting = unlessAborted(never, abort.signal);
    abort.abort();
    expect(await waiting).toBe('aborted');
  });

  test('after the abort nothing is waited for, and what breaks is nobody’s', async () => {
    const signal = AbortSignal.abort();
    expect(await unlessAborted(Promise.resolve(7), signal)).toBe('aborted');
    expect(await unlessAborted(Promise.reject(new Error('broke')), signal)).toBe('aborted');
  });
});

test('unlessLate: the promise, its trouble, or late', async () => {
  expect(await unlessLate(Promise.resolve(7), 60_000)).toBe(7);
  await expect(unlessLate(Promise.reject(new Error('broke')), 60_000)).rejects.toThrow('broke');
  expect(await unlessLate(never, 1)).toBe('late');
});
