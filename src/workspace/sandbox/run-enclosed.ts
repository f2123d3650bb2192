import {spawn} from 'node:child_process';
import {once} from 'node:events';
import type {DecideChanges} from '../../actions/changes-port.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {withoutTerminals} from '../exec/hidden-terminals.ts';
import {childrenOf} from '../exec/process-table.ts';
import {sendSignal} from '../exec/process-tree.ts';
import {causeText} from '../../domain/fault.ts';
import {type BoundedText, makeBoundedText} from '../exec/command-output.ts';
import {type Attempt, type LaunchEnd, openLaunch} from './launch.ts';
import type {CommandSandbox, CommandStart, EncloseRequest, Enclosure, SandboxPolicy} from './sandbox.ts';

/** How a program in the sandbox ended, and its output. `output` is stdout and stderr together. A long output lacks its middle. */
export interface EnclosedEnd extends LaunchEnd {
  readonly end:
    | {readonly kind: 'exited'; readonly code: number}
    | {readonly kind: 'signalled'; readonly signal: NodeJS.Signals}
    | {readonly kind: 'timed-out'}
    | {readonly kind: 'aborted'}
    | {readonly kind: 'not-started'; readonly reason: string};
  readonly output: string;
  /** The two streams separately. */
  readonly stdout: string;
  readonly stderr: string;
}

/** Does not read the changes. For commands whose changes are dropped. */
export const skipChanges: SandboxPolicy['readChanges'] = async () => failed('the changes of this command are not read');

/** The maximum number of UTF-16 units of output to keep. */
const maxOutputLength = 30_000;

/**
 * Runs a command to its end, inside the sandbox or outside. It has no terminal, gets `input` on stdin, and has its own process group. The
 * group is killed when the command ends, when the time (milliseconds) is over, or when the signal aborts.
 */
export async function runEnclosed(
  sandbox: Pick<CommandSandbox, 'enclose'>,
  {
    timeoutMs,
    input,
    changes,
    ...request
  }: Omit<EncloseRequest, 'terminal'> & {
    readonly timeoutMs: number;
    readonly input: string | Uint8Array;
    /** Decides about the changes in the command's view of the workspace. With `none` the changes are dropped. */
    readonly changes: 'none' | DecideChanges;
  },
  signal: AbortSignal,
): Promise<Outcome<EnclosedEnd, string>> {
  const {argv, directory} = request;
  const launched = await openLaunch(sandbox, {...request, terminal: 'own'});
  if (launched.tag === 'failed') return launched;
  const launch = launched.value;
  const [program, ...args] = argv;
  const complete = (enclosure: Enclosure): CommandStart =>
    enclosure.kind === 'plain' ? {program, args, environment: {...request.environment}} : enclosure;
  const begun = await launch.begin(complete, signal)(async start => spawnRun(start, {directory, input}));
  if (begun.tag === 'failed') {
    const nothing = {output: '', stdout: '', stderr: ''};
    return ok({end: {kind: 'not-started', reason: begun.error}, ...nothing, ...(await launch.end('none', signal))});
  }
  const {pid, printed, closed} = begun.value;
  const {promise, resolve} = Promise.withResolvers<EnclosedEnd['end']>();
  const endAll = (end: EnclosedEnd['end']): void => {
    if (launch.isHeld && killFirstInside(pid)) void closed.then(() => resolve(end));
    else {
      killGroup(pid);
      resolve(end);
    }
  };
  const timer = setTimeout(() => endAll({kind: 'timed-out'}), timeoutMs);
  const abort = (): void => endAll({kind: 'aborted'});
  signal.addEventListener('abort', abort, {once: true});
  if (signal.aborted) abort();
  void closed.then(resolve);
  try {
    const end = await promise;
    const texts = {output: printed.output.text(''), stdout: printed.stdout.text(''), stderr: printed.stderr.text('')};
    return ok({end, ...texts, ...(await launch.end(changes, signal))});
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  }
}

interface Run {
  readonly pid: number;
  readonly printed: Readonly<Record<'output' | 'stdout' | 'stderr', BoundedText>>;
  /** Settles when the command has ended and its output is closed. */
  readonly closed: Promise<EnclosedEnd['end']>;
}

async function spawnRun(
  {program, args, environment}: CommandStart,
  {directory, input}: {readonly directory: string; readonly input: string | Uint8Array},
): Promise<Outcome<Attempt<Run>, string>> {
  const printed = {
    output: makeBoundedText(maxOutputLength),
    stdout: makeBoundedText(maxOutputLength),
    stderr: makeBoundedText(maxOutputLength),
  };
  const child = spawn(program, args, {
    cwd: directory,
    env: environment,
    stdio: withoutTerminals(['pipe', 'pipe', 'pipe']),
    detached: true,
  });
  const closed = Promise.withResolvers<EnclosedEnd['end']>();
  // The command may end before it has read all input.
  child.stdin.on('error', () => {});
  for (const name of ['stdout', 'stderr'] as const) {
    const decoder = new TextDecoder();
    child[name].on('data', (bytes: Buffer) => {
      const text = decoder.decode(bytes, {stream: true});
      printed.output.add(text);
      printed[name].add(text);
    });
  }
  child.once('close', (code, ending) =>
    closed.resolve(ending === null ? {kind: 'exited', code: code ?? 0} : {kind: 'signalled', signal: ending}),
  );
  try {
    await once(child, 'spawn');
  } catch (cause) {
    return failed(causeText(cause));
  }
  const pid = child.pid ?? 0;
  // Processes left in its group would hold the output open.
  child.once('exit', () => killGroup(pid));
  child.stdin.end(input);
  const discard = async (): Promise<string> => printed.output.text('');
  return ok({started: {pid, printed, closed: closed.promise}, ended: closed.promise, discard});
}

/**
 * Kills the first process of a held command, which is the started process's only child. The started process then ends
 * after the kernel has ended all others inside. Returns whether there is such a child.
 */
function killFirstInside(leader: number): boolean {
  const [first] = childrenOf(leader);
  if (first === undefined) return false;
  sendSignal(first, 'SIGKILL');
  return true;
}

/** Kills the started process's group, which includes the first process inside. The kernel then ends all others inside. */
const killGroup = (leader: number): void => sendSignal(-leader, 'SIGKILL');
