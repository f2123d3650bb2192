import {Argument, type Command, Option} from 'commander';
import {type Peer, importSources} from '../../extensions/mcp/import/import-files.ts';
import {exiting, exitCode, type ExitCode, UsageError} from '../../app/exit-code.ts';
import {commandFlags, type FolderOption, type MainOptions} from '../../app/main-options.ts';
import {type InScope, type ServerScope, serverScopes, deleteServer, writeServer} from './mcp/write-server.ts';
import type {LoginOptions} from './mcp/run-login.ts';
import type {ImportOptions} from './mcp/run-import.ts';
import type {McpServeOptions} from '../run-mcp-serve.ts';
import {addSubcommands, folderFlag, jsonFlag, type JsonOption, portArgument} from '../flags.ts';
import type {JsonObject} from '../../base/json.ts';
import {visibleExactLine} from '../../base/visible.ts';
import {expandConfig, parseServer, parseServers, type ServerConfig} from '../../extensions/mcp/server-config.ts';
import {requireOutsideWeft} from '../../app/folder-trust.ts';
import {type KnownServer, knownServers, serverNamed} from '../../app/known-servers.ts';
import {existingFolder} from '../../app/run-context.ts';
import {
  isSignedIn,
  type RowStatus,
  type ServerRow,
  serverRows,
  hideSecrets,
  hiddenOAuth,
  hiddenUrl,
  hiddenValues,
  findLiteralSecret,
} from '../../app/server-rows.ts';
import {openServerCredentials} from '../../app/server-credentials.ts';
import {userPlaces} from '../../app/user-data.ts';
import {note, print} from '../../app/output.ts';
import {printDocument, printRows} from '../rows.ts';

interface ListOptions extends JsonOption, FolderOption {
  readonly check: boolean;
}

interface AddOptions extends InScope {
  readonly transport?: 'stdio' | 'http' | 'sse';
  readonly env: readonly string[];
  readonly header: readonly string[];
  readonly clientId?: string;
  readonly clientSecretEnv?: string;
  readonly callbackPort?: string;
}

const signing = () => import('./mcp/run-login.ts');

const collected = (value: string, before: readonly string[]): readonly string[] => [...before, value];

/** `weft mcp list|get|add|remove|login|logout|import|serve`. */
export function add(mcp: Command, program: Command): void {
  const server = ['<server>', 'Name of the server'] as const;
  const scope = new Option(
    '--scope <scope>',
    'user: you, in all projects; project: everyone, in .mcp.json; local: you, in this project (default)',
  ).choices(serverScopes);
  addSubcommands(mcp, [
    [
      'list',
      'List the servers of this folder and whether they answer',
      [['--no-check', 'Do not start or call any server'], jsonFlag, folderFlag],
      exiting(listServers),
    ],
    [
      'get',
      'Show how one server is configured, without its secrets, and whether it answers',
      [server, ['--no-check', 'Do not start or call the server'], jsonFlag, folderFlag],
      exiting(getServer),
    ],
    [
      'add',
      'Add a server: weft mcp add <name> -- <command…>, or with --transport http <url>',
      [
        ['<name>', 'Name for the server'],
        ['<command...>', 'Command with its arguments after --, or the address'],
        scope,
        new Option('--transport <kind>', 'How to connect (default: stdio)').choices(['stdio', 'http', 'sse']),
        new Option('--env <K=V>', 'Environment variable for the server; can be given several times')
          .argParser(collected)
          .default([]),
        new Option('--header <name: value>', 'Header to send to the address; can be given several times')
          .argParser(collected)
          .default([]),
        ['--client-id <id>', 'OAuth client id, if you have one'],
        ['--client-secret-env <name>', 'Variable that holds the OAuth client secret'],
        ['--callback-port <port>', 'Port on 127.0.0.1 that the OAuth client is registered with'],
        folderFlag,
      ],
      exiting(addServer),
    ],
    ['remove', 'Remove a server from its settings file', [server, scope, folderFlag], exiting(removeServer)],
    [
      'login',
      'Sign in to a server in the browser',
      [server, ['--oauth-scope <scope>', 'Additional OAuth scope to ask for'], folderFlag],
      exiting(async (name: string, options: LoginOptions) => (await signing()).login(name, options)),
    ],
    [
      'logout',
      'Sign out of a server and revoke its tokens',
      [['<server>', 'Name of the server, or its address'], folderFlag],
      exiting(async (name: string, options: FolderOption) => (await signing()).logout(name, options)),
    ],
    [
      'import',
      'Copy the servers of other products into your settings, and list what is left out',
      [
        new Argument('[product]', 'Product to import from').choices(importSources),
        ['--all', 'Import from all products'],
        scope,
        ['--dry-run', 'Only show what would be written'],
        jsonFlag,
        folderFlag,
      ],
      exiting(async (peer: Peer | undefined, options: ImportOptions) =>
        (await import('./mcp/run-import.ts')).importServers(peer, options),
      ),
    ],
    [
      'serve',
      "Serve weft's tools to other programs over MCP, on stdin and stdout or over HTTP",
      [
        ['--http', 'Serve on 127.0.0.1 over HTTP, with the token of weft serve'],
        new Option('--port <n>', 'With --http: port to listen on; 0 for any free port')
          .argParser(portArgument)
          .default(4097),
        ...program.options.filter(({long}) => commandFlags['mcp serve'].has(long)),
      ],
      exiting(async (options: McpServeOptions) =>
        (await import('../run-mcp-serve.ts')).runMcpServe({...program.opts<MainOptions>(), ...options}),
      ),
    ],
  ]);
}

