import {lineEnd, lineStart} from '../text-buffer.ts';
import type {KeyName, KeyPress} from '../../terminal/keymap.ts';
import {graphemes} from '../../text/cell-width.ts';
import {type Draft, applyEditKey, pasteText, typeText} from '../draft.ts';
import {after, before, firstNonBlank, isLineEnd, clampToCharacter, stepLines} from './motions.ts';
import {
  afterCommand,
  applyOperator,
  readVimCommand,
  runCommand,
  type VimChange,
  type VimCommand,
  type VimField,
  type VimResult,
  type VimState,
} from './run-command.ts';
import {pressVisual} from './visual-mode.ts';

type VimStep =
  | (VimField & {readonly kind: 'handled'})
  | (VimField & {readonly kind: 'undo' | 'redo'; readonly times: number})
  | (VimField & {readonly kind: 'unhandled'});

/** Handles a key press in vim mode. Leaves Enter and keys unknown to vim to the composer. */
export function pressVim(field: VimField, key: KeyPress): VimStep {
  const {vim} = field;
  if (vim.mode === 'insert') return pressInsert(field, key);
  if (key.kind === 'paste') return unhandled(field);
  if (key.kind === 'text') return pressAll(field, graphemes(key.text));
  if (key.name === 'escape') {
    return vim.pending === '' && vim.mode === 'normal' ? unhandled(field) : handled(inNormalMode(field));
  }
  // Ctrl+R searches earlier prompts in the composer, but redoes a change in vim's normal mode.
  if (key.name === 'search-history') return {...inNormalMode(field), kind: 'redo', times: countOf(vim.pending)};
  const letter = letters[key.name];
  return letter === undefined ? unhandled(field) : pressAll(field, [letter]);
}

const unhandled = (field: VimField): VimStep => ({...field, kind: 'unhandled'});
const handled = (field: VimField): VimStep => ({...field, kind: 'handled'});

const countOf = (pending: string): number => Math.max(1, Number(/^[0-9]*/u.exec(pending)?.[0] ?? 0));

const inNormalMode = ({draft, vim}: VimField): VimField => ({
  draft: {...draft, buffer: {...draft.buffer, cursor: clampToCharacter(draft.buffer.text, draft.buffer.cursor)}},
  vim: {...vim, mode: 'normal', pending: ''},
});

/** The normal-mode letters for named keys. */
const letters: Readonly<Partial<Record<KeyName, string>>> = {
  left: 'h',
  right: 'l',
  'word-left': 'b',
  'word-right': 'w',
  'line-start': '0',
  'line-end': '$',
  'delete-left': 'h',
  'delete-right': 'x',
};

function pressAll(field: VimField, characters: readonly string[]): VimStep {
  let step = handled(field);
  for (const [at, character] of characters.entries()) {
    if (step.kind !== 'handled') return step;
    if (step.vim.mode === 'insert') {
      return pressInsert(step, {kind: 'text', text: characters.slice(at).join('')});
    }
    step = pressCharacter(step, character);
  }
  return step;
}

function pressCharacter(field: VimField, character: string): VimStep {
  const {vim} = field;
  const pending = vim.pending + character;
  if (vim.mode !== 'normal') return handled(pressVisual(field, pending));
  const read = readVimCommand(pending, 'normal');
  if (read.kind === 'begun') return handled({...field, vim: {...vim, pending}});
  const free: VimField = {...field, vim: {...vim, pending: ''}};
  return read.kind === 'none' ? handled(free) : runNormal(free, read.command);
}

function runNormal(field: VimField, command: VimCommand): VimStep {
  const {draft, vim} = field;
  switch (command.operator + command.keys) {
    case 'u':
      return {...field, kind: 'undo', times: Math.max(1, command.count)};
    case '.':
      return handled(repeated(field, command.count));
    case 'v':
    case 'V':
      return handled({
        draft,
        vim: {...vim, mode: command.keys === 'v' ? 'visual' : 'visual-line', anchor: draft.buffer.cursor, goal: 'none'},
      });
    default: {
      const result = runCommand({buffer: draft.buffer, state: vim}, command);
      if (result === undefined) return handled(field);
      return handled(afterCommand(field, result, changeOf(command)));
    }
  }
}

const changeOf = ({operator, keys, count}: VimCommand): VimChange => ({
  command: operator + keys,
  count,
  typed: [],
  span: 'none',
});

function pressInsert(field: VimField, key: KeyPress): VimStep {
  const {vim} = field;
  if (key.kind === 'key' && key.name === 'escape') return handled(leaveInsert(field));
  const types = key.kind !== 'key' || key.name === 'newline' || key.name.startsWith('delete-');
  if (vim.open === 'none' || !types) return unhandled(field);
  return unhandled({...field, vim: {...vim, open: {...vim.open, typed: [...vim.open.typed, key]}}});
}

