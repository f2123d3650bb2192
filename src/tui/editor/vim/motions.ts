import {cellWidth, graphemes} from '../../text/cell-width.ts';
import {boundaryAfter, boundaryBefore, lineEnd, lineStart} from '../text-buffer.ts';

export interface Find {
  readonly key: 'f' | 'F' | 't' | 'T';
  readonly character: string;
}

/** The target of a motion, and the reach of an operator: up to the target, including the target, or whole lines. */
export interface Motion {
  readonly to: number;
  readonly reach: 'exclusive' | 'inclusive' | 'lines';
  readonly goal: number | 'none' | 'end';
}

interface MotionCall {
  /** The motion's keys without a count. */
  readonly keys: string;
  /** 0 if no count was typed. */
  readonly count: number;
  readonly use: 'move' | 'operate' | 'change';
  readonly goal: number | 'none' | 'end';
  readonly find: Find | 'none';
}

export function motionFrom(text: string, at: number, call: MotionCall): Motion | undefined {
  const {keys, count, use} = call;
  const times = Math.max(1, count);
  switch (keys[0]) {
    case 'h':
    case '\b': {
      let to = at;
      for (let left = times; left > 0 && to > lineStart(text, to); left--) to = before(text, to);
      return to === at ? undefined : exclusive(to);
    }
    case 'l':
    case ' ':
      return right(text, at, {times, use});
    case 'j':
    case 'k':
      return vertical(text, at, {...call, lines: keys === 'j' ? times : -times});
    case '+':
    case '-':
      return toLine(text, stepLinesAtMost(text, at, keys === '+' ? times : -times));
    case '_':
      return toLine(text, stepLinesAtMost(text, at, times - 1));
    case '0':
      return exclusive(lineStart(text, at));
    case '^':
      return exclusive(firstNonBlank(text, at));
    case '|':
      return exclusive(atColumn(text, lineStart(text, at), times - 1));
    case '$': {
      const start = stepLinesAtMost(text, at, times - 1);
      if (start === undefined) return undefined;
      const end = lineEnd(text, start);
      return {to: isEmptyLine(text, end) ? end : before(text, end), reach: 'inclusive', goal: 'end'};
    }
    case 'G':
    case 'g':
      return far(text, at, call);
    case 'f':
    case 'F':
    case 't':
    case 'T':
    case ';':
    case ',':
      return finding(text, at, call);
    case '%': {
      const to = matching(text, at);
      return to === undefined ? undefined : {to, reach: 'inclusive', goal: 'none'};
    }
    case '{':
    case '}':
      return paragraph(text, at, {direction: keys === '}' ? 1 : -1, times});
    default:
      return words(text, at, call);
  }
}

const exclusive = (to: number): Motion => ({to, reach: 'exclusive', goal: 'none'});

function right(text: string, at: number, {times, use}: {readonly times: number; readonly use: MotionCall['use']}) {
  let to = at;
  for (let left = times; left > 0 && !isLineEnd(text, to); left--) to = after(text, to);
  const there = use === 'move' ? clampToCharacter(text, to) : to;
  return there === at && use === 'move' ? undefined : exclusive(there);
}

function words(text: string, at: number, {keys, count, use}: MotionCall): Motion | undefined {
  const size = keys.toLowerCase() === keys ? 'word' : 'WORD';
  const times = Math.max(1, count);
  switch (keys.toLowerCase()) {
    case 'w': {
      if (use === 'change' && !isLineEnd(text, at) && !/[ \t]/u.test(text[at] ?? '')) {
        return {to: wordEnd(text, at, {size, count: times, stop: 'here'}), reach: 'inclusive', goal: 'none'};
      }
      const to = nextWord(text, at, {size, count: times, stay: use === 'move' ? 'no' : 'line'});
      return to === at ? undefined : exclusive(to);
    }
    case 'b':
      return at === 0 ? undefined : exclusive(previousWord(text, at, {size, count: times}));
    case 'e':
      return at >= text.length
        ? undefined
        : {to: wordEnd(text, at, {size, count: times, stop: 'next'}), reach: 'inclusive', goal: 'none'};
    default:
      return undefined;
  }
}

