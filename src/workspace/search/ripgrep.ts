import {statSync} from 'node:fs';
import {readdir} from 'node:fs/promises';
import {createRequire} from 'node:module';
import {dirname, join} from 'node:path';
import {execa} from 'execa';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import type {Fault} from '../../domain/fault.ts';
import type {Environment} from '../exec/shell-environment.ts';
import {findProgram} from '../exec/trusted-path.ts';

/** How a search ended. `complaint` is what it wrote to stderr, empty when all went well. */
export type SearchEnd =
  | {readonly kind: 'finished'; readonly complaint: string}
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
  /** Gets each piece of the output; `enough` ends the run. */
  readonly onPiece: (bytes: Buffer) => 'more' | 'enough';
}

/** Milliseconds that a run may take in all, or without output: it may wait for a pipe in the place of an ignore file. */
const limitMs = 10_000;

const longestComplaint = 2000;

/** Runs ripgrep and hands its output on. The process is gone when the promise resolves. */
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
  let complaint = '';
  subprocess.stdout.on('data', (bytes: Buffer) => {
    if (run.limit === 'idle') late.refresh();
    if (killed === undefined && run.onPiece(bytes) === 'enough') end('enough');
  });
  subprocess.stderr.on('data', (bytes: Buffer) => {
    complaint = (complaint + bytes.toString('utf8')).slice(0, longestComplaint);
  });

  const result = await subprocess;
  clearTimeout(late);
  if (killed !== undefined) return {kind: killed};
  if (result.isCanceled) return {kind: 'stopped'};
  if (result.exitCode === undefined) return {kind: 'not-started', reason: result.shortMessage ?? 'no process was made'};
  // 1 means that nothing was found; 2 comes with a complaint, or after files that could not be read.
  return {kind: 'finished', complaint: result.exitCode === 2 ? complaint.trim().replace(/^rg: /u, '') : ''};
}

/** Finds a file inside an installed package; throws when there is none. */
type ResolveModule = (id: string, from: string) => string;

/** The ripgrep that searches: that of weft's own package, else one that the user has installed. */
export interface SearchBinary {
  readonly path: string;
  readonly origin: 'package' | 'PATH';
}

/** Finds ripgrep. The one on PATH has another version than weft's package, so it comes second. */
export function findSearchBinary(
  resolve: ResolveModule = resolveInstalled,
  find: (name: string) => string | undefined = findProgram,
): Outcome<SearchBinary, Fault> {
  const {platform, arch} = process;
  const program = platform === 'win32' ? 'rg.exe' : 'rg';
  try {
    // The program is a dependency of the package, so the package is where to look from.
    const owner = resolve('@vscode/ripgrep', import.meta.url);
    return ok({path: resolve(`@vscode/ripgrep-${platform}-${arch}/bin/${program}`, owner), origin: 'package'});
  } catch {
    const path = find(program);
    if (path !== undefined) return ok({path, origin: 'PATH'});
    return failed({
      kind: 'needs-user',
      message: `The search program ripgrep (${program}) is neither installed with weft nor on PATH.`,
      fix: 'Install ripgrep (such as "apt install ripgrep" or "brew install ripgrep"), or install weft again with its optional dependencies.',
    });
  }
}

const resolveInstalled: ResolveModule = (id, from) => createRequire(from).resolve(id);

/*
 * ripgrep opens the ignore files of each folder it comes to, and of the folders above. It would wait for ever for a pipe in the place
 * of one, and take up all memory on a device. Rules of that kind are then left alone.
 */

/** An option of ripgrep by which it reads no ignore files of one kind. */
export type RulesOff = '--no-ignore-vcs' | '--no-ignore-dot';

const kinds: readonly (readonly [string, RulesOff])[] = [
  ['.gitignore', '--no-ignore-vcs'],
  ['.git/info/exclude', '--no-ignore-vcs'],
  ['.ignore', '--no-ignore-dot'],
  ['.rgignore', '--no-ignore-dot'],
];

export const allRules: ReadonlySet<RulesOff> = new Set(kinds.map(([, option]) => option));

/** For a search in `folder`, because of its ignore files and those of the folders above it. */
export function rulesOffAbove(folder: string): ReadonlySet<RulesOff> {
  const off = new Set<RulesOff>();
  for (let at = folder; ; at = dirname(at)) {
    for (const option of rulesOffIn(at)) off.add(option);
    if (dirname(at) === at) return off;
  }
}

/** Because of ignore files below `folder`, as far as the bound reaches. Links are not followed, as searches do not. */
async function rulesOffBelow(folder: string, signal: AbortSignal): Promise<ReadonlySet<RulesOff>> {
  const off = new Set<RulesOff>();
  const left = [folder];
  for (let looked = 0; looked < maxFolders && !signal.aborted; looked += 1) {
    const at = left.pop();
    if (at === undefined) break;
    const entries = await readdir(at, {withFileTypes: true}).catch(() => []);
    const isDoubtful = entries.some(entry => (entry.isFile() ? false : entry.name === '.git' || names.has(entry.name)));
    if (isDoubtful) for (const option of rulesOffIn(at)) off.add(option);
    for (const entry of entries) if (entry.isDirectory() && entry.name !== '.git') left.push(join(at, entry.name));
  }
  return off;
}

/** Aborts where a run in `folder` takes longer than most and finds endless ignore files below, of rules that are not off. */
export function whenStuck(folder: string, off: ReadonlySet<RulesOff>): {readonly signal: AbortSignal} & Disposable {
  const ended = new AbortController();
  const stuck = new AbortController();
  const slow = setTimeout(() => {
    void look();
  }, slowMs);
  slow.unref();
  async function look(): Promise<void> {
    const below = await rulesOffBelow(folder, ended.signal);
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

/** Milliseconds that most listings take. */
const slowMs = 400;

const maxFolders = 20_000;

const names: ReadonlySet<string> = new Set(kinds.map(([name]) => name));

const rulesOffIn = (folder: string): readonly RulesOff[] =>
  kinds.flatMap(([name, option]) => (isEndless(join(folder, name)) ? [option] : []));

/** Whether something is there that is neither a file nor a folder, or a link to such a thing. */
export function isEndless(path: string): boolean {
  try {
    const stats = statSync(path, {throwIfNoEntry: false});
    return stats !== undefined && !stats.isFile() && !stats.isDirectory();
  } catch {
    return false;
  }
}
