import {randomUUID} from 'node:crypto';
import {statSync} from 'node:fs';
import {setTimeout as delay} from 'node:timers/promises';
import type {ShellPort, ShellReport, ShellRequest} from '../actions/ports.ts';
import {causeText, rejected, type Fault} from '../domain/fault.ts';
import {collectOutput, type OutputCollector} from './bounded-output.ts';
import {endProcessTree, groupRemains} from './end-process-tree.ts';
import {findShell} from './find-shell.ts';
import type {OutputFolder} from './output-folder.ts';
import type {OutputPipe, OutputPipes} from './output-pipe.ts';
import {shellEnvironment, type Environment} from './shell-environment.ts';

/** Milliseconds of silence after which a pipe that outlives its shell is taken for a background process's. */
const drainIdleMs = 250;

/** Milliseconds such a pipe may go on talking. */
const drainMs = 1000;

/** The longest wait a timer can hold. */
const longestTimerMs = 2 ** 31 - 1;

/**
 * Runs commands in `directory`. The order of a run: start the shell in its own group; wait for its end, the time limit or
 * the abort; read what is still in the pipe; end what is left of the tree; settle.
 *
 * What a command left running in its group is ended with it. A process that took a session of its own and closed the
 * command's output is a service on its way to live on: it stays after a normal end, and goes with a time limit or an abort.
 */
export function makeShell(options: {
  readonly directory: string;
  readonly environment: Environment;
  /** What the user wants commands to have, whatever weft would set or withhold. */
  readonly ownVariables: Readonly<Record<string, string>>;
  /** Gets a file per command whose output is too long for the report. */
  readonly outputs: OutputFolder;
}): ShellPort {
  const {directory} = options;
  let shell: string | undefined;
  let pipes: OutputPipes | undefined;

  async function run(
    request: ShellRequest,
    observe: (chunk: string) => void,
    signal: AbortSignal,
  ): Promise<ShellReport> {
    const startedAt = performance.now();
    const mark = randomUUID();
    const output = collectOutput({newFile: options.outputs.newFile, observe});
    const settle = async (end: ShellReport['end']): Promise<ShellReport> => ({
      end,
      output: await output.finish(),
      durationMs: Math.round(performance.now() - startedAt),
      directory,
      nextDirectory: directory,
      leftRunning: [],
    });

    if (signal.aborted) return settle({kind: 'aborted'});
    const obstacle = findObstacle(request.command, directory);
    if (obstacle !== undefined) return settle({kind: 'not-started', fault: obstacle});
    shell ??= findShell(options.environment);

    const started = await startShell({shell, command: request.command, mark});
    if (started.tag === 'failed') return settle({kind: 'not-started', fault: started.fault});
    const {child, pipe} = started;
    try {
      const reading = readAll(pipe, output);
      return await settle(await follow({child, reading, mark, timeoutMs: request.timeoutMs}, signal));
    } finally {
      pipe.close();
    }
  }

  async function startShell(start: {
    readonly shell: string;
    readonly command: string;
    readonly mark: string;
  }): Promise<Started> {
    const {execa} = await import('execa');
    pipes ??= (await import('./output-pipe.ts')).makeOutputPipes();
    let pipe: OutputPipe;
    try {
      pipe = await pipes.open();
    } catch (cause) {
      return {tag: 'failed', fault: rejected(`The command was not started: ${causeText(cause)}`)};
    }
    const subprocess = execa(start.shell, ['-c', start.command], {
      cwd: directory,
      env: shellEnvironment({given: options.environment, own: options.ownVariables}, start.mark),
      extendEnv: false,
      stdin: 'ignore',
      stdout: pipe.writer,
      stderr: pipe.writer,
      killDescendants: true,
      reject: false,
    });
    pipe.closeWriter();
    const {pid} = subprocess;
    if (pid === undefined) {
      pipe.close();
      const result = await subprocess;
      const reason = result.failed ? (result.originalMessage ?? result.shortMessage) : 'no process was made';
      return {tag: 'failed', fault: rejected(`${start.shell} could not be started in ${directory}: ${reason}`)};
    }
    const ended = subprocess.then(({exitCode, signal}): ShellReport['end'] =>
      signal === undefined ? {kind: 'exited', code: exitCode ?? 0} : {kind: 'signalled', signal},
    );
    return {tag: 'ok', pipe, child: {pid, ended}};
  }

  return {directory, run};
}

