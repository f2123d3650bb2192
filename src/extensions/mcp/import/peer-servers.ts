import {isJsonList, isJsonObject, type Json, type JsonObject, objectOf} from '../../../base/json.ts';
import {failed, ok, type Outcome} from '../../../base/outcome.ts';
import {causeText} from '../../../domain/fault.ts';
import {parseJsonWithComments} from '../../../config/json-with-comments.ts';
import {parseServer} from '../server-config.ts';
import type {Peer, PeerFile} from './peer-files.ts';

/** A server that another product is configured with, as an entry of weft's own `mcpServers`. */
export interface FoundServer {
  readonly name: string;
  readonly entry: JsonObject;
  /** What was not carried over or means something else here, one sentence each. No values are in them. */
  readonly notes: readonly string[];
}

/** What a file of another product names. `leftOut` are servers that have no meaning here, one sentence each. */
export interface FoundServers {
  readonly servers: readonly FoundServer[];
  readonly leftOut: readonly string[];
}

/**
 * Reads the servers in the text of another product's file, as they count in the folder `directory`. References to variables stay
 * references, in the form that weft reads. The failure says why the file cannot be read.
 */
export async function readPeerFile(
  {peer, format}: Omit<PeerFile, 'owner'>,
  text: string,
  directory: string,
): Promise<Outcome<FoundServers, string>> {
  const parsed = format === 'toml' ? await parseToml(text) : parseJsonWithComments(text);
  if (parsed.tag === 'failed') return parsed;
  const servers: FoundServer[] = [];
  const leftOut: string[] = [];
  for (const [name, given] of serverEntries(peer, parsed.value, directory)) {
    if (!isJsonObject(given)) {
      leftOut.push(`${name}: it is no object`);
      continue;
    }
    const fields = new Fields(given, (value, notes) => variables[peer](value, {notes, directory}));
    const entry = readers[peer](fields, {file: parsed.value, name});
    const checked = parseServer(entry);
    if (checked.tag === 'failed') leftOut.push(`${name}: ${checked.error}`);
    else servers.push({name, entry, notes: [...fields.notes, ...fields.unread()]});
  }
  return ok({servers, leftOut});
}

async function parseToml(text: string): Promise<Outcome<JsonObject, string>> {
  const {parse} = await import('smol-toml');
  try {
    // Dates become text, as JSON has them.
    const value: unknown = JSON.parse(JSON.stringify(parse(text, {integersAsBigInt: false})));
    return isJsonObject(value) ? ok(value) : failed('it holds no table');
  } catch (cause) {
    return failed(`it is not TOML: ${causeText(cause).split('\n')[0] ?? ''}`);
  }
}

/** The entries of a file, by name; of those that come twice the last counts. */
const serverEntries = (peer: Peer, file: JsonObject, directory: string): ReadonlyMap<string, Json> =>
  new Map(entryReaders[peer](file, directory));

type Entries = readonly (readonly [string, Json])[];

const entryReaders: Readonly<Record<Peer, (file: JsonObject, directory: string) => Entries>> = {
  claude(file, directory) {
    const projects = objectOf(file['projects']);
    const own = Object.hasOwn(projects, directory) ? projects[directory] : undefined;
    return [...membersOf(file['mcpServers']), ...membersOf(objectOf(own)['mcpServers'])];
  },
  codex: file => membersOf(file['mcp_servers']),
  gemini: file => membersOf(file['mcpServers']),
  vscode: file => [...membersOf(file['mcpServers']), ...membersOf(file['servers'])],
  opencode({mcp}) {
    // The second version has one object more.
    const {servers} = objectOf(mcp);
    return membersOf(isJsonObject(servers) ? servers : mcp);
  },
};

const membersOf = (given: Json | undefined): Entries => (isJsonObject(given) ? Object.entries(given) : []);

/** One entry while it is read: what is asked for counts as read, and the rest is named at the end. */
class Fields {
  readonly notes: string[] = [];
  readonly #given: JsonObject;
  readonly #read = new Set<string>();
  readonly #fill: (text: string, notes: string[]) => string;

  constructor(given: JsonObject, fill: (text: string, notes: string[]) => string) {
    this.#given = given;
    this.#fill = fill;
  }

