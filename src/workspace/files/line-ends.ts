/** How the lines of a text end. */
export type LineEnds = 'lf' | 'crlf' | 'mixed';

export function lineEnds(text: string): LineEnds {
  if (!text.includes('\r\n')) return 'lf';
  return /(?<!\r)\n/u.test(text) ? 'mixed' : 'crlf';
}

/**
 * A text seen with `\n` as its only line end, and the way back: the same view of files that models have, on bytes that keep
 * what they are.
 */
export interface LineView {
  readonly text: string;
  /** The offset in the original of an offset in `text`; between the two characters of a line end it is the first. */
  original(offset: number): number;
}

export function lineView(text: string): LineView {
  if (!text.includes('\r\n')) return {text, original: offset => offset};
  const ends: number[] = [];
  for (let at = text.indexOf('\r\n'); at >= 0; at = text.indexOf('\r\n', at + 2)) ends.push(at - ends.length);
  return {text: text.replaceAll('\r\n', '\n'), original: offset => offset + countBelow(ends, offset)};
}

/** The line end that text put in at `offset` should have: the nearest one before it, else the first after it. */
export function lineEndAt(text: string, offset: number): '\n' | '\r\n' {
  const before = offset === 0 ? -1 : text.lastIndexOf('\n', offset - 1);
  const near = before >= 0 ? before : text.indexOf('\n', offset);
  return near > 0 && text[near - 1] === '\r' ? '\r\n' : '\n';
}

/** How many of the ascending `numbers` are below `bound`. */
function countBelow(numbers: readonly number[], bound: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((numbers[middle] ?? bound) < bound) low = middle + 1;
    else high = middle;
  }
  return low;
}
