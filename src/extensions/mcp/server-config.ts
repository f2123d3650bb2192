import * as z from 'zod/mini';
import {matchWildcards} from '../../base/glob.ts';
import {isDeeperThan, isJsonObject, type Json, type JsonObject, maxJsonDepth, parseJson} from '../../base/json.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import type {Rights} from '../../domain/sandbox.ts';
import {rightsOf, rightsSchema} from '../../config/project-rights.ts';
import {variableReference, variablesIn} from '../../config/server-request.ts';

/** How one MCP server is reached and used. Texts still contain their variables (`${VAR}`) until `expandConfig` fills them in. */
export interface ServerConfig {
  readonly transport: ServerTransport;
  /** The protocol revision: `legacy` means every revision up to 2025-11-25, and `auto` asks the server. */
  readonly protocol: (typeof protocolChoices)[number];
  /** `required`: the first request to the model waits for the server, and fails if it does not start. */
  readonly need: 'required' | 'optional';
  /** `always`: ToolSearch never hides its tools. */
  readonly offering: 'always' | 'by-size';
  readonly state: 'enabled' | 'disabled';
  readonly times: ServerTimeouts;
  readonly tools: ToolFilter;
  /** The `oauth` member of the configuration, unparsed; empty if there is none. */
  readonly oauth: JsonObject;
}

/** The time limits for a server, in milliseconds. */
export interface ServerTimeouts {
  /** The time limit for the server to start, and for each list of what it offers. */
  readonly start: number;
  /** The longest time that a call may take without any progress, and in total. */
  readonly silence: number;
  readonly call: number;
}

export const defaultTimeouts: ServerTimeouts = {start: 60_000, silence: 300_000, call: 3_600_000};

export type ServerTransport = StdioServer | HttpServer;

interface StdioServer {
  readonly kind: 'stdio';
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The folder to start the server in. Empty for the workspace folder. */
  readonly cwd: string;
  readonly rights: Rights;
}

/**
 * `http`: streamable HTTP. `sse`: the older transport. `http-or-sse`: only the address is configured, so both are
 * tried.
 */
