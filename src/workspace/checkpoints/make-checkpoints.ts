import {
  afterTrees,
  beforeTrees,
  type ChangeExtent,
  type CheckpointsPort,
  type OpenTreeChange,
  type RevertMark,
  type RevertReport,
  type TakenBack,
  type TouchedFiles,
  type TreeId,
  treeId,
} from '../../domain/checkpoint.ts';
import type {FileHistory, LineAuthor} from '../../domain/blame.ts';
import type {ChangeEntry} from '../../domain/change-set.ts';
import type {ResolvedCommand} from '../../domain/risk.ts';
import type {ComparisonPort} from '../../actions/review-port.ts';
import {hash} from 'node:crypto';
import {constants, lstatSync} from 'node:fs';
import {basename, dirname, join, relative, resolve} from 'node:path';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {openDatabases} from '../../config/open-databases.ts';
import {causeText, type Fault, needsUser} from '../../domain/fault.ts';
import {byteSize} from '../../base/byte-size.ts';
import {canAccess} from '../files/regular-files.ts';
import {outermost, realPath} from '../files/resolve-path.ts';
import {expandPaths} from '../impact/command-writes.ts';
import {claimKilledReverts, noteRevert} from './killed-reverts.ts';
import {
  applyRevert,
  countOtherNames,
  foreignChanges,
  inodeOf,
  leftOutAfter,
  planRevert,
  planTakeBack,
  restoreModes,
  type RefusedPath,
  type RevertPlan,
} from './revert.ts';
import {type ObjectStore, openObjects} from './object-store.ts';
import {isLeftOutByName, scanPaths} from './scan-paths.ts';
import {
  findLeftOut,
  maxIgnoredFiles,
  type Scan,
  type ScanContext,
  scanWorkspace,
  type WorkspaceScan,
} from './scan-workspace.ts';
import {
  type CachedFile,
  emptyTable,
  fileIn,
  type FolderRecord,
  type FolderTable,
  loadTable,
  lstatOf,
  readLinkNode,
  saveTable,
  toCachedFile,
} from './folder-table.ts';
import {pruneStamp} from './prune-checkpoints.ts';
import {openStatIndex} from './changed-files.ts';
import {forgetWrites, noteWrites, registerUse, signsOfLife} from './store-lock.ts';
import {worktreesFolder} from '../worktrees/worktree-record.ts';
import {
  contentNames,
  encodeRoot,
  fileNode,
  LostCheckpoint,
  makeTreeReader,
  relatedTo,
  sameNamedNode,
  type TreeNode,
  type TreeReader,
} from './tree.ts';

export interface CheckpointOptions {
  readonly roots: readonly string[];
  /** The folder for the checkpoints of all workspaces; it need not exist. */
  readonly folder: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly now: () => number;
  /** The maximum number of bytes of new content in a checkpoint, instead of 4 GB. */
  readonly maxNewBytes?: number;
  /** The number of files from which on git looks for changed ones, instead of 8,000. */
  readonly minIndexedFiles?: number;
}

/** A table is saved if more than one of so many folders has changed, or if so many bytes were read. */
const unsavedShare = 50;
const maxUnsavedBytes = 16 * 1024 * 1024;

/** The longest time that an approval request waits for the list of files that undo doesn't cover, in milliseconds. */
const maxQuestionDelayMs = 400;

/** Opens the checkpoints of workspace folders with the environment and the clock of this process. */
export const openCheckpoints = (roots: readonly string[], folder: string): SavedCheckpoints =>
  makeCheckpoints({roots, folder, environment: process.env, now: () => Date.now()});

/**
 * Takes and reverts checkpoints of the files below some folders. The checkpoints are stored elsewhere. They need no
 * repository and write to none.
 */
