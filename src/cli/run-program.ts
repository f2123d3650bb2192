import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
} from 'node:fs';
import {readFileSync, readSync, renameSync, rmSync, statSync, type Stats, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {isAbsolute, join} from 'node:path';
import {Script} from 'node:vm';
import {crc32} from 'node:zlib';
import {placesOf} from '../config/places.ts';
import type {main} from './main.ts';

/** The name of the chunk that the built program begins with. The build defines it. */
declare const builtEntry: string;

/**
 * The places of the chunks in the file `chunks.js` next to this file, in bytes: a line `NAME AT LENGTH` for each. The build defines it. A
 * table would take longer to compile than the few searches in a text take.
 */
declare const builtChunks: string;

interface Module {
  exports: object;
}

interface Program {
  readonly main: typeof main;
}

type Require = (id: string) => object;

/** A chunk of the program that was loaded, and the file that caches its compiled code. */
interface Chunk {
  readonly script: Script;
  readonly cacheFile: string;
  readonly cache: 'read' | 'missing';
}

/** Cached code is rewritten after this time, so older files belong to a version of weft that is no longer in use. */
const maxCacheAgeMs = 30 * 24 * 60 * 60 * 1000;

/** Bytes of the checksum after the code. V8 has no checksum itself and would crash on damaged code. */
const sumBytes = 4;

/** Matches the names of weft's cache files. weft leaves other files in the folder alone. */
const cacheName = /^[\w-]+-[\w-]{8}\.js\.v\d+\.\d+\.\d+[\w.-]*-\w+(?:\.[\da-z]+\.tmp)?$/u;

/**
 * Node's modules that load much more than a short run needs. Each is loaded when one of its exports is first used. `node:crypto` alone
 * takes a third of the time that Node takes to start.
 */
const loadedWhenUsed = new Set(
  'child_process crypto fs/promises http https net os readline stream stream/promises timers/promises tls tty worker_threads zlib'
    .split(' ')
    .map(name => `node:${name}`),
);

/**
 * Loads and runs the built program. At the end, saves V8's compiled code of everything that ran in the user's data folder, so that the
 * next start compiles nothing. (Node's own compile cache saves a module before it runs, without the functions compiled later.)
 * V8 rejects code from another V8 version or for a source of another length. The name of a chunk contains the hash of its source.
 */
async function runProgram(): Promise<void> {
  const {folder, chunks, load} = openChunks();
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the build made of main.ts
  const program = load(builtEntry) as Program;
  await program.main();
  if (folder !== '') writeCaches(folder, chunks);
  process.exit();
}

/**
 * Opens the file with all chunks. It stays open, so that a chunk loads also after an update has replaced or deleted the file: until it
 * ends, the process runs the version that it started with.
 */
function openChunks(): {readonly folder: string; readonly chunks: readonly Chunk[]; readonly load: Require} {
  const loadPackage: Require = createRequire(__filename);
  const folder = cacheFolder();
  const file = openSync(join(__dirname, 'chunks.js'), 'r');
  const chunks: Chunk[] = [];
  const modules = new Map<string, Module>();
  const load: Require = name => {
    const known = modules.get(name);
    if (known !== undefined) return known.exports;
    const module: Module = {exports: {}};
    modules.set(name, module);
    const cacheFile = join(folder, `${name}.${process.version}-${process.arch}`);
    const cachedData = folder === '' ? undefined : readCache(cacheFile);
    const filename = join(__dirname, 'chunks', name);
    const options = {filename, ...(cachedData === undefined ? {} : {cachedData})};
    const script = new Script(sourceOf(name, file), options);
    const isRead = cachedData !== undefined && script.cachedDataRejected === false;
    chunks.push({script, cacheFile, cache: isRead ? 'read' : 'missing'});
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the build wraps each chunk in this function
    const run = script.runInThisContext() as (module: Module, exports: object, require: Require, file: string) => void;
    run(module, module.exports, id => (id.startsWith('./') ? load(id.slice(2)) : loadOther(id)), filename);
    return module.exports;
  };
  const loadOther: Require = id => (loadedWhenUsed.has(id) ? whenUsed(() => loadPackage(id)) : loadPackage(id));
  return {folder, chunks, load};
}

function sourceOf(name: string, file: number): string {
  const entry = builtChunks.indexOf(`\n${name} `) + name.length + 2;
  const [at = 0, length = 0] = builtChunks.slice(entry, builtChunks.indexOf('\n', entry)).split(' ').map(Number);
  const bytes = Buffer.allocUnsafe(length);
  if (length === 0 || readSync(file, bytes, 0, length, at) !== length)
    throw new Error(`weft's file ${join(__dirname, 'chunks.js')} is damaged: ${name} is missing. Install weft again.`);
  // The build writes only ASCII.
  return bytes.toString('latin1');
}

/** Loads a chunk in a thread. The file of that name next to this one calls it, because a thread starts with a file. */
const loadInThread: Require = name => openChunks().load(name);

/** Returns a proxy that loads a module when it is first used. A bundle copies the exports of a whole-module import from the prototype. */
function whenUsed(load: () => object): object {
  const module: object = new Proxy({}, {get: (_, name) => Reflect.get(load(), name), getPrototypeOf: () => module});
  return module;
}

/**
 * Returns the folder of the cache: in weft's data folder, or the one in WEFT_COMPILE_CACHE. Empty for no cache, as with
 * `off`. Relative folders are refused: each workspace could bring its own code. Folders of other users are refused: a
 * link in one could make weft overwrite one of this user's files.
 */
function cacheFolder(): string {
  const chosen = process.env['WEFT_COMPILE_CACHE'] ?? '';
  const home = process.env['HOME'] ?? '';
  const {data} = placesOf({platform: process.platform, env: process.env, home});
  const folder = chosen === '' ? join(data, 'cache') : chosen;
  if (!isAbsolute(folder)) return '';
  try {
    const found = statSync(folder, {throwIfNoEntry: false});
    return found === undefined || isOwn(found) ? folder : '';
  } catch {
    return '';
  }
}

/** True if only the user could have written the file or folder. Compiled code is a program, so nothing else is trusted. */
function isOwn({uid, mode}: Stats): boolean {
  return process.getuid === undefined || (uid === process.getuid() && (mode & 0o022) === 0);
}

function readCache(file: string): Buffer | undefined {
  try {
    // The file is opened without blocking, because opening a pipe would wait for a writer.
    const fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const found = fstatSync(fd);
      if (!found.isFile() || !isOwn(found) || Date.now() - found.mtimeMs > maxCacheAgeMs) return undefined;
      const kept = readFileSync(fd);
      const code = kept.subarray(0, -sumBytes);
      return code.length > 0 && kept.readUInt32LE(code.length) === crc32(code) ? code : undefined;
    } finally {
      closeSync(fd);
    }
  } catch {
    return undefined;
  }
}