export interface HttpServer {
  readonly kind: 'http' | 'sse' | 'http-or-sse';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The server's own tool names. `*` matches any text. */
export interface ToolFilter {
  readonly include: readonly string[] | 'all';
  readonly exclude: readonly string[];
}

export const protocolChoices = ['legacy', 'auto', '2026-07-28'] as const;

/** The source of a server's configuration. `given`: in `--mcp-config` or by the program that drives weft. */
export type ServerSource = 'user' | 'project' | 'local' | 'given';

/** One configured server. An error in its configuration affects this server alone. */
export interface ConfiguredServer {
  readonly name: string;
  readonly source: ServerSource;
  readonly path: string;
  readonly config: Outcome<ServerConfig, string>;
}

const texts = z.record(z.string(), z.string());
const milliseconds = z.optional(z.int().check(z.minimum(1)));

/** Unknown keys are allowed, because they belong to other products. */
const serverForm = z.looseObject({
  type: z.optional(z.enum(['stdio', 'http', 'sse', 'streamable-http', 'streamableHttp'])),
  command: z.optional(z.string().check(z.minLength(1))),
  args: z.optional(z.array(z.string())),
  env: z.optional(texts),
  cwd: z.optional(z.string()),
  sandbox: rightsSchema,
  url: z.optional(z.string().check(z.minLength(1))),
  headers: z.optional(texts),
  protocol: z.optional(z.enum(protocolChoices)),
  required: z.optional(z.boolean()),
  alwaysLoad: z.optional(z.boolean()),
  disabled: z.optional(z.boolean()),
  enabled: z.optional(z.boolean()),
  timeout: milliseconds,
  startupTimeout: milliseconds,
  includeTools: z.optional(z.array(z.string())),
  excludeTools: z.optional(z.array(z.string())),
  oauth: z.optional(z.custom<JsonObject>(isJsonObject)),
});

/**
 * Reads one entry of `mcpServers`, in the form that Claude Code, Gemini and most other clients share. The error names
 * the key and what is wrong with it.
 */
export function parseServer(given: Json, source: ServerSource = 'user'): Outcome<ServerConfig, string> {
  if (isDeeperThan(given, maxJsonDepth)) return failed('it is nested too deeply');
  const parsed = serverForm.safeParse(given);
  if (!parsed.success) {
    const path = parsed.error.issues[0]?.path.map(String).join('.') ?? '';
    return failed(path === '' ? 'it must be a JSON object' : `"${path}" is invalid`);
  }
  const form = parsed.data;
  const transport = transportOf(form, source);
  if (transport.tag === 'failed') return transport;
  if (form['headersHelper'] !== undefined) return failed('"headersHelper" is not supported: use "headers" with ${VAR}');
  return ok({
    transport: transport.value,
    protocol: form.protocol ?? 'legacy',
    need: form.required === true ? 'required' : 'optional',
    offering: form.alwaysLoad === true ? 'always' : 'by-size',
    state: form.disabled === true || form.enabled === false ? 'disabled' : 'enabled',
    times: {
      start: form.startupTimeout ?? defaultTimeouts.start,
      silence: form.timeout ?? defaultTimeouts.silence,
      call: form.timeout ?? defaultTimeouts.call,
    },
    tools: {include: form.includeTools ?? 'all', exclude: form.excludeTools ?? []},
    oauth: form.oauth ?? {},
  });
}

function transportOf(form: z.output<typeof serverForm>, source: ServerSource): Outcome<ServerTransport, string> {
  const {type, command, args = [], env = {}, cwd = '', url, headers = {}} = form;
  if (command !== undefined && url !== undefined) return failed('it has both "command" and "url": keep one of them');
  if (type === 'stdio' || (type === undefined && command !== undefined)) {
    if (command === undefined) return failed('"command" is missing: name the program to start');
    return ok({kind: 'stdio', command, args, env, cwd, rights: rightsOf(form.sandbox, source)});
  }
  if (url === undefined) return failed('it needs "command" (a program) or "url" (an address)');
  if (type === 'sse') return ok({kind: 'sse', url, headers});
  return ok({kind: type === undefined ? 'http-or-sse' : 'http', url, headers});
}

/**
 * Reads the servers of an `mcpServers` object, in its order. Servers in a project's file never get weft's model keys,
 * trusted or not, because anyone may own such a server's address.
 */
export const parseServers = (
  servers: JsonObject,
  origin: {readonly source: ServerSource; readonly path: string},
): readonly ConfiguredServer[] =>
  Object.entries(servers).map(([name, given]) => {
    const isProjects = origin.source === 'project' || origin.source === 'local';
    const config = parseServer(given, origin.source);
    const key = config.tag === 'ok' && isProjects ? variablesIn(given).find(each => modelKeys.has(each)) : undefined;
    return {
      name,
      ...origin,
      config:
        key === undefined
          ? config
          : failed(`it uses ${key}, which only servers in your own settings can use (weft mcp add --scope user)`),
    };
  });

const modelKeys: ReadonlySet<string> = new Set(['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'OPENAI_API_KEY']);

/** Returns the `mcpServers` object of a file such as `.mcp.json`. The error says why there is none. */
export function parseServersFile(text: string): Outcome<JsonObject, string> {
  const json = parseJson(text.replace(/^\u{feff}/u, ''));
  if (json.tag === 'failed') return failed(`it is not JSON: ${json.error}`);
  const servers = isJsonObject(json.value) ? json.value['mcpServers'] : undefined;
  return isJsonObject(servers) ? ok(servers) : failed('it has no object "mcpServers"');
}

/**
 * Returns one server for each name. A later list overrides an earlier one, and a server keeps the position where its
 * name first appeared.
 */
export function mergeServers(weakestFirst: readonly (readonly ConfiguredServer[])[]): readonly ConfiguredServer[] {
  const byName = new Map<string, ConfiguredServer>();
  for (const servers of weakestFirst) for (const server of servers) byName.set(server.name, server);
  return [...byName.values()];
}

/**
 * Fills in `${VAR}` and `${VAR:-default}` in the command, its arguments, variables and folder, or in the address, its
 * headers and the OAuth settings. The error names missing variables. An empty variable counts as set, but a default
 * replaces it.
 */
export function expandConfig(
  config: ServerConfig,
  environment: Readonly<Record<string, string | undefined>>,
): Outcome<ServerConfig, string> {
  const missing = new Set<string>();
  const expand = (text: string): string =>
    text.replaceAll(variableReference, (_whole, name: string, otherwise: string | undefined) => {
      const value = environment[name];
      if (value !== undefined && (value !== '' || otherwise === undefined)) return value;
      if (otherwise !== undefined) return otherwise;
      missing.add(name);
      return '';
    });
  const all = (record: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
    Object.fromEntries(Object.entries(record).map(([key, value]) => [key, expand(value)]));
  const given = config.transport;
  const transport: ServerTransport =
    given.kind === 'stdio'
      ? {
          ...given,
          command: expand(given.command),
          args: given.args.map(expand),
          env: all(given.env),
          cwd: expand(given.cwd),
        }
      : {...given, url: expand(given.url), headers: all(given.headers)};
  const oauth = Object.fromEntries(
    Object.entries(config.oauth).map(([key, value]) => [key, typeof value === 'string' ? expand(value) : value]),
  );
  if (missing.size === 0) return ok({...config, transport, oauth});
  const names = [...missing];
  return failed(
    `the environment variable${names.length === 1 ? '' : 's'} ${names.join(', ')} ${names.length === 1 ? 'is' : 'are'} not set`,
  );
}

/** True if the configuration allows this tool of the server. */
export function admitsTool({include, exclude}: ToolFilter, tool: string): boolean {
  const fits = (pattern: string): boolean => matchWildcards(pattern, tool);
  return (include === 'all' || include.some(fits)) && !exclude.some(fits);
}
