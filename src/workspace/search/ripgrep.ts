import {statSync} from 'node:fs';
import {readdir} from 'node:fs/promises';
import {createRequire} from 'node:module';
import {dirname, join} from 'node:path';
import {execa} from 'execa';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {type Fault, needsUser} from '../../domain/fault.ts';
import type {Environment} from '../exec/shell-environment.ts';
import {findProgram} from '../exec/trusted-path.ts';

/** How a search ended. `errorText` is what it wrote to stderr; empty on success. */
export type SearchEnd =
  | {readonly kind: 'finished'; readonly errorText: string}
  | {readonly kind: 'enough'}
  | {readonly kind: 'too-slow'}
  | {readonly kind: 'stopped'}
  | {readonly kind: 'not-started'; readonly reason: string};

export interface SearchRun {
  readonly binary: string;
  readonly options: readonly string[];
  readonly directory: string;
  readonly environment: Environment;
  readonly limit: 'total' | 'idle';
  /** Receives the output in chunks; returning `enough` ends the run. */
  readonly onOutput: (bytes: Buffer) => 'more' | 'enough';
}

/**
 * The longest time, in milliseconds, that a run may take in total or, with the limit `idle`, go without output. A run may block on a
 * pipe that replaces an ignore file.
 */
const limitMs = 10_000;

const maxErrorText = 2000;

/** Runs ripgrep and passes on its output. The process has ended when the promise resolves. */
export async function runRipgrep(run: SearchRun, signal: AbortSignal): Promise<SearchEnd> {
  if (signal.aborted) return {kind: 'stopped'};
  const subprocess = execa(run.binary, run.options, {
    cwd: run.directory,
    env: run.environment,
    extendEnv: false,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    buffer: false,
    reject: false,
    cancelSignal: signal,
    killSignal: 'SIGKILL',
  });
  let killed: 'enough' | 'too-slow' | undefined;
  const end = (why: 'enough' | 'too-slow'): void => {
    killed ??= why;
    subprocess.kill();
  };
  const late = setTimeout(end, limitMs, 'too-slow');
  let errorOutput = '';
  subprocess.stdout.on('data', (bytes: Buffer) => {
    if (run.limit === 'idle') late.refresh();
    if (killed === undefined && run.onOutput(bytes) === 'enough') end('enough');
  });
  subprocess.stderr.on('data', (bytes: Buffer) => {
    errorOutput = (errorOutput + bytes.toString('utf8')).slice(0, maxErrorText);
  });

  const result = await subprocess;
  clearTimeout(late);
  if (killed !== undefined) return {kind: killed};
  if (result.isCanceled) return {kind: 'stopped'};
  if (result.exitCode === undefined) return {kind: 'not-started', reason: result.shortMessage ?? 'no process started'};
  // 1 means that nothing was found. 2 comes with an error text, or after unreadable files.
  return {kind: 'finished', errorText: result.exitCode === 2 ? errorOutput.trim().replace(/^rg: /u, '') : ''};
}

/** Finds a file inside an installed package; throws if there is none. */
type ResolveModule = (id: string, from: string) => string;

/** The ripgrep to use: weft's own package, or one that the user installed. */
export interface SearchBinary {
  readonly path: string;
  readonly origin: 'package' | 'PATH';
}

/** Finds ripgrep. The one on PATH comes second, because its version differs from weft's package. */
export function findSearchBinary(
  resolve: ResolveModule = resolveInstalled,
  find: (name: string) => string | undefined = findProgram,
): Outcome<SearchBinary, Fault> {
  const {platform, arch} = process;
  try {
    // The binary's package is a dependency of this package, so it is resolved from there.
    const owner = resolve('@vscode/ripgrep', import.meta.url);
    return ok({path: resolve(`@vscode/ripgrep-${platform}-${arch}/bin/rg`, owner), origin: 'package'});
  } catch {
    const path = find('rg');
    if (path !== undefined) return ok({path, origin: 'PATH'});
    return failed(
      needsUser(
        `The search program ripgrep (rg) is neither installed with weft nor on PATH.`,
        'Install ripgrep ("apt install ripgrep" or "brew install ripgrep"), or reinstall weft with its optional dependencies.',
      ),
    );
  }
}