/** Writes the missing caches. Failures are ignored: they only slow down the next start. */
function writeCaches(folder: string, chunks: readonly Chunk[]): void {
  const missing = chunks.filter(({cache}) => cache === 'missing');
  if (missing.length === 0) return;
  try {
    // Creates only the last folder: if weft has no data folder yet, it stays that way.
    if (!existsSync(folder)) mkdirSync(folder, {mode: 0o700});
    for (const {script, cacheFile} of missing) writeCache(cacheFile, script.createCachedData());
    for (const name of readdirSync(folder).filter(entry => cacheName.test(entry))) {
      const file = join(folder, name);
      if (Date.now() - lstatSync(file).mtimeMs > maxCacheAgeMs) rmSync(file);
    }
  } catch {
    // Nothing depends on the cache.
  }
}

/** Writes a cache file completely or not at all. */
function writeCache(file: string, code: Buffer): void {
  // The name does not contain the process id: in a container it may be the same for each start, and a killed start
  // leaves its file.
  const temporary = `${file}.${Math.random().toString(36).slice(2)}.tmp`;
  try {
    const fd = openSync(temporary, 'wx', 0o600);
    try {
      const sum = Buffer.alloc(sumBytes);
      sum.writeUInt32LE(crc32(code));
      writeFileSync(fd, Buffer.concat([code, sum]));
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(temporary, file);
  } catch (cause) {
    rmSync(temporary, {force: true});
    throw cause;
  }
}

export {runProgram, loadInThread};
