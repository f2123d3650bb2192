import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  mkdtempSync,
  openSync,
  readSync,
  realpathSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import {randomUUID} from 'node:crypto';
import {tmpdir} from 'node:os';
import {basename, isAbsolute, join, relative, sep} from 'node:path';
import {tryOr} from '../../base/outcome.ts';
import {type Fault, rejected, needsUser} from '../../domain/fault.ts';
import type {InsidePrelude} from '../sandbox/sandbox.ts';
import {closeInheritedFiles} from './hidden-terminals.ts';
import {tagLimitCommand} from './run-tag.ts';
import {isFolder} from '../files/list-folder.ts';

/**
 * The script that bash reads before a command (through BASH_ENV). The command itself stays unchanged: its line numbers,
 * its errors, its exit code. A command that sets its own EXIT trap replaces weft's, and then nothing is reported.
 */
export interface Prelude {
  /** The value of BASH_ENV. */
  readonly path: string;
  /** Returns the shell's folder when it ended, links resolved; `undefined` if it did not report one. */
  directory(): string | undefined;
  /** Call this once; the files are then reused. */
  release(): void;
}

export interface Preludes {
  /** `inside` is for a shell that can't see weft's own files. */
  open(inside: InsidePrelude | 'as-it-is'): Prelude;
  /**
   * Closes the unused files. A file in use is closed at `release`, because a shell that wrote through a stale
   * descriptor would hit another file.
   */
  close(): void;
}

/**
 * Returns the variable that makes the shell read the prelude. Only bash gets it. With any other shell, only a bash that
 * the command calls would read it.
 */
export const preludeVariables = (shell: string, {path}: {readonly path: string}): {readonly BASH_ENV?: string} =>
  basename(shell) === 'bash' ? {BASH_ENV: path} : {};

/** `ownStart` is the BASH_ENV that the user sets for commands; empty for none. */
export function makePreludes(ownStart: string): Preludes {
  const free: PreludePair[] = [];
  const freeInside: PreludePair[] = [];
  let isClosed = false;
  const discard = ({script, report}: PreludePair): void => {
    script.close();
    report.close();
  };
  return {
    close() {
      isClosed = true;
      for (const pair of [...free.splice(0), ...freeInside.splice(0)]) discard(pair);
    },
    open(inside) {
      const unused = inside === 'as-it-is' ? free : freeInside;
      const pair = unused.pop() ?? makePair(ownStart, inside);
      return {
        path: pair.script.path,
        directory() {
          const text = pair.report.read();
          return text.startsWith('/') && text.endsWith('\n') ? text.slice(0, -1) : undefined;
        },
        release() {
          if (isClosed) return discard(pair);
          pair.report.clear();
          unused.push(pair);
        },
      };
    },
  };
}

/**
 * Makes the prelude of blocks. The shell has none of weft's open files. It waits for its background processes before it
 * ends, because they use its terminal too.
 */
export function makeBlockPrelude(
  ownStart: string,
  inside: InsidePrelude | 'as-it-is',
): Pick<ScratchFile, 'path' | 'close'> {
  const script = inside === 'as-it-is' ? makeScratchFile() : makeNamedFile(inside.scripts);
  script.write(`${closeInheritedFiles}${scriptStart(ownStart)}trap wait EXIT\n`);
  return script;
}

interface PreludePair {
  readonly script: ScratchFile;
  readonly report: ScratchFile;
}

function makePair(ownStart: string, inside: InsidePrelude | 'as-it-is'): PreludePair {
  const script = inside === 'as-it-is' ? makeScratchFile() : makeNamedFile(inside.scripts);
  const report = inside === 'as-it-is' ? makeScratchFile() : makeNamedFile(inside.reports);
  // Errors and traces (`set -x`) of the trap itself must not appear, and its failure must not become the exit code.
  // `>|` also works under `set -C`.
  script.write(
    `${scriptStart(ownStart)}trap '{ builtin pwd -P >|${quotePath(report.path)} || :; } 2>/dev/null' EXIT\n`,
  );
  return {script, report};
}

const scriptStart = (ownStart: string): string =>
  tagLimitCommand +
  (ownStart === '' ? 'unset BASH_ENV\n' : `BASH_ENV="${escapeInDoubleQuotes(ownStart)}"\n. "$BASH_ENV"\n`);

