import {graphemes} from '../../text/cell-width.ts';
import {edited, pasted, typed, type Draft} from '../draft.ts';
import type {KeyName, KeyPress} from '../keymap.ts';
import {after, before, firstNonBlank, isLineEnd, lineEnd, lineStart, onCharacter, stepLines} from './place.ts';
import {readVimCommand, type VimCommand} from './read-command.ts';
import {applyOperator, runCommand, type VimResult} from './run-command.ts';
import {settled, type VimField} from './settle.ts';
import {pressVisual} from './visual.ts';
import type {VimChange} from './vim-state.ts';

export type VimStep =
  | (VimField & {readonly kind: 'went-on'})
  /** So many changes are to be taken back, or made again. */
  | (VimField & {readonly kind: 'undo' | 'redo'; readonly times: number})
  /** The key is nothing for vim: the composer takes it as ever. */
  | (VimField & {readonly kind: 'not-meant'});

/** One press on a field with vim's keys. Enter, and what no mode knows, is left to the composer. */
export function pressVim(field: VimField, key: KeyPress): VimStep {
  const {vim} = field;
  if (vim.mode === 'insert') return pressInsert(field, key);
  if (key.kind === 'paste') return notMeant(field);
  if (key.kind === 'text') return pressAll(field, graphemes(key.text));
  if (key.name === 'escape') {
    return vim.pending === '' && vim.mode === 'normal' ? notMeant(field) : goOn(calm(field));
  }
  // The key that searches earlier prompts is vim's key for making a change again.
  if (key.name === 'search-history') return {...calm(field), kind: 'redo', times: countOf(vim.pending)};
  const letter = letters[key.name];
  return letter === undefined ? notMeant(field) : pressAll(field, [letter]);
}

const notMeant = (field: VimField): VimStep => ({...field, kind: 'not-meant'});
const goOn = (field: VimField): VimStep => ({...field, kind: 'went-on'});

const countOf = (pending: string): number => Math.max(1, Number(/^[0-9]*/u.exec(pending)?.[0] ?? 0));

/** Back in normal mode with nothing begun. */
const calm = ({draft, vim}: VimField): VimField => ({
  draft: {...draft, buffer: {...draft.buffer, cursor: onCharacter(draft.buffer.text, draft.buffer.cursor)}},
  vim: {...vim, mode: 'normal', pending: ''},
});

/** Keys with a name that normal mode knows by a letter. */
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
  let step = goOn(field);
  for (const [at, character] of characters.entries()) {
    if (step.kind !== 'went-on') return step;
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
  if (vim.mode !== 'normal') return goOn(pressVisual(field, pending));
  const read = readVimCommand(pending, 'normal');
  if (read.kind === 'begun') return goOn({...field, vim: {...vim, pending}});
  const free: VimField = {...field, vim: {...vim, pending: ''}};
  return read.kind === 'none' ? goOn(free) : runNormal(free, read.command);
}

function runNormal(field: VimField, command: VimCommand): VimStep {
  const {draft, vim} = field;
  switch (command.operator + command.keys) {
    case 'u':
      return {...field, kind: 'undo', times: Math.max(1, command.count)};
    case '.':
      return goOn(repeated(field, command.count));
    case 'v':
    case 'V':
      return goOn({
        draft,
        vim: {...vim, mode: command.keys === 'v' ? 'visual' : 'visual-line', anchor: draft.buffer.cursor, goal: 'none'},
      });
    default: {
      const result = runCommand({buffer: draft.buffer, state: vim}, command);
      if (result === undefined) return goOn(field);
      return goOn(settled(field, result, changeOf(command)));
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
  if (key.kind === 'key' && key.name === 'escape') return goOn(leaveInsert(field));
  const types = key.kind !== 'key' || key.name === 'newline' || key.name.startsWith('delete-');
  if (vim.open === 'none' || !types) return notMeant(field);
  return notMeant({...field, vim: {...vim, open: {...vim.open, typed: [...vim.open.typed, key]}}});
}

/** What was typed is typed as often as the command's count says, and the cursor steps onto the last character of it. */
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

/** Lines that were opened are opened anew. */
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
    if (key.kind === 'text') now = typed(now, key.text);
    else if (key.kind === 'paste') now = pasted(now, key.text);
    else now = edited(now, key.name) ?? now;
  }
  return now;
};

/** Makes the last change again, here; a count given now replaces its own. */
function repeated(field: VimField, count: number): VimField {
  const {last} = field.vim;
  if (last === 'none') return field;
  const change: VimChange = count === 0 ? last : {...last, count};
  const result =
    change.span === 'none'
      ? runCommand({buffer: field.draft.buffer, state: field.vim}, commandOf(change))
      : overSpan(field, change);
  if (result === undefined) return field;
  const done = settled(field, result, change);
  if (done.vim.mode !== 'insert') return done;
  const left = leaveInsert({draft: typeKeys(done.draft, change.typed), vim: {...done.vim, open: change}});
  return {...left, vim: {...left.vim, last: change}};
}

function commandOf({command, count}: VimChange): VimCommand {
  const read = readVimCommand(command, 'normal');
  return read.kind === 'whole' ? {...read.command, count} : {operator: '', keys: command, count};
}

/** As much as the selection had, from the cursor on. */
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

/** Where vim puts the cursor when a change is taken back or made again: on the first line that it changed. */
export function cursorAfterUndo(
  now: string,
  {text, cursor}: {readonly text: string; readonly cursor: number},
  direction: 'undo' | 'redo',
): number {
  let same = 0;
  while (same < text.length && text[same] === now[same]) same++;
  const line = lineStart(text, same);
  // Taken back, a change leaves the cursor where it was before, if that was on this line.
  return direction === 'undo' && lineStart(text, cursor) === line
    ? onCharacter(text, cursor)
    : firstNonBlank(text, line);
}
