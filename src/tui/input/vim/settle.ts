import type {Draft} from '../draft.ts';
import type {VimResult} from './run-command.ts';
import type {VimChange, VimState} from './vim-state.ts';

/** A field that vim's keys work on. */
export interface VimField {
  readonly draft: Draft;
  readonly vim: VimState;
}

/** The field after a command; a change that goes on with typing is open until Esc. */
export function settled({draft, vim}: VimField, result: VimResult, change: VimChange): VimField {
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
