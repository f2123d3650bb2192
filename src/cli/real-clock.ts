import type {StallClock} from '../headless/stall-watch.ts';

/** The time of this machine. */
export const realClock: StallClock = {
  now: () => performance.now(),
  after(ms, call) {
    const timer = setTimeout(call, ms).unref();
    return () => clearTimeout(timer);
  },
};
