import {hash} from 'node:crypto';
import {
  closeSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statfsSync,
  type Stats,
  writeFileSync,
} from 'node:fs';
import {basename, dirname, join} from 'node:path';
import {crc32} from 'node:zlib';
import {tryOr} from '../../base/outcome.ts';
import {openPathHandle} from '../files/folder-handle.ts';
import {entriesIn} from '../files/list-folder.ts';
import {gitBlobName, isGitBlobName} from './git-blobs.ts';
import {keyBytes, maxClockTickMs} from './tracked-files.ts';
import type {TreeNode} from './tree.ts';

/** The stats of a file when its content had that hash. Times are in milliseconds. */
export interface CachedFile {
  readonly size: number;
  readonly mtime: number;
  readonly ctime: number;
  readonly inode: number;
  readonly hash: string;
}

export const toCachedFile = (stats: Stats, blob: string): CachedFile => ({
  size: stats.size,
  mtime: stats.mtimeMs,
  ctime: stats.ctimeMs,
  inode: stats.ino,
  hash: blob,
});

export const matchesStats = (seen: CachedFile, stats: Stats): boolean =>
  seen.size === stats.size && seen.mtime === stats.mtimeMs && seen.ctime === stats.ctimeMs && seen.inode === stats.ino;

/** True if something with these times was changed so long before a scan that each later change changes its times. */
export const isSettled = (stats: Pick<Stats, 'mtimeMs' | 'ctimeMs'>, since: number): boolean =>
  Math.max(stats.mtimeMs, stats.ctimeMs) < since - maxClockTickMs;

/**
 * The folders as the last scan found them, by absolute path. Large workspaces have millions of files, so an entry of a
 * folder is a row of bytes and no object. The bytes in memory are those of the file.
 */
export interface FolderTable {
  readonly folders: ReadonlyMap<string, FolderRecord>;
  /** `saved`: git may have deleted blobs since. */
  readonly origin: 'this process' | 'saved';
  /** The size, in bytes, beyond which a file that git doesn't hold is left out, because all of them are too much. */
  readonly maxFileBytes: number;
  /** The id of the stat index that has the rows marked as `indexed`; empty if there is none. */
  readonly statIndex: string;
}

export const emptyTable: FolderTable = {
  folders: new Map(),
  origin: 'this process',
  maxFileBytes: Number.POSITIVE_INFINITY,
  statIndex: '',
};

/** The kinds of entries. `none`: no part of a checkpoint, such as `.git`, a pipe, or a file that is too large. `blob`: a file that git holds. */
const kinds = ['none', 'file', 'blob', 'link', 'folder'] as const;

/** Flags of an entry. `settled`: each later change will change its times. `tracked`: in the git index. `indexed`: in the stat index. `linked`: has other names. */
export const rowFlags = {settled: 1, ignored: 2, tracked: 4, indexed: 8, linked: 16} as const;

/** The flags that belong to the stats of a row, and not to its name. */
const statFlags = rowFlags.settled | rowFlags.indexed | rowFlags.linked;

/** A new entry of a folder. */
export interface Row {
  /** `undefined`: no part of a checkpoint. */
  readonly node: TreeNode | undefined;
  readonly stats?: Stats;
  readonly isSettled?: boolean;
}

/** The state of a folder, and the sources of its rows. */
export interface RecordHead {
  readonly stats: Pick<Stats, 'mtimeMs' | 'ctimeMs' | 'ino'>;
  /** True if the names stay the same as long as the stats do. */
  readonly areNamesSettled: boolean;
  /** The sources of the flags `ignored` and `tracked`, see `shortKey`; empty if they must be found out again. */
  readonly ignoreKey: string;
  readonly indexKey: string;
}

