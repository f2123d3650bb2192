import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fsyncSync,
  futimesSync,
  lchownSync,
  linkSync,
  openSync,
  readSync,
  renameSync,
  rmdirSync,
  rmSync,
  chmodSync,
  symlinkSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import {hasCode} from '../../../domain/fault.ts';
import type {AppliedChanges} from '../../../actions/changes-port.ts';
import {temporaryName} from '../../files/folder-handle.ts';
import type {HeldEntry, HeldSet} from './held-set.ts';
import {Conflict, OpenFolders} from './open-folders.ts';
import {byTree, folderOf, joinBytes, nameOf, type PathBytes, toBytes, toNative} from './path-bytes.ts';
import {makeYield, nodeAt, type Node, openToRead} from './scan-layer.ts';

type Dropped = AppliedChanges['dropped'][number];

/** `all-or-nothing`: if one change fails, none is applied. `again`: a part was applied before weft was killed. */
export type ApplyMode = 'each' | 'all-or-nothing' | 'again';

/** The maximum number of files to sync one by one (fsync). More files come from a package manager, which can install them again. */
const maxSynced = 200;

/** The maximum number of bytes of a replaced file that weft copies. A file that is moved instead keeps an attribute of overlayfs. */
const maxCopied = 64 * 1024 * 1024;

/**
 * Applies changes to the real folders. Each file is either old or new at every moment. A file that changed since the
 * layer was read stays unchanged. Never follows a link. If the process is killed, applying the changes again completes
 * the work.
 */
export async function applyEntries(
  chosen: readonly HeldEntry[],
  set: HeldSet,
  {how, signal}: {readonly how: ApplyMode; readonly signal: AbortSignal},
): Promise<AppliedChanges> {
  const work = new Apply(chosen, set, how);
  const pause = makeYield(signal);
  try {
    if (how === 'all-or-nothing') await work.check(pause);
    if (work.canContinue()) await work.run(pause);
  } catch (cause) {
    if (!signal.aborted) throw cause;
    for (const entry of chosen) if (!work.done.has(entry)) work.failures.set(entry, 'interrupted');
  } finally {
    work.end();
  }
  const {done, failures} = work;
  return {
    applied: work.canContinue() ? chosen.filter(entry => done.has(entry)).map(({change}) => change) : [],
    dropped: [...failures].map(([{change}, why]) => ({change, why})),
  };
}

interface LayerWork {
  readonly lower: PathBytes;
  readonly upper: PathBytes;
  readonly entries: readonly HeldEntry[];
  readonly goneFolders: readonly PathBytes[];
  readonly folders: OpenFolders;
}

/** A path in an open folder. */
interface OpenPath {
  readonly layer: LayerWork;
  readonly path: PathBytes;
}

class Apply {
  readonly done = new Set<HeldEntry>();
  readonly failures = new Map<HeldEntry, Dropped['why']>();
  readonly #how: ApplyMode;
  readonly #layers: readonly LayerWork[];
  readonly #syncs: boolean;
  /** How to undo each step, and how to delete what was saved for that. */
  readonly #undo: {readonly back: () => void; readonly forget: () => void}[] = [];

