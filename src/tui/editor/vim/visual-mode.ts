import {lineEnd, lineStart} from '../text-buffer.ts';
import {graphemes} from '../../text/cell-width.ts';
import {after, linesBetween, clampToCharacter} from './motions.ts';
import {
  afterCommand,
  applyOperator,
  joinLines,
  readVimCommand,
  runMotion,
  type VimChange,
  type VimCommand,
  type VimField,
  type VimResult,
} from './run-command.ts';
import {textObject, type ObjectRange} from './text-objects.ts';

/** Handles a key in visual mode. `pending` contains all keys of the command so far. */
export function pressVisual(field: VimField, pending: string): VimField {
  const {draft, vim} = field;
  const read = readVimCommand(pending, 'visual');
  if (read.kind === 'begun') return {draft, vim: {...vim, pending}};
  const free: VimField = {draft, vim: {...vim, pending: ''}};
  if (read.kind === 'none') return free;
  const {command} = read;
  switch (command.keys) {
    case 'v':
    case 'V': {
      const mode = command.keys === 'v' ? 'visual' : 'visual-line';
      return {draft, vim: {...free.vim, mode: mode === vim.mode ? 'normal' : mode}};
    }
    case 'o':
      return {
        draft: {...draft, buffer: {...draft.buffer, cursor: vim.anchor}},
        vim: {...free.vim, anchor: draft.buffer.cursor},
      };
    case 'p':
    case 'P':
      return overwritten(free);
    default:
      return operated(free, command);
  }
}

/** Returns the selected range, including the character at its end. */
export function selectionOf({draft: {buffer}, vim}: VimField): ObjectRange {
  const {text, cursor} = buffer;
  const [from, last] = vim.anchor <= cursor ? [vim.anchor, cursor] : [cursor, vim.anchor];
  if (vim.mode === 'visual-line') return {from: lineStart(text, from), to: lineEnd(text, last), kind: 'lines'};
  // After `$` the selection includes the line feed.
  const end = vim.goal === 'end' && vim.anchor <= cursor ? lineEnd(text, last) : last;
  return {from, to: after(text, end), kind: 'characters'};
}

function operated(field: VimField, command: VimCommand): VimField {
  const {draft, vim} = field;
  const {text} = draft.buffer;
  const {keys} = command;
  const operator = operators[keys];
  const range = selectionOf(field);
  if (operator !== undefined) {
    const whole = 'XDYCSR'.includes(keys) ? linesOf(text, range) : range;
    const wide = operator === '>' || operator === '<' ? linesOf(text, range) : whole;
    const cut =
      operator === 'c' && wide.kind === 'characters' && text[wide.to - 1] === '\n' ? {...wide, to: wide.to - 1} : wide;
    const result = applyOperator({buffer: {text, cursor: range.from}, state: vim}, cut, operator);
    return result === undefined ? field : afterCommand(field, result, changeOver(text, wide, operator));
  }
  if (keys === 'J') {
    const lines = Math.max(2, linesBetween(text, range.from, range.to) + 1);
    const result = joinLines({buffer: {text, cursor: range.from}, state: vim}, lines);
    return result === undefined
      ? field
      : afterCommand(field, result, {command: 'J', count: lines, typed: [], span: 'none'});
  }
  if (keys.startsWith('r'))
    return afterCommand(field, filled(field, range, keys.slice(1)), changeOver(text, range, keys));
  if (/^[ia]./u.test(keys)) return selected(field, command);
  const result = runMotion({buffer: draft.buffer, state: vim}, command);
  return result === undefined
    ? field
    : {draft: {...draft, buffer: result.buffer}, vim: {...vim, goal: result.goal, find: result.find}};
}

const operators: Readonly<Record<string, string>> = {
  d: 'd',
  x: 'd',
  X: 'd',
  D: 'd',
  c: 'c',
  s: 'c',
  C: 'c',
  S: 'c',
  R: 'c',
  y: 'y',
  Y: 'y',
  '>': '>',
  '<': '<',
  u: 'gu',
  U: 'gU',
  '~': 'g~',
  gu: 'gu',
  gU: 'gU',
  'g~': 'g~',
};

const linesOf = (text: string, {from, to, kind}: ObjectRange): ObjectRange => ({
  from: lineStart(text, from),
  to: kind === 'lines' ? to : lineEnd(text, Math.max(from, to - 1)),
  kind: 'lines',
});

const changeOver = (text: string, {from, to, kind}: ObjectRange, command: string): VimChange => {
  const lines = linesBetween(text, from, to) + 1;
  return {
    command,
    count: 0,
    typed: [],
    span:
      kind === 'lines' || lines > 1
        ? {kind: 'lines', size: lines}
        : {kind: 'characters', size: graphemes(text.slice(from, to)).length},
  };
};

function filled({draft, vim}: VimField, {from, to}: ObjectRange, character: string): VimResult {
  const {text} = draft.buffer;
  const fill = graphemes(text.slice(from, to))
    .map(one => (one === '\n' ? one : character))
    .join('');
  return {
    buffer: {text: text.slice(0, from) + fill + text.slice(to), cursor: from},
    mode: 'normal',
    register: vim.register,
    goal: 'none',
    find: vim.find,
    does: 'change',
  };
}

/** Replaces the selection with the register, and puts the selected text into the register. */
function overwritten(field: VimField): VimField {
  const {draft, vim} = field;
  const {text} = draft.buffer;
  const {register} = vim;
  const {from, to, kind} = selectionOf(field);
  const isWhole = kind === 'lines' || register.kind === 'characters';
  const added = isWhole ? register.text : `\n${register.text}\n`;
  const next = text.slice(0, from) + added + text.slice(to);
  const last = added.includes('\n') || kind === 'lines' ? from : from + Math.max(0, added.length - 1);
  const cursor = isWhole ? clampToCharacter(next, last) : Math.min(from + 1, next.length);
  const result: VimResult = {
    buffer: {text: next, cursor},
    mode: 'normal',
    register: {text: text.slice(from, to), kind},
    goal: 'none',
    find: vim.find,
    does: 'change',
  };
  return afterCommand(field, result, {command: 'p', count: 0, typed: [], span: 'none'});
}

function selected(field: VimField, {keys, count}: VimCommand): VimField {
  const {draft, vim} = field;
  const {text, cursor} = draft.buffer;
  const found = textObject(text, cursor, {keys, count});
  if (found === undefined || (found.kind === 'characters' && found.from >= found.to)) return field;
  let last = found.from;
  for (let at = found.from; at < found.to; at = after(text, at)) last = at;
  return {
    draft: {...draft, buffer: {text, cursor: last}},
    vim: {...vim, anchor: found.from, mode: found.kind === 'lines' ? 'visual-line' : vim.mode},
  };
}
