import {fit} from '../text/cell-width.ts';
import type {Frame} from '../text/wrap.ts';

interface Window {
  /** The first line that is shown. */
  readonly top: number;
  readonly rows: number;
}

/** What of some lines has its place on `rows`; where that is not all of them, the last row says which they are. */
export function scrolledLines(lines: readonly string[], {top, rows}: Window, frame: Frame): readonly string[] {
  if (lines.length <= rows) return lines;
  const page = Math.max(1, rows - 1);
  const first = Math.max(0, Math.min(top, lines.length - page));
  const shown = lines.slice(first, first + page);
  if (rows === 1) return shown;
  const place = `  lines ${first + 1} to ${first + shown.length} of ${lines.length}`;
  return [...shown, frame.theme.paint(['dim'], fit(place, frame.width))];
}
