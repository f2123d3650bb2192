import {createCipheriv, createHash, hash, randomUUID} from 'node:crypto';
import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import {dirname, join} from 'node:path';
import {tryOr} from '../../base/outcome.ts';
import {makeFolders} from '../../config/make-folders.ts';
import {entryNames} from '../files/list-folder.ts';
import {openExactPath} from '../files/regular-files.ts';
import {gitBlobNameOf, isGitBlobName, openGitBlobs} from './git-blobs.ts';

/**
 * Stores content by its hash. Passes on errors of the file system.
 *
 * A workspace may contain secrets, and none may end up on the disk a second time as plain text. So everything that fits
 * into memory is encrypted with its own hash as the key. The names of trees, which lead to all hashes, are in the same
 * user's session database. This hides values from searches, indexes and backups of the folder, but not from someone who
 * can read all of weft's data. Only this user can read the objects.
 */
export interface ObjectStore {
  put(bytes: Uint8Array | string): string;
  /** Stores a file's current content. */
  putFile(path: string): string;
  /** Returns `undefined` if the object is missing or damaged. */
  get(name: string): Buffer | undefined;
  /** Allows names of git blobs from this repository. */
  addRepository(gitFolder: string): void;
  /** Copies the named blobs that git holds into the store, all at once. */
  fetch(names: readonly string[]): void;
  /**
   * Writes the content to `target`, which must not exist. Returns `false` if the object is missing or damaged. Damage to large files isn't
   * detected.
   */
  copyTo(name: string, target: string): boolean;
  /** Writes all objects to the disk. Call it before handing out a name: until then objects may be in memory only. */
  flush(): void;
  /** Returns the stored size in bytes; 0 if there is no such object. */
  sizeOf(name: string): number;
  /** Forgets which objects there are, because some may have been deleted. */
  forget(): void;
  /** Deletes all objects except those with these file names (see `objectFileName`). */
  sweep(keep: ReadonlySet<string>, pause: () => Promise<void>): Promise<void>;
  /**
   * Joins loose objects and small packs into larger packs. Other processes may use the objects meanwhile. If weft is killed, no
   * object is lost: at worst one is stored twice, until the next sweep.
   */
  join(pause: () => Promise<void>): Promise<void>;
}

/** The size, in bytes, up to which a file is read at once. */
const maxWholeBytes = 16 * 1024 * 1024;

/** The maximum number of blobs from git to hold in memory at a time. */
const maxFetched = 200;

/**
 * The maximum number of bytes of pending objects in memory, and the maximum number of objects that are written to separate
 * files instead of a pack.
 */
const maxPendingBytes = 32 * 1024 * 1024;
const maxLooseObjects = 8;

/** The prefix for names of unfinished files, and the milliseconds after which such a file counts as left behind. */
const unfinishedPrefix = 'new-';
const staleMs = 24 * 60 * 60 * 1000;

/**
 * Opens a folder of objects: objects stored together are in a pack, others are loose, in their own files. A file that
 * has its final name is complete, even if a process is killed at any moment. Several processes may add to the folder at
 * once.
 */
