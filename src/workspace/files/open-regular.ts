import {constants} from 'node:fs';
import {open, stat, type FileHandle} from 'node:fs/promises';
import type {Stats} from 'node:fs';
import {causeText} from '../../domain/fault.ts';

/** What lies at a path. */
export type Found =
  | {readonly kind: 'file'; readonly handle: FileHandle; readonly stats: Stats}
  | {readonly kind: 'directory'}
  | {readonly kind: 'missing'}
  | {readonly kind: 'refused'; readonly reason: string};

/**
 * Opens a regular file for reading; the caller closes it. Pipes, sockets and devices are refused before they can make
 * anybody wait.
 */
export async function openRegular(path: string): Promise<Found> {
  try {
    const stats = await stat(path);
    if (stats.isDirectory()) return {kind: 'directory'};
    if (!stats.isFile()) return {kind: 'refused', reason: 'it is a device, a pipe or a socket'};
    // Not waiting: what is at the path may have become a pipe since.
    const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const opened = await handle.stat();
    if (opened.isFile()) return {kind: 'file', handle, stats: opened};
    await handle.close();
    return {kind: 'refused', reason: 'it changed while it was opened'};
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
    if (code === 'ENOENT') return {kind: 'missing'};
    if (code === 'ENOTDIR') return {kind: 'refused', reason: 'a part of its path is a file, not a folder'};
    if (code === 'EACCES' || code === 'EPERM') return {kind: 'refused', reason: 'permission denied'};
    if (code === 'ELOOP') return {kind: 'refused', reason: 'its links lead in a circle'};
    return {kind: 'refused', reason: causeText(cause)};
  }
}
