import type {CommandHosts} from '../../actions/ports.ts';
import {maxTimerMs} from '../../base/timer-limits.ts';

/** A time limit that pauses while the user decides about a host that the command wants to reach. */
export interface TimeLimit {
  /** Replaces the command's `hosts`: questions asked through it pause the limit. */
  readonly hosts: CommandHosts;
  /**
   * Starts the clock. Calls `reached` at most once, after this many milliseconds without an open question. Call the
   * returned function at the end.
   */
  start(milliseconds: number, reached: () => void): () => void;
}

export function timeLimit(hosts: CommandHosts): TimeLimit {
  let openQuestions = 0;
  let left = 0;
  let since = 0;
  let timer: NodeJS.Timeout | undefined;
  let onReached: (() => void) | undefined;

  function runClock(): void {
    if (onReached === undefined || openQuestions > 0) return;
    since = performance.now();
    timer = setTimeout(onReached, left);
  }

  function pauseClock(): void {
    if (onReached === undefined) return;
    clearTimeout(timer);
    left = Math.max(0, left - (performance.now() - since));
  }

  return {
    hosts:
      hosts === 'none'
        ? hosts
        : async (wanted, signal) => {
            if (openQuestions === 0) pauseClock();
            openQuestions += 1;
            try {
              return await hosts(wanted, signal);
            } finally {
              openQuestions -= 1;
              runClock();
            }
          },
    start(milliseconds, reached) {
      left = milliseconds;
      onReached = reached;
      runClock();
      return () => {
        onReached = undefined;
        clearTimeout(timer);
      };
    },
  };
}

/** Why weft stops waiting for a command that has not ended. */
export type Interruption =
  | {readonly kind: 'aborted'}
  | {readonly kind: 'to-background'}
  | {readonly kind: 'timed-out'; readonly afterMs: number};

/** Waits for the first of these: `ended`, the time limit, the abort, the move to the background. */
export async function waitForEnd<End>(
  ended: Promise<End>,
  {
    limit,
    timeoutMs,
    background,
  }: {readonly limit: TimeLimit; readonly timeoutMs: number; readonly background: AbortSignal},
  signal: AbortSignal,
): Promise<End | Interruption> {
  const {promise, resolve} = Promise.withResolvers<Interruption>();
  const move = (): void => resolve({kind: 'to-background'});
  const abort = (): void => resolve({kind: 'aborted'});
  const stopClock = limit.start(Math.min(timeoutMs, maxTimerMs), () =>
    resolve({kind: 'timed-out', afterMs: timeoutMs}),
  );
  signal.addEventListener('abort', abort, {once: true});
  if (signal.aborted) abort();
  background.addEventListener('abort', move, {once: true});
  if (background.aborted) move();
  try {
    return await Promise.race([ended, promise]);
  } finally {
    stopClock();
    background.removeEventListener('abort', move);
    signal.removeEventListener('abort', abort);
  }
}
