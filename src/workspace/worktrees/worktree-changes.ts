import {lstat, mkdtemp, rename, rm} from 'node:fs/promises';
import {basename, dirname, join, relative} from 'node:path';
import type {WorkspaceChanges} from '../../actions/changes-port.ts';
import type {FileDiff} from '../../actions/preview.ts';
import type {Worktree} from '../../actions/worktrees-port.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {causeText, rejected, type Fault} from '../../domain/fault.ts';
import {diffHunks} from '../files/diff-hunks.ts';
import {makeAndOpenFolder, removeFolders} from '../files/folder-handle.ts';
import {textForDiff} from '../files/plan-edits.ts';
import {
  contentAt,
  copyEntry,
  type FileState,
  forEach,
  forEachFolder,
  withFolderOf,
  isFile,
  type PathState,
  type Place,
  isSameState,
  stateAt,
  stateIn,
} from './file-states.ts';
import type {GitContext} from '../exec/git-environment.ts';
import {runGit} from './run-git.ts';
import type {WorktreeRecord} from './worktree-record.ts';

/** A path that changed since the worktree was made. */
export interface ChangedPath {
  /** The path relative to both folders, with slashes. */
  readonly path: string;
  readonly from: FileState | 'absent';
  readonly to: PathState;
}

/** Lists the files of a working tree that git does not ignore. Nested repositories end with a slash. */
export async function listFiles(
  top: string,
  place: Omit<GitContext, 'folder'>,
): Promise<Outcome<readonly string[], string>> {
  const words = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const listed = await runGit(words, {folder: top, ...place});
  if (listed.tag === 'failed') return listed;
  return ok([...new Set(listed.value.split('\0').filter(path => path !== ''))].toSorted());
}

/** Returns the changes in the worktree, sorted by path. Throws if a file can't be read. */
export async function changedPaths(
  {folder}: Worktree,
  {files, createdAt: seenAt}: WorktreeRecord,
  {environment, signal}: Omit<GitContext, 'folder'>,
): Promise<Outcome<readonly ChangedPath[], Fault>> {
  const listed = await listFiles(folder, {environment, signal});
  if (listed.tag === 'failed') return failed(rejected(`git can't list the files of ${folder}: ${listed.error}`));
  const changed: ChangedPath[] = [];
  const compare = async (path: string, place: Place): Promise<void> => {
    const seen = Object.hasOwn(files, path) ? files[path] : undefined;
    const now = await stateIn(place, join(folder, path), {seen, seenAt});
    // A folder replaced a file, and its files are listed by themselves. The path of a nested repository ends with a
    // slash.
    const to = now === 'folder' && !path.endsWith('/') ? 'absent' : now;
    const from = seen === undefined ? ('absent' as const) : {mode: seen.mode, sha256: seen.sha256};
    if (!isSameState(from, to)) changed.push({path, from, to});
  };
  const paths = [...new Set([...Object.keys(files), ...listed.value])];
  await forEachFolder(
    {top: folder, paths},
    (inside, place) => forEach(inside, path => compare(path, place), signal),
    signal,
  );
  return ok(changed.toSorted((a, b) => (a.path < b.path ? -1 : 1)));
}

