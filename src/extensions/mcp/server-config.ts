import * as z from 'zod/mini';
import {matchWildcards} from '../../base/glob.ts';
import {isDeeperThan, isJsonObject, type Json, type JsonObject, maxJsonDepth, parseJson} from '../../base/json.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import type {Rights} from '../../domain/sandbox.ts';
import {rightsOf, rightsSchema} from '../../config/project-rights.ts';
import {variableReference, variablesIn} from '../../config/server-request.ts';

/** How one MCP server is reached and used. Texts still hold their variables (`${VAR}`) until `expandConfig` fills them in. */
export interface ServerConfig {
  readonly transport: ServerTransport;
  /** Which revision of the protocol is spoken: `legacy` is every one up to 2025-11-25, `auto` asks the server. */
  readonly protocol: (typeof protocolChoices)[number];
  /** `required`: the first request to the model waits for it, and fails where it does not start. */
  readonly need: 'required' | 'optional';
  /** `always`: its tools are never put behind ToolSearch. */
  readonly offering: 'always' | 'by-size';
  readonly state: 'enabled' | 'disabled';
  readonly times: ServerTimes;
  readonly tools: ToolFilter;
  /** What the configuration says of OAuth, as it stands there; empty if it says nothing. */
  readonly oauth: JsonObject;
}

/** In milliseconds. */
export interface ServerTimes {
  /** Within which the server has to start, and to list what it offers. */
  readonly start: number;
  /** That a call may take without a sign of life, and in all. */
  readonly silence: number;
  readonly call: number;
}

const usualTimes: ServerTimes = {start: 60_000, silence: 300_000, call: 3_600_000};

export type ServerTransport = StdioServer | HttpServer;

interface StdioServer {
  readonly kind: 'stdio';
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Empty: the workspace folder. */
  readonly cwd: string;
  readonly rights: Rights;
}

/** `http`: streamable HTTP. `sse`: the transport of before. `http-or-sse`: the address alone was given, so both are tried. */
export interface HttpServer {
  readonly kind: 'http' | 'sse' | 'http-or-sse';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Names of tools as the server has them; `*` stands for any text. */
export interface ToolFilter {
  readonly include: readonly string[] | 'all';
  readonly exclude: readonly string[];
}

export const protocolChoices = ['legacy', 'auto', '2026-07-28'] as const;

/** Where a server was named. `given` is what `--mcp-config` or the program that drives weft says. */
export type ServerSource = 'user' | 'project' | 'local' | 'given';

/** One server as somebody named it. What is wrong with its configuration fails this server alone. */
export interface ConfiguredServer {
  readonly name: string;
  readonly source: ServerSource;
  readonly path: string;
  readonly config: Outcome<ServerConfig, string>;
}

const texts = z.record(z.string(), z.string());
const milliseconds = z.optional(z.int().check(z.minimum(1)));

/** Keys that weft does not know are those of other products. */
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
 * Reads one entry of `mcpServers`, in the form that Claude Code, Gemini and most other clients share. The error says what does not
 * fit, and names the key.
 */
export function parseServer(given: Json, source: ServerSource = 'user'): Outcome<ServerConfig, string> {
  if (isDeeperThan(given, maxJsonDepth)) return failed('it is nested too deeply');
  const parsed = serverForm.safeParse(given);
  if (!parsed.success) {
    const path = parsed.error.issues[0]?.path.map(String).join('.') ?? '';
    return failed(path === '' ? 'it must be a JSON object' : `"${path}" does not fit`);
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
      start: form.startupTimeout ?? usualTimes.start,
      silence: form.timeout ?? usualTimes.silence,
      call: form.timeout ?? usualTimes.call,
    },
    tools: {include: form.includeTools ?? 'all', exclude: form.excludeTools ?? []},
    oauth: form.oauth ?? {},
  });
}

function transportOf(form: z.output<typeof serverForm>, source: ServerSource): Outcome<ServerTransport, string> {
  const {type, command, args = [], env = {}, cwd = '', url, headers = {}} = form;
  if (command !== undefined && url !== undefined) return failed('it has both "command" and "url": keep one of them');
  if (type === 'stdio' || (type === undefined && command !== undefined)) {
    if (command === undefined) return failed('"command" is missing: the program that is the server');
    return ok({kind: 'stdio', command, args, env, cwd, rights: rightsOf(form.sandbox, source)});
  }
  if (url === undefined) return failed('it needs "command" (a program) or "url" (an address)');
  if (type === 'sse') return ok({kind: 'sse', url, headers});
  return ok({kind: type === undefined ? 'http-or-sse' : 'http', url, headers});
}

/**
 * The servers of an `mcpServers` object, in its order. What a project's file names does not get the keys that weft talks to models
 * with, trusted or not: the address of such a server may be anybody's.
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
          : failed(`it takes ${key}, which only servers in your own settings may have (weft mcp add --scope user)`),
    };
  });

const modelKeys: ReadonlySet<string> = new Set(['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'OPENAI_API_KEY']);

/** The `mcpServers` object of a file such as `.mcp.json`; the error says why there is none. */
export function serversInText(text: string): Outcome<JsonObject, string> {
  const json = parseJson(text.replace(/^\u{feff}/u, ''));
  if (json.tag === 'failed') return failed(`it is not JSON: ${json.error}`);
  const servers = isJsonObject(json.value) ? json.value['mcpServers'] : undefined;
  return isJsonObject(servers) ? ok(servers) : failed('it has no object "mcpServers"');
}

/** One server for each name: a later list comes before an earlier one, and a server keeps the place where its name came first. */
export function strongestServers(weakestFirst: readonly (readonly ConfiguredServer[])[]): readonly ConfiguredServer[] {
  const byName = new Map<string, ConfiguredServer>();
  for (const servers of weakestFirst) for (const server of servers) byName.set(server.name, server);
  return [...byName.values()];
}

/**
 * Fills in `${VAR}` and `${VAR:-default}` in the command, its arguments, variables and folder, or in the address, its headers and what
 * is said of OAuth. An error names the variable that is missing; one that is empty counts as set, but takes its default.
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

/** Whether a server's tool is one that the configuration lets weft offer. */
export function admitsTool({include, exclude}: ToolFilter, tool: string): boolean {
  const fits = (pattern: string): boolean => matchWildcards(pattern, tool);
  return (include === 'all' || include.some(fits)) && !exclude.some(fits);
}
