import {execa} from 'execa';
import type {Environment} from './shell-environment.ts';

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
  /** Gets each line of the output without its end; `enough` ends the search. */
  readonly onLine: (line: string) => 'more' | 'enough';
}

/** Milliseconds a search may take. */
const searchLimitMs = 10_000;

const longestComplaint = 2000;

/** Runs ripgrep and hands its output on line by line. The process is gone when the promise resolves. */
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
    timeout: searchLimitMs,
    cancelSignal: signal,
    killSignal: 'SIGKILL',
  });
  let enough = false;
  let rest = '';
  let complaint = '';
  const take = (line: string): void => {
    if (enough || run.onLine(line) === 'more') return;
    enough = true;
    subprocess.kill();
  };
  const decoder = new TextDecoder();
  subprocess.stdout.on('data', (bytes: Buffer) => {
    if (enough) return;
    const lines = (rest + decoder.decode(bytes, {stream: true})).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) take(line);
  });
  subprocess.stderr.on('data', (bytes: Buffer) => {
    complaint = (complaint + bytes.toString('utf8')).slice(0, longestComplaint);
  });

  const result = await subprocess;
  if (rest !== '') take(rest);
  if (enough) return {kind: 'enough'};
  if (result.timedOut) return {kind: 'too-slow'};
  if (result.isCanceled) return {kind: 'stopped'};
  if (result.exitCode === undefined) return {kind: 'not-started', reason: result.shortMessage ?? 'no process was made'};
  // 1 means that nothing was found; 2 comes with a complaint, or after files that could not be read.
  return {kind: 'finished', complaint: result.exitCode === 2 ? complaint.trim().replace(/^rg: /u, '') : ''};
}
