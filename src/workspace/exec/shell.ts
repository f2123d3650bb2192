import {firstLine} from '../../base/clip.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {isFolder} from '../files/list-folder.ts';
import type {Readable} from 'node:stream';
import {setTimeout as delay} from 'node:timers/promises';
import type {
  BoundedOutput,
  OutputFilter,
  OwnTerminal,
  ShellPort,
  ShellReport,
  ShellRequest,
} from '../../actions/ports.ts';
import {type ChangesOutcome, changesTexts, markAsBackground, emptyChangesOutcome} from '../../actions/changes-port.ts';
import {raceAbort} from '../../base/race.ts';
import {causeText, rejected, type Fault} from '../../domain/fault.ts';
import type {BlockId} from '../../domain/ids.ts';
import {collectOutput, type OutputCollector, type RawOutput} from './command-output.ts';
import {
  endProcessTree,
  groupRemains,
  livingMembers,
  trackMembers,
  treeOf,
  type ProcessTree,
  type RunIds,
} from './process-tree.ts';
import {findStartProblem, nextDirectory, type Preludes, preludeVariables} from './shell-start.ts';
import {isReadingTerminal, fullScreenThreshold, countCursorMoves} from './input-wait.ts';
import type {ProcessWatchdog} from './watchdog.ts';
import type {OutputFolder} from './output-folder.ts';
import {withoutTerminals} from './hidden-terminals.ts';
import type {OutputPipe, OutputPipes} from './output-pipe.ts';
import {startTimeSync, runningPids, type ProcessRow} from './process-table.ts';
import type {RunTags} from './run-tag.ts';
import {waitForEnd, timeLimit, type TimeLimit} from './time-limit.ts';
import {droppedFoldersNote, findShell} from './trusted-path.ts';
import {shellEnvironment, type VariableSources} from './shell-environment.ts';
import {blockedBySandbox} from '../sandbox/explain-failure.ts';
import {type Attempt, type Begin, openLaunch} from '../sandbox/launch.ts';
import {type CommandSandbox, type CommandStart, type Enclosure, startIn} from '../sandbox/sandbox.ts';

/** Milliseconds of silence after which a pipe that outlives its shell counts as a background process's. */
const drainIdleMs = 250;

/** Milliseconds for which weft keeps reading such a pipe while it delivers output. */
const drainMs = 1000;

/** Milliseconds that a process has to exit after closing its output before it counts as left running. */
const exitGraceMs = 150;

/** Milliseconds of silence after which weft checks a command for a program that waits for keys. */
const keyCheckMs = 1500;

export interface ShellOptions {
  /** The workspace folders. Commands start in the first until a `cd` leads elsewhere inside them. */
  readonly roots: readonly [string, ...string[]];
  readonly variables: VariableSources;
  /** Creates a file for each command whose output is too long for the report. */
  readonly outputs: OutputFolder;
  /**
   * Makes the filter of one command. All output that is shown or sent passes through it first. The file gets the rest as it is, and
   * ports that read files filter it.
   */
  readonly filter: () => OutputFilter;
  /** The run tags, watchdog, preludes and pipes that all commands of this weft process share; made when the first command starts. */
  readonly runContext: () => Promise<ShellContext>;
  readonly sandbox: CommandSandbox;
  /** Takes over the processes that a command left running. Returns a line about them for the model. */
  readonly takeOver: (left: RemainingProcesses) => Promise<string>;
  /** Runs a command in its own terminal. A failure says why this machine provides none. */
  readonly runInTerminal: (
    run: TerminalRun,
    observe: (chunk: string) => void,
    signal: AbortSignal,
  ) => Promise<Outcome<TerminalRunEnd, string>>;
  readonly moveToBackground: (running: RunningCommand) => Promise<BlockId>;
}

export interface ShellContext {
  readonly tags: RunTags;
  readonly watchdog: ProcessWatchdog;
  readonly preludes: Preludes;
  readonly pipes: OutputPipes;
}

/** Processes that still run after their shell has ended. */
export interface RemainingProcesses extends RunIds {
  readonly command: string;
  readonly directory: string;
  readonly members: readonly ProcessRow[];
  /** The pipe that they write to; the block that takes them over reads and closes it. `closed` if they write elsewhere. */
  readonly pipe: OutputPipe | 'closed';
  /** Call this once, when none of these processes is running anymore. Settles with sentences for the model. */
  readonly release: () => Promise<readonly string[]>;
}

