import {constants} from 'node:fs';
import {lstat, open, readlink, realpath, stat, type FileHandle} from 'node:fs/promises';
import type {Stats} from 'node:fs';
import {causeText} from '../../domain/fault.ts';

/** What lies at a path. */
export type Found =
  | {readonly kind: 'file'; readonly handle: FileHandle; readonly stats: Stats}
  | {readonly kind: 'directory'}
  | {readonly kind: 'missing'}
  | {readonly kind: 'refused'; readonly reason: string};

/** Times a file is opened anew when another one has taken its place at that moment, as editors do when they save. */
const mostTurns = 3;

/**
 * Opens the regular file at `path`, all links resolved, for reading; the caller closes it. Pipes, sockets and devices are refused
 * before they can make anybody wait. What is opened lies at that very path: a file that a link leads to, which has taken the place
 * of the file or of one of its folders since the path was resolved, is refused. `through` is another way to the same file: through
 * a folder that is held.
 */
export async function openRegular(path: string, through: string = path): Promise<Found> {
  for (let turn = 1; ; turn += 1) {
    const found = await openOnce(path, through);
    if (found.kind !== 'replaced') return found;
    if (turn === mostTurns) return {kind: 'refused', reason: 'it is replaced again and again while it is opened'};
  }
}

async function openOnce(path: string, through: string): Promise<Found | {readonly kind: 'replaced'}> {
  try {
    const stats = await lstat(through);
    if (stats.isSymbolicLink()) return (await isCircle(through)) ? circle : elsewhere;
    if (stats.isDirectory()) return {kind: 'directory'};
    if (!stats.isFile()) return {kind: 'refused', reason: 'it is a device, a pipe or a socket'};
    // Not waiting: what is at the path may have become a pipe since.
    const handle = await open(through, constants.O_RDONLY | constants.O_NONBLOCK | (constants.O_NOFOLLOW ?? 0));
    const opened = await handle.stat();
    const place = opened.isFile() ? await placeOf(handle, opened, path) : 'no file';
    if (place === 'there') return {kind: 'file', handle, stats: opened};
    await handle.close();
    switch (place) {
      case 'replaced':
        return {kind: 'replaced'};
      case 'no file':
        return {kind: 'refused', reason: 'it changed while it was opened'};
      default:
        return elsewhere;
    }
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
    if (code === 'ENOENT') return {kind: 'missing'};
    if (code === 'ENOTDIR') return {kind: 'refused', reason: 'a part of its path is a file, not a folder'};
    if (code === 'EACCES' || code === 'EPERM') return {kind: 'refused', reason: 'permission denied'};
    if (code === 'ELOOP') return elsewhere;
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
    (cause: unknown) => cause instanceof Error && 'code' in cause && cause.code === 'ELOOP',
  );

/** Where the open file lies: the system tells on Linux; elsewhere its path is followed once more. */
async function placeOf(handle: FileHandle, opened: Stats, path: string): Promise<'there' | 'replaced' | 'elsewhere'> {
  const told = await placeOfDescriptor(handle);
  if (told === path) return 'there';
  if (told !== undefined) return told === `${path} (deleted)` ? 'replaced' : 'elsewhere';
  if ((await realpath(path)) !== path) return 'elsewhere';
  const now = await lstat(path);
  return now.ino === opened.ino && now.dev === opened.dev ? 'there' : 'replaced';
}

/** `undefined` where the system does not tell. */
export async function placeOfDescriptor(handle: FileHandle): Promise<string | undefined> {
  if (process.platform !== 'linux') return undefined;
  return readlink(`/proc/self/fd/${handle.fd}`).catch(() => undefined);
}