/** `weft mcp list`: prints every server configured for this folder, and whether it answers. The exit code is 0 in any case. */
async function listServers({json, check, cwd}: ListOptions): Promise<ExitCode> {
  const directory = existingFolder(cwd ?? '.');
  const {servers, notices} = await knownServers(directory);
  for (const each of notices) note(each);
  return printRows({
    rows: await serverRows(servers, {directory, check}),
    json,
    line: rowText,
    none: 'no MCP servers here. Add one: weft mcp add <name> -- <command>, or: weft mcp import',
  });
}

function rowText({name, target, source, status, detail, tools, signed_in: signedIn}: ServerRow): string {
  const count = tools === null ? '' : ` · ${tools} tool${tools === 1 ? '' : 's'}`;
  const words = [
    status === 'needs-sign-in' ? detail : `${statusWords[status]}${detail === '' ? '' : `: ${detail}`}${count}`,
  ];
  if (signedIn && status !== 'needs-sign-in') words.push('signed in');
  return visibleExactLine(`${name}  ${target === '' ? '' : `${target}  `}(${source})  ${words.join(' · ')}`);
}

const statusWords = {
  connected: 'connected',
  'needs-sign-in': 'needs sign-in',
  failed: 'failed',
  'not-checked': 'not checked',
  disabled: 'disabled',
  untrusted: 'not trusted',
  overridden: 'overridden',
  invalid: 'not valid',
} as const satisfies Record<RowStatus, string>;

/** `weft mcp get`: prints how one server is configured and whether it answers, without values that may be secret. */
async function getServer(name: string, {json, check, cwd}: ListOptions): Promise<ExitCode> {
  const directory = existingFolder(cwd ?? '.');
  const server = await serverNamed(name, directory);
  const {source, path, standing, config} = server;
  if (config.tag === 'failed') throw new Error(`${name} in ${path}: ${config.error}.`);
  const {transport, ...how} = config.value;
  const [row] = await serverRows([server], {directory, check});
  const shown = {
    name,
    status: row?.status,
    detail: row?.detail,
    tools: row?.tools,
    source,
    path,
    standing,
    transport: transport.kind,
    ...(transport.kind === 'stdio'
      ? {
          command: hideSecrets(transport.command),
          args: transport.args.map(hideSecrets),
          env: hiddenValues(transport.env),
          cwd: transport.cwd,
        }
      : {url: hiddenUrl(transport.url), headers: hiddenValues(transport.headers)}),
    protocol: how.protocol,
    required: how.need === 'required',
    always_load: how.offering === 'always',
    disabled: how.state === 'disabled',
    timeouts_ms: how.times,
    include_tools: how.tools.include === 'all' ? null : how.tools.include,
    exclude_tools: how.tools.exclude,
    oauth: hiddenOAuth(how.oauth),
  };
  if (json !== undefined) return printDocument(shown);
  for (const [key, value] of Object.entries(shown)) {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    if (!['', '[]', '{}', 'null', 'false'].includes(text)) print(`${visibleExactLine(`${key}: ${text}`)}\n`);
  }
  return exitCode.done;
}

/** `weft mcp add`: writes a server into the settings file of `--scope`, or into `.mcp.json`. */
async function addServer(name: string, words: readonly string[], options: AddOptions): Promise<ExitCode> {
  await requireOutsideWeft('Adding an MCP server');
  if (!/^[A-Za-z0-9][\w.-]{0,63}$/u.test(name)) {
    throw new UsageError(`${JSON.stringify(name)} is not a valid server name. Use letters, digits, "-", "_" and ".".`);
  }
  const scope = options.scope ?? 'local';
  const entry = entryOf(words, options);
  const config = parseServers({[name]: entry}, {source: scope, path: ''})[0]?.config ?? parseServer(entry);
  if (config.tag === 'failed') throw new UsageError(`The server ${name} is not valid: ${config.error}.`);
  if (scope === 'project') refuseSharedSecrets(config.value);
  const path = await writeServer({name, entry, scope, trust: 'given'}, options.cwd);
  note(`added ${name} to ${path}`);
  const expanded = expandConfig(config.value, process.env);
  if (expanded.tag === 'failed') note(`${name}: ${expanded.error} here; weft needs it when it starts`);
  return exitCode.done;
}

