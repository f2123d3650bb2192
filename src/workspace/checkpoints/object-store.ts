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
import {openInPlace} from '../files/regular-files.ts';
import {blobOf, gitName, isGitName, openGitBlobs} from './git-blobs.ts';

/**
 * Content by its hash. Throws what the file system throws.
 *
 * The files of a workspace may hold secrets, and none of their values may lie on the disk a second time as plain text: what
 * fits into memory is encrypted with its own hash as the key. The names of trees, which lead to all hashes, are in the sessions'
 * database of the same user, so this keeps values from searches, indexes and backups of the folder; it is no protection from
 * somebody who can read all of weft's data. Objects are readable for this user alone.
 */
export interface ObjectStore {
  put(bytes: Uint8Array | string): string;
  /** The content of a file as it is read now. */
  putFile(path: string): string;
  /** `undefined` where it is missing or damaged. */
  get(name: string): Buffer | undefined;
  /** Allows names of git blobs of this repository. */
  refer(gitFolder: string): void;
  /** Fetches, in one go, what git holds of the contents that are to be copied. */
  fetch(names: readonly string[]): void;
  /** Writes the content to `target`, which must not exist; `false` if it is missing or damaged (damage of large files is not detected). */
  copyTo(name: string, target: string): boolean;
  /** Writes all objects to the disk. Must be called before a name is handed out: until then objects may be in memory only. */
  flush(): void;
  /** How many bytes are stored under that name; 0 if there is no such object. */
  sizeOf(name: string): number;
  /** Removes all objects but those at these places (see `objectPlace`). */
  sweep(keep: ReadonlySet<string>, pause: () => Promise<void>): Promise<void>;
}

/** Bytes up to which a file is read in one piece. */
const wholeBytes = 16 * 1024 * 1024;

/** Contents of git's that are in memory at a time. */
const maxFetched = 200;

/** Bytes of objects that wait in memory to be written together, and objects up to which each gets a file of its own. */
const maxWaiting = 32 * 1024 * 1024;
const maxFiles = 8;

/** The beginning of the names of unfinished files, and the milliseconds after which such a file counts as left behind. */
const unfinished = 'new-';
const forgottenMs = 24 * 60 * 60 * 1000;

/**
 * A folder of objects: many that were stored together are in a pack, others in files of their own. A file is complete as soon as
 * it has its name, whenever a process is killed, and several processes may add to the folder at once.
 */
