import {randomBytes} from 'node:crypto';
import {closeSync, constants, openSync, readlinkSync, realpathSync} from 'node:fs';
import {type FileHandle, mkdir, open, readdir, realpath, rm, rmdir, stat} from 'node:fs/promises';
import {basename, dirname, join} from 'node:path';
import {hasCode} from '../../domain/fault.ts';
import {isRunning} from '../exec/process-table.ts';
import {pathOfHandle} from './regular-files.ts';

/**
 * An open folder. Its files are reached through the open descriptor where the system offers that (/proc/self/fd), so the folder stays
 * the one that was checked, whatever its path leads to meanwhile.
 */
export interface FolderHandle extends AsyncDisposable {
  /** The path of the file `name` in the folder. */
  at(name: string): string;
  /** Writes the folder's own entries to the disk (fsync), where the system can. */
  sync(): Promise<void>;
  /** Whether the folder's path still leads to it. */
  isInPlace(): Promise<boolean>;
}

/** Opens the folder at `path`, all links resolved; throws where a link has taken the place of a part of it. */
export const openFolder = async (path: string): Promise<FolderHandle> => held(path, path);

/**
 * Opens a folder, and makes it and the folders around it where they are missing. Each is made inside the open folder above it, so a
 * link that takes the place of one of them has no effect. `made` are the new folders, the outermost first.
 */
export async function makeAndOpenFolder(
  path: string,
): Promise<{readonly folder: FolderHandle; readonly made: readonly string[]}> {
  const missing: string[] = [];
  let at = path;
  let folder: FolderHandle | undefined;
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

/** An open folder or file for callers that cannot wait. Opening it needs no permission for what it holds. */
export interface HeldPath extends Disposable {
  /** A path of what is open itself. */
  readonly self: string;
  /** The path of the file `name` in an open folder. */
  at(name: string): string;
}

/** Opens what lies at `path`, all links resolved; throws if a link has taken the place of a part of the path. */
export function holdPath(path: string, kind: 'file' | 'folder'): HeldPath {
  if (process.platform !== 'linux') {
    if (realpathSync(path) !== path) throw takenPlace(path);
    return {self: path, at: name => join(path, name), [Symbol.dispose]: () => {}};
  }
  const flags = pathOnly | constants.O_NOFOLLOW | (kind === 'folder' ? constants.O_DIRECTORY : 0);
  const descriptor = openSync(path, flags);
  const self = `/proc/self/fd/${descriptor}`;
  if (readlinkSync(self) !== path) {
    closeSync(descriptor);
    throw takenPlace(path);
  }
  return {self, at: name => `${self}/${name}`, [Symbol.dispose]: () => closeSync(descriptor)};
}

/** O_PATH of Linux, which Node does not name. */
const pathOnly = 0o10000000;

const takenPlace = (path: string, cause?: unknown): Error =>
  new Error(`the folder ${path} is not where it was; something else has taken its place`, {cause});

/** Removes empty folders, the innermost first. A folder that is not empty, or that was moved, stays. Never throws. */
export async function removeFolders(folders: readonly string[]): Promise<void> {
  for (const path of folders.toReversed()) {
    await using folder = await openFolder(dirname(path)).catch(() => undefined);
    await rmdir(folder?.at(basename(path)) ?? '').catch(() => {});
  }
}

async function held(path: string, through: string): Promise<FolderHandle> {
  const handle = await openDirectory(through);
  const real = handle === undefined ? undefined : await pathOfHandle(handle);
  if ((real ?? (await realpath(path))) !== path) {
    await handle?.close();
    throw takenPlace(path);
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
    [Symbol.asyncDispose]: async () => {
      await handle?.close();
    },
  };
}

/** `undefined` where folders cannot be opened, as on Windows. */
async function openDirectory(path: string): Promise<FileHandle | undefined> {
  if (process.platform === 'win32') return undefined;
  try {
    return await open(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  } catch (cause) {
    if (!hasCode(cause, 'ENOTDIR', 'ELOOP')) throw cause;
    throw takenPlace(path, cause);
  }
}

/** Milliseconds after which a temporary file counts as left behind. Its writer may run on another machine, so its pid alone does not tell. */
const staleMs = 60_000;

const form = /^\.weft-(\d+)-[0-9a-f]{12}\.tmp$/u;

/** A name for a file that replaces another one when it is complete. The name holds the pid of the process that writes the file. */
export const temporaryName = (): string => `.weft-${process.pid}-${randomBytes(6).toString('hex')}.tmp`;

export const isTemporaryName = (name: string): boolean => name.startsWith('.weft-') && form.test(name);

/** Removes temporary files that killed processes have left in a folder. Never throws. */
export async function removeStaleTemporaryFiles(folder: {at(name: string): string}): Promise<void> {
  const names = await readdir(folder.at('.')).catch(() => []);
  for (const name of names) {
    const pid = Number((name.startsWith('.weft-') ? form.exec(name) : null)?.[1] ?? 0);
    if (pid === 0 || isRunning(pid)) continue;
    const path = folder.at(name);
    const stats = await stat(path).catch(() => undefined);
    if (stats !== undefined && Date.now() - stats.mtimeMs > staleMs) await rm(path, {force: true}).catch(() => {});
  }
}
