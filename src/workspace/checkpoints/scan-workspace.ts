import {existsSync, lstatSync, type Stats} from 'node:fs';
import {dirname, join, sep} from 'node:path';
import {setImmediate as yieldToEventLoop} from 'node:timers/promises';
import {hasCode} from '../../domain/fault.ts';
import {isTemporaryName} from '../files/folder-handle.ts';
import {
  type CachedFile,
  countFiles,
  emptyTable,
  FolderRecord,
  type FolderTable,
  hasExactFolderTimes,
  isSettled,
  lstatOf,
  matchesStats,
  readLinkNode,
  type RecordContent,
  type RecordHead,
  type Row,
  rowFlags,
  rowsByName,
  sortedNames,
} from './folder-table.ts';
import {findInGit} from './git-blobs.ts';
import {fingerprintIfOld, readGitIndex, shortKey, withAttributes, type GitIndex} from './tracked-files.ts';
import {ignoredPaths, type IgnoredPaths} from './git-query.ts';
import type {ObjectStore} from './object-store.ts';
import type {ChangedFiles} from './changed-files.ts';
import {encodeEntries, encodeRoot, fileNode, isRelated, type RelatedPaths, relatedTo, type TreeNode} from './tree.ts';

export interface ScanContext {
  /** The workspace folders: absolute, with links resolved, none inside another. */
  readonly roots: readonly string[];
  /** Paths that are never part of a checkpoint, such as the folder of the checkpoints themselves. */
  readonly excluded: ReadonlySet<string>;
  readonly objects: Pick<ObjectStore, 'put' | 'putFile' | 'addRepository'>;
  readonly environment: NodeJS.ProcessEnv;
}

export interface Scan {
  readonly tree: string;
  readonly leftOut: readonly string[];
}

export interface WorkspaceScan extends Scan {
  readonly table: FolderTable;
  /** The number of folders that differ from the known table, and the bytes that were read. */
  readonly changedFolders: number;
  readonly newBytes: number;
  /** The files that are left out because of their size only. */
  readonly tooLarge: readonly string[];
}

/** The maximum number of bytes of new content in a checkpoint. If there is more, the largest files are left out. */
const maxNewBytes = 4 * 1024 * 1024 * 1024;

/** The size, in bytes, beyond which a file is left out: for ignored files, and for all others. */
const maxIgnoredBytes = 1024 * 1024;
export const maxFileBytes = 256 * 1024 * 1024;

/** The maximum number of files of an ignored folder, and the maximum number of bytes of all ignored files, that a checkpoint includes. */
export const maxIgnoredFiles = 2000;
const maxIgnoredTotal = 64 * 1024 * 1024;

/** Folders that tools fill. Outside repositories no ignore file names them. */
export const toolFolders = new Set(['node_modules', '.venv', 'venv', '__pycache__', '.tox', '.gradle', '.cache']);

export const versionControlFolders = new Set(['.git', '.hg', '.svn', '.jj']);

/** Milliseconds of work before yielding to the event loop. */
const sliceMs = 12;

/**
 * Stores the roots as they are now: every file, link and folder except version control folders, large ignored files, and unreadable files.
 * Writes nothing into the workspace. Adds the records of folders to `done` as soon as they are complete: even if the scan is aborted, they
 * can be known to the next one.
 */
export async function scanWorkspace(
  context: ScanContext,
  known: Known & {readonly done?: Map<string, FolderRecord>},
  signal: AbortSignal,
): Promise<WorkspaceScan> {
  const isNew = known.table.folders.size === 0 && !context.roots.some(root => existsSync(join(root, '.git')));
  // A new folder without git is measured before anything is copied. Git holds most of a repository.
  let most = isNew ? await largestThatFits(context, known, signal) : known.table.maxFileBytes;
  for (;;) {
    const table = {...known.table, maxFileBytes: most};
    const scanner = new Scanner(context, {done: new Map(), ...known, table, purpose: 'all'}, signal);
    try {
      return await scanner.scan();
    } catch (cause) {
      if (!(cause instanceof TooMuchContent)) throw cause;
    }
    const fitting = await largestThatFits(context, known, signal);
    most = fitting < most ? fitting : Math.floor(Math.min(most, maxFileBytes) / 2);
  }
}

