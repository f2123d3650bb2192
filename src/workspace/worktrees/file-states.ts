import {createHash, hash} from 'node:crypto';
import {constants, type Stats} from 'node:fs';
import {chmod, copyFile, type FileHandle, lstat, mkdir, open, readlink, symlink, writeFile} from 'node:fs/promises';
import {basename, dirname, join} from 'node:path';
import * as z from 'zod/mini';
import {hasCode} from '../../domain/fault.ts';
import {type FolderHandle, openFolder} from '../files/folder-handle.ts';
import {openRegular, descriptorPath} from '../files/regular-files.ts';
import {realPath} from '../files/resolve-path.ts';

/** A file or a link as git sees it. `sha256` is the hash of the file's bytes or of the link's target. */
const fileState = z.object({mode: z.enum(['file', 'executable', 'link']), sha256: z.string()});

export type FileState = z.infer<typeof fileState>;

/** `other`: something that git can't store, such as a pipe. */
export type PathState = FileState | 'absent' | 'folder' | 'other';

/** File stats that show whether the file has been written since: size, times in milliseconds, inode. */
const fileStats = z.tuple([z.number(), z.number(), z.number(), z.number()]);

export const seenFile = z.extend(fileState, {stats: fileStats});

/** A file's state, and its stats at that time. */
export type SeenFile = z.infer<typeof seenFile>;

export const isFile = (state: PathState): state is FileState => typeof state === 'object';

export const isSameState = (a: PathState, b: PathState): boolean =>
  isFile(a) && isFile(b) ? a.mode === b.mode && a.sha256 === b.sha256 : a === b;

const statsOf = ({size, mtimeMs, ctimeMs, ino}: Stats): SeenFile['stats'] => [size, mtimeMs, ctimeMs, ino];

/** Milliseconds within which two changes of a file may get the same time from the file system. */
const tickMs = 20;

/** An open folder. `absent` if it does not exist. `other` if a link leads to it, so that its content is elsewhere. */
export type Place = FolderHandle | 'absent' | 'other';

/** Opens the folder of a path below `top`, calls `work` with it, and closes it. */
export async function withFolderOf<T>(
  {top, path}: {readonly top: string; readonly path: string},
  work: (place: Place, name: string) => Promise<T>,
): Promise<T> {
  const place = await openFolderAt(dirname(join(top, path)));
  await using handle = typeof place === 'object' ? place : undefined;
  return await work(handle ?? place, basename(path));
}

/** How often to retry a folder that is replaced while it is opened. */
const maxAttempts = 3;

async function openFolderAt(path: string): Promise<Place> {
  for (let turn = 1; ; turn += 1) {
    try {
      return await openFolder(path);
    } catch (cause) {
      if (realPath(path) !== path) return 'other';
      const stats = await statsAt(path);
      if (stats?.isDirectory() !== true) return stats?.isSymbolicLink() === true ? 'other' : 'absent';
      if (turn === maxAttempts) throw cause;
    }
  }
}

interface PriorState {
  readonly seen: SeenFile | undefined;
  readonly seenAt: number;
}

/** Returns the state of a path below a folder. */
export const stateAt = async (top: string, path: string): Promise<PathState> =>
  withFolderOf({top, path}, async place => stateIn(place, join(top, path)));

/**
 * Returns the state of a path through its open folder. A file with the same stats as `seen` is not read again. It is
 * read if it was written at about the time (`seenAt`) when those stats were taken.
 */
export async function stateIn(place: Place, path: string, known?: PriorState): Promise<PathState> {
  if (typeof place === 'string') return place;
  const through = place.at(basename(path));
  const stats = await statsAt(through);
  if (stats === undefined) return 'absent';
  if (stats.isDirectory()) return 'folder';
  const {seen, seenAt} = known ?? {seen: undefined, seenAt: 0};
  if (seen !== undefined && stats.ctimeMs < seenAt - tickMs && statsOf(stats).every((n, i) => n === seen.stats[i])) {
    return {mode: seen.mode, sha256: seen.sha256};
  }
  if (stats.isSymbolicLink()) return {mode: 'link', sha256: hash('sha256', await readlink(through), 'hex')};
  const found = await openRegular(path, through);
  if (found.kind !== 'file') return 'other';
  await using handle = found.handle;
  return await stateOf(handle, found.stats);
}

