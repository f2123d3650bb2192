import {lstatSync, readdirSync, readFileSync, readlinkSync, renameSync, type Stats, writeFileSync} from 'node:fs';
import {basename, dirname, join} from 'node:path';
import * as z from 'zod/mini';
import {tryOr} from '../../base/outcome.ts';
import {parseJson} from '../../base/json.ts';
import {openPathHandle} from '../files/folder-handle.ts';
import {entriesIn} from '../files/list-folder.ts';
import {isGitBlobName} from './git-blobs.ts';
import type {TreeEntries, TreeNode} from './tree.ts';

/** The stats of a file when its content had that hash. Times are in milliseconds. */
export interface CachedFile {
  readonly size: number;
  readonly mtime: number;
  readonly ctime: number;
  readonly inode: number;
  readonly hash: string;
}

/** The entries of a folder, and the name of the tree object that stores them. */
export interface CachedFolder {
  readonly entries: TreeEntries;
  readonly tree: string;
}

/** The files of the last checkpoint by path, so that unchanged files aren't read again. */
export interface StatCache {
  readonly files: ReadonlyMap<string, CachedFile>;
  /** The folders of the last checkpoint, by path; not saved to the disk. */
  readonly folders: ReadonlyMap<string, CachedFolder>;
  /** When the checkpoint began. A file changed at that time or later may change again without looking different. */
  readonly since: number;
}

export const emptyStatCache: StatCache = {files: new Map(), folders: new Map(), since: 0};

/** The tick of the coarsest file times in use (FAT), in milliseconds. */
const maxClockTickMs = 2000;

export const toCachedFile = (stats: Stats, hash: string): CachedFile => ({
  size: stats.size,
  mtime: stats.mtimeMs,
  ctime: stats.ctimeMs,
  inode: stats.ino,
  hash,
});

/** Returns the cached file if it certainly hasn't changed since. */
export function findUnchanged({files, since}: StatCache, path: string, stats: Stats): CachedFile | undefined {
  const seen = files.get(path);
  return seen !== undefined && matchesStats(seen, stats) && Math.max(seen.mtime, seen.ctime) < since - maxClockTickMs
    ? seen
    : undefined;
}

export const matchesStats = (seen: CachedFile, stats: Stats): boolean =>
  seen.size === stats.size && seen.mtime === stats.mtimeMs && seen.ctime === stats.ctimeMs && seen.inode === stats.ino;

/** Reads the cache. Returns an empty one if it is missing or damaged, because the cache only saves time. */
export function loadStatCache(file: string): StatCache {
  try {
    const json = parseJson(readFileSync(file, 'utf8'));
    const parsed = json.tag === 'ok' ? cacheSchema.safeParse(json.value) : undefined;
    if (parsed?.success !== true) return emptyStatCache;
    const files = new Map<string, CachedFile>();
    for (const row of parsed.data.files) {
      if (!isRow(row)) return emptyStatCache;
      const [path, size, mtime, ctime, inode, hash] = row;
      files.set(path, {size, mtime, ctime, inode, hash});
    }
    return {since: parsed.data.since, folders: new Map(), files};
  } catch {
    return emptyStatCache;
  }
}

/** Saves the cache. Ignores errors: the cache is rebuilt next time. */
export function saveStatCache(file: string, {since, files}: StatCache): void {
  // Files that git holds are left out, because the git index has the same information.
  const own = [...files].filter(([, {hash}]) => !isGitBlobName(hash));
  const rows = own.map(([path, {size, mtime, ctime, inode, hash}]) => [path, size, mtime, ctime, inode, hash]);
  try {
    const fresh = `${file}.${String(process.pid)}`;
    writeFileSync(fresh, JSON.stringify({since, files: rows}), {mode: 0o600});
    renameSync(fresh, file);
  } catch {
    return;
  }
}

const cacheSchema = z.object({since: z.number(), files: z.array(z.unknown())});

type Row = readonly [string, number, number, number, number, string];

/** The rows are checked without a schema for speed: tens of thousands of rows are read before the first change. */
const isRow = (row: unknown): row is Row =>
  Array.isArray(row) &&
  row.length === 6 &&
  row.every((cell, at) => typeof cell === (at === 0 || at === 5 ? 'string' : 'number'));

/** Returns the stats at a path, links not followed. */
export const lstatOf = (path: string): Stats | 'gone' | 'unreadable' =>
  tryOr(() => lstatSync(path, {throwIfNoEntry: false}) ?? 'gone', 'unreadable');

export function readLinkNode(path: string): TreeNode | undefined {
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