export function openObjects(folder: string, environment: NodeJS.ProcessEnv): ObjectStore {
  const blobs = openGitBlobs(join(folder, 'repositories.json'), environment);
  const known = new Set<string>();
  const temporary = (): string => join(folder, `${unfinished}${randomUUID()}`);
  const packs = openPacks(join(folder, 'packs'), temporary);
  /** Encrypted objects that are not yet on the disk, by place. */
  const waiting = new Map<string, Buffer>();
  let waitingBytes = 0;

  const has = (name: string): boolean => {
    if (known.has(name)) return true;
    const place = objectPlace(name);
    if (packs.sizeOf(place) === undefined && !existsSync(fileOf(folder, place))) return false;
    known.add(name);
    return true;
  };
  const put = (bytes: Uint8Array | string): string => {
    const name = hash('sha256', bytes, 'hex');
    if (has(name)) return name;
    keep(name, bytes);
    return name;
  };
  const keep = (name: string, bytes: Uint8Array | string): void => {
    const stored = encrypted(bytes, name);
    waiting.set(objectPlace(name), stored);
    waitingBytes += stored.length;
    known.add(name);
    if (waitingBytes > maxWaiting) flush();
  };
  const flush = (): void => {
    if (waiting.size === 0) return;
    mkdirOnce();
    if (waiting.size > maxFiles) packs.add(waiting);
    else for (const [place, bytes] of waiting) keepAlone(place, bytes);
    waiting.clear();
    waitingBytes = 0;
  };
  const keepAlone = (place: string, bytes: Buffer): void => {
    const from = temporary();
    orRemoved(from, () => {
      writeFileSync(from, bytes, {flag: 'wx', mode: 0o600});
      settle(from, fileOf(folder, place));
    });
  };
  const stored = (place: string): Buffer | undefined =>
    waiting.get(place) ?? packs.read(place) ?? wholeFile(fileOf(folder, place));
  let made = false;
  const mkdirOnce = (): void => {
    if (made) return;
    makeFolders(folder);
    forgetUnfinished(folder);
    made = true;
  };

  return {
    put,
    putFile(path) {
      const handle = openInPlace(path);
      try {
        if (fstatSync(handle).size <= wholeBytes) return put(readFileSync(handle));
        mkdirOnce();
        const from = temporary();
        return orRemoved(from, () => {
          const name = copyHashed(handle, from);
          if (has(name)) rmSync(from);
          else settle(from, fileOf(folder, objectPlace(name)));
          known.add(name);
          return name;
        });
      } finally {
        closeSync(handle);
      }
    },
    refer: gitFolder => blobs.refer(gitFolder),
    fetch(names) {
      const wanted = names.filter(name => isGitName(name) && !has(name));
      for (let at = 0; at < wanted.length; at += maxFetched) {
        for (const [name, bytes] of blobs.read(wanted.slice(at, at + maxFetched))) keep(name, bytes);
      }
    },
    get(name) {
      if (isGitName(name) && !has(name)) return blobs.read([name]).get(name);
      const place = objectPlace(name);
      let bytes = stored(place);
      if (bytes === undefined) {
        packs.lookAgain();
        bytes = stored(place);
      }
      if (bytes === undefined) return undefined;
      const content = encrypted(bytes, name);
      return nameOf(content, name) === name ? content : undefined;
    },
    copyTo(name, target) {
      const file = fileOf(folder, objectPlace(name));
      const size = isGitName(name) ? 0 : (statSync(file, {throwIfNoEntry: false})?.size ?? 0);
      if (size <= wholeBytes) {
        const bytes = this.get(name);
        if (bytes !== undefined) writeFileSync(target, bytes, {flag: 'wx', mode: 0o600});
        return bytes !== undefined;
      }
      copyFileSync(file, target, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
      return true;
    },
    flush,
    sizeOf(name) {
      const place = objectPlace(name);
      return packs.sizeOf(place) ?? statSync(fileOf(folder, place), {throwIfNoEntry: false})?.size ?? 0;
    },
    async sweep(needed, pause) {
      // What is half-written stays: it is in none of these folders.
      for (const part of entryNames(folder)) {
        if (!/^[0-9a-f]{2}$/u.test(part)) continue;
        for (const rest of entryNames(join(folder, part))) {
          if (!needed.has(part + rest)) rmSync(join(folder, part, rest), {force: true});
          await pause();
        }
      }
      packs.sweep(needed);
    },
  };
}

/** Removes the file if the work fails: the disk may be full. */
export function orRemoved<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    rmSync(path, {force: true});
    throw cause;
  }
}

/** The place (file name) of an object: a hash of its name, because the name itself is the key. */
export const objectPlace = (name: string): string => hash('sha256', name, 'hex');

const fileOf = (folder: string, place: string): string => join(folder, place.slice(0, 2), place.slice(2));

function settle(from: string, file: string): void {
  try {
    renameSync(from, file);
  } catch {
    makeFolders(dirname(file));
    renameSync(from, file);
  }
}

const wholeFile = (path: string): Buffer | undefined => tryOr(() => readFileSync(path), undefined);

/** Encrypts and decrypts (AES in counter mode). Each content has its own key, so no key stream is used twice. */
function encrypted(bytes: Uint8Array | string, name: string): Buffer {
  const key = isGitName(name) ? hash('sha256', name, 'buffer') : Buffer.from(name, 'hex');
  const cipher = createCipheriv('aes-256-ctr', key, Buffer.alloc(16));
  return typeof bytes === 'string' ? cipher.update(bytes, 'utf8') : cipher.update(bytes);
}

/** The name of a content, of the same kind as `like`. */
const nameOf = (bytes: Buffer, like: string): string =>
  isGitName(like) ? gitName({blob: blobOf(bytes), size: bytes.length}) : hash('sha256', bytes, 'hex');

/** Removes unfinished files of killed processes. Other processes may be writing now, so only old files are removed. */
function forgetUnfinished(folder: string): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const stats = name.startsWith(unfinished) ? statSync(path, {throwIfNoEntry: false}) : undefined;
    if (stats !== undefined && Date.now() - stats.mtimeMs > forgottenMs) rmSync(path, {force: true});
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

