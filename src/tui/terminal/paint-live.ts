import type {Placed} from '../views/composer-view.ts';

/** Nothing stands below the scrollback, and the cursor is in the first cell of a row. */
export const noRegion: Placed = {lines: [], cursor: {x: 0, y: 0}};

/**
 * The bytes that make one live region of another that was drawn for the same width; none where nothing differs. All ways begin at the
 * cursor, which a terminal keeps with its row: one that becomes lower drops the rows below it, so that going down to the last row
 * first, and up from there, would lead into the lines above, which nobody writes again. Down goes by line feeds: they make the
 * rows that are not there.
 */
export function paintLive(before: Placed, after: Placed): string {
  const way = wayFrom(before.cursor.y);
  const changes = after.lines.flatMap((line, at) => {
    const old = before.lines[at];
    return old === line ? [] : [way.to(at) + (old === undefined ? line : changedLine(old, line))];
  });
  if (before.lines.length > after.lines.length) changes.push(`${way.to(after.lines.length)}${eraseBelow}`);
  const isStill = before.cursor.x === after.cursor.x && before.cursor.y === after.cursor.y;
  if (changes.length === 0 && isStill) return '';
  const place = way.to(after.cursor.y) + right(after.cursor.x);
  return changes.length === 0 ? place : `${hideCursor}${changes.join('')}${place}${showCursor}`;
}

/** Takes a live region away whose first row is `up` rows above the cursor. */
export const eraseLive = (region: Placed, up = region.cursor.y): string =>
  region.lines.length === 0 ? '' : `${wayFrom(up).to(0)}${eraseBelow}`;

/** Each step leads to the first cell of a row. */
function wayFrom(start: number): {to(row: number): string} {
  let at = start;
  return {
    to(row) {
      const from = at;
      at = row;
      if (row > from) return '\n'.repeat(row - from);
      return row < from ? `\u001B[${from - row}A\r` : '\r';
    },
  };
}

/** From the first cell of its row. What both begin with stays, as far as every terminal agrees on how wide it is. */
function changedLine(old: string, line: string): string {
  const kept = keptPart(old, line);
  const styles = kept.match(styling)?.join('') ?? '';
  const part = `${right(kept.replaceAll(styling, '').length)}${styles}${eraseRest}${line.slice(kept.length)}`;
  const whole = `${eraseRest}${line}`;
  return part.length < whole.length ? part : whole;
}

function keptPart(old: string, line: string): string {
  let length = 0;
  while (length < line.length && length < old.length && line[length] === old[length]) length++;
  const kept = narrow.exec(line.slice(0, length))?.[0] ?? '';
  // What comes next may belong to the letter before it.
  return [old, line].every(one => /^(?:$|[ -~])/u.test(one.slice(kept.length))) ? kept : '';
}

const right = (cells: number): string => (cells === 0 ? '' : `\u001B[${cells}C`);

const eraseBelow = '\u001B[J';
const eraseRest = '\u001B[K';
const hideCursor = '\u001B[?25l';
const showCursor = '\u001B[?25h';
/* oxlint-disable no-control-regex -- SGR begins with ESC */
const styling = /\u001B\[[\d;]*m/gu;
/** Letters of one cell, and what gives them their look. */
const narrow = /^(?:[ -~]|\u001B\[[\d;]*m)*/u;
/* oxlint-enable no-control-regex */
