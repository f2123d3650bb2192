import {constants} from 'node:fs';
import {mkdir, open, realpath, rmdir, type FileHandle} from 'node:fs/promises';
import {basename, dirname, join} from 'node:path';
import {placeOfDescriptor} from './open-regular.ts';

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
export const holdFolder = async (path: string): Promise<HeldFolder> => held(path, path);

/**
 * The same of a folder that is made where it is missing, with those around it, each in the one that holds it: a link that takes the
 * place of one of them leads nowhere. `made` are the new ones, the outermost first.
 */
export async function makeFolder(
  path: string,
): Promise<{readonly folder: HeldFolder; readonly made: readonly string[]}> {
  const missing: string[] = [];
  let at = path;
  let folder: HeldFolder | undefined;
  while (folder === undefined) {
    try {
      folder = await held(at, at);
    } catch (cause) {
      if (!hasCode(cause, 'ENOENT') || dirname(at) === at) throw cause;
      missing.unshift(basename(at));
      at = dirname(at);
    }
  }
  const made: string[] = [];
  try {
    for (const name of missing) {
      at = join(at, name);
      try {
        await mkdir(folder.at(name));
        made.push(at);
      } catch (cause) {
        if (!hasCode(cause, 'EEXIST')) throw cause;
      }
      const next = await held(at, folder.at(name));
      await folder.close();
      folder = next;
    }
    return {folder, made};
  } catch (cause) {
    await folder.close();
    await removeFolders(made);
    throw cause;
  }
}

/** Removes the innermost first; a folder that got other content stays, as does one that is not where it was. Never throws. */
export async function removeFolders(folders: readonly string[]): Promise<void> {
  for (const path of folders.toReversed()) {
    const folder = await holdFolder(dirname(path)).catch(() => undefined);
    await rmdir(folder?.at(basename(path)) ?? '').catch(() => {});
    await folder?.close();
  }
}

async function held(path: string, through: string): Promise<HeldFolder> {
  const handle = await openFolder(through);
  const real = handle === undefined ? undefined : await placeOfDescriptor(handle);
  if ((real ?? (await realpath(path))) !== path) {
    await handle?.close();
    throw new Error(`the folder ${path} is not where it was; something else has taken its place`);
  }
  const base = real === undefined || handle === undefined ? path : `/proc/self/fd/${handle.fd}`;
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
  try {
    return await open(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  } catch (cause) {
    if (!hasCode(cause, 'ENOTDIR') && !hasCode(cause, 'ELOOP')) throw cause;
    throw new Error(`the folder ${path} is not where it was; something else has taken its place`, {cause});
  }
}

const hasCode = (cause: unknown, code: string): boolean =>
  cause instanceof Error && 'code' in cause && cause.code === code;
