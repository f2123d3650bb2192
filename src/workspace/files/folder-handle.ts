import {randomBytes} from 'node:crypto';
import {closeSync, constants, openSync, readlinkSync, realpathSync} from 'node:fs';
import {type FileHandle, mkdir, open, readdir, realpath, rm, rmdir, stat} from 'node:fs/promises';
import {basename, dirname, join} from 'node:path';
import {hasCode} from '../../domain/fault.ts';
import {isRunning} from '../exec/process-table.ts';
import {pathOfHandle} from './regular-files.ts';

/**
 * An open folder. If the system allows it (/proc/self/fd), its files are reached through the open descriptor. So the
 * folder stays the one that was checked, wherever its path leads later.
 */
export interface FolderHandle extends AsyncDisposable {
  /** Returns the path of the file `name` in the folder. */
  at(name: string): string;
  /** Writes the folder's own entries to the disk (fsync) if the system can. */
  sync(): Promise<void>;
  /** True if the folder's path still leads to it. */
  isInPlace(): Promise<boolean>;
}

/** Opens the folder at `path`, all links resolved. Throws if a link has replaced a part of the path. */
export const openFolder = async (path: string): Promise<FolderHandle> => openHandle(path, path);

/**
 * Opens a folder, and creates it and its parents if they are missing. Each is created inside its open parent, so a link that replaces one
 * has no effect. `made` lists the new folders, outermost first.
 */
export async function makeAndOpenFolder(
  path: string,
): Promise<{readonly folder: FolderHandle; readonly made: readonly string[]}> {
  const missing: string[] = [];
  let at = path;
  let folder: FolderHandle | undefined;
  while (folder === undefined) {
    try {
      folder = await openHandle(at, at);
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
      const next = await openHandle(at, folder.at(name));
      await folder[Symbol.asyncDispose]();
      folder = next;
    }
    return {folder, made};
  } catch (cause) {
    await folder[Symbol.asyncDispose]();
    await removeFolders(made);
    throw cause;
  }
}

/** An open folder or file for synchronous callers. Opening it needs no read permission. */
export interface PathHandle extends Disposable {
  /** A path to the open file or folder itself. */
  readonly self: string;
  /** Returns the path of the file `name` in an open folder. */
  at(name: string): string;
}

/** Opens the file or folder at `path`, all links resolved. Throws if a link has replaced a part of the path. */
export function openPathHandle(path: string, kind: 'file' | 'folder'): PathHandle {
  if (process.platform !== 'linux') {
    if (realpathSync(path) !== path) throw replacedPathError(path);
    return {self: path, at: name => join(path, name), [Symbol.dispose]: () => {}};
  }
  const flags = pathOnly | constants.O_NOFOLLOW | (kind === 'folder' ? constants.O_DIRECTORY : 0);
  const descriptor = openSync(path, flags);
  const self = `/proc/self/fd/${descriptor}`;
  if (readlinkSync(self) !== path) {
    closeSync(descriptor);
    throw replacedPathError(path);
  }
  return {self, at: name => `${self}/${name}`, [Symbol.dispose]: () => closeSync(descriptor)};
}

/** Linux's O_PATH, which Node doesn't export. */
const pathOnly = 0o10000000;

const replacedPathError = (path: string, cause?: unknown): Error =>
  new Error(`something else has replaced the folder ${path}`, {cause});

/** Removes empty folders, innermost first. A folder that isn't empty, or was moved, stays. Never throws. */
export async function removeFolders(folders: readonly string[]): Promise<void> {
  for (const path of folders.toReversed()) {
    await using folder = await openFolder(dirname(path)).catch(() => undefined);
    await rmdir(folder?.at(basename(path)) ?? '').catch(() => {});
  }
}

async function openHandle(path: string, through: string): Promise<FolderHandle> {
  const handle = await openDirectory(through);
  const real = await pathOfHandle(handle);
  if ((real ?? (await realpath(path))) !== path) {
    await handle.close();
    throw replacedPathError(path);
  }
  const base = real === undefined ? path : `/proc/self/fd/${handle.fd}`;
  return {
    at: name => join(base, name),
    sync: async () => {
      await handle.sync().catch(() => {});
    },
    isInPlace: async () =>
      realpath(path).then(
        now => now === path,
        () => false,
      ),
    [Symbol.asyncDispose]: async () => {
      await handle.close();
    },
  };
}

async function openDirectory(path: string): Promise<FileHandle> {
  try {
    return await open(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  } catch (cause) {
    if (!hasCode(cause, 'ENOTDIR', 'ELOOP')) throw cause;
    throw replacedPathError(path, cause);
  }
}

/**
 * The age, in milliseconds, from which a temporary file counts as left behind. Its writer may run on another machine, so the pid alone
 * doesn't tell.
 */
const staleMs = 60_000;

const temporaryPattern = /^\.weft-(\d+)-[0-9a-f]{12}\.tmp$/u;

/** Returns a name for a file that replaces another one once complete. It contains the pid of the writing process. */
export const temporaryName = (): string => `.weft-${process.pid}-${randomBytes(6).toString('hex')}.tmp`;

/** Returns the pid in the name of a temporary file, or 0 if it is none. */
export const temporaryNamePid = (name: string): number =>
  Number((name.startsWith('.weft-') ? temporaryPattern.exec(name) : null)?.[1] ?? 0);

export const isTemporaryName = (name: string): boolean => temporaryNamePid(name) !== 0;

/** Removes temporary files that killed processes left in a folder. Never throws. */
export async function removeStaleTemporaryFiles(folder: {at(name: string): string}): Promise<void> {
  const names = await readdir(folder.at('.')).catch(() => []);
  for (const name of names) {
    const pid = temporaryNamePid(name);
    if (pid === 0 || isRunning(pid)) continue;
    const path = folder.at(name);
    const stats = await stat(path).catch(() => undefined);
    if (stats !== undefined && Date.now() - stats.mtimeMs > staleMs) await rm(path, {force: true}).catch(() => {});
  }
}
