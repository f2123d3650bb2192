import type {StallClock} from '../headless/stall-watch.ts';

/** The clock by which a stalled model is noticed. */
export const stallClock: StallClock = {
  now: () => performance.now(),
  after(ms, call) {
    const timer = setTimeout(call, ms).unref();
    return () => clearTimeout(timer);
  },
};