function far(text: string, at: number, {keys, count}: MotionCall): Motion | undefined {
  const lineNumber = (number: number): number => stepLines(text, 0, number - 1) ?? lineStart(text, text.length);
  switch (keys) {
    case 'G':
      return toLine(text, count === 0 ? lineStart(text, text.length) : lineNumber(count));
    case 'gg':
      return toLine(text, lineNumber(Math.max(1, count)));
    case 'ge':
    case 'gE': {
      const size = keys === 'ge' ? 'word' : 'WORD';
      if (at === 0) return undefined;
      return {to: previousWordEnd(text, at, {size, count: Math.max(1, count)}), reach: 'inclusive', goal: 'none'};
    }
    case 'g_': {
      const start = stepLines(text, at, Math.max(1, count) - 1);
      if (start === undefined) return undefined;
      const line = lineAt(text, start).trimEnd();
      return {to: line === '' ? start : before(text, start + line.length), reach: 'inclusive', goal: 'none'};
    }
    default:
      return undefined;
  }
}

const toLine = (text: string, start: number | undefined): Motion | undefined =>
  start === undefined ? undefined : {to: firstNonBlank(text, start), reach: 'lines', goal: 'none'};

const columnOf = (text: string, at: number): number => cellWidth(text.slice(lineStart(text, at), at));

function vertical(text: string, at: number, {lines, goal}: {readonly lines: number; readonly goal: Motion['goal']}) {
  const start = stepLinesAtMost(text, at, lines);
  if (start === undefined) return undefined;
  const wanted = goal === 'none' ? columnOf(text, at) : goal;
  const to = wanted === 'end' ? clampToCharacter(text, lineEnd(text, start)) : atColumn(text, start, wanted);
  return {to, reach: 'lines', goal: wanted} as const;
}

/** Returns the index of the character at a column (in cells), or of the last character of the line. */
function atColumn(text: string, start: number, column: number): number {
  let at = start;
  let cells = 0;
  for (const grapheme of graphemes(text.slice(start, lineEnd(text, start)))) {
    const next = cells + cellWidth(grapheme);
    if (next > column) break;
    cells = next;
    at += grapheme.length;
  }
  return clampToCharacter(text, at);
}

function finding(text: string, at: number, {keys, count, find}: MotionCall): Motion | undefined {
  const isAgain = keys === ';' || keys === ',';
  const wanted = isAgain ? find : findOf(keys);
  if (wanted === 'none') return undefined;
  const key = keys === ',' ? opposite[wanted.key] : wanted.key;
  const direction = key === 'f' || key === 't' ? 'right' : 'left';
  const stops = key === 't' || key === 'T';
  let left = Math.max(1, count);
  // A repeated `t` or `T` skips the character next to the cursor.
  let skip = isAgain && stops && left === 1;
  const [start, end] = [lineStart(text, at), lineEnd(text, at)];
  let to = at;
  while (direction === 'right' ? to < end : to > start) {
    to = direction === 'right' ? after(text, to) : before(text, to);
    if (to >= end || text.slice(to, after(text, to)) !== wanted.character) {
      skip = false;
      continue;
    }
    if (skip) {
      skip = false;
      continue;
    }
    if (--left > 0) continue;
    const there = stops ? (direction === 'right' ? before(text, to) : after(text, to)) : to;
    return {to: there, reach: direction === 'right' ? 'inclusive' : 'exclusive', goal: 'none'};
  }
  return undefined;
}

const opposite = {f: 'F', F: 'f', t: 'T', T: 't'} as const;

export function findOf(keys: string): Find | 'none' {
  const [key] = keys;
  const character = keys.slice(1);
  return (key === 'f' || key === 'F' || key === 't' || key === 'T') && character !== '' ? {key, character} : 'none';
}

