import {createCipheriv, createHash, hash, randomUUID} from 'node:crypto';
import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fstatSync,
  openSync,
  readFileSync,
  readSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import {dirname, join} from 'node:path';
import {makeFolders} from '../../config/make-folders.ts';
import {namesIn} from '../names-in.ts';
import {blobOf, gitName, isGitName, openGitBlobs} from './git-blobs.ts';
import {openPacks} from './object-packs.ts';

/**
 * Content by its hash. The files of a workspace may hold secrets: objects are readable for this user alone, and what fits into
 * memory is enciphered by its own hash, so that no value lies about as it is and the name of a tree is needed to read it.
 * Throws what the file system throws.
 */
export interface ObjectStore {
  put(bytes: Uint8Array | string): string;
  /** The content of a file as it is read now. */
  putFile(path: string): string;
  /** `undefined` where it is missing or damaged. */
  get(name: string): Buffer | undefined;
  /** Contents of this repository may be named as git names them. */
  refer(gitFolder: string): void;
  /** Fetches, in one go, what git holds of the contents that are to be copied. */
  fetch(names: readonly string[]): void;
  /** Writes the content to `target`, which must not exist; `false` where it is missing, or small enough to be seen to be damaged. */
  copyTo(name: string, target: string): boolean;
  /** To be called before a name is told to anybody: until then objects may be in memory only. */
  flush(): void;
  /** The bytes that are stored under that name; none where there is nothing. */
  sizeOf(name: string): number;
  /** Removes all objects but those of these names' places. */
  sweep(keep: ReadonlySet<string>, pause: () => Promise<void>): Promise<void>;
}

/** Bytes up to which a file is read in one piece. */
const wholeBytes = 16 * 1024 * 1024;

/** Contents of git's that are in memory at a time. */
const mostFetched = 200;

/** Bytes of objects that wait in memory to be written together, and objects up to which each gets a file of its own. */
const mostWaiting = 32 * 1024 * 1024;
const mostFiles = 8;

/** How files that are being written are called, and after how long nobody can be writing them any more. */
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
  /** By place, as they are to be stored. */
  const waiting = new Map<string, Buffer>();
  let waitingBytes = 0;

  const has = (name: string): boolean => {
    if (known.has(name)) return true;
    const place = placeOf(name);
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
    const stored = enciphered(bytes, name);
    waiting.set(placeOf(name), stored);
    waitingBytes += stored.length;
    known.add(name);
    if (waitingBytes > mostWaiting) flush();
  };
  const flush = (): void => {
    if (waiting.size === 0) return;
    mkdirOnce();
    if (waiting.size > mostFiles) packs.add(waiting);
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
      const handle = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
      try {
        if (fstatSync(handle).size <= wholeBytes) return put(readFileSync(handle));
        mkdirOnce();
        const from = temporary();
        return orRemoved(from, () => {
          const name = copyHashed(handle, from);
          if (has(name)) rmSync(from);
          else settle(from, fileOf(folder, placeOf(name)));
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
      for (let at = 0; at < wanted.length; at += mostFetched) {
        for (const [name, bytes] of blobs.read(wanted.slice(at, at + mostFetched))) keep(name, bytes);
      }
    },
    get(name) {
      if (isGitName(name) && !has(name)) return blobs.read([name]).get(name);
      const place = placeOf(name);
      let bytes = stored(place);
      if (bytes === undefined) {
        packs.lookAgain();
        bytes = stored(place);
      }
      if (bytes === undefined) return undefined;
      const content = enciphered(bytes, name);
      return nameOf(content, name) === name ? content : undefined;
    },
    copyTo(name, target) {
      const file = fileOf(folder, placeOf(name));
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
      const place = placeOf(name);
      return packs.sizeOf(place) ?? statSync(fileOf(folder, place), {throwIfNoEntry: false})?.size ?? 0;
    },
    async sweep(needed, pause) {
      // What is half-written stays: it is in none of these folders.
      for (const part of namesIn(folder)) {
        if (!/^[0-9a-f]{2}$/u.test(part)) continue;
        for (const rest of namesIn(join(folder, part))) {
          if (!needed.has(part + rest)) rmSync(join(folder, part, rest), {force: true});
          await pause();
        }
      }
      packs.sweep(needed);
    },
  };
}

/** What could not be finished takes no room: the disk may be full. */
function orRemoved<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    rmSync(path, {force: true});
    throw cause;
  }
}

/** Under which the content of that name lies: it does not tell the name, which is the key. */
export const placeOf = (name: string): string => hash('sha256', name, 'hex');

const fileOf = (folder: string, place: string): string => join(folder, place.slice(0, 2), place.slice(2));

function settle(from: string, file: string): void {
  try {
    renameSync(from, file);
  } catch {
    makeFolders(dirname(file));
    renameSync(from, file);
  }
}

function wholeFile(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

/** The same works both ways. Each content has a key of its own, so none meets a stream of keys twice. */
function enciphered(bytes: Uint8Array | string, name: string): Buffer {
  const key = isGitName(name) ? hash('sha256', name, 'buffer') : Buffer.from(name, 'hex');
  const cipher = createCipheriv('aes-256-ctr', key, Buffer.alloc(16));
  return typeof bytes === 'string' ? cipher.update(bytes, 'utf8') : cipher.update(bytes);
}

/** The name of a content, of the same kind as `like`. */
const nameOf = (bytes: Buffer, like: string): string =>
  isGitName(like) ? gitName({blob: blobOf(bytes), size: bytes.length}) : hash('sha256', bytes, 'hex');

/** What a killed process left half-written; others may be writing now, so only what has lain there for long goes. */
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
      const piece = buffer.subarray(0, count);
      sum.update(piece);
      writeFileSync(target, piece);
    }
  } finally {
    closeSync(target);
  }
}
