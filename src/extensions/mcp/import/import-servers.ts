import {isJsonList, isJsonObject, type Json, type JsonObject, objectOf} from '../../../base/json.ts';
import {failed, ok, type Outcome} from '../../../base/outcome.ts';
import {causeText} from '../../../domain/fault.ts';
import {parseJsonWithComments} from '../../../config/json-with-comments.ts';
import {parseServer} from '../server-config.ts';
import type {Peer, ImportFile} from './import-files.ts';

/** A server from another product's configuration, as an entry of weft's own `mcpServers`. */
export interface FoundServer {
  readonly name: string;
  readonly entry: JsonObject;
  /** The settings that were not imported or mean something else here, one sentence each. Notes never contain values. */
  readonly notes: readonly string[];
}

/** The servers in another product's file. `leftOut` lists servers that weft can't use, one sentence each. */
export interface FoundServers {
  readonly servers: readonly FoundServer[];
  readonly leftOut: readonly string[];
}

/**
 * Reads the servers in another product's configuration file, as they apply in the folder `directory`. References to
 * variables stay references, in weft's form. The error says why the file can't be read.
 */
export async function readImportFile(
  {peer, format}: Omit<ImportFile, 'owner'>,
  text: string,
  directory: string,
): Promise<Outcome<FoundServers, string>> {
  const parsed = format === 'toml' ? await parseToml(text) : parseJsonWithComments(text);
  if (parsed.tag === 'failed') return parsed;
  const servers: FoundServer[] = [];
  const leftOut: string[] = [];
  // Cursor has the fields and the variables of VS Code.
  const form = peer === 'cursor' ? 'vscode' : peer;
  for (const [name, given] of serverEntries(form, parsed.value, directory)) {
    if (!isJsonObject(given)) {
      leftOut.push(`${name}: it is not an object`);
      continue;
    }
    const fields = new Fields(given, (value, notes) => variables[form](value, {notes, directory}));
    const entry = readers[form](fields, {file: parsed.value, name});
    const checked = parseServer(entry);
    if (checked.tag === 'failed') leftOut.push(`${name}: ${checked.error}`);
    else servers.push({name, entry, notes: [...fields.notes, ...fields.unread()]});
  }
  return ok({servers, leftOut});
}

async function parseToml(text: string): Promise<Outcome<JsonObject, string>> {
  const {parse} = await import('smol-toml');
  try {
    // Dates become text, as in JSON.
    const value: unknown = JSON.parse(JSON.stringify(parse(text, {integersAsBigInt: false})));
    return isJsonObject(value) ? ok(value) : failed('it is not a table');
  } catch (cause) {
    return failed(`it is not TOML: ${causeText(cause).split('\n')[0] ?? ''}`);
  }
}

/** Returns the entries of a file, by name. The last of several entries with one name counts. */
const serverEntries = (form: Form, file: JsonObject, directory: string): ReadonlyMap<string, Json> =>
  new Map(entryReaders[form](file, directory));

type Form = Exclude<Peer, 'cursor'>;
type Entries = readonly (readonly [string, Json])[];

const entryReaders: Readonly<Record<Form, (file: JsonObject, directory: string) => Entries>> = {
  claude(file, directory) {
    const projects = objectOf(file['projects']);
    const own = Object.hasOwn(projects, directory) ? projects[directory] : undefined;
    return [...membersOf(file['mcpServers']), ...membersOf(objectOf(own)['mcpServers'])];
  },
  codex: file => membersOf(file['mcp_servers']),
  gemini: file => membersOf(file['mcpServers']),
  vscode: file => [...membersOf(file['mcpServers']), ...membersOf(file['servers'])],
  opencode({mcp}) {
    // Version 2 of the format nests the servers one level deeper.
    const {servers} = objectOf(mcp);
    return membersOf(isJsonObject(servers) ? servers : mcp);
  },
};

const membersOf = (given: Json | undefined): Entries => (isJsonObject(given) ? Object.entries(given) : []);

