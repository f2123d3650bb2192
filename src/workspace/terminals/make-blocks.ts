import {isRunning} from '../../actions/block-text.ts';
import type {TerminalControl, BlockInfo, BlocksPort, BlockSnapshot, ScreenSize} from '../../actions/ports.ts';
import {firstLine} from '../../base/clip.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {rejected, type Fault} from '../../domain/fault.ts';
import type {BlockId} from '../../domain/ids.ts';
import {endProcessTree, groupRemains, livingMembers, treeOf} from '../exec/process-tree.ts';
import {findStartProblem, makeBlockPrelude} from '../exec/shell-start.ts';
import {findShell} from '../exec/trusted-path.ts';
import {foregroundPager} from '../exec/input-wait.ts';
import {keepReadingAfterExit} from '../exec/watchdog.ts';
import {commandLineOf, listeningPorts, startTimeOf} from '../exec/process-table.ts';
import {collectRawOutput} from '../exec/command-output.ts';
import {shellEnvironment} from '../exec/shell-environment.ts';
import {askUnattended} from '../sandbox/host-gate.ts';
import {openLaunch} from '../sandbox/launch.ts';
import type {Enclosure} from '../sandbox/sandbox.ts';
import {
  sandboxFault,
  type RemainingProcesses,
  type RunningCommand,
  type ShellOptions,
  toCommandStart,
  type TerminalRun,
  type TerminalRunEnd,
} from '../exec/shell.ts';
import {openBlock, type Block} from './block.ts';
import {waitInForeground, makeLiveOutput} from './foreground.ts';
import type {BlockRegistry, RegisteredBlock} from './block-registry.ts';
import {leaderOf, openPipes, openPty, remainingSource, redirectErrors, type BlockSource} from './block-source.ts';

export interface BlocksOptions extends Pick<
  ShellOptions,
  'variables' | 'outputs' | 'filter' | 'runContext' | 'sandbox'
> {
  /** Hides secrets in commands that are registered and listed. */
  readonly redact: (text: string) => string;
  readonly registry: BlockRegistry;
  readonly waits: BlockWaits;
  readonly newId: () => BlockId;
}

export interface Blocks extends Pick<ShellOptions, 'takeOver' | 'runInTerminal' | 'moveToBackground'> {
  readonly port: BlocksPort;
  readonly control: TerminalControl;
  /** Ends all blocks that the user does not keep. */
  close(): Promise<void>;
}

const size = {columns: 120, rows: 40} as const;

/** How long a call waits for a block before it answers. `usual` feels prompt to people and models. */
export type BlockWaits =
  | 'usual'
  | {
      /** Milliseconds after which a started block counts as still running. */
      readonly startMs: number;
      /** Milliseconds to wait for output after input was written. */
      readonly echoMs: number;
    };

const usualWaits = {startMs: 2000, echoMs: 1500} as const;
/** The longest wait of one read, in seconds. */
const maxWaitSeconds = 600;
/** The maximum number of blocks that run at the same time, and the maximum number of ended blocks that can still be read. */
const maxRunning = 40;
const maxEnded = 20;
/** Milliseconds between two calls of the listeners, and for which a list of ports is reused. */
const watchMs = 250;
const portsMs = 1000;

interface Entry {
  readonly block: Block;
  readonly registered: RegisteredBlock;
  /** See `Launch`. The block ends with weft, because no one could decide about its changes later. */
  readonly isHeld: boolean;
  /** Sentences for the model, once all processes of the block have ended. */
  readonly notes: Promise<readonly string[]>;
  /** `foreground`: a user's command that weft waits for, which no list shows. */
  place: 'foreground' | 'background';
  life: 'with-weft' | 'kept';
  ports: readonly number[];
  portsAt: number;
}