/*
 * A pack holds many small objects in one file: a first checkpoint has more than a thousand objects, and a file for each would take ten
 * times their size. The beginning of a pack says how long it is; a pack of another length is ignored.
 */

interface PackedAt {
  readonly pack: string;
  readonly at: number;
  readonly length: number;
}

/** Objects in packs, by place (64 hexadecimal digits). The bytes are stored as they are given. */
function openPacks(folder: string, temporary: () => string) {
  let packs = new Map<string, ReadonlyMap<string, PackedAt>>();
  let state: 'unread' | 'read' = 'unread';

  const look = (): void => {
    const found = new Map<string, ReadonlyMap<string, PackedAt>>();
    for (const name of entryNames(folder)) {
      const path = join(folder, name);
      const objects = packs.get(path) ?? objectsOf(path);
      if (objects !== undefined) found.set(path, objects);
    }
    packs = found;
    state = 'read';
  };
  const find = (place: string): PackedAt | undefined => {
    if (state === 'unread') look();
    for (const objects of packs.values()) {
      const found = objects.get(place);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  const add = (objects: ReadonlyMap<string, Buffer>): void => {
    if (state === 'unread') look();
    makeFolders(folder);
    const from = temporary();
    const path = join(folder, randomUUID());
    orRemoved(from, () => {
      writeFileSync(from, packOf(objects), {flag: 'wx', mode: 0o600});
      renameSync(from, path);
    });
    const written = objectsOf(path);
    if (written !== undefined) packs.set(path, written);
  };

  return {
    add,
    /** The length of the object; `undefined` where no pack holds it. */
    sizeOf: (place: string): number | undefined => find(place)?.length,
    read(place: string): Buffer | undefined {
      const found = find(place);
      return found && readAt(found);
    },
    /** Looks for packs that other processes have added. */
    lookAgain: look,
    /** Removes the objects that are not in `keep`. A pack is removed only after the objects to be kept are in another one. */
    sweep(keep: ReadonlySet<string>): void {
      look();
      for (const name of entryNames(folder)) {
        const path = join(folder, name);
        const objects = packs.get(path) ?? new Map<string, PackedAt>();
        const needed = [...objects].filter(([place]) => keep.has(place));
        if (needed.length > 0 && needed.length === objects.size) continue;
        const stays = new Map<string, Buffer>();
        for (const [place, packed] of needed) {
          const bytes = readAt(packed);
          if (bytes !== undefined) stays.set(place, bytes);
        }
        if (stays.size > 0) add(stays);
        rmSync(path, {force: true});
        packs.delete(path);
      }
    },
  };
}

const magic = 'WEFTPK01';
const rowsAt = magic.length + 4;
const placeBytes = 32;
const rowBytes = placeBytes + 4;

function packOf(objects: ReadonlyMap<string, Buffer>): Buffer {
  const head = Buffer.alloc(rowsAt + objects.size * rowBytes);
  head.write(magic, 'latin1');
  head.writeUInt32BE(objects.size, magic.length);
  let at = rowsAt;
  for (const [place, bytes] of objects) {
    head.write(place, at, 'hex');
    head.writeUInt32BE(bytes.length, at + placeBytes);
    at += rowBytes;
  }
  return Buffer.concat([head, ...objects.values()]);
}

/** The objects of a pack; `undefined` if the file is no pack or is not complete. */
function objectsOf(pack: string): ReadonlyMap<string, PackedAt> | undefined {
  const size = statSync(pack, {throwIfNoEntry: false})?.size ?? 0;
  const start = readAt({pack, at: 0, length: rowsAt});
  if (start === undefined || start.toString('latin1', 0, magic.length) !== magic) return undefined;
  const count = start.readUInt32BE(magic.length);
  const rows = size < rowsAt + count * rowBytes ? undefined : readAt({pack, at: rowsAt, length: count * rowBytes});
  if (rows === undefined) return undefined;
  const objects = new Map<string, PackedAt>();
  let at = rowsAt + rows.length;
  for (let row = 0; row < rows.length; row += rowBytes) {
    const length = rows.readUInt32BE(row + placeBytes);
    objects.set(rows.toString('hex', row, row + placeBytes), {pack, at, length});
    at += length;
  }
  return at === size ? objects : undefined;
}

function readAt({pack, at, length}: PackedAt): Buffer | undefined {
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
