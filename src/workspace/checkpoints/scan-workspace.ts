import {existsSync, lstatSync, type Stats} from 'node:fs';
import {join, sep} from 'node:path';
import {setImmediate as yieldToEventLoop} from 'node:timers/promises';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {type Fault, hasCode} from '../../domain/fault.ts';
import {isTemporaryName} from '../files/folder-handle.ts';
import {
  countFiles,
  emptyStatCache,
  readLinkNode,
  matchesStats,
  sortedNames,
  type CachedFile,
  type CachedFolder,
  toCachedFile,
  findUnchanged,
  type StatCache,
  lstatOf,
} from './stat-cache.ts';
import {findInGit} from './git-blobs.ts';
import {readGitIndex, withAttributes, type GitIndex} from './tracked-files.ts';
import {ignoredPaths, type IgnoredPaths} from './git-query.ts';
import type {ObjectStore} from './object-store.ts';
import {encodeRoot, encodeEntries, isRelated, type RelatedPaths, relatedTo, sameNode, type TreeNode} from './tree.ts';

export interface ScanContext {
  /** The workspace folders: absolute, with links resolved, none inside another. */
  readonly roots: readonly string[];
  /** Paths that are never part of a checkpoint, such as the folder of the checkpoints themselves. */
  readonly excluded: ReadonlySet<string>;
  readonly objects: Pick<ObjectStore, 'put' | 'putFile' | 'addRepository'>;
  readonly environment: NodeJS.ProcessEnv;
}

export interface Scan {
  /** The name of the root tree. */
  readonly tree: string;
  readonly cache: StatCache;
  readonly leftOut: readonly string[];
}

/** The number of files and folders beyond which a folder counts as a whole disk, not a workspace. */
const maxEntries = 2_000_000;

/** The maximum number of bytes of new content in a checkpoint. With more, weft takes none. */
const maxNewBytes = 4 * 1024 * 1024 * 1024;

/** The size, in bytes, beyond which a file is left out: for ignored files, and for all others. */
const maxIgnoredBytes = 1024 * 1024;
const maxFileBytes = 256 * 1024 * 1024;

/** The maximum number of files of an ignored folder, and the maximum number of bytes of all ignored files, that a checkpoint includes. */
export const maxIgnoredFiles = 2000;
const maxIgnoredTotal = 64 * 1024 * 1024;

/** Folders that tools fill. Outside repositories no ignore file names them. */
const toolFolders = new Set(['node_modules', '.venv', 'venv', '__pycache__', '.tox', '.gradle', '.cache']);

const versionControlFolders = new Set(['.git', '.hg', '.svn', '.jj']);

/** Milliseconds of work before yielding to the event loop. */
const sliceMs = 12;

/**
 * Stores the roots as they are now: every file, link and folder except version control folders, large ignored files, and unreadable files.
 * Writes nothing into the workspace.
 */
export async function scanWorkspace(
  context: ScanContext,
  known: Known,
  signal: AbortSignal,
): Promise<Outcome<Scan, Fault>> {
  try {
    await refuseTooLarge(context, known, signal);
    return ok(await new Scanner(context, {...known, found: new Map(), purpose: 'all'}, signal).scan());
  } catch (cause) {
    if (cause instanceof TooLargeError) return failed(cause.fault);
    throw cause;
  }
}

/**
 * Stores in advance the file content that the next scan will need and that git doesn't hold. Records the stats of their
 * files in `found`. If aborted, what it has stored so far stays usable.
 */
export async function scanAhead(
  context: ScanContext,
  {found, ...known}: Known & {readonly found: Map<string, CachedFile>},
  signal: AbortSignal,
): Promise<void> {
  try {
    await refuseTooLarge(context, known, signal);
    await new Scanner(context, {...known, found, purpose: 'not-held'}, signal).scan();
  } catch (cause) {
    // The scan itself will report it.
    if (!signal.aborted && !(cause instanceof TooLargeError)) throw cause;
  }
}

/**
 * Stores the state of named paths and of what is below them. Neither git nor the rest of the workspace is looked at, so
 * that the cost does not depend on the size of the workspace.
 */