export function makeCheckpoints(options: CheckpointOptions): SavedCheckpoints {
  const {folder, environment, now} = options;
  const limits = options.maxNewBytes === undefined ? {} : {maxNewBytes: options.maxNewBytes};
  const roots = outermost(options.roots.map(realPath));
  const objects = openObjects(join(folder, 'objects'), environment);
  const reader = makeTreeReader(objects);
  const catchFaults = async <T>(work: () => Promise<T>): Promise<Outcome<T, Fault>> => {
    try {
      return ok(await work());
    } catch (cause) {
      if (cause instanceof LostCheckpoint) return failed(cause.fault);
      const message = `Can't take a checkpoint of the files: ${causeText(cause)}`;
      return failed(needsUser(message, `Check the folder ${folder} and the free disk space.`));
    }
  };
  const tableFile = join(folder, `seen-${hash('sha256', roots.join('\0'), 'hex').slice(0, 16)}.table`);
  const statIndex = openStatIndex({
    file: `${tableFile}.index`,
    gitFolder: join(folder, 'stats.git'),
    roots,
    environment,
    minFiles: options.minIndexedFiles,
  });
  let table: FolderTable | undefined;
  const unsaved = {folders: 0, bytes: 0};
  let prefetching: {readonly stop: AbortController; readonly done: Promise<void>} | undefined;

  let pruned = '';
  let isRegistered = false;
  /** Returns the table of this process, or `undefined` if there is none yet. */
  const ownTable = async (signal: AbortSignal): Promise<FolderTable | undefined> => {
    if (!isRegistered) await registerUse(folder, signal);
    isRegistered = true;
    // This process may delete the checkpoints of other sessions, with objects that the table names.
    const stamp = pruneStamp(folder);
    if (table !== undefined && stamp !== pruned) {
      table = undefined;
      objects.forget();
    }
    pruned = stamp;
    return table;
  };
  const readTable = async (signal: AbortSignal): Promise<FolderTable> =>
    (table = (await ownTable(signal)) ?? loadTable(tableFile));
  const scanContext = (): ScanContext => ({
    roots,
    excluded: new Set([realPath(folder), ...roots.map(worktreesFolder), ...openDatabases()]),
    objects,
    environment,
  });
  const runPrefetch = async (signal: AbortSignal): Promise<void> => {
    // With a table, the checkpoint itself reads little.
    if ((await readTable(signal)).folders.size > 0) return;
    const done = new Map<string, FolderRecord>();
    const scanned = scanWorkspace(scanContext(), {table: emptyTable, changed: 'unknown', now, done, ...limits}, signal);
    table = {...emptyTable, folders: done};
    unsaved.bytes = Number.POSITIVE_INFINITY;
    table = (await scanned).table;
  };
  let isTold = false;
  const scan = async (signal: AbortSignal, notice?: (text: string) => void): Promise<Looked> => {
    prefetching?.stop.abort();
    await prefetching?.done;
    prefetching = undefined;
    const known = await readTable(signal);
    const changed = await statIndex.changedFiles(known, signal);
    const value = await scanWorkspace(scanContext(), {table: known, changed, now, ...limits}, signal);
    objects.flush();
    if (value.tooLarge.length > 0 && notice !== undefined && !isTold) {
      isTold = true;
      notice(tooLargeText(value, roots));
    }
    table = value.table;
    unsaved.folders += value.changedFolders;
    unsaved.bytes += value.newBytes;
    // An old table is as correct as a new one: only files that look as they did then are not read.
    if (unsaved.folders * unsavedShare > value.table.folders.size || unsaved.bytes > maxUnsavedBytes) {
      table = statIndex.write(value.table);
      saveTable(tableFile, table);
      Object.assign(unsaved, {folders: 0, bytes: 0});
    }
    return {...value, fileAt: path => fileIn(value.table, path)};
  };
  /** Whether a stored state shows what this process noted that it would write. */
  let notes: 'none' | 'open' | 'told' = 'none';
  const scanExtent: typeof look = async (extent, signal, notice) => {
    if (notes === 'told') forgetWrites(folder);
    if (notes === 'told') notes = 'none';
    const looked = await look(extent, signal, notice);
    if (notes === 'open') notes = 'told';
    return looked;
  };
  const look = async (extent: ChangeExtent, signal: AbortSignal, notice?: (text: string) => void): Promise<Looked> => {
    if (extent === 'any') return scan(signal, notice);
    // Git may have deleted the blobs that a saved table names, so none is loaded for these paths.
    const known = (await ownTable(signal)) ?? emptyTable;
    const own = extent.map(path => join(realPath(dirname(path)), basename(path)));
    const paths = [...new Set([...own, ...extent.map(realPath)])];
    const scanned = scanPaths(scanContext(), {paths, table: known.origin === 'saved' ? emptyTable : known}, signal);
    objects.flush();
    return {...scanned, fileAt: path => scanned.files.get(path)};
  };
  const plan = async (
    changes: readonly OpenTreeChange[],
    signal: AbortSignal,
  ): Promise<{readonly scanned: Looked; readonly plan: RevertPlan; readonly extent: ChangeExtent}> => {
    const extent = extentOf(changes, reader);
    const scanned = await scanExtent(extent, signal);
    const {tree} = scanned;
    const known = changes.map(change => ({
      ...change,
      before: beforeTrees(change),
      after: [...afterTrees(change), tree],
    }));
    const planned = await planRevert(known, {now: tree, reader, objects});
    signal.throwIfAborted();
    return {
      scanned: {...scanned, leftOut: [...new Set([...scanned.leftOut, ...unnamed(known)])]},
      plan: planned,
      extent,
    };
  };
  /** Returns the paths that changes left out because their names are not UTF-8. */
  const unnamed = (changes: readonly {readonly before: readonly string[]; readonly after: readonly string[]}[]) =>
    changes
      .flatMap(({before, after}) => [...before, ...after])
      .flatMap(tree => reader.root(tree).leftOut.filter(path => path.includes('\uFFFD')));
  return {
    async prefetch(signal) {
      if (prefetching !== undefined) return;
      const stop = new AbortController();
      // The checkpoint's own scan will hit the same error and report it.
      const done = runPrefetch(AbortSignal.any([stop.signal, signal])).catch(() => {});
      prefetching = {stop, done};
      await done;
      if (prefetching?.done === done) prefetching = undefined;
    },
    uncoveredFiles: (touched, signal) =>
      findUncoveredFiles(touched, {...scanContext(), limitMs: maxQuestionDelayMs, table: table ?? emptyTable}, signal),
    take: (signal, extent = 'any', notice) =>
      catchFaults(async () => treeId((await scanExtent(extent, signal, notice)).tree)),
    noteWrites: async writes => {
      if (!isRegistered) return;
      const noted = writes.map(({path, after}) => [path, after === undefined ? 'absent' : objects.put(after)] as const);
      objects.flush();
      if (notes === 'told') forgetWrites(folder);
      noteWrites(folder, noted);
      notes = 'open';
    },
    whenKilled: ({known, owner}, signal) =>
      catchFaults(async () => {
        const covered = known.map(tree => reader.root(tree).covered ?? 'any');
        const named = covered.filter(each => each !== 'any');
        const signs = signsOfLife(folder, owner);
        const {tree} = await scanExtent(named.length === covered.length ? named.flat() : 'any', signal);
        const {stateWhenKilled} = await import('./killed-changes.ts');
        const then = treeId(await stateWhenKilled({known, now: tree, signs}, {reader, objects}));
        objects.flush();
        return {tree: then, killedAt: signs.lastAlive};
      }),
    preview: (changes, signal) =>
      catchFaults(async () => reportOf(await plan(changes, signal), [], coverageOf(changes, reader))),
    revert: (changes, signal, mark) =>
      catchFaults(async () => {
        const planned = await plan(changes, signal);
        const {scanned, extent} = planned;
        const {steps} = planned.plan;
        objects.fetch(contentNames(steps.map(({wanted}) => wanted)));
        const before = treeId(scanned.tree);
        const recorded = mark === undefined ? () => {} : noteRevert(folder, {mark, before, steps});
        const refused = applyRevert(planned.plan, {objects, seen: scanned.fileAt});
        const after = await scanExtent(extent, new AbortController().signal);
        const change = {before, after: treeId(after.tree)};
        return {report: reportOf(planned, refused, coverageOf(changes, reader)), change, recorded};
      }),
    compare: (changes, signal) =>
      catchFaults(async () => {
        const {tree} = await scanExtent(extentOf(changes, reader), signal);
        const known = changes.map(change => ({before: beforeTrees(change), after: [...afterTrees(change), tree]}));
        const {compareTrees} = await import('./compare-trees.ts');
        return {...(await compareTrees(known, {reader, objects})), coverage: coverageOf(changes, reader)};
      }),
    patch: (changes, top, signal) =>
      catchFaults(async () => {
        const {tree} = await scanExtent(extentOf(changes, reader), signal);
        const known = changes.map(change => ({before: beforeTrees(change), after: [...afterTrees(change), tree]}));
        const [{changedNodes}, {kindOfChange, patchOf}] = await Promise.all([
          import('./compare-trees.ts'),
          import('./tree-patch.ts'),
        ]);
        const found = changedNodes(known, {reader, objects});
        const holdFiles = relatedTo(found.map(({path}) => path)).above;
        const lone = known
          .flatMap(({before, after}) => reader.differences(before, after))
          .filter(({from, to}) => (from ?? to)?.kind === 'folder' && (from === undefined || to === undefined))
          .filter(({path}) => !holdFiles.has(path));
        const holdFolders = relatedTo(lone.map(({path}) => path)).above;
        return {
          folders: lone
            .filter(({path}) => !holdFolders.has(path))
            .map(each => ({path: each.path, kind: kindOfChange(each)})),
          files: found.map(each => ({path: each.path, kind: kindOfChange(each)})),
          text: await patchOf(found, {top, objects, environment}, signal),
          unnamed: [...new Set(unnamed(known))],
        };
      }),
    stateNow: signal => catchFaults(async () => treeId((await scan(signal)).tree)),
    unchangedSince: (receipts, state, signal) =>
      catchFaults(async () => {
        const tree = state === 'now' ? (await scan(signal)).tree : state;
        const {areUnchanged} = await import('./unchanged-files.ts');
        return areUnchanged(receipts, {now: tree, reader, objects, roots, environment}, signal);
      }),
    blame: ({path, content, at, history}, signal) =>
      catchFaults(async () => {
        const {blameFile, mayBeRenamed} = await import('./blame-file.ts');
        const own = {reader, objects, isThere: (other: string) => typeof lstatOf(other) !== 'string'};
        // Only a file that may have been renamed is worth a look at all others.
        const isNew = at === 'now' && mayBeRenamed(path, history, own);
        const tree = isNew ? (await scan(signal)).tree : '';
        return blameFile({path, content, at: at === 'now' ? now() : at, tree}, history, own);
      }),
    movedTo(tree, folders, since) {
      const at = (path: string): string => {
        const [from, to] = [...folders].find(([root]) => path === root || path.startsWith(`${root}/`)) ?? [path, path];
        return to + path.slice(from.length);
      };
      const {folders: tops, leftOut, covered} = reader.root(tree);
      const moved = {folders: new Map([...tops].map(([path, node]) => [at(path), node])), leftOut: leftOut.map(at)};
      const name = objects.put(encodeRoot({...moved, ...(covered && {covered: covered.map(at)})}));
      if (since !== undefined) objects.fetch(contentNames(reader.differences([since], [name]).map(({to}) => to)));
      objects.flush();
      return treeId(name);
    },
    leftOut: tree => reader.root(tree).leftOut,
    takeBackKilled: ({held, isRecorded}, signal) =>
      catchFaults(async () => {
        await ownTable(signal);
        const taken: TakenBack[] = [];
        for (const {mark, steps, modes, forget} of claimKilledReverts(folder, {roots, held})) {
          if (!isRecorded(mark)) {
            const seen = new Map<string, CachedFile>();
            const nodeNow = (path: string): TreeNode | undefined => nodeOnDisk(path, objects, seen);
            const back = await planTakeBack(steps, {nodeNow, objects});
            objects.fetch(contentNames(back.steps.map(({wanted}) => wanted)));
            const refused = applyRevert(back, {objects, seen: path => seen.get(path)});
            restoreModes(modes, refused);
            taken.push({...mark, ...reportOf({scanned: {tree: '', leftOut: []}, plan: back}, refused, 'named files')});
          }
          forget();
        }
        return taken;
      }),
  };
}

