/** How the elements of a pattern are read: a star stands for any run of elements, none included, every other for one. */
export interface Elements<P, T> {
  readonly isStar: (wanted: P) => boolean;
  readonly fits: (wanted: P, found: T) => boolean;
}

/**
 * Whether a pattern with stars fits a whole run. Only the last star is ever stretched, so the time is bounded by the product of
 * the two lengths, whatever the pattern.
 */
export function fitsRun<P extends string | object, T extends string | object>(
  pattern: ArrayLike<P>,
  run: ArrayLike<T>,
  {isStar, fits}: Elements<P, T>,
): boolean {
  let at = 0;
  let next = 0;
  let afterStar = -1;
  let stretched = 0;
  while (next < run.length) {
    const wanted = pattern[at];
    const found = run[next];
    if (wanted !== undefined && isStar(wanted)) {
      at += 1;
      afterStar = at;
      stretched = next;
    } else if (wanted !== undefined && found !== undefined && fits(wanted, found)) {
      at += 1;
      next += 1;
    } else if (afterStar >= 0) {
      at = afterStar;
      stretched += 1;
      next = stretched;
    } else return false;
  }
  for (; at < pattern.length; at += 1) {
    const wanted = pattern[at];
    if (wanted === undefined || !isStar(wanted)) return false;
  }
  return true;
}