export async function scanPaths(
  context: ScanContext,
  {paths, now}: {readonly paths: readonly string[]; readonly now: () => number},
  signal: AbortSignal,
): Promise<Outcome<Scan, Fault>> {
  const known = {cache: emptyStatCache, ahead: emptyStatCache, now, found: new Map<string, CachedFile>()};
  try {
    return ok(await new Scanner(context, {...known, purpose: {named: relatedTo(paths)}}, signal).scan());
  } catch (cause) {
    if (cause instanceof TooLargeError) return failed(cause.fault);
    throw cause;
  }
}

/** Finds what a scan would leave out at, above or below some paths. If aborted, returns what it has found so far. Stores nothing. */
export async function findLeftOut(
  context: Omit<ScanContext, 'objects'>,
  only: readonly string[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const known = {cache: emptyStatCache, ahead: emptyStatCache, now: Date.now, found: new Map<string, CachedFile>()};
  const purpose = {leftOut: relatedTo(only)};
  const scanner = new Scanner({...context, objects: noopObjects}, {...known, purpose}, signal);
  try {
    await scanner.scan();
  } catch (cause) {
    if (!signal.aborted && !(cause instanceof TooLargeError)) throw cause;
  }
  return scanner.leftOut;
}

/** The results of earlier scans. */
interface Known {
  readonly cache: StatCache;
  /** The result of scanning ahead since the last checkpoint. */
  readonly ahead: StatCache;
  readonly now: () => number;
}

/**
 * Scans a new workspace without storing anything, so that nothing of a too large one is copied. Repositories are scanned once, because git
 * holds most of them.
 */
async function refuseTooLarge(context: ScanContext, known: Known, signal: AbortSignal): Promise<void> {
  if (known.cache.files.size > 0 || known.ahead.files.size > 0) return;
  if (context.roots.some(root => existsSync(join(root, '.git')))) return;
  await new Scanner({...context, objects: noopObjects}, {...known, found: new Map(), purpose: 'all'}, signal).scan();
}

const noopObjects: ScanContext['objects'] = {put: () => '', putFile: () => '', addRepository: () => {}};

class TooLargeError extends Error {
  readonly fault: Fault;
  constructor(fault: Fault) {
    super(fault.message);
    this.fault = fault;
  }
}

type FileStatus = 'kept' | 'ignored';

interface FolderContext {
  readonly status: FileStatus;
  readonly repository: boolean;
  /** The git index of the files; `undefined` outside repositories and if the index can't be read. */
  readonly index: GitIndex | undefined;
  /** The folder in which git is asked for ignored paths, once an untracked path turns up. */
  readonly queryFolder: string;
}

const outsideRepository: Omit<FolderContext, 'status'> = {repository: false, index: undefined, queryFolder: ''};

/**
 * `not-held`: store only file content that git doesn't hold. `leftOut`: only find what would be left out at, above or
 * below these paths.
 */
type Purpose = 'all' | 'not-held' | {readonly leftOut: RelatedPaths} | {readonly named: RelatedPaths};

/** The paths that a scan looks at; `undefined` if it looks at all. */
const onlyPaths = (purpose: Purpose): RelatedPaths | undefined => {
  if (typeof purpose === 'string') return undefined;
  return 'named' in purpose ? purpose.named : purpose.leftOut;
};

interface ScanKnown extends Known {
  readonly found: Map<string, CachedFile>;
  readonly purpose: Purpose;
}

const sameTree = (a: TreeNode, b: TreeNode): boolean => a.kind !== 'folder' || b.kind !== 'folder' || a.tree === b.tree;

class Scanner {
  readonly #context: ScanContext;
  readonly #known: ScanKnown;
  readonly #signal: AbortSignal;
  readonly #folders = new Map<string, CachedFolder>();
  readonly #leftOut: string[] = [];
  readonly #ignored: IgnoredPaths[] = [];
  readonly #queried = new Set<string>();
  #entries = 0;
  #ignoredTotal = 0;
  #newBytes = 0;
  #sliceEnds = 0;

  constructor(context: ScanContext, known: ScanKnown, signal: AbortSignal) {
    this.#context = context;
    this.#known = known;
    this.#signal = signal;
  }

  get leftOut(): readonly string[] {
    return this.#leftOut;
  }

  async scan(): Promise<Scan> {
    const since = this.#known.now();
    const folders = new Map<string, TreeNode>();
    for (const root of this.#context.roots) {
      const stats = lstatSync(root, {throwIfNoEntry: false});
      if (stats?.isDirectory() !== true) continue;
      const isTop = this.#isNamed() || existsSync(join(root, '.git'));
      const known = isTop ? outsideRepository : await this.#unknownInRepository(root);
      const node = await this.#folder(root, stats, {status: 'kept', ...known});
      if (node !== undefined) folders.set(root, node);
    }
    const {purpose} = this.#known;
    const covered = typeof purpose === 'object' && 'named' in purpose ? {covered: [...purpose.named.paths]} : {};
    const root = {folders, leftOut: this.#leftOut, ...covered};
    const tree = this.#storesTrees() ? this.#context.objects.put(encodeRoot(root)) : '';
    return {tree, cache: {files: this.#known.found, folders: this.#folders, since}, leftOut: this.#leftOut};
  }

  #isNamed(): boolean {
    const {purpose} = this.#known;
    return typeof purpose === 'object' && 'named' in purpose;
  }

  #storesTrees(): boolean {
    return this.#known.purpose === 'all' || this.#isNamed();
  }

  async #queryIgnored(folder: string): Promise<boolean> {
    this.#queried.add(folder);
    const found = await ignoredPaths(folder, {environment: this.#context.environment, signal: this.#signal});
    if (found !== undefined) this.#ignored.push(found);
    return found !== undefined;
  }

  /** Reads the git index for a folder that may be in a repository. */
  async #unknownInRepository(folder: string): Promise<Omit<FolderContext, 'status'>> {
    const {environment, objects} = this.#context;
    const index = await readGitIndex(folder, {environment, signal: this.#signal});
    if (index === undefined) return {repository: await this.#queryIgnored(folder), index, queryFolder: folder};
    objects.addRepository(index.gitFolder);
    return {repository: true, index, queryFolder: folder};
  }

  async #folder(path: string, stats: Stats, where: FolderContext): Promise<TreeNode | undefined> {
    await this.#yieldToEventLoop();
    const only = onlyPaths(this.#known.purpose);
    const found =
      this.#isNamed() && only !== undefined && only.above.has(path) && !only.paths.has(path)
        ? only.below.get(path)
        : sortedNames(path);
    if (found === undefined) return this.#leaveOut(path);
    const beginning = path.endsWith(sep) ? path : path + sep;
    const own =
      found.includes('.git') && where.status === 'kept' && !this.#isNamed()
        ? await this.#unknownInRepository(path)
        : where;
    const index = own.index === undefined ? undefined : withAttributes(own.index, path);
    const inside: FolderContext = {...own, status: where.status, index};
    if (index !== undefined && inside.status === 'kept' && !this.#queried.has(own.queryFolder)) {
      // Git walks the whole repository for this, so it isn't asked while everything is tracked.
      const isTracked = (name: string): boolean => versionControlFolders.has(name) || index.tracks(beginning + name);
      if (!found.every(isTracked)) await this.#queryIgnored(own.queryFolder);
    }
    const last = this.#known.cache.folders.get(path);
    const nodes = new Map<string, TreeNode>();
    let isAsLast = true;
    for (const name of found) {
      const below = beginning + name;
      if (versionControlFolders.has(name) || isTemporaryName(name) || this.#context.excluded.has(below)) continue;
      if (only !== undefined && !isRelated(below, only)) continue;
      const scanned = this.#entry(below, inside);
      const node = scanned instanceof Promise ? await scanned : scanned;
      if (node === undefined) continue;
      const old = last?.entries.get(name);
      const isOld = old !== undefined && sameNode(old, node) && sameTree(old, node);
      isAsLast &&= isOld;
      nodes.set(name, isOld ? old : node);
    }
    if (!this.#storesTrees()) return undefined;
    const kept =
      last !== undefined && isAsLast && last.entries.size === nodes.size
        ? last
        : {entries: nodes, tree: this.#context.objects.put(encodeEntries(nodes))};
    this.#folders.set(path, kept);
    return {kind: 'folder', mode: stats.mode & 0o7777, tree: kept.tree};
  }

  /** Returns a promise only for folders: promises for the many files would cost time. */
  #entry(path: string, where: FolderContext): TreeNode | undefined | Promise<TreeNode | undefined> {
    this.#entries += 1;
    if (this.#entries > maxEntries) throw this.#tooLarge(`more than ${String(maxEntries)} files and folders`);
    // A name that is not UTF-8 can't be turned back into the path of the file.
    if (path.includes('\uFFFD')) return this.#leaveOut(path);
    if (
      this.#known.purpose === 'not-held' &&
      where.index?.contents === 'as-held' &&
      where.index.file(path) !== undefined
    ) {
      return undefined;
    }
    const stats = lstatOf(path);
    if (stats === 'gone') return undefined;
    if (stats === 'unreadable') return this.#leaveOut(path);
    if (stats.isSymbolicLink()) return readLinkNode(path);
    if (stats.isDirectory()) return this.#subfolder(path, stats, where);
    return stats.isFile() ? this.#file(path, stats, {...where, status: this.#statusOf(path, where.status)}) : undefined;
  }

  async #subfolder(path: string, stats: Stats, where: FolderContext): Promise<TreeNode | undefined> {
    if (where.status === 'ignored') return this.#folder(path, stats, where);
    const ignored =
      !this.#isNamed() &&
      (this.#ignored.some(({folders}) => folders.has(path)) ||
        (!where.repository && toolFolders.has(path.slice(path.lastIndexOf('/') + 1))));
    if (!ignored) return this.#folder(path, stats, where);
    if (countFiles(path, maxIgnoredFiles) > maxIgnoredFiles) return this.#leaveOut(path);
    return this.#folder(path, stats, {...where, status: 'ignored'});
  }

  #statusOf(path: string, above: FileStatus): FileStatus {
    return above === 'ignored' || this.#ignored.some(({files}) => files.has(path)) ? 'ignored' : 'kept';
  }

  #file(path: string, stats: Stats, {status, index}: FolderContext): TreeNode | undefined {
    if (stats.size > (status === 'ignored' ? maxIgnoredBytes : maxFileBytes)) return this.#leaveOut(path);
    if (status === 'ignored') {
      this.#ignoredTotal += stats.size;
      if (this.#ignoredTotal > maxIgnoredTotal) return this.#leaveOut(path);
    }
    if (typeof this.#known.purpose === 'object' && 'leftOut' in this.#known.purpose) return undefined;
    const known = findUnchanged(this.#known.cache, path, stats) ?? findUnchanged(this.#known.ahead, path, stats);
    if (known !== undefined) {
      this.#known.found.set(path, known);
      return {kind: 'file', mode: stats.mode & 0o7777, hash: known.hash};
    }
    const gitName = findInGit(path, stats, {index, last: this.#known.cache.files.get(path)?.hash});
    if (gitName !== undefined) {
      this.#known.found.set(path, toCachedFile(stats, gitName));
      return {kind: 'file', mode: stats.mode & 0o7777, hash: gitName};
    }
    this.#newBytes += stats.size;
    if (this.#newBytes > maxNewBytes) throw this.#tooLarge('more than 4 GB');
    try {
      const hash = this.#context.objects.putFile(path);
      this.#known.found.set(path, toCachedFile(stats, hash));
      return {kind: 'file', mode: stats.mode & 0o7777, hash};
    } catch (cause) {
      if (hasCode(cause, ...unreadableCodes)) return this.#unreadable(path, stats);
      if (hasCode(cause, ...goneCodes)) return undefined;
      throw cause;
    }
  }

  /** A file that has become unreadable, but with the stats of the last checkpoint, has the same content. */
  #unreadable(path: string, stats: Stats): TreeNode | undefined {
    const last = this.#known.cache.files.get(path);
    if (last === undefined || !matchesStats({...last, ctime: stats.ctimeMs}, stats)) return this.#leaveOut(path);
    this.#known.found.set(path, toCachedFile(stats, last.hash));
    return {kind: 'file', mode: stats.mode & 0o7777, hash: last.hash};
  }

  #tooLarge(what: string): TooLargeError {
    return new TooLargeError({
      kind: 'needs-user',
      message: `${this.#context.roots.join(', ')}: ${what}, too large for checkpoints.`,
      fix: 'Start weft in the folder of one project.',
    });
  }

  #leaveOut(path: string): undefined {
    this.#leftOut.push(path);
  }

  async #yieldToEventLoop(): Promise<void> {
    this.#signal.throwIfAborted();
    if (this.#known.now() < this.#sliceEnds) return;
    await yieldToEventLoop();
    this.#sliceEnds = this.#known.now() + sliceMs;
  }
}

const unreadableCodes = ['EACCES', 'EPERM', 'EIO', 'EBUSY'];
const goneCodes = ['ENOENT', 'ENOTDIR', 'ELOOP'];
