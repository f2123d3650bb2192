import {lstatSync, readdirSync, readFileSync, readlinkSync, renameSync, type Stats, writeFileSync} from 'node:fs';
import {basename, dirname, join} from 'node:path';
import * as z from 'zod/mini';
import {tryOr} from '../../base/outcome.ts';
import {parseJson} from '../../base/json.ts';
import {holdPath} from '../files/folder-handle.ts';
import {entriesIn} from '../files/list-folder.ts';
import {isGitName} from './git-blobs.ts';
import type {TreeEntries, TreeNode} from './tree.ts';

/** The stats of a file when its content had that hash. Times are milliseconds. */
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

/** The files of the last checkpoint by path, so that what has not changed is not read again. */
export interface StatCache {
  readonly files: ReadonlyMap<string, CachedFile>;
  /** The folders of the last checkpoint, by path; not saved to the disk. */
  readonly folders: ReadonlyMap<string, CachedFolder>;
  /** When the checkpoint began: a file changed at that time or later may change again without looking different. */
  readonly since: number;
}

export const emptyStatCache: StatCache = {files: new Map(), folders: new Map(), since: 0};

/** Milliseconds of the coarsest file times in use (FAT). */
const coarsestTick = 2000;

export const toCachedFile = (stats: Stats, hash: string): CachedFile => ({
  size: stats.size,
  mtime: stats.mtimeMs,
  ctime: stats.ctimeMs,
  inode: stats.ino,
  hash,
});

/** The cached file if it has certainly not changed since. */
export function findUnchanged({files, since}: StatCache, path: string, stats: Stats): CachedFile | undefined {
  const seen = files.get(path);
  return seen !== undefined && matchesStats(seen, stats) && Math.max(seen.mtime, seen.ctime) < since - coarsestTick
    ? seen
    : undefined;
}

export const matchesStats = (seen: CachedFile, stats: Stats): boolean =>
  seen.size === stats.size && seen.mtime === stats.mtimeMs && seen.ctime === stats.ctimeMs && seen.inode === stats.ino;

/** Reads the cache; an empty one if it is missing or damaged, because it only saves time. */
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

/** Saves the cache. Errors are ignored: it is made again next time. */
export function saveStatCache(file: string, {since, files}: StatCache): void {
  // Files that git holds are left out: the git index says as much.
  const own = [...files].filter(([, {hash}]) => !isGitName(hash));
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

/** Checked by hand for speed: there are tens of thousands of rows, and they are read before the first change. */
const isRow = (row: unknown): row is Row =>
  Array.isArray(row) &&
  row.length === 6 &&
  row.every((cell, at) => typeof cell === (at === 0 || at === 5 ? 'string' : 'number'));

/** What lies at a path, links not followed. */
export const statsOf = (path: string): Stats | 'gone' | 'unreadable' =>
  tryOr(() => lstatSync(path, {throwIfNoEntry: false}) ?? 'gone', 'unreadable');

export function linkNode(path: string): TreeNode | undefined {
  try {
    using folder = holdPath(dirname(path), 'folder');
    return {kind: 'link', target: readlinkSync(folder.at(basename(path)))};
  } catch {
    return undefined;
  }
}

/** The names in a folder, sorted; `undefined` if the folder cannot be read, or if a link has taken its place. */
export function sortedNamesIn(folder: string): readonly string[] | undefined {
  try {
    using held = holdPath(folder, 'folder');
    return readdirSync(held.self).toSorted();
  } catch {
    return undefined;
  }
}

/** Files below a folder; counts no further than one past `most`. */
export function countFiles(folder: string, most: number): number {
  let count = 0;
  const waiting = [folder];
  for (let next = waiting.pop(); next !== undefined && count <= most; next = waiting.pop()) {
    for (const entry of entriesIn(next)) {
      if (entry.isDirectory()) waiting.push(join(next, entry.name));
      else count += 1;
    }
  }
  return count;
}