export function makeBlocks(options: BlocksOptions): Blocks {
  const {startMs, echoMs} = options.waits === 'usual' ? usualWaits : options.waits;
  const entries = new Map<BlockId, Entry>();
  const listeners = new Set<() => void>();
  let notifyTimer: NodeJS.Timeout | undefined;
  let shell: string | undefined;
  let ownPrelude: ReturnType<typeof makeBlockPrelude> | undefined;
  let sandboxPrelude: ReturnType<typeof makeBlockPrelude> | undefined;

  /** Returns the prelude, which all blocks share. */
  const preludeOf = (enclosure: Enclosure): {readonly path: string} => {
    const ownStart = options.variables.userSet['BASH_ENV'] ?? '';
    return enclosure.kind === 'plain'
      ? (ownPrelude ??= makeBlockPrelude(ownStart, 'as-it-is'))
      : (sandboxPrelude ??= makeBlockPrelude(ownStart, enclosure.prelude));
  };

  const isEntryRunning = ({block}: Entry): boolean => !isOver(block);
  const backgroundEntries = (): readonly Entry[] => [...entries.values()].filter(({place}) => place === 'background');
  const running = (): readonly Entry[] => backgroundEntries().filter(isEntryRunning);

  function changed(): void {
    if (listeners.size === 0 || notifyTimer !== undefined) return;
    notifyTimer = setTimeout(() => {
      notifyTimer = undefined;
      for (const listener of listeners) listener();
    }, watchMs);
    notifyTimer.unref();
  }

  /** `release` is called when all processes of the block have ended. */
  interface AddedRun extends Pick<RunningCommand, 'command' | 'directory' | 'runTag' | 'isHeld' | 'release'> {
    readonly open: () => Promise<Outcome<BlockSource, string>>;
    readonly lineEnds: 'raw' | 'converted';
    /** For a moved command: its filter, its raw output, and the text that the user and the model have seen. */
    readonly output: 'new' | Pick<RunningCommand, 'filter' | 'raw' | 'printed'>;
    readonly place: Entry['place'];
    readonly size: ScreenSize;
    readonly observe: (bytes: Uint8Array) => void;
  }

  async function add(run: AddedRun): Promise<Outcome<Block, string>> {
    const shown = options.redact(run.command);
    const {makeTerminalScreen: makeScreen} = await import('./screen.ts');
    const screen = await makeScreen({size: run.size, lineEnds: run.lineEnds});
    const before =
      run.output === 'new' ? {filter: options.filter(), raw: collectRawOutput(options.outputs.newFile)} : run.output;
    if (run.output !== 'new') {
      screen.write(Buffer.from(run.output.printed), () => {});
      await screen.settled();
      screen.readNew();
    }
    const opened = await run.open();
    if (opened.tag === 'failed') {
      screen.dispose();
      return opened;
    }
    const source = opened.value;
    const block = openBlock(
      {...run, id: options.newId(), command: shown, source, screen, raw: before.raw, filter: before.filter},
      changed,
    );
    const {watchdog} = await options.runContext();
    watchdog.watch(source.leader, source.leaderStarted);
    const registered: RegisteredBlock = {
      id: block.id,
      command: shown,
      directory: run.directory,
      runTag: run.runTag,
      leader: source.leader,
      leaderStarted: source.leaderStarted || ((await startTimeOf(source.leader)) ?? ''),
      startedAt: Date.now(),
      life: 'with-weft',
      file: '',
    };
    options.registry.put(registered);
    const notes = block.ended.then(() => handleEnd(block, run.release));
    const {isHeld, place} = run;
    entries.set(block.id, {block, registered, isHeld, notes, place, life: 'with-weft', ports: [], portsAt: 0});
    changed();
    return ok(block);
  }

  /** Moves processes that an ended block leaves running into their own block. */
  async function handleEnd(block: Block, release: () => Promise<readonly string[]>): Promise<readonly string[]> {
    const {watchdog} = await options.runContext();
    const run = {...leaderOf(block.source), runTag: block.runTag};
    const entry = entries.get(block.id);
    const members = entry?.life === 'kept' ? [] : await livingMembers(treeOf(run));
    options.registry.remove(block.runTag);
    if (!groupRemains(run.leader)) watchdog.forget(run.leader);
    let notes: readonly string[] = [];
    if (members.length > 0 && entry !== undefined && block.source.terminal === 'pty' && !stopping.has(block.id)) {
      const {directory} = entry.registered;
      await addRemaining({...run, command: block.command, directory, members, pipe: 'closed', release});
    } else notes = await release();
    if (isClosed) block.release();
    changed();
    const over = backgroundEntries().filter(other => !isEntryRunning(other));
    for (const {block: old} of over.slice(0, Math.max(0, over.length - maxEnded))) {
      entries.delete(old.id);
      old.release();
    }
    return notes;
  }

  /** A kept block that ends later has no reader. */
  let isClosed = false;
  const stopping = new Set<BlockId>();
  /** Blocks that are being handed over to a watchdog. weft waits for these before it ends. */
  const keeping = new Set<Promise<void>>();

  async function stop(block: Block, grace: 'short' | 'long'): Promise<void> {
    stopping.add(block.id);
    await block.end(grace);
  }

  async function addRemaining(left: RemainingProcesses): Promise<string> {
    const [first] = left.members;
    const what = first === undefined ? left.command : commandLineOf(first.pid);
    const added = await add({
      ...left,
      isHeld: false,
      open: async () => ok(remainingSource(left, 'over')),
      lineEnds: 'converted',
      output: 'new',
      ...backgroundOptions,
    });
    const processes = left.members.map(({pid}) => pid).join(', ');
    const id = added.tag === 'ok' ? added.value.id : '';
    return `${id}: ${firstLine(what, 120)} (process ${processes})`;
  }

  /** Runs a user's command in its own terminal, to which the user can be attached while it runs. */
  async function runInTerminal(
    run: TerminalRun,
    observe: (text: string) => void,
    signal: AbortSignal,
  ): Promise<Outcome<TerminalRunEnd, string>> {
    const live = makeLiveOutput(observe);
    const added = await add({
      ...run,
      open: () => openPty(run),
      lineEnds: 'raw',
      output: 'new',
      place: 'foreground',
      observe: live.take,
    });
    if (added.tag === 'failed') return added;
    const block = added.value;
    const {id, ended: shellEnded} = block;
    const follow = {...run, drawn: live.drawn, needed: () => run.needed(id)};
    const end = await waitInForeground(block, follow, signal);
    const entry = entries.get(id);
    if (end.kind === 'to-background' && entry !== undefined) {
      entry.place = 'background';
      changed();
      const {output} = await block.snapshot([]);
      return ok({end: {kind: 'moved', block: id}, output, shellEnded});
    }
    if (end.kind === 'aborted' || end.kind === 'timed-out')
      await stop(block, end.kind === 'aborted' ? 'short' : 'long');
    const {output} = await block.snapshot([]);
    entries.delete(id);
    block.release();
    const isReported = end.kind !== 'to-background' && end.kind !== 'ended';
    return ok({end: isReported ? end : {kind: 'aborted'}, output, shellEnded});
  }

  async function moveToBackground(command: RunningCommand): Promise<BlockId> {
    const added = await add({
      ...command,
      open: async () => ok(remainingSource(command, command.ended)),
      lineEnds: 'converted',
      output: command,
      ...backgroundOptions,
    });
    // Opening a remaining source can't fail.
    if (added.tag === 'failed') throw new Error(added.error);
    return added.value.id;
  }

  async function start(
    {command, directory, environment: given, confinement}: Parameters<BlocksPort['start']>[0],
    signal: AbortSignal,
  ): Promise<Outcome<BlockSnapshot, Fault>> {
    if (signal.aborted) return failed(rejected('The command was stopped before it started.'));
    const problem = findStartProblem(command, directory);
    if (problem !== undefined) return failed(problem);
    if (running().length >= maxRunning) {
      return failed(
        rejected(`${maxRunning} commands are already running in blocks; end one of them first. ${runningText()}`),
      );
    }
    const {tags, watchdog} = await options.runContext();
    const runTag = tags.next();
    const notes: string[] = [];
    const open = async (channel: 'terminal' | 'pipes'): Promise<Outcome<Block, string | Fault>> => {
      shell ??= findShell(options.variables.inherited, options.variables.roots);
      const written = channel === 'pipes' ? redirectErrors(command) : command;
      const variables = () => shellEnvironment(options.variables, {runTag, channel, environment: given});
      const launched = await openLaunch(options.sandbox, {
        argv: [shell, '-c', written],
        directory,
        environment: variables(),
        confinement,
        // The block outlives the action that started it, so no question about a host could be answered.
        hosts: askUnattended,
        terminal: 'own',
      });
      if (launched.tag === 'failed') return failed(sandboxFault(launched.error));
      const launch = launched.value;
      const release = async (): Promise<readonly string[]> => (await launch.end('none', signal)).notes;
      const begin = launch.begin(enclosure => {
        if (enclosure.kind === 'enclosed') for (const path of enclosure.litter) watchdog.cleanUp(path);
        return toCommandStart(enclosure, {
          shell: shell ?? '',
          command: written,
          prelude: preludeOf(enclosure),
          variables,
        });
      }, signal);
      const source = {begin, directory, size};
      const added = await add({
        command,
        directory,
        runTag,
        release,
        isHeld: launch.isHeld,
        open: () => (channel === 'terminal' ? openPty(source) : openPipes(source)),
        lineEnds: channel === 'terminal' ? 'raw' : 'converted',
        output: 'new',
        ...backgroundOptions,
      });
      if (added.tag === 'failed') void release();
      return added;
    };
    let added = await open('terminal');
    if (added.tag === 'failed' && typeof added.error === 'string') {
      notes.push(`weft couldn't open a terminal (${firstLine(added.error, 200)}), so the command runs on pipes`);
      added = await open('pipes');
    }
    if (added.tag === 'failed') {
      const {error} = added;
      return failed(typeof error === 'string' ? rejected(`The command was not started: ${error}`) : error);
    }
    const block = added.value;
    await block.wait({ms: startMs, stopsOn: 'likely'}, signal);
    if (signal.aborted) await stop(block, 'short');
    else if (!isOver(block) && block.info().state.kind === 'waiting') {
      const pager = await foregroundPager(block.source.leader);
      if (pager !== undefined) notes.push(pagerNote(pager));
    }
    return ok(await block.snapshot(notes));
  }

  function find(id: BlockId): Outcome<Entry, Fault> {
    const entry = entries.get(id);
    return entry === undefined
      ? failed(rejected(`There is no block ${firstLine(id, 40)}. ${runningText()}`))
      : ok(entry);
  }

  function runningText(): string {
    const names = running().map(({block}) => `${block.id} (${firstLine(block.command, 60)})`);
    return names.length === 0 ? 'No block is running.' : `Running: ${names.join(', ')}.`;
  }

  const port: BlocksPort = {
    find(id) {
      const found = find(id);
      if (found.tag === 'failed') return found;
      const {block} = found.value;
      return ok({command: block.command, state: block.info().state, input: block.source.input});
    },
    start,
    async read({id, wait}, signal) {
      const found = find(id);
      if (found.tag === 'failed') return found;
      const {block, notes} = found.value;
      const seconds = wait === 'completion' ? maxWaitSeconds : Math.min(Math.max(0, wait), maxWaitSeconds);
      await block.wait({ms: seconds * 1000, stopsOn: wait === 'completion' ? 'likely' : 'sure'}, signal);
      return ok(await block.snapshot(isOver(block) ? await notes : []));
    },
    async write({id, input, mode}, signal) {
      const found = find(id);
      if (found.tag === 'failed') return found;
      const {block} = found.value;
      if (block.write(input, mode) === 'closed') {
        const why = isOver(block)
          ? 'has ended'
          : 'was left running by a command that has ended, so its input is closed';
        return failed(rejected(`Can't write to block ${id}: it ${why}. ${runningText()}`));
      }
      await block.wait({ms: echoMs, stopsOn: 'likely'}, signal);
      return ok(await block.snapshot([]));
    },
  };

  const control: TerminalControl = {
    list() {
      const all = backgroundEntries();
      return [...all.filter(isEntryRunning), ...all.filter(entry => !isEntryRunning(entry))].map(info);
    },
    watch(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async stop(id) {
      const entry = entries.get(id);
      if (entry !== undefined) await stop(entry.block, 'long');
    },
    keep(id) {
      const entry = entries.get(id);
      if (entry === undefined || entry.isHeld || !isEntryRunning(entry) || entry.life === 'kept') return;
      const kept = keep(entry).finally(() => keeping.delete(kept));
      keeping.add(kept);
    },
    attach(id, terminal) {
      const found = find(id);
      return found.tag === 'failed' ? found : ok(found.value.block.attach(terminal));
    },
  };

  async function keep(entry: Entry): Promise<void> {
    const {block} = entry;
    entry.life = 'kept';
    changed();
    const {watchdog} = await options.runContext();
    watchdog.spare(block.runTag);
    watchdog.forget(block.source.leader);
    const file = block.file();
    const {descriptor, leader} = block.source;
    if (descriptor !== undefined) {
      const reader = keepReadingAfterExit({descriptor, leader, file});
      void block.ended.then(() => reader.close());
    }
    options.registry.put({...entry.registered, life: 'kept', file});
  }

  const info = (entry: Entry): BlockInfo => ({...entry.block.info(), ports: portsOf(entry), life: entry.life});

  function portsOf(entry: Entry): readonly number[] {
    if (!isEntryRunning(entry)) return [];
    if (performance.now() - entry.portsAt > portsMs) {
      entry.portsAt = performance.now();
      void findPorts(entry);
      // No read checks a block that only the user watches, so the list checks whether it waits.
      void entry.block.look();
    }
    return entry.ports;
  }

  async function findPorts(entry: Entry): Promise<void> {
    const members = await livingMembers(treeOf({...leaderOf(entry.block.source), runTag: entry.block.runTag}));
    const ports = listeningPorts(members.map(({pid}) => pid));
    if (ports.join() !== entry.ports.join()) changed();
    entry.ports = ports;
  }

  return {
    port,
    control,
    takeOver: addRemaining,
    runInTerminal,
    moveToBackground,
    async close() {
      const {tags, watchdog} = await options.runContext();
      await Promise.all(keeping);
      const kept = new Set([...entries.values()].filter(({life}) => life === 'kept').map(({block}) => block.runTag));
      const ours = [...entries.values()].filter(entry => isEntryRunning(entry) && entry.life !== 'kept');
      for (const {block} of ours) stopping.add(block.id);
      const leaders = ours.map(({block: {source}}) => ({pid: source.leader, started: source.leaderStarted}));
      const outputs = ours.map(
        ({block: {source}}) =>
          () =>
            source.output,
      );
      const owns = (runTag: string): boolean => runTag.startsWith(tags.prefix) && !kept.has(runTag);
      await endProcessTree({leaders, owns, outputs}, 'long');
      for (const {block} of ours) options.registry.remove(block.runTag);
      isClosed = true;
      for (const {block, life} of entries.values()) if (life !== 'kept') block.release();
      // A shell reads its prelude when it starts, so it is no longer needed.
      for (const prelude of [ownPrelude, sandboxPrelude]) prelude?.close();
      ownPrelude = undefined;
      sandboxPrelude = undefined;
      watchdog.dismiss();
    },
  };
}

/** The options of a block that nothing waits for. */
const backgroundOptions = {place: 'background', size, observe: () => {}} as const;

/**
 * Returns a note about a pager that runs although the environment turns pagers off. The pager holds back its text until
 * someone presses keys.
 */
const pagerNote = (pager: string): string =>
  `${pager} shows one page at a time and waits for keys: space turns the page, q quits; or run the command without a pager`;

const isOver = (block: Block): boolean => !isRunning(block.info().state);