  raw(key: string): Json | undefined {
    this.#read.add(key);
    return Object.hasOwn(this.#given, key) ? this.#given[key] : undefined;
  }

  text(key: string): string | undefined {
    const value = this.raw(key);
    if (typeof value === 'string') return this.#fill(value, this.notes);
    if (value !== undefined && value !== null) this.notes.push(`"${key}" is no text and is left out`);
    return undefined;
  }

  texts(key: string): readonly string[] | undefined {
    const value = this.raw(key);
    if (value === undefined || value === null) return undefined;
    if (!isJsonList(value)) {
      this.notes.push(`"${key}" is no list and is left out`);
      return undefined;
    }
    return value.flatMap(item =>
      typeof item === 'string' || typeof item === 'number' ? [this.#fill(String(item), this.notes)] : [],
    );
  }

  record(key: string): Readonly<Record<string, string>> {
    const value = this.raw(key);
    if (!isJsonObject(value)) return {};
    return Object.fromEntries(
      Object.entries(value).flatMap(([name, item]) => {
        if (typeof item === 'string' || typeof item === 'number' || typeof item === 'boolean') {
          return [[name, this.#fill(String(item), this.notes)] as const];
        }
        if (item !== null) this.notes.push(`"${key}.${name}" is no text and is left out`);
        return [];
      }),
    );
  }

  flag(key: string): boolean | undefined {
    const value = this.raw(key);
    return typeof value === 'boolean' ? value : undefined;
  }

  /** Whole milliseconds, `undefined` for what is no time. */
  milliseconds(key: string, unit: 'ms' | 's' = 'ms'): number | undefined {
    const value = this.raw(key);
    const number =
      typeof value === 'number' && Number.isFinite(value) ? Math.ceil(value * (unit === 's' ? 1000 : 1)) : 0;
    return number >= 1 && Number.isSafeInteger(number) ? number : undefined;
  }

  /** Names a field that means nothing here, and why. */
  leave(key: string, why: string): void {
    const value = this.raw(key);
    if (value !== undefined && value !== null) this.notes.push(`"${key}" ${why}`);
  }

  /** Fields that say nothing of how a server is used. */
  ignore(...keys: readonly string[]): void {
    for (const key of keys) this.#read.add(key);
  }

  unread(): readonly string[] {
    const keys = Object.keys(this.#given).filter(key => !this.#read.has(key));
    return keys.length === 0 ? [] : [`not known here and left out: ${keys.join(', ')}`];
  }
}

interface EntryPlace {
  readonly file: JsonObject;
  readonly name: string;
}

/** An entry of weft's own settings without the members that say nothing. */
function entryOf(members: Readonly<Record<string, Json | undefined>>): JsonObject {
  return Object.fromEntries(
    Object.entries(members).flatMap(([key, value]) => {
      const isEmpty =
        value === undefined ||
        // An empty list of the only tools lets none through.
        (isJsonList(value) && value.length === 0 && key !== 'includeTools') ||
        (isJsonObject(value) && Object.keys(value).length === 0);
      return isEmpty ? [] : [[key, value] as const];
    }),
  );
}

const noRule = 'never becomes a rule: weft asks, until you allow the server or its tools';

const readers = {
  claude(fields) {
    fields.leave('headersHelper', 'runs a program for headers; use "headers" with ${VAR}');
    return entryOf({
      type: fields.text('type'),
      command: fields.text('command'),
      args: fields.texts('args'),
      env: fields.record('env'),
      cwd: fields.text('cwd'),
      url: fields.text('url'),
      headers: fields.record('headers'),
      timeout: fields.milliseconds('timeout'),
      alwaysLoad: fields.flag('alwaysLoad'),
      disabled: fields.flag('disabled'),
      oauth: oauthOf(fields),
    });
  },

  codex(fields) {
    for (const key of ['default_tools_approval_mode', 'tools']) fields.leave(key, noRule);
    fields.leave('http_headers_helper', 'runs a program for headers; use "headers" with ${VAR}');
    fields.leave('supports_parallel_tool_calls', 'has no counterpart');
    const passed = (fields.texts('env_vars') ?? []).map(name => [name, `\${${name}}`]);
    const token = fields.text('bearer_token_env_var');
    const fromEnv = Object.entries(fields.record('env_http_headers')).map(([header, name]) => [header, `\${${name}}`]);
    const scopes = fields.texts('scopes') ?? [];
    const startSeconds = fields.milliseconds('startup_timeout_sec', 's');
    const startMs = fields.milliseconds('startup_timeout_ms');
    const url = fields.text('url');
    return entryOf({
      type: url === undefined ? undefined : 'http',
      command: fields.text('command'),
      args: fields.texts('args'),
      env: {...Object.fromEntries(passed), ...fields.record('env')},
      cwd: fields.text('cwd'),
      url,
      headers: {
        ...(token === undefined ? {} : {Authorization: `Bearer \${${token}}`}),
        ...Object.fromEntries(fromEnv),
        ...fields.record('http_headers'),
      },
      disabled: fields.flag('enabled') === false ? true : undefined,
      required: fields.flag('required'),
      startupTimeout: startSeconds ?? startMs,
      timeout: fields.milliseconds('tool_timeout_sec', 's'),
      includeTools: fields.texts('enabled_tools'),
      excludeTools: fields.texts('disabled_tools'),
      oauth: scopes.length === 0 ? undefined : {scope: scopes.join(' ')},
    });
  },

  gemini(fields, {file, name}) {
    if (fields.raw('trust') === true) fields.leave('trust', noRule);
    fields.leave('authProviderType', 'has no counterpart: weft signs in with `weft mcp login`');
    for (const key of ['targetAudience', 'targetServiceAccount']) fields.leave(key, 'has no counterpart');
    fields.ignore('description', 'extension');
    const httpUrl = fields.text('httpUrl');
    const url = fields.text('url');
    const type = fields.text('type');
    const {mcp} = file;
    const lists = isJsonObject(mcp) ? mcp : {};
    const isAllowed = !isJsonList(lists['allowed']) || lists['allowed'].includes(name);
    const isExcluded = isJsonList(lists['excluded']) && lists['excluded'].includes(name);
    const command = fields.text('command');
    return entryOf({
      type: httpUrl !== undefined ? 'http' : url !== undefined ? (type === 'http' ? 'http' : 'sse') : undefined,
      command: httpUrl === undefined && url === undefined ? command : undefined,
      args: fields.texts('args'),
      env: fields.record('env'),
      cwd: fields.text('cwd'),
      url: httpUrl ?? url,
      headers: fields.record('headers'),
      timeout: fields.milliseconds('timeout'),
      disabled: isAllowed && !isExcluded ? undefined : true,
      includeTools: fields.texts('includeTools'),
      excludeTools: fields.texts('excludeTools'),
      oauth: oauthOf(fields),
    });
  },

  vscode(fields) {
    fields.leave('envFile', 'is not read: set its variables where you start weft, and name them in "env" as ${VAR}');
    for (const key of ['dev', 'sandbox', 'sandboxEnabled']) fields.leave(key, 'has no counterpart');
    fields.ignore('gallery', 'version');
    const type = fields.text('type');
    const tools = fields.texts('tools');
    return entryOf({
      type: type === 'local' ? 'stdio' : type,
      command: fields.text('command'),
      args: fields.texts('args'),
      env: fields.record('env'),
      cwd: fields.text('cwd'),
      url: fields.text('url'),
      headers: fields.record('headers'),
      timeout: fields.milliseconds('timeout'),
      includeTools: tools === undefined || tools.includes('*') ? undefined : tools,
      oauth: oauthOf(fields),
    });
  },

  opencode(fields) {
    fields.leave('codemode', 'has no counterpart');
    const type = fields.text('type');
    const [command, ...args] = fields.texts('command') ?? [];
    const timeout = fields.raw('timeout');
    const times = new Fields(isJsonObject(timeout) ? timeout : {startup: timeout ?? null}, text => text);
    if (fields.raw('oauth') === false)
      fields.notes.push('"oauth": false has no counterpart: weft signs in only when you ask it to');
    return entryOf({
      command: type === 'remote' ? undefined : command,
      args,
      env: fields.record('environment'),
      cwd: fields.text('cwd'),
      url: fields.text('url'),
      headers: fields.record('headers'),
      disabled: fields.flag('enabled') === false || fields.flag('disabled') === true ? true : undefined,
      startupTimeout: times.milliseconds('startup'),
      timeout: times.milliseconds('request') ?? times.milliseconds('execution'),
      oauth: oauthOf(fields),
    });
  },
} as const satisfies Record<Peer, (fields: Fields, place: EntryPlace) => JsonObject>;

/** What products say of OAuth, in weft's words. The addresses of the authorization server are found, never configured. */
function oauthOf(fields: Fields): JsonObject | undefined {
  const given = fields.raw('oauth');
  if (!isJsonObject(given)) return undefined;
  const inner = new Fields(given, text => text);
  const scopes = inner.texts('scopes');
  const scope = inner.text('scope') ?? (scopes === undefined ? undefined : scopes.join(' '));
  inner.ignore(
    'enabled',
    'authorizationUrl',
    'tokenUrl',
    'registrationUrl',
    'issuer',
    'authServerMetadataUrl',
    'tokenParamName',
  );
  const redirect = inner.text('redirectUri') ?? inner.text('redirect_uri') ?? inner.text('redirectUrl');
  const port = inner.raw('callbackPort') ?? inner.raw('callback_port') ?? portOf(redirect);
  const oauth = entryOf({
    clientId: inner.text('clientId') ?? inner.text('client_id'),
    clientSecret: inner.text('clientSecret') ?? inner.text('client_secret'),
    clientMetadataUrl: inner.text('clientMetadataUrl'),
    callbackPort: port,
    scope: scope === '' ? undefined : scope,
  });
  fields.notes.push(...[...inner.notes, ...inner.unread()].map(each => `oauth: ${each}`));
  return oauth;
}

const portOf = (address: string | undefined): number | undefined => {
  const port = address === undefined ? '' : (URL.parse(address)?.port ?? '');
  return port === '' ? undefined : Number(port);
};

interface VariablePlace {
  readonly notes: string[];
  readonly directory: string;
}

/** How the products write references to variables, rewritten as `${NAME}` and `${NAME:-default}`. */
const variables = {
  claude: text => text,
  codex(text, {notes}) {
    if (/\$\{[A-Za-z_]/u.test(text))
      note(notes, '${…} in a text is filled in from the environment here, and was not in Codex');
    return text;
  },
  gemini: text => text.replaceAll(/\$(?=[A-Za-z_])(\w+)/gu, (_whole, name: string) => `\${${name}}`),
  vscode(text, {notes, directory}) {
    return text.replaceAll(/\$\{([^{}]*)\}/gu, (whole, inside: string) => {
      const [kind = '', name = ''] = inside.split(/:(.*)/su);
      switch (kind) {
        case 'env':
          return `\${${name}}`;
        case 'input': {
          const variable = variableName(name);
          note(notes, `VS Code asks for "${name}": set the variable ${variable} where you start weft`);
          return `\${${variable}}`;
        }
        case 'workspaceFolder':
        case 'workspaceRoot':
        case 'cwd':
          return directory;
        case 'userHome':
          return '${HOME}';
        case 'pathSeparator':
        case '/':
          return '/';
        default:
          if (name !== '' || !/^\w+$/u.test(kind) || vscodeVariables.has(kind)) {
            note(notes, `${whole} has no counterpart and stays as it is`);
          }
          return whole;
      }
    });
  },
  opencode(text, {notes}) {
    return text.replaceAll(/\{(env|file):([^{}]*)\}/gu, (_whole, kind: string, name: string) => {
      if (kind === 'env') return `\${${name.trim()}}`;
      const variable = variableName(name.split('/').at(-1) ?? '');
      note(notes, `the content of ${name} is not copied: set the variable ${variable} to it where you start weft`);
      return `\${${variable}}`;
    });
  },
} as const satisfies Record<Peer, (text: string, place: VariablePlace) => string>;

const vscodeVariables: ReadonlySet<string> = new Set([
  'workspaceFolderBasename',
  'file',
  'fileBasename',
  'fileDirname',
  'relativeFile',
  'selectedText',
  'execPath',
]);

function note(notes: string[], text: string): void {
  if (!notes.includes(text)) notes.push(text);
}

/** The name of a variable after what something is called elsewhere: `api-key` becomes `API_KEY`. */
export const variableName = (name: string): string => {
  const words = name
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/gu, '_')
    .replaceAll(/^_+|_+$/gu, '');
  return /^[A-Z]/u.test(words) ? words : `VALUE_${words}`.replace(/_$/u, '');
};
