import type {OutputFilter} from '../../actions/ports.ts';

/** Milliseconds without output after which the filter is asked for what it holds back: a prompt may end in it. */
const pauseMs = 200;

/** Output on its way through a filter. */
export interface FilteredOutput<T> {
  push(bytes: Uint8Array): T;
  /** Passes on what the filter holds back for no good reason, as a pause does. */
  pause(): void;
  /** Passes on the rest. */
  end(): T;
  /** Leaves the rest in the filter, for the next who reads the output. */
  stop(): void;
}

/** Gives `pass` what comes through the filter, at once and after a pause. */
export function filteredOutput<T>(filter: OutputFilter, pass: (bytes: Uint8Array) => T): FilteredOutput<T> {
  let timer: NodeJS.Timeout | undefined;
  const pause = (): void => {
    const held = filter.pause();
    if (held.length > 0) pass(held);
  };
  return {
    push(bytes) {
      timer ??= setTimeout(pause, pauseMs).unref();
      timer.refresh();
      return pass(filter.push(bytes));
    },
    pause,
    end() {
      clearTimeout(timer);
      return pass(filter.end());
    },
    stop: () => clearTimeout(timer),
  };
}
