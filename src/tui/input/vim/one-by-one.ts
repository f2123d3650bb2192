import {graphemes} from '../../text/cell-width.ts';
import type {KeyPress} from '../keymap.ts';
import type {VimState} from './vim-state.ts';

/** Longer pieces are nothing that was typed as commands. */
const longestPiece = 100;

/**
 * The first of the commands that came in one piece, as over a slow line, and what is left of it; what is being typed stays
 * together.
 */
export function oneByOne(key: KeyPress, vim: VimState | 'off'): readonly [first: KeyPress, rest: KeyPress | undefined] {
  if (key.kind !== 'text' || vim === 'off' || vim.mode === 'insert' || key.text.length > longestPiece)
    return [key, undefined];
  const [first = '', ...rest] = graphemes(key.text);
  return rest.length === 0
    ? [key, undefined]
    : [
        {...key, text: first},
        {...key, text: rest.join('')},
      ];
}