const has = (record: object): boolean => Object.keys(record).length > 0;

function entryOf(words: readonly string[], options: AddOptions): JsonObject {
  const [first = '', ...args] = words;
  const {transport = /^https?:\/\//u.test(first) ? 'http' : 'stdio'} = options;
  const env = pairs(options.env, /^([A-Za-z_]\w*)=(.*)$/su, '--env needs NAME=VALUE');
  const headers = pairs(options.header, /^([\w!#$%&'*+.^`|~-]+):\s*(.*)$/su, '--header needs "Name: value"');
  const {clientId, clientSecretEnv, callbackPort} = options;
  const oauth = {
    ...(clientId === undefined ? {} : {clientId}),
    ...(clientSecretEnv === undefined ? {} : {clientSecret: `\${${clientSecretEnv}}`}),
    ...(callbackPort === undefined ? {} : {callbackPort: portNumber(callbackPort)}),
  };
  if (transport === 'stdio') {
    if (has(headers) || has(oauth))
      throw new UsageError('--header and OAuth need a server with an address. Add --transport http.');
    return {command: first, ...(args.length === 0 ? {} : {args}), ...(has(env) ? {env} : {})};
  }
  if (has(env)) throw new UsageError('--env needs a server that weft starts, not an address.');
  if (args.length > 0) throw new UsageError(`Unexpected ${JSON.stringify(args.join(' '))} after the address.`);
  if (!/^https?:\/\/|\$\{/u.test(first))
    throw new UsageError(`${JSON.stringify(first)} is not an http or https address.`);
  return {type: transport, url: first, ...(has(headers) ? {headers} : {}), ...(has(oauth) ? {oauth} : {})};
}

const pairs = (given: readonly string[], form: RegExp, needs: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    given.map(text => {
      const [, key, value] = form.exec(text) ?? [];
      if (key === undefined || value === undefined) throw new UsageError(`${needs}.`);
      return [key, value] as const;
    }),
  );

function portNumber(text: string): number {
  const port = Number(text);
  if (!/^\d+$/u.test(text) || port < 1 || port > 65_535)
    throw new UsageError('--callback-port needs a port from 1 to 65535.');
  return port;
}

/** Refuses to write secrets into `.mcp.json`, which everyone with the repository can read. */
function refuseSharedSecrets({transport, oauth}: ServerConfig): void {
  const secret =
    transport.kind === 'stdio'
      ? (findLiteralSecret(transport.env) ?? transport.args.find(word => hideSecrets(word) !== word))
      : (findLiteralSecret(transport.headers) ??
        (hiddenUrl(transport.url) === transport.url ? undefined : 'its address'));
  const inOAuth = JSON.stringify(hiddenOAuth(oauth)) === JSON.stringify(oauth) ? undefined : 'its OAuth client';
  const what = secret ?? inOAuth;
  if (what === undefined) return;
  throw new UsageError(
    `${hideSecrets(what)} seems to contain a secret, and everyone with the project can read .mcp.json. Use \${NAME} instead, or choose --scope local.`,
  );
}

/** `weft mcp remove`: removes a server from the only file that has it, or from the one of `--scope`. */
async function removeServer(name: string, options: InScope): Promise<ExitCode> {
  await requireOutsideWeft('Removing an MCP server');
  const directory = existingFolder(options.cwd ?? '.');
  const {servers} = await knownServers(directory);
  const named = servers.filter(server => server.name === name);
  const places = named.filter(server => options.scope === undefined || scopeOf(server) === options.scope);
  const [place] = places;
  if (place === undefined) {
    await serverNamed(name, directory);
    throw new Error(`${name} is not in scope ${options.scope}. It is in ${named.map(({path}) => path).join(', ')}.`);
  }
  if (places.length > 1) {
    throw new UsageError(
      `${name} is in ${places.map(server => `${server.path} (--scope ${scopeOf(server)})`).join(' and ')}. Choose one with --scope.`,
    );
  }
  const path = await deleteServer({name, scope: scopeOf(place)}, {cwd: options.cwd, path: place.path});
  note(`removed ${name} from ${path}`);
  const signedIn = new Set(openServerCredentials(userPlaces(), process.env).urls());
  if (place.config.tag === 'ok' && isSignedIn(place.config.value, signedIn)) {
    const {transport} = place.config.value;
    note(
      `you are still signed in to it: weft mcp logout ${transport.kind === 'stdio' ? name : hiddenUrl(transport.url)}`,
    );
  }
  return exitCode.done;
}

/** Returns the scope of a server. Servers of the project's shared settings, which weft never writes, count as `project`. */
const scopeOf = ({source}: KnownServer): ServerScope => (source === 'given' ? 'user' : source);
