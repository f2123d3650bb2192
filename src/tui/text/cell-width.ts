import {graphemeSegmenter, plainTextPattern} from './grapheme-segmenter.ts';

/**
 * Returns the terminal cells of `text`, which must have no control characters and no styling. The package string-width (8.3) measures the same,
 * but gives Thai am and Devanagari conjuncts one cell. But it is 10 to 100 times slower for non-ASCII text, and
 * wrap-ansi (10.0) is up to 15 times slower than `wrapSpans`. Streamed markdown is measured in every frame.
 */
export function cellWidth(text: string): number {
  if (plainTextPattern.test(text)) return text.length;
  let width = 0;
  for (const {segment} of graphemeSegmenter.segment(text)) width += graphemeWidth(segment);
  return width;
}

const pictures = String.raw`\x1B\]1337;[^\x1B\x07]*(?:\x1B\\|\x07)|\x1B_G[^\x1B]*\x1B\\`;
const pictureData = new RegExp(pictures, 'gu');

/** SGR, links, and the sequences of pictures, which take no cells of the line themselves. */
const styling = new RegExp(
  String.raw`\x1B\[[\d;]*[mA]|\x1B\]8;[^\x1B\x07]*(?:\x1B\\|\x07)|${pictures}|\x1B[78D]`,
  'gu',
);

export const stripStyles = (line: string): string => (line.includes('\u001B') ? line.replaceAll(styling, '') : line);

/** Returns a line without the data of a picture, which is long. */
export const withoutPicture = (line: string): string => line.replaceAll(pictureData, '');

export const styledWidth = (line: string): number => cellWidth(stripStyles(line));

/** Measures text for Ink and its packages. In the built program this function replaces the package string-width. */
// oxlint-disable-next-line import/no-default-export -- they import it so
export default function stringWidth(text: string, {countAnsiEscapeCodes = false} = {}): number {
  const shown = countAnsiEscapeCodes ? text : stripStyles(text);
  return cellWidth(plainTextPattern.test(shown) ? shown : shown.replaceAll(/\p{Control}/gu, ''));
}

export function graphemes(text: string): readonly string[] {
  if (plainTextPattern.test(text)) return text.split('');
  return Array.from(graphemeSegmenter.segment(text), ({segment}) => segment);
}

/**
 * Returns 0 for lone marks, 2 for wide characters and emoji, and otherwise 1. Terminals differ: this matches kitty,
 * Ghostty, WezTerm, iTerm2 and Windows Terminal. Composite emoji (a family, a flag, a keycap) and characters with
 * U+FE0F take two cells. Older terminals use one cell, or one for each part. An additional letter of a character (the
 * Thai am, a Devanagari conjunct, a halfwidth voiced mark) takes its own cells, as in all but the newest terminals.
 */
export function graphemeWidth(grapheme: string): number {
  const code = grapheme.codePointAt(0) ?? 0;
  if (code < 0x300 && !grapheme.includes(emojiSelector)) return 1;
  if (/^[\p{Mark}\p{Format}]+$/u.test(grapheme)) return 0;
  if (/^(?:\p{Emoji_Presentation}|\p{Emoji}\uFE0F)/u.test(grapheme)) return 2;
  let width = isWide(code) ? 2 : 1;
  const first = code > 0xffff ? 2 : 1;
  if (grapheme.length === first) return width;
  for (const [letter] of grapheme.slice(first).matchAll(furtherLetter)) {
    width += isWide(letter.codePointAt(0) ?? 0) ? 2 : 1;
  }
  return width;
}

const emojiSelector = '\uFE0F';

/** Matches a letter, except a vowel or final consonant of a Hangul syllable, which is drawn below the first. */
const furtherLetter = /(?![\u1160-\u11FF\uD7B0-\uD7FF])\p{Letter}/gu;

/** East Asian Wide and Fullwidth, as ranges of code points: first, last. */
const wideRanges: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2329, 0x232a],
  [0x2e80, 0x303e],
  [0x3041, 0x33ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xa000, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe10, 0xfe19],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x16fe0, 0x18aff],
  [0x1b000, 0x1b2ff],
  [0x1f200, 0x1f2ff],
  [0x20000, 0x3fffd],
];

function isWide(code: number): boolean {
  for (const [first, last] of wideRanges) {
    if (code < first) return false;
    if (code <= last) return true;
  }
  return false;
}

/** Returns the beginning of `text` that fits in `cells`, ending in `…` if something was cut. */
export function fit(text: string, cells: number): string {
  if (text.length <= cells && plainTextPattern.test(text)) return text;
  const maxLength = cells * unitsOfCell + unitsOfCell;
  // Looks only at the beginning of a long text, unless all of that fits.
  const beginning = text.length > maxLength ? cutTo(text.slice(0, maxLength), cells) : undefined;
  return beginning ?? cutTo(text, cells) ?? text;
}

/** The maximum number of UTF-16 units that a cell is expected to need. */
const unitsOfCell = 20;

function cutTo(text: string, cells: number): string | undefined {
  if (plainTextPattern.test(text)) return text.length <= cells ? undefined : cutText(text.slice(0, cells - 1), cells);
  if (cellWidth(text) <= cells) return undefined;
  let kept = '';
  let width = 0;
  for (const grapheme of graphemes(text)) {
    width += graphemeWidth(grapheme);
    if (width > cells - 1) break;
    kept += grapheme;
  }
  return cutText(kept, cells);
}

const cutText = (kept: string, cells: number): string => (cells > 0 ? `${kept}…` : '');
