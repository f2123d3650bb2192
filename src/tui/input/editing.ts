import {edited, expanded, isEmptyDraft, pasted, draftOf, type Draft} from './draft.ts';
import type {KeyName, KeyPress} from './keymap.ts';
import type {PressContext} from './effect.ts';
import type {Step, Ui} from './ui.ts';
import {withoutChips} from './editing-beside.ts';
import type {Editing, TextField} from './editing-state.ts';
import {closedGroup, noChanges, recorded, stepUndo, type UndoStack} from './undo.ts';
import {onCharacter} from './vim/place.ts';
import {cursorAfterUndo} from './vim/press-vim.ts';
import {freshVim, type VimState} from './vim/vim-state.ts';

/** What a press has changed in the draft can be taken back; what was sent cannot. To be called with every press. */
export function followed(before: Ui, {ui, effects}: Step, key: KeyPress, {now}: PressContext): Step {
  const next = followedField(before, ui, {key, now});
  const isSent = ui.draft.buffer.text !== before.draft.buffer.text && isEmptyDraft(ui.draft) && effects.length > 0;
  if (!isSent) return {ui: next, effects};
  const {vim} = next.editing;
  const editing: Editing = {
    ...next.editing,
    undo: noChanges,
    vim: vim === 'off' ? vim : withoutChips(vim, before.draft),
  };
  return {ui: {...next, editing}, effects};
}

/** The field with what the press has changed kept, to be taken back. */
export function followedField<Field extends TextField>(
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
  // Whatever stepped through the changes has seen to them itself.
  if (editing.undo !== before.editing.undo) return editing.undo;
  const inserts = editing.vim !== 'off' && editing.vim.mode === 'insert';
  if (draft.buffer.text !== before.draft.buffer.text) {
    return recorded(editing.undo, {before: before.draft, key, now, typing: inserts ? 'insertion' : 'plain'});
  }
  const leftInsert = !inserts && editing.undo.group.kind === 'insertion';
  const moved = editing.undo.group.kind === 'typing' && draft.buffer.cursor !== before.draft.buffer.cursor;
  return leftInsert || moved ? closedGroup(editing.undo) : editing.undo;
}

/** Takes so many changes back, or makes them again. */
export function stepped<Field extends TextField>(field: Field, direction: 'undo' | 'redo', times: number): Field {
  let {draft, editing}: TextField = field;
  for (let left = times; left > 0; left--) {
    const step = stepUndo(editing.undo, {direction, from: draft});
    if (step === undefined) break;
    const {text, cursor} = step.draft.buffer;
    const isVim = editing.vim !== 'off' && editing.vim.mode !== 'insert';
    const there = isVim ? cursorAfterUndo(draft.buffer.text, {text, cursor}, direction) : cursor;
    draft = {...step.draft, buffer: {text, cursor: there}};
    editing = {...editing, undo: step.stack};
  }
  return {...field, draft, editing};
}

/** Another text takes the draft's place, and the draft can be had back. */
export function rewritten(ui: Ui, text: string): Ui {
  const draft = draftOf(text);
  if (expanded(ui.draft) === text) return ui;
  const undo = recorded(ui.editing.undo, {
    before: ui.draft,
    key: {kind: 'paste', text, part: 'first'},
    now: 0,
    typing: 'plain',
  });
  return {...ui, draft: standing(draft, ui.editing.vim), editing: {...ui.editing, undo}};
}

/** Keys that cut more than a character keep what they cut. */
export function cut<Field extends TextField>(field: Field, name: KeyName): Field | undefined {
  const side = cuts[name];
  const draft = side === undefined ? undefined : edited(field.draft, name);
  if (side === undefined || draft === undefined) return undefined;
  const {buffer, pastes} = field.draft;
  const from = Math.min(buffer.cursor, draft.buffer.cursor);
  const piece = buffer.text.slice(from, from + buffer.text.length - draft.buffer.text.length);
  const text = expanded({buffer: {text: piece, cursor: 0}, pastes});
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

/** Puts back what was cut last. */
export const yanked = <Field extends TextField>(field: Field): Field => ({
  ...field,
  draft: pasted(field.draft, field.editing.killed.text),
});

/** In the other way of editing; what was typed stays. */
export const switchedVim = (ui: Ui): Ui => ({
  ...ui,
  editing: {...ui.editing, vim: ui.editing.vim === 'off' ? freshVim : 'off'},
});

/** The cursor as vim's mode has it: on a character, unless it types. */
export const standing = (draft: Draft, vim: VimState | 'off'): Draft =>
  vim === 'off' || vim.mode === 'insert'
    ? draft
    : {...draft, buffer: {...draft.buffer, cursor: onCharacter(draft.buffer.text, draft.buffer.cursor)}};
