import {graphemeSegmenter, plain} from './grapheme-segmenter.ts';

/** Terminal cells that `text` takes; it holds no control characters and no styling. */
export function cellWidth(text: string): number {
  if (plain.test(text)) return text.length;
  let width = 0;
  for (const {segment} of graphemeSegmenter.segment(text)) width += graphemeWidth(segment);
  return width;
}

// oxlint-disable-next-line no-control-regex -- SGR and OSC 8 begin with ESC
const styling = /\u001B\[[\d;]*m|\u001B\]8;[^\u001B\u0007]*(?:\u001B\\|\u0007)/gu;

/** Terminal cells of a line with styling and links in it. */
export const styledWidth = (line: string): number =>
  cellWidth(line.includes('\u001B') ? line.replaceAll(styling, '') : line);

/** What a user sees as one character each. */
export function graphemes(text: string): readonly string[] {
  if (plain.test(text)) return text.split('');
  return Array.from(graphemeSegmenter.segment(text), ({segment}) => segment);
}

/** 0 for marks alone, 2 for wide characters and emoji, else 1. */
export function graphemeWidth(grapheme: string): number {
  const code = grapheme.codePointAt(0) ?? 0;
  if (code < 0x300) return 1;
  if (/^[\p{Mark}\p{Format}]+$/u.test(grapheme)) return 0;
  if (/^\p{Emoji_Presentation}|\uFE0F/u.test(grapheme)) return 2;
  return isWide(code) ? 2 : 1;
}

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
  if (cellWidth(text) <= cells) return text;
  let kept = '';
  let width = 0;
  for (const grapheme of graphemes(text)) {
    width += graphemeWidth(grapheme);
    if (width > cells - 1) break;
    kept += grapheme;
  }
  return cells > 0 ? `${kept}…` : '';
}
