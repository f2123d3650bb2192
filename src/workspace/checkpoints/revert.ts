import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  ftruncateSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmdirSync,
  type Stats,
  statSync,
  symlinkSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import {basename, dirname, join} from 'node:path';
import {tryOr} from '../../base/outcome.ts';
import {
  afterTrees,
  beforeTrees,
  type OpenTreeChange,
  type OtherChange,
  type RevertedFile,
} from '../../domain/checkpoint.ts';
import {causeText, hasCode} from '../../domain/fault.ts';
import {type PathHandle, openPathHandle, temporaryName} from '../files/folder-handle.ts';
import {entryNames} from '../files/list-folder.ts';
import {canAccess} from '../files/regular-files.ts';
import {makeNodeComparison, type Merged, mergeNode} from './merge-node.ts';
import {contentName, type ObjectStore, removeOnError} from './object-store.ts';
import {type CachedFile, matchesStats, toCachedFile} from './folder-table.ts';
import {
  type Difference,
  type FileNode,
  isInside,
  LostCheckpoint,
  type RootTree,
  sameNamedNode,
  sameNode,
  type TreeNode,
  type TreeReader,
} from './tree.ts';

/** The steps of a revert, and the files it leaves alone because of a conflict. */
export interface RevertPlan {
  readonly steps: readonly RevertStep[];
  readonly conflicts: readonly RefusedPath[];
  /** The names that files with several names (hard links) had before the changes, by inode. */
  readonly names: ReadonlyMap<number, readonly string[]>;
  /** The titles of other sessions that may have changed some of the paths, too. */
  readonly alongside: readonly string[];
}

/** A change to take back: trees as in an `OpenTreeChange`, the latest ones first. */
interface KnownChange extends Pick<OpenTreeChange, 'since' | 'others'> {
  readonly before: readonly string[];
  readonly after: readonly string[];
}

export interface RevertStep {
  readonly path: string;
  readonly is: TreeNode | undefined;
  readonly wanted: TreeNode | undefined;
  readonly effect: RevertedFile['effect'];
}

/**
 * Plans how to take back changes one after the other, starting from the current files (`now`). A file still as the change left it becomes
 * what it was before. A file changed since is merged if possible, or else left alone and reported as a conflict. So is a file that only
 * someone else changed in the meantime. Paths that one of the trees left out are not touched.
 */
