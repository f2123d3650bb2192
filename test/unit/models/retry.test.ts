import {type ProviderError, retryAfterMs} from '../../../src/models/provider-error.ts';
import {describe, expect, test, vi} from 'vitest';
import {decideRetry, realClock, type RetryClock} from '../../../src/models/retry.ts';

const clockAt = (random: number): RetryClock => ({random: () => random, sleep: () => Promise.resolve()});
const passing = (more: Partial<Extract<ProviderError, {kind: 'passing'}>> = {}): ProviderError => ({
  kind: 'passing',
  status: 529,
  message: 'It is overloaded.',
  fix: 'Try again later.',
  retryAfterMs: 0,
  patience: 'usual',
  ...more,
});

const delays = (
  trouble: ProviderError,
  random: number,
  otherwise: 'another-model' | 'nobody' = 'nobody',
): readonly (number | 'give-up')[] =>
  Array.from({length: 10}, (_, at) => {
    const next = decideRetry(trouble, {attempt: at + 1, billed: 0, otherwise}, clockAt(random));
    return next.step === 'retry' ? next.delayMs : 'give-up';
  });

test.each([
  [3_600_000, 'The server asks you to wait 60 minutes.'],
  [86_400_000, 'The server asks you to wait 24 hours.'],
])('a wait of %d ms is said in words', (asked, fix) => {
  const next = decideRetry(passing({retryAfterMs: asked}), {attempt: 1, billed: 0, otherwise: 'nobody'}, clockAt(0));
  expect(next).toMatchObject({step: 'give-up', fault: {fix}});
});

describe('the wait before another try', () => {
  test.each([
    {
      name: 'doubles up to half a minute',
      trouble: passing(),
      random: 0,
      expected: [500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000, 'give-up'],
    },
    {
      name: 'is up to a quarter shorter by chance',
      trouble: passing(),
      random: 1,
      expected: [375, 750, 1500, 3000, 6000, 12_000, 22_500, 22_500, 22_500, 'give-up'],
    },
    {
      name: 'is what the server asks for',
      trouble: passing({retryAfterMs: 1234}),
      random: 1,
      expected: [...Array<number>(9).fill(1234), 'give-up'],
    },
    {
      name: 'is what the server asks for also if that takes minutes',
      trouble: passing({retryAfterMs: 240_000}),
      random: 0,
      expected: [...Array<number>(9).fill(240_000), 'give-up'],
    },
    {
      name: 'is given up at once where the server asks for more than five minutes',
      trouble: passing({retryAfterMs: 3_600_000}),
      random: 0,
      expected: Array<string>(10).fill('give-up'),
    },
    {
      name: 'is short and soon over when nothing listens on this machine',
      trouble: passing({patience: 'short'}),
      random: 0,
      expected: [200, 400, ...Array<string>(8).fill('give-up')],
    },
  ])('$name', ({trouble, random, expected}) => {
    expect(delays(trouble, random)).toEqual(expected);
  });

  test.each([
    ['an overloaded server is asked three times', passing(), [500, 1000, ...Array<string>(8).fill('give-up')]],
    [
      'a connection that broke says nothing of the model',
      passing({status: 0}),
      [500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000, 'give-up'],
    ],
  ])('where another model could answer, %s', (_name, trouble, expected) => {
    expect(delays(trouble, 0, 'another-model')).toEqual(expected);
  });

  test('numbers the try to come', () => {
    expect(decideRetry(passing(), {attempt: 1, billed: 0, otherwise: 'nobody'}, clockAt(0))).toEqual({
      step: 'retry',
      attempt: 2,
      maxAttempts: 10,
      delayMs: 500,
    });
  });

  test('giving up says how often it was tried', () => {
    expect(decideRetry(passing(), {attempt: 10, billed: 0, otherwise: 'nobody'}, clockAt(0))).toEqual({
      step: 'give-up',
      fault: {
        kind: 'provider',
        message: 'It is overloaded. (10 attempts)',
        fix: 'Try again later.',
        status: 529,
        refusal: {kind: 'other'},
      },
    });
  });

  test('final trouble is not tried again', () => {
    const fault = {kind: 'provider', message: 'No.', fix: 'Stop.', status: 401, refusal: {kind: 'other'}} as const;
    expect(
      decideRetry({kind: 'final', fault}, {attempt: 1, billed: 0, otherwise: 'another-model'}, clockAt(0)),
    ).toEqual({
      step: 'give-up',
      fault,
    });
  });
});

const now = Date.parse('2026-01-01T00:00:00Z');
test.each([
  [{}, 0],
  [{'retry-after': '3'}, 3000],
  [{'retry-after': '0.5'}, 500],
  [{'retry-after': '0'}, 0],
  [{'retry-after': '-1'}, 0],
  [{'retry-after': 'soon'}, 0],
  [{'retry-after': 'Thu, 01 Jan 2026 00:00:20 GMT'}, 20_000],
  [{'retry-after': 'Wed, 31 Dec 2025 23:59:00 GMT'}, 0],
  [{'retry-after-ms': '250', 'retry-after': '3'}, 250],
  [{'retry-after-ms': 'x', 'retry-after': '3'}, 3000],
])('headers %j ask for %d ms', (headers: Readonly<Record<string, string>>, expected) => {
  expect(retryAfterMs(name => headers[name] ?? null, now)).toBe(expected);
});

test('the real clock leaves nothing behind when aborted, and waits otherwise', async () => {
  vi.useFakeTimers();
  try {
    const abort = new AbortController();
    const waited = realClock.sleep(60_000, abort.signal);
    expect(vi.getTimerCount()).toBe(1);
    abort.abort();
    await waited;
    expect(vi.getTimerCount()).toBe(0);
    await realClock.sleep(60_000, abort.signal);

    const over: string[] = [];
    const full = (async (): Promise<void> => {
      await realClock.sleep(1000, new AbortController().signal);
      over.push('over');
    })();
    await vi.advanceTimersByTimeAsync(999);
    expect(over).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    await full;
    expect(over).toEqual(['over']);
  } finally {
    vi.useRealTimers();
  }
});
