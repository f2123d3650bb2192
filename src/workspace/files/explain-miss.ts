/** Lines of the old text compared with the file. */
const mostCompared = 200;

/** A shorter text stands in many files by chance: that it is there says nothing. */
const leastTelling = 12;

/** Places named in a message. */
const mostNamed = 3;

/** Why `oldText` is not in `text`, as far as a cheap look can tell: both with `\n` as line end. */
export function explainMiss(
  text: string,
  {oldText, newText}: {readonly oldText: string; readonly newText: string},
): string {
  if (newText.trim().length >= leastTelling && text.includes(newText)) {
    return 'the old text is not in the file, but the new text is: the change seems to be made already.';
  }
  if (oldText.split('\n').every(line => line === '' || /^\s*\d+\t/u.test(line))) {
    return 'the old text was not found; it begins with line numbers as Read shows them: leave them out.';
  }
  const starts = nearestStarts(text, oldText);
  if (starts.length === 0) return 'the old text was not found, nor a line of it; read the file again.';
  const [best] = starts;
  if (best !== undefined && sameApartFromSpace(text, {oldText, start: best})) {
    return `the old text was not found; line ${best} differs from it in white space only: copy it exactly as Read shows it.`;
  }
  return `the old text was not found; the nearest is at line ${starts.join(', ')}: read it there and copy it exactly.`;
}

/** Line numbers where most lines of `oldText` stand in their order, white space apart; best first. */
function nearestStarts(text: string, oldText: string): readonly number[] {
  const wanted = new Map<string, number[]>();
  for (const [at, line] of oldText.split('\n').slice(0, mostCompared).entries()) {
    const bare = squeeze(line);
    if (bare.length < 4) continue;
    const places = wanted.get(bare) ?? [];
    places.push(at);
    wanted.set(bare, places);
  }
  const votes = new Map<number, number>();
  for (const [at, line] of text.split('\n').entries()) {
    for (const place of wanted.get(squeeze(line)) ?? []) {
      if (at >= place) votes.set(at - place, (votes.get(at - place) ?? 0) + 1);
    }
  }
  return [...votes]
    .toSorted(([startA, a], [startB, b]) => b - a || startA - startB)
    .slice(0, mostNamed)
    .map(([start]) => start + 1);
}

function sameApartFromSpace(text: string, place: {readonly oldText: string; readonly start: number}): boolean {
  const wanted = place.oldText.split('\n').map(squeeze);
  const there = text
    .split('\n')
    .slice(place.start - 1, place.start - 1 + wanted.length)
    .map(squeeze);
  return wanted.join('\n').trim() === there.join('\n').trim();
}

/** Lines this long are compared by their start: one huge line must not cost more than many small ones. */
const squeeze = (line: string): string => line.slice(0, 2000).trim().replace(/\s+/gu, ' ');
