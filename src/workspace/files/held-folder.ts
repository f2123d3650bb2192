import {constants} from 'node:fs';
import {open, readlink, realpath, type FileHandle} from 'node:fs/promises';
import {join} from 'node:path';

/**
 * A folder that stays the one it was when it was checked, whatever its path leads to meanwhile: where the system offers it,
 * its files are reached through the open folder itself.
 */
export interface HeldFolder {
  /** The path by which to reach `name` in it. */
  at(name: string): string;
  /** Puts the folder's own entries on the disk, where the system can. */
  sync(): Promise<void>;
  /** Whether its path still leads to it. */
  isInPlace(): Promise<boolean>;
  close(): Promise<void>;
}

/** Opens the folder at `path`, all links resolved; throws where a link has taken the place of a part of it. */
export async function holdFolder(path: string): Promise<HeldFolder> {
  const handle = await openFolder(path);
  const through = handle === undefined ? undefined : `/proc/self/fd/${handle.fd}`;
  const real = through === undefined ? undefined : await readlink(through).catch(() => undefined);
  if ((real ?? (await realpath(path))) !== path) {
    await handle?.close();
    throw new Error(`the folder ${path} is not where it was; something else has taken its place`);
  }
  const base = real === undefined || through === undefined ? path : through;
  return {
    at: name => join(base, name),
    sync: async () => {
      await handle?.sync().catch(() => {});
    },
    isInPlace: async () =>
      realpath(path).then(
        now => now === path,
        () => false,
      ),
    close: async () => {
      await handle?.close();
    },
  };
}

/** `undefined` where folders cannot be opened, as on Windows. */
async function openFolder(path: string): Promise<FileHandle | undefined> {
  if (process.platform === 'win32') return undefined;
  return open(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
}