/** Returns the changes that can't be merged, with the reasons: paths in the target that changed since the worktree was made. */
export async function conflictsOf(
  changed: readonly ChangedPath[],
  {of, below}: WorktreeRecord,
): Promise<readonly {readonly path: string; readonly reason: string}[]> {
  const conflicts: {readonly path: string; readonly reason: string}[] = [];
  const changes = new Map(changed.map(change => [change.path, change]));
  const look = async (paths: readonly string[], place: Place): Promise<void> => {
    for (const path of paths) {
      const change = changes.get(path);
      const reason = change && conflictReason(change, {below, now: await stateIn(place, join(of, path))});
      if (reason !== undefined) conflicts.push({path, reason});
    }
  };
  await forEachFolder({top: of, paths: [...changes.keys()]}, look, new AbortController().signal);
  return conflicts.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

function conflictReason(
  {path, from, to}: ChangedPath,
  {below, now}: {readonly below: string; readonly now: PathState},
): string | undefined {
  if (to === 'folder') return 'it is a nested repository';
  if (to === 'other') return 'it is not a regular file';
  if (!path.startsWith(below)) return 'it is outside the folder that the worktree covers';
  const is = targetState(now, from);
  if (isSameState(is, from) || isSameState(is, to)) return undefined;
  if (is === 'other' && from === 'absent') return 'a link leads to its folder, or it is not a regular file there';
  if (is === 'absent') return 'it has been deleted since';
  return from === 'absent' ? 'it was also created there' : 'it was changed since';
}

/** Treats a folder in the target as absent if the change creates a file there: its files are all deleted too, or the merge itself stops. */
const targetState = (now: PathState, from: PathState): PathState =>
  now === 'folder' && from === 'absent' ? 'absent' : now;

/**
 * The maximum number of files to compare line by line, the maximum number of bytes of each, and the maximum number of lines of
 * each that are shown.
 */
const maxFiles = 50;
const maxFileBytes = 1024 * 1024;
const maxLines = 2000;

/** Returns the changes of a merge as diffs. Paths are relative to the agent's folder. */
export async function diffsOf(
  changed: readonly ChangedPath[],
  {worktree, record}: {readonly worktree: Worktree; readonly record: WorktreeRecord},
): Promise<WorkspaceChanges> {
  const files: FileDiff[] = [];
  for (const change of changed.slice(0, maxFiles)) files.push(await diffOf(change, worktree, record));
  return {files, more: Math.max(0, changed.length - maxFiles)};
}

async function diffOf(
  {path, from, to}: ChangedPath,
  {folder}: Worktree,
  {of, below}: WorktreeRecord,
): Promise<FileDiff> {
  const now = targetState(await stateAt(of, path), from);
  const named = {
    path: relative(below, path),
    before: isFile(from) ? from.sha256 : 'absent',
    after: isFile(to) ? to.sha256 : 'absent',
    movedFrom: undefined,
  };
  const notes = [
    ...(isSameState(now, from) ? [] : ['it changed on both sides; the diff is against the current file']),
    ...noteOf(from, to),
  ];
  const [old, fresh] = await Promise.all([
    isFile(now) ? contentAt(of, path, maxFileBytes) : undefined,
    isFile(to) ? contentAt(folder, path, maxFileBytes) : undefined,
  ]);
  return old === 'too large' || fresh === 'too large'
    ? {...named, added: 0, removed: 0, hunks: [], notes: [...notes, 'it is too large to show']}
    : {...named, ...(await diffHunks(textForDiff(old), textForDiff(fresh), maxLines)), notes};
}

function noteOf(from: PathState, to: PathState): readonly string[] {
  if (!isFile(to)) return to === 'folder' ? ['it is a nested repository'] : [];
  if (to.mode === 'link') return ['it is a symbolic link'];
  if (!isFile(from) || from.mode === to.mode) return [];
  return [to.mode === 'executable' ? 'it is now executable' : 'it is no longer executable'];
}

/** The maximum number of conflicts that an error names. */
const maxNamed = 20;

/** Explains in one sentence why nothing is merged, with the paths. */
function conflictText(conflicts: readonly {readonly path: string; readonly reason: string}[]): string {
  const named = conflicts.slice(0, maxNamed).map(({path, reason}) => `${path} (${reason})`);
  const more = conflicts.length - named.length;
  return `Nothing was merged because these conflict with the current files: ${named.join(', ')}${more === 0 ? '' : ` and ${more} more`}.`;
}

/**
 * Merges all changes of a worktree into its target folder, or none. Each new file is first created in a staging folder.
 * Old files are moved away and checked once more. If anything fails, they are moved back.
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
    if (!isFile(to) || isSameState(await stateAt(of, path), to)) return;
    const copied = join(stage, `new-${number}`);
    const source = {top: worktree.folder, path};
    const made = await withFolderOf(source, place => copyEntry(place, join(worktree.folder, path), copied));
    if (made === undefined || !isSameState({mode: made.mode, sha256: made.sha256}, to))
      throw new ChangedDuringMerge(path);
    fresh.set(path, copied);
  };
  const moveAway = async ({path, from, to}: ChangedPath, number: number): Promise<void> => {
    if (from === 'absent' || isSameState(await stateAt(of, path), to)) return;
    const away = join(stage, `old-${number}`);
    await withFolderOf({top: of, path}, async (place, name) => {
      if (typeof place === 'string') throw new ChangedDuringMerge(path);
      await rename(place.at(name), away);
    });
    undo.push(async () => {
      try {
        await withCreatedFolder(join(of, path), target => rename(away, target));
      } catch (cause) {
        lost.push(`${path} could not be moved back (${causeText(cause)}); it is now at ${away}`);
      }
    });
    if (!isSameState(await stateAt(stage, `old-${number}`), from)) throw new ChangedDuringMerge(path);
    if (to === 'absent') await removeFolders(foldersBetween(of, path));
  };
  const putInPlace = async ({path}: ChangedPath): Promise<void> => {
    const copied = fresh.get(path);
    if (copied === undefined) return;
    const made = await withCreatedFolder(join(of, path), async target => {
      if (await pathExists(target)) throw new ChangedDuringMerge(path);
      await rename(copied, target);
    });
    undo.push(async () => {
      await withFolderOf({top: of, path}, async (place, name) => {
        if (typeof place === 'object') await rm(place.at(name), {force: true});
      });
      await removeFolders(made);
    });
  };
  try {
    for (const step of [copy, moveAway, putInPlace]) {
      for (const [number, change] of changed.entries()) await step(change, number);
    }
    return ok(undefined);
  } catch (cause) {
    for (const back of undo.toReversed()) await back();
    return failed(rejected([`Nothing was merged: ${causeText(cause)}`, ...lost].join('. ').concat('.')));
  } finally {
    if (lost.length === 0) await rm(stage, {recursive: true, force: true});
  }
}

class ChangedDuringMerge extends Error {
  constructor(path: string) {
    super(`${path} changed during the merge`);
  }
}

const pathExists = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  );

/** Calls `work` with a path in its open folder, which it creates if needed. Returns the folders that it created. */
async function withCreatedFolder(path: string, work: (target: string) => Promise<void>): Promise<readonly string[]> {
  const {made, ...opened} = await makeAndOpenFolder(dirname(path));
  await using folder = opened.folder;
  try {
    await work(folder.at(basename(path)));
    return made;
  } catch (cause) {
    await removeFolders(made);
    throw cause;
  }
}

/** Returns the folders of a path below `top`, the outermost first: git removes the empty ones. */
function foldersBetween(top: string, path: string): readonly string[] {
  const names = path.split('/').slice(0, -1);
  return names.map((_, at) => join(top, ...names.slice(0, at + 1)));
}
