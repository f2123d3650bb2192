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
