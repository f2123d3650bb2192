import type {BlockDesk, BlocksPort, OutputFilter, ShellPort} from '../actions/ports.ts';
import {failed} from '../base/outcome.ts';
import {rejected} from '../domain/fault.ts';
import type {BlockId} from '../domain/ids.ts';
import {makeBlockRegistry} from './blocks/block-registry.ts';
import type {Blocks} from './blocks/make-blocks.ts';
import type {OutputFolder} from './output-folder.ts';
import type {Environment} from './shell-environment.ts';
import {makeShell, type LeftProcesses, type RunGround} from './shell.ts';

/** Everything that runs commands on this machine. */
export interface Commands {
  readonly shell: ShellPort;
  readonly blocks: BlocksPort;
  readonly desk: BlockDesk;
  /** Ends everything that was started and is not kept. Nothing may be started afterwards. */
  close(): Promise<void>;
}

interface CommandsOptions {
  /** The workspace folders; commands start in the first. */
  readonly roots: readonly [string, ...string[]];
  readonly environment: Environment;
  /** What the user wants commands to have, whatever weft would set or withhold. */
  readonly ownVariables: Readonly<Record<string, string>>;
  /** Names of weft's own variables that the user wants commands to have although they look like secrets. */
  readonly passedVariables: readonly string[];
  readonly outputs: OutputFolder;
  /** Each output goes through one of its own before anything else sees it. */
  readonly filter: () => OutputFilter;
  /** Commands are written down and listed with secrets hidden. */
  readonly conceal: (text: string) => string;
  /** Where blocks are written down for other runs of weft to find. */
  readonly registryFolder: string;
}

/** Nothing is started, loaded or written before the first command. */
export function makeCommands(options: CommandsOptions): Commands {
  const variables = {
    given: options.environment,
    own: options.ownVariables,
    passed: options.passedVariables,
    roots: options.roots,
  };
  let ground: Promise<RunGround> | undefined;
  let blocks: Promise<Blocks> | undefined;
  let desk: BlockDesk | undefined;
  const watchers = new Map<() => void, () => void>();

  const openGround = (): Promise<RunGround> => (ground ??= layGround(options));
  const shell = makeShell({
    roots: options.roots,
    variables,
    outputs: options.outputs,
    filter: options.filter,
    ground: openGround,
    adopt: async (left: LeftProcesses) => (await openBlocks()).adopt(left),
  });

  function openBlocks(): Promise<Blocks> {
    blocks ??= import('./blocks/make-blocks.ts').then(({makeBlocks}) => {
      const made = makeBlocks({
        directory: () => shell.directory,
        variables,
        outputs: options.outputs,
        filter: options.filter,
        conceal: options.conceal,
        ground: openGround,
        registry: makeBlockRegistry(options.registryFolder),
      });
      ({desk} = made);
      for (const listener of watchers.keys()) watchers.set(listener, made.desk.watch(listener));
      return made;
    });
    return blocks;
  }

  return {
    shell,
    blocks: {
      start: async (request, signal) => (await openBlocks()).port.start(request, signal),
      read: async (request, signal) => (await openBlocks()).port.read(request, signal),
      write: async (request, signal) => (await openBlocks()).port.write(request, signal),
    },
    desk: {
      list: () => desk?.list() ?? [],
      watch(listener) {
        watchers.set(listener, desk?.watch(listener) ?? (() => {}));
        return () => {
          watchers.get(listener)?.();
          watchers.delete(listener);
        };
      },
      stop: async id => desk?.stop(id),
      keep: id => desk?.keep(id),
      attach: (id, terminal) => desk?.attach(id, terminal) ?? noBlock(id),
    },
    async close() {
      if (ground !== undefined) await (await openBlocks()).close();
    },
  };
}

const noBlock = (id: BlockId) => failed(rejected(`There is no block ${id}. No block is running.`));

async function layGround({ownVariables, registryFolder}: CommandsOptions): Promise<RunGround> {
  const [{makeRunMarks}, {startGuard}, {makePreludes}] = await Promise.all([
    import('./run-marks.ts'),
    import('./guard.ts'),
    import('./shell-prelude.ts'),
  ]);
  makeBlockRegistry(registryFolder).open();
  const marks = await makeRunMarks(registryFolder);
  return {marks, guard: startGuard(marks.prefix), preludes: makePreludes(ownVariables['BASH_ENV'] ?? '')};
}
