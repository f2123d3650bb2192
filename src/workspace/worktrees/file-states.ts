import {createHash, hash} from 'node:crypto';
import {constants, createReadStream, type Stats} from 'node:fs';
import {copyFile, lstat, mkdir, readFile, readlink, realpath, symlink} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import * as z from 'zod/mini';
import {isOpenDatabase} from '../../config/open-databases.ts';

/** A file or a link as git sees it: its content by the SHA-256 of its bytes, or of where the link leads. */
const fileState = z.object({mode: z.enum(['file', 'executable', 'link']), sha256: z.string()});

export type FileState = z.infer<typeof fileState>;

/** `other`: something git does not hold, such as a pipe. */
export type PathState = FileState | 'absent' | 'folder' | 'other';

/** Proves with the stats of a file that nobody has written to it since it was looked at: size, times in milliseconds, inode. */
const fileStats = z.tuple([z.number(), z.number(), z.number(), z.number()]);

export const seenFile = z.extend(fileState, {stats: fileStats});

/** A file, and the stats that it had then. */
export type SeenFile = z.infer<typeof seenFile>;

export const isFile = (state: PathState): state is FileState => typeof state === 'object';

export const sameState = (a: PathState, b: PathState): boolean =>
  isFile(a) && isFile(b) ? a.mode === b.mode && a.sha256 === b.sha256 : a === b;

const statsOf = ({size, mtimeMs, ctimeMs, ino}: Stats): SeenFile['stats'] => [size, mtimeMs, ctimeMs, ino];

/** Milliseconds within which two changes of a file may get the same time from the file system. */
const tickMs = 20;

/**
 * What is at a path below a folder now. A file whose stats are those of `seen` is not read again, unless it was written to at the moment
 * (`seenAt`) when those were taken. What is reached through a link counts as `other`: it lies elsewhere.
 */
export async function stateAt(
  folder: string,
  path: string,
  known?: {readonly seen: SeenFile | undefined; readonly seenAt: number},
): Promise<PathState> {
  const at = join(folder, path);
  const stats = await statsAt(at);
  if (stats === undefined) return 'absent';
  if ((await realpath(dirname(at))) !== dirname(at)) return 'other';
  if (stats.isDirectory()) return 'folder';
  const {seen, seenAt} = known ?? {seen: undefined, seenAt: 0};
  if (seen !== undefined && stats.ctimeMs < seenAt - tickMs && statsOf(stats).every((n, i) => n === seen.stats[i])) {
    return {mode: seen.mode, sha256: seen.sha256};
  }
  return readState(at, stats);
}

/** `undefined` too where something that is no folder stands above it. */
async function statsAt(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : '';
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw cause;
  }
}

async function readState(path: string, stats: Stats): Promise<FileState | 'other'> {
  if (stats.isSymbolicLink()) {
    return {mode: 'link', sha256: hash('sha256', await readlink(path), 'hex')};
  }
  if (!stats.isFile() || isOpenDatabase(path)) return 'other';
  return {mode: (stats.mode & 0o100) === 0 ? 'file' : 'executable', sha256: await hashOf(path, stats.size)};
}

/** Bytes of a file up to which it is read at once, which is faster. */
const readAtOnce = 1024 * 1024;

async function hashOf(path: string, size: number): Promise<string> {
  if (size <= readAtOnce) return hash('sha256', await readFile(path), 'hex');
  const hasher = createHash('sha256');
  for await (const chunk of createReadStream(path)) hasher.update(chunk);
  return hasher.digest('hex');
}

/** Copies a file or a link, where there is one, and makes the folders above it; what it is then. A folder becomes an empty one. */
export async function copyEntry(from: string, to: string): Promise<SeenFile | undefined> {
  const stats = await statsAt(from);
  if (stats === undefined) return undefined;
  if (stats.isDirectory()) {
    await mkdir(to, {recursive: true});
    return undefined;
  }
  await mkdir(dirname(to), {recursive: true});
  if (stats.isSymbolicLink()) await symlink(await readlink(from), to);
  else if (stats.isFile() && !isOpenDatabase(from))
    await copyFile(from, to, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
  else return undefined;
  const made = await lstat(to);
  const state = await readState(to, made);
  return state === 'other' ? undefined : {...state, stats: statsOf(made)};
}

/** Files that are looked at, or copied, at the same time. */
const atOnce = 32;

/** Does something with each, several at a time; the signal stops it between two. */
export async function forEach<T>(
  items: readonly T[],
  work: (item: T) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < items.length) {
      signal.throwIfAborted();
      const item = items[next];
      next += 1;
      // oxlint-disable-next-line no-await-in-loop -- one worker of several
      if (item !== undefined) await work(item);
    }
  };
  await Promise.all(Array.from({length: Math.min(atOnce, items.length)}, worker));
}
