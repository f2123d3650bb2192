import {existsSync, lstatSync, type Stats} from 'node:fs';
import {dirname, join, sep} from 'node:path';
import {setImmediate as yieldToEventLoop} from 'node:timers/promises';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {type Fault, hasCode} from '../../domain/fault.ts';
import {isTemporaryName} from '../files/folder-handle.ts';
import {
  countFiles,
  emptyStatCache,
  linkNode,
  matchesStats,
  sortedNamesIn,
  type CachedFile,
  type CachedFolder,
  toCachedFile,
  findUnchanged,
  type StatCache,
  statsOf,
} from './stat-cache.ts';
import {findInGit} from './git-blobs.ts';
import {readGitIndex, withAttributes, type GitIndex} from './tracked-files.ts';
import {ignoredPaths, type IgnoredPaths} from './git-query.ts';
import type {ObjectStore} from './object-store.ts';
import {encodeRoot, encodeEntries, sameNode, type TreeNode} from './tree.ts';

export interface ScanPlace {
  /** Absolute, without links, none within another. */
  readonly roots: readonly string[];
  /** Paths that are never part of a checkpoint: the folder of the checkpoints themselves. */
  readonly never: ReadonlySet<string>;
  readonly objects: Pick<ObjectStore, 'put' | 'putFile' | 'refer'>;
  readonly environment: NodeJS.ProcessEnv;
}

export interface Scan {
  /** The name of the root tree. */
  readonly tree: string;
  readonly cache: StatCache;
  readonly leftOut: readonly string[];
}

/** Files and folders beyond which a folder is no workspace but somebody's whole disk. */
const maxEntries = 200_000;

/** Bytes of new content beyond which no checkpoint is taken. */
const maxNewBytes = 4 * 1024 * 1024 * 1024;

/** Bytes beyond which a file is not kept: of ignored files, and of all others. */
const maxIgnoredBytes = 1024 * 1024;
const maxFileBytes = 256 * 1024 * 1024;

/** Files of an ignored folder, and bytes of all ignored files, up to which they are kept. */
export const maxIgnoredFiles = 2000;
const maxIgnoredTotal = 64 * 1024 * 1024;

/** Folders that tools fill. Outside of repositories no ignore file says so. */
const filledByTools = new Set(['node_modules', '.venv', 'venv', '__pycache__', '.tox', '.gradle', '.cache']);

const ofVersionControl = new Set(['.git', '.hg', '.svn', '.jj']);

/** Milliseconds of work after which the event loop gets a turn. */
const stretchMs = 12;

/**
 * Stores the roots as they are now: every file, link and folder except the folders of version control, ignored files that are large,
 * and what cannot be read. Writes nothing into the workspace.
 */
export async function scanWorkspace(
  place: ScanPlace,
  known: Known,
  signal: AbortSignal,
): Promise<Outcome<Scan, Fault>> {
  try {
    await refuseTooLarge(place, known, signal);
    return ok(await new Scanner(place, {...known, found: new Map(), purpose: 'all'}, signal).scan());
  } catch (cause) {
    if (cause instanceof TooLarge) return failed(cause.fault);
    throw cause;
  }
}

/**
 * Stores in advance the contents that the next scan will need and that git does not hold, and records the stats of their files in
 * `found`. If it is aborted, what it has stored by then counts.
 */
export async function scanAhead(
  place: ScanPlace,
  {found, ...known}: Known & {readonly found: Map<string, CachedFile>},
  signal: AbortSignal,
): Promise<void> {
  try {
    await refuseTooLarge(place, known, signal);
    await new Scanner(place, {...known, found, purpose: 'not-held'}, signal).scan();
  } catch (cause) {
    // The scan itself will say so.
    if (!signal.aborted && !(cause instanceof TooLarge)) throw cause;
  }
}

