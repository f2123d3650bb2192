import {isPtyMaster, startTimeSync} from '../exec/process-table.ts';
import {spawn} from 'node:child_process';
import {constants} from 'node:os';
import {setTimeout as delay} from 'node:timers/promises';
import type {IPty} from '@lydell/node-pty';
import type {BlockState, ScreenSize} from '../../actions/ports.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {causeText} from '../../domain/fault.ts';
import {hideFromChildren, prepareHiding, withoutTerminals} from '../exec/hidden-terminals.ts';
import {type RunIds, trackMembers, treeOf} from '../exec/process-tree.ts';
import {findShell} from '../exec/trusted-path.ts';
import type {RemainingProcesses} from '../exec/shell.ts';
import type {Begin} from '../sandbox/launch.ts';

export type BlockEnd = Extract<BlockState, {readonly kind: 'exited' | 'signalled' | 'ended'}>;

/** The source of a block's output and the target of its input: a pseudo-terminal, or pipes if there is none. */
export interface BlockSource extends Omit<RunIds, 'runTag'> {
  readonly terminal: 'pty' | 'pipes';
  /** Whether the command accepts input. */
  readonly input: 'open' | 'none';
  /** Settles when the command has ended and the listener has all its output. Never rejects. */
  readonly ended: Promise<BlockEnd>;
  /** Call this once. */
  onData(listener: (bytes: Uint8Array) => void): void;
  /** `closed`: nothing reads the input. */
  write(text: string): 'written' | 'closed';
  resize(size: ScreenSize): void;
  /** Stops reading until `resume`. The command blocks once its pipe is full. */
  pause(): void;
  resume(): void;
  /** The open file that delivers the command's output, for another process that continues reading; `undefined` if there is none. */
  readonly descriptor: number | undefined;
  /** The system's name of the open file that the command writes to. Empty if weft has closed it or the system doesn't report it. */
  readonly output: string;
  close(): void;
}

/** Options for starting a command in its own source. */
export interface SourceRequest {
  readonly begin: Begin;
  readonly directory: string;
  readonly size: ScreenSize;
}

/** Starts a command in a pseudo-terminal. A failure says why this machine provides none. */
export function openPty({begin, directory, size}: SourceRequest): Promise<Outcome<BlockSource, string>> {
  return begin(async ({program, args, environment}) => {
    try {
      const {spawn: spawnPty} = await import('@lydell/node-pty');
      prepareHiding();
      const pty = spawnPty(program, [...args], {
        cols: size.columns,
        rows: size.rows,
        cwd: directory,
        env: environment,
        // The terminal delivers raw bytes, so that non-text output reaches the file unchanged.
        encoding: null,
      });
      const started = makePtySource(pty);
      return ok({started, ended: started.ended, discard: async () => textOf(started)});
    } catch (cause) {
      return failed(causeText(cause));
    }
  });
}

/** Returns all output of an ended command whose source has no listener. */
function textOf(source: BlockSource): string {
  const words: Uint8Array[] = [];
  source.onData(bytes => words.push(bytes));
  source.close();
  return Buffer.concat(words).toString();
}

export const leaderOf = ({leader, leaderStarted}: BlockSource): Pick<BlockSource, 'leader' | 'leaderStarted'> => ({
  leader,
  leaderStarted,
});

function makePtySource(pty: IPty): BlockSource {
  const ended = Promise.withResolvers<BlockEnd>();
  let open = true;
  const descriptor = 'fd' in pty && typeof pty.fd === 'number' ? pty.fd : undefined;
  const buffered: Uint8Array[] = [];
  let listen = (bytes: Uint8Array): void => void buffered.push(bytes);
  // Keep the output that arrives before there is a listener.
  pty.onData((data: unknown) =>
    listen(typeof data === 'string' ? Buffer.from(data) : data instanceof Uint8Array ? data : Buffer.alloc(0)),
  );
  const unhide = descriptor === undefined ? () => {} : hideFromChildren(descriptor);
  // An error of the terminal is followed by its exit event. Without a listener Node would throw the error.
  if ('on' in pty && typeof pty.on === 'function') pty.on('error', () => {});
  pty.onExit(({exitCode, signal}) => {
    open = false;
    unhide();
    ended.resolve(
      signal === undefined || signal === 0
        ? {kind: 'exited', code: exitCode}
        : {kind: 'signalled', signal: signalName(signal)},
    );
  });
  return {
    terminal: 'pty',
    input: 'open',
    leader: pty.pid,
    leaderStarted: startTimeSync(pty.pid),
    ended: ended.promise,
    get output() {
      if (!open || !('ptsName' in pty) || typeof pty.ptsName !== 'string') return '';
      // The library closes the terminal some time before the exit event.
      const isOpen = process.platform !== 'linux' || (descriptor !== undefined && isPtyMaster(descriptor, pty.ptsName));
      return isOpen ? pty.ptsName : '';
    },
    descriptor,
    onData(listener) {
      for (const bytes of buffered.splice(0)) listener(bytes);
      listen = listener;
    },
    write(text) {
      if (!open) return 'closed';
      pty.write(text);
      return 'written';
    },
    resize: ({columns, rows}) => attempt(() => pty.resize(columns, rows)),
    pause: () => attempt(() => pty.pause()),
    resume: () => attempt(() => pty.resume()),
    close: () =>
      attempt(() => {
        if ('destroy' in pty && typeof pty.destroy === 'function') pty.destroy();
      }),
  };

  /** The terminal may close at any moment. */
  function attempt(work: () => void): void {
    if (!open) return;
    try {
      work();
    } catch {
      open = false;
    }
  }
}

