import {readFileSync, renameSync, writeFileSync, type Stats} from 'node:fs';
import * as z from 'zod/mini';
import {parseJson} from '../../base/json.ts';
import {isGitName} from './git-blobs.ts';
import type {TreeEntries} from './tree.ts';

/** What a file looked like from outside when its content had that hash. Times are milliseconds. */
export interface SeenFile {
  readonly size: number;
  readonly mtime: number;
  readonly ctime: number;
  readonly inode: number;
  readonly hash: string;
}

/** What a folder held, and the name of the tree that says so. */
export interface SeenFolder {
  readonly entries: TreeEntries;
  readonly tree: string;
}

/** The files of the last checkpoint by path, so that what has not changed is not read again. */
export interface StatCache {
  readonly files: ReadonlyMap<string, SeenFile>;
  /** The folders likewise, by path; known only to the process that took that checkpoint. */
  readonly folders: ReadonlyMap<string, SeenFolder>;
  /** When the checkpoint began: a file changed at that time or later may change again without looking different. */
  readonly since: number;
}

export const emptyStatCache: StatCache = {files: new Map(), folders: new Map(), since: 0};

/** Coarsest step of the times of file systems in use (FAT). */
const coarsestTick = 2000;

export const seenOf = (stats: Stats, hash: string): SeenFile => ({
  size: stats.size,
  mtime: stats.mtimeMs,
  ctime: stats.ctimeMs,
  inode: stats.ino,
  hash,
});

/** A file as it was seen, where it surely has not changed since. */
export function seenUnlessChanged({files, since}: StatCache, path: string, stats: Stats): SeenFile | undefined {
  const seen = files.get(path);
  return seen !== undefined && looksAsSeen(seen, stats) && Math.max(seen.mtime, seen.ctime) < since - coarsestTick
    ? seen
    : undefined;
}

export const looksAsSeen = (seen: SeenFile, stats: Stats): boolean =>
  seen.size === stats.size && seen.mtime === stats.mtimeMs && seen.ctime === stats.ctimeMs && seen.inode === stats.ino;

/** An empty one where there is none, or where it cannot be read: it only saves time. */
export function loadStatCache(file: string): StatCache {
  try {
    const json = parseJson(readFileSync(file, 'utf8'));
    const parsed = json.tag === 'ok' ? cacheSchema.safeParse(json.value) : undefined;
    if (parsed?.success !== true) return emptyStatCache;
    const files = new Map<string, SeenFile>();
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

/** What cannot be written is made again next time. */
export function saveStatCache(file: string, {since, files}: StatCache): void {
  // Of what git holds its own index tells as much.
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

/** By hand: there are tens of thousands of them, and all of it is before the first change. */
const isRow = (row: unknown): row is Row =>
  Array.isArray(row) &&
  row.length === 6 &&
  row.every((cell, at) => typeof cell === (at === 0 || at === 5 ? 'string' : 'number'));
