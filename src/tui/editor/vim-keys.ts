/** What the rest of the editor needs of vim, whose keys most users never load. */
async function load() {
  const [{onCharacter}, {cursorAfterUndo, pressVim, splitVimKeys}, {selectionOf}, {initialVim}] = await Promise.all([
    import('./vim/motions.ts'),
    import('./vim/press-vim.ts'),
    import('./vim/visual-mode.ts'),
    import('./vim/run-command.ts'),
  ]);
  return {onCharacter, cursorAfterUndo, pressVim, splitVimKeys, selectionOf, initialVim};
}

let loaded: Awaited<ReturnType<typeof load>> | undefined;

/** To be awaited before a text is edited with vim's keys. Rejects where they cannot be read. */
export async function loadVimKeys(): Promise<void> {
  loaded ??= await load();
}

/** Throws before they are loaded: no text is in vim's mode by then. */
export function vimKeys() {
  if (loaded === undefined) throw new Error("vim's keys are not loaded");
  return loaded;
}