  constructor(chosen: readonly HeldEntry[], set: HeldSet, how: ApplyMode) {
    this.#how = how;
    this.#syncs = chosen.filter(({change}) => change.class === 'file').length <= maxSynced;
    this.#layers = set.layers.map(({lower, upper}, index) => {
      const forLayer = <T extends {readonly layer: number}>(all: readonly T[]): readonly T[] =>
        all.filter(({layer}) => layer === index);
      return {
        lower: toBytes(lower),
        upper: toBytes(upper),
        entries: forLayer(chosen).toSorted((a, b) => byTree(a.at, b.at)),
        goneFolders: forLayer(set.goneFolders).map(({at}) => at),
        folders: new OpenFolders(lower, {
          newFolders: forLayer(set.newFolders),
          locked: forLayer(set.lockedFolders),
          repeats: how === 'again',
        }),
      };
    });
  }

  /** Whether to continue: one failure ends an all-or-nothing apply. */
  canContinue(): boolean {
    return this.#how !== 'all-or-nothing' || this.failures.size === 0;
  }

  /** Looks for conflicts without changing anything. */
  async check(pause: () => Promise<void> | undefined): Promise<void> {
    for (const {lower, entries} of this.#layers) {
      for (const entry of entries) {
        await pause();
        const now = nodeAt(toNative(joinBytes(lower, entry.at)));
        if (entry.changedMeanwhile || !isUnchanged(now, entry.was)) this.failures.set(entry, 'conflict');
      }
    }
  }

  async run(pause: () => Promise<void> | undefined): Promise<void> {
    for (const layer of this.#layers) {
      const {entries, folders} = layer;
      const removals = entries.filter(({is}) => is.kind === 'none').toReversed();
      const modeChanges = entries.filter(({was, is}) => was.kind === 'folder' && is.kind === 'folder').toReversed();
      const writes = entries.filter(
        ({was, is}) => is.kind !== 'none' && (is.kind !== 'folder' || was.kind !== 'folder'),
      );
      for (const entry of removals) {
        await pause();
        this.#attempt(entry, layer, path => this.#remove(entry, {layer, path}));
      }
      for (const at of removals.length === 0 ? [] : layer.goneFolders) {
        await pause();
        this.#removeFolder(at, layer);
      }
      for (const entry of writes) {
        await pause();
        this.#attempt(entry, layer, path => this.#put(entry, {layer, path}));
      }
      folders.close();
      for (const entry of modeChanges) {
        await pause();
        this.#attempt(entry, layer, () => this.#setMode(entry, layer));
      }
      folders.close();
    }
  }

  /** Undoes all steps if an all-or-nothing apply failed. */
  end(): void {
    const isUndone = !this.canContinue();
    for (const {back, forget} of this.#undo.toReversed()) {
      try {
        if (isUndone) back();
        else forget();
      } catch {
        // Another process has changed the path since, so leave it alone.
      }
    }
    for (const {folders} of this.#layers) folders.close();
  }

  #attempt(entry: HeldEntry, {folders}: LayerWork, work: (path: PathBytes) => void): void {
    if (!this.canContinue()) return;
    try {
      if (entry.changedMeanwhile) throw new Conflict();
      work(`${folders.open(folderOf(entry.at))}/${nameOf(entry.at)}`);
      if (this.#syncs && entry.change.class === 'file') folders.sync();
      this.done.add(entry);
    } catch (cause) {
      this.failures.set(entry, isConflict(cause) ? 'conflict' : 'failed');
    }
  }

  #remove(entry: HeldEntry, place: OpenPath): void {
    const now = nodeAt(toNative(place.path));
    if (now.kind === 'none') return;
    if (!isUnchanged(now, entry.was)) throw new Conflict();
    if (now.kind === 'folder') this.#removeEmpty(entry.at, place, now.mode);
    else {
      this.#keepOld(entry, place);
      unlinkSync(toNative(place.path));
    }
  }

  /** Removes a folder that the view no longer has, unless something is left in it. */
  #removeFolder(at: PathBytes, layer: LayerWork): void {
    if (!this.canContinue()) return;
    try {
      const path = `${layer.folders.open(folderOf(at))}/${nameOf(at)}`;
      const {kind, mode} = nodeAt(toNative(path));
      if (kind === 'folder') this.#removeEmpty(at, {layer, path}, mode);
    } catch {
      // The folder still contains something that is kept.
    }
  }

  #removeEmpty(at: PathBytes, {layer, path}: OpenPath, mode: number): void {
    rmdirSync(toNative(path));
    this.#addUndo(() => layer.folders.restore(at, mode));
  }

  #put(entry: HeldEntry, place: OpenPath): void {
    const {was, is, at} = entry;
    const {layer, path} = place;
    const source = joinBytes(layer.upper, at);
    const isFresh = layer.folders.isFresh(folderOf(at));
    const now = isFresh ? undefined : nodeAt(toNative(path));
    if (now !== undefined && !isUnchanged(now, was)) {
      // An interrupted apply has already done this.
      if (now.inode === is.inode) return rmSync(toNative(source), {force: true});
      if (now.kind !== 'folder' || is.kind !== 'folder') throw new Conflict();
      layer.folders.open(at);
      return;
    }
    if (now?.kind === 'folder') this.#removeEmpty(at, place, now.mode);
    if (is.kind === 'folder') {
      if (now !== undefined && (now.kind === 'file' || now.kind === 'link')) {
        this.#keepOld(entry, place);
        unlinkSync(toNative(path));
      }
      layer.folders.open(at);
      return;
    }
    const isReplaced = now !== undefined && (now.kind === 'file' || now.kind === 'link');
    if (isReplaced) this.#keepOld(entry, place);
    if (isReplaced && is.kind === 'file' && entry.change.class === 'file' && is.size <= maxCopied) {
      this.#copy(entry, {source, place});
      return;
    }
    if (is.kind === 'file') this.#sync(entry, source);
    if (was.kind === 'file') copyOwner(source, was);
    try {
      if (isReplaced || isFresh) renameSync(toNative(source), toNative(path));
      else moveNew(source, path);
      if (!isReplaced) this.#addUndo(() => renameSync(toNative(this.#pathIn(entry, layer)), toNative(source)));
    } catch (cause) {
      if (!hasCode(cause, 'EXDEV')) throw cause;
      this.#copy(entry, {source, place});
    }
  }

  /** Writes the new content beside the old file, then replaces the old file. */
  #copy(
    entry: HeldEntry,
    {source, place: {layer, path}}: {readonly source: PathBytes; readonly place: OpenPath},
  ): void {
    const fresh = joinBytes(folderOf(path), temporaryName());
    try {
      if (entry.is.kind === 'link') symlinkSync(toNative(entry.target), toNative(fresh));
      else this.#copyFile(entry, source, fresh);
      if (entry.was.kind === 'none') {
        linkSync(toNative(fresh), toNative(path));
        unlinkSync(toNative(fresh));
      } else renameSync(toNative(fresh), toNative(path));
    } catch (cause) {
      rmSync(toNative(fresh), {force: true});
      throw cause;
    }
    if (entry.was.kind === 'none') this.#addUndo(() => unlinkSync(toNative(this.#pathIn(entry, layer))));
  }

  #copyFile({was, is, change}: HeldEntry, source: PathBytes, to: PathBytes): void {
    const from = openToRead(source, is);
    if (from === undefined) throw new Error('its new content cannot be read');
    const handle = openSync(toNative(to), constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
    try {
      const chunk = Buffer.allocUnsafe(1024 * 1024);
      for (let length = -1; length !== 0;) {
        length = readSync(from, chunk, 0, chunk.length, null);
        for (let written = 0; written < length;) written += writeSync(handle, chunk, written, length - written);
      }
      const owner = was.kind === 'file' ? was : is;
      try {
        fchownSync(handle, owner.user, owner.group);
      } catch {
        // If the owner can't be kept, the file becomes this user's. The file keeps its permissions.
      }
      fchmodSync(handle, is.mode);
      const seconds = Number(is.modifiedNs) / 1e9;
      futimesSync(handle, seconds, seconds);
      if (this.#syncs && change.class === 'file') fsyncSync(handle);
    } finally {
      closeSync(handle);
      closeSync(from);
    }
  }

  #sync({is, change}: HeldEntry, source: PathBytes): void {
    if (!this.#syncs || change.class !== 'file') return;
    const handle = openToRead(source, is);
    if (handle === undefined) return;
    try {
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
  }

  #setMode({at, was, is}: HeldEntry, {folders}: LayerWork): void {
    const path = folders.open(at);
    const {mode} = nodeAt(`${path}/.`);
    if (mode !== is.mode && mode !== was.mode) throw new Conflict();
    folders.leaveWith(is.mode);
    this.#addUndo(() => chmodSync(toNative(folders.open(at)), was.mode));
  }

  /** Links the old file under another name in the top folder, which always exists, until the apply can no longer be undone. */
  #keepOld(entry: HeldEntry, {layer, path}: OpenPath): void {
    if (this.#how !== 'all-or-nothing') return;
    const name = temporaryName();
    linkSync(toNative(path), toNative(`${layer.folders.top()}/${name}`));
    const forget = (): void => rmSync(`${layer.folders.top()}/${name}`, {force: true});
    this.#undo.push({
      back: () => {
        const place = this.#pathIn(entry, layer);
        const source = joinBytes(layer.upper, entry.at);
        // A file that was moved here goes back to the upper folder, so that it can be applied later.
        if (nodeAt(toNative(place)).inode === entry.is.inode && entry.is.kind !== 'none')
          linkSync(toNative(place), toNative(source));
        renameSync(`${layer.folders.top()}/${name}`, toNative(place));
        // Renaming has no effect if both names are the same file.
        forget();
      },
      forget,
    });
  }

  #addUndo(back: () => void): void {
    if (this.#how === 'all-or-nothing') this.#undo.push({back, forget: () => {}});
  }

  readonly #pathIn = (entry: HeldEntry, {folders}: LayerWork): PathBytes =>
    `${folders.open(folderOf(entry.at))}/${nameOf(entry.at)}`;
}