export async function planRevert(
  changes: readonly KnownChange[],
  {now, reader, objects}: {readonly now: string; readonly reader: TreeReader; readonly objects: ObjectStore},
): Promise<RevertPlan> {
  const current = reader.root(now);
  const roots = new Set(current.folders.keys());
  const wanted = new Map<string, TreeNode | undefined>();
  const merged = new Set<string>();
  const conflicts = new Map<string, string>();
  const foreign = new Map<string, string>();
  /** The files that are as before but for the names that they have (hard links), and what they were. */
  const relinked = new Map<string, FileNode>();
  const included: {readonly title: string; readonly path: string}[] = [];
  const stateOf = (path: string): TreeNode | undefined =>
    wanted.has(path) ? wanted.get(path) : reader.at(current, path);

  for (const change of changes) {
    const {before, after, others = []} = change;
    for (const {path, to} of foreignChanges(change, reader))
      if (sameNode(to, reader.at(current, path))) foreign.set(path, 'someone else changed it in the meantime');
    const found = others.map(other => changeOfOther(other, {now, reader}));
    const isNamed = reader.namedBy(before);
    const leftOut = new Set([...before, ...after, now].flatMap(tree => reader.root(tree).leftOut));
    for (const [path, then] of leftOutAfter({before, after}, reader)) {
      if (!isInside(path, new Set(current.leftOut)) && !sameNode(then, reader.at(current, path)))
        conflicts.set(path, 'weft was killed, and someone may have changed it since');
    }
    for (const {path, from, to} of reader.differences(before, after, sameNamedNode)) {
      if (isInside(path, leftOut)) continue;
      // A workspace folder is never created or deleted, but its permissions may have changed.
      const isRootChange = before.some(tree => isRoot(path, reader.root(tree))) || isRoot(path, current);
      if (isRootChange && (from === undefined || to === undefined || reader.at(current, path) === undefined)) continue;
      if (!isInside(path, roots)) {
        conflicts.set(path, 'its workspace folder was renamed or removed since');
        continue;
      }
      if (from?.kind === 'file' && sameNode(from, to)) {
        if (sameNamedNode(relinked.get(path) ?? reader.at(current, path), to)) relinked.set(path, from);
        continue;
      }
      const by = isNamed(path) ? [] : found.filter(({paths}) => paths.has(path));
      const theirs = by.find(({isTheirs}) => isTheirs(path));
      if (theirs !== undefined) {
        if (!sameNode(stateOf(path), from)) foreign.set(path, `session "${theirs.title}" changed it in the meantime`);
        continue;
      }
      for (const {title} of by) included.push({title, path});
      const next = await mergeNode({had: to, want: from, is: stateOf(path)}, objects);
      if (next.kind === 'conflict') conflicts.set(path, next.reason);
      else wanted.set(path, next.node);
      if (next.kind === 'merged') merged.add(path);
    }
  }
  // A file of which one change can't be taken back stays as it is: a part of its changes would make a state that never was.
  for (const path of conflicts.keys()) wanted.delete(path);
  const steps = [...wanted]
    .map(([path, node]): RevertStep => {
      const is = reader.at(current, path);
      return {path, is, wanted: node, effect: effectOf({is, wanted: node}, merged.has(path))};
    })
    .filter(({is, wanted: node}) => !sameNode(is, node));
  const possible = steps.filter(({path, wanted: node}) => {
    if (node === undefined || isRoot(path, current) || stateOf(dirname(path))?.kind === 'folder') return true;
    conflicts.set(path, 'its folder no longer exists');
    return false;
  });
  const paths = new Set(possible.map(({path}) => path));
  if (relinked.size > 0) {
    const before = reader.namesByInode(changes.at(-1)?.before ?? []);
    const after = reader.namesByInode(changes.flatMap(each => each.after));
    for (const [path, node] of relinked) {
      if (wanted.has(path) || conflicts.has(path)) continue;
      const inode = inodeAt(path);
      const had = namesOf(node, before);
      const isSplit =
        inode !== node.inode &&
        had.some(name => name !== path && inodeAt(name) !== inode && (inodeAt(name) ?? wanted.get(name)) !== undefined);
      const isJoined = namesOf({...node, inode}, after).some(
        name => name !== path && !had.includes(name) && !paths.has(name) && inodeAt(name) === inode,
      );
      if (!isSplit && !isJoined) continue;
      possible.push({path, is: reader.at(current, path), wanted: node, effect: 'changed'});
      paths.add(path);
    }
  }
  for (const [path, reason] of foreign) if (!paths.has(path) && !conflicts.has(path)) conflicts.set(path, reason);
  const isLinked = possible.some(({wanted: node}) => inodeOf(node) !== undefined);
  const names = isLinked ? reader.namesByInode(changes.flatMap(({before}) => before)) : new Map<number, string[]>();
  const namesNow = isLinked ? reader.namesByInode([now]) : names;
  /** True if the file got a name after the change began that stays. That name must keep its content. */
  const hasNewName = (inode: number | undefined): boolean =>
    inode !== undefined &&
    (namesNow.get(inode)?.some(name => !paths.has(name) && names.get(inode)?.includes(name) !== true) ?? false);
  return {
    steps: possible.map(step =>
      step.is?.kind === 'file' && isWrittenInPlace(step) && hasNewName(step.is.inode)
        ? {...step, is: {...step.is, inode: undefined}}
        : step,
    ),
    conflicts: [...conflicts].map(([path, reason]) => ({path, reason})),
    alongside: [...new Set(included.flatMap(({title, path}) => (paths.has(path) ? [title] : [])))],
    names,
  };
}

/** Returns the paths that the states after a change leave out and those before don't, with their last known nodes: after a kill, for example. */
export function leftOutAfter(
  {before, after}: Pick<KnownChange, 'before' | 'after'>,
  reader: TreeReader,
): readonly (readonly [path: string, node: TreeNode | undefined])[] {
  const known = new Set(before.flatMap(tree => reader.root(tree).leftOut));
  return after.flatMap(tree => {
    const root = reader.root(tree);
    return root.leftOut.flatMap(path => (isInside(path, known) ? [] : [[path, reader.at(root, path)] as const]));
  });
}

/** Returns how files changed between the change of a prompt before this one and this one. Nothing that the prompt started was running. */
export const foreignChanges = (
  {since = [], before}: Pick<KnownChange, 'since' | 'before'>,
  reader: TreeReader,
): readonly Difference[] =>
  since.length === 0
    ? []
    : reader.differences(since, before).filter(({from, to}) => from?.kind !== 'folder' && to?.kind !== 'folder');

