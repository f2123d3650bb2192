import {lstat, mkdtemp, rename, rm} from 'node:fs/promises';
import {basename, dirname, join} from 'node:path';
import type {Worktree} from '../../actions/worktrees-port.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {causeText, rejected, type Fault} from '../../domain/fault.ts';
import {makeAndOpenFolder, removeFolders} from '../files/folder-handle.ts';
import {copyEntry, inFolderOf, isFile, sameState, stateAt} from './file-states.ts';
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
  const lost: string[] = [];
  const fresh = new Map<string, string>();
  const copy = async ({path, to}: ChangedPath, number: number): Promise<void> => {
    if (!isFile(to) || sameState(await stateAt(of, path), to)) return;
    const copied = join(stage, `new-${number}`);
    const source = {top: worktree.folder, path};
    const made = await inFolderOf(source, place => copyEntry(place, join(worktree.folder, path), copied));
    if (made === undefined || !sameState({mode: made.mode, sha256: made.sha256}, to)) throw new ChangedNow(path);
    fresh.set(path, copied);
  };
  const moveAway = async ({path, from, to}: ChangedPath, number: number): Promise<void> => {
    if (from === 'absent' || sameState(await stateAt(of, path), to)) return;
    const away = join(stage, `old-${number}`);
    await inFolderOf({top: of, path}, async (place, name) => {
      if (typeof place === 'string') throw new ChangedNow(path);
      await rename(place.at(name), away);
    });
    undo.push(async () => {
      try {
        await inMadeFolder(join(of, path), target => rename(away, target));
      } catch (cause) {
        lost.push(`${path} could not be put back (${causeText(cause)}); it is ${away} now`);
      }
    });
    if (!sameState(await stateAt(stage, `old-${number}`), from)) throw new ChangedNow(path);
    if (to === 'absent') await removeFolders(foldersBetween(of, path));
  };
  const putInPlace = async ({path}: ChangedPath): Promise<void> => {
    const copied = fresh.get(path);
    if (copied === undefined) return;
    const made = await inMadeFolder(join(of, path), async target => {
      if (await isThere(target)) throw new ChangedNow(path);
      await rename(copied, target);
    });
    undo.push(async () => {
      await inFolderOf({top: of, path}, async (place, name) => {
        if (typeof place === 'object') await rm(place.at(name), {force: true});
      });
      await removeFolders(made);
    });
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
    return failed(rejected([`Nothing was merged: ${causeText(cause)}`, ...lost].join('. ').concat('.')));
  } finally {
    if (lost.length === 0) await rm(stage, {recursive: true, force: true});
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

/** Does something at a path in its open folder, which is made if it is missing; returns the folders that were made. */
async function inMadeFolder(path: string, work: (target: string) => Promise<void>): Promise<readonly string[]> {
  const {folder, made} = await makeAndOpenFolder(dirname(path));
  try {
    await work(folder.at(basename(path)));
    return made;
  } catch (cause) {
    await removeFolders(made);
    throw cause;
  } finally {
    await folder.close();
  }
}

/** The folders of a path below `top`, the outermost first: git removes those that are empty. */
function foldersBetween(top: string, path: string): readonly string[] {
  const names = path.split('/').slice(0, -1);
  return names.map((_, at) => join(top, ...names.slice(0, at + 1)));
}
