import type {onCharacter} from './vim/motions.ts';
import type {cursorAfterUndo, pressVim, splitVimKeys} from './vim/press-vim.ts';
import type {VimState} from './vim/run-command.ts';
import type {selectionOf} from './vim/visual-mode.ts';

/** What the rest of the editor needs of vim, whose keys most users never load. */
interface VimKeys {
  readonly onCharacter: typeof onCharacter;
  readonly cursorAfterUndo: typeof cursorAfterUndo;
  readonly pressVim: typeof pressVim;
  readonly splitVimKeys: typeof splitVimKeys;
  readonly selectionOf: typeof selectionOf;
  readonly initialVim: VimState;
}

let loaded: VimKeys | undefined;

/** To be awaited before a text is edited with vim's keys. Rejects where they cannot be read. */
export async function loadVimKeys(): Promise<void> {
  if (loaded !== undefined) return;
  const [motions, keys, visual, {initialVim}] = await Promise.all([
    import('./vim/motions.ts'),
    import('./vim/press-vim.ts'),
    import('./vim/visual-mode.ts'),
    import('./vim/run-command.ts'),
  ]);
  loaded = {
    onCharacter: motions.onCharacter,
    cursorAfterUndo: keys.cursorAfterUndo,
    pressVim: keys.pressVim,
    splitVimKeys: keys.splitVimKeys,
    selectionOf: visual.selectionOf,
    initialVim,
  };
}

/** Throws before they are loaded: no text is in vim's mode by then. */
export function vimKeys(): VimKeys {
  if (loaded === undefined) throw new Error("vim's keys are not loaded");
  return loaded;
}