/** Returns the stats of a path. `undefined` if it does not exist or a parent is not a folder. */
async function statsAt(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch (cause) {
    if (hasCode(cause, 'ENOENT', 'ENOTDIR')) return undefined;
    throw cause;
  }
}

/** The largest file to read in one step, in bytes, which is faster. */
const smallFileBytes = 1024 * 1024;

const modeOf = ({mode}: Stats): FileState['mode'] => ((mode & 0o100) === 0 ? 'file' : 'executable');

async function stateOf(handle: FileHandle, stats: Stats): Promise<FileState> {
  const mode = modeOf(stats);
  if (stats.size <= smallFileBytes) return {mode, sha256: hash('sha256', await handle.readFile(), 'hex')};
  const hasher = createHash('sha256');
  for await (const chunk of handle.createReadStream({autoClose: false})) hasher.update(chunk);
  return {mode, sha256: hasher.digest('hex')};
}

/** Returns the bytes of a file, or the target of a link; `undefined` for anything else. */
export const contentAt = (top: string, path: string, most: number): Promise<Buffer | undefined | 'too large'> =>
  withFolderOf({top, path}, async (place, name) => {
    if (typeof place === 'string') return undefined;
    const stats = await statsAt(place.at(name));
    if (stats?.isSymbolicLink() === true) return Buffer.from(await readlink(place.at(name)));
    const found = await openRegular(join(top, path), place.at(name));
    if (found.kind !== 'file') return undefined;
    await using handle = found.handle;
    return found.stats.size > most ? 'too large' : await handle.readFile();
  });

/**
 * Copies a file or a link, if there is one, between two open folders, and returns its state. A folder (a nested
 * repository) becomes an empty one. `path` is the source, and `to` the target path in an open folder.
 */
export async function copyEntry(place: Place, path: string, to: string): Promise<SeenFile | undefined> {
  if (typeof place === 'string') return undefined;
  const from = place.at(basename(path));
  const stats = await statsAt(from);
  if (stats?.isDirectory() === true) await mkdir(to, {recursive: true});
  else if (stats?.isSymbolicLink() === true) {
    const target = await readlink(from);
    await symlink(target, to);
    return {mode: 'link', sha256: hash('sha256', target, 'hex'), stats: statsOf(await lstat(to))};
  }
  const found = await openRegular(path, from);
  if (found.kind !== 'file') return undefined;
  await using handle = found.handle;
  const {mode, size} = found.stats;
  if (size <= smallFileBytes) {
    const bytes = await handle.readFile();
    await writeFile(to, bytes, {mode, flag: 'wx'});
    await chmod(to, mode);
    return {mode: modeOf(found.stats), sha256: hash('sha256', bytes, 'hex'), stats: statsOf(await lstat(to))};
  }
  // Clones the file if the file system can.
  await copyFile(descriptorPath(handle, from), to, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
  await using made = await open(to, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  const copied = await made.stat();
  return {...(await stateOf(made, copied)), stats: statsOf(copied)};
}

/**
 * Calls `work` with the paths of each folder below `top`, and with the folder, which is open during the call. Several
 * folders run at a time.
 */
export function forEachFolder(
  {top, paths}: {readonly top: string; readonly paths: readonly string[]},
  work: (paths: readonly [string, ...string[]], place: Place) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const folders = new Map<string, [string, ...string[]]>();
  for (const path of paths) {
    const known = folders.get(dirname(path));
    if (known === undefined) folders.set(dirname(path), [path]);
    else known.push(path);
  }
  const inFolder = (files: readonly [string, ...string[]]): Promise<void> =>
    withFolderOf({top, path: files[0]}, place => work(files, place));
  return forEach([...folders.values()], inFolder, signal);
}

/** The number of folders, and of files in a folder, that are processed at the same time. */
const concurrency = 8;

/** Calls `work` with each item, several at a time. The signal stops it between two items. */
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
      if (item !== undefined) await work(item);
    }
  };
  await Promise.all(Array.from({length: Math.min(concurrency, items.length)}, worker));
}