/** Leaves insert mode. Repeats the typed text by the command's count, and moves the cursor onto its last character. */
function leaveInsert({draft, vim}: VimField): VimField {
  let whole = draft;
  const {open} = vim;
  if (open !== 'none') {
    const repeats = /^[iaIAoO]$/u.test(open.command) ? open.count - 1 : 0;
    for (let left = repeats; left > 0; left--) whole = retyped(whole, open);
  }
  const {text, cursor} = whole.buffer;
  const isFirst = lineStart(text, cursor) === cursor;
  return {
    draft: {...whole, buffer: {text, cursor: isFirst ? cursor : before(text, cursor)}},
    vim: {...vim, mode: 'normal', pending: '', goal: 'none', open: 'none', last: open === 'none' ? vim.last : open},
  };
}

/** Types the keys of a change again. `o` and `O` open a new line each time. */
function retyped(draft: Draft, {command, typed: keys}: VimChange): Draft {
  const {text, cursor} = draft.buffer;
  const end = lineEnd(text, cursor);
  const begun =
    command === 'o' || command === 'O'
      ? {...draft, buffer: {text: `${text.slice(0, end)}\n${text.slice(end)}`, cursor: end + 1}}
      : draft;
  return typeKeys(begun, keys);
}

const typeKeys = (draft: Draft, keys: readonly KeyPress[]): Draft => {
  let now = draft;
  for (const key of keys) {
    if (key.kind === 'text') now = typeText(now, key.text);
    else if (key.kind === 'paste') now = pasteText(now, key.text);
    else now = applyEditKey(now, key.name) ?? now;
  }
  return now;
};

/** Repeats the last change at the cursor. A count typed now replaces the change's count. */
function repeated(field: VimField, count: number): VimField {
  const {last} = field.vim;
  if (last === 'none') return field;
  const change: VimChange = count === 0 ? last : {...last, count};
  const result =
    change.span === 'none'
      ? runCommand({buffer: field.draft.buffer, state: field.vim}, commandOf(change))
      : overSpan(field, change);
  if (result === undefined) return field;
  const done = afterCommand(field, result, change);
  if (done.vim.mode !== 'insert') return done;
  const left = leaveInsert({draft: typeKeys(done.draft, change.typed), vim: {...done.vim, open: change}});
  return {...left, vim: {...left.vim, last: change}};
}

function commandOf({command, count}: VimChange): VimCommand {
  const read = readVimCommand(command, 'normal');
  return read.kind === 'whole' ? {...read.command, count} : {operator: '', keys: command, count};
}

/** Applies the change to as much text after the cursor as the selection had. */
function overSpan({draft: {buffer}, vim}: VimField, {command, span}: VimChange): VimResult | undefined {
  if (span === 'none') return undefined;
  const {text, cursor} = buffer;
  if (span.kind === 'lines') {
    const last = stepLines(text, cursor, span.size - 1) ?? lineStart(text, text.length);
    const range = {from: lineStart(text, cursor), to: lineEnd(text, last), kind: 'lines'} as const;
    return applyOperator({buffer, state: vim}, range, command);
  }
  let to = cursor;
  for (let left = span.size; left > 0 && !isLineEnd(text, to); left--) to = after(text, to);
  return applyOperator({buffer, state: vim}, {from: cursor, to, kind: 'characters'}, command);
}

/** Returns the cursor after undo or redo: on the first changed line. */
export function cursorAfterUndo(
  now: string,
  {text, cursor}: {readonly text: string; readonly cursor: number},
  direction: 'undo' | 'redo',
): number {
  let same = 0;
  while (same < text.length && text[same] === now[same]) same++;
  const line = lineStart(text, same);
  // Undo restores the cursor from before the change if it was on this line.
  return direction === 'undo' && lineStart(text, cursor) === line
    ? clampToCharacter(text, cursor)
    : firstNonBlank(text, line);
}

/** The maximum number of UTF-16 units of text that count as typed commands. */
const maxCommandLength = 100;

/** Splits the first command off keys that arrived together. In insert mode, the text stays together. */
export function splitVimKeys(key: KeyPress, vim: VimState): readonly [first: KeyPress, rest: KeyPress | undefined] {
  if (key.kind !== 'text' || vim.mode === 'insert' || key.text.length > maxCommandLength) return [key, undefined];
  const [first = '', ...rest] = graphemes(key.text);
  return rest.length === 0
    ? [key, undefined]
    : [
        {...key, text: first},
        {...key, text: rest.join('')},
      ];
}
