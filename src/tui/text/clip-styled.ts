import {cellWidth, fit, graphemes, graphemeWidth, styledWidth} from './cell-width.ts';

// oxlint-disable-next-line no-control-regex -- SGR and OSC 8 begin with ESC
const styling = /(\u001B\[[\d;]*m|\u001B\]8;[^\u001B\u0007]*(?:\u001B\\|\u0007))/u;

/** The beginning of a line with styling and links in it that fits in `cells`; all its styling is kept, so that none stays open. */
export function clipStyled(line: string, cells: number): string {
  if (styledWidth(line) <= cells) return line;
  if (!line.includes('\u001B')) return fit(line, cells);
  let left = cells - 1;
  let isCut = false;
  return line
    .split(styling)
    .map((part, at) => {
      if (at % 2 === 1 || isCut) return at % 2 === 1 ? part : '';
      const width = cellWidth(part);
      if (width <= left) {
        left -= width;
        return part;
      }
      isCut = true;
      let kept = '';
      for (const grapheme of graphemes(part)) {
        left -= graphemeWidth(grapheme);
        if (left < 0) break;
        kept += grapheme;
      }
      return `${kept}…`;
    })
    .join('');
}