/** The checkpoints of a workspace, for commands without a session. */
export interface SavedCheckpoints extends CheckpointsPort, KilledRevertsPort, ComparisonPort, WriteNotesPort {
  /**
   * Returns the state of the files when a process was killed that stored these states, the latest first, and when it was last known to
   * live. The state leaves out files if it is unknown.
   */
  whenKilled(
    change: {readonly known: readonly TreeId[]; readonly owner: {readonly pid: number; readonly at: number}},
    signal: AbortSignal,
  ): Promise<Outcome<{readonly tree: TreeId; readonly killedAt: number}, Fault>>;
  /** Returns the authors of the lines of a file with this content: now, or at a time after which the history ends. */
  blame(
    file: {
      readonly path: string;
      readonly content: Buffer;
      readonly at: number | 'now';
      readonly history: FileHistory;
    },
    signal: AbortSignal,
  ): Promise<Outcome<readonly LineAuthor[], Fault>>;
  /** Returns the files and the empty folders that these changes left different, and a patch for `git apply` with paths relative to `top`. */
  patch(
    changes: readonly OpenTreeChange[],
    top: string,
    signal: AbortSignal,
  ): Promise<
    Outcome<
      {
        readonly files: readonly ChangeEntry[];
        readonly folders: readonly ChangeEntry[];
        /** The paths that are left out because their names are not UTF-8. */
        readonly unnamed: readonly string[];
        readonly text: Buffer;
      },
      Fault
    >
  >;
  /**
   * Returns the same state with each of these workspace folders at another path. The result needs no git repository for content that is
   * not in `since`. Throws if a state was deleted.
   */
  movedTo(tree: TreeId, folders: ReadonlyMap<string, string>, since?: TreeId): TreeId;
  /** Returns the paths that a checkpoint leaves out. Throws if it was deleted. */
  leftOut(tree: TreeId): readonly string[];
}

