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
 * Returns the Levenshtein distance of two words: the number of letters to insert, delete or replace. Infinite for very
 * different lengths.
 */
export function editDistance(from: string, to: string): number {
  if (Math.abs(from.length - to.length) > maxLength) return Infinity;
  let row = Array.from({length: to.length + 1}, (_, column) => column);
  for (let line = 1; line <= from.length; line += 1) {
    const next = [line];
    for (let column = 1; column <= to.length; column += 1) {
      const replaced = (row[column - 1] ?? 0) + (from[line - 1] === to[column - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}

/** Words whose lengths differ by more than this are not compared. */
const maxLength = 64;