/**
 * Finds what a scan would leave out at, above or below some paths. The table only gives the size of the largest files.
 * After an abort, returns the paths found so far. Stores nothing.
 */
export async function findLeftOut(
  context: Omit<ScanContext, 'objects'>,
  {only, table}: {readonly only: readonly string[]; readonly table: FolderTable},
  signal: AbortSignal,
): Promise<readonly string[]> {
  const purpose = {leftOut: relatedTo(only)};
  const known = {
    table: {...emptyTable, maxFileBytes: table.maxFileBytes},
    now: Date.now,
    changed: 'unknown',
    done: new Map<string, FolderRecord>(),
    purpose,
  } as const;
  const scanner = new Scanner({...context, objects: noopObjects}, known, signal);
  try {
    await scanner.scan();
  } catch (cause) {
    if (!signal.aborted) throw cause;
  }
  return scanner.leftOut;
}

/** The result of an earlier scan. */
interface Known {
  readonly table: FolderTable;
  readonly now: () => number;
  readonly maxNewBytes?: number;
  /** The files in the table's stat index that may have changed. */
  readonly changed: ChangedFiles;
}

/** Returns the size of the largest files that can be stored if all smaller ones are. Stores nothing. */
async function largestThatFits(context: ScanContext, known: Known, signal: AbortSignal): Promise<number> {
  const sizes: number[] = [];
  const done = new Map<string, FolderRecord>();
  await new Scanner({...context, objects: noopObjects}, {...known, done, purpose: {sizes}}, signal).scan();
  let total = 0;
  let last = 0;
  for (const size of sizes.toSorted((a, b) => a - b)) {
    total += size;
    // Files of the same size are stored or left out together.
    if (total > (known.maxNewBytes ?? maxNewBytes)) return Math.min(last, size - 1);
    last = size;
  }
  return known.table.maxFileBytes;
}

const noopObjects: ScanContext['objects'] = {put: () => '', putFile: () => '', addRepository: () => {}};

class TooMuchContent extends Error {
  override readonly name = 'TooMuchContent';
}

type FileStatus = 'kept' | 'ignored';

interface FolderContext {
  readonly status: FileStatus;
  readonly repository: boolean;
  /** The git index of the files; `undefined` outside repositories and if the index can't be read. */
  readonly index: GitIndex | undefined;
  /** The folder in which git is asked for ignored paths, once an unknown path turns up. */
  readonly queryFolder: string;
  /** Differs if another file may have the patterns of ignored files; empty if these must be found out again. */
  readonly ignoreKey: string;
}

const outsideRepository: Omit<FolderContext, 'status'> = {
  repository: false,
  index: undefined,
  queryFolder: '',
  ignoreKey: '',
};

/**
 * `leftOut`: only find what would be left out at, above or below these paths. `sizes`: only add the sizes of the files
 * whose content would be stored.
 */
type Purpose = 'all' | {readonly leftOut: RelatedPaths} | {readonly sizes: number[]};

interface ScanKnown extends Known {
  readonly done: Map<string, FolderRecord>;
  readonly purpose: Purpose;
}

type FolderNode = Extract<TreeNode, {kind: 'folder'}>;

/** An entry of a folder: the row of the last record with that index, or a new row. */
type Found = number | Row;

/** A name before it is looked at: its row in the last record, or -1, and its flags. */
interface KnownEntry {
  readonly old: number;
  readonly flags: number;
}

interface OpenFolder {
  readonly where: FolderContext;
  readonly last: FolderRecord | undefined;
  /** Returns the row that the last record has for a name, or -1. */
  readonly rowOf: (at: number) => number;
  /** True if the index is the same as at the last scan, so git holds the same blobs. */
  readonly isSameIndex: boolean;
  /** True if a path in the folder is excluded from checkpoints. */
  readonly hasExcluded: boolean;
}

const emptyRow: Row = {node: undefined};

const emptyNames: ReadonlySet<string> = new Set();