/** Reads one entry and tracks which fields were read. `unread` reports the others. */
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
    if (value !== undefined && value !== null) this.notes.push(`"${key}" is not text and was skipped`);
    return undefined;
  }

  texts(key: string): readonly string[] | undefined {
    const value = this.raw(key);
    if (value === undefined || value === null) return undefined;
    if (!isJsonList(value)) {
      this.notes.push(`"${key}" is not a list and was skipped`);
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
        if (item !== null) this.notes.push(`"${key}.${name}" is not text and was skipped`);
        return [];
      }),
    );
  }

  flag(key: string): boolean | undefined {
    const value = this.raw(key);
    return typeof value === 'boolean' ? value : undefined;
  }

  /** Returns a time in whole milliseconds, or `undefined` if the value is not a time. */
  milliseconds(key: string, unit: 'ms' | 's' = 'ms'): number | undefined {
    const value = this.raw(key);
    const number =
      typeof value === 'number' && Number.isFinite(value) ? Math.ceil(value * (unit === 's' ? 1000 : 1)) : 0;
    return number >= 1 && Number.isSafeInteger(number) ? number : undefined;
  }

  /** Notes a field that weft does not support, and why. */
  leave(key: string, why: string): void {
    const value = this.raw(key);
    if (value !== undefined && value !== null) this.notes.push(`"${key}" ${why}`);
  }

  /** Skips fields that don't affect how a server is used. */
  ignore(...keys: readonly string[]): void {
    for (const key of keys) this.#read.add(key);
  }

  unread(): readonly string[] {
    const keys = Object.keys(this.#given).filter(key => !this.#read.has(key));
    return keys.length === 0 ? [] : [`unknown to weft and skipped: ${keys.join(', ')}`];
  }
}

interface EntryContext {
  readonly file: JsonObject;
  readonly name: string;
}

/** Returns an entry of weft's own settings without empty members. */
function withoutEmptyMembers(members: Readonly<Record<string, Json | undefined>>): JsonObject {
  return Object.fromEntries(
    Object.entries(members).flatMap(([key, value]) => {
      const isEmpty =
        value === undefined ||
        // An empty `includeTools` list allows no tools.
        (isJsonList(value) && value.length === 0 && key !== 'includeTools') ||
        (isJsonObject(value) && Object.keys(value).length === 0);
      return isEmpty ? [] : [[key, value] as const];
    }),
  );
}

const approvalNote = 'is not imported as a rule: weft asks until you allow the server or its tools';

/** Reads the fields that most products name as weft does. */
const usualFields = (fields: Fields) => ({
  type: fields.text('type'),
  command: fields.text('command'),
  args: fields.texts('args'),
  env: fields.record('env'),
  cwd: fields.text('cwd'),
  url: fields.text('url'),
  headers: fields.record('headers'),
  timeout: fields.milliseconds('timeout'),
});

