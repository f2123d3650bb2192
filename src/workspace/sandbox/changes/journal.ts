import {randomBytes} from 'node:crypto';
import {readdirSync, renameSync, rmSync} from 'node:fs';
import {join} from 'node:path';
import {tryOr} from '../../../base/outcome.ts';
import type {AppliedChanges} from '../../../actions/changes-port.ts';
import {containsPath} from '../../files/resolve-path.ts';
import {isOwnerGone, ownerText} from '../session.ts';
import {applyEntries, type ApplyMode} from './apply.ts';
import {journalsIn} from '../../../config/places.ts';
import type {ChangesContext, HeldEntry, HeldSet} from './held-set.ts';
import {folderOf, joinBytes, toBytes, toNative} from './path-bytes.ts';
import {loadSet, removeStored, storeSet} from './stored-sets.ts';

/** Returns the name of a new journal, with the process that applies it. */
const newName = (): string => `${ownerText()} ${randomBytes(4).toString('hex')}`;

/**
 * Applies changes with a journal. If weft is killed, the next weft process in this workspace completes the apply. Until
 * then the upper folders are beside the journal, so nothing else in weft removes them.
 */
export async function applyWithJournal(
  chosen: readonly HeldEntry[],
  set: HeldSet,
  {folder, how, signal}: {readonly folder: string; readonly how: ApplyMode; readonly signal: AbortSignal},
): Promise<AppliedChanges> {
  if (chosen.length === 0) return {applied: [], dropped: []};
  const journal = join(journalsIn(folder), newName());
  const moved = storeSet({...set, entries: chosen}, journal, 'beside');
  try {
    return await applyEntries(chosen, moved, {how, signal});
  } finally {
    for (const [index, {upper}] of moved.layers.entries()) {
      const place = set.layers[index]?.upper;
      if (place !== undefined && place !== upper) renameSync(upper, place);
    }
    rmSync(journal, {recursive: true, force: true});
  }
}

/** Completes the applies in this workspace that a killed weft process left unfinished. Returns their number. Never rejects. */
export async function finishInterruptedApplies(
  {roots, folder}: Pick<ChangesContext, 'roots' | 'folder'>,
  signal: AbortSignal,
): Promise<number> {
  let finished = 0;
  for (const name of journalNames(folder)) {
    if (signal.aborted || !isOwnerGone(name)) continue;
    const set = loadSet(join(journalsIn(folder), name));
    if (set?.layers.every(({lower}) => roots.some(root => containsPath(root, lower))) === false) continue;
    const own = join(journalsIn(folder), newName());
    // Only the journal's old name tells which process the temporary files belong to.
    if (set !== undefined) removeTemporaryFiles(set, name.split(' ', 1)[0] ?? '');
    try {
      // If several processes find the journal, only one can rename it.
      renameSync(join(journalsIn(folder), name), own);
    } catch {
      continue;
    }
    const found = set === undefined ? undefined : loadSet(own);
    if (found !== undefined) {
      await applyEntries(found.entries, found, {how: 'again', signal}).catch(() => {});
      finished += 1;
    }
    if (!signal.aborted) await removeStored(own);
  }
  return finished;
}

const journalNames = (folder: string): readonly string[] => tryOr(() => readdirSync(journalsIn(folder)), []);

function removeTemporaryFiles({entries, layers}: HeldSet, pid: string): void {
  const folders = new Set(entries.map(({layer, at}) => joinBytes(toBytes(layers[layer]?.lower ?? ''), folderOf(at))));
  for (const folder of folders) {
    try {
      for (const name of readdirSync(toNative(folder), 'latin1')) {
        if (name.startsWith(`.weft-${pid}-`)) rmSync(toNative(joinBytes(folder, name)), {force: true});
      }
    } catch {
      // The folder is gone.
    }
  }
}
