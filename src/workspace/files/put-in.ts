import type {Splice} from './find-text.ts';
import {lineEndAt, type LineEnd, type LineView} from './line-ends.ts';

/**
 * The original text with the splices of its view put in, in order. Line ends are those of the lines that were there where
 * there are as many, else that of the nearest line.
 */
export function putIn(text: string, view: LineView, splices: readonly Splice[]): string {
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
