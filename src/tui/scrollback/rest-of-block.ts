import type {TranscriptBlock} from './scrollback-buffer.ts';
import {countLostRows, unstyledText} from './lost-rows.ts';
import {stripStyles, styledWidth} from '../text/cell-width.ts';
import type {EntryFrame} from '../text/wrap.ts';

// The first lines of a block may be in the terminal's scrollback, where they stay, while the others are written again at
// another width.

/** A width at which no paragraph wraps. */
const wideEnough = 100_000;

/** The lines of a block that follow others: laid out again, or as they were because the block's text depends on the width, as that of a table does. */
interface Rest {
  readonly lines: readonly string[];
  readonly isLaidOut: boolean;
}

/** Returns the lines after the `kept` ones. `written` are all lines as they were. */
export function restOfBlock(
  block: TranscriptBlock,
  {kept, written}: {readonly kept: readonly string[]; readonly written: readonly string[]},
  frame: EntryFrame,
): Rest {
  const lines = block(frame);
  if (kept.length === 0) return {lines, isLaidOut: true};
  const count = unstyledText(kept).length;
  const whole = block({...frame, width: wideEnough});
  const begun = lineAt(whole, count);
  const next = lineAt(lines, unstyledText(whole.slice(0, begun.used === 0 ? begun.line : begun.line + 1)).length);
  const isProse = unstyledText(lines) === unstyledText(whole) && whole.every(line => line.length < wideEnough / 2);
  if (!isProse || next.used > 0) return {lines: linesAfter(written, count), isLaidOut: false};
  const following = lines.slice(next.line);
  if (begun.used > 0) {
    return {lines: [...wrapRest(whole[begun.line] ?? '', begun.used, frame.width), ...following], isLaidOut: true};
  }
  const blanks = kept.length - 1 - kept.findLastIndex(line => unstyledText([line]) !== '');
  return {lines: following.slice(blanks), isLaidOut: true};
}

/** Returns the lines of a block that follow those of the lost rows with which it begins. */
export function linesAfterLost(block: TranscriptBlock, lost: readonly string[], frame: EntryFrame): readonly string[] {
  const written = block(frame);
  const kept = lost.slice(0, countLostRows(written, lost));
  return kept.length === 0 ? written : restOfBlock(block, {kept, written}, frame).lines;
}

function linesAfter(lines: readonly string[], count: number): readonly string[] {
  const {line, used} = lineAt(lines, count);
  if (used === 0) return lines.slice(line);
  return [...wrapRest(lines[line] ?? '', used, wideEnough), ...lines.slice(line + 1)];
}

/** Returns the line that begins with or contains the character after the first `count`, and how many of them are in it. */
function lineAt(lines: readonly string[], count: number): {readonly line: number; readonly used: number} {
  let left = count;
  for (const [line, text] of lines.entries()) {
    if (left === 0) return {line, used: 0};
    const {length} = unstyledText([text]);
    if (left < length) return {line, used: left};
    left -= length;
  }
  return {line: lines.length, used: 0};
}

/** Matches what makes the next text bold, colored or a link. It first ends the style of the text before. */
// oxlint-disable-next-line no-control-regex -- SGR and OSC 8 begin with ESC
const styleChange = /(?:\u001B\[[\d;]*m|\u001B\]8;[^\u001B\u0007]*(?:\u001B\\|\u0007))+/gu;
const styleEnd = '\u001B[m\u001B]8;;\u001B\\';
const bullet = /^ *(?:(?:[^\p{L}\p{N} ]|\d+[.)]) +)?/u;

/** Wraps the text after the first `used` characters, blanks not counted, between words. */
function wrapRest(line: string, used: number, width: number): readonly string[] {
  const indent = ' '.repeat(bullet.exec(stripStyles(line))?.[0].length ?? 0);
  const rows: string[] = [];
  let row = '';
  let style = '';
  let left = used;
  for (const [part] of line.matchAll(/ +|[^ ]+/gu)) {
    const before = unstyledText([part]).length;
    left -= before;
    const shown = left >= 0 ? '' : part;
    const change = part.match(styleChange)?.at(-1);
    if (shown !== '') {
      if (row !== '' && styledWidth(row) + styledWidth(shown) > width) {
        rows.push(style === '' ? row.trimEnd() : row.trimEnd() + styleEnd);
        row = '';
      }
      if (row !== '') row += shown;
      else if (!shown.startsWith(' ')) row = indent + style + shown;
    }
    style = change ?? style;
  }
  return row === '' ? rows : [...rows, row];
}