const brackets = ['()', '[]', '{}'] as const;

/** Returns the index of the bracket that matches the first bracket at or after `from` on its line. */
function matching(text: string, from: number): number | undefined {
  const end = lineEnd(text, from);
  let at = from;
  while (at < end && !brackets.some(pair => pair.includes(text[at] ?? ' '))) at++;
  const pair = brackets.find(one => one.includes(text[at] ?? ' '));
  if (at >= end || pair === undefined) return undefined;
  const by = text[at] === pair[0] ? 1 : -1;
  let depth = 0;
  for (let place = at; place >= 0 && place < text.length; place += by) {
    if (text[place] === text[at]) depth++;
    else if (text[place] !== undefined && pair.includes(text[place] ?? ' ')) depth--;
    if (depth === 0) return place;
  }
  return undefined;
}

function paragraph(
  text: string,
  at: number,
  {direction, times}: {readonly direction: 1 | -1; readonly times: number},
): Motion | undefined {
  let line = lineStart(text, at);
  for (let left = times; left > 0; left--) {
    let seen = !isEmptyLine(text, line);
    for (;;) {
      const next = stepLines(text, line, direction);
      if (next === undefined) {
        if (left > 1) return undefined;
        break;
      }
      line = next;
      if (isEmptyLine(text, line) && seen) break;
      seen ||= !isEmptyLine(text, line);
    }
  }
  const end = lineEnd(text, line);
  if (direction === 1 && end >= text.length && end > line) {
    return {to: before(text, end), reach: 'inclusive', goal: 'none'};
  }
  return exclusive(line);
}

/** A `word` ends where letters and punctuation meet, a `WORD` only at blanks. */
export type WordSize = 'word' | 'WORD';

interface WordMove {
  readonly size: WordSize;
  readonly count: number;
}

/** Returns the start of the next word. For an operator (`line`), the last step stays on its line. An empty line is a word. */
function nextWord(text: string, from: number, {size, count, stay}: WordMove & {readonly stay: 'line' | 'no'}) {
  let at = from;
  for (let left = count - 1; left >= 0; left--) {
    const last = left === 0 && stay === 'line';
    const begun = wordClass(text, at, size);
    if (at >= text.length) return at;
    const leaves = isLineEnd(text, at);
    at = after(text, at);
    if (last && (leaves || isLineEnd(text, at))) return at;
    if (begun !== 0) {
      while (wordClass(text, at, size) === begun) {
        at = after(text, at);
        if (last && isLineEnd(text, at)) return at;
      }
    }
    while (at < text.length && wordClass(text, at, size) === 0 && !isEmptyLine(text, at)) at = after(text, at);
  }
  return at;
}

function previousWord(text: string, from: number, {size, count}: WordMove): number {
  let at = from;
  for (let left = count; left > 0 && at > 0; left--) {
    at = before(text, at);
    while (at > 0 && wordClass(text, at, size) === 0 && !isEmptyLine(text, at)) at = before(text, at);
    const begun = wordClass(text, at, size);
    if (begun === 0) continue;
    while (at > 0 && wordClass(text, before(text, at), size) === begun) at = before(text, at);
  }
  return at;
}

/** Returns the last character of a word. `here`: if the cursor is on one already, the first step stays there (`cw`). */
function wordEnd(text: string, from: number, {size, count, stop}: WordMove & {readonly stop: 'here' | 'next'}) {
  let at = from;
  for (let left = count; left > 0 && at < text.length; left--) {
    const begun = wordClass(text, at, size);
    let next = after(text, at);
    const stays = left === count && stop === 'here' && begun !== 0 && wordClass(text, next, size) !== begun;
    if (stays) continue;
    while (next < text.length && wordClass(text, next, size) === 0) next = after(text, next);
    const run = wordClass(text, next, size);
    if (run !== 0) while (wordClass(text, after(text, next), size) === run) next = after(text, next);
    at = next;
  }
  return at >= text.length ? text.length : at;
}

