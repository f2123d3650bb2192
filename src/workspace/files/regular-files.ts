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
import {tryOr} from '../../base/outcome.ts';
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

type OpenResult =
  | {readonly kind: 'file'; readonly handle: FileHandle; readonly stats: Stats}
  | {readonly kind: 'directory'}
  | {readonly kind: 'missing'}
  | {readonly kind: 'refused'; readonly reason: string};

/** How often to retry if the file was just being replaced, as editors do when they save. */
const maxAttempts = 3;

/**
 * Opens the regular file at `path` (all links resolved) for reading; the caller closes it. Pipes, sockets and devices are refused unopened,
 * because opening one can block. The opened file is at exactly that path: if a link has replaced the file or one of its folders since the
 * path was resolved, the file is refused. `through` is another path to the same file, by way of a folder handle.
 */
export async function openRegular(path: string, through: string = path): Promise<OpenResult> {
  for (let attempt = 1; ; attempt += 1) {
    const found = await openOnce(path, through);
    if (found.kind !== 'replaced') return found;
    if (attempt === maxAttempts) return {kind: 'refused', reason: 'another program keeps replacing it'};
  }
}

async function openOnce(path: string, through: string): Promise<OpenResult | {readonly kind: 'replaced'}> {
  try {
    const stats = await lstat(through);
    if (stats.isSymbolicLink()) return (await isLinkLoop(through)) ? linkLoopRefusal : linkRefusal;
    if (stats.isDirectory()) return {kind: 'directory'};
    if (!stats.isFile()) return {kind: 'refused', reason: 'it is a device, a pipe or a socket'};
    if (isOpenDatabase(through)) return {kind: 'refused', reason: openDatabaseReason};
    // O_NONBLOCK: a pipe may have replaced the file in the meantime, and opening it would block.
    const handle = await open(through, constants.O_RDONLY | constants.O_NONBLOCK | (constants.O_NOFOLLOW ?? 0));
    const opened = await handle.stat();
    const location = opened.isFile() ? await locateHandle(handle, opened, path) : 'no file';
    if (location === 'there') return {kind: 'file', handle, stats: opened};
    await handle.close();
    if (location === 'replaced') return {kind: 'replaced'};
    return location === 'no file' ? {kind: 'refused', reason: 'it changed while weft was opening it'} : linkRefusal;
  } catch (cause) {
    if (hasCode(cause, 'ENOENT')) return {kind: 'missing'};
    if (hasCode(cause, 'ENOTDIR')) return {kind: 'refused', reason: 'a part of its path is a file, not a folder'};
    if (hasCode(cause, 'EACCES', 'EPERM')) return {kind: 'refused', reason: 'permission denied'};
    if (hasCode(cause, 'ELOOP')) return linkRefusal;
    return {kind: 'refused', reason: causeText(cause)};
  }
}

const linkRefusal: OpenResult = {
  kind: 'refused',
  reason: 'a symbolic link has replaced it or one of its folders, and weft does not read through that link',
};

const linkLoopRefusal: OpenResult = {kind: 'refused', reason: 'its links form a loop'};

const isLinkLoop = async (path: string): Promise<boolean> =>
  stat(path).then(
    () => false,
    (cause: unknown) => hasCode(cause, 'ELOOP'),
  );

/** Returns whether the open file is at `path`. Linux tells where an open file is; elsewhere the path is resolved once more. */
async function locateHandle(
  handle: FileHandle,
  opened: Stats,
  path: string,
): Promise<'there' | 'replaced' | 'elsewhere'> {
  const handlePath = await pathOfHandle(handle);
  if (handlePath === path) return 'there';
  if (handlePath !== undefined) return handlePath === `${path} (deleted)` ? 'replaced' : 'elsewhere';
  if ((await realpath(path)) !== path) return 'elsewhere';
  const now = await lstat(path);
  return now.ino === opened.ino && now.dev === opened.dev ? 'there' : 'replaced';
}

/** Returns `undefined` if the system can't tell. */
export async function pathOfHandle(handle: FileHandle): Promise<string | undefined> {
  if (process.platform !== 'linux') return undefined;
  return readlink(`/proc/self/fd/${handle.fd}`).catch(() => undefined);
}

/** Returns a path to the open file itself if the system offers one, or else `path`. */
export const descriptorPath = (handle: FileHandle, path: string): string =>
  process.platform === 'linux' ? `/proc/self/fd/${handle.fd}` : path;

/**
 * Opens the file or folder at `path`, all links resolved, without blocking on a pipe. Throws EBUSY if a link has replaced a part of the
 * path.
 */
export function openExactPath(path: string): number {
  const handle = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  const location = process.platform === 'linux' ? readlinkSync(`/proc/self/fd/${handle}`) : realpathSync(path);
  if (location === path) return handle;
  closeSync(handle);
  throw Object.assign(new Error(`something else has replaced ${path}`), {code: 'EBUSY'});
}

/**
 * Returns the bytes of a regular file. Returns `undefined` for anything else, for a file of more than `maxSize` bytes, and for an
 * unreadable one. Opening never blocks, because a repository may contain a pipe or a device under any name.
 */
export function readRegularFile(
  path: string,
  maxSize: number,
  links: 'followed' | 'refused' = 'followed',
): Buffer | undefined {
  if (isOpenDatabase(path)) return undefined;
  const openFile = () =>
    links === 'refused' ? openExactPath(path) : openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  const handle = tryOr(openFile, undefined);
  if (handle === undefined) return undefined;
  try {
    const stats = fstatSync(handle);
    if (!stats.isFile() || stats.size > maxSize) return undefined;
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

/** Returns the bytes of a regular file as Latin-1 characters. Doesn't read pipes, devices, or files over 256 MB (the largest git index). */
export function readBytes(path: string): ReadBytes {
  try {
    const stats = statSync(path, {throwIfNoEntry: false});
    if (stats === undefined) return {kind: 'missing'};
    if (!stats.isFile() || stats.size > maxBytes || isOpenDatabase(path)) return {kind: 'unreadable'};
    // O_NONBLOCK: a pipe may have replaced the file in the meantime, and opening it would block.
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
