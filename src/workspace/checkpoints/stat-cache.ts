import {readFileSync, renameSync, writeFileSync, type Stats} from 'node:fs';
import * as z from 'zod/mini';
import {parseJson} from '../../base/json.ts';

/** What a file looked like from outside when its content had that hash. Times are milliseconds. */
export interface SeenFile {
  readonly size: number;
  readonly mtime: number;
  readonly ctime: number;
  readonly inode: number;
  readonly hash: string;
}

/** The files of the last checkpoint by path, so that what has not changed is not read again. */
export interface StatCache {
  readonly files: ReadonlyMap<string, SeenFile>;
  /** When the checkpoint began: a file changed at that time or later may change again without looking different. */
  readonly since: number;
}

const emptyStatCache: StatCache = {files: new Map(), since: 0};

/** Coarsest step of the times of file systems in use (FAT). */
const coarsestTick = 2000;

export const seenOf = (stats: Stats, hash: string): SeenFile => ({
  size: stats.size,
  mtime: stats.mtimeMs,
  ctime: stats.ctimeMs,
  inode: stats.ino,
  hash,
});

/** The hash of a file that surely has not changed since it was seen. */
export function hashUnlessChanged({files, since}: StatCache, path: string, stats: Stats): string | undefined {
  const seen = files.get(path);
  return seen !== undefined && looksAsSeen(seen, stats) && Math.max(seen.mtime, seen.ctime) < since - coarsestTick
    ? seen.hash
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
    const {since, files} = parsed.data;
    return {
      since,
      files: new Map(
        files.map(([path, size, mtime, ctime, inode, hash]) => [path, {size, mtime, ctime, inode, hash}] as const),
      ),
    };
  } catch {
    return emptyStatCache;
  }
}

/** What cannot be written is made again next time. */
export function saveStatCache(file: string, {since, files}: StatCache): void {
  const rows = [...files].map(([path, {size, mtime, ctime, inode, hash}]) => [path, size, mtime, ctime, inode, hash]);
  try {
    const fresh = `${file}.${String(process.pid)}`;
    writeFileSync(fresh, JSON.stringify({since, files: rows}), {mode: 0o600});
    renameSync(fresh, file);
  } catch {
    return;
  }
}

const cacheSchema = z.object({
  since: z.number(),
  files: z.array(z.tuple([z.string(), z.number(), z.number(), z.number(), z.number(), z.string()])),
});