class Scanner {
  readonly #context: ScanContext;
  readonly #known: ScanKnown;
  readonly #signal: AbortSignal;
  readonly #only: RelatedPaths | undefined;
  /** The folders of the excluded paths. */
  readonly #aboveExcluded: ReadonlySet<string>;
  readonly #leftOut: string[] = [];
  readonly #tooLarge: string[] = [];
  readonly #ignored: IgnoredPaths[] = [];
  /** The folders in which git was asked for ignored paths, and whether it answered. */
  readonly #queried = new Map<string, boolean>();
  /** The device on which the names in a folder never change without its times. */
  #exactDevice = -1;
  #changedFolders = 0;
  #since = 0;
  #ignoredTotal = 0;
  #newBytes = 0;
  #sliceEnds = 0;

  constructor(context: ScanContext, known: ScanKnown, signal: AbortSignal) {
    this.#context = context;
    this.#known = known;
    this.#signal = signal;
    this.#only = typeof known.purpose === 'object' && 'leftOut' in known.purpose ? known.purpose.leftOut : undefined;
    this.#aboveExcluded = new Set([...context.excluded].map(path => dirname(path)));
  }

  get leftOut(): readonly string[] {
    return this.#leftOut;
  }

  async scan(): Promise<WorkspaceScan> {
    this.#since = this.#known.now();
    const {done, purpose, table} = this.#known;
    const folders = new Map<string, TreeNode>();
    for (const root of this.#context.roots) {
      const stats = lstatSync(root, {throwIfNoEntry: false});
      if (stats?.isDirectory() !== true) continue;
      this.#exactDevice = hasExactFolderTimes(root) ? stats.dev : -1;
      const where = existsSync(join(root, '.git')) ? outsideRepository : await this.#unknownInRepository(root);
      const node = await this.#folder(root, stats, {status: 'kept', ...where});
      if (node !== undefined) folders.set(root, node);
    }
    const tree = purpose === 'all' ? this.#context.objects.put(encodeRoot({folders, leftOut: this.#leftOut})) : '';
    return {
      tree,
      leftOut: this.#leftOut,
      table: {...table, folders: done, origin: 'this process'},
      changedFolders: this.#changedFolders,
      newBytes: this.#newBytes,
      tooLarge: this.#tooLarge,
    };
  }

