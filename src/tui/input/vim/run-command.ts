import type {TextBuffer} from '../text-buffer.ts';
import {graphemes} from '../../text/cell-width.ts';
import {findOf, motionFrom, type Motion} from './motions.ts';
import {
  after,
  before,
  firstNonBlank,
  isEmptyLine,
  isLineEnd,
  lineEnd,
  lineStart,
  onCharacter,
  stepLines,
  stepLinesAtMost,
} from './place.ts';
import type {VimCommand} from './read-command.ts';
import {textObject, type TextRange} from './text-objects.ts';
import type {Register, VimMode, VimState} from './vim-state.ts';

/** What a command leads to. `undefined` where it cannot be done: nothing changes. */
export interface VimResult {
  readonly buffer: TextBuffer;
  readonly mode: VimMode;
  readonly register: Register;
  readonly goal: VimState['goal'];
  readonly find: VimState['find'];
  readonly does: 'move' | 'change' | 'yank';
}

export interface Field {
  readonly buffer: TextBuffer;
  readonly state: VimState;
}

/** One command of normal mode, other than those about the history of changes. */
export function runCommand(field: Field, command: VimCommand): VimResult | undefined {
  const {operator, keys, count} = command;
  if (operator !== '') return operate(field, command);
  const short = shortCommands[keys];
  if (short !== undefined) return operate(field, {...short, count});
  const times = Math.max(1, count);
  const {text, cursor} = field.buffer;
  switch (keys[0]) {
    case 'i':
      return insertAt(field, cursor);
    case 'a':
      return insertAt(field, isLineEnd(text, cursor) ? cursor : after(text, cursor));
    case 'I':
      return insertAt(field, lineStart(text, cursor) + indentOf(text, cursor).length);
    case 'A':
      return insertAt(field, lineEnd(text, cursor));
    case 'o':
      return openLine(field, lineEnd(text, cursor), 'below');
    case 'O':
      return openLine(field, lineStart(text, cursor), 'above');
    case 'p':
    case 'P':
      return put(field, {times, where: keys === 'p' ? 'behind' : 'before'});
    case 'r':
      return replaced(field, keys.slice(1), times);
    case '~':
      return switched(field, times);
    case 'J':
      return joined(field, Math.max(2, count));
    default:
      return moved(field, command);
  }
}

/** A motion alone. */
export function moved({buffer, state}: Field, {keys, count}: VimCommand): VimResult | undefined {
  const {text, cursor} = buffer;
  const motion = motionFrom(text, cursor, {keys, count, use: 'move', goal: state.goal, find: state.find});
  if (motion === undefined) return undefined;
  return {
    buffer: {text, cursor: onCharacter(text, motion.to)},
    mode: state.mode,
    register: state.register,
    goal: motion.goal,
    find: findAfter(state, keys),
    does: 'move',
  };
}

const findAfter = (state: VimState, keys: string): VimState['find'] => {
  const find = findOf(keys);
  return find === 'none' ? state.find : find;
};

const shortCommands: Readonly<Record<string, Pick<VimCommand, 'operator' | 'keys'>>> = {
  x: {operator: 'd', keys: 'l'},
  X: {operator: 'd', keys: 'h'},
  D: {operator: 'd', keys: '$'},
  C: {operator: 'c', keys: '$'},
  s: {operator: 'c', keys: 'l'},
  S: {operator: 'c', keys: 'c'},
  Y: {operator: 'y', keys: 'y'},
};

function operate(field: Field, command: VimCommand): VimResult | undefined {
  const {operator, keys} = command;
  const range = rangeOf(field, command);
  if (range === undefined) return undefined;
  const result = applyOperator(field, range, operator);
  return result === undefined ? undefined : {...result, find: findAfter(field.state, keys)};
}

function rangeOf({buffer: {text, cursor}, state}: Field, {operator, keys, count}: VimCommand): TextRange | undefined {
  const use = operator === 'c' ? 'change' : 'operate';
  if (keys === operator || (operator.startsWith('g') && (keys === operator[1] || keys === operator))) {
    const last = stepLinesAtMost(text, cursor, Math.max(1, count) - 1);
    if (last === undefined) return undefined;
    return {from: lineStart(text, cursor), to: lineEnd(text, last), kind: 'lines'};
  }
  if (keys.startsWith('i') || keys.startsWith('a')) return textObject(text, cursor, {keys, count});
  if (keys === 'l' && isLineEnd(text, cursor)) {
    return use === 'change' ? {from: cursor, to: cursor, kind: 'characters'} : undefined;
  }
  const motion = motionFrom(text, cursor, {keys, count, use, goal: state.goal, find: state.find});
  if (motion === undefined) return keys === '$' ? {from: cursor, to: cursor, kind: 'characters'} : undefined;
  return motionRange(text, cursor, {motion, operator});
}