/** Returns the paths that another session changed. `isTheirs`: it named the path, or its change was the shorter one. */
function changeOfOther(
  {title, change, isShorter}: OtherChange,
  {now, reader}: {readonly now: string; readonly reader: TreeReader},
): {readonly title: string; readonly paths: ReadonlySet<string>; readonly isTheirs: (path: string) => boolean} {
  const before = beforeTrees(change);
  const after = [...afterTrees(change), now];
  try {
    const paths = new Set(reader.differences(before, after).map(({path}) => path));
    const isNamed = reader.namedBy(before);
    return {title, paths, isTheirs: path => isShorter || isNamed(path)};
  } catch (cause) {
    if (cause instanceof LostCheckpoint) return {title, paths: new Set(), isTheirs: () => false};
    throw cause;
  }
}

/** Returns the inode of a file that has several names. */
export const inodeOf = (node: TreeNode | undefined): number | undefined =>
  node?.kind === 'file' ? node.inode : undefined;

/** True if a file with several names still is the one from before the change: the change concerned all names, and so does its revert. */
const isWrittenInPlace = ({is, wanted}: Pick<RevertStep, 'is' | 'wanted'>): boolean =>
  inodeOf(is) !== undefined && inodeOf(is) === inodeOf(wanted);

/** Returns the number of other names that change with the file, without those of other steps. */
export function countOtherNames(step: RevertStep, steps: readonly RevertStep[]): number {
  if (!isWrittenInPlace(step)) return 0;
  const inode = inodeOf(step.wanted);
  const names = steps.filter(
    ({path, is, wanted}) => (inodeOf(is) === inode || inodeOf(wanted) === inode) && inodeAt(path) === inode,
  ).length;
  return Math.max(0, (lstatSync(step.path, {throwIfNoEntry: false})?.nlink ?? 0) - names);
}

const namesOf = ({inode}: Pick<FileNode, 'inode'>, names: ReadonlyMap<number, readonly string[]>): readonly string[] =>
  inode === undefined ? [] : (names.get(inode) ?? []);

const inodeAt = (path: string): number | undefined => lstatSync(path, {throwIfNoEntry: false})?.ino;

const isRoot = (path: string, {folders}: RootTree): boolean => folders.has(path);

function effectOf(
  {is, wanted}: {readonly is: TreeNode | undefined; readonly wanted: TreeNode | undefined},
  isMerged: boolean,
): RevertedFile['effect'] {
  if (wanted === undefined) return 'deleted';
  if (is === undefined) return 'restored';
  return isMerged ? 'merged' : 'changed';
}

/**
 * Plans how to take back the steps of a revert that was killed. A path that the revert left half-way becomes what it was
 * before. Later changes are merged, or left alone and reported as conflicts.
 */
export async function planTakeBack(
  steps: readonly Pick<RevertStep, 'path' | 'is' | 'wanted'>[],
  {nodeNow, objects}: {readonly nodeNow: (path: string) => TreeNode | undefined; readonly objects: ObjectStore},
): Promise<RevertPlan> {
  const back: RevertStep[] = [];
  const conflicts: RefusedPath[] = [];
  for (const step of steps) {
    const {path, is: before, wanted: after} = step;
    const is = nodeNow(path);
    if (makeNodeComparison(objects, [is, before])(is, before)) continue;
    const next: Merged = isHalfWay(is, step, objects)
      ? {kind: 'clean', node: before}
      : await mergeNode({had: after, want: before, is}, objects);
    if (next.kind === 'conflict') conflicts.push({path, reason: next.reason});
    else if (!sameNode(is, next.node)) {
      const effect = effectOf({is, wanted: next.node}, next.kind === 'merged');
      back.push({path, is, wanted: next.node, effect});
    }
  }
  return {steps: back, conflicts, alongside: [], names: new Map()};
}

