import {setTimeout as delay} from 'node:timers/promises';
import type {OutputFilter, ShellPort, ShellReport, ShellRequest} from '../actions/ports.ts';
import {unlessAborted} from '../base/unless-aborted.ts';
import {causeText, rejected, type Fault} from '../domain/fault.ts';
import {collectOutput, type OutputCollector} from './bounded-output.ts';
import {
  endProcessTree,
  groupRemains,
  livingMembers,
  trackMembers,
  treeOf,
  type ProcessTree,
} from './end-process-tree.ts';
import {findObstacle, isFolder} from './find-obstacle.ts';
import {findShell} from './find-shell.ts';
import {isReadingTerminal} from './blocks/input-wait.ts';
import type {Guard} from './guard.ts';
import {nextDirectory} from './next-directory.ts';
import type {OutputFolder} from './output-folder.ts';
import type {OutputPipe, OutputPipes} from './output-pipe.ts';
import type {ProcessRow} from './process-table.ts';
import type {RunMarks} from './run-marks.ts';
import {droppedNote} from './trusted-path.ts';
import {shellEnvironment, type VariableSources} from './shell-environment.ts';
import {startedWith, type Prelude, type Preludes} from './shell-prelude.ts';

/** Milliseconds of silence after which a pipe that outlives its shell is taken for a background process's. */
const drainIdleMs = 250;

/** Milliseconds such a pipe may go on talking. */
const drainMs = 1000;

/** Milliseconds in which a process that has closed its output may end before it counts as left running. */
const partingMs = 150;

/** Milliseconds of silence before a command that pages is looked at. */
const keysMs = 1500;

/** The longest wait a timer can hold. */
const longestTimerMs = 2 ** 31 - 1;

export interface ShellOptions {
  /** The workspace folders; commands start in the first until a `cd` leads elsewhere inside them. */
  readonly roots: readonly [string, ...string[]];
  readonly variables: VariableSources;
  /** Gets a file per command whose output is too long for the report. */
  readonly outputs: OutputFolder;
  /** Each output goes through one of its own before anything else sees it. */
  readonly filter: () => OutputFilter;
  /** What the commands of this weft share; made when the first one starts. */
  readonly ground: () => Promise<RunGround>;
  /** Takes over what a command left running, and answers with the line that says so. */
  readonly adopt: (left: LeftProcesses) => Promise<string>;
}

export interface RunGround {
  readonly marks: RunMarks;
  readonly guard: Guard;
  readonly preludes: Preludes;
}

/** What lives on when its shell has ended. */
export interface LeftProcesses {
  readonly command: string;
  readonly directory: string;
  readonly mark: string;
  /** The group of the shell. */
  readonly leader: number;
  readonly members: readonly ProcessRow[];
  /** What they write, which nobody reads any more; the taker closes it. `closed` where they write elsewhere. */
  readonly pipe: OutputPipe | 'closed';
}

/**
 * Runs commands. The order of a run: start the shell in its own group; wait for its end, the time limit or the abort; read
 * what is still in the pipe; see what is left of the tree; settle.
 *
 * A time limit or an abort ends the whole tree. After a normal end what the command left running (`npm run dev &`, a daemon)
 * goes on, in a block of its own, and ends with weft unless the user keeps it.
 */
