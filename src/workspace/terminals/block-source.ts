import {isMasterOf, startAtOnce} from '../exec/process-table.ts';
import {spawn} from 'node:child_process';
import {constants} from 'node:os';
import {setTimeout as delay} from 'node:timers/promises';
import type {IPty} from '@lydell/node-pty';
import type {BlockState, ScreenSize} from '../../actions/ports.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {causeText} from '../../domain/fault.ts';
import {hideFromChildren, prepareToHide, withoutTerminals} from '../exec/hidden-terminals.ts';
import {type RunIds, trackMembers, treeOf} from '../exec/process-tree.ts';
import {findShell} from '../exec/shell-start.ts';
import type {RemainingProcesses} from '../exec/shell.ts';
import type {Begin} from '../sandbox/launch.ts';

export type BlockEnd = Extract<BlockState, {readonly kind: 'exited' | 'signalled' | 'ended'}>;

/** Where the output of a block comes from and its input goes: a pseudo-terminal, or pipes where there is none. */
export interface BlockSource extends Omit<RunIds, 'runTag'> {
  readonly terminal: 'pty' | 'pipes';
  /** Whether the command can be written to. */
  readonly input: 'open' | 'none';
  /** Settles when the command has ended and all its output has been given to the listener. Never rejects. */
  readonly ended: Promise<BlockEnd>;
  /** To be called once. */
  onData(listener: (bytes: Uint8Array) => void): void;
  /** `closed`: nobody reads what is written. */
  write(text: string): 'written' | 'closed';
  resize(size: ScreenSize): void;
  /** Between the two nothing is read, and the command waits once its pipe is full. */
  pause(): void;
  resume(): void;
  /** The open file that the command's output comes through, for somebody who goes on reading it; `undefined` for none. */
  readonly descriptor: number | undefined;
  /** What the system calls the open file that the command writes to, while it is open here; empty where it does not tell. */
  readonly output: string;
  /** Gives back what is open. */
  close(): void;
}

/** What starts a command in a source of its own. */
export interface SourceRequest {
  readonly begin: Begin;
  readonly directory: string;
  readonly size: ScreenSize;
}

/** Starts a command in a pseudo-terminal. A failure says why this machine gives none. */
export function openPty({begin, directory, size}: SourceRequest): Promise<Outcome<BlockSource, string>> {
  return begin(async ({program, args, environment}) => {
    try {
      const {spawn: spawnPty} = await import('@lydell/node-pty');
      prepareToHide();
      const pty = spawnPty(program, [...args], {
        cols: size.columns,
        rows: size.rows,
        cwd: directory,
        env: environment,
        // Bytes as they are: what is no text must survive in the file.
        encoding: null,
      });
      const started = sourceOf(pty);
      return ok({started, ended: started.ended, discard: async () => textOf(started)});
    } catch (cause) {
      return failed(causeText(cause));
    }
  });
}

/** What a command whose source nobody has listened to has printed until its end. */
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

function sourceOf(pty: IPty): BlockSource {
  const ended = Promise.withResolvers<BlockEnd>();
  let open = true;
  const descriptor = 'fd' in pty && typeof pty.fd === 'number' ? pty.fd : undefined;
  const early: Uint8Array[] = [];
  let listen = (bytes: Uint8Array): void => void early.push(bytes);
  // What comes while nobody listens would be lost.
  pty.onData((data: unknown) =>
    listen(typeof data === 'string' ? Buffer.from(data) : data instanceof Uint8Array ? data : Buffer.alloc(0)),
  );
  const showAgain = descriptor === undefined ? () => {} : hideFromChildren(descriptor);
  // Trouble with the terminal is its end, which comes by itself; without a listener it would be thrown at everybody.
  if ('on' in pty && typeof pty.on === 'function') pty.on('error', () => {});
  pty.onExit(({exitCode, signal}) => {
    open = false;
    showAgain();
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
    leaderStarted: startAtOnce(pty.pid),
    ended: ended.promise,
    get output() {
      if (!open || !('ptsName' in pty) || typeof pty.ptsName !== 'string') return '';
      // The library closes it some time before it tells.
      const isOpen = process.platform !== 'linux' || (descriptor !== undefined && isMasterOf(descriptor, pty.ptsName));
      return isOpen ? pty.ptsName : '';
    },
    descriptor,
    onData(listener) {
      for (const bytes of early.splice(0)) listener(bytes);
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

  /** The terminal may be gone at any moment. */
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

/** For the shell of `openPipes`: its errors go where its output goes. */
export const withErrorsInOutput = (command: string): string => `exec 2>&1\n${command}`;

/** Starts a command with pipes, where there are no pseudo-terminals: programs do not know that somebody could answer. Its stderr is not read. */
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
    // With what it prints nobody listens yet: then it is not closed.
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
      leaderStarted: startAtOnce(outcome.value),
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

/** Milliseconds between two looks whether somebody still lives. */
const lookMs = 1000;

/**
 * A command whose output goes on in its pipe and whose input is closed: what one left running when its shell ended, or one that was
 * moved to the background. `shell` is the end of its shell, `over` where nobody can see how the rest ends.
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
    // The parent of what is left was the shell: nobody was there to collect its exit code.
    const end: BlockEnd = shell === 'over' ? {kind: 'ended'} : await shell;
    const members = trackMembers(treeOf(left, output));
    while (!over.signal.aborted && (await members()).length > 0) {
      await delay(lookMs, undefined, {signal: over.signal, ref: false}).catch(() => {});
    }
    await Promise.race([drained.promise, delay(lookMs, undefined, {ref: false})]);
    return end;
  }
}

/** Whether this machine gives commands a terminal: starts a shell in one and asks it. In words either way. */
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
      resolve(exitCode === 0 ? ok(seen.trim()) : failed('A shell was started in a terminal and found none')),
    );
    const late = (): void => {
      pty.kill();
      resolve(failed('A shell was started in a terminal and did not answer'));
    };
    signal.addEventListener('abort', late, {once: true});
    try {
      return await promise;
    } finally {
      signal.removeEventListener('abort', late);
    }
  } catch (cause) {
    return failed(`No terminal for commands: ${causeText(cause)}`);
  }
}