export interface WriteNotesPort {
  /** Notes the content that files are about to get (`undefined`: deleted), for the case that weft is killed before it stores their state. */
  noteWrites(this: void, writes: readonly {readonly path: string; readonly after: Buffer | undefined}[]): Promise<void>;
}

/** Takes back what killed processes left half-way. */
export interface KilledRevertsPort {
  /**
   * Takes back the reverts in this workspace that were killed before their sessions recorded them. `held` is the session that this
   * process has open.
   */
  takeBackKilled(
    sessions: {readonly held: string; readonly isRecorded: (mark: RevertMark) => boolean},
    signal: AbortSignal,
  ): Promise<Outcome<readonly TakenBack[], Fault>>;
}

/** Returns the node at a path now. Stores the content of a file, and adds the file to `seen`. */
function nodeOnDisk(path: string, objects: ObjectStore, seen: Map<string, CachedFile>): TreeNode | undefined {
  const stats = lstatOf(path);
  if (typeof stats === 'string') return undefined;
  if (stats.isSymbolicLink()) return readLinkNode(path);
  if (stats.isDirectory()) return {kind: 'folder', mode: stats.mode & 0o7777, tree: ''};
  if (!stats.isFile()) return undefined;
  const content = objects.putFile(path);
  seen.set(path, toCachedFile(stats, content));
  return fileNode(stats, content);
}

