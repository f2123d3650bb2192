import {cellWidth, graphemes} from '../../text/cell-width.ts';
import {
  after,
  before,
  firstNonBlank,
  isEmptyLine,
  isLineEnd,
  lineAt,
  lineEnd,
  lineStart,
  onCharacter,
  stepLines,
  stepLinesAtMost,
} from './place.ts';
import {nextWord, previousWord, previousWordEnd, wordEnd} from './words.ts';

/** A search for a character on the line. */
export interface Find {
  readonly key: 'f' | 'F' | 't' | 'T';
  readonly character: string;
}

/** Where a motion leads, and how much of it an operator takes: up to there, with it, or whole lines. */
export interface Motion {
  readonly to: number;
  readonly reach: 'exclusive' | 'inclusive' | 'lines';
  readonly goal: number | 'none' | 'end';
}

export interface MotionCall {
  /** The motion's keys without a count. */
  readonly keys: string;
  /** 0 where none was given. */
  readonly count: number;
  readonly use: 'move' | 'operate' | 'change';
  readonly goal: number | 'none' | 'end';
  readonly find: Find | 'none';
}

/** Where the motion leads, or `undefined` where it cannot. */
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
  const there = use === 'move' ? onCharacter(text, to) : to;
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

/** The cell column of a place in its line. */
const columnOf = (text: string, at: number): number => cellWidth(text.slice(lineStart(text, at), at));

function vertical(text: string, at: number, {lines, goal}: {readonly lines: number; readonly goal: Motion['goal']}) {
  const start = stepLinesAtMost(text, at, lines);
  if (start === undefined) return undefined;
  const wanted = goal === 'none' ? columnOf(text, at) : goal;
  const to = wanted === 'end' ? onCharacter(text, lineEnd(text, start)) : atColumn(text, start, wanted);
  return {to, reach: 'lines', goal: wanted} as const;
}

/** The character at this cell column, or the last one of the line. */
function atColumn(text: string, start: number, column: number): number {
  let at = start;
  let cells = 0;
  for (const grapheme of graphemes(text.slice(start, lineEnd(text, start)))) {
    const next = cells + cellWidth(grapheme);
    if (next > column) break;
    cells = next;
    at += grapheme.length;
  }
  return onCharacter(text, at);
}

function finding(text: string, at: number, {keys, count, find}: MotionCall): Motion | undefined {
  const isAgain = keys === ';' || keys === ',';
  const wanted = isAgain ? find : findOf(keys);
  if (wanted === 'none') return undefined;
  const key = keys === ',' ? opposite[wanted.key] : wanted.key;
  const direction = key === 'f' || key === 't' ? 'right' : 'left';
  const stops = key === 't' || key === 'T';
  let left = Math.max(1, count);
  // Repeated, a search that stops before its character does not stop before the one it stands at.
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

/** The search that the keys `fx` are. */
export function findOf(keys: string): Find | 'none' {
  const [key] = keys;
  const character = keys.slice(1);
  return (key === 'f' || key === 'F' || key === 't' || key === 'T') && character !== '' ? {key, character} : 'none';
}

const brackets = ['()', '[]', '{}'] as const;

/** The bracket that belongs to the first one at or behind this place on its line. */
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