export function openObjects(folder: string, environment: NodeJS.ProcessEnv): ObjectStore {
  const blobs = openGitBlobs(join(folder, 'repositories.json'), environment);
  const known = new Set<string>();
  const temporary = (): string => join(folder, `${unfinishedPrefix}${randomUUID()}`);
  const packs = openPacks(join(folder, 'packs'), temporary);
  /** Encrypted objects that aren't on the disk yet, by file name. */
  const pending = new Map<string, Buffer>();
  let pendingBytes = 0;

  const has = (name: string): boolean => {
    if (known.has(name)) return true;
    const fileName = objectFileName(name);
    if (packs.sizeOf(fileName) === undefined && !existsSync(loosePath(folder, fileName))) return false;
    known.add(name);
    return true;
  };
  const put = (bytes: Uint8Array | string): string => {
    const name = hash('sha256', bytes, 'hex');
    if (has(name)) return name;
    storeObject(name, bytes);
    return name;
  };
  const storeObject = (name: string, bytes: Uint8Array | string): void => {
    const stored = applyCipher(bytes, name);
    pending.set(objectFileName(name), stored);
    pendingBytes += stored.length;
    known.add(name);
    if (pendingBytes > maxPendingBytes) flush();
  };
  const flush = (): void => {
    if (pending.size === 0) return;
    mkdirOnce();
    if (pending.size > maxLooseObjects) packs.add(pending, {flush: false});
    else for (const [fileName, bytes] of pending) writeLoose(fileName, bytes);
    pending.clear();
    pendingBytes = 0;
  };
  const writeLoose = (fileName: string, bytes: Buffer): void => {
    const from = temporary();
    removeOnError(from, () => {
      writeFileSync(from, bytes, {flag: 'wx', mode: 0o600});
      moveIntoPlace(from, loosePath(folder, fileName));
    });
  };
  const stored = (fileName: string): Buffer | undefined =>
    pending.get(fileName) ?? packs.read(fileName) ?? readIfPresent(loosePath(folder, fileName));
  let made = false;
  const mkdirOnce = (): void => {
    if (made) return;
    makeFolders(folder);
    removeStaleFiles(folder);
    made = true;
  };

  return {
    put,
    putFile(path) {
      const handle = openExactPath(path);
      try {
        if (fstatSync(handle).size <= maxWholeBytes) return put(readFileSync(handle));
        mkdirOnce();
        const from = temporary();
        return removeOnError(from, () => {
          const name = copyHashed(handle, from);
          if (has(name)) rmSync(from);
          else moveIntoPlace(from, loosePath(folder, objectFileName(name)));
          known.add(name);
          return name;
        });
      } finally {
        closeSync(handle);
      }
    },
    addRepository: gitFolder => blobs.addRepository(gitFolder),
    fetch(names) {
      const wanted = names.filter(name => isGitBlobName(name) && !has(name));
      for (let at = 0; at < wanted.length; at += maxFetched) {
        for (const [name, bytes] of blobs.read(wanted.slice(at, at + maxFetched))) storeObject(name, bytes);
      }
    },
    get(name) {
      if (isGitBlobName(name) && !has(name)) return blobs.read([name]).get(name);
      const fileName = objectFileName(name);
      let bytes = stored(fileName);
      if (bytes === undefined) {
        packs.refresh();
        bytes = stored(fileName);
      }
      if (bytes === undefined) return undefined;
      const content = applyCipher(bytes, name);
      return contentName(content, name) === name ? content : undefined;
    },
    copyTo(name, target) {
      const file = loosePath(folder, objectFileName(name));
      const size = isGitBlobName(name) ? 0 : (statSync(file, {throwIfNoEntry: false})?.size ?? 0);
      if (size <= maxWholeBytes) {
        const bytes = this.get(name);
        if (bytes !== undefined) writeFileSync(target, bytes, {flag: 'wx', mode: 0o600});
        return bytes !== undefined;
      }
      copyFileSync(file, target, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
      return true;
    },
    flush,
    forget() {
      known.clear();
      packs.refresh();
    },
    sizeOf(name) {
      const fileName = objectFileName(name);
      return packs.sizeOf(fileName) ?? statSync(loosePath(folder, fileName), {throwIfNoEntry: false})?.size ?? 0;
    },
    async sweep(needed, pause) {
      for (const {fileName, path} of looseObjects(folder)) {
        if (!needed.has(fileName)) rmSync(path, {force: true});
        await pause();
      }
      packs.sweep(needed);
    },
    async join(pause) {
      const batch = new Map<string, Buffer>();
      const joined: string[] = [];
      let bytes = 0;
      const write = (): void => {
        if (joined.length > 1) {
          packs.add(batch, {flush: true});
          for (const path of joined) rmSync(path, {force: true});
        }
        batch.clear();
        joined.length = 0;
        bytes = 0;
      };
      const smallPacks = packs.smallerThan(maxPendingBytes / 2);
      for (const {path, objects} of [...smallPacks, ...looseObjects(folder)]) {
        const found = objects();
        if (found === undefined) continue;
        for (const [fileName, content] of found) {
          if (!batch.has(fileName)) bytes += content.length;
          batch.set(fileName, content);
        }
        joined.push(path);
        if (bytes > maxPendingBytes) write();
        await pause();
      }
      write();
      packs.refresh();
    },
  };
}

/** A file of objects, and what is in it; `undefined` if a part can't be read, or if it is too large for a pack. */
interface ObjectFile {
  readonly path: string;
  readonly objects: () => ReadonlyMap<string, Buffer> | undefined;
}

/** Yields the loose objects. Unfinished files are not among them, because they are in none of these folders. */
function* looseObjects(folder: string): Generator<ObjectFile & {readonly fileName: string}> {
  for (const part of entryNames(folder)) {
    if (!/^[0-9a-f]{2}$/u.test(part)) continue;
    for (const rest of entryNames(join(folder, part))) {
      const path = join(folder, part, rest);
      const fileName = part + rest;
      yield {
        path,
        fileName,
        objects() {
          const size = statSync(path, {throwIfNoEntry: false})?.size ?? Number.POSITIVE_INFINITY;
          const bytes = size > maxWholeBytes ? undefined : readIfPresent(path);
          return bytes && new Map([[fileName, bytes]]);
        },
      };
    }
  }
}

/** Deletes the file if the work fails, as on a full disk. */
export function removeOnError<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    rmSync(path, {force: true});
    throw cause;
  }
}