interface Looked extends Scan {
  readonly fileAt: (path: string) => CachedFile | undefined;
}

/** The maximum number of paths to look at one by one. */
const maxPaths = 2000;

/** Returns the paths that a revert of these changes may concern. */
function extentOf(changes: readonly OpenTreeChange[], reader: TreeReader): ChangeExtent {
  const extents = changes.flatMap(change => [
    changedExtent(change, reader),
    foreignChanges({...change, before: beforeTrees(change)}, reader).map(({path}) => path),
  ]);
  const paths = [...new Set(extents.flatMap(extent => (extent === 'any' ? [] : extent)))];
  return extents.includes('any') || paths.length > maxPaths ? 'any' : paths;
}

const coverageOf = (changes: readonly OpenTreeChange[], reader: TreeReader): RevertReport['coverage'] =>
  changes.flatMap(beforeTrees).every(tree => reader.root(tree).covered !== undefined) ? 'named files' : 'all files';

/** Only what was covered before a change can be reverted. If everything was covered afterwards too, these are the paths that differ. */
function changedExtent(change: OpenTreeChange, reader: TreeReader): ChangeExtent {
  const [before, after] = [beforeTrees(change), afterTrees(change)];
  if (after.some(tree => reader.root(tree).covered === undefined)) {
    // All names of a file are looked at: a revert may link them.
    const found = reader.differences(before, after, sameNamedNode);
    // A folder that has only another mode is not looked at as a whole.
    const hasModes = found.some(({from, to}) => from?.kind === 'folder' && to?.kind === 'folder');
    if (hasModes) return 'any';
    const inodes = new Set(found.flatMap(({from, to}) => [inodeOf(from) ?? [], inodeOf(to) ?? []].flat()));
    const names = inodes.size > 0 ? reader.namesByInode([...before, ...after]) : new Map<number, readonly string[]>();
    const leftOut = leftOutAfter({before, after}, reader).map(([path]) => path);
    return [...found.map(({path}) => path), ...leftOut, ...[...inodes].flatMap(inode => names.get(inode) ?? [])];
  }
  const covered = before.map(tree => reader.root(tree).covered ?? 'any');
  const named = covered.filter(each => each !== 'any');
  return named.length === covered.length ? named.flat() : 'any';
}

/** Returns the workspace folders of a checkpoint, or `undefined` if the checkpoint no longer exists. */
export function checkpointRoots(folder: string, tree: string): readonly string[] | undefined {
  try {
    return [
      ...makeTreeReader(openObjects(join(folder, 'objects'), {}))
        .root(tree)
        .folders.keys(),
    ];
  } catch (cause) {
    if (cause instanceof LostCheckpoint) return undefined;
    throw cause;
  }
}

