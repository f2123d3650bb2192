import {noChanges, type UndoStack} from './undo.ts';
import {freshVim, type VimState} from './vim/vim-state.ts';

/** What the composer keeps about the draft beside itself; it outlives cards and panels. */
export interface Editing {
  readonly undo: UndoStack;
  /** What was cut last by a key that cuts words or lines; `open` while the next such key adds to it. */
  readonly killed: {readonly text: string; readonly state: 'open' | 'closed'};
  /** The cell column that going up and down keeps to. */
  readonly goal: number | 'none';
  readonly vim: VimState | 'off';
}

export type EditorMode = 'emacs' | 'vim';

export const openEditing = (mode: EditorMode): Editing => ({
  undo: noChanges,
  killed: {text: '', state: 'closed'},
  goal: 'none',
  vim: mode === 'vim' ? freshVim : 'off',
});