/** True if a revert that was killed, or one that took it back, may have left a path like this. */
function isHalfWay(
  is: TreeNode | undefined,
  {is: before, wanted: after}: Pick<RevertStep, 'is' | 'wanted'>,
  objects: ObjectStore,
): boolean {
  if (is === undefined) return before !== undefined && after !== undefined && before.kind !== after.kind;
  if (is.kind === 'folder')
    return [before, after].some(node => node?.kind === 'folder' && [0o700, node.mode | 0o300].includes(is.mode));
  if (is.kind === 'link' || before?.kind !== 'file' || after?.kind !== 'file') return false;
  if (!isWrittenInPlace({is: before, wanted: after})) return false;
  const [now, old, fresh] = [is, before, after].map(({hash}) => objects.get(hash));
  if (now === undefined || old === undefined || fresh === undefined) return false;
  const isMixed = now.every((byte, at) => byte === old[at] || byte === fresh[at]);
  return isMixed && now.length >= Math.min(old.length, fresh.length);
}

/** A path that a revert couldn't change, and why. The path stays unchanged. */
export type RefusedPath = {readonly path: string; readonly reason: string};

/**
 * Applies the plan of a revert. Leaves alone paths that have changed since the plan was made. A file has its old or its new content at
 * every moment, but for one with several names, which is written in place. Never throws.
 */
export function applyRevert(
  {steps, names}: Pick<RevertPlan, 'steps' | 'names'>,
  {objects, seen}: {readonly objects: ObjectStore; readonly seen: (path: string) => CachedFile | undefined},
): RefusedPath[] {
  const refused: RefusedPath[] = [];
  const locked = makeUnlocker();
  /** The files with several names that have been restored: a path and the inode now, by the inode and content before. */
  const restored = new Map<string, {readonly path: string; readonly inode: number}>();
  const restoredAs = (wanted: TreeNode | undefined): {readonly path: string; readonly inode: number} | undefined =>
    wanted?.kind === 'file' ? restored.get(`${String(wanted.inode)} ${wanted.hash}`) : undefined;
  /** The files that the revert itself has changed, or given other names, by inode. */
  const changed = new Map<number, CachedFile>();
  const noteChange = (stats: Stats | undefined): void => {
    if (stats?.isFile() === true) changed.set(stats.ino, toCachedFile(stats, ''));
  };
  /** Returns the stats that a file should have. A change of one name changes the ctime of all. */
  const expected = (path: string, {ctimeMs: ctime}: Stats): CachedFile | undefined => {
    const file = seen(path);
    const own = file && changed.get(file.inode);
    return own === undefined ? file : {...own, ctime};
  };
  /** Returns another name of the wanted file that has its content. */
  const twinOf = ({path, wanted}: RevertStep): string | undefined => {
    const inode = inodeOf(wanted);
    if (inode === undefined || wanted?.kind !== 'file') return undefined;
    const isTwin = (name: string): boolean =>
      name !== path && tryOr(() => lstatSync(name).ino === inode && hasContent(name, wanted.hash), false);
    const folder = dirname(path);
    // A checkpoint of named files doesn't know the other names. Most are in the same folder.
    const near = (): string | undefined =>
      entryNames(folder)
        .map(name => join(folder, name))
        .find(isTwin);
    return restoredAs(wanted)?.path ?? names.get(inode)?.find(isTwin) ?? near();
  };
  const attempt = (step: RevertStep, work: (at: Target) => void): void => {
    try {
      using folder = openParent(step.path);
      const target = {folder, path: folder.at(basename(step.path))};
      const stats = lstatSync(target.path, {throwIfNoEntry: false});
      if (stats !== undefined && restoredAs(step.wanted)?.inode === stats.ino) return;
      locked.open(dirname(step.path), folder);
      const reason = stepProblem(step, stats, expected);
      if (reason === undefined) {
        work(target);
        noteChange(stats);
        noteChange(lstatSync(target.path, {throwIfNoEntry: false}));
      } else refused.push({path: step.path, reason});
    } catch (cause) {
      refused.push({path: step.path, reason: causeText(cause).replace(/\/proc\/self\/fd\/.*/u, () => step.path)});
    }
  };
  const deepestFirst = steps.toSorted((a, b) => b.path.length - a.path.length);

  for (const step of deepestFirst) {
    if (isRemovedFirst(step) && step.is?.kind !== 'folder') attempt(step, ({path}) => unlinkSync(path));
  }
  for (const step of deepestFirst)
    if (isRemovedFirst(step) && step.is?.kind === 'folder') attempt(step, ({path}) => removeEmpty(path, step));
  const isRefused = (path: string): boolean => refused.some(one => one.path === path);
  const ready = steps
    .filter(({path}) => !isRefused(path))
    .map(step => (isRemovedFirst(step) ? {...step, is: undefined} : step));

  const folders = ready.filter(({wanted}) => wanted?.kind === 'folder');
  for (const step of folders.toSorted((a, b) => a.path.length - b.path.length)) {
    attempt(step, ({path}) => {
      if (step.is === undefined) mkdirSync(path, {mode: 0o700, recursive: true});
    });
  }
  // Files that stay the same file come first, so that their other names are linked to them.
  for (const step of ready.toSorted((a, b) => Number(stays(b)) - Number(stays(a)))) {
    const {wanted} = step;
    if (wanted?.kind === 'link') attempt(step, target => restoreLink(target, wanted.target));
    if (wanted?.kind === 'file')
      attempt(step, target => {
        restoreFile(step, {target, wanted, objects, twin: twinOf(step)});
        if (wanted.inode === undefined) return;
        const {ino: inode} = lstatSync(target.path);
        restored.set(`${String(wanted.inode)} ${wanted.hash}`, {path: step.path, inode});
      });
  }
  // Modes are set last: a folder without write permission must be filled first.
  const modes = new Map(locked.modes);
  for (const {path, wanted} of folders) if (wanted?.kind === 'folder' && !isRefused(path)) modes.set(path, wanted.mode);
  for (const [path, mode] of [...modes].toSorted(([a], [b]) => b.length - a.length)) changeMode(path, mode, refused);
  return refused;
}