/** Whether a path is unchanged since the layer was read. A folder's content may have changed. */
function isUnchanged(now: Node, was: Node): boolean {
  if (now.kind === 'none' || now.kind === 'folder')
    return now.kind === was.kind || (now.kind === 'none' && was.kind === 'folder');
  if (now.kind !== was.kind || now.inode !== was.inode || now.size !== was.size || now.mode !== was.mode) return false;
  // Deleting another name of the file changes its ctime. This apply may have done that.
  return was.names > 1 ? now.modifiedNs === was.modifiedNs : now.changedNs === was.changedNs;
}

/** Moves a file to an unused name. */
function moveNew(source: PathBytes, path: PathBytes): void {
  try {
    linkSync(toNative(source), toNative(path));
  } catch (cause) {
    // Some file systems have no hard links.
    if (!hasCode(cause, 'EPERM', 'ENOTSUP', 'EMLINK', 'ENOSYS')) throw cause;
    renameSync(toNative(source), toNative(path));
    return;
  }
  unlinkSync(toNative(source));
}

/** Gives a file the owner of the file that it replaces, if this user may. */
function copyOwner(path: PathBytes, {user, group}: Node): void {
  const now = nodeAt(toNative(path));
  if (now.user === user && now.group === group) return;
  try {
    lchownSync(toNative(path), user, group);
  } catch {
    // The file becomes this user's.
  }
}

/** Whether a step failed because something else is at its path. */
const isConflict = (cause: unknown): boolean =>
  cause instanceof Conflict || hasCode(cause, 'EEXIST', 'ENOENT', 'ENOTDIR', 'EISDIR', 'ENOTEMPTY', 'ELOOP');