/** Finds what a scan would leave out at, above or below some paths; if it is aborted, what it has found by then. Stores nothing. */
export async function scanLeftOut(
  place: Omit<ScanPlace, 'objects'>,
  only: readonly string[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const known = {cache: emptyStatCache, ahead: emptyStatCache, now: Date.now, found: new Map<string, CachedFile>()};
  const purpose = {leftOut: linesOf(only)};
  const scanner = new Scanner({...place, objects: storesNothing}, {...known, purpose}, signal);
  try {
    await scanner.scan();
  } catch (cause) {
    if (!signal.aborted && !(cause instanceof TooLarge)) throw cause;
  }
  return scanner.leftOut;
}

/** The results of earlier scans. */
interface Known {
  readonly cache: StatCache;
  /** The result of scanning ahead since then. */
  readonly ahead: StatCache;
  readonly now: () => number;
}

/** Scans a new workspace without storing anything, so that nothing is copied of one that is too large. Git holds most of a repository, so repositories are scanned once. */
async function refuseTooLarge(place: ScanPlace, known: Known, signal: AbortSignal): Promise<void> {
  if (known.cache.files.size > 0 || known.ahead.files.size > 0) return;
  if (place.roots.some(root => existsSync(join(root, '.git')))) return;
  await new Scanner({...place, objects: storesNothing}, {...known, found: new Map(), purpose: 'all'}, signal).scan();
}

const storesNothing: ScanPlace['objects'] = {put: () => '', putFile: () => '', refer: () => {}};

class TooLarge extends Error {
  readonly fault: Fault;
  constructor(fault: Fault) {
    super(fault.message);
    this.fault = fault;
  }
}

type Standing = 'kept' | 'ignored';

interface Where {
  readonly standing: Standing;
  readonly repository: boolean;
  /** The git index of the files; `undefined` outside of repositories, and where it cannot be read. */
  readonly index: GitIndex | undefined;
  /** The folder in which git is asked for ignored paths, as soon as an untracked path is found. */
  readonly askIn: string;
}

const outsideOfRepositories: Omit<Where, 'standing'> = {repository: false, index: undefined, askIn: ''};

/** `not-held`: only contents that git does not hold. `leftOut`: only look for what would be left out at, above or below these paths. */
type Purpose = 'all' | 'not-held' | {readonly leftOut: PathLines};

interface ScanKnown extends Known {
  readonly found: Map<string, CachedFile>;
  readonly purpose: Purpose;
}

const sameTree = (a: TreeNode, b: TreeNode): boolean => a.kind !== 'folder' || b.kind !== 'folder' || a.tree === b.tree;

class Scanner {
  readonly #place: ScanPlace;
  readonly #known: ScanKnown;
  readonly #signal: AbortSignal;
  readonly #folders = new Map<string, CachedFolder>();
  readonly #leftOut: string[] = [];
  readonly #ignored: IgnoredPaths[] = [];
  readonly #asked = new Set<string>();
  #entries = 0;
  #ignoredTotal = 0;
  #newBytes = 0;
  #stretchEnds = 0;

  constructor(place: ScanPlace, known: ScanKnown, signal: AbortSignal) {
    this.#place = place;
    this.#known = known;
    this.#signal = signal;
  }

  get leftOut(): readonly string[] {
    return this.#leftOut;
  }

  async scan(): Promise<Scan> {
    const since = this.#known.now();
    const folders = new Map<string, TreeNode>();
    for (const root of this.#place.roots) {
      const stats = lstatSync(root, {throwIfNoEntry: false});
      if (stats?.isDirectory() !== true) continue;
      const isTop = existsSync(join(root, '.git'));
      const known = isTop ? outsideOfRepositories : await this.#inRepository(root);
      const node = await this.#folder(root, stats, {standing: 'kept', ...known});
      if (node !== undefined) folders.set(root, node);
    }
    const tree =
      this.#known.purpose === 'all' ? this.#place.objects.put(encodeRoot({folders, leftOut: this.#leftOut})) : '';
    return {tree, cache: {files: this.#known.found, folders: this.#folders, since}, leftOut: this.#leftOut};
  }

  async #ask(folder: string): Promise<boolean> {
    this.#asked.add(folder);
    const found = await ignoredPaths(folder, {environment: this.#place.environment, signal: this.#signal});
    if (found !== undefined) this.#ignored.push(found);
    return found !== undefined;
  }

  /** Reads the git index for a folder that may lie in a repository. */
  async #inRepository(folder: string): Promise<Omit<Where, 'standing'>> {
    const {environment, objects} = this.#place;
    const index = await readGitIndex(folder, {environment, signal: this.#signal});
    if (index === undefined) return {repository: await this.#ask(folder), index, askIn: folder};
    objects.refer(index.gitFolder);
    return {repository: true, index, askIn: folder};
  }

  async #folder(path: string, stats: Stats, where: Where): Promise<TreeNode | undefined> {
    await this.#yieldToEventLoop();
    const found = sortedNamesIn(path);
    if (found === undefined) return this.#leaveOut(path);
    const beginning = path.endsWith(sep) ? path : path + sep;
    const own = found.includes('.git') && where.standing === 'kept' ? await this.#inRepository(path) : where;
    const index = own.index === undefined ? undefined : withAttributes(own.index, path);
    const inside: Where = {...own, standing: where.standing, index};
    if (index !== undefined && inside.standing === 'kept' && !this.#asked.has(own.askIn)) {
      // Git walks through the whole repository for this, so it is not asked while everything is tracked.
      const isTracked = (name: string): boolean => ofVersionControl.has(name) || index.tracks(beginning + name);
      if (!found.every(isTracked)) await this.#ask(own.askIn);
    }
    const last = this.#known.cache.folders.get(path);
    const nodes = new Map<string, TreeNode>();
    let isAsLast = true;
    for (const name of found) {
      const below = beginning + name;
      if (ofVersionControl.has(name) || isTemporaryName(name) || this.#place.never.has(below)) continue;
      if (typeof this.#known.purpose === 'object' && !isOnLine(below, this.#known.purpose.leftOut)) continue;
      const scanned = this.#entry(below, inside);
      const node = scanned instanceof Promise ? await scanned : scanned;
      if (node === undefined) continue;
      const old = last?.entries.get(name);
      const isOld = old !== undefined && sameNode(old, node) && sameTree(old, node);
      isAsLast &&= isOld;
      nodes.set(name, isOld ? old : node);
    }
    if (this.#known.purpose !== 'all') return undefined;
    const kept =
      last !== undefined && isAsLast && last.entries.size === nodes.size
        ? last
        : {entries: nodes, tree: this.#place.objects.put(encodeEntries(nodes))};
    this.#folders.set(path, kept);
    return {kind: 'folder', mode: stats.mode & 0o7777, tree: kept.tree};
  }

  /** Answers without a promise for everything but folders: promises for the many files would cost time. */
  #entry(path: string, where: Where): TreeNode | undefined | Promise<TreeNode | undefined> {
    this.#entries += 1;
    if (this.#entries > maxEntries) throw this.#tooLarge(`more than ${String(maxEntries)} files and folders`);
    // A name that is not UTF-8 cannot be turned back into the path of the file.
    if (path.includes('\uFFFD')) return this.#leaveOut(path);
    if (
      this.#known.purpose === 'not-held' &&
      where.index?.contents === 'as-held' &&
      where.index.file(path) !== undefined
    ) {
      return undefined;
    }
    const stats = statsOf(path);
    if (stats === 'gone') return undefined;
    if (stats === 'unreadable') return this.#leaveOut(path);
    if (stats.isSymbolicLink()) return linkNode(path);
    if (stats.isDirectory()) return this.#subfolder(path, stats, where);
    return stats.isFile()
      ? this.#file(path, stats, {...where, standing: this.#standingOf(path, where.standing)})
      : undefined;
  }

  async #subfolder(path: string, stats: Stats, where: Where): Promise<TreeNode | undefined> {
    if (where.standing === 'ignored') return this.#folder(path, stats, where);
    const ignored =
      this.#ignored.some(({folders}) => folders.has(path)) ||
      (!where.repository && filledByTools.has(path.slice(path.lastIndexOf('/') + 1)));
    if (!ignored) return this.#folder(path, stats, where);
    if (countFiles(path, maxIgnoredFiles) > maxIgnoredFiles) return this.#leaveOut(path);
    return this.#folder(path, stats, {...where, standing: 'ignored'});
  }

  #standingOf(path: string, above: Standing): Standing {
    return above === 'ignored' || this.#ignored.some(({files}) => files.has(path)) ? 'ignored' : 'kept';
  }

  #file(path: string, stats: Stats, {standing, index}: Where): TreeNode | undefined {
    if (stats.size > (standing === 'ignored' ? maxIgnoredBytes : maxFileBytes)) return this.#leaveOut(path);
    if (standing === 'ignored') {
      this.#ignoredTotal += stats.size;
      if (this.#ignoredTotal > maxIgnoredTotal) return this.#leaveOut(path);
    }
    if (typeof this.#known.purpose === 'object') return undefined;
    const known = findUnchanged(this.#known.cache, path, stats) ?? findUnchanged(this.#known.ahead, path, stats);
    if (known !== undefined) {
      this.#known.found.set(path, known);
      return {kind: 'file', mode: stats.mode & 0o7777, hash: known.hash};
    }
    const held = findInGit(path, stats, {index, last: this.#known.cache.files.get(path)?.hash});
    if (held !== undefined) {
      this.#known.found.set(path, toCachedFile(stats, held));
      return {kind: 'file', mode: stats.mode & 0o7777, hash: held};
    }
    this.#newBytes += stats.size;
    if (this.#newBytes > maxNewBytes) throw this.#tooLarge('more than 4 GB');
    try {
      const hash = this.#place.objects.putFile(path);
      this.#known.found.set(path, toCachedFile(stats, hash));
      return {kind: 'file', mode: stats.mode & 0o7777, hash};
    } catch (cause) {
      if (hasCode(cause, ...unreadable)) return this.#unreadable(path, stats);
      if (hasCode(cause, ...gone)) return undefined;
      throw cause;
    }
  }

  /** A file whose stats are those of the last checkpoint, but that may no longer be read, has the same content. */
  #unreadable(path: string, stats: Stats): TreeNode | undefined {
    const last = this.#known.cache.files.get(path);
    if (last === undefined || !matchesStats({...last, ctime: stats.ctimeMs}, stats)) return this.#leaveOut(path);
    this.#known.found.set(path, toCachedFile(stats, last.hash));
    return {kind: 'file', mode: stats.mode & 0o7777, hash: last.hash};
  }

  #tooLarge(what: string): TooLarge {
    return new TooLarge({
      kind: 'needs-user',
      message: `${this.#place.roots.join(', ')}: ${what}, too much to keep checkpoints of.`,
      fix: 'Start weft in the folder of one project.',
    });
  }

  #leaveOut(path: string): undefined {
    this.#leftOut.push(path);
  }

  async #yieldToEventLoop(): Promise<void> {
    this.#signal.throwIfAborted();
    if (this.#known.now() < this.#stretchEnds) return;
    await yieldToEventLoop();
    this.#stretchEnds = this.#known.now() + stretchMs;
  }
}

/** Paths with all folders above them: thousands of files may be deleted at once. */
interface PathLines {
  readonly paths: ReadonlySet<string>;
  readonly above: ReadonlySet<string>;
}

function linesOf(paths: readonly string[]): PathLines {
  const above = new Set<string>();
  for (const path of paths) {
    for (let folder = dirname(path); !above.has(folder); folder = dirname(folder)) above.add(folder);
  }
  return {paths: new Set(paths), above};
}

/** Whether a path is one of these, or lies above or below one. */
function isOnLine(path: string, {paths, above}: PathLines): boolean {
  if (paths.has(path) || above.has(path)) return true;
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
    if (paths.has(folder)) return true;
  }
  return false;
}

const unreadable = ['EACCES', 'EPERM', 'EIO', 'EBUSY'];
const gone = ['ENOENT', 'ENOTDIR', 'ELOOP'];
