import {isGoing} from '../../actions/block-text.ts';
import type {BlockDesk, BlockInfo, BlocksPort, BlockSnapshot, OutputFilter} from '../../actions/ports.ts';
import {clip, firstLine} from '../../base/clip.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {rejected, type Fault} from '../../domain/fault.ts';
import {blockId, type BlockId} from '../../domain/ids.ts';
import {endProcessTree, groupRemains, livingMembers, treeOf} from '../end-process-tree.ts';
import {findObstacle} from '../find-obstacle.ts';
import {findShell} from '../find-shell.ts';
import type {OutputFolder} from '../output-folder.ts';
import {commandOf, startOf} from '../process-table.ts';
import {keepRawOutput} from '../raw-output.ts';
import {shellEnvironment, type VariableSources} from '../shell-environment.ts';
import {makeBlockPrelude, startedWith} from '../shell-prelude.ts';
import type {LeftProcesses, RunGround} from '../shell.ts';
import {openBlock, type Block} from './block.ts';
import type {BlockRegistry, RegisteredBlock} from './block-registry.ts';
import type {BlockSource, SourceRequest} from './block-source.ts';
import {listeningPorts} from './listening-ports.ts';

export interface BlocksOptions {
  /** Where the next one starts. */
  readonly directory: () => string;
  readonly variables: VariableSources;
  readonly outputs: OutputFolder;
  readonly filter: () => OutputFilter;
  /** For what is written down and listed of a command. */
  readonly conceal: (text: string) => string;
  readonly ground: () => Promise<RunGround>;
  readonly registry: BlockRegistry;
}

export interface Blocks {
  readonly port: BlocksPort;
  readonly desk: BlockDesk;
  /** Makes a block of what a command left running, and answers with the line that says so. */
  adopt(left: LeftProcesses): Promise<string>;
  /** Ends all that are not kept. */
  close(): Promise<void>;
}

const size = {columns: 120, rows: 40} as const;

/** Milliseconds until a block that has started counts as going on. */
const startMs = 2000;
/** Milliseconds for something to come of what was written. */
const echoMs = 1500;
/** Seconds that one reading may wait. */
const longestWait = 600;
/** Blocks that may run at a time, and ended ones that can still be read. */
const mostRunning = 40;
const mostEnded = 20;
/** Milliseconds between two calls of those who watch, and for which ports that were found are believed. */
const watchMs = 250;
const portsMs = 1000;
/** UTF-16 units of the pages of a pager. */
const pagesBound = 30_000;

interface Entry {
  readonly block: Block;
  readonly registered: RegisteredBlock;
  life: 'with-weft' | 'kept';
  ports: readonly number[];
  portsAt: number;
}

