import {unreachable} from '../../base/unreachable.ts';
import type {EditorMode} from '../../domain/preferences.ts';
import type {KeyName, KeyPress} from '../terminal/keymap.ts';
import {
  applyEditKey,
  type Draft,
  draftFromText,
  draftText,
  expandPaste,
  moveByRow,
  pasteText,
  typeText,
} from './draft.ts';
import type {VimState} from './vim/run-command.ts';
import {vimKeys} from './vim-keys.ts';

type FieldStep<Field extends TextField> =
  | {readonly kind: 'handled'; readonly field: Field}
  /** The key does not edit, so the owner of the field may handle it. */
  | {readonly kind: 'unhandled'; readonly field: Field};

interface FieldContext {
  /** The width of the text, in cells. */
  readonly width: number;
  /** Milliseconds on a monotonic clock. */
  readonly now: number;
}

/** Handles a key press on a text field. Leaves Enter, Esc and moves beyond the first and last rows to its owner. */
export function pressField(field: TextField, key: KeyPress, {width, now}: FieldContext): FieldStep<TextField> {
  const byVim = pressVimFirst(field, key);
  const after = byVim.kind === 'handled' ? byVim.field : editField(byVim.field, key, width);
  return after === undefined
    ? {kind: 'unhandled', field: byVim.field}
    : {kind: 'handled', field: recordChange(field, withVimCursor(after), {key, now})};
}

export function pressVimFirst<Field extends TextField>(field: Field, key: KeyPress): FieldStep<Field> {
  const {vim} = field.editing;
  if (vim === 'off') return {kind: 'unhandled', field};
  const step = vimKeys().pressVim({draft: field.draft, vim}, key);
  const after: Field = {...field, draft: step.draft, editing: {...field.editing, vim: step.vim}};
  switch (step.kind) {
    case 'handled':
    case 'unhandled':
      return {kind: step.kind, field: after};
    case 'undo':
    case 'redo':
      return {kind: 'handled', field: stepThroughUndo(after, step.kind, step.times)};
    default:
      return unreachable(step);
  }
}

export const withVimCursor = <Field extends TextField>(field: Field): Field => ({
  ...field,
  draft: moveToVimCursor(field.draft, field.editing.vim),
});

/** Returns the field after a key press without vim, or `undefined` if the key does not edit, such as up on the first row. */
export function editField<Field extends TextField>(field: Field, key: KeyPress, width: number): Field | undefined {
  const {draft, editing} = field;
  if (key.kind === 'text') return {...field, draft: typeText(draft, key.text)};
  if (key.kind === 'paste') return {...field, draft: pasteText(draft, key.text, key.part)};
  switch (key.name) {
    case 'up':
    case 'down': {
      const moved = moveByRow(draft, {direction: key.name, width, goal: editing.goal});
      return moved === undefined ? undefined : {...field, draft: moved.draft, editing: {...editing, goal: moved.goal}};
    }
    case 'undo':
    case 'redo':
      return stepThroughUndo(field, key.name, 1);
    case 'yank':
      return yankText(field);
    case 'end-of-input':
      return {...field, draft: applyEditKey(draft, 'delete-right') ?? draft};
    case 'expand-paste': {
      const expanded = expandPaste(draft);
      return typeof expanded === 'string' ? undefined : {...field, draft: expanded};
    }
    default: {
      const shorter = killText(field, key.name);
      if (shorter !== undefined) return shorter;
      const next = applyEditKey(draft, key.name);
      return next === undefined ? undefined : {...field, draft: next};
    }
  }
}

/** An edited text of the composer or a card, with its editing state. */
export interface TextField {
  readonly draft: Draft;
  readonly editing: Editing;
}

/** The undo history, kill buffer and vim state of a field. The composer's state outlives cards and panels. */
export interface Editing {
  readonly undo: UndoStack;
  /** The last killed text. `open` while the next kill appends to it. */
  readonly killed: {readonly text: string; readonly state: 'open' | 'closed'};
  /** The column, in cells, that moving up and down keeps. */
  readonly goal: number | 'none';
  readonly vim: VimState | 'off';
}

/** Returns the editing state of an empty field. For `vim`, vim's keys must be loaded. */
export const initialEditing = (mode: EditorMode): Editing => ({
  undo: emptyUndo,
  killed: {text: '', state: 'closed'},
  goal: 'none',
  vim: mode === 'vim' ? vimKeys().initialVim : 'off',
});

