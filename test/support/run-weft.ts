import {spawn, type ChildProcessWithoutNullStreams} from 'node:child_process';
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';

export const weftBin = fileURLToPath(new URL('../../bin/weft.js', import.meta.url));

export interface Finished {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A home and a workspace of its own for the built program; both are gone when it is disposed. */
export class TempPlace implements Disposable {
  readonly home = mkdtempSync(join(tmpdir(), 'weft-home-'));
  readonly work = mkdtempSync(join(tmpdir(), 'weft-work-'));

  [Symbol.dispose](): void {
    for (const folder of [this.home, this.work]) rmSync(folder, {recursive: true, force: true});
  }

  /** The environment of a user without any configuration. */
  environment(more: Readonly<Record<string, string>> = {}): Record<string, string> {
    const path = [join(process.execPath, '..'), process.env['PATH'] ?? ''].join(':');
    return {
      PATH: path,
      HOME: this.home,
      WEFT_HOME: join(this.home, 'weft'),
      LANG: 'C.UTF-8',
      TMPDIR: tmpdir(),
      // What is not about the sandbox is the same with and without bubblewrap.
      WEFT_SANDBOX: 'native',
      // One for all tests: each has a home of its own, and would compile all of weft.
      WEFT_COMPILE_CACHE: process.env['WEFT_COMPILE_CACHE'] ?? 'off',
      ...more,
    };
  }
}

export interface RunOptions {
  readonly place: TempPlace;
  readonly environment?: Readonly<Record<string, string>>;
  /** Text to pipe in; `'open'` is a pipe on which nothing ever arrives. */
  readonly stdin?: {readonly text: string} | 'open';
}

/** Starts the built program; the caller talks to it and waits. */
export function startWeft(args: readonly string[], options: RunOptions): ChildProcessWithoutNullStreams {
  const {place, environment = {}, stdin = {text: ''}} = options;
  const child = spawn(process.execPath, [weftBin, ...args], {cwd: place.work, env: place.environment(environment)});
  child.stdin.on('error', () => {});
  if (stdin !== 'open') child.stdin.end(stdin.text);
  return child;
}

export async function finish(child: ChildProcessWithoutNullStreams): Promise<Finished> {
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
  return new Promise(resolve => {
    child.on('close', (code, signal) =>
      resolve({code, signal, stdout: Buffer.concat(stdout).toString(), stderr: Buffer.concat(stderr).toString()}),
    );
  });
}

/** Runs the built program to its end. */
export const runWeft = (args: readonly string[], options: RunOptions): Promise<Finished> =>
  finish(startWeft(args, options));
