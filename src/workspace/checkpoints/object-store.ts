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
import {blobOf, gitName, isGitName, openGitBlobs} from './git-blobs.ts';

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
}

/** Bytes up to which a file is read in one piece. */
const wholeBytes = 16 * 1024 * 1024;

/** Contents of git's that are in memory at a time. */
const mostFetched = 200;

/** How files that are being written are called, and after how long nobody can be writing them any more. */
const unfinished = 'new-';
const forgottenMs = 24 * 60 * 60 * 1000;

/**
 * A folder of objects. One is complete as soon as it has its name, whenever a process is killed, and several processes may add
 * to it at once.
 */
export function openObjects(folder: string, environment: NodeJS.ProcessEnv): ObjectStore {
  const blobs = openGitBlobs(join(folder, 'repositories.json'), environment);
  const known = new Set<string>();
  const placeOf = (name: string): string => objectPlace(folder, name);
  const temporary = (): string => join(folder, `${unfinished}${randomUUID()}`);

  const has = (name: string): boolean => {
    if (known.has(name)) return true;
    if (!existsSync(placeOf(name))) return false;
    known.add(name);
    return true;
  };
  const settle = (from: string, name: string): void => {
    try {
      renameSync(from, placeOf(name));
    } catch {
      makeFolders(dirname(placeOf(name)));
      renameSync(from, placeOf(name));
    }
    known.add(name);
  };
  const put = (bytes: Uint8Array | string): string => {
    const name = hash('sha256', bytes, 'hex');
    if (has(name)) return name;
    keep(name, bytes);
    return name;
  };
  const keep = (name: string, bytes: Uint8Array | string): void => {
    mkdirOnce();
    const from = temporary();
    orRemoved(from, () => {
      writeFileSync(from, enciphered(bytes, name), {flag: 'wx', mode: 0o600});
      settle(from, name);
    });
  };
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
          else settle(from, name);
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
      try {
        const bytes = enciphered(readFileSync(placeOf(name)), name);
        return nameOf(bytes, name) === name ? bytes : undefined;
      } catch {
        return undefined;
      }
    },
    copyTo(name, target) {
      const stats = statSync(placeOf(name), {throwIfNoEntry: false});
      if (stats === undefined && !isGitName(name)) return false;
      if (stats === undefined || isGitName(name) || stats.size <= wholeBytes) {
        const bytes = this.get(name);
        if (bytes !== undefined) writeFileSync(target, bytes, {flag: 'wx', mode: 0o600});
        return bytes !== undefined;
      }
      copyFileSync(placeOf(name), target, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
      return true;
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

/** Where the content of that name lies. */
export function objectPlace(folder: string, name: string): string {
  const place = hash('sha256', name, 'hex');
  return join(folder, place.slice(0, 2), place.slice(2));
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