/** Returns the editing state of a new field: the same mode and killed text, with an empty undo history. */
export function editingForNewField({draft, editing: {killed, vim}}: TextField): Editing {
  return {
    undo: emptyUndo,
    killed: {...killed, state: 'closed'},
    goal: 'none',
    vim: vim === 'off' ? vim : {...vimKeys().initialVim, register: withoutChips(vim, draft).register, find: vim.find},
  };
}

/** Clears the undo history after a draft was sent, and expands its folded pastes in vim's register. */
export const withoutUndo = <Field extends TextField>(field: Field, sent: Draft): Field => ({
  ...field,
  editing: {
    ...field.editing,
    undo: emptyUndo,
    vim: field.editing.vim === 'off' ? 'off' : withoutChips(field.editing.vim, sent),
  },
});

/** Expands folded pastes in vim's register, because the register outlives the draft. */
const withoutChips = (vim: VimState, {pastes}: Draft): VimState => ({
  ...vim,
  register: {...vim.register, text: draftText({buffer: {text: vim.register.text, cursor: 0}, pastes})},
});

export function recordChange<Field extends TextField>(
  before: TextField,
  after: Field,
  {key, now}: {readonly key: KeyPress; readonly now: number},
): Field {
  const {editing} = after;
  const isVertical = key.kind === 'key' && (key.name === 'up' || key.name === 'down');
  const {killed} = editing;
  return {
    ...after,
    editing: {
      ...editing,
      undo: undoAfter(before, after, key, now),
      killed: killed === before.editing.killed && killed.state === 'open' ? {...killed, state: 'closed'} : killed,
      goal: isVertical ? editing.goal : 'none',
    },
  };
}

function undoAfter(before: TextField, {draft, editing}: TextField, key: KeyPress, now: number): UndoStack {
  // Undo and redo change the stack themselves.
  if (editing.undo !== before.editing.undo) return editing.undo;
  const inserts = editing.vim !== 'off' && editing.vim.mode === 'insert';
  if (draft.buffer.text !== before.draft.buffer.text) {
    return pushChange(editing.undo, {before: before.draft, key, now, typing: inserts ? 'insertion' : 'plain'});
  }
  const leftInsert = !inserts && editing.undo.group.kind === 'insertion';
  const moved = editing.undo.group.kind === 'typing' && draft.buffer.cursor !== before.draft.buffer.cursor;
  return leftInsert || moved ? closeGroup(editing.undo) : editing.undo;
}

function stepThroughUndo<Field extends TextField>(field: Field, direction: 'undo' | 'redo', times: number): Field {
  let {draft, editing}: TextField = field;
  for (let left = times; left > 0; left--) {
    const step = stepUndo(editing.undo, {direction, from: draft});
    if (step === undefined) break;
    const {text, cursor} = step.draft.buffer;
    const isVim = editing.vim !== 'off' && editing.vim.mode !== 'insert';
    const there = isVim ? vimKeys().cursorAfterUndo(draft.buffer.text, {text, cursor}, direction) : cursor;
    draft = {...step.draft, buffer: {text, cursor: there}};
    editing = {...editing, undo: step.stack};
  }
  return {...field, draft, editing};
}

/** Replaces the text. Undo restores the old text. */
export function replaceFieldText<Field extends TextField>(field: Field, text: string): Field {
  const draft = draftFromText(text);
  if (draftText(field.draft) === text) return field;
  const undo = pushChange(field.editing.undo, {
    before: field.draft,
    key: {kind: 'paste', text, part: 'first'},
    now: 0,
    typing: 'plain',
  });
  return {...field, draft: moveToVimCursor(draft, field.editing.vim), editing: {...field.editing, undo}};
}

/** Deletes a word or line and keeps the killed text. Returns `undefined` for other keys. */
function killText<Field extends TextField>(field: Field, name: KeyName): Field | undefined {
  const side = cuts[name];
  const draft = side === undefined ? undefined : applyEditKey(field.draft, name);
  if (side === undefined || draft === undefined) return undefined;
  const {buffer, pastes} = field.draft;
  const from = Math.min(buffer.cursor, draft.buffer.cursor);
  const piece = buffer.text.slice(from, from + buffer.text.length - draft.buffer.text.length);
  const text = draftText({buffer: {text: piece, cursor: 0}, pastes});
  const {killed} = field.editing;
  const all = killed.state === 'closed' ? text : side === 'left' ? text + killed.text : killed.text + text;
  return {...field, draft, editing: {...field.editing, killed: {text: all, state: 'open'}}};
}

