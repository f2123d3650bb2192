import {lineEnd, lineStart} from '../text-buffer.ts';
import {after, before, lineAt, stepLines, wordClass, type WordSize} from './motions.ts';

/** The half-open range of a text object. */
export interface ObjectRange {
  readonly from: number;
  readonly to: number;
  readonly kind: 'characters' | 'lines';
}

/** Returns the range of a text object such as `iw`, `a"`, `i(` or `ap` around an index, or `undefined` if there is none. */
export function textObject(text: string, at: number, {keys, count}: {readonly keys: string; readonly count: number}) {
  const extent = keys.startsWith('a') ? 'around' : 'inner';
  const name = keys.slice(1);
  const times = Math.max(1, count);
  switch (name) {
    case 'w':
    case 'W':
      return wordObject(text, at, {extent, times, size: name === 'w' ? 'word' : 'WORD'});
    case '"':
    case "'":
    case '`':
      return quoted(text, at, {extent, sign: name});
    case 'p':
      return paragraphObject(text, at, {extent, times});
    default: {
      const pair = pairs.find(one => one.includes(name));
      return pair === undefined ? undefined : bracketed(text, at, {extent, times, pair});
    }
  }
}

type Extent = 'inner' | 'around';

const pairs = ['()b', '[]', '{}B', '<>'] as const;

/** `iw` and `aw`: runs of characters of one class (letters, blanks or punctuation). */
function wordObject(
  text: string,
  at: number,
  {extent, times, size}: {readonly extent: Extent; readonly times: number; readonly size: WordSize},
): ObjectRange | undefined {
  const [start, end] = [lineStart(text, at), lineEnd(text, at)];
  if (start === end) return extent === 'inner' ? {from: at, to: at, kind: 'characters'} : undefined;
  const run = (from: number): number => {
    let to = from;
    while (to < end && wordClass(text, to, size) === wordClass(text, from, size)) to = after(text, to);
    return to;
  };
  let from = at;
  while (from > start && wordClass(text, before(text, from), size) === wordClass(text, at, size))
    from = before(text, from);
  const startsBlank = wordClass(text, from, size) === 0;
  let to = from;
  let blankBehind = false;
  for (let left = times; left > 0; left--) {
    if (to >= end) return undefined;
    to = run(to);
    if (extent === 'inner') continue;
    if (startsBlank) {
      if (to >= end) return undefined;
      to = run(to);
    } else {
      blankBehind = to < end && wordClass(text, to, size) === 0;
      if (blankBehind) to = run(to);
    }
  }
  if (extent === 'around' && !startsBlank && !blankBehind) {
    let blanks = from;
    while (blanks > start && wordClass(text, before(text, blanks), size) === 0) blanks = before(text, blanks);
    // The line's indentation does not belong to the word.
    if (blanks > start) from = blanks;
  }
  return {from, to, kind: 'characters'};
}

/** Returns the range between two quotation marks of one line: around the cursor, or the first quoted range after it. */
function quoted(text: string, at: number, {extent, sign}: {readonly extent: Extent; readonly sign: string}) {
  const start = lineStart(text, at);
  const line = lineAt(text, at);
  const marks: number[] = [];
  for (let place = 0; place < line.length; place++) {
    if (line[place] === '\\') place++;
    else if (line[place] === sign) marks.push(place);
  }
  const column = at - start;
  const own = marks.indexOf(column);
  const first =
    own >= 0
      ? own - (own % 2)
      : Math.max(
          0,
          marks.findLastIndex(mark => mark < column),
        );
  const [open, close] = [marks[first], marks[first + 1]];
  return open === undefined || close === undefined ? undefined : range(text, start, {open, close, extent});
}

function range(
  text: string,
  start: number,
  {open, close, extent}: {readonly open: number; readonly close: number; readonly extent: Extent},
): ObjectRange {
  if (extent === 'inner') return {from: start + open + 1, to: start + close, kind: 'characters'};
  let [from, to] = [start + open, start + close + 1];
  const blanksBehind = /^[ \t]*/u.exec(text.slice(to, lineEnd(text, to)))?.[0].length ?? 0;
  if (blanksBehind > 0) to += blanksBehind;
  else from -= /[ \t]*$/u.exec(text.slice(start, from))?.[0].length ?? 0;
  return {from, to, kind: 'characters'};
}

function bracketed(
  text: string,
  at: number,
  {extent, times, pair}: {readonly extent: Extent; readonly times: number; readonly pair: string},
): ObjectRange | undefined {
  const [open = '', close = ''] = pair;
  const around = openedBefore(text, at, {open, close, times});
  // If no bracket surrounds the cursor, use the first opening one on the rest of the line.
  const ahead = text.slice(at, lineEnd(text, at)).indexOf(open);
  const from = around ?? (times === 1 && ahead >= 0 ? at + ahead : undefined);
  if (from === undefined) return undefined;
  let to = from;
  for (let inside = 1; inside > 0;) {
    to++;
    if (to >= text.length) return undefined;
    if (text[to] === open) inside++;
    else if (text[to] === close) inside--;
  }
  if (extent === 'around') return {from, to: to + 1, kind: 'characters'};
  return innerOf(text, from, to);
}

/** Returns the index of the opening bracket `times` levels around the cursor. A bracket under the cursor counts. */
function openedBefore(
  text: string,
  at: number,
  {open, close, times}: {readonly open: string; readonly close: string; readonly times: number},
): number | undefined {
  let left = text[at] === open ? times - 1 : times;
  let from = at;
  while (left > 0) {
    from--;
    if (from < 0) return undefined;
    if (text[from] === close) left++;
    else if (text[from] === open) left--;
  }
  return from;
}

/** Returns the range inside brackets: whole lines if the brackets are on separate lines. */
function innerOf(text: string, open: number, close: number): ObjectRange {
  const opensLine = text[open + 1] === '\n';
  const closesLine = /^[ \t]*$/u.test(text.slice(lineStart(text, close), close));
  if (lineStart(text, open) === lineStart(text, close) || !closesLine) {
    return {from: opensLine ? open + 2 : open + 1, to: close, kind: 'characters'};
  }
  const end = lineStart(text, close) - 1;
  if (!opensLine) return {from: open + 1, to: end, kind: 'characters'};
  return end < open + 2 ? {from: open + 1, to: open + 1, kind: 'characters'} : {from: open + 2, to: end, kind: 'lines'};
}

/** Returns a paragraph: consecutive non-empty or empty lines. `around` adds the empty lines after it, or else those before it. */
function paragraphObject(
  text: string,
  at: number,
  {extent, times}: {readonly extent: Extent; readonly times: number},
): ObjectRange | undefined {
  const blank = (line: number): boolean => lineAt(text, line).trim() === '';
  let from = lineStart(text, at);
  const block = (line: number, step: 1 | -1): number => {
    let end = line;
    for (;;) {
      const next = stepLines(text, end, step);
      if (next === undefined || blank(next) !== blank(line)) return end;
      end = next;
    }
  };
  const startsBlank = blank(from);
  from = block(from, -1);
  let last = block(from, 1);
  const runs = extent === 'inner' ? times : 2 * times;
  for (let done = 1; done < runs; done++) {
    const next = stepLines(text, last, 1);
    if (next === undefined) {
      if (extent === 'inner' || done < runs - 1 || startsBlank) return undefined;
      const above = stepLines(text, from, -1);
      if (above !== undefined) from = block(above, -1);
      break;
    }
    last = block(next, 1);
  }
  return {from, to: lineEnd(text, last), kind: 'lines'};
}
