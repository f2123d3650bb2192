import type {EditorMode} from '../../domain/preferences.ts';
import type {Draft} from './draft.ts';
import {noChanges, type UndoStack} from './undo.ts';
import {freshVim, type VimState} from './vim/vim-state.ts';

/** A text that is being written, and what editing it takes besides: the composer's, or a card's. */
export interface TextField {
  readonly draft: Draft;
  readonly editing: Editing;
}

/** What a field keeps about its text beside that; the composer's outlives cards and panels. */
export interface Editing {
  readonly undo: UndoStack;
  /** What was cut last by a key that cuts words or lines; `open` while the next such key adds to it. */
  readonly killed: {readonly text: string; readonly state: 'open' | 'closed'};
  /** The cell column that going up and down keeps to. */
  readonly goal: number | 'none';
  readonly vim: VimState | 'off';
}

export const openEditing = (mode: EditorMode): Editing => ({
  undo: noChanges,
  killed: {text: '', state: 'closed'},
  goal: 'none',
  vim: mode === 'vim' ? freshVim : 'off',
});
