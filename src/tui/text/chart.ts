/** Divides `cells` among shares in proportion. Each share above zero gets at least one cell. */
export function shareCells(shares: readonly number[], cells: number): readonly number[] {
  const total = shares.reduce((sum, share) => sum + share, 0);
  const given = shares.map((share): number => (share > 0 ? 1 : 0));
  const missing = (at: number): number => ((shares[at] ?? 0) / total) * cells - (given[at] ?? 0);
  for (let left = total > 0 ? cells - given.filter(each => each > 0).length : 0; left > 0; left--) {
    const at = given.reduce((best, _, index) => (missing(index) > missing(best) ? index : best), 0);
    given[at] = (given[at] ?? 0) + 1;
  }
  return given;
}

const sparks = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'] as const;

/** Draws one cell for each value, from zero to the largest value. */
export function sparkline(values: readonly number[]): string {
  const largest = Math.max(...values, Number.MIN_VALUE);
  return values
    .map(value => sparks[Math.max(0, Math.ceil((value / largest) * sparks.length) - 1)] ?? sparks[0])
    .join('');
}

/** Returns a share in percent, `<1 %` if it would round to zero. */
export function percentText(part: number, total: number): string {
  const percent = total <= 0 ? 0 : Math.round((100 * part) / total);
  return percent === 0 && part > 0 ? '<1 %' : `${percent} %`;
}
