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
import {type ChangesOutcome, changesTexts, inBackground, noHeldChanges} from '../../actions/changes-port.ts';
import {raceAbort} from '../../base/race.ts';
import {causeText, rejected, type Fault} from '../../domain/fault.ts';
import type {BlockId} from '../../domain/ids.ts';
import {collectOutput, filteredOutput, type OutputCollector, type RawOutput} from './command-output.ts';
import {
  endProcessTree,
  groupRemains,
  livingMembers,
  trackMembers,
  treeOf,
  type ProcessTree,
  type RunIds,
} from './process-tree.ts';
import {findObstacle, findShell, nextDirectory, type Preludes, startedWith} from './shell-start.ts';
import {isReadingTerminal, screenful, screenPlacements} from './input-wait.ts';
import type {ProcessWatchdog} from './watchdog.ts';
import type {OutputFolder} from './output-folder.ts';
import {withoutTerminals} from './hidden-terminals.ts';
import type {OutputPipe, OutputPipes} from './output-pipe.ts';
import {startAtOnce, runningNow, type ProcessRow} from './process-table.ts';
import type {RunTags} from './run-tag.ts';
import {firstEnd, timeLimit, type TimeLimit} from './time-limit.ts';
import {droppedNote} from './trusted-path.ts';
import {shellEnvironment, type VariableSources} from './shell-environment.ts';
import {blockedBySandbox} from '../sandbox/why-it-fails.ts';
import {type Attempt, type Begin, openLaunch} from '../sandbox/launch.ts';
import type {CommandSandbox, CommandStart, Enclosure} from '../sandbox/sandbox.ts';

/** Milliseconds of silence after which a pipe that outlives its shell is taken for a background process's. */
const drainIdleMs = 250;

/** Milliseconds for which such a pipe is read on while it still delivers output. */
const drainMs = 1000;

/** Milliseconds in which a process that has closed its output may end before it counts as left running. */
const partingMs = 150;

/** Milliseconds of silence after which a command is checked for a program that waits for keys. */
const keysMs = 1500;

export interface ShellOptions {
  /** The workspace folders; commands start in the first until a `cd` leads elsewhere inside them. */
  readonly roots: readonly [string, ...string[]];
  readonly variables: VariableSources;
  /** Gets a file per command whose output is too long for the report. */
  readonly outputs: OutputFolder;
  /** Makes the filter of one command: its output goes through the filter before anything else sees it. */
  readonly filter: () => OutputFilter;
  /** The run tags, watchdog, preludes and pipes that all commands of this weft process share; made when the first command starts. */
  readonly runContext: () => Promise<ShellContext>;
  readonly sandbox: CommandSandbox;
  /** Takes over the processes that a command left running; returns the line that tells the model of them. */
  readonly takeOver: (left: RemainingProcesses) => Promise<string>;
  /** Runs a command in a terminal of its own; a failure says why this machine gives none. */
  readonly runInTerminal: (
    run: TerminalRun,
    observe: (chunk: string) => void,
    signal: AbortSignal,
  ) => Promise<Outcome<TerminalRunEnd, string>>;
  /** Makes a block of a command that runs; returns its id. */
  readonly moveToBackground: (running: RunningCommand) => Promise<BlockId>;
}

export interface ShellContext {
  readonly tags: RunTags;
  readonly watchdog: ProcessWatchdog;
  readonly preludes: Preludes;
  readonly pipes: OutputPipes;
}

/** Processes that go on running after their shell has ended. */
export interface RemainingProcesses extends RunIds {
  readonly command: string;
  readonly directory: string;
  readonly members: readonly ProcessRow[];
  /** The pipe that they write to, to be read and closed by the block that takes them over; `closed` where they write elsewhere. */
  readonly pipe: OutputPipe | 'closed';
  /** To be called once, when none of them runs any more. Settles with sentences for the model. */
  readonly release: () => Promise<readonly string[]>;
}

/** A command of the user's that runs in a terminal. */
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

/** A command that ends with `&` leaves running what it started, which a terminal would take with it when it closes. */
const leavesRunning = /(?<!&)&\s*$/u;

/** How a shell ended by itself. */
export type ProcessEnd = Extract<ShellReport['end'], {readonly kind: 'exited' | 'signalled'}>;

/** A command that goes on, with all that its output has gone through so far. */
export interface RunningCommand extends Omit<RemainingProcesses, 'members' | 'pipe'> {
  /** To be read and closed by the block. */
  readonly pipe: OutputPipe;
  readonly ended: Promise<ProcessEnd>;
  /** See `Launch`. */
  readonly isHeld: boolean;
  readonly filter: OutputFilter;
  readonly raw: RawOutput;
  /** What it has printed, as far as it is kept. */
  readonly printed: string;
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

