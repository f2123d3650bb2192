import {spawn} from 'node:child_process';
import type {Environment} from '../shell-environment.ts';

export interface ListRun {
  readonly binary: string;
  readonly options: readonly string[];
  readonly directory: string;
  readonly environment: Environment;
  /** Gets each path without its leading `./`, only valid during the call; `enough` ends the listing. */
  readonly onPath: (path: Uint8Array) => 'more' | 'enough';
  /** After every piece of output has been taken. */
  readonly onPiece: () => void;
}

/** Milliseconds without a path after which a listing ends: it may wait for a pipe in the place of an ignore file. */
const idleMs = 10_000;

/** Lists files with ripgrep, NUL between them. Settles when the process is gone; a listing that fails has listed what it could. */
export async function listFiles(run: ListRun, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const {promise, resolve} = Promise.withResolvers<undefined>();
  const child = spawn(run.binary, ['--null', '--files', ...run.options, './'], {
    cwd: run.directory,
    env: run.environment,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const end = (): void => void child.kill('SIGKILL');
  signal.addEventListener('abort', end);
  const idle = setTimeout(end, idleMs);
  idle.unref();
  let rest = new Uint8Array(0);
  let state: 'more' | 'enough' = 'more';
  child.stdout.on('data', (bytes: Buffer) => {
    idle.refresh();
    if (state === 'enough' || signal.aborted) return;
    const all = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
    let from = 0;
    for (let to = all.indexOf(0, from); to >= 0 && state === 'more'; to = all.indexOf(0, from)) {
      const start = all[from] === dot && all[from + 1] === slash ? from + 2 : from;
      state = run.onPath(all.subarray(start, to));
      from = to + 1;
    }
    rest = Uint8Array.prototype.slice.call(all, from);
    if (state === 'enough') end();
    run.onPiece();
  });
  child.on('error', () => resolve(undefined));
  child.on('close', () => resolve(undefined));
  await promise;
  clearTimeout(idle);
  signal.removeEventListener('abort', end);
}

const dot = 0x2e;
const slash = 0x2f;