export function makeShell(options: ShellOptions): ShellPort {
  const [root] = options.roots;
  let directory = root;
  let shell: string | undefined;
  let pipes: OutputPipes | undefined;

  async function run(
    request: ShellRequest,
    observe: (chunk: string) => void,
    signal: AbortSignal,
  ): Promise<ShellReport> {
    const startedAt = performance.now();
    const output = filtered(options.filter(), collectOutput({newFile: options.outputs.newFile, observe}));
    const gone = directory !== root && !isFolder(directory);
    const from = gone ? root : directory;
    const notes = gone ? [`${directory} is gone; the command ran in ${root}`] : [];
    directory = from;
    const settle = async (end: ShellReport['end'], more: Partial<ShellReport> = {}): Promise<ShellReport> => ({
      end,
      output: await output.finish(),
      durationMs: Math.round(performance.now() - startedAt),
      directory: from,
      nextDirectory: directory,
      leftRunning: [],
      notes,
      ...more,
    });

    if (signal.aborted) return settle({kind: 'aborted'});
    const obstacle = findObstacle(request.command, from);
    if (obstacle !== undefined) return settle({kind: 'not-started', fault: obstacle});
    const ground = await options.ground();
    const mark = ground.marks.next();
    const prelude = ground.preludes.open();
    try {
      const started = await startShell({...request, directory: from, mark, prelude});
      if (started.tag === 'failed') return await settle({kind: 'not-started', fault: started.fault});
      const {child, pipe} = started;
      ground.guard.watch(child.pid);
      const reading = readAll(pipe, output);
      const {end, left, waited} = await follow({...request, child, reading, mark, output: pipe.name}, signal);
      if (request.environment === 'guarded') notes.push(...droppedNote(request.command, end, options));
      if (waited === 'for-keys')
        notes.push(
          'it waited for keys that nobody could press, so weft ended it; with wait_until_completion: false it gets a terminal',
        );
      if (end.kind === 'exited') {
        const next = nextDirectory({roots: options.roots, from, reported: prelude.directory()});
        ({directory} = next);
        notes.push(...next.notes);
      }
      if (left.length === 0) {
        pipe.close();
        ground.guard.left(child.pid);
        return await settle(end);
      }
      reading.release();
      const settled = await settle(end);
      const line = await options.adopt({
        command: request.command,
        directory: from,
        mark,
        leader: child.pid,
        members: left,
        pipe,
      });
      return {...settled, leftRunning: [line]};
    } finally {
      prelude.release();
    }
  }

  async function startShell(
    start: ShellRequest & {readonly directory: string; readonly mark: string; readonly prelude: Prelude},
  ): Promise<Started> {
    const {execa} = await import('execa');
    pipes ??= (await import('./output-pipe.ts')).makeOutputPipes();
    shell ??= findShell(options.variables.given, options.roots);
    let pipe: OutputPipe;
    try {
      pipe = await pipes.open();
    } catch (cause) {
      return {tag: 'failed', fault: rejected(`The command was not started: ${causeText(cause)}`)};
    }
    const subprocess = execa(shell, ['-c', start.command], {
      cwd: start.directory,
      env: {
        ...shellEnvironment(options.variables, {...start, channel: 'pipes'}),
        ...startedWith(shell, start.prelude),
      },
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
      return {
        tag: 'failed',
        fault: rejected(`${shell} could not be started in ${start.directory}: ${reason}`),
      };
    }
    const ended = subprocess.then(({exitCode, signal}): ShellReport['end'] =>
      signal === undefined ? {kind: 'exited', code: exitCode ?? 0} : {kind: 'signalled', signal},
    );
    return {tag: 'ok', pipe, child: {pid, ended}};
  }

  return {
    get directory() {
      return directory;
    },
    run,
  };
}

/** The collector behind the filter: what the filter holds back comes with the end. */
function filtered(filter: OutputFilter, output: OutputCollector): OutputCollector {
  return {
    push: bytes => output.push(filter.push(bytes)),
    async finish() {
      await output.push(filter.end());
      return output.finish();
    },
  };
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
  silentMs(): number;
  /** Whether what came has the looks of a full-screen program. */
  hasDrawnScreen(): boolean;
  /** Stops reading; what comes now waits for the next reader. */
  release(): void;
}

/** Waits for the end of the shell, and ends or finds what is left of its tree. */
async function follow(
  run: Pick<ShellRequest, 'timeoutMs' | 'paging'> & {
    readonly child: Child;
    readonly reading: Reading;
    readonly mark: string;
    /** What the system calls the pipe it writes to. */
    readonly output: string;
  },
  signal: AbortSignal,
): Promise<{
  readonly end: ShellReport['end'];
  readonly left: readonly ProcessRow[];
  readonly waited: 'no' | 'for-keys';
}> {
  const {child, reading} = run;
  const ids = {leader: child.pid, mark: run.mark};
  const tree = treeOf(ids, run.output);
  const over = new AbortController();
  const waiting = whenWaitingForKeys({tree, reading, paging: run.paging}, over.signal);
  const first = await firstEnd({ended: child.ended, waiting, timeoutMs: run.timeoutMs}, signal);
  over.abort();
  if (first === 'for-keys') {
    await endProcessTree(tree, 'short');
    return {end: await child.ended, left: [], waited: first};
  }
  const end = first;
  const waited = 'no';
  if (end.kind === 'timed-out' || end.kind === 'aborted') {
    await endProcessTree(tree, end.kind === 'aborted' ? 'short' : 'long');
    await Promise.race([Promise.all([reading.done, child.ended]), reading.quiet()]);
    return {end, left: [], waited};
  }
  const emptied = Promise.race([
    reading.done.then(() => 'empty' as const),
    reading.quiet().then(() => 'open' as const),
  ]);
  const drained = await unlessAborted(emptied, signal);
  const until = performance.now() + (drained === 'empty' ? partingMs : 0);
  const rest = drained === 'empty' ? treeOf(ids) : tree;
  for (;;) {
    // Where the system shows no environments only the group can be asked, which costs nothing.
    const asked = process.platform === 'linux' || groupRemains(child.pid);
    const left = asked ? await livingMembers(rest) : [];
    if (left.length === 0) return {end, left, waited};
    if (signal.aborted) {
      await endProcessTree(tree, 'short');
      return {end, left: [], waited};
    }
    if (performance.now() >= until) return {end, left, waited};
    await delay(10);
  }
}

/**
 * Resolves when a silent command surely or most likely waits for keys that nobody will press. It was given no terminal, so it
 * made one itself (`script`) and one of its processes is blocked reading it, which is looked for in commands that page; or it has
 * drawn a full screen without one (`vim`) and all its processes sleep.
 */
async function whenWaitingForKeys(
  run: {readonly tree: ProcessTree; readonly reading: Reading; readonly paging: ShellRequest['paging']},
  over: AbortSignal,
): Promise<'for-keys'> {
  const members = trackMembers(run.tree);
  for (;;) {
    await delay(250, undefined, {ref: false});
    if (over.aborted) return new Promise<never>(() => {});
    const drawn = run.reading.hasDrawnScreen();
    if (run.reading.silentMs() < keysMs || (!drawn && run.paging === 'unexpected')) continue;
    const alive = await members();
    if (drawn && alive.every(({state}) => state !== 'running')) return 'for-keys';
    if (run.paging === 'expected' && alive.some(({pid}) => isReadingTerminal(pid))) return 'for-keys';
  }
}

/** What comes first: the end of the shell, the time limit or the abort. */
async function firstEnd(
  run: {
    readonly ended: Promise<ShellReport['end']>;
    readonly waiting: Promise<'for-keys'>;
    readonly timeoutMs: number;
  },
  signal: AbortSignal,
): Promise<ShellReport['end'] | 'for-keys'> {
  const {promise, resolve} = Promise.withResolvers<ShellReport['end']>();
  const abort = (): void => resolve({kind: 'aborted'});
  const timer = setTimeout(
    () => resolve({kind: 'timed-out', afterMs: run.timeoutMs}),
    Math.min(run.timeoutMs, longestTimerMs),
  );
  signal.addEventListener('abort', abort, {once: true});
  if (signal.aborted) abort();
  try {
    return await Promise.race([run.ended, promise, run.waiting]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  }
}

function readAll({reader}: OutputPipe, output: OutputCollector): Reading {
  let lastAt = performance.now();
  let paused = false;
  let placed = 0;
  const done = Promise.withResolvers<void>();
  const proceed = (): void => {
    paused = false;
    if (!released) reader.resume();
  };
  let released = false;
  const take = (bytes: Buffer): void => {
    lastAt = performance.now();
    if (placed < screenful) placed += placements(bytes);
    const behind = output.push(bytes);
    if (behind === undefined) return;
    paused = true;
    reader.pause();
    void behind.then(proceed);
  };
  reader.on('data', take);
  reader.once('error', () => done.resolve());
  reader.once('close', () => done.resolve());
  reader.once('end', () => done.resolve());

  return {
    done: done.promise,
    hasDrawnScreen: () => placed >= screenful,
    silentMs: () => performance.now() - lastAt,
    release() {
      released = true;
      reader.off('data', take);
      reader.pause();
    },
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

/** Text put at a place of the screen so many times, or on the second screen, is a full-screen program's. */
const screenful = 8;

function placements(bytes: Buffer): number {
  if (!bytes.includes(escape)) return 0;
  const text = bytes.toString('latin1');
  return (text.match(placement)?.length ?? 0) + (secondScreen.test(text) ? screenful : 0);
}

const escape = 0x1b;
/* oxlint-disable no-control-regex -- escape sequences are what is looked for */
const placement = /\u001b\[\d+;\d+H/gu;
const secondScreen = /\u001b\[\?(?:1049|1047|47)h/u;
/* oxlint-enable no-control-regex */