  const isGone = (folder: string): boolean => folder !== root && !isFolder(folder);

  async function run(
    request: ShellRequest,
    observe: (chunk: string) => void,
    signal: AbortSignal,
  ): Promise<ShellReport> {
    const startedAt = performance.now();
    const filter = options.filter();
    const collector = collectOutput({newFile: options.outputs.newFile, observe});
    const output = filteredOutput(filter, bytes => collector.push(bytes));
    const from = request.directory;
    const isMoved = from === root && isGone(directory);
    const notes = isMoved ? [`${directory} is gone; the command ran in ${root}`] : [];
    directory = isGone(from) ? root : from;
    const finished = async (): Promise<BoundedOutput> => {
      await output.end();
      return collector.finish();
    };
    const settle = async (end: ShellReport['end'], more: Partial<ShellReport> = {}): Promise<ShellReport> => ({
      end,
      output: more.output ?? (await finished()),
      durationMs: Math.round(performance.now() - startedAt),
      directory: from,
      nextDirectory: directory,
      leftRunning: [],
      notes,
      blocked: '',
      changes: noHeldChanges,
      ...more,
    });

    if (signal.aborted) return settle({kind: 'aborted'});
    const obstacle = isGone(from) ? rejected(`The folder ${from} is gone.`) : findObstacle(request.command, from);
    if (obstacle !== undefined) return settle({kind: 'not-started', fault: obstacle});
    const context = await options.runContext();
    const runTag = context.tags.next();
    shell ??= findShell(options.variables.given, options.roots);
    let channel: 'terminal' | 'pipes' =
      request.terminal !== 'none' && !leavesRunning.test(request.command) ? 'terminal' : 'pipes';
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
    if (launched.tag === 'failed') return settle({kind: 'not-started', fault: noSandbox(launched.error)});
    const launch = launched.value;
    const {isHeld} = launch;
    const isPlain = launch.enclosure.kind === 'plain';
    const prelude = context.preludes.open(launch.enclosure.kind === 'plain' ? 'as-it-is' : launch.enclosure.prelude);
    const begin = launch.begin(enclosure => {
      if (enclosure.kind === 'enclosed') for (const path of enclosure.litter) context.watchdog.cleanUp(path);
      return startOfCommand(enclosure, {shell: shell ?? '', prelude, ...request, variables});
    }, signal);
    const {changes: decide} = request;
    let deciding: Promise<ChangesOutcome> | undefined;
    const decided = (endSignal: AbortSignal, blocked: string): Promise<ChangesOutcome> =>
      (deciding ??= launch
        .end(decide === 'none' ? decide : (held, aborted) => decide(held, aborted, blocked), endSignal)
        .then(ended => {
          notes.push(...ended.notes);
          return ended.changes;
        }));
    /** Fires for what goes on in the background: nobody is there who could decide about its changes. */
    const moved = new AbortController();
    const release = async (): Promise<readonly string[]> => {
      const known = notes.length;
      const changes = await decided(moved.signal.aborted ? moved.signal : signal, '');
      return [...notes.slice(known), ...changesTexts(moved.signal.aborted ? inBackground(changes) : changes)];
    };
    const moveOn = (end: ShellReport['end']): void => {
      if (end.kind !== 'exited') return;
      const next = nextDirectory({roots: options.roots, from, reported: prelude.directory()});
      ({directory} = next);
      notes.push(...next.notes);
    };
    /** The shell reports its folder in the prelude's file as long as it runs. */
    let preludeUsed: Promise<unknown> = Promise.resolve();
    /** What goes on in a block releases the sandbox when it ends. */
    let goesOn = false;
    try {
      if (request.terminal !== 'none' && channel === 'terminal') {
        const {command, timeoutMs, background} = request;
        const own = {...request.terminal, begin, directory: from, runTag, release, isHeld};
        const ran = await options.runInTerminal({command, timeoutMs, background, ...own}, observe, signal);
        if (ran.tag === 'ok') {
          preludeUsed = ran.value.shellEnded;
          goesOn = true;
          if (ran.value.end.kind === 'moved') moved.abort();
          moveOn(ran.value.end);
          const changes = moved.signal.aborted ? noHeldChanges : await decided(signal, '');
          return await settle(ran.value.end, {output: ran.value.output, changes});
        }
        notes.push(`this machine gives weft no terminal (${firstLine(ran.error, 200)}); the command ran on pipes`);
        channel = 'pipes';
      }
      const before = runningNow();
      const started = await begin(async start => startShell(start, from, context.pipes));
      if (started.tag === 'failed') {
        return await settle({kind: 'not-started', fault: rejected(`The command was not started: ${started.error}`)});
      }
      const {child, pipe} = started.value;
      const {pid: leader, started: leaderStarted} = child;
      context.watchdog.watch(leader, leaderStarted);
      /** What a block takes over. */
      const rest = {command: request.command, directory: from, runTag, leader, leaderStarted, pipe, release};
      const reading = readAll(pipe, output);
      const followed = await follow(
        {...request, limit, child, reading, runTag, output: pipe.name, before, isHeld},
        signal,
      );
      if (followed === 'to-background') {
        moved.abort();
        reading.release();
        output.stop();
        preludeUsed = child.ended;
        const {output: printed, raw} = collector.handOver();
        goesOn = true;
        const {ended} = child;
        const block = await options.moveToBackground({...rest, ended, filter, raw, printed: printed.text, isHeld});
        return await settle({kind: 'moved', block}, {output: printed});
      }
      const {end, left, waited} = followed;
      if (request.environment === 'restricted') notes.push(...droppedNote(request.command, end, options));
      if (waited === 'for-keys')
        notes.push(
          'it waited for keys that nobody could press, so weft ended it; with wait_until_completion: false it gets a terminal',
        );
      moveOn(end);
      if (left.length === 0) {
        pipe.close();
        context.watchdog.forget(child.pid);
        const report = await settle(end);
        const blocked = isPlain ? '' : blockedBySandbox(end, report.output.text);
        // A person may take long to decide: that is not time in which it ran.
        return {...report, blocked, changes: await decided(signal, blocked)};
      }
      reading.release();
      const settled = await settle(end);
      goesOn = true;
      const line = await options.takeOver({...rest, members: left});
      return {...settled, leftRunning: [line]};
    } finally {
      if (!goesOn) void release();
      void preludeUsed.then(() => prelude.release());
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
    const reason = result.failed ? (result.originalMessage ?? result.shortMessage) : 'no process was made';
    return failed(`${program} could not be started in ${from}: ${reason}`);
  }
  const started = startAtOnce(pid);
  const ended = subprocess.then(({exitCode, signal}): ProcessEnd =>
    signal === undefined ? {kind: 'exited', code: exitCode ?? 0} : {kind: 'signalled', signal},
  );
  const discard = async (): Promise<string> => {
    const words = await textOf(pipe.reader);
    pipe.close();
    return words;
  };
  return ok({started: {pipe, child: {pid, started, ended}}, ended, discard});
}

/** The program to start for a command, and its variables; the enclosure has its own. */
export function startOfCommand(
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
  const first = startedWith(shell, prelude);
  if (enclosure.kind === 'plain') {
    return {program: shell, args: ['-c', command], environment: {...variables(), ...first}};
  }
  const {program, args, environment} = enclosure;
  return {program, args, environment: {...environment, ...first}};
}

export const noSandbox = (reason: string): Fault =>
  rejected(`The command was not started: it may only run in the sandbox, and ${reason}.`);

interface Started {
  readonly child: Child;
  readonly pipe: OutputPipe;
}

/** All of the few words that a program has left in its pipe. */
async function textOf(reader: Readable): Promise<string> {
  const words: Uint8Array[] = [];
  try {
    for await (const bytes of reader) if (bytes instanceof Uint8Array) words.push(bytes);
  } catch {
    // What came until then.
  }
  return Buffer.concat(words).toString();
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
  /** Resolves when nothing has come for `drainIdleMs`, or `drainMs` are over. */
  quiet(): Promise<void>;
  silentMs(): number;
  /** Whether the output looks like that of a full-screen program. */
  hasDrawnScreen(): boolean;
  /** Stops reading; later output stays in the pipe for the next reader. */
  release(): void;
}

/** Milliseconds in which no system reuses a process number: until then a process that ran before the command is not one of its children. */
const pidReuseMs = 1000;

/**
 * Waits for the end of the shell, then ends its process tree or finds the processes that remain; or for the word that it goes on in
 * the background, which changes nothing about it.
 */
async function follow(
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
  const first = await firstEnd(Promise.race([child.ended, waiting]), {limit, timeoutMs, background}, signal);
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
  // Nothing of it can run any more.
  if (run.isHeld) return {end, left: [], waited};
  const until = performance.now() + (drained === 'empty' ? partingMs : 0);
  const rest = drained === 'empty' ? treeOf(ids) : tree;
  for (;;) {
    // Where the system shows no environments only the group can be asked, which costs nothing.
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
 * Resolves when a silent command surely or most likely waits for keys that nobody will press. It was given no terminal, so it
 * made one itself (`script`) and one of its processes is blocked reading it, which is looked for in commands that page; or it has
 * drawn a full screen without one (`vim`) and all its processes sleep.
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
    if (run.reading.silentMs() < keysMs || (!drawn && run.paging === 'unexpected')) continue;
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
    if (placed < screenful) placed += screenPlacements(bytes);
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
