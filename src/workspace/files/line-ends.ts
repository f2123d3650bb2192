import {firstWhere, type Splice} from './find-text.ts';

type LineEnd = '\n' | '\r\n' | '\r';

export function lineEnds(text: string): 'lf' | 'crlf' | 'cr' | 'mixed' {
  const kinds = {crlf: text.includes('\r\n'), cr: /\r(?!\n)/u.test(text), lf: /(?<!\r)\n/u.test(text)};
  if (Number(kinds.lf) + Number(kinds.crlf) + Number(kinds.cr) > 1) return 'mixed';
  return kinds.crlf ? 'crlf' : kinds.cr ? 'cr' : 'lf';
}

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
    original:
      ends.length === 0
        ? offset => offset
        : offset => offset + firstWhere(ends.length, at => (ends[at] ?? offset) >= offset),
  };
}

/** Text that a model sends, with the same line ends as the view. */
export const plainEnds = (text: string, returns: 'strict' | 'loose'): string => {
  const paired = text.replaceAll('\r\n', '\n');
  return returns === 'loose' ? paired.replaceAll('\r', '\n') : paired;
};

/** The line end for text that is inserted at `offset`: the nearest one before it, else the first one after it. */
export function lineEndAt(text: string, offset: number): LineEnd {
  const before = offset === 0 ? -1 : text.lastIndexOf('\n', offset - 1);
  const feed = before >= 0 ? before : text.indexOf('\n', offset);
  if (feed < 0) return text.includes('\r') ? '\r' : '\n';
  return text[feed - 1] === '\r' ? '\r\n' : '\n';
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