export interface RecordContent {
  /** The hash of the folder's tree. */
  readonly tree: string;
  readonly names: readonly string[];
  /** A row for each name, in the same order. Numbers are rows of the last record. */
  readonly rows: readonly (Row | number)[];
  readonly last: FolderRecord | undefined;
  /** For each row whether it is ignored or tracked. */
  readonly flags: readonly number[];
}

// A record is the head, the rows, and the names. Numbers are little-endian.
const head = {mtime: 0, ctime: 8, inode: 16, count: 24, settled: 28, ignoreKey: 32, indexKey: 48, tree: 64, length: 96};
const row = {mtime: 0, ctime: 8, inode: 16, size: 24, mode: 32, kind: 36, flags: 37, id: 40, length: 72};
const idBytes = 32;
const blobBytes = 20;

/** A folder at the last scan: its names, and a row for each. */
export class FolderRecord {
  readonly bytes: Buffer;
  readonly count: number;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
    this.count = bytes.readUInt32LE(head.count);
  }

  static of(about: RecordHead, {tree, names, rows, last, flags}: RecordContent): FolderRecord {
    const text = Buffer.from(names.join('\0'));
    const bytes = Buffer.alloc(head.length + rows.length * row.length + text.length);
    bytes.writeUInt32LE(rows.length, head.count);
    bytes.write(tree, head.tree, 'hex');
    for (const [at, each] of rows.entries()) {
      const start = head.length + at * row.length;
      const own = flags[at] ?? 0;
      if (typeof each === 'number') last?.copyRow(each, bytes, {start, flags: own});
      else writeRow(bytes.subarray(start), each, own);
    }
    text.copy(bytes, head.length + rows.length * row.length);
    writeHead(bytes, about);
    return new FolderRecord(bytes);
  }

  /** Returns the record with another head, or this record if nothing differs. */
  withHead(about: RecordHead): FolderRecord {
    const start = Buffer.from(this.bytes.subarray(0, head.length));
    writeHead(start, about);
    if (start.compare(this.bytes, 0, head.length) === 0) return this;
    return new FolderRecord(Buffer.concat([start, this.bytes.subarray(head.length)]));
  }

  /** Returns the names in the order of the rows. They aren't kept, because there are very many. */
  names(): readonly string[] {
    return this.count === 0 ? [] : this.bytes.toString('utf8', this.#rowAt(this.count)).split('\0');
  }

  /** True if a folder with these stats certainly has the same names as at the last scan. */
  lists({mtimeMs, ctimeMs, ino}: Stats): boolean {
    const {bytes} = this;
    return (
      bytes.readUInt8(head.settled) === 1 &&
      bytes.readDoubleLE(head.mtime) === mtimeMs &&
      bytes.readDoubleLE(head.ctime) === ctimeMs &&
      bytes.readDoubleLE(head.inode) === ino
    );
  }

  get tree(): string {
    return this.bytes.toString('hex', head.tree, head.tree + idBytes);
  }

  /** True if the flags of the rows come from the same source. */
  has(which: 'ignoreKey' | 'indexKey', key: string): boolean {
    return key !== '' && this.bytes.toString('latin1', head[which], head[which] + keyBytes) === key;
  }

  kindAt(index: number): (typeof kinds)[number] {
    return kinds[this.bytes.readUInt8(this.#rowAt(index) + row.kind)] ?? 'none';
  }

  /** Returns whether the row is ignored or tracked. */
  flagsAt(index: number): number {
    return this.#allFlagsAt(index) & ~statFlags;
  }

  #allFlagsAt(index: number): number {
    return this.bytes.readUInt8(this.#rowAt(index) + row.flags);
  }

  isIndexed(index: number): boolean {
    return (this.#allFlagsAt(index) & rowFlags.indexed) !== 0;
  }

  /** True if all names are files of the stat index that git does not ignore, and none is a file for git itself. */
  isIndexedWhole(): boolean {
    for (let at = 0; at < this.count; at += 1)
      if ((this.#allFlagsAt(at) & (rowFlags.indexed | rowFlags.ignored)) !== rowFlags.indexed) return false;
    return !this.bytes.includes('.git', this.#rowAt(this.count));
  }

  /** Returns a copy of the record that marks the rows that a stat index can have. */
  withMarks(): FolderRecord {
    const copy = new FolderRecord(Buffer.from(this.bytes));
    // The clock of a file system without exact times of folders may be another one than that of this machine.
    const isExact = this.bytes.readUInt8(head.settled) === 1;
    for (let at = 0; at < this.count; at += 1) {
      const flags = this.#allFlagsAt(at);
      const {mtime, ctime} = this.statsAt(at);
      const kind = this.kindAt(at);
      const isSettledFile = (kind === 'file' || kind === 'blob') && (flags & rowFlags.settled) !== 0;
      const fits = isExact && isSettledFile && mtime >= 0 && Math.max(mtime, ctime) < 2 ** 32 * 1000;
      copy.bytes.writeUInt8(fits ? flags | rowFlags.indexed : flags & ~rowFlags.indexed, this.#rowAt(at) + row.flags);
    }
    return copy;
  }

  statsAt(index: number): Omit<CachedFile, 'hash'> & {readonly mode: number} {
    const start = this.#rowAt(index);
    return {
      size: this.bytes.readDoubleLE(start + row.size),
      mtime: this.bytes.readDoubleLE(start + row.mtime),
      ctime: this.bytes.readDoubleLE(start + row.ctime),
      inode: this.bytes.readDoubleLE(start + row.inode),
      mode: this.bytes.readUInt32LE(start + row.mode),
    };
  }

  copyRow(index: number, to: Buffer, {start, flags}: {readonly start: number; readonly flags: number}): void {
    this.bytes.copy(to, start, this.#rowAt(index), this.#rowAt(index + 1));
    to.writeUInt8((this.#allFlagsAt(index) & statFlags) | flags, start + row.flags);
  }

  /** True if a file or link with these stats certainly is as at the last scan. */
  isUnchanged(index: number, stats: Stats): boolean {
    const {bytes} = this;
    const start = this.#rowAt(index);
    return (
      (bytes.readUInt8(start + row.flags) & rowFlags.settled) !== 0 &&
      bytes.readDoubleLE(start + row.mtime) === stats.mtimeMs &&
      bytes.readDoubleLE(start + row.ctime) === stats.ctimeMs &&
      bytes.readDoubleLE(start + row.inode) === stats.ino &&
      bytes.readDoubleLE(start + row.size) === stats.size
    );
  }

  /** True if the entry is a folder with that mode and content. */
  isFolder(index: number, {mode, tree}: Extract<TreeNode, {kind: 'folder'}>): boolean {
    const start = this.#rowAt(index);
    return (
      this.kindAt(index) === 'folder' && this.bytes.readUInt32LE(start + row.mode) === mode && this.idAt(index) === tree
    );
  }

  /** Returns the hash of a file's content, of a link's target, or of a folder's tree. */
  idAt(index: number): string {
    const start = this.#rowAt(index) + row.id;
    return this.bytes.toString('hex', start, start + (this.kindAt(index) === 'blob' ? blobBytes : idBytes));
  }

  /** Returns the file of a row, or `undefined` if it is none. */
  fileAt(index: number): CachedFile | undefined {
    const kind = this.kindAt(index);
    if (kind !== 'file' && kind !== 'blob') return undefined;
    const {size, mtime, ctime, inode} = this.statsAt(index);
    const blob = this.idAt(index);
    return {size, mtime, ctime, inode, hash: kind === 'blob' ? gitBlobName({blob, size}) : blob};
  }

  /** Returns the node of a row; a link's target comes from the disk. */
  nodeAt(index: number, path: string): TreeNode | undefined {
    const mode = this.bytes.readUInt32LE(this.#rowAt(index) + row.mode);
    switch (this.kindAt(index)) {
      case 'none':
        return undefined;
      case 'link':
        return readLinkNode(path);
      case 'folder':
        return {kind: 'folder', mode, tree: this.idAt(index)};
      default:
        return {
          kind: 'file',
          mode,
          hash: this.fileAt(index)?.hash ?? '',
          inode: (this.#allFlagsAt(index) & rowFlags.linked) === 0 ? undefined : this.statsAt(index).inode,
        };
    }
  }

  #rowAt(index: number): number {
    return head.length + index * row.length;
  }
}

function writeHead(bytes: Buffer, {stats, areNamesSettled, ignoreKey, indexKey}: RecordHead): void {
  bytes.writeDoubleLE(stats.mtimeMs, head.mtime);
  bytes.writeDoubleLE(stats.ctimeMs, head.ctime);
  bytes.writeDoubleLE(stats.ino, head.inode);
  bytes.writeUInt8(areNamesSettled ? 1 : 0, head.settled);
  bytes.write(ignoreKey.padEnd(keyBytes, '\0'), head.ignoreKey, 'latin1');
  bytes.write(indexKey.padEnd(keyBytes, '\0'), head.indexKey, 'latin1');
}

function writeRow(bytes: Buffer, {node, stats, isSettled: settled = false}: Row, flags: number): void {
  const isBlob = node?.kind === 'file' && isGitBlobName(node.hash);
  bytes.writeUInt8(kinds.indexOf(isBlob ? 'blob' : (node?.kind ?? 'none')), row.kind);
  const linked = node?.kind === 'file' && node.inode !== undefined ? rowFlags.linked : 0;
  bytes.writeUInt8(flags | (settled ? rowFlags.settled : 0) | linked, row.flags);
  if (node === undefined) return;
  bytes.write(idOf(node), row.id, 'hex');
  if (node.kind !== 'link') bytes.writeUInt32LE(node.mode, row.mode);
  if (stats === undefined) return;
  bytes.writeDoubleLE(stats.mtimeMs, row.mtime);
  bytes.writeDoubleLE(stats.ctimeMs, row.ctime);
  bytes.writeDoubleLE(stats.ino, row.inode);
  bytes.writeDoubleLE(stats.size, row.size);
}

function idOf(node: TreeNode): string {
  if (node.kind === 'link') return hash('sha256', node.target, 'hex');
  if (node.kind === 'folder') return node.tree;
  return isGitBlobName(node.hash) ? (node.hash.split(':')[1] ?? '') : node.hash;
}

/** Returns a function that finds the row of the name at an index of `names`, or -1. */
export function rowsByName(record: FolderRecord | undefined, names: readonly string[]): (at: number) => number {
  if (record === undefined) return () => -1;
  const rows = new Map(record.names().map((name, at) => [name, at]));
  return at => rows.get(names[at] ?? '') ?? -1;
}

/** Returns the file at a path at the last scan. */
export function fileIn({folders}: FolderTable, path: string): CachedFile | undefined {
  const record = folders.get(dirname(path));
  const index = record?.names().indexOf(basename(path)) ?? -1;
  return index < 0 ? undefined : record?.fileAt(index);
}

const magic = 'WEFTFT04';
const sumAt = magic.length;
const maxFileBytesAt = sumAt + 4;
const statIndexAt = maxFileBytesAt + 8;
/** The length of the id of a stat index. */
export const statIndexBytes = 32;
const fileHeadBytes = statIndexAt + statIndexBytes;

/** Reads the table. Returns an empty one if it is missing or damaged, because the table only saves time. */
export function loadTable(file: string): FolderTable {
  try {
    const bytes = readFileSync(file);
    if (bytes.toString('latin1', 0, magic.length) !== magic) return emptyTable;
    if (bytes.readUInt32LE(sumAt) !== crc32(bytes.subarray(maxFileBytesAt))) return emptyTable;
    const folders = new Map<string, FolderRecord>();
    for (let at = fileHeadBytes; at < bytes.length;) {
      const start = at + 8 + bytes.readUInt32LE(at);
      const end = start + bytes.readUInt32LE(at + 4);
      folders.set(bytes.toString('utf8', at + 8, start), new FolderRecord(bytes.subarray(start, end)));
      at = end;
    }
    const statIndex = bytes.toString('latin1', statIndexAt, fileHeadBytes).replaceAll('\0', '');
    return {folders, origin: 'saved', maxFileBytes: bytes.readDoubleLE(maxFileBytesAt), statIndex};
  } catch {
    return emptyTable;
  }
}

/** Saves the table. Ignores errors: the table is built again next time. */
export function saveTable(file: string, {folders, maxFileBytes, statIndex}: FolderTable): void {
  const fresh = `${file}.${String(process.pid)}`;
  try {
    const start = Buffer.alloc(fileHeadBytes);
    const parts: Buffer[] = [start];
    start.writeDoubleLE(maxFileBytes, maxFileBytesAt);
    start.write(statIndex, statIndexAt, 'latin1');
    let sum = crc32(start.subarray(maxFileBytesAt));
    for (const [path, {bytes}] of folders) {
      const name = Buffer.from(path);
      const lengths = Buffer.alloc(8);
      lengths.writeUInt32LE(name.length, 0);
      lengths.writeUInt32LE(bytes.length, 4);
      for (const part of [lengths, name, bytes]) {
        sum = crc32(part, sum);
        parts.push(part);
      }
    }
    start.write(magic, 'latin1');
    start.writeUInt32LE(sum, sumAt);
    const handle = openSync(fresh, 'w', 0o600);
    try {
      for (let at = 0; at < parts.length; at += maxParts)
        writeFileSync(handle, Buffer.concat(parts.slice(at, at + maxParts)));
    } finally {
      closeSync(handle);
    }
    renameSync(fresh, file);
  } catch {
    rmSync(fresh, {force: true});
  }
}

/** The maximum number of buffers to write at once. */
const maxParts = 3000;

/** File systems on which a folder gets new times with each change of its names, by the type that Linux gives them: ext, XFS, btrfs, F2FS, tmpfs. */
const exactFileSystems = new Set([0xef53, 0x58465342, 0x9123683e, 0xf2f52010, 0x01021994]);

/** True if the names in a folder can't change without its times. */
export const hasExactFolderTimes = (folder: string): boolean =>
  process.platform === 'linux' && tryOr(() => exactFileSystems.has(statfsSync(folder).type), false);

/** Returns the stats at a path, links not followed. */
export const lstatOf = (path: string): Stats | 'gone' | 'unreadable' =>
  tryOr(() => lstatSync(path, {throwIfNoEntry: false}) ?? 'gone', 'unreadable');

export function readLinkNode(path: string): Extract<TreeNode, {kind: 'link'}> | undefined {
  try {
    using folder = openPathHandle(dirname(path), 'folder');
    return {kind: 'link', target: readlinkSync(folder.at(basename(path)))};
  } catch {
    return undefined;
  }
}

/** Returns the names in a folder, sorted, or `undefined` if it can't be read or a link has replaced it. */
export function sortedNames(folder: string): readonly string[] | undefined {
  try {
    using handle = openPathHandle(folder, 'folder');
    return readdirSync(handle.self).toSorted();
  } catch {
    return undefined;
  }
}

/** Counts the files below a folder, up to one past `limit`. */
export function countFiles(folder: string, limit: number): number {
  let count = 0;
  const waiting = [folder];
  for (let next = waiting.pop(); next !== undefined && count <= limit; next = waiting.pop()) {
    for (const entry of entriesIn(next)) {
      if (entry.isDirectory()) waiting.push(join(next, entry.name));
      else count += 1;
    }
  }
  return count;
}
