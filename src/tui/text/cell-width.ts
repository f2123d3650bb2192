import {graphemeSegmenter, plain} from './grapheme-segmenter.ts';

/**
 * Terminal cells that `text` takes; it holds no control characters and no styling. string-width (8.3) measures the same, except that it
 * gives Thai am and Devanagari conjuncts one cell, but needs 10 to 100 times as long for text that is not ASCII, and wrap-ansi (10.0)
 * up to 15 times as long as `wrapSpans`; streamed markdown is measured in every frame.
 */
export function cellWidth(text: string): number {
  if (plain.test(text)) return text.length;
  let width = 0;
  for (const {segment} of graphemeSegmenter.segment(text)) width += graphemeWidth(segment);
  return width;
}

// oxlint-disable-next-line no-control-regex -- SGR and OSC 8 begin with ESC
const styling = /\u001B\[[\d;]*m|\u001B\]8;[^\u001B\u0007]*(?:\u001B\\|\u0007)/gu;

export const stripStyles = (line: string): string => (line.includes('\u001B') ? line.replaceAll(styling, '') : line);

export const styledWidth = (line: string): number => cellWidth(stripStyles(line));

export function graphemes(text: string): readonly string[] {
  if (plain.test(text)) return text.split('');
  return Array.from(graphemeSegmenter.segment(text), ({segment}) => segment);
}

/**
 * 0 for marks alone, 2 for wide characters and emoji, else 1. Terminals differ: this is what kitty, Ghostty, WezTerm, iTerm2 and
 * Windows Terminal show. An emoji of several (a family, a flag, a keycap) takes two cells, as does a sign that U+FE0F makes an emoji;
 * older ones give it a cell for each part, or one. A further letter of a character (the Thai am, a Devanagari conjunct, a
 * halfwidth voiced mark) takes cells of its own, as in all but the newest.
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

/** A letter, but no vowel or final consonant of a Hangul syllable, which stands below its first. */
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

/** The beginning of `text` that fits in `cells`, ending in `…` when something was cut. */
export function fit(text: string, cells: number): string {
  if (text.length <= cells && plain.test(text)) return text;
  const most = cells * unitsOfCell + unitsOfCell;
  // Of a long text only the beginning is looked at, unless all of that fits.
  const beginning = text.length > most ? cutTo(text.slice(0, most), cells) : undefined;
  return beginning ?? cutTo(text, cells) ?? text;
}

/** The most UTF-16 units that a cell is expected to need. */
const unitsOfCell = 20;

function cutTo(text: string, cells: number): string | undefined {
  if (cellWidth(text) <= cells) return undefined;
  let kept = '';
  let width = 0;
  for (const grapheme of graphemes(text)) {
    width += graphemeWidth(grapheme);
    if (width > cells - 1) break;
    kept += grapheme;
  }
  return cells > 0 ? `${kept}…` : '';
}
