import {
  closeSync,
  existsSync,
  fstatSync,
  ftruncateSync,
  mkdtempSync,
  openSync,
  readSync,
  rmSync,
  writeSync,
} from 'node:fs';
import {tmpdir} from 'node:os';
import {basename, join} from 'node:path';
import {markLimit} from './started-by-weft.ts';

/**
 * What bash reads before a command (through BASH_ENV), so that the command itself stays as it is written: its line numbers, its
 * errors, its exit code. A command that sets an EXIT trap of its own replaces ours, and then nothing is reported.
 */
export interface Prelude {
  /** For BASH_ENV. */
  readonly path: string;
  /** Where the shell was when it ended, links resolved; `undefined` when it did not say. */
  directory(): string | undefined;
  /** To be called once; the files are then used again. */
  release(): void;
}

export interface Preludes {
  open(): Prelude;
}

/** What makes the shell read it; nothing where the shell would not, and only a bash that a command calls would. */
export const startedWith = (shell: string, {path}: {readonly path: string}): {readonly BASH_ENV?: string} =>
  basename(shell) === 'bash' ? {BASH_ENV: path} : {};

/** `ownStart` is the BASH_ENV that the user wants commands to have; empty for none. */
export function makePreludes(ownStart: string): Preludes {
  const free: {readonly script: ScratchFile; readonly report: ScratchFile}[] = [];
  return {
    open() {
      const pair = free.pop() ?? makePair(ownStart);
      return {
        path: pair.script.path,
        directory() {
          const text = pair.report.read();
          return text.endsWith('\n') ? text.slice(0, -1) : undefined;
        },
        release() {
          pair.report.clear();
          free.push(pair);
        },
      };
    },
  };
}

/** A block stays until what it put into the background has ended: its terminal is theirs too. */
export function makeBlockPrelude(ownStart: string): {readonly path: string} {
  const script = makeScratchFile();
  script.write(`${start(ownStart)}trap wait EXIT\n`);
  return script;
}

function makePair(ownStart: string) {
  const script = makeScratchFile();
  const report = makeScratchFile();
  // Errors and traces (`set -x`) of the trap itself are nobody's business, and its failure must not become the exit code. `>|` also where `set -C` is on.
  script.write(`${start(ownStart)}trap '{ builtin pwd -P >|${quoted(report.path)} || :; } 2>/dev/null' EXIT\n`);
  return {script, report};
}

const start = (ownStart: string): string =>
  markLimit + (ownStart === '' ? 'unset BASH_ENV\n' : `BASH_ENV="${quotedInDouble(ownStart)}"\n. "$BASH_ENV"\n`);

/** Inside the single quotes of the trap. */
const quoted = (path: string): string => `"${path.replaceAll("'", String.raw`'\''`)}"`;
const quotedInDouble = (text: string): string => text.replaceAll(/["\\$`]/gu, character => `\\${character}`);

interface ScratchFile {
  readonly path: string;
  write(text: string): void;
  read(): string;
  clear(): void;
}

/** Where an open file has a name of its own the file's other name goes at once; elsewhere when weft ends. */
function makeScratchFile(): ScratchFile {
  const folder = mkdtempSync(join(tmpdir(), 'weft-'));
  const named = join(folder, 'file');
  const descriptor = openSync(named, 'wx+', 0o600);
  const remove = (): void => rmSync(folder, {recursive: true, force: true});
  const open = existsSync('/proc/self/fd');
  if (open) remove();
  else
    process.once('exit', () => {
      closeSync(descriptor);
      remove();
    });
  return {
    path: open ? `/proc/${process.pid}/fd/${descriptor}` : named,
    write: text => void writeSync(descriptor, text, 0),
    read() {
      const {size} = fstatSync(descriptor);
      const bytes = Buffer.alloc(size);
      return bytes.toString('utf8', 0, readSync(descriptor, bytes, 0, size, 0));
    },
    clear: () => ftruncateSync(descriptor),
  };
}
