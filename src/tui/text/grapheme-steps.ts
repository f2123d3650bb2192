import {graphemes} from './cell-width.ts';

/**
 * Steps from a place of a text to the next border between graphemes. Only what lies around the place is divided, however long the
 * text is. Places are UTF-16 units; none of the steps passes a line feed. A text has no carriage return.
 */

/** The start of the grapheme that ends at `at`; `at` itself at the start of a line. */
export function borderBefore(text: string, at: number): number {
  if (at <= 0 || text[at - 1] === '\n') return at;
  const from = sureBorder(text, at - 1, -1);
  return at - (graphemes(text.slice(from, at)).at(-1)?.length ?? 0);
}

/** The end of the grapheme that begins at `at`; `at` itself at the end of a line. */
export function borderAfter(text: string, at: number): number {
  if (at >= text.length || text[at] === '\n') return at;
  const to = sureBorder(text, at + 1, 1);
  return at + (graphemes(text.slice(at, to))[0]?.length ?? 0);
}

/** The first border at or behind a place, which may lie inside a grapheme. */
export function borderFrom(text: string, at: number): number {
  let border = sureBorder(text, at, -1);
  if (border === at) return at;
  for (const grapheme of graphemes(text.slice(border, sureBorder(text, at, 1)))) {
    if (border >= at) break;
    border += grapheme.length;
  }
  return border;
}

/** The nearest place from `at` on, in a direction, at which there is a border whatever stands around it. */
function sureBorder(text: string, at: number, step: 1 | -1): number {
  let place = at;
  while (place > 0 && place < text.length && !(isLoose(text, place - 1) && isLoose(text, place))) place += step;
  return place;
}

/** Nothing joins two such characters: ASCII, kana, Han, Hangul syllables. */
function isLoose(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return (
    unit < 0x7f ||
    (unit >= 0x3041 && unit <= 0x3096) ||
    (unit >= 0x30a1 && unit <= 0x30fa) ||
    (unit >= 0x4e00 && unit <= 0x9fff) ||
    (unit >= 0xac00 && unit <= 0xd7a3)
  );
}
