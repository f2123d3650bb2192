import {type Fault, otherRefusal} from '../domain/fault.ts';
import type {ProviderError} from './provider-error.ts';

/** The maximum number of tries at one request, including the first. */
const maxAttempts = 10;
const maxAttemptsWhenRefused = 3;
/** The maximum number of tries that had begun to answer, because each of them is billed. */
const maxAttemptsWhenBilled = 3;
/** The maximum number of tries if another model could answer, as in Claude Code. */
const maxAttemptsBeforeFallback = 3;

/** If a server asks for a longer wait than this, retrying is useless. */
const longestAskedMs = 300_000;
const firstBackOffMs = 500;
const maxBackOffMs = 30_000;
const refusedBackOffMs = 200;

/** Timers and random numbers, which tests replace so that they do not wait. */
export interface RetryClock {
  /** Returns a random number between 0 and 1. */
  random(): number;
  /** Ends after `ms`, or at once when `signal` aborts. Never rejects. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

export type RetryDecision =
  | {readonly step: 'retry'; readonly attempt: number; readonly maxAttempts: number; readonly delayMs: number}
  | {readonly step: 'give-up'; readonly fault: Fault};

/**
 * Decides what to do after the try numbered `attempt` (from 1) ended in `error`. `billed` is the number of tries that had
 * begun to answer. `otherwise` says whether another model could answer. If so, weft doesn't retry an overloaded server
 * for minutes.
 */
export function decideRetry(
  error: ProviderError,
  {
    attempt,
    billed,
    otherwise,
  }: {readonly attempt: number; readonly billed: number; readonly otherwise: 'another-model' | 'nobody'},
  clock: RetryClock,
): RetryDecision {
  if (error.kind === 'final') return {step: 'give-up', fault: error.fault};
  if (error.retryAfterMs > longestAskedMs) {
    const minutes = Math.ceil(error.retryAfterMs / 60_000);
    const wait = minutes < 120 ? `${minutes} minutes` : `${Math.ceil(minutes / 60)} hours`;
    const fault = {
      kind: 'provider',
      message: error.message,
      fix: `The server asks you to wait ${wait}.`,
      status: error.status,
      refusal: otherRefusal,
    } as const;
    return {step: 'give-up', fault};
  }
  const saysTrouble = error.status === 429 || error.status >= 500;
  const most = otherwise === 'another-model' && saysTrouble ? maxAttemptsBeforeFallback : maxAttempts;
  const tries = {usual: most, short: maxAttemptsWhenRefused, 'one-repeat': 2}[error.patience];
  const maxBilled = error.patience === 'one-repeat' ? 2 : maxAttemptsWhenBilled;
  const limit = billed === 0 ? tries : Math.min(most, attempt + maxBilled - billed);
  if (attempt < limit) {
    return {step: 'retry', attempt: attempt + 1, maxAttempts: limit, delayMs: delayOf(error, attempt, clock)};
  }
  const message = error.patience === 'usual' ? `${error.message} (${attempt} attempts)` : error.message;
  return {
    step: 'give-up',
    fault: {kind: 'provider', message, fix: error.fix, status: error.status, refusal: otherRefusal},
  };
}

function delayOf(error: Extract<ProviderError, {kind: 'passing'}>, attempt: number, clock: RetryClock): number {
  if (error.retryAfterMs > 0) return error.retryAfterMs;
  const first = error.patience === 'usual' ? firstBackOffMs : refusedBackOffMs;
  const backOff = Math.min(first * 2 ** (attempt - 1), maxBackOffMs);
  return Math.round(backOff * (1 - clock.random() / 4));
}

export const realClock: RetryClock = {
  random: Math.random,
  sleep: (ms, signal) =>
    new Promise(resolve => {
      if (signal.aborted) return resolve();
      const done = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      signal.addEventListener('abort', done);
    }),
};