const resolveInstalled: ResolveModule = (id, from) => createRequire(from).resolve(id);

/**
 * ripgrep opens the ignore files of each folder it enters and of the folders above. It would block forever on a pipe in their place, and
 * use up all memory on a device. Then weft turns off ignore files of that kind.
 */

/** A ripgrep option that turns off one kind of ignore files. */
export type IgnoreOffOption = '--no-ignore-vcs' | '--no-ignore-dot';

const ignoreFiles: readonly (readonly [string, IgnoreOffOption])[] = [
  ['.gitignore', '--no-ignore-vcs'],
  ['.git/info/exclude', '--no-ignore-vcs'],
  ['.ignore', '--no-ignore-dot'],
  ['.rgignore', '--no-ignore-dot'],
];

export const allIgnoreOffOptions: ReadonlySet<IgnoreOffOption> = new Set(ignoreFiles.map(([, option]) => option));

/** Returns the options for a search in `folder`, judging by its ignore files and those of the folders above. */
export function ignoreOffOptionsAbove(folder: string): ReadonlySet<IgnoreOffOption> {
  const off = new Set<IgnoreOffOption>();
  for (let at = folder; ; at = dirname(at)) {
    for (const option of ignoreOffOptionsFor(at)) off.add(option);
    if (dirname(at) === at) return off;
  }
}

/** Returns the options that ignore files below `folder` require, as far as the bound reaches. Links are not followed, as in searches. */
async function ignoreOffOptionsBelow(folder: string, signal: AbortSignal): Promise<ReadonlySet<IgnoreOffOption>> {
  const off = new Set<IgnoreOffOption>();
  const left = [folder];
  for (let looked = 0; looked < maxFolders && !signal.aborted; looked += 1) {
    const at = left.pop();
    if (at === undefined) break;
    const entries = await readdir(at, {withFileTypes: true}).catch(() => []);
    const isDoubtful = entries.some(entry =>
      entry.isFile() ? false : entry.name === '.git' || ignoreFileNames.has(entry.name),
    );
    if (isDoubtful) for (const option of ignoreOffOptionsFor(at)) off.add(option);
    for (const entry of entries) if (entry.isDirectory() && entry.name !== '.git') left.push(join(at, entry.name));
  }
  return off;
}

/** Aborts a run in `folder` that takes unusually long, if below it are endless ignore files of a kind that isn't turned off. */
export function watchForStuckRun(
  folder: string,
  off: ReadonlySet<IgnoreOffOption>,
): {readonly signal: AbortSignal} & Disposable {
  const ended = new AbortController();
  const stuck = new AbortController();
  const slow = setTimeout(() => {
    void look();
  }, slowMs);
  slow.unref();
  async function look(): Promise<void> {
    const below = await ignoreOffOptionsBelow(folder, ended.signal);
    if ([...below].some(option => !off.has(option))) stuck.abort();
  }
  return {
    signal: stuck.signal,
    [Symbol.dispose]() {
      clearTimeout(slow);
      ended.abort();
    },
  };
}

/** Milliseconds within which most listings end. */
const slowMs = 400;

const maxFolders = 20_000;

const ignoreFileNames: ReadonlySet<string> = new Set(ignoreFiles.map(([name]) => name));

const ignoreOffOptionsFor = (folder: string): readonly IgnoreOffOption[] =>
  ignoreFiles.flatMap(([name, option]) => (isPipeOrDevice(join(folder, name)) ? [option] : []));

/** True if the path leads to something that is neither a file nor a folder. */
export function isPipeOrDevice(path: string): boolean {
  try {
    const stats = statSync(path, {throwIfNoEntry: false});
    return stats !== undefined && !stats.isFile() && !stats.isDirectory();
  } catch {
    return false;
  }
}
