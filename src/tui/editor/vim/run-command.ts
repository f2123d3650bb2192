import {lineEnd, lineStart, type TextBuffer} from '../text-buffer.ts';
import type {KeyPress} from '../../terminal/keymap.ts';
import {graphemes} from '../../text/cell-width.ts';
import type {Draft} from '../draft.ts';
import {
  after,
  before,
  type Find,
  findOf,
  firstNonBlank,
  isEmptyLine,
  isLineEnd,
  type Motion,
  motionFrom,
  clampToCharacter,
  stepLines,
  stepLinesAtMost,
} from './motions.ts';
import {type ObjectRange, textObject} from './text-objects.ts';

/** The result of a command. Functions return `undefined` if the command is not possible. Then nothing changes. */
export interface VimResult {
  readonly buffer: TextBuffer;
  readonly mode: VimMode;
  readonly register: Register;
  readonly goal: VimState['goal'];
  readonly find: VimState['find'];
  readonly does: 'move' | 'change' | 'yank';
}

interface CommandTarget {
  readonly buffer: TextBuffer;
  readonly state: VimState;
}

/** Runs a command of normal mode, except undo, redo and repeat. */
export function runCommand(field: CommandTarget, command: VimCommand): VimResult | undefined {
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
      return toggledCase(field, times);
    case 'J':
      return joinLines(field, Math.max(2, count));
    default:
      return runMotion(field, command);
  }
}

