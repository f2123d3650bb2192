import {blockIds} from '../../../support/block-ids.ts';
import {execFileSync, spawn} from 'node:child_process';
import {existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {createServer} from 'node:net';
import {once} from 'node:events';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import type {CommandHosts, ShellReport} from '../../../../src/actions/ports.ts';
import type {Confinement} from '../../../../src/domain/risk.ts';
import type {SandboxChoice} from '../../../../src/domain/sandbox.ts';
import {isProtectedBelow} from '../../../../src/safety/paths/protected-paths.ts';
import {isSecretFile} from '../../../../src/safety/secrets/secret-files.ts';
import {makeCommands} from '../../../../src/workspace/exec/make-commands.ts';
import {makeOutputFolder} from '../../../../src/workspace/exec/output-folder.ts';
import {makeSandbox, type SandboxNetwork} from '../../../../src/workspace/sandbox/make-sandbox.ts';
import type {CommandSandbox} from '../../../../src/workspace/sandbox/sandbox.ts';
import {onPipes} from '../../../support/shell-requests.ts';
import {never} from '../temporary-folder.ts';

/** Inside, the temporary folders are others: what commands are to find outside has to lie elsewhere. */
const onDisk = fileURLToPath(new URL('../../../../node_modules/', import.meta.url));

/** Called instead of what makes a sandbox's list of mounts, which it has to call. */
export type AroundEnclose = (
  home: string,
  enclose: () => ReturnType<CommandSandbox['enclose']>,
) => ReturnType<CommandSandbox['enclose']>;

/** No rule, and nobody to ask. */
const closedNetwork: SandboxNetwork = {
  canReachHosts: () => false,
  open: async () => {
    throw new Error('the network is closed');
  },
};

let proofs: string | undefined;

/** One proof serves all places. */
function proofFolder(): string {
  if (proofs !== undefined) return proofs;
  const made = mkdtempSync(join(onDisk, '.weft-proof-'));
  process.once('exit', () => rmSync(made, {recursive: true, force: true}));
  proofs = made;
  return made;
}

/**
 * A home with a secret, a workspace with a repository, and a machine that listens; commands run in a sandbox of that choice.
 */
export async function sandboxPlace(
  choice: SandboxChoice,
  around: AroundEnclose = (_home, enclose) => enclose(),
  network: SandboxNetwork = closedNetwork,
) {
  const folder = mkdtempSync(join(onDisk, '.weft-sandbox-'));
  const home = join(folder, 'home');
  const root = join(folder, 'work');
  const outside = join(folder, 'outside');
  for (const path of [join(home, '.ssh'), root, outside, join(folder, 'data')]) mkdirSync(path, {recursive: true});
  writeFileSync(join(home, '.ssh', 'key'), 'the secret');
  writeFileSync(join(outside, 'file'), 'as it was');
  execFileSync('git', ['init', '-q', root]);
  const environment = {...process.env, HOME: home, OUT: outside, WEFT_HOME: join(folder, 'data')};
  const made = makeSandbox({
    choice,
    roots: [root],
    home,
    environment,
    ownFolders: [join(folder, 'data'), proofFolder()],
    proofFolder: proofFolder(),
    deniedReads: () => ['./denied.txt'],
    readable: () => [],
    isProtected: isProtectedBelow,
    isSecret: isSecretFile,
    network,
  });
  const sandbox: CommandSandbox = {...made, enclose: request => around(home, () => made.enclose(request))};
  const commands = makeCommands({
    roots: [root],
    environment,
    ownVariables: {},
    passedVariables: [],
    outputs: makeOutputFolder({parent: join(folder, 'outputs')}),
    filter: () => ({push: bytes => bytes, pause: () => new Uint8Array(), end: () => new Uint8Array()}),
    redact: text => text,
    registryFolder: join(folder, 'blocks'),
    waits: 'usual',
    newId: blockIds(),
    sandbox,
  });
  const victim = spawn('sleep', ['600'], {stdio: 'ignore'});
  const connections: string[] = [];
  const listener = async (name: string, at: {readonly host: string; readonly port: 0} | {readonly path: string}) => {
    const server = createServer(socket => {
      connections.push(name);
      socket.destroy();
    });
    server.listen(at);
    await once(server, 'listening');
    return server;
  };
  const abstract = `weft-test-${String(process.pid)}-${folder.slice(-6)}`;
  const servers = [
    await listener('tcp', {host: '127.0.0.1', port: 0}),
    await listener('socket', {path: join(outside, 's')}),
    await listener('abstract', {path: `\0${abstract}`}),
  ];
  const address = servers[0]?.address();
  return {
    commands,
    sandbox,
    home,
    root,
    outside,
    victim,
    abstract,
    port: typeof address === 'object' && address !== null ? address.port : 0,
    /** Who was connected to by now. */
    connections,
    has: (name: string) => existsSync(join(root, name)),
    text: (path: string) => (existsSync(path) ? readFileSync(path, 'utf8') : ''),
    run: async (
      command: string,
      confinement: Confinement = 'chosen',
      hosts: CommandHosts = onPipes.hosts,
    ): Promise<ShellReport> =>
      commands.shell.run(
        {
          command,
          directory: commands.shell.directory,
          timeoutMs: 60_000,
          paging: 'unexpected',
          changes: 'none',
          environment: 'inherited',
          confinement,
          ...onPipes,
          hosts,
        },
        () => {},
        never,
      ),
    async [Symbol.asyncDispose]() {
      await commands.close();
      victim.kill('SIGKILL');
      for (const server of servers) server.close();
      rmSync(folder, {recursive: true, force: true});
    },
  };
}

/** For so many commands there is a file with a secret while the list of what to hide is made, which is gone when they start. */
export const withBriefSecrets =
  (count: {left: number}): AroundEnclose =>
  async (home, enclose) => {
    if (count.left === 0) return enclose();
    count.left -= 1;
    writeFileSync(join(home, '.netrc'), 'brief');
    const enclosed = await enclose();
    rmSync(join(home, '.netrc'));
    return enclosed;
  };

export type SandboxPlace = Awaited<ReturnType<typeof sandboxPlace>>;