/** The stretch between a place and where a motion leads. */
function motionRange(
  text: string,
  cursor: number,
  {motion, operator}: {readonly motion: Motion; readonly operator: string},
): TextRange {
  const [from, end] = cursor <= motion.to ? [cursor, motion.to] : [motion.to, cursor];
  if (motion.reach === 'lines') return {from: lineStart(text, from), to: lineEnd(text, end), kind: 'lines'};
  const crosses = text.slice(from, end).includes('\n');
  const indented = /^[ \t]*$/u.test(text.slice(lineStart(text, from), from));
  if (motion.reach === 'exclusive' && crosses && lineStart(text, end) === end) {
    // Ends before a line's first character: the line before is where it ends; with nothing before its start either, whole lines.
    if (indented) return {from: lineStart(text, from), to: end - 1, kind: 'lines'};
    return {from, to: end - 1, kind: 'characters'};
  }
  const to = motion.reach === 'inclusive' && !isLineEnd(text, end) ? after(text, end) : end;
  const restIsBlank = /^[ \t]*$/u.test(text.slice(to, lineEnd(text, to)));
  if (operator === 'd' && crosses && indented && restIsBlank) {
    return {from: lineStart(text, from), to: lineEnd(text, to), kind: 'lines'};
  }
  return {from, to, kind: 'characters'};
}

/** Does to a stretch what the operator says. */
export function applyOperator(field: Field, range: TextRange, operator: string): VimResult | undefined {
  const {buffer, state} = field;
  const {text} = buffer;
  const {from, to, kind} = range;
  const register: Register = {text: text.slice(from, to), kind};
  const base = {register, goal: 'none', find: state.find} as const;
  switch (operator) {
    case 'y': {
      const cursor = kind === 'lines' && from <= buffer.cursor ? yankedLines(text, buffer.cursor, from) : from;
      return {...base, buffer: {text, cursor}, mode: 'normal', does: 'yank'};
    }
    case 'd':
      return {...base, buffer: deleted(text, range), mode: 'normal', does: 'change'};
    case 'c':
      return {...base, buffer: emptied(text, range), mode: 'insert', does: 'change'};
    case '>':
    case '<': {
      const rest = shifted(text.slice(lineStart(text, from), lineEnd(text, Math.max(from, to))), operator);
      const next = text.slice(0, lineStart(text, from)) + rest + text.slice(lineEnd(text, Math.max(from, to)));
      return keeping(field, {text: next, cursor: firstNonBlank(next, from)});
    }
    default: {
      const letters = cased(text.slice(from, to), operator);
      const next = text.slice(0, from) + letters + text.slice(to);
      return keeping(field, {
        text: next,
        cursor: onCharacter(next, kind === 'lines' ? Math.min(from, buffer.cursor) : from),
      });
    }
  }
}

/** Copying lines downwards leaves the cursor, upwards it follows; its column stays. */
const yankedLines = (text: string, cursor: number, from: number): number =>
  lineStart(text, cursor) === from
    ? cursor
    : onCharacter(text, Math.min(from + (cursor - lineStart(text, cursor)), lineEnd(text, from)));

const keeping = ({state}: Field, buffer: TextBuffer): VimResult => ({
  buffer,
  mode: 'normal',
  register: state.register,
  goal: 'none',
  find: state.find,
  does: 'change',
});

function deleted(text: string, {from, to, kind}: TextRange): TextBuffer {
  if (kind === 'characters') {
    const rest = text.slice(0, from) + text.slice(to);
    return {text: rest, cursor: onCharacter(rest, from)};
  }
  const rest = to < text.length ? text.slice(0, from) + text.slice(to + 1) : text.slice(0, Math.max(0, from - 1));
  return {text: rest, cursor: firstNonBlank(rest, Math.min(from, rest.length))};
}

/** Of lines one empty one stays. */
const emptied = (text: string, {from, to}: TextRange): TextBuffer => ({
  text: text.slice(0, from) + text.slice(to),
  cursor: from,
});