const readers = {
  claude(fields) {
    fields.leave('headersHelper', 'runs a program for headers; use "headers" with ${VAR}');
    return withoutEmptyMembers({
      ...usualFields(fields),
      alwaysLoad: fields.flag('alwaysLoad'),
      disabled: fields.flag('disabled'),
      oauth: oauthOf(fields),
    });
  },

  codex(fields) {
    for (const key of ['default_tools_approval_mode', 'tools']) fields.leave(key, approvalNote);
    fields.leave('http_headers_helper', 'runs a program for headers; use "headers" with ${VAR}');
    fields.leave('supports_parallel_tool_calls', 'has no equivalent in weft');
    const passed = (fields.texts('env_vars') ?? []).map(name => [name, `\${${name}}`]);
    const token = fields.text('bearer_token_env_var');
    const fromEnv = Object.entries(fields.record('env_http_headers')).map(([header, name]) => [header, `\${${name}}`]);
    const scopes = fields.texts('scopes') ?? [];
    const startSeconds = fields.milliseconds('startup_timeout_sec', 's');
    const startMs = fields.milliseconds('startup_timeout_ms');
    const url = fields.text('url');
    return withoutEmptyMembers({
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
    if (fields.raw('trust') === true) fields.leave('trust', approvalNote);
    fields.leave('authProviderType', 'has no equivalent: weft signs in with `weft mcp login`');
    for (const key of ['targetAudience', 'targetServiceAccount']) fields.leave(key, 'has no equivalent in weft');
    fields.ignore('description', 'extension');
    const httpUrl = fields.text('httpUrl');
    const usual = usualFields(fields);
    const {type, url} = usual;
    const {mcp} = file;
    const lists = isJsonObject(mcp) ? mcp : {};
    const isAllowed = !isJsonList(lists['allowed']) || lists['allowed'].includes(name);
    const isExcluded = isJsonList(lists['excluded']) && lists['excluded'].includes(name);
    return withoutEmptyMembers({
      ...usual,
      type: httpUrl !== undefined ? 'http' : url !== undefined ? (type === 'http' ? 'http' : 'sse') : undefined,
      command: httpUrl === undefined && url === undefined ? usual.command : undefined,
      url: httpUrl ?? url,
      disabled: isAllowed && !isExcluded ? undefined : true,
      includeTools: fields.texts('includeTools'),
      excludeTools: fields.texts('excludeTools'),
      oauth: oauthOf(fields),
    });
  },

  vscode(fields) {
    fields.leave(
      'envFile',
      'is not read: set its variables before you start weft, and refer to them in "env" as ${VAR}',
    );
    for (const key of ['dev', 'sandbox', 'sandboxEnabled']) fields.leave(key, 'has no equivalent in weft');
    fields.ignore('gallery', 'version');
    const tools = fields.texts('tools');
    const usual = usualFields(fields);
    return withoutEmptyMembers({
      ...usual,
      type: usual.type === 'local' ? 'stdio' : usual.type,
      includeTools: tools === undefined || tools.includes('*') ? undefined : tools,
      oauth: oauthOf(fields),
    });
  },

  opencode(fields) {
    fields.leave('codemode', 'has no equivalent in weft');
    const type = fields.text('type');
    const [command, ...args] = fields.texts('command') ?? [];
    const timeout = fields.raw('timeout');
    const times = new Fields(isJsonObject(timeout) ? timeout : {startup: timeout ?? null}, text => text);
    if (fields.raw('oauth') === false)
      fields.notes.push('"oauth": false has no equivalent: weft signs in only when you ask it to');
    return withoutEmptyMembers({
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
} as const satisfies Record<Form, (fields: Fields, place: EntryContext) => JsonObject>;

/** Converts OAuth settings to weft's names. The addresses of the authorization server are dropped, because weft always discovers them. */
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
  const oauth = withoutEmptyMembers({
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

interface VariableContext {
  readonly notes: string[];
  readonly directory: string;
}

/** Rewrites each product's references to variables as `${NAME}` or `${NAME:-default}`. */
const variables = {
  claude: text => text,
  codex(text, {notes}) {
    if (/\$\{[A-Za-z_]/u.test(text)) note(notes, 'weft fills in ${…} from the environment; Codex did not');
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
          note(notes, `VS Code asks for "${name}": set the variable ${variable} before you start weft`);
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
            note(notes, `${whole} has no equivalent and was kept as is`);
          }
          return whole;
      }
    });
  },
  opencode(text, {notes}) {
    return text.replaceAll(/\{(env|file):([^{}]*)\}/gu, (_whole, kind: string, name: string) => {
      if (kind === 'env') return `\${${name.trim()}}`;
      const variable = variableName(name.split('/').at(-1) ?? '');
      note(notes, `the content of ${name} was not copied: set the variable ${variable} to it before you start weft`);
      return `\${${variable}}`;
    });
  },
} as const satisfies Record<Form, (text: string, place: VariableContext) => string>;

const vscodeVariables: ReadonlySet<string> = new Set(
  'workspaceFolderBasename file fileBasename fileDirname relativeFile selectedText execPath'.split(' '),
);

function note(notes: string[], text: string): void {
  if (!notes.includes(text)) notes.push(text);
}

/** Converts a name to the form of a variable: `api-key` becomes `API_KEY`. */
export const variableName = (name: string): string => {
  const words = name
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/gu, '_')
    .replaceAll(/^_+|_+$/gu, '');
  return /^[A-Z]/u.test(words) ? words : `VALUE_${words}`.replace(/_$/u, '');
};