/** Quotes a path for use inside the single quotes of the trap. */
const quotePath = (path: string): string => `"${path.replaceAll("'", String.raw`'\''`)}"`;
const escapeInDoubleQuotes = (text: string): string => text.replaceAll(/["\\$`]/gu, character => `\\${character}`);

interface ScratchFile {
  readonly path: string;
  write(text: string): void;
  read(): string;
  clear(): void;
  close(): void;
}

/** With /proc the file's name is removed at once; otherwise it is removed when weft ends. */
function makeScratchFile(): ScratchFile {
  const folder = mkdtempSync(join(tmpdir(), 'weft-'));
  const named = join(folder, 'file');
  const descriptor = openSync(named, 'wx+', 0o600);
  const remove = (): void => rmSync(folder, {recursive: true, force: true});
  const open = existsSync('/proc/self/fd');
  if (open) remove();
  else process.once('exit', remove);
  return {
    path: open ? `/proc/${process.pid}/fd/${descriptor}` : named,
    write: text => void writeSync(descriptor, text, 0),
    read() {
      const {size} = fstatSync(descriptor);
      const bytes = Buffer.alloc(size);
      return bytes.toString('utf8', 0, readSync(descriptor, bytes, 0, size, 0));
    },
    // The next shell truncates the file. Until then the `-` keeps it from looking like a path. Truncating here would
    // cost a millisecond.
    clear: () => void writeSync(descriptor, '-', 0),
    close() {
      closeSync(descriptor);
      if (open) return;
      process.off('exit', remove);
      remove();
    },
  };
}

/** A file with a name, which is removed with its folder. Processes in the sandbox may replace a report with anything. */
function makeNamedFile({outside, inside}: InsidePrelude['scripts']): ScratchFile {
  const name = randomUUID();
  const file = join(outside, name);
  writeFileSync(file, '', {flag: 'wx', mode: 0o600});
  const remove = (): void => rmSync(file, {recursive: true, force: true});
  return {
    path: join(inside, name),
    write: text => writeFileSync(file, text),
    read: () => readSmallFile(file),
    clear: remove,
    close: remove,
  };
}

/** The maximum number of bytes of a report to read; no path is longer. */
const maxReportBytes = 8192;

function readSmallFile(file: string): string {
  try {
    // The file may have become a link or a pipe.
    const descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      if (!fstatSync(descriptor).isFile()) return '';
      const bytes = Buffer.alloc(maxReportBytes);
      return bytes.toString('utf8', 0, readSync(descriptor, bytes, 0, maxReportBytes, 0));
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return '';
  }
}

/** The largest argument that Linux passes to a program, with its closing byte. */
const maxCommandBytes = 128 * 1024;

/** Returns the reason why a command can't be started, found before any attempt; `undefined` if there is none. */
export function findStartProblem(command: string, directory: string): Fault | undefined {
  if (command.includes('\0')) return rejected('The command contains a NUL character; leave it out.');
  if (Buffer.byteLength(command) >= maxCommandBytes) {
    return rejected(`The command is ${Buffer.byteLength(command)} bytes long; write it to a script and run that.`);
  }
  if (isFolder(directory)) return undefined;
  return needsUser(
    `The command was not started: ${directory} is not a folder.`,
    'Create the folder again, or start weft in another one.',
  );
}

/**
 * Returns where the next command starts. `reported` is the shell's folder when it ended (links resolved; `undefined` if it did not report
 * one). A folder in the workspace is kept. Outside it, the next command starts in the first workspace folder, with a note for the model.
 */
export function nextDirectory(ended: {
  readonly roots: readonly [string, ...string[]];
  readonly from: string;
  readonly reported: string | undefined;
}): {readonly directory: string; readonly notes: readonly string[]} {
  const {roots, from, reported} = ended;
  if (reported === undefined || reported === realPathOr(from)) return {directory: from, notes: []};
  for (const root of roots) {
    const below = relative(realPathOr(root), reported);
    if (below === '') return {directory: root, notes: []};
    if (below !== '..' && !below.startsWith(`..${sep}`) && !isAbsolute(below)) {
      return {directory: join(root, below), notes: []};
    }
  }
  const [root] = roots;
  return {
    directory: root,
    notes: [`it ended in ${reported}, outside the workspace; the next command starts in ${root}`],
  };
}

/** The folder may be gone by now. */
const realPathOr = (path: string): string => tryOr(() => realpathSync(path), path);
