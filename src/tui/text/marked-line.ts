import type {Theme} from '../theme/theme.ts';

// oxlint-disable-next-line no-control-regex -- styling begins with ESC
const styling = /\u001B\[[\d;]*m|\u001B\]8;[^\u001B\u0007]*(?:\u001B\\|\u0007)/gu;

/** A painted line without its looks. */
export const plainLine = (line: string): string => (line.includes('\u001B') ? line.replaceAll(styling, '') : line);

/** Where `query` stands in a plain line, from a place on; -1 for nowhere. Small letters of the query mean both. */
export const placeOf = (query: string, line: string, from = 0): number =>
  query === query.toLowerCase() ? line.toLowerCase().indexOf(query, from) : line.indexOf(query, from);

/** The line with what was sought standing out; where something does, that alone has a look. */
export function withMatches(line: string, query: string, theme: Theme): string {
  const plain = plainLine(line);
  let at = placeOf(query, plain);
  if (at < 0) return line;
  let marked = '';
  let from = 0;
  while (at >= 0) {
    marked += plain.slice(from, at) + theme.paint(['bold', 'selected'], plain.slice(at, at + query.length));
    from = at + query.length;
    at = placeOf(query, plain, from);
  }
  return marked + plain.slice(from);
}