/** A user's command that runs in a terminal. */
export interface TerminalRun
  extends
    Pick<RunningCommand, 'command' | 'directory' | 'runTag' | 'isHeld' | 'release'>,
    Pick<ShellRequest, 'timeoutMs' | 'background'>,
    OwnTerminal {
  readonly begin: Begin;
}

export interface TerminalRunEnd {
  readonly end: ShellReport['end'];
  readonly output: BoundedOutput;
  /** Settles when the shell itself has ended, which may be later. */
  readonly shellEnded: Promise<unknown>;
}

/** A command that ends with `&` starts background processes, which would end when a terminal closes. */
const startsBackgroundProcess = /(?<!&)&\s*$/u;

/** How a shell ended by itself. */
export type ProcessEnd = Extract<ShellReport['end'], {readonly kind: 'exited' | 'signalled'}>;

/** A command that moves to the background, with the state of its output. */
export interface RunningCommand extends Omit<RemainingProcesses, 'members' | 'pipe'> {
  /** The block reads and closes this pipe. */
  readonly pipe: OutputPipe;
  readonly ended: Promise<ProcessEnd>;
  /** See `Launch`. */
  readonly isHeld: boolean;
  readonly filter: OutputFilter;
  readonly raw: RawOutput;
  /** The command's output so far, as far as weft stores it. */
  readonly printed: string;
}

/**
 * Runs commands. The steps of a run are:
 * 1. Start the shell in its own group.
 * 2. Wait for its end, the time limit or the abort.
 * 3. Read the rest of the pipe.
 * 4. Find the remaining processes of the tree.
 * 5. Settle.
 *
 * A time limit or an abort ends the whole tree. After a normal end, processes that the command left running (`npm run
 * dev &`, a daemon) continue in their own block. They end with weft unless the user keeps them.
 */
