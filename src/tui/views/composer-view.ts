import {shown, type Draft} from '../input/draft.ts';
import {graphemes, graphemeWidth} from '../text/cell-width.ts';
import type {Frame} from '../text/wrap.ts';
import {glyphs} from '../theme/glyphs.ts';

/** Lines, and the cell the terminal's cursor belongs on, counted from the first of them. */
export interface Placed {
  readonly lines: readonly string[];
  readonly cursor: {readonly x: number; readonly y: number};
}

/** The draft behind its prompt sign, at most `rows` lines around the cursor. */
export function composerView(
  draft: Draft,
  {rows, frame, hint}: {readonly rows: number; readonly frame: Frame; readonly hint: string},
): Placed {
  const {text, cursor} = shown(draft);
  const layout = layOut(text, cursor, Math.max(1, frame.width - 3));
  const top = Math.max(0, Math.min(layout.cursor.y - rows + 1, layout.lines.length - rows));
  const sign = frame.theme.paint(['accent'], glyphs.prompt);
  const lines = layout.lines
    .slice(top, top + Math.max(1, rows))
    .map((line, at) => `${at + top === 0 ? sign : ' '} ${line}`);
  if (text === '') return {lines: [`${sign} ${frame.theme.paint(['dim'], hint)}`], cursor: {x: 2, y: 0}};
  return {lines, cursor: {x: layout.cursor.x + 2, y: layout.cursor.y - top}};
}

/** Breaks at line feeds and hard at the width; the cursor may stand one cell beyond the last character of a line. */
function layOut(text: string, cursor: number, width: number): Placed {
  const lines: string[] = [];
  let line = '';
  let used = 0;
  let at = 0;
  let place = {x: 0, y: 0};
  const next = (): void => {
    lines.push(line);
    line = '';
    used = 0;
  };
  for (const grapheme of graphemes(text)) {
    if (at === cursor) place = {x: used, y: lines.length};
    at += grapheme.length;
    if (grapheme === '\n') {
      next();
      continue;
    }
    const cells = graphemeWidth(grapheme);
    if (used + cells > width) {
      next();
      if (at - grapheme.length === cursor) place = {x: 0, y: lines.length};
    }
    line += grapheme;
    used += cells;
  }
  if (cursor >= at) place = {x: used, y: lines.length};
  lines.push(line);
  return {lines, cursor: place};
}
