import type {CommandHosts} from '../../actions/ports.ts';

/** A time limit that stands still as long as a person is asked about a host that the command wants. */
export interface TimeLimit {
  /** In the place of those of the command: what is asked there stops the limit. */
  readonly hosts: CommandHosts;
  /** Begins to count; `reached` is called at most once, after so many milliseconds in which nobody was asked. Call what it returns at the end. */
  start(milliseconds: number, reached: () => void): () => void;
}

export function timeLimit(hosts: CommandHosts): TimeLimit {
  let open = 0;
  let left = 0;
  let since = 0;
  let timer: NodeJS.Timeout | undefined;
  let over: (() => void) | undefined;

  function count(): void {
    if (over === undefined || open > 0) return;
    since = performance.now();
    timer = setTimeout(over, left);
  }

  function standStill(): void {
    if (over === undefined) return;
    clearTimeout(timer);
    left = Math.max(0, left - (performance.now() - since));
  }

  return {
    hosts:
      hosts === 'none'
        ? hosts
        : async (wanted, signal) => {
            if (open === 0) standStill();
            open += 1;
            try {
              return await hosts(wanted, signal);
            } finally {
              open -= 1;
              count();
            }
          },
    start(milliseconds, reached) {
      left = milliseconds;
      over = reached;
      count();
      return () => {
        over = undefined;
        clearTimeout(timer);
      };
    },
  };
}

/** The longest wait a timer can hold. */
const longestTimerMs = 2 ** 31 - 1;

/** Why nobody waits any longer for a command that has not ended. */
export type Interruption =
  | {readonly kind: 'aborted'}
  | {readonly kind: 'to-background'}
  | {readonly kind: 'timed-out'; readonly afterMs: number};

/** Waits for whichever comes first: what is `ended`, the time limit, the abort, or the move to the background. */
export async function firstEnd<End>(
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
  const callOff = limit.start(Math.min(timeoutMs, longestTimerMs), () =>
    resolve({kind: 'timed-out', afterMs: timeoutMs}),
  );
  signal.addEventListener('abort', abort, {once: true});
  if (signal.aborted) abort();
  background.addEventListener('abort', move, {once: true});
  if (background.aborted) move();
  try {
    return await Promise.race([ended, promise]);
  } finally {
    callOff();
    background.removeEventListener('abort', move);
    signal.removeEventListener('abort', abort);
  }
}