export function makeShell(options: ShellOptions): ShellPort {
  const [root] = options.roots;
  let directory = root;
  let shell: string | undefined;

  const isGone = (folder: string): boolean => folder !== root && !isFolder(folder);

  async function run(
    request: ShellRequest,
    observe: (chunk: string) => void,
    signal: AbortSignal,
  ): Promise<ShellReport> {
    const startedAt = performance.now();
    const output = collectOutput({newFile: options.outputs.newFile, observe, filter: options.filter});
    const from = request.directory;
    const isMoved = from === root && isGone(directory);
    const notes = isMoved ? [`${directory} no longer exists, so the command ran in ${root}`] : [];
    directory = isGone(from) ? root : from;
    const settle = async (end: ShellReport['end'], more: Partial<ShellReport> = {}): Promise<ShellReport> => ({
      end,
      output: more.output ?? (await output.finish()),
      durationMs: Math.round(performance.now() - startedAt),
      directory: from,
      nextDirectory: directory,
      leftRunning: [],
      notes,
      blocked: '',
      changes: emptyChangesOutcome,
      ...more,
    });

    if (signal.aborted) return settle({kind: 'aborted'});
    const problem = isGone(from)
      ? rejected(`The folder ${from} no longer exists.`)
      : findStartProblem(request.command, from);
    if (problem !== undefined) return settle({kind: 'not-started', fault: problem});
    const context = await options.runContext();
    const runTag = context.tags.next();
    shell ??= findShell(options.variables.inherited, options.roots);
    let channel: 'terminal' | 'pipes' =
      request.terminal !== 'none' && !startsBackgroundProcess.test(request.command) ? 'terminal' : 'pipes';
    const variables = (): Record<string, string> => shellEnvironment(options.variables, {...request, runTag, channel});
    const limit = timeLimit(request.hosts);
    const launched = await openLaunch(options.sandbox, {
      argv: [shell, '-c', request.command],
      directory: from,
      environment: variables(),
      confinement: request.confinement,
      hosts: limit.hosts,
      terminal: 'own',
    });
    if (launched.tag === 'failed') return settle({kind: 'not-started', fault: sandboxFault(launched.error)});
    const launch = launched.value;
    const {isHeld} = launch;
    const isUnconfined = launch.enclosure.kind === 'plain';
    const prelude = context.preludes.open(launch.enclosure.kind === 'plain' ? 'as-it-is' : launch.enclosure.prelude);
    const begin = launch.begin(enclosure => {
      if (enclosure.kind === 'enclosed') for (const path of enclosure.litter) context.watchdog.cleanUp(path);
      return toCommandStart(enclosure, {shell: shell ?? '', prelude, ...request, variables});
    }, signal);
    const {changes: decide} = request;
    let deciding: Promise<ChangesOutcome> | undefined;
    const decideChanges = (endSignal: AbortSignal, blocked: string): Promise<ChangesOutcome> =>
      (deciding ??= launch
        .end(decide === 'none' ? decide : (held, aborted) => decide(held, aborted, blocked), endSignal)
        .then(ended => {
          notes.push(...ended.notes);
          return ended.changes;
        }));
    /** Aborted when the command moves to the background, because then no one can decide about its changes. */
    const moved = new AbortController();
    const release = async (): Promise<readonly string[]> => {
      const known = notes.length;
      const changes = await decideChanges(moved.signal.aborted ? moved.signal : signal, '');
      return [...notes.slice(known), ...changesTexts(moved.signal.aborted ? markAsBackground(changes) : changes)];
    };
    const updateDirectory = (end: ShellReport['end']): void => {
      if (end.kind !== 'exited') return;
      const next = nextDirectory({roots: options.roots, from, reported: prelude.directory()});
      ({directory} = next);
      notes.push(...next.notes);
    };
    /** The shell reports its folder in the prelude's file as long as it runs. */
    let preludeEnded: Promise<unknown> = Promise.resolve();
    /** True if a block has the command, which then releases the sandbox when the command ends. */
    let isHandedOver = false;
    try {
      if (request.terminal !== 'none' && channel === 'terminal') {
        const {command, timeoutMs, background} = request;
        const own = {...request.terminal, begin, directory: from, runTag, release, isHeld};
        const ran = await options.runInTerminal({command, timeoutMs, background, ...own}, observe, signal);
        if (ran.tag === 'ok') {
          preludeEnded = ran.value.shellEnded;
          isHandedOver = true;
          if (ran.value.end.kind === 'moved') moved.abort();
          updateDirectory(ran.value.end);
          const changes = moved.signal.aborted ? emptyChangesOutcome : await decideChanges(signal, '');
          return await settle(ran.value.end, {output: ran.value.output, changes});
        }
        notes.push(`weft couldn't open a terminal (${firstLine(ran.error, 200)}), so the command ran on pipes`);
        channel = 'pipes';
      }
      const before = runningPids();
      const started = await begin(async start => startShell(start, from, context.pipes));
      if (started.tag === 'failed') {
        return await settle({kind: 'not-started', fault: rejected(`The command was not started: ${started.error}`)});
      }
      const {child, pipe} = started.value;
      const {pid: leader, started: leaderStarted} = child;
      context.watchdog.watch(leader, leaderStarted);
      /** The state that a block takes over. */
      const rest = {command: request.command, directory: from, runTag, leader, leaderStarted, pipe, release};
      const reading = readAll(pipe, output);
      const followed = await waitForCommand(
        {...request, limit, child, reading, runTag, output: pipe.name, before, isHeld},
        signal,
      );
      if (followed === 'to-background') {
        moved.abort();
        reading.release();
        preludeEnded = child.ended;
        const {output: printed, ...later} = output.handOver();
        isHandedOver = true;
        const {ended} = child;
        const block = await options.moveToBackground({...rest, ...later, ended, printed: printed.text, isHeld});
        return await settle({kind: 'moved', block}, {output: printed});
      }
      const {end, left, waited} = followed;
      if (request.environment === 'restricted') notes.push(...droppedFoldersNote(request.command, end, options));
      if (waited === 'for-keys')
        notes.push(
          'it waited for a key press without a terminal, so weft ended it; run it in the background to give it a terminal',
        );
      updateDirectory(end);
      if (left.length === 0) {
        pipe.close();
        context.watchdog.forget(child.pid);
        const report = await settle(end);
        const blocked = isUnconfined ? '' : blockedBySandbox(end, report.output.text);
        // A person may take long to decide, which does not count as run time.
        return {...report, blocked, changes: await decideChanges(signal, blocked)};
      }
      reading.release();
      const settled = await settle(end);
      isHandedOver = true;
      const line = await options.takeOver({...rest, members: left});
      return {...settled, leftRunning: [line]};
    } finally {
      if (!isHandedOver) void release();
      void preludeEnded.then(() => prelude.release());
    }
  }

  return {
    get directory() {
      return isGone(directory) ? root : directory;
    },
    run,
  };
}

