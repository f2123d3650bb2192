import type {Splice} from './find-text.ts';

type LineEnd = '\n' | '\r\n' | '\r';

/** The kind of line ends that a text has. */
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
 * A text with `\n` as its only line end, as models see files, and the mapping of its offsets back to the original. A `\r` alone counts
 * as a line end where the text has no other kind, or in a `loose` view.
 */
export interface LineView {
  readonly text: string;
  /** Matches the line ends of the original. */
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

/** Text that a model sends, with the same line ends as the view. */
export const plainEnds = (text: string, returns: 'strict' | 'loose'): string => {
  const paired = text.replaceAll('\r\n', '\n');
  return returns === 'loose' ? paired.replaceAll('\r', '\n') : paired;
};

/** The line end for text that is inserted at `offset`: the nearest one before it, else the first one after it. */
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

/**
 * Applies splices of the view to the original text. Inserted lines get the line ends of the lines that they replace if there are as
 * many, else the line end of the nearest line.
 */
export function applySplices(text: string, view: LineView, splices: readonly Splice[]): string {
  const parts: string[] = [];
  let done = 0;
  for (const splice of splices) {
    const start = view.original(splice.start);
    const end = view.original(splice.end);
    parts.push(
      text.slice(done, start),
      withLineEnds(splice.text, {there: text.slice(start, end).match(view.ends) ?? [], near: lineEndAt(text, start)}),
    );
    done = end;
  }
  parts.push(text.slice(done));
  return parts.join('');
}

function withLineEnds(
  inserted: string,
  {there, near}: {readonly there: readonly string[]; readonly near: LineEnd},
): string {
  if (!inserted.includes('\n')) return inserted;
  const lines = inserted.split('\n');
  if (there.length === lines.length - 1) return lines.map((line, at) => line + (there[at] ?? '')).join('');
  return near === '\n' ? inserted : lines.join(near);
}