/** Builds the report of a revert. It names files but no folders. */
function reportOf(
  {scanned, plan}: {readonly scanned: Scan; readonly plan: RevertPlan},
  refused: readonly RefusedPath[],
  coverage: RevertReport['coverage'],
): RevertReport {
  const failedAt = new Set(refused.map(({path}) => path));
  const files = plan.steps.filter(
    ({path, is, wanted}) => !failedAt.has(path) && (is ?? wanted)?.kind !== 'folder' && wanted?.kind !== 'folder',
  );
  return {
    files: files
      .map(step => ({step, otherNames: countOtherNames(step, plan.steps)}))
      .map(({step: {path, effect}, otherNames}) => ({path, effect, ...(otherNames > 0 && {otherNames})}))
      .toSorted((a, b) => (a.path < b.path ? -1 : 1)),
    conflicts: [...plan.conflicts, ...refused].toSorted((a, b) => (a.path < b.path ? -1 : 1)),
    ...(refused.length > 0 && {failures: refused.length}),
    excluded: scanned.leftOut,
    coverage,
    alongside: plan.alongside,
  };
}

const maxNamed = 3;

/** Names the largest files that are left out because there is too much content for a checkpoint. */
function tooLargeText({tooLarge, table}: WorkspaceScan, roots: readonly string[]): string {
  const sizes = new Map(tooLarge.map(path => [path, lstatSync(path, {throwIfNoEntry: false})?.size ?? 0]));
  const largest = [...sizes].toSorted(([, a], [, b]) => b - a).slice(0, maxNamed);
  const names = largest.map(([path]) => describe(path, roots));
  const rest = tooLarge.length > maxNamed ? [`${String(tooLarge.length - maxNamed)} more`] : [];
  return `Undo leaves out files over ${byteSize(table.maxFileBytes)}, because git doesn't hold them and all files together are too large: ${[...names, ...rest].join(', ')}`;
}

/**
 * Names the touched files that checkpoints leave out, such as `data.bin (1.2 GB)`. Names only those found within
 * the time limit.
 */
export async function findUncoveredFiles(
  {paths, commands, isNamed}: TouchedFiles,
  {limitMs, table, ...options}: Omit<ScanContext, 'objects'> & {readonly limitMs: number; readonly table: FolderTable},
  signal: AbortSignal,
): Promise<readonly string[]> {
  const named = commands.flatMap(command => destroyedPaths(command, options.environment['HOME'] ?? '/'));
  const touched = [...paths, ...named];
  if (touched.length === 0) return [];
  const found = isNamed
    ? touched.filter(path => isLeftOutByName(path) || isOutside(path, options.roots))
    : await findLeftOut(options, {only: touched, table}, AbortSignal.any([signal, AbortSignal.timeout(limitMs)]));
  const words = found.toSorted().map(path => describe(path, options.roots));
  return words.length > maxNamed ? [...words.slice(0, maxNamed), `${String(words.length - maxNamed)} more`] : words;
}

/** Returns the paths that a destructive command names. */
function destroyedPaths({argv, directory: written, overwrites}: ResolvedCommand, home: string): readonly string[] {
  const directory = realPath(written);
  const [program, ...words] = argv;
  const end = words.indexOf('--');
  const operands = words.filter((word, at) => !/^-./u.test(word) || (end >= 0 && at > end));
  const cleansIgnored =
    basename(program) === 'git' && operands[0] === 'clean' && words.some(word => /^(?:-\w*x|--x)/u.test(word));
  const named = expandPaths([...operands, ...overwrites], {directory, home});
  return cleansIgnored && operands.length === 1 ? [directory] : named;
}

function isOutside(path: string, roots: readonly string[]): boolean {
  const real = realPath(resolve(roots[0] ?? '/', path));
  return roots.every(root => relative(root, real).startsWith('..'));
}

function describe(path: string, roots: readonly string[]): string {
  const name = roots.map(root => relative(root, path)).find(each => !each.startsWith('..')) ?? path;
  const stats = lstatSync(path, {throwIfNoEntry: false});
  if (stats?.isFile() === true) return `${name} (${byteSize(stats.size)})`;
  return stats?.isDirectory() === true && canAccess(path, constants.R_OK)
    ? `${name} (more than ${String(maxIgnoredFiles)} files)`
    : name;
}
