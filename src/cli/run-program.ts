import {closeSync, existsSync, fstatSync, fsyncSync, mkdirSync, openSync, readdirSync, readFileSync} from 'node:fs';
import {renameSync, rmSync, statSync, writeSync} from 'node:fs';
import {createRequire} from 'node:module';
import {basename, dirname, isAbsolute, join} from 'node:path';
import {Script} from 'node:vm';
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
 * A relative folder would be another one in each workspace, with the code of whoever made that.
 */
function cacheFolder(): string {
  const chosen = process.env['WEFT_COMPILE_CACHE'] ?? '';
  const home = process.env['HOME'] ?? process.env['USERPROFILE'] ?? '';
  const {data} = placesOf({platform: process.platform, env: process.env, home});
  const folder = chosen === '' ? join(data, 'cache') : chosen;
  return isAbsolute(folder) ? folder : '';
}

/** Compiled code is a program: it counts only if nobody but the user could have written it. */
function readCache(file: string): Buffer | undefined {
  try {
    const fd = openSync(file, 'r');
    try {
      const {uid, mode, mtimeMs} = fstatSync(fd);
      const isOwn = process.getuid === undefined || (uid === process.getuid() && (mode & 0o022) === 0);
      return isOwn && Date.now() - mtimeMs < maxCacheAgeMs ? readFileSync(fd) : undefined;
    } finally {
      closeSync(fd);
    }
  } catch {
    return undefined;
  }
}

/** Whole or not at all: V8 does not check what the code says. A cache that cannot be written costs the next start some time. */
function writeCaches(folder: string, chunks: readonly Chunk[]): void {
  const missing = chunks.filter(({cache}) => cache === 'missing');
  if (missing.length === 0) return;
  try {
    // Nothing is made in a home where weft keeps nothing.
    if (!existsSync(folder)) mkdirSync(folder, {mode: 0o700});
    for (const {script, cacheFile} of missing) {
      const temporary = `${cacheFile}.${process.pid}`;
      const fd = openSync(temporary, 'wx', 0o600);
      writeSync(fd, script.createCachedData());
      fsyncSync(fd);
      closeSync(fd);
      renameSync(temporary, cacheFile);
    }
    for (const name of readdirSync(folder)) {
      const file = join(folder, name);
      if (Date.now() - statSync(file).mtimeMs > maxCacheAgeMs) rmSync(file);
    }
  } catch {
    // Nothing depends on it.
  }
}

void runProgram();
