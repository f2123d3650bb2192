import {chmodSync, closeSync, constants, fsyncSync, mkdirSync, openSync, readlinkSync, utimesSync} from 'node:fs';
import {hasCode} from '../../../domain/fault.ts';
import {folderOf, nameOf, type PathBytes, toNative} from './path-bytes.ts';
import type {LockedFolder, NewFolder} from './scan-layer.ts';

/** Thrown if a path holds something other than what the command saw. */
export class Conflict extends Error {}

interface OpenFolder {
  readonly at: PathBytes;
  readonly handle: number;
  /** The mode and modification time to set when the work in the folder is done; `undefined` keeps them. */
  leave: {readonly mode: number; readonly modifiedNs: string | undefined} | undefined;
  needsSync: boolean;
}

/** Opens a folder only to reach its content (open(2)), whatever its permissions. Node has no name for the flag. */
const O_PATH = 0o10000000;
const folderFlags = O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/**
 * The folders of one layer, reached from its top through open folders, so a link that replaces one leads nowhere. The
 * folders on the path to the last one stay open, so work in tree order opens each folder once.
 */
export class OpenFolders {
  readonly #top: string;
  readonly #repeats: boolean;
  readonly #newFolders: ReadonlyMap<PathBytes, NewFolder>;
  readonly #locked: ReadonlyMap<PathBytes, LockedFolder>;
  readonly #open: OpenFolder[] = [];
  readonly #made = new Set<PathBytes>();

  /** `repeats`: an interrupted apply may have created some of the new folders. */
  constructor(
    top: string,
    {
      newFolders,
      locked,
      repeats,
    }: {
      readonly newFolders: readonly NewFolder[];
      readonly locked: readonly LockedFolder[];
      readonly repeats: boolean;
    },
  ) {
    this.#top = top;
    this.#repeats = repeats;
    this.#newFolders = new Map(newFolders.map(folder => [folder.at, folder]));
    this.#locked = new Map(locked.map(folder => [folder.at, folder]));
  }

  /** Returns a path to the open folder. Creates a folder that is new in the view. Throws a `Conflict` if something else is there. */
  open(at: PathBytes): PathBytes {
    let last = this.#open.at(-1);
    while (last !== undefined && !(last.at === '' || last.at === at || at.startsWith(`${last.at}/`))) {
      this.#leave();
      last = this.#open.at(-1);
    }
    if (last?.at === at) return pathOf(last.handle);
    if (last === undefined) {
      this.#enterTop();
      return this.open(at);
    }
    const next = at.slice(last.at === '' ? 0 : last.at.length + 1).split('/', 1)[0] ?? '';
    this.#enter(last.handle, last.at === '' ? next : `${last.at}/${next}`);
    return this.open(at);
  }

  /** Returns a path to the top folder. The current folder stays open. */
  top(): PathBytes {
    if (this.#open.length === 0) this.#enterTop();
    return pathOf(this.#open[0]?.handle ?? -1);
  }

  /** Whether this object created the folder, so that it contains nothing of other processes. */
  isFresh(at: PathBytes): boolean {
    return this.#made.has(at);
  }

  /** Marks the current folder to be synced to the disk with its names. */
  sync(): void {
    const last = this.#open.at(-1);
    if (last !== undefined) last.needsSync = true;
  }

  /** Sets the mode that the current folder gets when the work in it is done. */
  leaveWith(mode: number): void {
    const last = this.#open.at(-1);
    if (last !== undefined) last.leave = {mode, modifiedNs: undefined};
  }

  /** Creates a removed folder again. */
  restore(at: PathBytes, mode: number): void {
    const path = `${this.open(folderOf(at))}/${nameOf(at)}`;
    makeFolder(path);
    this.open(at);
    this.leaveWith(mode);
  }

  /** Ends the work and sets the mode and time of each folder. */
  close(): void {
    while (this.#open.length > 0) this.#leave();
  }

  #enterTop(): void {
    const handle = openSync(this.#top, folderFlags);
    if (readlinkSync(pathOf(handle)) !== this.#top) {
      closeSync(handle);
      throw new Conflict();
    }
    this.#entered('', handle, undefined);
  }

  #enter(above: number, at: PathBytes): void {
    const path = `${pathOf(above)}/${nameOf(at)}`;
    const fresh = this.#newFolders.get(at);
    const isMade = fresh !== undefined && makeFolder(path);
    if (isMade) this.#made.add(at);
    this.#entered(at, openSync(toNative(path), folderFlags), isMade || this.#repeats ? fresh : undefined);
  }

  #entered(at: PathBytes, handle: number, fresh: NewFolder | undefined): void {
    const locked = this.#locked.get(at);
    const leave = fresh ?? (locked === undefined ? undefined : {mode: locked.mode, modifiedNs: undefined});
    this.#open.push({at, handle, leave, needsSync: false});
    if (locked !== undefined) chmodSync(pathOf(handle), locked.mode | 0o700);
  }

  #leave(): void {
    const folder = this.#open.pop();
    if (folder === undefined) return;
    const path = pathOf(folder.handle);
    try {
      if (folder.leave !== undefined) chmodSync(path, folder.leave.mode);
      if (folder.leave?.modifiedNs !== undefined) {
        const seconds = Number(folder.leave.modifiedNs) / 1e9;
        utimesSync(path, seconds, seconds);
      }
      if (folder.needsSync) syncFolder(path);
    } catch {
      // The folder belongs to another user.
    } finally {
      closeSync(folder.handle);
    }
  }
}

const pathOf = (handle: number): PathBytes => `/proc/self/fd/${handle}`;

/** Creates a folder. Returns whether it was missing. */
function makeFolder(path: PathBytes): boolean {
  try {
    mkdirSync(toNative(path), 0o700);
    return true;
  } catch (cause) {
    if (hasCode(cause, 'EEXIST')) return false;
    throw cause;
  }
}

function syncFolder(path: PathBytes): void {
  const handle = openSync(`${path}/.`, constants.O_RDONLY);
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
