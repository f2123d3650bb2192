import type {Fault} from '../domain/fault.ts';
import type {Trouble} from './trouble.ts';

/** Tries at one request, the first included. */
const maxAttempts = 10;
const maxAttemptsWhenRefused = 3;

/** The longest wait between two tries, also when the server asks for more. */
const maxWaitMs = 60_000;
/** A server that asks for a longer wait than this will not answer while somebody watches. */
const longestAskedMs = 300_000;
const firstBackOffMs = 500;
const maxBackOffMs = 30_000;
const refusedBackOffMs = 200;

/** Time and chance, so that tests can wait without waiting. */
export interface RetryClock {
  /** Between 0 and 1. */
  random(): number;
  /** Ends after `ms`, or at once when `signal` aborts; never rejects. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

export type NextStep =
  | {readonly step: 'retry'; readonly attempt: number; readonly maxAttempts: number; readonly delayMs: number}
  | {readonly step: 'give-up'; readonly fault: Fault};

/** What to do after the try numbered `attempt` (from 1) ended in `trouble`. */
export function afterTrouble(trouble: Trouble, attempt: number, clock: RetryClock): NextStep {
  if (trouble.kind === 'final') return {step: 'give-up', fault: trouble.fault};
  if (trouble.retryAfterMs > longestAskedMs) {
    const minutes = Math.ceil(trouble.retryAfterMs / 60_000);
    const fault = {
      kind: 'provider',
      message: trouble.message,
      fix: `The server asks to wait ${minutes} minutes.`,
      status: trouble.status,
    } as const;
    return {step: 'give-up', fault};
  }
  const limit = trouble.patience === 'short' ? maxAttemptsWhenRefused : maxAttempts;
  if (attempt < limit) {
    return {step: 'retry', attempt: attempt + 1, maxAttempts: limit, delayMs: delayOf(trouble, attempt, clock)};
  }
  const message = trouble.patience === 'short' ? trouble.message : `${trouble.message} (${attempt} attempts)`;
  return {step: 'give-up', fault: {kind: 'provider', message, fix: trouble.fix, status: trouble.status}};
}

function delayOf(trouble: Extract<Trouble, {kind: 'passing'}>, attempt: number, clock: RetryClock): number {
  if (trouble.retryAfterMs > 0) return Math.min(trouble.retryAfterMs, maxWaitMs);
  const first = trouble.patience === 'short' ? refusedBackOffMs : firstBackOffMs;
  const backOff = Math.min(first * 2 ** (attempt - 1), maxBackOffMs);
  return Math.round(backOff * (1 - clock.random() / 4));
}

/** The delay a server asks for in its headers, in milliseconds; 0 when it asks for none. `now` is milliseconds since the epoch. */
export function retryAfterMs(header: (name: string) => string | null, now: number): number {
  const exact = Number.parseFloat(header('retry-after-ms') ?? '');
  if (exact > 0) return exact;
  const given = header('retry-after')?.trim() ?? '';
  if (given === '') return 0;
  const delay = /^\d+(?:\.\d+)?$/u.test(given) ? Number(given) * 1000 : Date.parse(given) - now;
  return delay > 0 ? delay : 0;
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