/** Returns an object's file name: a hash of its name, because the name itself is the key. */
export const objectFileName = (name: string): string => hash('sha256', name, 'hex');

const loosePath = (folder: string, fileName: string): string => join(folder, fileName.slice(0, 2), fileName.slice(2));

function moveIntoPlace(from: string, file: string): void {
  try {
    renameSync(from, file);
  } catch {
    makeFolders(dirname(file));
    renameSync(from, file);
  }
}

const readIfPresent = (path: string): Buffer | undefined => tryOr(() => readFileSync(path), undefined);

/** Encrypts and decrypts (AES in counter mode). Each content has its own key, so no key stream is used twice. */
function applyCipher(bytes: Uint8Array | string, name: string): Buffer {
  const key = isGitBlobName(name) ? hash('sha256', name, 'buffer') : Buffer.from(name, 'hex');
  const cipher = createCipheriv('aes-256-ctr', key, Buffer.alloc(16));
  return typeof bytes === 'string' ? cipher.update(bytes, 'utf8') : cipher.update(bytes);
}

/** Returns the name of file content, of the same kind as `like`. */
export const contentName = (bytes: Buffer, like: string): string =>
  isGitBlobName(like) ? gitBlobNameOf(bytes) : hash('sha256', bytes, 'hex');

/** Deletes unfinished files of killed processes. Other processes may be writing now, so only old files go. */
function removeStaleFiles(folder: string): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const stats = name.startsWith(unfinishedPrefix) ? statSync(path, {throwIfNoEntry: false}) : undefined;
    if (stats !== undefined && Date.now() - stats.mtimeMs > staleMs) rmSync(path, {force: true});
  }
}

function copyHashed(from: number, to: string): string {
  const sum = createHash('sha256');
  const buffer = Buffer.allocUnsafe(4 * 1024 * 1024);
  const target = openSync(to, 'wx', 0o600);
  try {
    for (;;) {
      const count = readSync(from, buffer, 0, buffer.length, -1);
      if (count === 0) return sum.digest('hex');
      const chunk = buffer.subarray(0, count);
      sum.update(chunk);
      writeFileSync(target, chunk);
    }
  } finally {
    closeSync(target);
  }
}

/**
 * A pack holds many small objects in one file. A first checkpoint has over a thousand objects, and a file for each would take ten times
 * their size. The head of a pack implies the pack's length; a pack of another length is ignored.
 */

interface PackEntry {
  readonly pack: string;
  readonly at: number;
  readonly length: number;
}

