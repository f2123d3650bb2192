export type LineEnd = '\n' | '\r\n' | '\r';

/** How the lines of a text end. */
export function lineEnds(text: string): 'lf' | 'crlf' | 'cr' | 'mixed' {
  const has = {lf: false, crlf: false, cr: false};
  for (const [end] of text.matchAll(/\r\n?|\n/gu)) {
    has[kindOf[end] ?? 'lf'] = true;
    if (Number(has.lf) + Number(has.crlf) + Number(has.cr) > 1) return 'mixed';
  }
  return has.crlf ? 'crlf' : has.cr ? 'cr' : 'lf';
}

const kindOf: Readonly<Record<string, 'lf' | 'crlf' | 'cr'>> = {'\n': 'lf', '\r\n': 'crlf', '\r': 'cr'};

/**
 * A text seen with `\n` as its only line end, and the way back: the same view of files that models have, on bytes that keep
 * what they are. `\r` alone is a line end where it is the only one there is, or in a `loose` view.
 */
export interface LineView {
  readonly text: string;
  /** What counts as a line end in the original. */
  readonly ends: RegExp;
  /** The offset in the original of an offset in `text`; between the two characters of a line end it is the first. */
  original(offset: number): number;
}

export function lineView(text: string, returns: 'strict' | 'loose'): LineView {
  const ends: number[] = [];
  for (let at = text.indexOf('\r\n'); at >= 0; at = text.indexOf('\r\n', at + 2)) ends.push(at - ends.length);
  const paired = ends.length === 0 ? text : text.replaceAll('\r\n', '\n');
  const alone = returns === 'loose' || !paired.includes('\n');
  return {
    text: alone ? paired.replaceAll('\r', '\n') : paired,
    ends: alone ? /\r\n?|\n/gu : /\r\n|\n/gu,
    original: ends.length === 0 ? offset => offset : offset => offset + countBelow(ends, offset),
  };
}

/** The same view of text that a model sends. */
export const plainEnds = (text: string, returns: 'strict' | 'loose'): string => {
  const paired = text.replaceAll('\r\n', '\n');
  return returns === 'loose' ? paired.replaceAll('\r', '\n') : paired;
};

/** The line end that text put in at `offset` should have: the nearest one before it, else the first after it. */
export function lineEndAt(text: string, offset: number): LineEnd {
  const feed = nearest(text, offset, '\n');
  if (feed < 0) return text.includes('\r') ? '\r' : '\n';
  return text[feed - 1] === '\r' ? '\r\n' : '\n';
}

function nearest(text: string, offset: number, character: string): number {
  const before = offset === 0 ? -1 : text.lastIndexOf(character, offset - 1);
  return before >= 0 ? before : text.indexOf(character, offset);
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
