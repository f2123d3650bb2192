import {lstat, mkdir, mkdtemp, rename, rm, rmdir} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import type {Worktree} from '../../actions/worktrees-port.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {causeText, rejected, type Fault} from '../../domain/fault.ts';
import {copyEntry, isFile, sameState, stateAt} from './file-states.ts';
import {type ChangedPath, conflictsOf} from './worktree-changes.ts';
import type {WorktreeRecord} from './worktree-record.ts';

/** Conflicts that a fault names. */
const mostNamed = 20;

/** Why nothing is merged: a sentence that names the paths. */
function conflictText(conflicts: readonly {readonly path: string; readonly reason: string}[]): string {
  const named = conflicts.slice(0, mostNamed).map(({path, reason}) => `${path} (${reason})`);
  const more = conflicts.length - named.length;
  return `Nothing was merged, since these conflict with what is there now: ${named.join(', ')}${more === 0 ? '' : ` and ${more} more`}.`;
}

/**
 * Writes the changes of a worktree into the folder that it was made for: all of them, or none. Each file is made beside the others first;
 * what was there is moved away, looked at once more, and moved back where anything fails.
 */
export async function mergeChanges(
  changed: readonly ChangedPath[],
  {worktree, record}: {readonly worktree: Worktree; readonly record: WorktreeRecord},
): Promise<Outcome<undefined, Fault>> {
  const conflicts = await conflictsOf(changed, record);
  if (conflicts.length > 0) return failed(rejected(conflictText(conflicts)));
  const {of} = record;
  const stage = await mkdtemp(join(dirname(worktree.folder), '.merge-'));
  const undo: (() => Promise<void>)[] = [];
  const fresh = new Map<string, string>();
  const copy = async ({path, to}: ChangedPath, number: number): Promise<void> => {
    if (!isFile(to) || sameState(await stateAt(of, path), to)) return;
    const copied = join(stage, `new-${number}`);
    const made = await copyEntry(join(worktree.folder, path), copied);
    if (made === undefined || !sameState({mode: made.mode, sha256: made.sha256}, to)) throw new ChangedNow(path);
    fresh.set(path, copied);
  };
  const moveAway = async ({path, from, to}: ChangedPath, number: number): Promise<void> => {
    const target = join(of, path);
    if (from === 'absent' || sameState(await stateAt(of, path), to)) return;
    const away = join(stage, `old-${number}`);
    await rename(target, away);
    undo.push(async () => {
      await mkdir(dirname(target), {recursive: true});
      await rename(away, target);
    });
    if (!sameState(await stateAt(stage, `old-${number}`), from)) throw new ChangedNow(path);
    if (to === 'absent') await removeEmptyFolders(dirname(target), of);
  };
  const putInPlace = async ({path}: ChangedPath): Promise<void> => {
    const copied = fresh.get(path);
    if (copied === undefined) return;
    const target = join(of, path);
    const made = await mkdir(dirname(target), {recursive: true});
    if (made !== undefined) undo.push(() => removeEmptyFolders(dirname(target), dirname(made)));
    if (await isThere(target)) throw new ChangedNow(path);
    await rename(copied, target);
    undo.push(() => rm(target, {force: true}));
  };
  try {
    for (const step of [copy, moveAway, putInPlace]) {
      // oxlint-disable-next-line no-await-in-loop -- what is done in order can be taken back in order
      for (const [number, change] of changed.entries()) await step(change, number);
    }
    return ok(undefined);
  } catch (cause) {
    // oxlint-disable-next-line no-await-in-loop -- the last step is taken back first
    for (const back of undo.toReversed()) await back();
    return failed(rejected(`Nothing was merged: ${causeText(cause)}.`));
  } finally {
    await rm(stage, {recursive: true, force: true});
  }
}

class ChangedNow extends Error {
  constructor(path: string) {
    super(`${path} changed at this very moment`);
  }
}

async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch {
    return false;
  }
}

/** Removes the folder and those above it as long as they are empty, as git does; `end` stays. */
async function removeEmptyFolders(folder: string, end: string): Promise<void> {
  for (let at = folder; at !== end && at.startsWith(end); at = dirname(at)) {
    try {
      // oxlint-disable-next-line no-await-in-loop -- from the deepest up
      await rmdir(at);
    } catch {
      return;
    }
  }
}