function hasContent(path: string, content: string): boolean {
  using file = openPathHandle(path, 'file');
  return content === contentName(readFileSync(file.self), content);
}

/** Returns the modes of the folders that applying these steps makes writable for a while. */
export const modesToRestore = (steps: readonly Pick<RevertStep, 'path'>[]): [path: string, mode: number][] =>
  [...new Set(steps.map(({path}) => dirname(path)))].flatMap((folder): [string, number][] => {
    const stats = lstatSync(folder, {throwIfNoEntry: false});
    const isOpen = stats?.isDirectory() !== true || canAccess(folder, constants.W_OK | constants.X_OK);
    return isOpen ? [] : [[folder, stats.mode & 0o7777]];
  });

/** Restores the modes of folders that a killed revert made writable. */
export function restoreModes(modes: readonly (readonly [path: string, mode: number])[], refused: RefusedPath[]): void {
  for (const [path, mode] of modes)
    if ((lstatSync(path, {throwIfNoEntry: false})?.mode ?? 0) % 0o10000 === (mode | 0o300))
      changeMode(path, mode, refused);
}

/** A path of a step in its open folder. */
interface Target {
  readonly folder: PathHandle;
  readonly path: string;
}

function openParent(path: string): PathHandle {
  try {
    return openPathHandle(dirname(path), 'folder');
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && !hasCode(cause, 'ENOTDIR')) throw cause;
    throw new Error('its folder is now a link', {cause});
  }
}

/** Gives the owner write permission for folders that lack it during the revert; `modes` are their previous modes. */
function makeUnlocker(): {
  readonly modes: ReadonlyMap<string, number>;
  open(folder: string, held: PathHandle): void;
} {
  const modes = new Map<string, number>();
  return {
    modes,
    open(folder, {self}) {
      if (modes.has(folder) || canAccess(self, constants.W_OK | constants.X_OK)) return;
      const mode = statSync(self).mode & 0o7777;
      try {
        chmodSync(self, mode | 0o300);
        modes.set(folder, mode);
      } catch {
        // The folder belongs to another user. In that case, the step fails with this reason.
      }
    },
  };
}

/** True if the current entry must be deleted before the wanted one can replace it. */
const isRemovedFirst = ({is, wanted}: RevertStep): boolean => is !== undefined && is.kind !== wanted?.kind;

/** True if the file keeps its inode, so that its other names can be linked to it. */
const stays = (step: RevertStep): boolean => isWrittenInPlace(step) || hasSameContent(step);

const hasSameContent = ({is, wanted}: Pick<RevertStep, 'is' | 'wanted'>): boolean =>
  is?.kind === 'file' && wanted?.kind === 'file' && is.hash === wanted.hash;