export function makeBlocks(options: BlocksOptions): Blocks {
  const entries = new Map<BlockId, Entry>();
  const listeners = new Set<() => void>();
  let ids = 0;
  let telling: NodeJS.Timeout | undefined;
  let shell: string | undefined;
  let prelude: {readonly path: string} | undefined;

  const isRunning = ({block}: Entry): boolean => !isOver(block);
  const running = (): readonly Entry[] => [...entries.values()].filter(isRunning);

  function changed(): void {
    if (listeners.size === 0 || telling !== undefined) return;
    telling = setTimeout(() => {
      telling = undefined;
      for (const listener of listeners) listener();
    }, watchMs);
    telling.unref();
  }

  async function add(run: {
    readonly command: string;
    readonly directory: string;
    readonly mark: string;
    readonly open: () => Promise<Outcome<BlockSource, string>>;
    readonly lineEnds: 'raw' | 'converted';
  }): Promise<Outcome<Block, string>> {
    const shown = options.conceal(run.command);
    const {makeScreen} = await import('./screen.ts');
    const screen = await makeScreen({size, lineEnds: run.lineEnds});
    const opened = await run.open();
    if (opened.tag === 'failed') {
      screen.dispose();
      return opened;
    }
    const source = opened.value;
    ids += 1;
    const block = openBlock(
      {
        id: blockId(`b${ids}`),
        command: shown,
        directory: run.directory,
        mark: run.mark,
        source,
        screen,
        size,
        raw: keepRawOutput(options.outputs.newFile),
        filter: options.filter(),
      },
      changed,
    );
    const {guard} = await options.ground();
    guard.watch(source.leader);
    const registered: RegisteredBlock = {
      id: block.id,
      command: shown,
      directory: run.directory,
      mark: run.mark,
      leader: source.leader,
      leaderStarted: (await startOf(source.leader)) ?? '',
      startedAt: Date.now(),
      life: 'with-weft',
      file: '',
    };
    options.registry.put(registered);
    entries.set(block.id, {block, registered, life: 'with-weft', ports: [], portsAt: 0});
    changed();
    void block.ended.then(() => leave(block));
    return ok(block);
  }

  /** What a block that has ended leaves running goes on in one of its own. */
  async function leave(block: Block): Promise<void> {
    const {guard} = await options.ground();
    const run = {leader: block.source.leader, mark: block.mark};
    const entry = entries.get(block.id);
    const members = entry?.life === 'kept' ? [] : await livingMembers(treeOf(run));
    options.registry.remove(block.mark);
    if (!groupRemains(run.leader)) guard.left(run.leader);
    if (members.length > 0 && entry !== undefined && block.source.terminal === 'pty' && !stopping.has(block.id)) {
      await adopt({...run, command: block.command, directory: entry.registered.directory, members, pipe: 'closed'});
    }
    changed();
    const over = [...entries.values()].filter(other => !isRunning(other));
    for (const {block: old} of over.slice(0, Math.max(0, over.length - mostEnded))) {
      entries.delete(old.id);
      old.release();
    }
  }

  const stopping = new Set<BlockId>();
  /** What has to be done before weft may end. */
  const keeping = new Set<Promise<void>>();

  async function stop(block: Block, grace: 'short' | 'long'): Promise<void> {
    stopping.add(block.id);
    await block.end(grace);
  }

  async function adopt(left: LeftProcesses): Promise<string> {
    const {leftSource} = await import('./left-source.ts');
    const [first] = left.members;
    const what = first === undefined ? left.command : commandOf(first.pid);
    const added = await add({
      command: left.command,
      directory: left.directory,
      mark: left.mark,
      open: async () => ok(leftSource(left)),
      lineEnds: 'converted',
    });
    const processes = left.members.map(({pid}) => pid).join(', ');
    const id = added.tag === 'ok' ? added.value.id : '';
    return `${id}: ${firstLine(what, 120)} (process ${processes})`;
  }

  async function start(
    {command, environment: given}: Parameters<BlocksPort['start']>[0],
    signal: AbortSignal,
  ): Promise<Outcome<BlockSnapshot, Fault>> {
    if (signal.aborted) return failed(rejected('It was stopped before it started.'));
    const directory = options.directory();
    const obstacle = findObstacle(command, directory);
    if (obstacle !== undefined) return failed(obstacle);
    if (running().length >= mostRunning) {
      return failed(rejected(`${mostRunning} commands run in blocks already; end one of them first. ${runningText()}`));
    }
    const {marks} = await options.ground();
    const mark = marks.next();
    shell ??= findShell(options.variables.given, options.variables.roots);
    const started = startedWith(shell, (prelude ??= makeBlockPrelude(options.variables.own['BASH_ENV'] ?? '')));
    const request = {shell, command, directory, size};
    const environment = (channel: 'terminal' | 'pipes') => ({
      ...shellEnvironment(options.variables, {mark, channel, environment: given}),
      ...started,
    });
    const notes: string[] = [];
    const openPty = async (): Promise<Outcome<BlockSource, string>> =>
      (await import('./open-pty.ts')).openPty({...request, environment: environment('terminal')});
    const openPipes = async (): Promise<Outcome<BlockSource, string>> => {
      const withPipes: SourceRequest = {...request, environment: environment('pipes')};
      return (await import('./open-pipes.ts')).openPipes(withPipes);
    };
    const run = {command, directory, mark};
    let added = await add({...run, open: openPty, lineEnds: 'raw'});
    if (added.tag === 'failed') {
      notes.push(`this machine gives weft no terminal (${firstLine(added.error, 200)}); the command runs in pipes`);
      added = await add({...run, open: openPipes, lineEnds: 'converted'});
    }
    if (added.tag === 'failed') return failed(rejected(`The command was not started: ${added.error}`));
    const block = added.value;
    await block.wait({ms: startMs, stopsOn: 'likely'}, signal);
    if (signal.aborted) await stop(block, 'short');
    else if (!isOver(block) && block.info().state.kind === 'waiting') {
      const {leafThrough} = await import('./leaf-through.ts');
      const leafed = await leafThrough(block, signal);
      if (leafed !== undefined) return ok(withPages(await block.snapshot(notes), leafed));
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
    start,
    async read({id, wait}, signal) {
      const found = find(id);
      if (found.tag === 'failed') return found;
      const {block} = found.value;
      const seconds = wait === 'completion' ? longestWait : Math.min(Math.max(0, wait), longestWait);
      await block.wait({ms: seconds * 1000, stopsOn: wait === 'completion' ? 'likely' : 'sure'}, signal);
      return ok(await block.snapshot([]));
    },
    async write({id, input, mode}, signal) {
      const found = find(id);
      if (found.tag === 'failed') return found;
      const {block} = found.value;
      if (block.write(input, mode) === 'closed') {
        const why = isOver(block) ? 'has ended' : 'was left running by a command that has ended, its input is closed';
        return failed(rejected(`Block ${id} cannot be written to: it ${why}. ${runningText()}`));
      }
      await block.wait({ms: echoMs, stopsOn: 'likely'}, signal);
      return ok(await block.snapshot([]));
    },
  };

  const desk: BlockDesk = {
    list() {
      const all = [...entries.values()];
      return [...all.filter(isRunning), ...all.filter(entry => !isRunning(entry))].map(info);
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
      if (entry === undefined || !isRunning(entry) || entry.life === 'kept') return;
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
    const [{guard}, {keepReading}] = await Promise.all([options.ground(), import('./keep-reading.ts')]);
    guard.spare(block.mark);
    guard.left(block.source.leader);
    const file = block.file();
    const {descriptor, leader} = block.source;
    if (descriptor !== undefined) keepReading({descriptor, leader, file});
    options.registry.put({...entry.registered, life: 'kept', file});
  }

  const info = (entry: Entry): BlockInfo => ({...entry.block.info(), ports: portsOf(entry), life: entry.life});

  function portsOf(entry: Entry): readonly number[] {
    if (!isRunning(entry)) return [];
    if (performance.now() - entry.portsAt > portsMs) {
      entry.portsAt = performance.now();
      void findPorts(entry);
      // Nobody reads what only the user looks at: whether it waits is found out for the list.
      void entry.block.look();
    }
    return entry.ports;
  }

  async function findPorts(entry: Entry): Promise<void> {
    const members = await livingMembers(treeOf({leader: entry.block.source.leader, mark: entry.block.mark}));
    const ports = listeningPorts(members.map(({pid}) => pid));
    if (ports.join() !== entry.ports.join()) changed();
    entry.ports = ports;
  }

  return {
    port,
    desk,
    adopt,
    async close() {
      const {marks, guard} = await options.ground();
      await Promise.all(keeping);
      const kept = new Set([...entries.values()].filter(({life}) => life === 'kept').map(({block}) => block.mark));
      const ours = running().filter(({life}) => life !== 'kept');
      for (const {block} of ours) stopping.add(block.id);
      const leaders = ours.map(({block}) => block.source.leader);
      const outputs = ours.map(({block}) => block.source.output).filter(name => name !== '');
      const owns = (mark: string): boolean => mark.startsWith(marks.prefix) && !kept.has(mark);
      await endProcessTree({leaders, owns, outputs}, 'long');
      for (const {block} of ours) options.registry.remove(block.mark);
      for (const {block, life} of entries.values()) if (life !== 'kept') block.release();
      guard.dismiss();
    },
  };
}

function withPages(
  snapshot: BlockSnapshot,
  {pager, pages}: {readonly pager: string; readonly pages: string},
): BlockSnapshot {
  const text = [pages, snapshot.output.text].filter(part => part !== '').join('\n');
  const note = `${pager} held the output back; weft turned its pages and ended it`;
  return {...snapshot, output: {...snapshot.output, text: clip(text, pagesBound)}, notes: [...snapshot.notes, note]};
}

const isOver = (block: Block): boolean => !isGoing(block.info().state);
