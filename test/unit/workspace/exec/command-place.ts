import {blockIds} from '../../../support/block-ids.ts';
import {plainSandbox} from '../../../support/plain-sandbox.ts';
import type {CommandSandbox} from '../../../../src/workspace/sandbox/sandbox.ts';
import {onPipes} from '../../../support/shell-requests.ts';
import {mkdirSync} from 'node:fs';
import {join} from 'node:path';
import type {ShellReport} from '../../../../src/actions/ports.ts';
import {makeCommands} from '../../../../src/workspace/exec/make-commands.ts';
import type {BlockWaits} from '../../../../src/workspace/terminals/make-blocks.ts';
import {makeOutputFolder, type OutputFolder} from '../../../../src/workspace/exec/output-folder.ts';
import {never, temporaryFolder} from '../temporary-folder.ts';

/** A workspace in a temporary folder in which commands can be run; the ends of a test end everything. */
export function commandPlace(
  given: {
    readonly environment?: NodeJS.ProcessEnv;
    readonly own?: Readonly<Record<string, string>>;
    readonly blockWaits?: BlockWaits;
    readonly sandbox?: CommandSandbox;
  } = {},
) {
  const folder = temporaryFolder();
  const root = join(folder.path, 'work');
  const registry = join(folder.path, 'blocks');
  mkdirSync(root);
  const outputs: OutputFolder = makeOutputFolder({parent: join(folder.path, 'outputs')});
  const commands = makeCommands({
    roots: [root],
    environment: {...process.env, ...given.environment},
    ownVariables: given.own ?? {},
    passedVariables: [],
    outputs,
    filter: () => ({push: bytes => bytes, pause: () => new Uint8Array(), end: () => new Uint8Array()}),
    redact: text => text,
    registryFolder: registry,
    waits: given.blockWaits ?? 'usual',
    newId: blockIds(),
    sandbox: given.sandbox ?? plainSandbox,
  });
  return {
    ...commands,
    root,
    registry,
    outputs,
    /** Runs it to its end. */
    run: async (command: string, signal = never): Promise<ShellReport> =>
      commands.shell.run(
        {
          command,
          directory: commands.shell.directory,
          timeoutMs: 20_000,
          paging: 'unexpected',
          changes: 'none',
          environment: 'inherited',
          confinement: 'chosen',
          ...onPipes,
        },
        () => {},
        signal,
      ),
    async [Symbol.asyncDispose]() {
      await commands.close();
      folder[Symbol.dispose]();
    },
  };
}
