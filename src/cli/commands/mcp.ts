import {Argument, type Command, Option} from 'commander';
import {type Peer, peers} from '../../extensions/mcp/import/peer-files.ts';
import {exiting, exitCode, type ExitCode, UsageError} from '../../app/exit-code.ts';
import type {FolderOption} from '../../app/main-options.ts';
import {type InScope, type ServerScope, serverScopes, deleteServer, writeServer} from './mcp/write-server.ts';
import type {LoginOptions} from './mcp/run-login.ts';
import type {ImportOptions} from './mcp/run-import.ts';
import {addSubcommands, folderFlag, jsonFlag, type JsonOption} from '../flags.ts';
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
  hidden,
  hiddenOAuth,
  hiddenUrl,
  hiddenValues,
  secretIn,
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

/** `weft mcp list|get|add|remove|login|logout|import`. */
export function add(mcp: Command): void {
  const server = ['<server>', 'Name of the server'] as const;
  const scope = new Option(
    '--scope <scope>',
    'user: you, in all projects; project: everybody, in .mcp.json; local: you, in this project (default)',
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
        ['<command...>', 'Command with its arguments behind --, or the address'],
        scope,
        new Option('--transport <kind>', 'how it is reached (default: stdio)').choices(['stdio', 'http', 'sse']),
        new Option('--env <K=V>', 'Variable that the program gets; may come again').argParser(collected).default([]),
        new Option('--header <name: value>', 'Header that is sent to the address; may come again')
          .argParser(collected)
          .default([]),
        ['--client-id <id>', 'OAuth client id, if you have one'],
        ['--client-secret-env <name>', 'Variable that holds the OAuth client secret'],
        ['--callback-port <port>', 'Port of 127.0.0.1 that the OAuth client is registered with'],
        folderFlag,
      ],
      exiting(addServer),
    ],
    ['remove', 'Remove a server from the file that names it', [server, scope, folderFlag], exiting(removeServer)],
    [
      'login',
      'Sign in to a server in the browser',
      [server, ['--oauth-scope <scope>', 'Permission to ask for besides those of the sign-in before'], folderFlag],
      exiting(async (name: string, options: LoginOptions) => (await signing()).login(name, options)),
    ],
    [
      'logout',
      'Revoke and forget a sign-in',
      [['<server>', 'Name of the server, or its address'], folderFlag],
      exiting(async (name: string, options: FolderOption) => (await signing()).logout(name, options)),
    ],
    [
      'import',
      'Copy the servers of other products into your settings; what is not carried over is said',
      [
        new Argument('[product]', 'whose servers').choices(peers),
        ['--all', 'Those of all products'],
        scope,
        ['--dry-run', 'Only show what would be written'],
        jsonFlag,
        folderFlag,
      ],
      exiting(async (peer: Peer | undefined, options: ImportOptions) =>
        (await import('./mcp/run-import.ts')).importServers(peer, options),
      ),
    ],
  ]);
}

/** `weft mcp list`: every server that a file names for this folder, and whether it answers. Exit code 0 whatever they answer. */
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

/** `weft mcp get`: how one server is configured, and whether it answers. Values that may be secrets are not shown. */
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
          command: hidden(transport.command),
          args: transport.args.map(hidden),
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

/** `weft mcp add`: writes a server into the settings that `--scope` names, or into `.mcp.json`. */
async function addServer(name: string, words: readonly string[], options: AddOptions): Promise<ExitCode> {
  await requireOutsideWeft('Adding an MCP server');
  if (!/^[A-Za-z0-9][\w.-]{0,63}$/u.test(name)) {
    throw new UsageError(
      `${JSON.stringify(name)} cannot be the name of a server: use letters, digits, "-", "_" and ".".`,
    );
  }
  const scope = options.scope ?? 'local';
  const entry = entryOf(words, options);
  const config = parseServers({[name]: entry}, {source: scope, path: ''})[0]?.config ?? parseServer(entry);
  if (config.tag === 'failed') throw new UsageError(`The server ${name} does not fit: ${config.error}.`);
  if (scope === 'project') refuseSharedSecrets(config.value);
  const path = await writeServer({name, entry, scope, trust: 'given'}, options.cwd);
  note(`added ${name} to ${path}`);
  const expanded = expandConfig(config.value, process.env);
  if (expanded.tag === 'failed') note(`${name}: ${expanded.error} here; it is needed when weft starts`);
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
      throw new UsageError('--header and OAuth are for servers with an address: add --transport http.');
    return {command: first, ...(args.length === 0 ? {} : {args}), ...(has(env) ? {env} : {})};
  }
  if (has(env)) throw new UsageError('--env is for servers that are programs: weft starts none for an address.');
  if (args.length > 0) throw new UsageError(`An address is one word; what is ${JSON.stringify(args.join(' '))}?`);
  if (!/^https?:\/\/|\$\{/u.test(first)) throw new UsageError(`${JSON.stringify(first)} is no http or https address.`);
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

/** A file that everybody with the repository has is no place for secrets. */
function refuseSharedSecrets({transport, oauth}: ServerConfig): void {
  const secret =
    transport.kind === 'stdio'
      ? (secretIn(transport.env) ?? transport.args.find(word => hidden(word) !== word))
      : (secretIn(transport.headers) ?? (hiddenUrl(transport.url) === transport.url ? undefined : 'its address'));
  const inOAuth = JSON.stringify(hiddenOAuth(oauth)) === JSON.stringify(oauth) ? undefined : 'its OAuth client';
  const what = secret ?? inOAuth;
  if (what === undefined) return;
  throw new UsageError(
    `${hidden(what)} seems to have a secret, and .mcp.json is for everybody who has the project: write \${NAME} for it, or choose --scope local.`,
  );
}

/** `weft mcp remove`: out of the one file that names it, or the one that `--scope` names. */
async function removeServer(name: string, options: InScope): Promise<ExitCode> {
  await requireOutsideWeft('Removing an MCP server');
  const directory = existingFolder(options.cwd ?? '.');
  const {servers} = await knownServers(directory);
  const named = servers.filter(server => server.name === name);
  const places = named.filter(server => options.scope === undefined || scopeOf(server) === options.scope);
  const [place] = places;
  if (place === undefined) {
    await serverNamed(name, directory);
    throw new Error(`${name} is not in the scope ${options.scope}, but in ${named.map(({path}) => path).join(', ')}.`);
  }
  if (places.length > 1) {
    throw new UsageError(
      `${name} is in ${places.map(server => `${server.path} (--scope ${scopeOf(server)})`).join(' and ')}: say which.`,
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

/** The settings of the project that are shared are written by hand only; they count as its scope. */
const scopeOf = ({source}: KnownServer): ServerScope => (source === 'given' ? 'user' : source);
