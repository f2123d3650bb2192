/** Returns the known name that `name` probably misspells: at most a third of its letters, rounded up, differ. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const wanted = name.toLowerCase();
  let best: {readonly name: string; readonly distance: number} | undefined;
  for (const candidate of known) {
    const distance = editDistance(wanted, candidate.toLowerCase());
    if (distance < (best?.distance ?? Infinity)) best = {name: candidate, distance};
  }
  return best !== undefined && best.distance <= Math.ceil(wanted.length / 3) ? best.name : undefined;
}

/**
 * Returns the distance of two words: the number of letters to insert, delete or replace, and of neighbors to swap. Infinite for
 * very different lengths.
 */
export function editDistance(from: string, to: string): number {
  if (Math.abs(from.length - to.length) > maxLength) return Infinity;
  let above: readonly number[] = [];
  let row = Array.from({length: to.length + 1}, (_, column) => column);
  for (let line = 1; line <= from.length; line += 1) {
    const next = [line];
    for (let column = 1; column <= to.length; column += 1) {
      const replaced = (row[column - 1] ?? 0) + (from[line - 1] === to[column - 1] ? 0 : 1);
      const isSwapped = column > 1 && from[line - 1] === to[column - 2] && from[line - 2] === to[column - 1];
      const swapped = isSwapped ? (above[column - 2] ?? Infinity) + 1 : Infinity;
      next.push(Math.min(replaced, swapped, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1));
    }
    above = row;
    row = next;
  }
  return row[to.length] ?? 0;
}

/** Words whose lengths differ by more than this are not compared. */
const maxLength = 64;
