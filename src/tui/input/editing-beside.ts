import {expanded, type Draft} from './draft.ts';
import type {Editing, TextField} from './editing-state.ts';
import {noChanges} from './undo.ts';
import {freshVim, type VimState} from './vim/vim-state.ts';

/** What editing takes of a field that opens beside this one: the same keys, and what was cut. */
export function editingBeside({draft, editing: {killed, vim}}: TextField): Editing {
  return {
    undo: noChanges,
    killed: {...killed, state: 'closed'},
    goal: 'none',
    vim: vim === 'off' ? vim : {...freshVim, register: withoutChips(vim, draft).register, find: vim.find},
  };
}

/** What was cut outlives the draft: its folded pastes are text then. */
export const withoutChips = (vim: VimState, {pastes}: Draft): VimState => ({
  ...vim,
  register: {...vim.register, text: expanded({buffer: {text: vim.register.text, cursor: 0}, pastes})},
});