async function startShell(
  {program, args, environment}: CommandStart,
  from: string,
  pipes: OutputPipes,
): Promise<Outcome<Attempt<Started>, string>> {
  const {execa} = await import('execa');
  let pipe: OutputPipe;
  try {
    pipe = await pipes.open();
  } catch (cause) {
    return failed(causeText(cause));
  }
  const subprocess = execa(program, args, {
    cwd: from,
    env: environment,
    extendEnv: false,
    stdio: withoutTerminals(['ignore', pipe.writer, pipe.writer]),
    killDescendants: true,
    reject: false,
  });
  pipe.closeWriter();
  const {pid} = subprocess;
  if (pid === undefined) {
    pipe.close();
    const result = await subprocess;
    const reason = result.failed ? (result.originalMessage ?? result.shortMessage) : 'no process was created';
    return failed(`${program} could not be started in ${from}: ${reason}`);
  }
  const started = startTimeSync(pid);
  const ended = subprocess.then(({exitCode, signal}): ProcessEnd =>
    signal === undefined ? {kind: 'exited', code: exitCode ?? 0} : {kind: 'signalled', signal},
  );
  const discard = async (): Promise<string> => {
    const text = await textOf(pipe.reader);
    pipe.close();
    return text;
  };
  return ok({started: {pipe, child: {pid, started, ended}}, ended, discard});
}

/** Returns the program to start for a command, and its variables. An enclosure has its own. */
export function toCommandStart(
  enclosure: Enclosure,
  {
    shell,
    command,
    prelude,
    variables,
  }: {
    readonly shell: string;
    readonly command: string;
    readonly prelude: {readonly path: string};
    readonly variables: () => Record<string, string>;
  },
): CommandStart {
  const first = preludeVariables(shell, prelude);
  const plain = {program: shell, args: ['-c', command], environment: enclosure.kind === 'plain' ? variables() : {}};
  const {program, args, environment} = startIn(enclosure, plain);
  return {program, args, environment: {...environment, ...first}};
}

export const sandboxFault = (reason: string): Fault =>
  rejected(`The command was not started: it may only run in the sandbox, and ${reason}.`);

interface Started {
  readonly child: Child;
  readonly pipe: OutputPipe;
}

/** Returns the rest of the output in the pipe, which is short. */
async function textOf(reader: Readable): Promise<string> {
  const chunks: Uint8Array[] = [];
  try {
    for await (const bytes of reader) if (bytes instanceof Uint8Array) chunks.push(bytes);
  } catch {
    // Return the output so far.
  }
  return Buffer.concat(chunks).toString();
}

interface Child {
  readonly pid: number;
  readonly started: string;
  /** How the shell itself ended; never rejects. */
  readonly ended: Promise<ProcessEnd>;
}

interface Reading {
  /** Resolves when the last writer is gone, or the pipe broke. */
  readonly done: Promise<void>;
  /** Resolves after `drainIdleMs` without output, or after `drainMs`. */
  quiet(): Promise<void>;
  silentMs(): number;
  /** Whether the output looks like that of a full-screen program. */
  hasDrawnScreen(): boolean;
  /** Stops reading. Later output stays in the pipe for the next reader. */
  release(): void;
}

/**
 * Milliseconds in which no system reuses a process number. Within that time, a process that ran before the command
 * can't be one of its children.
 */
const pidReuseMs = 1000;

/**
 * Waits for the end of the shell, then ends its process tree or finds the remaining processes. A move to the background
 * ends the wait and leaves the processes unchanged.
 */
