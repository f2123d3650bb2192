import {closeSync, constants, fstatSync, openSync, readFileSync, statSync} from 'node:fs';
import type {ReadBytes} from '../../actions/ports.ts';

/** The bytes of a regular file as characters. Pipes and devices, and files larger than an index of git, are not read. */
export function readBytes(path: string): ReadBytes {
  try {
    const stats = statSync(path, {throwIfNoEntry: false});
    if (stats === undefined) return {kind: 'missing'};
    if (!stats.isFile() || stats.size > mostBytes) return {kind: 'unreadable'};
    // Not waiting: what is at the path may have become a pipe since.
    const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      return fstatSync(descriptor).isFile()
        ? {kind: 'text', text: readFileSync(descriptor, 'latin1')}
        : {kind: 'unreadable'};
    } finally {
      closeSync(descriptor);
    }
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
    return code === 'ENOTDIR' ? {kind: 'missing'} : {kind: 'unreadable'};
  }
}

const mostBytes = 256 * 1024 * 1024;