export function runMotion({buffer, state}: CommandTarget, {keys, count}: VimCommand): VimResult | undefined {
  const {text, cursor} = buffer;
  const motion = motionFrom(text, cursor, {keys, count, use: 'move', goal: state.goal, find: state.find});
  if (motion === undefined) return undefined;
  const cursorThere = clampToCharacter(text, motion.to);
  const {mode, register} = state;
  return {
    buffer: {text, cursor: cursorThere},
    mode,
    register,
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

function operate(field: CommandTarget, command: VimCommand): VimResult | undefined {
  const {operator, keys} = command;
  const range = rangeOf(field, command);
  if (range === undefined) return undefined;
  const result = applyOperator(field, range, operator);
  return result === undefined ? undefined : {...result, find: findAfter(field.state, keys)};
}

function rangeOf(
  {buffer: {text, cursor}, state}: CommandTarget,
  {operator, keys, count}: VimCommand,
): ObjectRange | undefined {
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

function motionRange(
  text: string,
  cursor: number,
  {motion, operator}: {readonly motion: Motion; readonly operator: string},
): ObjectRange {
  const [from, end] = cursor <= motion.to ? [cursor, motion.to] : [motion.to, cursor];
  if (motion.reach === 'lines') return {from: lineStart(text, from), to: lineEnd(text, end), kind: 'lines'};
  const crosses = text.slice(from, end).includes('\n');
  const indented = /^[ \t]*$/u.test(text.slice(lineStart(text, from), from));
  if (motion.reach === 'exclusive' && crosses && lineStart(text, end) === end) {
    // An exclusive motion that ends at the start of a line ends on the line before. If it also begins in the indentation, take whole lines.
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

export function applyOperator(field: CommandTarget, range: ObjectRange, operator: string): VimResult | undefined {
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
      return changed(field, {text: next, cursor: firstNonBlank(next, from)});
    }
    default: {
      const letters = withCase(text.slice(from, to), operator);
      const next = text.slice(0, from) + letters + text.slice(to);
      return changed(field, {
        text: next,
        cursor: clampToCharacter(next, kind === 'lines' ? Math.min(from, buffer.cursor) : from),
      });
    }
  }
}

/**
 * Returns the cursor after yanking lines. It stays if the range begins on its line; otherwise it moves to the range's first
 * line, same column.
 */
const yankedLines = (text: string, cursor: number, from: number): number =>
  lineStart(text, cursor) === from
    ? cursor
    : clampToCharacter(text, Math.min(from + (cursor - lineStart(text, cursor)), lineEnd(text, from)));

const changed = ({state}: CommandTarget, buffer: TextBuffer): VimResult => ({
  buffer,
  mode: 'normal',
  register: state.register,
  goal: 'none',
  find: state.find,
  does: 'change',
});

function deleted(text: string, {from, to, kind}: ObjectRange): TextBuffer {
  if (kind === 'characters') {
    const rest = text.slice(0, from) + text.slice(to);
    return {text: rest, cursor: clampToCharacter(rest, from)};
  }
  const rest = to < text.length ? text.slice(0, from) + text.slice(to + 1) : text.slice(0, Math.max(0, from - 1));
  return {text: rest, cursor: firstNonBlank(rest, Math.min(from, rest.length))};
}

/** Deletes the range for `c`. If it covers whole lines, one empty line stays. */
const emptied = (text: string, {from, to}: ObjectRange): TextBuffer => ({
  text: text.slice(0, from) + text.slice(to),
  cursor: from,
});

/** Shifts lines right or left by two blanks. Empty lines stay. Tabs in the indentation become eight blanks. */
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

function withCase(text: string, operator: string): string {
  if (operator === 'gu') return text.toLowerCase();
  if (operator === 'gU') return text.toUpperCase();
  return graphemes(text)
    .map(one => (one === one.toLowerCase() ? one.toUpperCase() : one.toLowerCase()))
    .join('');
}

const indentOf = (text: string, at: number): string =>
  /^[ \t]*/u.exec(text.slice(lineStart(text, at), lineEnd(text, at)))?.[0] ?? '';

const insertAt = (field: CommandTarget, cursor: number): VimResult => ({
  ...changed(field, {text: field.buffer.text, cursor}),
  mode: 'insert',
});

function openLine(field: CommandTarget, at: number, where: 'above' | 'below'): VimResult {
  const {text} = field.buffer;
  const next = `${text.slice(0, at)}\n${text.slice(at)}`;
  return insertAt({...field, buffer: {text: next, cursor: at}}, where === 'below' ? at + 1 : at);
}

function put(
  field: CommandTarget,
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
    return changed(field, {text: next, cursor: firstNonBlank(next, where === 'before' ? at : at + 1)});
  }
  const at = where === 'before' || isLineEnd(text, cursor) ? cursor : after(text, cursor);
  const added = register.text.repeat(times);
  const next = text.slice(0, at) + added + text.slice(at);
  return changed(field, {text: next, cursor: added.includes('\n') ? at : before(next, at + added.length)});
}

function replaced(field: CommandTarget, character: string, times: number): VimResult | undefined {
  const {text, cursor} = field.buffer;
  let to = cursor;
  for (let left = times; left > 0; left--) {
    if (isLineEnd(text, to)) return undefined;
    to = after(text, to);
  }
  const next = text.slice(0, cursor) + character.repeat(times) + text.slice(to);
  return changed(field, {text: next, cursor: cursor + character.length * (times - 1)});
}

function toggledCase(field: CommandTarget, times: number): VimResult | undefined {
  const {text, cursor} = field.buffer;
  if (isLineEnd(text, cursor)) return undefined;
  let to = cursor;
  for (let left = times; left > 0 && !isLineEnd(text, to); left--) to = after(text, to);
  const next = text.slice(0, cursor) + withCase(text.slice(cursor, to), '~') + text.slice(to);
  return changed(field, {text: next, cursor: clampToCharacter(next, to)});
}

/** Joins `lines` lines with a blank, unless there is one already or `)` follows. */
export function joinLines(field: CommandTarget, lines: number): VimResult | undefined {
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
  return changed(field, {text, cursor: clampToCharacter(text, cursor)});
}

export interface VimCommand {
  /** 0 if no count was typed. */
  readonly count: number;
  /** `d`, `c`, `y`, `>`, `<`, `gu`, `gU`, `g~`; empty without an operator. */
  readonly operator: string;
  /** A motion, a text object, the operator again for whole lines, or a command without an operator. */
  readonly keys: string;
}

type ReadCommand =
  | {readonly kind: 'whole'; readonly command: VimCommand}
  | {readonly kind: 'begun'}
  | {readonly kind: 'none'};

/** Reads the keys pressed so far. Counts before and after an operator multiply. */
export function readVimCommand(pending: string, mode: 'normal' | 'visual'): ReadCommand {
  const [, countBefore = '', rest = ''] = /^((?:[1-9][0-9]*)?)([^]*)$/u.exec(pending) ?? [];
  if (rest === '') return begun;
  const operator = mode === 'normal' ? (operators.find(one => rest.startsWith(one)) ?? '') : '';
  const [, countAfter = '', keys = ''] =
    operator === '' ? ['', '', rest] : (/^((?:[1-9][0-9]*)?)([^]*)$/u.exec(rest.slice(operator.length)) ?? []);
  if (keys === '' || (keys === 'g' && operator !== '')) return begun;
  const count = countBefore === '' && countAfter === '' ? 0 : bounded(countBefore) * bounded(countAfter);
  const length = lengthOf(keys, operator === '' && mode === 'normal' ? 'command' : 'motion');
  if (graphemes(keys).length < length) return begun;
  return {kind: 'whole', command: {count, operator, keys}};
}

const begun: ReadCommand = {kind: 'begun'};

const operators = ['d', 'c', 'y', '>', '<', 'gu', 'gU', 'g~'] as const;

/** The largest count, to keep every command fast. */
const maxTimes = 999;
const bounded = (digits: string): number => Math.min(maxTimes, digits === '' ? 1 : Number(digits));

function lengthOf(keys: string, place: 'command' | 'motion'): number {
  const first = keys[0] ?? '';
  if ('fFtTrg'.includes(first)) return 2;
  return place === 'motion' && (first === 'i' || first === 'a') ? 2 : 1;
}

export interface VimField {
  readonly draft: Draft;
  readonly vim: VimState;
}

/** Returns the field after a command. A change that continues with typing stays open until Esc. */
export function afterCommand({draft, vim}: VimField, result: VimResult, change: VimChange): VimField {
  const {buffer, mode, register, goal, find, does} = result;
  const isOpen = mode === 'insert';
  return {
    draft: {...draft, buffer},
    vim: {
      ...vim,
      mode,
      register,
      goal,
      find,
      pending: '',
      open: isOpen ? change : 'none',
      last: does === 'change' && !isOpen ? change : vim.last,
    },
  };
}

export type VimMode = 'insert' | 'normal' | 'visual' | 'visual-line';

/** The text that was deleted or yanked last. Whole lines lack their last line feed. */
interface Register {
  readonly text: string;
  readonly kind: 'characters' | 'lines';
}

/** The last change, which `.` repeats: the keys of its command and the keys typed after it. */
export interface VimChange {
  readonly command: string;
  readonly count: number;
  readonly typed: readonly KeyPress[];
  /** The size of the changed selection in lines, or in characters of one line. `none` without a selection. */
  readonly span: 'none' | {readonly kind: 'lines' | 'characters'; readonly size: number};
}

export interface VimState {
  readonly mode: VimMode;
  readonly pending: string;
  readonly anchor: number;
  /** The column, in cells, that moving up and down keeps. */
  readonly goal: number | 'none' | 'end';
  readonly register: Register;
  readonly find: Find | 'none';
  readonly last: VimChange | 'none';
  /** The change whose inserted text is being typed. */
  readonly open: VimChange | 'none';
}

/** The initial state: insert mode, because a composer begins with typing. */
export const initialVim: VimState = {
  mode: 'insert',
  pending: '',
  anchor: 0,
  goal: 'none',
  register: {text: '', kind: 'characters'},
  find: 'none',
  last: 'none',
  open: 'none',
};