type Started =
  | {readonly tag: 'ok'; readonly child: Child; readonly pipe: OutputPipe}
  | {readonly tag: 'failed'; readonly fault: Fault};

interface Child {
  readonly pid: number;
  /** How the shell itself ended; never rejects. */
  readonly ended: Promise<ShellReport['end']>;
}

interface Reading {
  /** Resolves when the last writer is gone, or the pipe broke. */
  readonly done: Promise<void>;
  /** Resolves when nothing has come for `drainIdleMs`, or `drainMs` are over. */
  quiet(): Promise<void>;
}

/** Waits for the end of the shell and of everything it started. */
async function follow(
  run: {readonly child: Child; readonly reading: Reading; readonly mark: string; readonly timeoutMs: number},
  signal: AbortSignal,
): Promise<ShellReport['end']> {
  const {child, reading} = run;
  const end = await firstEnd({ended: child.ended, timeoutMs: run.timeoutMs}, signal);
  const cut = end.kind === 'timed-out' || end.kind === 'aborted';
  const drained = cut ? 'open' : await Promise.race([reading.done.then(() => 'empty'), reading.quiet()]);
  if (drained !== 'empty' || groupRemains(child.pid)) {
    await endProcessTree({leader: child.pid, mark: run.mark});
    await Promise.race([Promise.all([reading.done, child.ended]), reading.quiet()]);
  }
  return end;
}

/** What comes first: the end of the shell, the time limit or the abort. */
async function firstEnd(
  run: {readonly ended: Promise<ShellReport['end']>; readonly timeoutMs: number},
  signal: AbortSignal,
): Promise<ShellReport['end']> {
  const {promise, resolve} = Promise.withResolvers<ShellReport['end']>();
  const abort = (): void => resolve({kind: 'aborted'});
  const timer = setTimeout(
    () => resolve({kind: 'timed-out', afterMs: run.timeoutMs}),
    Math.min(run.timeoutMs, longestTimerMs),
  );
  signal.addEventListener('abort', abort, {once: true});
  if (signal.aborted) abort();
  try {
    return await Promise.race([run.ended, promise]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  }
}

function readAll({reader}: OutputPipe, output: OutputCollector): Reading {
  let lastAt = 0;
  let paused = false;
  const done = Promise.withResolvers<void>();
  const proceed = (): void => {
    paused = false;
    reader.resume();
  };
  reader.on('data', (bytes: Buffer) => {
    lastAt = performance.now();
    const behind = output.push(bytes);
    if (behind === undefined) return;
    paused = true;
    reader.pause();
    void behind.then(proceed);
  });
  reader.once('error', () => done.resolve());
  reader.once('close', () => done.resolve());
  reader.once('end', () => done.resolve());

  return {
    done: done.promise,
    async quiet() {
      const until = performance.now() + drainMs;
      lastAt = performance.now();
      const over = new AbortController();
      void done.promise.then(() => over.abort());
      while (!over.signal.aborted) {
        const now = performance.now();
        const idleAt = paused ? now + drainIdleMs : lastAt + drainIdleMs;
        if (now >= idleAt || now >= until) return;
        await delay(Math.min(idleAt, until) - now, undefined, {signal: over.signal}).catch(() => {});
      }
    },
  };
}

/** The largest argument Linux hands to a program, with its closing byte. */
const longestCommand = 128 * 1024;

/** What would keep the command from starting, before anything is tried. */
function findObstacle(command: string, directory: string): Fault | undefined {
  if (command.includes('\0')) return rejected('The command holds a NUL character; leave it out.');
  if (Buffer.byteLength(command) >= longestCommand) {
    return rejected(`The command is ${Buffer.byteLength(command)} bytes long; write it to a script and run that.`);
  }
  if (isFolder(directory)) return undefined;
  return {
    kind: 'needs-user',
    message: `The command was not started: ${directory} is not a folder (any more).`,
    fix: 'Make the folder again, or start weft in another one.',
  };
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
