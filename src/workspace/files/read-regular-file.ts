import {closeSync, constants, fstatSync, openSync, readSync} from 'node:fs';

/**
 * The bytes of a regular file, links followed; `undefined` where there is something else, where it has more than `most` bytes or
 * cannot be read. Repositories may hold pipes and devices under any name: none of them makes anybody wait.
 */
export function readRegularFile(path: string, most: number): Buffer | undefined {
  let handle: number;
  try {
    handle = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
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
