import {unreachable} from '../../base/unreachable.ts';
import {edited, pasted, typed, unfolded} from './draft.ts';
import {movedByRow} from './draft-rows.ts';
import {cut, followedField, standing, stepped, yanked} from './editing.ts';
import type {TextField} from './editing-state.ts';
import type {KeyPress} from './keymap.ts';
import {pressVim} from './vim/press-vim.ts';

export type FieldStep<Field extends TextField> =
  | {readonly kind: 'went-on'; readonly field: Field}
  /** Nothing that writes or edits: the key means something to whoever has the field, or nothing. */
  | {readonly kind: 'not-meant'; readonly field: Field};

export interface FieldContext {
  /** Cells of a row of the text. */
  readonly width: number;
  /** Milliseconds, from any start. */
  readonly now: number;
}

/** One press on a field that is nothing but that; Enter, Esc and a step beyond its first and last rows are left over. */
export function pressField(field: TextField, key: KeyPress, {width, now}: FieldContext): FieldStep<TextField> {
  const byVim = pressVimFirst(field, key);
  const after = byVim.kind === 'went-on' ? byVim.field : written(byVim.field, key, width);
  return after === undefined
    ? {kind: 'not-meant', field: byVim.field}
    : {kind: 'went-on', field: followedField(field, stood(after), {key, now})};
}

/** Vim's keys are vim's first, where it is on. */
export function pressVimFirst<Field extends TextField>(field: Field, key: KeyPress): FieldStep<Field> {
  const {vim} = field.editing;
  if (vim === 'off') return {kind: 'not-meant', field};
  const step = pressVim({draft: field.draft, vim}, key);
  const after: Field = {...field, draft: step.draft, editing: {...field.editing, vim: step.vim}};
  switch (step.kind) {
    case 'went-on':
    case 'not-meant':
      return {kind: step.kind, field: after};
    case 'undo':
    case 'redo':
      return {kind: 'went-on', field: stepped(after, step.kind, step.times)};
    default:
      return unreachable(step);
  }
}

/** The field with its cursor as vim's mode has it. */
export const stood = <Field extends TextField>(field: Field): Field => ({
  ...field,
  draft: standing(field.draft, field.editing.vim),
});

/** What a press writes or edits, without vim; `undefined` for one that does neither, which up and down are at the ends. */
export function written<Field extends TextField>(field: Field, key: KeyPress, width: number): Field | undefined {
  const {draft, editing} = field;
  if (key.kind === 'text') return {...field, draft: typed(draft, key.text)};
  if (key.kind === 'paste') return {...field, draft: pasted(draft, key.text, key.part)};
  switch (key.name) {
    case 'up':
    case 'down': {
      const moved = movedByRow(draft, {direction: key.name, width, goal: editing.goal});
      return moved === undefined ? undefined : {...field, draft: moved.draft, editing: {...editing, goal: moved.goal}};
    }
    case 'undo':
    case 'redo':
      return stepped(field, key.name, 1);
    case 'yank':
      return yanked(field);
    case 'end-of-input':
      return {...field, draft: edited(draft, 'delete-right') ?? draft};
    case 'unfold-paste': {
      const unfold = unfolded(draft);
      return typeof unfold === 'string' ? undefined : {...field, draft: unfold};
    }
    default: {
      const shorter = cut(field, key.name);
      if (shorter !== undefined) return shorter;
      const next = edited(draft, key.name);
      return next === undefined ? undefined : {...field, draft: next};
    }
  }
}
