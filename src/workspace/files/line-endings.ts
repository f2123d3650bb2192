import {binarySearchFirst, type Splice} from './find-text.ts';

type LineEnding = '\n' | '\r\n' | '\r';

export function lineEndingKind(text: string): 'lf' | 'crlf' | 'cr' | 'mixed' {
  const kinds = {crlf: text.includes('\r\n'), cr: /\r(?!\n)/u.test(text), lf: /(?<!\r)\n/u.test(text)};
  if (Number(kinds.lf) + Number(kinds.crlf) + Number(kinds.cr) > 1) return 'mixed';
  return kinds.crlf ? 'crlf' : kinds.cr ? 'cr' : 'lf';
}

/**
 * A text with `\n` as its only line ending, as models see files, and a map of its offsets to the original. A lone `\r` counts as a line
 * ending if the text has no other kind, or in a `loose` view.
 */
export interface LineView {
  readonly text: string;
  /** Matches the line endings of the original. */
  readonly ends: RegExp;
  /** Maps an offset in `text` to the original. Inside a two-character line ending, returns its first character. */
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
        : offset => offset + binarySearchFirst(ends.length, at => (ends[at] ?? offset) >= offset),
  };
}

/** Converts the line endings of a model's text to those of a `LineView`. */
export const normalizeLineEndings = (text: string, returns: 'strict' | 'loose'): string => {
  const paired = text.replaceAll('\r\n', '\n');
  return returns === 'loose' ? paired.replaceAll('\r', '\n') : paired;
};

/** Returns the line ending for text inserted at `offset`: the nearest one before it, or else the first one after it. */
export function lineEndingAt(text: string, offset: number): LineEnding {
  const before = offset === 0 ? -1 : text.lastIndexOf('\n', offset - 1);
  const feed = before >= 0 ? before : text.indexOf('\n', offset);
  if (feed < 0) return text.includes('\r') ? '\r' : '\n';
  return text[feed - 1] === '\r' ? '\r\n' : '\n';
}

/**
 * Applies splices of a `LineView` to the original text. Inserted lines take the line endings of the lines they replace if the counts
 * match, or else the nearest line ending.
 */
export function applySplices(text: string, view: LineView, splices: readonly Splice[]): string {
  const parts: string[] = [];
  let done = 0;
  for (const splice of splices) {
    const start = view.original(splice.start);
    const end = view.original(splice.end);
    parts.push(
      text.slice(done, start),
      withLineEndings(splice.text, {
        there: text.slice(start, end).match(view.ends) ?? [],
        near: lineEndingAt(text, start),
      }),
    );
    done = end;
  }
  parts.push(text.slice(done));
  return parts.join('');
}

function withLineEndings(
  inserted: string,
  {there, near}: {readonly there: readonly string[]; readonly near: LineEnding},
): string {
  if (!inserted.includes('\n')) return inserted;
  const lines = inserted.split('\n');
  if (there.length === lines.length - 1) return lines.map((line, at) => line + (there[at] ?? '')).join('');
  return near === '\n' ? inserted : lines.join(near);
}
