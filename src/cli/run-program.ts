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

/** The entry of the built program, beside this file: the build names it. */
declare const builtEntry: string;

interface Module {
  exports: object;
}

interface Program {
  readonly main: typeof main;
}

type Require = (id: string) => object;

/** A chunk of the program that ran, and the file that keeps its compiled code. */
interface Chunk {
  readonly script: Script;
  readonly cacheFile: string;
  readonly cache: 'read' | 'missing';
}

/** Compiled code is written again after this time, so older files belong to a weft that is gone. */
const maxCacheAgeMs = 30 * 24 * 60 * 60 * 1000;

/** Bytes of the checksum behind the code: V8 checks none, and would crash if the disk had lost a part. */
const sumBytes = 4;

/** Names that weft gives to its files of compiled code. Others in the folder are not weft's. */
const cacheName = /^[\w-]+-[\w-]{8}\.js\.v\d+\.\d+\.\d+[\w.-]*-\w+(?:\.[\da-z]+\.tmp)?$/u;

/**
 * Node's modules that load much more than a short run uses: the first use of one of their exports loads them. `node:crypto` alone
 * takes a third of the time that Node takes to start.
 */
const loadedWhenUsed = new Set(
  'child_process crypto fs/promises http https net os readline stream stream/promises timers/promises tls tty worker_threads zlib'
    .split(' ')
    .map(name => `node:${name}`),
);

/**
 * Loads and runs the built program, and keeps V8's compiled code of all that ran in the user's data folder at the end: the next start
 * compiles nothing. (Node's own compile cache keeps a module before it runs, without the functions that are compiled by then.)
 * V8 rejects the code of another version of V8 or of a source of another length; a chunk's name has the hash of its source.
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
    // The build writes ASCII alone.
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

/** Stands for a module. A bundle copies the exports of a module that it imports as a whole, here from the prototype. */
function whenUsed(load: () => object): object {
  const module: object = new Proxy({}, {get: (_, name) => Reflect.get(load(), name), getPrototypeOf: () => module});
  return module;
}

/**
 * Where compiled code is kept: in weft's data folder, or where WEFT_COMPILE_CACHE says, which may be `off`. Empty if it is kept nowhere.
 * A relative folder would be another one in each workspace, with the code of whoever made that. In a folder of others, a name may
 * lead to a file of the user with the text of someone else.
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

/** Compiled code is a program: it counts only if nobody but the user could have written it. */
function isOwn({uid, mode}: Stats): boolean {
  return process.getuid === undefined || (uid === process.getuid() && (mode & 0o022) === 0);
}

function readCache(file: string): Buffer | undefined {
  try {
    // A pipe would wait for who writes to it.
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

/** A cache that cannot be written costs the next start some time. */
function writeCaches(folder: string, chunks: readonly Chunk[]): void {
  const missing = chunks.filter(({cache}) => cache === 'missing');
  if (missing.length === 0) return;
  try {
    // Nothing is made in a home where weft keeps nothing.
    if (!existsSync(folder)) mkdirSync(folder, {mode: 0o700});
    for (const {script, cacheFile} of missing) writeCache(cacheFile, script.createCachedData());
    for (const name of readdirSync(folder).filter(entry => cacheName.test(entry))) {
      const file = join(folder, name);
      if (Date.now() - lstatSync(file).mtimeMs > maxCacheAgeMs) rmSync(file);
    }
  } catch {
    // Nothing depends on it.
  }
}

/** Whole or not at all. */
function writeCache(file: string, code: Buffer): void {
  // Not the process's number: in a container, it may be the same for each start, and a start that was killed leaves the file.
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
