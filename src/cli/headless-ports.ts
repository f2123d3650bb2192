import type {StallClock} from '../headless/stall-watch.ts';

/** The clock that detects a stalled model. */
export const stallClock: StallClock = {
  now: () => performance.now(),
  after(ms, call) {
    const timer = setTimeout(call, ms).unref();
    return () => clearTimeout(timer);
  },
};