/** Holds objects in packs, by file name (64 hexadecimal digits). Stores the bytes as given. */
function openPacks(folder: string, temporary: () => string) {
  let packs = new Map<string, ReadonlyMap<string, PackEntry>>();
  let state: 'unread' | 'read' = 'unread';

  const look = (): void => {
    const found = new Map<string, ReadonlyMap<string, PackEntry>>();
    for (const name of entryNames(folder)) {
      const path = join(folder, name);
      const objects = packs.get(path) ?? readPackIndex(path);
      if (objects !== undefined) found.set(path, objects);
    }
    packs = found;
    state = 'read';
  };
  const find = (fileName: string): PackEntry | undefined => {
    if (state === 'unread') look();
    for (const objects of packs.values()) {
      const found = objects.get(fileName);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  /** With `flush`, the bytes are on the disk when it returns, so that the files that the pack replaces can be deleted. */
  const add = (objects: ReadonlyMap<string, Buffer>, {flush}: {readonly flush: boolean}): void => {
    if (state === 'unread') look();
    makeFolders(folder);
    const from = temporary();
    const path = join(folder, randomUUID());
    removeOnError(from, () => {
      writeFileSync(from, encodePack(objects), {flag: 'wx', mode: 0o600, flush});
      renameSync(from, path);
    });
    const written = readPackIndex(path);
    if (written !== undefined) packs.set(path, written);
  };

  return {
    add,
    /** Returns the length of the object, or `undefined` if no pack contains it. */
    sizeOf: (fileName: string): number | undefined => find(fileName)?.length,
    read(fileName: string): Buffer | undefined {
      const found = find(fileName);
      return found && readAt(found);
    },
    /** Reads packs that other processes have added. */
    refresh: look,
    /** Returns the packs of fewer bytes. */
    smallerThan(most: number): readonly ObjectFile[] {
      look();
      return [...packs].flatMap(([path, entries]): readonly ObjectFile[] => {
        const read = (): ReadonlyMap<string, Buffer> | undefined => {
          const found = readObjects(entries);
          return found.size === entries.size ? found : undefined;
        };
        const size = [...entries.values()].reduce((sum, {length}) => sum + length, 0);
        return size < most ? [{path, objects: read}] : [];
      });
    },
    /**
     * Deletes the objects that are not in `keep`, and those that another pack has. Deletes a pack only after its needed
     * objects are in another one.
     */
    sweep(keep: ReadonlySet<string>): void {
      look();
      const seen = new Set<string>();
      for (const name of entryNames(folder)) {
        const path = join(folder, name);
        const objects = packs.get(path) ?? new Map<string, PackEntry>();
        const needed = [...objects].filter(([fileName]) => keep.has(fileName) && !seen.has(fileName));
        for (const [fileName] of needed) seen.add(fileName);
        if (needed.length > 0 && needed.length === objects.size) continue;
        const stays = readObjects(needed);
        if (stays.size > 0) add(stays, {flush: true});
        rmSync(path, {force: true});
        packs.delete(path);
      }
    },
  };
}

/** Reads objects of packs, without those that can't be read. */
function readObjects(entries: Iterable<readonly [string, PackEntry]>): ReadonlyMap<string, Buffer> {
  const found = new Map<string, Buffer>();
  for (const [fileName, entry] of entries) {
    const bytes = readAt(entry);
    if (bytes !== undefined) found.set(fileName, bytes);
  }
  return found;
}

const magic = 'WEFTPK01';
const rowsAt = magic.length + 4;
const nameBytes = 32;
const rowBytes = nameBytes + 4;

function encodePack(objects: ReadonlyMap<string, Buffer>): Buffer {
  const head = Buffer.alloc(rowsAt + objects.size * rowBytes);
  head.write(magic, 'latin1');
  head.writeUInt32BE(objects.size, magic.length);
  let at = rowsAt;
  for (const [fileName, bytes] of objects) {
    head.write(fileName, at, 'hex');
    head.writeUInt32BE(bytes.length, at + nameBytes);
    at += rowBytes;
  }
  return Buffer.concat([head, ...objects.values()]);
}

/** Returns the objects of a pack, or `undefined` if the file is not a complete pack. */
function readPackIndex(pack: string): ReadonlyMap<string, PackEntry> | undefined {
  const size = statSync(pack, {throwIfNoEntry: false})?.size ?? 0;
  const start = readAt({pack, at: 0, length: rowsAt});
  if (start === undefined || start.toString('latin1', 0, magic.length) !== magic) return undefined;
  const count = start.readUInt32BE(magic.length);
  const rows = size < rowsAt + count * rowBytes ? undefined : readAt({pack, at: rowsAt, length: count * rowBytes});
  if (rows === undefined) return undefined;
  const objects = new Map<string, PackEntry>();
  let at = rowsAt + rows.length;
  for (let row = 0; row < rows.length; row += rowBytes) {
    const length = rows.readUInt32BE(row + nameBytes);
    objects.set(rows.toString('hex', row, row + nameBytes), {pack, at, length});
    at += length;
  }
  return at === size ? objects : undefined;
}

function readAt({pack, at, length}: PackEntry): Buffer | undefined {
  let handle: number | undefined;
  try {
    handle = openSync(pack, 'r');
    const bytes = Buffer.alloc(length);
    return readSync(handle, bytes, 0, length, at) === length ? bytes : undefined;
  } catch {
    return undefined;
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}
