import {pluralize} from '../../base/clip.ts';
import {visible} from '../../base/visible.ts';
import {type Frame, wrapText} from '../text/wrap.ts';
import {keyHint} from '../terminal/keymap.ts';
import {glyphs} from '../theme/glyphs.ts';
import type {Role} from '../theme/palette.ts';
import type {ExcerptLine} from './output-excerpt.ts';

/** The left margin of everything the agent says and does. */
export const margin = '  ';

export const insideMargin = <F extends Frame>(frame: F): F => ({
  ...frame,
  width: Math.max(8, frame.width - margin.length),
});

export const signedRows = (text: string, {sign, role}: {readonly sign: string; readonly role: Role}, frame: Frame) =>
  wrapText(visible(text), [role], insideMargin(frame)).map((row, at) =>
    at === 0 && sign !== '' ? `${frame.theme.style([role], sign)} ${row}` : margin + row,
  );

const barWidth = 6;

export const besideBar = <F extends Frame>(frame: F): F => ({...frame, width: Math.max(4, frame.width - barWidth)});

/** A row to the right of a bar. `gap` is true if lines before it are left out. */
export interface BarredRow {
  readonly text: string;
  readonly gap: boolean;
}

/** Returns rows to the right of a bar that ends below them. `foot` says what is left out. */
export function barredRows(
  rows: readonly (string | BarredRow)[],
  foot: readonly string[],
  frame: Frame,
): readonly string[] {
  const {theme} = frame;
  const all = [...rows, ...(foot.length === 0 ? [] : wrapText(foot.join(' · '), ['dim'], besideBar(frame)))];
  return all.map((row, at) => {
    const {text, gap} = typeof row === 'string' ? {text: row, gap: false} : row;
    const bar = at === all.length - 1 ? glyphs.barEnd : gap ? glyphs.barGap : glyphs.bar;
    return `    ${theme.style(['dim'], bar)} ${text}`.trimEnd();
  });
}

/** Returns ` · Ctrl+O`, after what is folded. Empty if no key unfolds. */
export const unfoldHint = (): string => keyHint('expand', key => ` · ${key}`);

export const moreLines = (count: number): readonly string[] =>
  count <= 0 ? [] : [pluralize(count, 'more line') + unfoldHint()];

/** Returns the rows of an excerpt of `lines`. `rowsOf` wraps and styles a line. */
export const excerptRows = (
  lines: readonly string[],
  excerpt: readonly ExcerptLine[],
  rowsOf: (line: string) => readonly string[],
): readonly BarredRow[] =>
  excerpt.flatMap(({text, from}, place) => {
    const before = excerpt[place - 1]?.to;
    const gap = before !== undefined && lines.slice(before + 1, from).some(line => line.trim() !== '');
    return rowsOf(text).map((row, part) => ({text: row, gap: gap && part === 0}));
  });
