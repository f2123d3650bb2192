/** Bytes that a command may print at once, and in every second after that. */
const atOnce = 8 * 1024 * 1024;
const perSecond = 1024 * 1024;

/**
 * The longest rest, in milliseconds. A terminal whose program has ended is closed a fifth of a second later, with what has not
 * been read by then.
 */
const longestRestMs = 100;

/**
 * How fast the output of a command is read that nobody looks at: what is to become a screen costs a core for a few megabytes a
 * second, so an endless printer has to wait. `now` is in milliseconds.
 */
export function makeAllowance(now: () => number): {
  /** Takes so many bytes off the allowance; answers for how many milliseconds nothing more should be read. */
  spend(bytes: number): number;
} {
  let left = atOnce;
  let at = now();
  return {
    spend(bytes) {
      const time = now();
      left = Math.min(atOnce, left + ((time - at) / 1000) * perSecond) - bytes;
      at = time;
      return left >= 0 ? 0 : Math.min(longestRestMs, (-left / perSecond) * 1000);
    },
  };
}