/** Returns why a path must not be touched: it has changed since the plan was made. */
function stepProblem(
  {path, is, wanted}: RevertStep,
  stats: Stats | undefined,
  expected: (path: string, stats: Stats) => CachedFile | undefined,
): string | undefined {
  const isThere = wanted?.kind === 'folder' && stats?.isDirectory() === true;
  if (stats !== undefined && !(stats.isFile() || stats.isDirectory() || stats.isSymbolicLink()))
    return `a ${stats.isFIFO() ? 'pipe' : stats.isSocket() ? 'socket' : 'device'} has taken its name`;
  if (is === undefined) return stats === undefined || isThere ? undefined : changedText;
  if (stats === undefined) return changedText;
  switch (is.kind) {
    case 'folder':
      return stats.isDirectory() ? undefined : changedText;
    case 'link':
      return stats.isSymbolicLink() ? undefined : changedText;
    default: {
      const file = expected(path, stats);
      return file !== undefined && matchesStats(file, stats) ? undefined : changedText;
    }
  }
}

const changedText = 'it changed during the revert';

function removeEmpty(path: string, {wanted}: RevertStep): void {
  try {
    rmdirSync(path);
  } catch (cause) {
    if (wanted !== undefined) throw cause;
  }
}

function restoreLink({folder, path}: Target, target: string): void {
  const fresh = folder.at(temporaryName());
  symlinkSync(target, fresh);
  removeOnError(fresh, () => renameSync(fresh, path));
}

function restoreFile(
  {path: known, is}: RevertStep,
  {
    target: {folder, path},
    wanted,
    objects,
    twin,
  }: {
    readonly target: Target;
    readonly wanted: FileNode;
    readonly objects: ObjectStore;
    readonly twin: string | undefined;
  },
): void {
  const isAlone = lstatSync(path, {throwIfNoEntry: false})?.nlink === 1;
  if (
    is?.kind === 'file' &&
    is.hash === wanted.hash &&
    ((isAlone && twin === undefined) || isWrittenInPlace({is, wanted}))
  ) {
    using file = openPathHandle(known, 'file');
    chmodSync(file.self, wanted.mode);
    return;
  }
  const fresh = folder.at(temporaryName());
  removeOnError(fresh, () => {
    if (isWrittenInPlace({is, wanted})) {
      if (!objects.copyTo(wanted.hash, fresh)) throw new Error('its saved content is gone');
      using file = openPathHandle(known, 'file');
      overwrite(file.self, fresh);
      // Only its owner may set the mode of a file.
      if ((statSync(file.self).mode & 0o7777) !== wanted.mode) chmodSync(file.self, wanted.mode);
      unlinkSync(fresh);
      return;
    }
    if (twin === undefined) {
      if (!objects.copyTo(wanted.hash, fresh)) throw new Error('its saved content is gone');
      const old = lstatSync(path, {throwIfNoEntry: false});
      // If the owner can't be set, the file becomes this user's.
      if (old?.isFile() === true) tryOr(() => chownSync(fresh, old.uid, old.gid), undefined);
      chmodSync(fresh, wanted.mode);
    } else {
      using others = openParent(twin);
      linkSync(others.at(basename(twin)), fresh);
    }
    renameSync(fresh, path);
  });
}

/** The number of bytes to copy at once. */
const partBytes = 1024 * 1024;

/** Replaces the content of a file so that each byte is the old or the new one at every moment. A full disk stops it before a byte is lost. */
function overwrite(path: string, from: string): void {
  if (!canAccess(path, constants.W_OK)) chmodSync(path, (statSync(path).mode & 0o7777) | 0o200);
  const source = openSync(from, 'r');
  const target = openSync(path, constants.O_WRONLY);
  try {
    const [before, after] = [statSync(path).size, statSync(from).size];
    const part = Buffer.alloc(Math.min(after, partBytes));
    const copy = (start: number, end: number): void => {
      for (let at = start; at < end;) {
        const read = readSync(source, part, 0, Math.min(part.length, end - at), at);
        if (read === 0) throw new Error('its saved content is gone');
        at += writeSync(target, part, 0, read, at);
      }
    };
    try {
      copy(before, after);
    } catch (cause) {
      ftruncateSync(target, before);
      throw cause;
    }
    copy(0, Math.min(before, after));
    ftruncateSync(target, after);
  } finally {
    closeSync(source);
    closeSync(target);
  }
}

/** Sets the mode of a folder; does nothing if the folder is gone. */
function changeMode(path: string, mode: number, refused: RefusedPath[]): void {
  try {
    if (lstatSync(path, {throwIfNoEntry: false})?.isDirectory() !== true) return;
    using folder = openPathHandle(path, 'folder');
    chmodSync(folder.self, mode);
  } catch (cause) {
    refused.push({path, reason: causeText(cause)});
  }
}