  async #queryIgnored(folder: string): Promise<boolean> {
    const found = await ignoredPaths(folder, {environment: this.#context.environment, signal: this.#signal});
    if (found !== undefined) this.#ignored.push(found);
    this.#queried.set(folder, found !== undefined);
    return found !== undefined;
  }

  /** Reads the git index for a folder that may be in a repository. */
  async #unknownInRepository(folder: string): Promise<Omit<FolderContext, 'status'>> {
    const {environment, objects} = this.#context;
    const index = await readGitIndex(folder, {environment, signal: this.#signal});
    if (index === undefined)
      return {repository: await this.#queryIgnored(folder), index, queryFolder: folder, ignoreKey: ''};
    objects.addRepository(index.gitFolder);
    return {repository: true, index, queryFolder: folder, ignoreKey: shortKey(index.ignoreKey(this.#since))};
  }

  async #folder(path: string, stats: Stats, above: FolderContext): Promise<FolderNode | undefined> {
    await this.#yieldToEventLoop();
    const last = this.#known.table.folders.get(path);
    if (last !== undefined && this.#isSameFolder(path, stats, {last, above})) {
      this.#known.done.set(path, last);
      return {kind: 'folder', mode: stats.mode & 0o7777, tree: last.tree};
    }
    const isListed = last?.lists(stats) === true;
    const listed = isListed ? last.names() : sortedNames(path);
    if (listed === undefined) {
      this.#leaveOut(path);
      return undefined;
    }
    const where = await this.#enter(path, listed, above);
    const isSameIndex = where.index !== undefined && last?.has('indexKey', where.index.indexKey) === true;
    const rowOf = isListed ? (at: number) => at : rowsByName(last, listed);
    const folder = {where, last, rowOf, isSameIndex, hasExcluded: this.#aboveExcluded.has(path)};
    const beginning = path.endsWith(sep) ? path : path + sep;
    const listedFlags = await this.#flagsOf(beginning, listed, folder);
    const content = {names: [] as string[], rows: [] as Found[], flags: [] as number[], last};
    const {changed} = this.#known;
    const changedNames = changed === 'unknown' ? changed : (changed.get(path) ?? emptyNames);
    for (let at = 0; at < listed.length; at += 1) {
      const name = listed[at] ?? '';
      const flags = listedFlags[at] ?? 0;
      const old = rowOf(at);
      const isSame = changedNames !== 'unknown' && old >= 0 && last?.isIndexed(old) === true && !changedNames.has(name);
      const scanned = this.#isSkipped(name, {beginning, old, folder})
        ? emptyRow
        : ((isSame ? this.#sameFile(beginning + name, {old, flags}, folder) : undefined) ??
          this.#entry(beginning + name, {old, flags}, folder));
      const entry = scanned instanceof Promise ? await scanned : scanned;
      if (entry === undefined) continue;
      const isStillNone = entry === emptyRow && old >= 0 && last?.kindAt(old) === 'none';
      content.names.push(name);
      content.rows.push(isStillNone ? old : entry);
      content.flags.push(flags);
    }
    if (this.#only !== undefined) return undefined;
    const isSettledFolder = stats.dev === this.#exactDevice && isSettled(stats, this.#since);
    const head = {
      stats,
      areNamesSettled: isSettledFolder && content.names.length === listed.length,
      ignoreKey: this.#queried.get(where.queryFolder) === false ? '' : where.ignoreKey,
      indexKey: where.index?.indexKey ?? '',
    };
    const record = this.#recordOf(beginning, head, content);
    if (record !== last) this.#changedFolders += 1;
    this.#known.done.set(path, record);
    return {kind: 'folder', mode: stats.mode & 0o7777, tree: record.tree};
  }

  /** True if a folder of a repository, without folders in it, certainly is as at the last scan. Looks at no name. */
  #isSameFolder(
    path: string,
    stats: Stats,
    {last, above}: {readonly last: FolderRecord; readonly above: FolderContext},
  ): boolean {
    const {changed} = this.#known;
    const {index, ignoreKey, status} = above;
    if (changed === 'unknown' || changed.has(path) || this.#aboveExcluded.has(path)) return false;
    if (status === 'ignored' || index === undefined || index.attributes.has(join(path, '.gitattributes'))) return false;
    const isSameGit = last.has('indexKey', index.indexKey) && last.has('ignoreKey', ignoreKey);
    return isSameGit && stats.dev === this.#exactDevice && last.lists(stats) && last.isIndexedWhole();
  }

  async #enter(path: string, names: readonly string[], above: FolderContext): Promise<FolderContext> {
    const isRepository = above.status === 'kept' && names.includes('.git');
    const own = isRepository ? {...above, ...(await this.#unknownInRepository(path))} : above;
    const index = own.index && withAttributes(own.index, path, names.includes('.gitattributes'));
    if (own.ignoreKey === '' || own.status === 'ignored' || !names.includes('.gitignore'))
      return index === own.index ? own : {...own, index};
    const patterns = fingerprintIfOld([join(path, '.gitignore')], this.#since);
    return {...own, index, ignoreKey: patterns === '' ? '' : shortKey(own.ignoreKey + patterns)};
  }

  /**
   * Returns the flags of names: ignored, tracked. Git walks the whole repository for its ignored paths, so it is asked
   * only if a path is neither known nor tracked.
   */
  async #flagsOf(beginning: string, names: readonly string[], folder: OpenFolder): Promise<Uint8Array> {
    const {last, rowOf, isSameIndex} = folder;
    const {index, repository, status, ignoreKey, queryFolder} = folder.where;
    const flags = new Uint8Array(names.length);
    if (status === 'ignored') return flags.fill(rowFlags.ignored);
    if (!repository) return flags;
    const arePatternsSame = last?.has('ignoreKey', ignoreKey) === true;
    const unknown: number[] = [];
    for (const [at, name] of names.entries()) {
      const old = rowOf(at);
      const known = old < 0 || !arePatternsSame ? undefined : last?.flagsAt(old);
      const path = beginning + name;
      if (known !== undefined && isSameIndex) flags[at] = known;
      else if (this.#isSkipped(name, {beginning, old, folder})) continue;
      else if (index?.tracks(path) === true) flags[at] = rowFlags.tracked;
      else if (known !== undefined && (known & rowFlags.tracked) === 0) flags[at] = known;
      else unknown.push(at);
    }
    if (unknown.length > 0 && !this.#queried.has(queryFolder)) await this.#queryIgnored(queryFolder);
    for (const at of unknown) {
      const path = beginning + (names[at] ?? '');
      if (this.#ignored.some(({files, folders}) => files.has(path) || folders.has(path))) flags[at] = rowFlags.ignored;
    }
    return flags;
  }

  #isSkipped(
    name: string,
    {beginning, old, folder}: {readonly beginning: string; readonly old: number; readonly folder: OpenFolder},
  ): boolean {
    if (folder.hasExcluded && this.#context.excluded.has(beginning + name)) return true;
    if (this.#only !== undefined && !isRelated(beginning + name, this.#only)) return true;
    // A name that the last checkpoint has needs no check.
    if (old >= 0 && folder.last?.kindAt(old) !== 'none') return false;
    return versionControlFolders.has(name) || isTemporaryName(name);
  }

  /** Returns `undefined` if the path is gone, and a promise only for folders: promises for the many files would cost time. */
  #entry(path: string, known: KnownEntry, folder: OpenFolder): Found | undefined | Promise<Found> {
    // A name that is not UTF-8 can't be turned back into the path of the file.
    if (path.includes('\uFFFD')) return this.#leaveOut(path);
    const stats = lstatOf(path);
    if (stats === 'gone') return undefined;
    if (stats === 'unreadable') return this.#leaveOut(path);
    if (stats.isFile()) return this.#file(path, stats, known, folder);
    if (stats.isDirectory()) return this.#subfolder(path, stats, known, folder);
    return stats.isSymbolicLink() ? this.#link(path, stats, known, folder) : emptyRow;
  }

  async #subfolder(path: string, stats: Stats, {old, flags}: KnownEntry, {where, last}: OpenFolder): Promise<Found> {
    const isIgnored =
      where.status === 'kept' &&
      ((flags & rowFlags.ignored) !== 0 ||
        (!where.repository && toolFolders.has(path.slice(path.lastIndexOf('/') + 1))));
    if (isIgnored && countFiles(path, maxIgnoredFiles) > maxIgnoredFiles) return this.#leaveOut(path);
    const node = await this.#folder(path, stats, isIgnored ? {...where, status: 'ignored'} : where);
    if (node === undefined) return emptyRow;
    return old >= 0 && last?.isFolder(old, node) === true ? old : {node};
  }

  #link(path: string, stats: Stats, {old}: KnownEntry, {last}: OpenFolder): Found | undefined {
    if (old >= 0 && last?.kindAt(old) === 'link' && last.isUnchanged(old, stats)) return old;
    const node = readLinkNode(path);
    return node && {node, stats, isSettled: isSettled(stats, this.#since)};
  }

  /** Returns the row of a file that certainly is as at the last scan. Returns `undefined` if git may have deleted its content. */
  #sameFile(path: string, {old, flags}: KnownEntry, folder: OpenFolder): Found | undefined {
    if (!this.#isHeld(path, old, folder)) return undefined;
    return this.#isTooLarge(folder.last?.statsAt(old).size ?? 0, flags) ? this.#leaveOut(path) : old;
  }

  /** True if a file is left out because of its size, or of that of all ignored files so far. */
  #isTooLarge(size: number, flags: number): boolean {
    const isIgnored = (flags & rowFlags.ignored) !== 0;
    if (size > (isIgnored ? maxIgnoredBytes : maxFileBytes)) return true;
    if (isIgnored) this.#ignoredTotal += size;
    return this.#ignoredTotal > maxIgnoredTotal && isIgnored;
  }

  #file(path: string, stats: Stats, {old, flags}: KnownEntry, folder: OpenFolder): Found | undefined {
    if (this.#isTooLarge(stats.size, flags)) return this.#leaveOut(path);
    if (this.#only !== undefined) {
      const isTooLarge = stats.size > this.#known.table.maxFileBytes;
      const {index} = folder.where;
      return isTooLarge && findInGit(path, stats, {index, last: undefined}) === undefined
        ? this.#leaveOut(path)
        : emptyRow;
    }
    const last = old >= 0 && this.#isHeld(path, old, folder) ? folder.last : undefined;
    const kind = last?.kindAt(old);
    if (last?.isUnchanged(old, stats) === true && (kind === 'file' || kind === 'blob')) return old;
    const hash = this.#store(path, stats, {index: folder.where.index, last: last?.fileAt(old)});
    if (hash === 'gone') return undefined;
    if (hash === 'unreadable' || hash === 'too-large') return this.#leaveOut(path);
    return {
      node: fileNode(stats, hash),
      stats,
      isSettled: isSettled(stats, this.#since),
    };
  }

  /** True if the content that a file had at the last scan is certainly kept. Git may have deleted a blob since a table was saved. */
  #isHeld(path: string, old: number, {last, isSameIndex, where}: OpenFolder): boolean {
    return (
      isSameIndex ||
      this.#known.table.origin === 'this process' ||
      last?.kindAt(old) !== 'blob' ||
      where.index?.file(path)?.blob === last.idAt(old)
    );
  }

  /** Returns the name of a file's content, and stores it unless git holds it. */
  #store(
    path: string,
    stats: Stats,
    {index, last}: {readonly index: GitIndex | undefined; readonly last: CachedFile | undefined},
  ): string {
    const gitName = findInGit(path, stats, {index, last: last?.hash});
    if (gitName !== undefined) return gitName;
    const {purpose, table, maxNewBytes: most = maxNewBytes} = this.#known;
    if (stats.size > table.maxFileBytes) {
      this.#tooLarge.push(path);
      return 'too-large';
    }
    if (typeof purpose === 'object' && 'sizes' in purpose) {
      purpose.sizes.push(stats.size);
      return '';
    }
    this.#newBytes += stats.size;
    if (this.#newBytes > most) throw new TooMuchContent('more content than a checkpoint may have');
    try {
      return this.#context.objects.putFile(path);
    } catch (cause) {
      if (hasCode(cause, ...goneCodes)) return 'gone';
      if (!hasCode(cause, ...unreadableCodes)) throw cause;
      // A file that has become unreadable, but with the stats of the last scan, has the same content.
      const isSame = last !== undefined && matchesStats({...last, ctime: stats.ctimeMs}, stats);
      return isSame ? last.hash : 'unreadable';
    }
  }

  /** Returns the record of a folder: the last one if nothing has changed. Stores its tree if its content has changed. */
  #recordOf(beginning: string, head: RecordHead, content: Omit<RecordContent, 'tree'>): FolderRecord {
    const {names, rows, flags, last} = content;
    const isSame = last?.count === rows.length && rows.every((each, at) => each === at);
    if (isSame && rows.every((_, at) => last.flagsAt(at) === flags[at])) return last.withHead(head);
    const nodes = new Map<string, TreeNode>();
    for (const [at, name] of names.entries()) {
      const each = rows[at];
      const node = typeof each === 'number' ? last?.nodeAt(each, beginning + name) : each?.node;
      if (node !== undefined) nodes.set(name, node);
    }
    const tree = isSame ? last.tree : this.#context.objects.put(encodeEntries(nodes));
    return FolderRecord.of(head, {...content, tree});
  }

  #leaveOut(path: string): Row {
    this.#leftOut.push(path);
    return emptyRow;
  }

  async #yieldToEventLoop(): Promise<void> {
    this.#signal.throwIfAborted();
    if (this.#known.now() < this.#sliceEnds) return;
    await yieldToEventLoop();
    this.#sliceEnds = this.#known.now() + sliceMs;
  }
}

export const unreadableCodes = ['EACCES', 'EPERM', 'EIO', 'EBUSY'];
export const goneCodes = ['ENOENT', 'ENOTDIR', 'ELOOP'];
