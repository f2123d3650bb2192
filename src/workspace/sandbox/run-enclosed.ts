import {spawn} from 'node:child_process';
import {withoutTerminals} from '../exec/hidden-terminals.ts';
import {causeText} from '../../domain/fault.ts';
import {makeBoundedText} from '../exec/command-output.ts';
import type {EnclosedStart} from './sandbox.ts';

/** How a program that ran inside ended, with what it printed (stdout and stderr together, the middle left out where it is long). */
export interface EnclosedEnd {
  readonly end:
    | {readonly kind: 'exited'; readonly code: number}
    | {readonly kind: 'signalled'; readonly signal: string}
    | {readonly kind: 'timed-out'}
    | {readonly kind: 'aborted'}
    | {readonly kind: 'not-started'; readonly reason: string};
  readonly output: string;
  /** Sentences on what weft put right afterwards. */
  readonly notes: readonly string[];
}

/** UTF-16 units of output that are kept. */
const outputBound = 30_000;

/**
 * Runs what was enclosed to its end, without a terminal and with `input` on stdin, in a process group of its own, which is ended when the
 * time (milliseconds) is over or the signal aborts.
 */
export async function runEnclosed(
  start: Pick<EnclosedStart, 'program' | 'args' | 'environment' | 'release'>,
  {timeoutMs, directory, input}: {readonly timeoutMs: number; readonly directory: string; readonly input: string},
  signal: AbortSignal,
): Promise<EnclosedEnd> {
  const output = makeBoundedText(outputBound);
  const child = spawn(start.program, start.args, {
    cwd: directory,
    env: start.environment,
    stdio: withoutTerminals(['pipe', 'pipe', 'pipe']),
    detached: true,
  });
  const {promise, resolve} = Promise.withResolvers<EnclosedEnd['end']>();
  const endAll = (end: EnclosedEnd['end']): void => {
    if (child.pid !== undefined) killGroup(child.pid);
    resolve(end);
  };
  const timer = setTimeout(() => endAll({kind: 'timed-out'}), timeoutMs);
  const abort = (): void => endAll({kind: 'aborted'});
  signal.addEventListener('abort', abort, {once: true});
  if (signal.aborted) abort();
  // It may end before it has read all.
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  for (const stream of [child.stdout, child.stderr]) {
    const decoder = new TextDecoder();
    stream.on('data', (bytes: Buffer) => output.add(decoder.decode(bytes, {stream: true})));
  }
  child.once('error', cause => resolve({kind: 'not-started', reason: causeText(cause)}));
  child.once('close', (code, ending) =>
    resolve(ending === null ? {kind: 'exited', code: code ?? 0} : {kind: 'signalled', signal: ending}),
  );
  try {
    const end = await promise;
    return {end, output: output.text(''), notes: start.release()};
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  }
}

/** The first process inside is in the group of the one that was started; with it the kernel ends all others inside. */
function killGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}
