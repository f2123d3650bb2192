import type {TerminalControl, BlocksPort, ShellPort} from '../../actions/ports.ts';
import {failed} from '../../base/outcome.ts';
import {rejected} from '../../domain/fault.ts';
import type {BlockId} from '../../domain/ids.ts';
import {makeBlockRegistry} from '../terminals/block-registry.ts';
import type {Blocks, BlocksOptions} from '../terminals/make-blocks.ts';
import type {HookProcesses} from './run-hook.ts';
import type {Environment} from './shell-environment.ts';
import type {ShellContext} from './shell.ts';

/** Everything that runs commands on this machine. */
export interface Commands {
  readonly shell: ShellPort;
  /** Makes another shell, which starts in the first workspace folder. */
  newShell(): ShellPort;
  readonly blocks: BlocksPort;
  readonly control: TerminalControl;
  readonly hooks: Pick<HookProcesses, 'run'>;
  /** Ends all processes that weft started, except the blocks that the user keeps. Start nothing afterwards. */
  close(): Promise<void>;
}

interface CommandsOptions extends Pick<BlocksOptions, 'outputs' | 'filter' | 'redact' | 'sandbox' | 'newId' | 'waits'> {
  /** The workspace folders; commands start in the first. */
  readonly roots: readonly [string, ...string[]];
  readonly environment: Environment;
  /** Variables that the user sets for commands. They override what weft would set or withhold. */
  readonly ownVariables: Readonly<Record<string, string>>;
  /** Names of weft's own variables that the user passes on to commands although they look like secrets. */
  readonly passedVariables: readonly string[];
  /** The folder in which blocks are registered, so that other weft processes find them. */
  readonly registryFolder: string;
  /** The folder of the checkpoints, in which a watchdog notes when weft died; `undefined` if the session has none. */
  readonly checkpointsFolder?: string | undefined;
}

/** Nothing is started, loaded or written before the first command. */
export function makeCommands(options: CommandsOptions): Commands {
  const variables = {
    inherited: options.environment,
    userSet: options.ownVariables,
    passedThrough: options.passedVariables,
    roots: options.roots,
  };
  let context: Promise<ShellContext> | undefined;
  let blocks: Promise<Blocks> | undefined;
  let control: TerminalControl | undefined;
  let findBlock: BlocksPort['find'] | undefined;
  let hooks: Promise<HookProcesses> | undefined;
  const watchers = new Map<() => void, () => void>();

  const openRunContext = (): Promise<ShellContext> => (context ??= makeRunContext(options));
  const shared = {...options, variables, runContext: openRunContext};
  function newShell(): ShellPort {
    let opening: Promise<ShellPort> | undefined;
    let shell: ShellPort | undefined;
    const open = (): Promise<ShellPort> =>
      (opening ??= import('./shell.ts').then(({makeShell}) => {
        shell = makeShell({
          ...shared,
          roots: options.roots,
          runInTerminal: async (...run) => (await openBlocks()).runInTerminal(...run),
          moveToBackground: async running => (await openBlocks()).moveToBackground(running),
          takeOver: async left => (await openBlocks()).takeOver(left),
        });
        return shell;
      }));
    return {
      get directory() {
        return shell?.directory ?? options.roots[0];
      },
      run: async (request, observe, signal) => (await open()).run(request, observe, signal),
    };
  }
  const shell = newShell();

  function openBlocks(): Promise<Blocks> {
    blocks ??= import('../terminals/make-blocks.ts').then(({makeBlocks}) => {
      const made = makeBlocks({...shared, registry: makeBlockRegistry(options.registryFolder)});
      ({control} = made);
      findBlock = id => made.port.find(id);
      for (const listener of watchers.keys()) watchers.set(listener, made.control.watch(listener));
      return made;
    });
    return blocks;
  }

  return {
    shell,
    newShell,
    blocks: {
      find: id => findBlock?.(id) ?? unknownBlock(id),
      start: async (request, signal) => (await openBlocks()).port.start(request, signal),
      read: async (request, signal) => (await openBlocks()).port.read(request, signal),
      write: async (request, signal) => (await openBlocks()).port.write(request, signal),
    },
    control: {
      list: () => control?.list() ?? [],
      watch(listener) {
        watchers.set(listener, control?.watch(listener) ?? (() => {}));
        return () => {
          watchers.get(listener)?.();
          watchers.delete(listener);
        };
      },
      stop: async id => control?.stop(id),
      keep: id => control?.keep(id),
      attach: (id, terminal) => control?.attach(id, terminal) ?? unknownBlock(id),
    },
    hooks: {
      async run(command, stdin, signal) {
        hooks ??= import('./run-hook.ts').then(({makeHookProcesses}) =>
          makeHookProcesses({variables, runContext: openRunContext, sandbox: options.sandbox}),
        );
        return (await hooks).run(command, stdin, signal);
      },
    },
    async close() {
      if (context === undefined) return;
      await (await hooks)?.close();
      await (await openBlocks()).close();
      const {tags, preludes, pipes} = await context;
      preludes.close();
      pipes.close();
      makeBlockRegistry(options.registryFolder).endRun(tags.prefix);
      await options.sandbox.close();
    },
  };
}

const unknownBlock = (id: BlockId) => failed(rejected(`There is no block ${id}. No block is running.`));

/** Makes what all commands of this process share, when the first command starts. */
async function makeRunContext({
  ownVariables,
  registryFolder,
  checkpointsFolder,
}: CommandsOptions): Promise<ShellContext> {
  const [{makeRunTags}, {startProcessWatchdog}, {makePreludes}, {makeOutputPipes}, {useFile}] = await Promise.all([
    import('./run-tag.ts'),
    import('./watchdog.ts'),
    import('./shell-start.ts'),
    import('./output-pipe.ts'),
    import('../checkpoints/store-lock.ts'),
  ]);
  const tags = await makeRunTags(registryFolder);
  makeBlockRegistry(registryFolder).beginRun(tags.prefix);
  return {
    tags,
    watchdog: startProcessWatchdog(tags.prefix, checkpointsFolder === undefined ? '' : useFile(checkpointsFolder)),
    preludes: makePreludes(ownVariables['BASH_ENV'] ?? ''),
    pipes: makeOutputPipes(),
  };
}