function previousWordEnd(text: string, from: number, {size, count}: WordMove): number {
  let at = from;
  for (let left = count; left > 0 && at > 0; left--) {
    const begun = wordClass(text, at, size);
    at = before(text, at);
    if (begun !== 0) while (at > 0 && wordClass(text, at, size) === begun) at = before(text, at);
    while (at > 0 && wordClass(text, at, size) === 0 && !isEmptyLine(text, at)) at = before(text, at);
  }
  return at;
}

// Indexes are in UTF-16 units. A line ends at its line feed, or at the end of the text.

export const lineAt = (text: string, at: number): string => text.slice(lineStart(text, at), lineEnd(text, at));

export const isLineEnd = (text: string, at: number): boolean => at >= text.length || text[at] === '\n';

export const isEmptyLine = (text: string, at: number): boolean => isLineEnd(text, at) && lineStart(text, at) === at;

/** Returns the index of the first non-blank character of the line, or of the last character if all are blanks. */
export function firstNonBlank(text: string, at: number): number {
  const line = lineAt(text, at);
  const blanks = /^[ \t]*/u.exec(line)?.[0].length ?? 0;
  return lineStart(text, at) + (blanks === line.length ? Math.max(0, blanks - 1) : blanks);
}

/** Returns the end of the grapheme that begins at `at`. A line feed counts as a grapheme. */
export function after(text: string, at: number): number {
  return isLineEnd(text, at) ? Math.min(text.length, at + 1) : boundaryAfter(text, at);
}

/** Returns the start of the grapheme that ends at `at`. */
export function before(text: string, at: number): number {
  const border = boundaryBefore(text, at);
  return border === at ? Math.max(0, at - 1) : border;
}

/** Returns the nearest index on a character: at the end of a line, that is the last character. */
export const clampToCharacter = (text: string, at: number): number =>
  isLineEnd(text, at) && !isEmptyLine(text, at) ? before(text, Math.min(at, text.length)) : Math.min(at, text.length);

export const linesBetween = (text: string, from: number, to: number): number =>
  text.slice(from, to).split('\n').length - 1;

/** Returns the start of the line `count` lines down (up if negative), or `undefined` if there is none. */
export function stepLines(text: string, at: number, count: number): number | undefined {
  let start = lineStart(text, at);
  for (let left = Math.abs(count); left > 0; left--) {
    if (count < 0 ? start === 0 : lineEnd(text, start) >= text.length) return undefined;
    start = count < 0 ? lineStart(text, start - 1) : lineEnd(text, start) + 1;
  }
  return start;
}

/** Returns 0 for blanks, 1 for punctuation, 2 for letters and digits. Some scripts and emoji have their own classes, from 3 up. */
export function wordClass(text: string, at: number, size: 'word' | 'WORD'): number {
  if (isLineEnd(text, at)) return 0;
  const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
  if (character === ' ' || character === '\t') return 0;
  if (size === 'WORD') return 1;
  const own = ownClasses.findIndex(one => one.test(character));
  if (own >= 0) return own + 3;
  return /[\p{Letter}\p{Number}\p{Mark}_]/u.test(character) ? 2 : 1;
}

const ownClasses = [
  /\p{Script=Hiragana}/u,
  /\p{Script=Katakana}/u,
  /\p{Script=Han}/u,
  /\p{Script=Hangul}/u,
  /\p{Extended_Pictographic}(?<!\p{ASCII})/u,
] as const;

/** Like `stepLines`, but stops at the first or last line; `undefined` if there is no line in that direction. */
export function stepLinesAtMost(text: string, at: number, count: number): number | undefined {
  const step = Math.sign(count);
  let start = step === 0 ? lineStart(text, at) : stepLines(text, at, step);
  for (let left = Math.abs(count) - 1; left > 0 && start !== undefined; left--) {
    const next = stepLines(text, start, step);
    if (next === undefined) break;
    start = next;
  }
  return start;
}