const signalName = (number: number): string =>
  Object.entries(constants.signals).find(([, value]) => value === number)?.[0] ?? `signal ${number}`;

/** Adds a redirection for the shell of `openPipes`: its errors go to the same place as its output. */
export const redirectErrors = (command: string): string => `exec 2>&1\n${command}`;

/** Starts a command on pipes, if there are no pseudo-terminals. Programs can't see that a user could answer. stderr is not read. */
export function openPipes({begin, directory}: SourceRequest): Promise<Outcome<BlockSource, string>> {
  return begin(async ({program, args, environment}) => {
    const child = spawn(program, args, {
      cwd: directory,
      env: environment,
      detached: true,
      stdio: withoutTerminals(['pipe', 'pipe', 'ignore']),
      windowsHide: true,
    });
    const ended = Promise.withResolvers<BlockEnd>();
    const started = Promise.withResolvers<Outcome<number, string>>();
    // The `close` event would not do: it doesn't come while no code reads the output.
    const exited = Promise.withResolvers<void>();
    child.once('exit', () => exited.resolve());
    child.once('spawn', () => started.resolve(ok(child.pid ?? 0)));
    child.on('error', cause => started.resolve(failed(causeText(cause))));
    child.once('close', (code, signal) =>
      ended.resolve(signal === null ? {kind: 'exited', code: code ?? 0} : {kind: 'signalled', signal}),
    );
    child.stdin.on('error', () => {});
    const outcome = await started.promise;
    if (outcome.tag === 'failed') return outcome;
    const source: BlockSource = {
      terminal: 'pipes',
      input: 'open',
      leader: outcome.value,
      leaderStarted: startTimeSync(outcome.value),
      ended: ended.promise,
      descriptor: undefined,
      output: '',
      onData: listener => void child.stdout.on('data', listener),
      write(text) {
        if (!child.stdin.writable) return 'closed';
        child.stdin.write(text);
        return 'written';
      },
      resize: () => {},
      pause: () => void child.stdout.pause(),
      resume: () => void child.stdout.resume(),
      close() {
        child.stdin.destroy();
        child.stdout.destroy();
      },
    };
    return ok({started: source, ended: exited.promise, discard: async () => textOf(source)});
  });
}

/** Milliseconds between two checks for living processes. */
const pollMs = 1000;

/**
 * Returns the source of a command whose output continues in its pipe and whose input is closed. The command was moved
 * to the background, or left processes running when its shell ended. `shell` is the shell's end, or `over` if the end
 * of the remaining processes can't be observed.
 */
export function remainingSource(
  left: Pick<RemainingProcesses, 'leader' | 'leaderStarted' | 'runTag' | 'pipe'>,
  shell: 'over' | Promise<BlockEnd>,
): BlockSource {
  const over = new AbortController();
  const output = (): string => (left.pipe === 'closed' || over.signal.aborted ? '' : left.pipe.name);
  const drained = Promise.withResolvers<void>();
  const reader = left.pipe === 'closed' ? undefined : left.pipe.reader;
  for (const event of ['end', 'error', 'close']) reader?.once(event, () => drained.resolve());
  if (reader === undefined || reader.destroyed || reader.readableEnded) drained.resolve();
  return {
    terminal: 'pipes',
    input: 'none',
    leader: left.leader,
    leaderStarted: left.leaderStarted,
    descriptor: left.pipe === 'closed' ? undefined : left.pipe.descriptor,
    ended: whenGone(),
    get output() {
      return output();
    },
    onData: listener => {
      reader?.on('data', listener);
      reader?.resume();
    },
    write: () => 'closed',
    resize: () => {},
    pause: () => void reader?.pause(),
    resume: () => void reader?.resume(),
    close() {
      if (over.signal.aborted) return;
      over.abort();
      if (left.pipe !== 'closed') left.pipe.close();
    },
  };

  async function whenGone(): Promise<BlockEnd> {
    // The shell was the parent of the remaining processes, so nothing collects their exit codes.
    const end: BlockEnd = shell === 'over' ? {kind: 'ended'} : await shell;
    const members = trackMembers(treeOf(left, output));
    while (!over.signal.aborted && (await members()).length > 0) {
      await delay(pollMs, undefined, {signal: over.signal, ref: false}).catch(() => {});
    }
    await Promise.race([drained.promise, delay(pollMs, undefined, {ref: false})]);
    return end;
  }
}

/** Checks whether this machine provides terminals for commands: starts a shell in one. Returns a sentence in both cases. */
export async function probeTerminal(signal: AbortSignal): Promise<Outcome<string, string>> {
  try {
    const {spawn: spawnPty} = await import('@lydell/node-pty');
    const pty = spawnPty(findShell(process.env, []), ['-c', 'test -t 0 && tty'], {
      cols: 80,
      rows: 24,
      env: {PATH: process.env['PATH'] ?? ''},
    });
    const {promise, resolve} = Promise.withResolvers<Outcome<string, string>>();
    let seen = '';
    pty.onData(text => {
      seen += text;
    });
    pty.onExit(({exitCode}) =>
      resolve(exitCode === 0 ? ok(seen.trim()) : failed('A shell started in a terminal but did not detect it')),
    );
    const late = (): void => {
      pty.kill();
      resolve(failed('A shell started in a terminal but did not answer'));
    };
    signal.addEventListener('abort', late, {once: true});
    try {
      return await promise;
    } finally {
      signal.removeEventListener('abort', late);
    }
  } catch (cause) {
    const [why = ''] = causeText(cause).split('\n');
    return failed(`No terminal for commands: ${why}`);
  }
}
