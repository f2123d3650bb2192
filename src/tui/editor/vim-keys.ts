/** Loads the vim functions that the editor needs. Most users never load them. */
async function load() {
  const [{clampToCharacter}, {cursorAfterUndo, pressVim, splitVimKeys}, {selectionOf}, {initialVim}] =
    await Promise.all([
      import('./vim/motions.ts'),
      import('./vim/press-vim.ts'),
      import('./vim/visual-mode.ts'),
      import('./vim/run-command.ts'),
    ]);
  return {clampToCharacter, cursorAfterUndo, pressVim, splitVimKeys, selectionOf, initialVim};
}

let loaded: Awaited<ReturnType<typeof load>> | undefined;

/** Loads vim's keys. Must be awaited before a text is edited with them. Rejects if they can't be read. */
export async function loadVimKeys(): Promise<void> {
  loaded ??= await load();
}

/** Returns vim's keys. Throws if they are not loaded. */
export function vimKeys() {
  if (loaded === undefined) throw new Error("vim's keys are not loaded");
  return loaded;
}
