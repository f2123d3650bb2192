import type {HeadlessClock} from '../headless/stall-watch.ts';

/** The clock of runs without a terminal UI. */
export const headlessClock: HeadlessClock = {
  now: () => performance.now(),
  date: () => Date.now(),
  after(ms, call) {
    const timer = setTimeout(call, ms).unref();
    return () => clearTimeout(timer);
  },
};