/** Two blanks to the right or left; empty lines stay, tabs count as eight and become blanks. */
const shifted = (lines: string, operator: string): string =>
  lines
    .split('\n')
    .map(line => {
      if (line === '') return line;
      const indent = /^[ \t]*/u.exec(line)?.[0] ?? '';
      const width = indent.replaceAll(/ {0,7}\t| {8}/gu, '        ').length;
      return ' '.repeat(Math.max(0, width + (operator === '<' ? -2 : 2))) + line.slice(indent.length);
    })
    .join('\n');

function cased(text: string, operator: string): string {
  if (operator === 'gu') return text.toLowerCase();
  if (operator === 'gU') return text.toUpperCase();
  return graphemes(text)
    .map(one => (one === one.toLowerCase() ? one.toUpperCase() : one.toLowerCase()))
    .join('');
}

const indentOf = (text: string, at: number): string =>
  /^[ \t]*/u.exec(text.slice(lineStart(text, at), lineEnd(text, at)))?.[0] ?? '';

const insertAt = ({buffer: {text}, state}: Field, cursor: number): VimResult => ({
  buffer: {text, cursor},
  mode: 'insert',
  register: state.register,
  goal: 'none',
  find: state.find,
  does: 'change',
});

function openLine(field: Field, at: number, where: 'above' | 'below'): VimResult {
  const {text} = field.buffer;
  const next = `${text.slice(0, at)}\n${text.slice(at)}`;
  return insertAt({...field, buffer: {text: next, cursor: at}}, where === 'below' ? at + 1 : at);
}

function put(
  field: Field,
  {times, where}: {readonly times: number; readonly where: 'behind' | 'before'},
): VimResult | undefined {
  const {buffer, state} = field;
  const {text, cursor} = buffer;
  const {register} = state;
  if (register.text === '' && register.kind === 'characters') return undefined;
  if (register.kind === 'lines') {
    const lines = Array.from({length: times}, () => register.text).join('\n');
    const at = where === 'before' ? lineStart(text, cursor) : lineEnd(text, cursor);
    const next =
      where === 'before'
        ? `${text.slice(0, at)}${lines}\n${text.slice(at)}`
        : `${text.slice(0, at)}\n${lines}${text.slice(at)}`;
    return keeping(field, {text: next, cursor: firstNonBlank(next, where === 'before' ? at : at + 1)});
  }
  const at = where === 'before' || isLineEnd(text, cursor) ? cursor : after(text, cursor);
  const added = register.text.repeat(times);
  const next = text.slice(0, at) + added + text.slice(at);
  return keeping(field, {text: next, cursor: added.includes('\n') ? at : before(next, at + added.length)});
}

function replaced(field: Field, character: string, times: number): VimResult | undefined {
  const {text, cursor} = field.buffer;
  let to = cursor;
  for (let left = times; left > 0; left--) {
    if (isLineEnd(text, to)) return undefined;
    to = after(text, to);
  }
  const next = text.slice(0, cursor) + character.repeat(times) + text.slice(to);
  return keeping(field, {text: next, cursor: cursor + character.length * (times - 1)});
}

function switched(field: Field, times: number): VimResult | undefined {
  const {text, cursor} = field.buffer;
  if (isLineEnd(text, cursor)) return undefined;
  let to = cursor;
  for (let left = times; left > 0 && !isLineEnd(text, to); left--) to = after(text, to);
  const next = text.slice(0, cursor) + cased(text.slice(cursor, to), '~') + text.slice(to);
  return keeping(field, {text: next, cursor: onCharacter(next, to)});
}

/** Joins so many lines with a blank between them, where none is there and no `)` follows. */
export function joined(field: Field, lines: number): VimResult | undefined {
  let {text, cursor} = field.buffer;
  if (stepLines(text, cursor, 1) === undefined) return undefined;
  for (let left = lines - 1; left > 0; left--) {
    const end = lineEnd(text, cursor);
    if (end >= text.length) break;
    const head = text.slice(0, end);
    const tail = text.slice(end + 1).replace(/^[ \t]+/u, '');
    const isBare = tail === '' || tail.startsWith('\n') || tail.startsWith(')');
    const glue = isBare || /[ \t]$/u.test(head) || isEmptyLine(text, end) ? '' : ' ';
    text = head + glue + tail;
    cursor = head.length;
  }
  return keeping(field, {text, cursor: onCharacter(text, cursor)});
}
