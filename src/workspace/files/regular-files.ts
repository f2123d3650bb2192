import {createHash} from 'node:crypto';
import {
  accessSync,
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  readlinkSync,
  readSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs';
import {type FileHandle, lstat, open, readlink, realpath, stat} from 'node:fs/promises';
import type {Fingerprint} from '../../actions/files-port.ts';
import type {ReadBytes} from '../../domain/disk.ts';
import {isOpenDatabase, openDatabaseReason} from '../../config/open-databases.ts';
import {causeText, hasCode} from '../../domain/fault.ts';
import {realPath} from './resolve-path.ts';

export function canAccess(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}

type Found =
  | {readonly kind: 'file'; readonly handle: FileHandle; readonly stats: Stats}
  | {readonly kind: 'directory'}
  | {readonly kind: 'missing'}
  | {readonly kind: 'refused'; readonly reason: string};

/** How often the opening is tried again when the file was replaced at that moment, as editors do when they save. */
const maxTurns = 3;

/**
 * Opens the regular file at `path` (all links resolved) for reading; the caller closes it. Pipes, sockets and devices are refused
 * without opening them, because opening one can block. The opened file lies at exactly that path: if a link has taken the place of the
 * file or of one of its folders since the path was resolved, the file is refused. `through` is another path of the same file, by way
 * of a folder handle.
 */
export async function openRegular(path: string, through: string = path): Promise<Found> {
  for (let turn = 1; ; turn += 1) {
    const found = await openOnce(path, through);
    if (found.kind !== 'replaced') return found;
    if (turn === maxTurns) return {kind: 'refused', reason: 'it is replaced again and again while it is opened'};
  }
}

async function openOnce(path: string, through: string): Promise<Found | {readonly kind: 'replaced'}> {
  try {
    const stats = await lstat(through);
    if (stats.isSymbolicLink()) return (await isCircle(through)) ? circle : elsewhere;
    if (stats.isDirectory()) return {kind: 'directory'};
    if (!stats.isFile()) return {kind: 'refused', reason: 'it is a device, a pipe or a socket'};
    if (isOpenDatabase(through)) return {kind: 'refused', reason: openDatabaseReason};
    // O_NONBLOCK: a pipe may have taken the file's place since, and opening it would block.
    const handle = await open(through, constants.O_RDONLY | constants.O_NONBLOCK | (constants.O_NOFOLLOW ?? 0));
    const opened = await handle.stat();
    const place = opened.isFile() ? await placeOf(handle, opened, path) : 'no file';
    if (place === 'there') return {kind: 'file', handle, stats: opened};
    await handle.close();
    if (place === 'replaced') return {kind: 'replaced'};
    return place === 'no file' ? {kind: 'refused', reason: 'it changed while it was opened'} : elsewhere;
  } catch (cause) {
    if (hasCode(cause, 'ENOENT')) return {kind: 'missing'};
    if (hasCode(cause, 'ENOTDIR')) return {kind: 'refused', reason: 'a part of its path is a file, not a folder'};
    if (hasCode(cause, 'EACCES', 'EPERM')) return {kind: 'refused', reason: 'permission denied'};
    if (hasCode(cause, 'ELOOP')) return elsewhere;
    return {kind: 'refused', reason: causeText(cause)};
  }
}

const elsewhere: Found = {
  kind: 'refused',
  reason: 'a symbolic link has taken the place of it, or of a folder it lies in, and nothing is read through that',
};

const circle: Found = {kind: 'refused', reason: 'its links lead in a circle'};

const isCircle = async (path: string): Promise<boolean> =>
  stat(path).then(
    () => false,
    (cause: unknown) => hasCode(cause, 'ELOOP'),
  );

/** Whether the open file lies at `path`. Linux tells where an open file lies; elsewhere the path is resolved once more. */
async function placeOf(handle: FileHandle, opened: Stats, path: string): Promise<'there' | 'replaced' | 'elsewhere'> {
  const told = await pathOfHandle(handle);
  if (told === path) return 'there';
  if (told !== undefined) return told === `${path} (deleted)` ? 'replaced' : 'elsewhere';
  if ((await realpath(path)) !== path) return 'elsewhere';
  const now = await lstat(path);
  return now.ino === opened.ino && now.dev === opened.dev ? 'there' : 'replaced';
}

/** `undefined` where the system does not tell. */
export async function pathOfHandle(handle: FileHandle): Promise<string | undefined> {
  if (process.platform !== 'linux') return undefined;
  return readlink(`/proc/self/fd/${handle.fd}`).catch(() => undefined);
}

/** A path that leads to the open file itself where the system offers one, else `path`. */
export const pathThrough = (handle: FileHandle, path: string): string =>
  process.platform === 'linux' ? `/proc/self/fd/${handle.fd}` : path;

/**
 * Opens what lies at `path`, all links resolved, and does not block on a pipe. Throws if a link has taken the place of a part of the
 * path, as if the file were locked.
 */
export function openInPlace(path: string): number {
  const handle = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  const place = process.platform === 'linux' ? readlinkSync(`/proc/self/fd/${handle}`) : realpathSync(path);
  if (place === path) return handle;
  closeSync(handle);
  throw Object.assign(new Error(`${path} is not where it was`), {code: 'EBUSY'});
}

/**
 * The bytes of a regular file; `undefined` for anything else, for a file of more than `most` bytes, and for one that
 * cannot be read. A repository may hold a pipe or a device under any name, so the opening never blocks.
 */
export function readRegularFile(
  path: string,
  most: number,
  links: 'followed' | 'refused' = 'followed',
): Buffer | undefined {
  if (isOpenDatabase(path)) return undefined;
  let handle: number;
  try {
    handle = links === 'refused' ? openInPlace(path) : openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch {
    return undefined;
  }
  try {
    const stats = fstatSync(handle);
    if (!stats.isFile() || stats.size > most) return undefined;
    const bytes = Buffer.alloc(stats.size);
    let length = 0;
    for (let read = -1; read !== 0 && length < bytes.length; length += read) {
      read = readSync(handle, bytes, length, bytes.length - length, length);
    }
    return bytes.subarray(0, length);
  } catch {
    return undefined;
  } finally {
    closeSync(handle);
  }
}

/** The bytes of a regular file as Latin-1 characters. Pipes, devices and files of more than 256 MB (the largest git index) are not read. */
export function readBytes(path: string): ReadBytes {
  try {
    const stats = statSync(path, {throwIfNoEntry: false});
    if (stats === undefined) return {kind: 'missing'};
    if (!stats.isFile() || stats.size > maxBytes || isOpenDatabase(path)) return {kind: 'unreadable'};
    // O_NONBLOCK: a pipe may have taken the file's place since, and opening it would block.
    const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      return fstatSync(descriptor).isFile()
        ? {kind: 'text', text: readFileSync(descriptor, 'latin1')}
        : {kind: 'unreadable'};
    } finally {
      closeSync(descriptor);
    }
  } catch (cause) {
    return hasCode(cause, 'ENOTDIR') ? {kind: 'missing'} : {kind: 'unreadable'};
  }
}

const maxBytes = 256 * 1024 * 1024;

/** Computes the SHA-256 of files, one after the other. Never throws; after an abort the remaining files count as unreadable. */
export async function fingerprintFiles(paths: readonly string[], signal: AbortSignal): Promise<readonly Fingerprint[]> {
  const prints: Fingerprint[] = [];
  for (const path of paths) prints.push(signal.aborted ? {path, kind: 'unreadable'} : await fingerprint(path, signal));
  return prints;
}

async function fingerprint(path: string, signal: AbortSignal): Promise<Fingerprint> {
  const found = await openRegular(realPath(path));
  if (found.kind !== 'file') return {path, kind: found.kind === 'missing' ? 'absent' : 'unreadable'};
  await using handle = found.handle;
  try {
    const hash = createHash('sha256');
    for await (const chunk of handle.createReadStream({autoClose: false})) {
      if (signal.aborted) return {path, kind: 'unreadable'};
      hash.update(chunk);
    }
    return {path, kind: 'file', sha256: hash.digest('hex')};
  } catch {
    return {path, kind: 'unreadable'};
  }
}
