import {hasPaste} from '../input/draft.ts';
import {selectionOf} from '../input/vim/visual.ts';
import type {VimMode} from '../input/vim/vim-state.ts';
import type {TextField} from '../input/editing-state.ts';
import {fit} from '../text/cell-width.ts';
import type {Frame} from '../text/wrap.ts';
import {glyphs} from '../theme/glyphs.ts';
import type {Selection} from './composer-view.ts';

/** Below a text: vim's mode and what of a command was pressed, and the key that unfolds a paste. */
export function editingLines({draft, editing: {vim}}: TextField, frame: Frame): readonly string[] {
  const facts = [
    ...(vim === 'off' ? [] : [`-- ${modeNames[vim.mode]} --${vim.pending === '' ? '' : `  ${vim.pending}`}`]),
    ...(hasPaste(draft) ? ['Ctrl+X unfolds the paste'] : []),
  ];
  return facts.length === 0 ? [] : [frame.theme.paint(['dim'], fit(facts.join(glyphs.between), frame.width))];
}

const modeNames: Readonly<Record<VimMode, string>> = {
  insert: 'INSERT',
  normal: 'NORMAL',
  visual: 'VISUAL',
  'visual-line': 'VISUAL LINE',
};

export function selectionIn({draft, editing: {vim}}: TextField): Selection {
  return vim === 'off' || (vim.mode !== 'visual' && vim.mode !== 'visual-line') ? 'none' : selectionOf({draft, vim});
}
