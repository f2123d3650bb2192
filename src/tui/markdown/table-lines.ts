import type {Tokens} from 'marked';
import {cellWidth, styledWidth} from '../text/cell-width.ts';
import {noIndent, wrapSpans, type Frame, type Span} from '../text/wrap.ts';
import {inlineSpans} from './inline-spans.ts';

type Cell = readonly Span[];

/** A column is not made narrower than this: then each row becomes a record of its own, one line a cell. */
const leastColumn = 6;
const between = ' │ ';

/** Columns as wide as their contents where that fits; else the widest give way and their cells wrap. */
export function tableLines(table: Tokens.Table, frame: Frame): readonly string[] {
  const header = table.header.map(cell => inlineSpans(cell.tokens, ['bold'], frame.theme));
  const rows = table.rows.map(row => row.map(cell => inlineSpans(cell.tokens, [], frame.theme)));
  const natural = header.map((cell, at) => Math.max(1, ...[cell, ...rows.map(row => row[at] ?? [])].map(spansWidth)));
  const room = frame.width - between.length * (header.length - 1);
  const widths = fitColumns(natural, room);
  if (widths === undefined) return recordLines(header, rows, frame);
  const bar = frame.theme.paint(['dim'], between);
  const rowLines = (cells: readonly Cell[]): readonly string[] => {
    const wrapped = widths.map((width, at) => wrapSpans(cells[at] ?? [], {...frame, width}, noIndent));
    const height = Math.max(1, ...wrapped.map(cell => cell.length));
    return Array.from({length: height}, (_, line) =>
      widths
        .map((width, at) => pad(wrapped[at]?.[line] ?? '', width, table.align[at] ?? 'left'))
        .join(bar)
        .trimEnd(),
    );
  };
  const rule = frame.theme.paint(['dim'], widths.map(width => '─'.repeat(width)).join('─┼─'));
  return [...rowLines(header), rule, ...rows.flatMap(rowLines)];
}

/** Each row as lines of `Name: value`, a rule between rows. */
function recordLines(header: readonly Cell[], rows: readonly (readonly Cell[])[], frame: Frame): readonly string[] {
  const rule = frame.theme.paint(['dim'], '─'.repeat(Math.min(frame.width, 12)));
  if (rows.length === 0) return header.flatMap(cell => wrapSpans(cell, frame, noIndent));
  const hanging = {first: '', rest: frame.width >= 16 ? '  ' : '', roles: []};
  return rows.flatMap((row, at) => [
    ...(at === 0 ? [] : [rule]),
    ...header.flatMap((name, column) => {
      const value = row[column] ?? [];
      if (spansWidth(value) === 0) return [];
      return wrapSpans(
        [...name, ...(spansWidth(name) === 0 ? [] : [{text: ': ', roles: []}]), ...value],
        frame,
        hanging,
      );
    }),
  ]);
}

/** `undefined` where the columns do not fit at a width that can be read. */
function fitColumns(natural: readonly number[], room: number): readonly number[] | undefined {
  const least = natural.map(width => Math.min(width, leastColumn));
  if (least.reduce((sum, width) => sum + width, 0) > room) return undefined;
  // All columns get at most the width at which they fit together.
  let most = Math.max(...natural);
  const sumAt = (limit: number): number => natural.reduce((sum, width) => sum + Math.min(width, limit), 0);
  while (most > 1 && sumAt(most) > room) most--;
  const widths = natural.map(width => Math.min(width, most));
  let free = room - sumAt(most);
  return widths.map((width, at) => {
    const more = free > 0 && (natural[at] ?? 0) > width ? 1 : 0;
    free -= more;
    return width + more;
  });
}

function pad(text: string, width: number, align: 'left' | 'center' | 'right'): string {
  const free = Math.max(0, width - styledWidth(text));
  const left = align === 'right' ? free : align === 'center' ? Math.floor(free / 2) : 0;
  return ' '.repeat(left) + text + ' '.repeat(free - left);
}

const spansWidth = (spans: Cell): number =>
  Math.max(
    0,
    ...spans
      .map(span => span.text)
      .join('')
      .split('\n')
      .map(cellWidth),
  );