async function waitForCommand(
  run: Pick<ShellRequest, 'timeoutMs' | 'paging' | 'background'> & {
    readonly child: Child;
    readonly reading: Reading;
    readonly limit: TimeLimit;
    readonly runTag: string;
    /** The system's name of the pipe that the command writes to. */
    readonly output: string;
    /** The processes that ran before the command. */
    readonly before: ReadonlySet<string>;
    readonly isHeld: boolean;
  },
  signal: AbortSignal,
): Promise<
  | 'to-background'
  | {
      readonly end: ShellReport['end'];
      readonly left: readonly ProcessRow[];
      readonly waited: 'no' | 'for-keys';
    }
> {
  const {child, reading} = run;
  const startedAt = performance.now();
  const ids = {leader: child.pid, leaderStarted: child.started, runTag: run.runTag};
  const tree = treeOf(ids, () => run.output);
  const over = new AbortController();
  const waiting = whenWaitingForKeys({tree, reading, paging: run.paging}, over.signal);
  const {timeoutMs, background, limit} = run;
  const first = await waitForEnd(Promise.race([child.ended, waiting]), {limit, timeoutMs, background}, signal);
  over.abort();
  if (first.kind === 'to-background') return first.kind;
  const last = run.isHeld ? child.pid : 'none';
  if (first.kind === 'for-keys') {
    await endProcessTree(tree, 'short', last);
    return {end: await child.ended, left: [], waited: first.kind};
  }
  const end = first;
  const waited = 'no';
  if (end.kind === 'timed-out' || end.kind === 'aborted') {
    await endProcessTree(tree, end.kind === 'aborted' ? 'short' : 'long', last);
    await Promise.race([Promise.all([reading.done, child.ended]), reading.quiet()]);
    return {end, left: [], waited};
  }
  const emptied = Promise.race([
    reading.done.then(() => 'empty' as const),
    reading.quiet().then(() => 'open' as const),
  ]);
  const drained = await raceAbort(emptied, signal);
  // The sandbox has ended all processes.
  if (run.isHeld) return {end, left: [], waited};
  const until = performance.now() + (drained === 'empty' ? exitGraceMs : 0);
  const rest = drained === 'empty' ? treeOf(ids) : tree;
  for (;;) {
    // A system that hides environments can only check the group, which is cheap.
    const asked = process.platform === 'linux' || groupRemains(child.pid);
    const older = performance.now() - startedAt < pidReuseMs ? run.before : undefined;
    const left = asked ? await livingMembers(rest, older) : [];
    if (left.length === 0) return {end, left, waited};
    if (signal.aborted) {
      await endProcessTree(tree, 'short');
      return {end, left: [], waited};
    }
    if (performance.now() >= until) return {end, left, waited};
    await delay(3);
  }
}

/**
 * Resolves when a silent command waits, certainly or probably, for keys that no one will press. The command has no
 * terminal. Either it made one (`script`), and one of its processes is blocked in a read of it; weft checks this for
 * commands that page. Or it drew a full screen (`vim`), and all its processes sleep.
 */
async function whenWaitingForKeys(
  run: {readonly tree: ProcessTree; readonly reading: Reading; readonly paging: ShellRequest['paging']},
  over: AbortSignal,
): Promise<{readonly kind: 'for-keys'}> {
  const members = trackMembers(run.tree);
  for (;;) {
    await delay(250, undefined, {ref: false});
    if (over.aborted) return new Promise<never>(() => {});
    const drawn = run.reading.hasDrawnScreen();
    if (run.reading.silentMs() < keyCheckMs || (!drawn && run.paging === 'unexpected')) continue;
    const alive = await members();
    if (drawn && alive.every(({state}) => state !== 'running')) return {kind: 'for-keys'};
    if (run.paging === 'expected' && alive.some(({pid}) => isReadingTerminal(pid))) return {kind: 'for-keys'};
  }
}

function readAll({reader}: OutputPipe, output: Pick<OutputCollector, 'push'>): Reading {
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
    if (placed < fullScreenThreshold) placed += countCursorMoves(bytes);
    const behind = output.push(bytes);
    if (behind === undefined) return;
    paused = true;
    reader.pause();
    void behind.then(proceed);
  };
  reader.on('data', take);
  for (const event of ['error', 'close', 'end']) reader.once(event, () => done.resolve());

  return {
    done: done.promise,
    hasDrawnScreen: () => placed >= fullScreenThreshold,
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
