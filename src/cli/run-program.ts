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
import {readFileSync, renameSync, rmSync, statSync, type Stats, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {basename, dirname, isAbsolute, join} from 'node:path';
import {Script} from 'node:vm';
import {crc32} from 'node:zlib';
import {placesOf} from '../config/places.ts';
import type {main} from './main.ts';

/** The file name of the built program's entry, next to this file. The build defines it. */
declare const builtEntry: string;

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
  const loadPackage: Require = createRequire(__filename);
  const folder = cacheFolder();
  const chunks: Chunk[] = [];
  const modules = new Map<string, Module>();
  const load = (file: string): object => {
    const known = modules.get(file);
    if (known !== undefined) return known.exports;
    const module: Module = {exports: {}};
    modules.set(file, module);
    const cacheFile = join(folder, `${basename(file)}.${process.version}-${process.arch}`);
    const cachedData = folder === '' ? undefined : readCache(cacheFile);
    // The build writes only ASCII.
    const script = new Script(`(function(module,exports,require,__filename){${readFileSync(file, 'latin1')}\n})`, {
      filename: file,
      ...(cachedData === undefined ? {} : {cachedData}),
    });
    const isRead = cachedData !== undefined && script.cachedDataRejected === false;
    chunks.push({script, cacheFile, cache: isRead ? 'read' : 'missing'});
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the function that the text above is
    const run = script.runInThisContext() as (module: Module, exports: object, require: Require, file: string) => void;
    const here = dirname(file);
    run(module, module.exports, id => (id.startsWith('.') ? load(join(here, id)) : loadOther(id)), file);
    return module.exports;
  };
  const loadOther: Require = id => (loadedWhenUsed.has(id) ? whenUsed(() => loadPackage(id)) : loadPackage(id));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the build made of main.ts
  const program = load(join(__dirname, builtEntry)) as Program;
  await program.main();
  if (folder !== '') writeCaches(folder, chunks);
  process.exit();
}

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
  const home = process.env['HOME'] ?? process.env['USERPROFILE'] ?? '';
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

void runProgram();