const cuts: Readonly<Partial<Record<KeyName, 'left' | 'right'>>> = {
  'delete-word': 'left',
  'delete-to-start': 'left',
  'delete-word-right': 'right',
  'delete-to-end': 'right',
};

const yankText = <Field extends TextField>(field: Field): Field => ({
  ...field,
  draft: pasteText(field.draft, field.editing.killed.text),
});

/** Switches vim mode on or off. The text stays. Vim's keys must be loaded. */
export const toggleVim = <Field extends TextField>(field: Field): Field => ({
  ...field,
  editing: {...field.editing, vim: field.editing.vim === 'off' ? vimKeys().initialVim : 'off'},
});

/** Moves the cursor onto a character in vim's normal and visual modes. */
const moveToVimCursor = (draft: Draft, vim: VimState | 'off'): Draft =>
  vim === 'off' || vim.mode === 'insert'
    ? draft
    : {...draft, buffer: {...draft.buffer, cursor: vimKeys().clampToCharacter(draft.buffer.text, draft.buffer.cursor)}};

/** Earlier drafts (latest last) and undone drafts (next to redo last). */
interface UndoStack {
  readonly past: readonly Draft[];
  readonly future: readonly Draft[];
  /** The group that the next change may join: continuous typing, or one vim insertion. */
  readonly group: {readonly kind: 'none' | 'insertion'} | {readonly kind: 'typing'; readonly at: number};
}

const emptyUndo: UndoStack = {past: [], future: [], group: {kind: 'none'}};

/** The maximum number of drafts kept, and the maximum amount of text in all of them, in UTF-16 units. */
const maxDrafts = 300;
const maxText = 20_000_000;
/** The milliseconds without typing after which a new change begins. */
const pauseMs = 1000;

interface Change {
  readonly before: Draft;
  readonly key: KeyPress;
  /** Milliseconds. */
  readonly now: number;
  readonly typing: 'plain' | 'insertion';
}

/** Records the draft before a change. Letters of one word that are typed without a pause are one undo step. */
function pushChange(stack: UndoStack, {before, key, now, typing}: Change): UndoStack {
  const {group} = stack;
  const isWord = key.kind === 'text' && !/^\s/u.test(key.text);
  const goesOn =
    typing === 'insertion' ? group.kind === 'insertion' : isWord && group.kind === 'typing' && now - group.at < pauseMs;
  const next: UndoStack['group'] =
    typing === 'insertion' ? {kind: 'insertion'} : key.kind === 'text' ? {kind: 'typing', at: now} : {kind: 'none'};
  return {past: goesOn ? stack.past : bounded([...stack.past, before]), future: [], group: next};
}

/** Ends the group, so that the next change is a separate step. */
const closeGroup = (stack: UndoStack): UndoStack =>
  stack.group.kind === 'none' ? stack : {...stack, group: {kind: 'none'}};

/** Returns the draft after one undo or redo, or `undefined` if there is none. */
function stepUndo(
  {past, future}: UndoStack,
  {direction, from}: {readonly direction: 'undo' | 'redo'; readonly from: Draft},
): {readonly stack: UndoStack; readonly draft: Draft} | undefined {
  const draft = direction === 'undo' ? past.at(-1) : future.at(-1);
  if (draft === undefined) return undefined;
  const stack: UndoStack =
    direction === 'undo'
      ? {past: past.slice(0, -1), future: [...future, from], group: {kind: 'none'}}
      : {past: [...past, from], future: future.slice(0, -1), group: {kind: 'none'}};
  return {stack, draft};
}

function bounded(drafts: readonly Draft[]): readonly Draft[] {
  let kept = 0;
  let text = 0;
  for (const {buffer} of drafts.toReversed()) {
    text += buffer.text.length;
    if (kept >= maxDrafts || text > maxText) break;
    kept++;
  }
  return drafts.slice(drafts.length - kept);
}
