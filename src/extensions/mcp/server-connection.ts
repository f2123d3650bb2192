import {
  Client,
  type ConnectOptions,
  InsufficientScopeError,
  isSpecType,
  type jsonSchemaValidator,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  type Progress,
  type Transport,
  UnauthorizedError,
  type VersionNegotiationMode,
} from '@modelcontextprotocol/client';
import * as z from 'zod/mini';
import type {
  Elicitation,
  ElicitationReply,
  McpPrompt,
  McpResource,
  McpResult,
  SamplingReply,
  SamplingRequest,
} from '../../actions/mcp-port.ts';
import {clip, firstLine} from '../../base/clip.ts';
import {isJsonList, isJsonObject, type Json, type JsonObject, objectOf} from '../../base/json.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {causeText, type Fault, rejected} from '../../domain/fault.ts';
import {
  isText,
  readPrompt,
  readPromptResult,
  readResource,
  readResourceResult,
  readTool,
  readToolResult,
  type ServerTool,
} from './server-answers.ts';
import {emptyChallenge, SignInNeeded} from './oauth/sign-in-needed.ts';
import type {ServerTimeouts} from './server-config.ts';
import {ServerEnded} from './stdio-transport.ts';

interface ToolRequest {
  readonly tool: string;
  readonly input: JsonObject;
  readonly progress: (text: string) => void;
}

/** The known protocol revisions of a server. `discover` is its own answer. */
export type ProtocolEra =
  | {readonly kind: 'unknown'}
  | {readonly kind: 'legacy'}
  | {readonly kind: 'modern'; readonly discover: JsonObject};

export interface ClientServices {
  readonly elicit: (elicitation: Elicitation, signal: AbortSignal) => Promise<ElicitationReply>;
  /** Asks the model on behalf of the server, once the user agrees. `undefined`: no user can be asked. */
  readonly sample: ((request: SamplingRequest, signal: AbortSignal) => Promise<SamplingReply>) | undefined;
  /** The workspace folders, as `file:` URLs with names. */
  readonly roots: () => readonly {readonly uri: string; readonly name: string}[];
}

export interface ConnectionOptions {
  readonly server: string;
  readonly version: string;
  readonly times: ServerTimeouts;
  readonly services: ClientServices;
  /** Logs one line that may help to debug the server. */
  readonly log: (line: string) => void;
  /** Called when the server reports that its offer changed. */
  readonly changed: (what: 'tools' | 'prompts' | 'resources') => void;
}

const maxTools = 1000;
const maxResources = 1000;
const maxPages = 100;
const maxInstructions = 2000;

/**
 * Initializes the connection to the server. Rejects with a reason for people if the other end does not answer as an
 * MCP server; the transport is closed then. `era` is what is known about the server. If it is `unknown`,
 * `negotiation` decides.
 */
export async function connectTransport(
  transport: Transport,
  given: {
    readonly options: ConnectionOptions;
    readonly negotiation: VersionNegotiationMode;
    readonly era: ProtocolEra;
  },
  signal: AbortSignal,
): Promise<ServerConnection> {
  const {options, negotiation, era} = given;
  const {server, services, times} = options;
  const changed = (what: 'tools' | 'prompts' | 'resources') => ({
    autoRefresh: false,
    debounceMs: 0,
    onChanged: () => options.changed(what),
  });
  const client = new Client(
    {name: 'weft', version: options.version},
    {
      capabilities: {
        elicitation: {form: {}, url: {}},
        roots: {},
        ...(services.sample === undefined ? {} : {sampling: {}}),
      },
      versionNegotiation: {mode: negotiation, probe: {timeoutMs: Math.min(probeMs, times.start)}},
      listChanged: {tools: changed('tools'), prompts: changed('prompts'), resources: changed('resources')},
      jsonSchemaValidator: acceptAll,
    },
  );
  let whyClosed = 'the server stopped';
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a client of the protocol is no event target
  client.onerror = error => {
    if (error instanceof ServerEnded) whyClosed = error.message;
    else options.log(firstLine(error.message, 300));
  };
  const closed = Promise.withResolvers<string>();
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a client of the protocol is no event target
  client.onclose = () => closed.resolve(whyClosed);
  client.setRequestHandler('elicitation/create', {params: loose, result: loose}, async (params, context) =>
    answerElicitation(params, options, context.mcpReq.signal),
  );
  client.setRequestHandler('roots/list', {params: z.optional(loose), result: loose}, async () => ({
    roots: services.roots().map(root => ({...root})),
  }));
  const {sample} = services;
  if (sample !== undefined) {
    client.setRequestHandler('sampling/createMessage', {params: loose, result: loose}, async (params, context) => {
      const reply = await sample({server, params: objectOf(params)}, context.mcpReq.signal);
      if (reply.tag === 'failed') throw new Error(reply.error);
      return {...reply.value};
    });
  }
  try {
    await client.connect(transport, {
      timeout: times.start,
      signal,
      ...priorOf(era),
    });
  } catch (cause) {
    await transport.close().catch(() => {});
    throw isClosed(cause) ? new Error(whyClosed, {cause}) : cause;
  }
  return new ServerConnection(client, {...options, closed: closed.promise});
}

/** Returns the known revisions in the client library's form. A server whose saved answer is no longer valid is asked again. */
function priorOf(era: ProtocolEra): Pick<ConnectOptions, 'prior'> {
  if (era.kind === 'legacy') return {prior: {kind: 'legacy'}};
  const discover: unknown = era.kind === 'modern' ? era.discover : undefined;
  return isSpecType.DiscoverResult(discover) ? {prior: {kind: 'modern', discover}} : {};
}

/** The time limit for a server to report its revisions, in milliseconds. A silent server is assumed to use the old ones. */
const probeMs = 5000;

/** Skips the validation of results: a pattern in a server's schema could keep weft busy forever. */
const acceptAll: jsonSchemaValidator = {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what came is what it is
  getValidator: () => value => ({valid: true, data: value as never, errorMessage: undefined}),
};

/** One connected MCP server. */
export class ServerConnection {
  readonly title: string;
  readonly version: string;
  /** The server's instructions for models, bounded; empty if it has none. */
  readonly instructions: string;
  readonly resources: 'offered' | 'none';
  readonly prompts: 'offered' | 'none';
  /** The protocol revisions that the server is known to speak, for the next connection. */
  readonly era: ProtocolEra;
  /** Resolves when the connection is closed, with the reason. */
  readonly closed: Promise<string>;
  readonly #client: Client;
  readonly #options: ConnectionOptions;

  constructor(client: Client, options: ConnectionOptions & {readonly closed: Promise<string>}) {
    this.#client = client;
    this.#options = options;
    this.closed = options.closed;
    const {name = '', version = ''} = client.getServerVersion() ?? {};
    const offers = client.getServerCapabilities();
    const discover: unknown = client.getDiscoverResult();
    this.title = clip(name, 200);
    this.version = clip(version, 100);
    this.instructions = clip((client.getInstructions() ?? '').trim(), maxInstructions);
    this.resources = offers?.resources === undefined ? 'none' : 'offered';
    this.prompts = offers?.prompts === undefined ? 'none' : 'offered';
    this.era =
      client.getProtocolEra() === 'modern' && isJsonObject(discover) ? {kind: 'modern', discover} : {kind: 'legacy'};
  }

  async listTools(signal: AbortSignal): Promise<readonly ServerTool[]> {
    if (this.#client.getServerCapabilities()?.tools === undefined) return [];
    const given =
      this.era.kind === 'modern' ? await this.#modernTools(signal) : await this.#pages('tools', maxTools, signal);
    return given.flatMap(tool => {
      const read = readTool(tool);
      if (read === undefined) this.#options.log('skipped a tool without a name');
      return read === undefined ? [] : [read];
    });
  }

  /** Calls a tool. `progress` gets the server's progress reports. */
  async call({tool, input, progress}: ToolRequest, signal: AbortSignal): Promise<Outcome<McpResult, Fault>> {
    const who = `${tool} of ${this.#options.server}`;
    const params = {name: tool, arguments: {...input}};
    const settings = this.#callSettings(progress, signal);
    const answer = await this.#ask(() =>
      this.era.kind === 'modern'
        ? this.#client.callTool(params, settings)
        : this.#client.request({method: 'tools/call', params}, loose, settings),
    );
    return answer.tag === 'ok'
      ? readToolResult(answer.value, who)
      : failed(rejected(`Can't call ${who}: ${answer.error}`));
  }

  listResources(signal: AbortSignal): Promise<Outcome<readonly McpResource[], Fault>> {
    return this.#list({member: 'resources', maxItems: maxResources, read: readResource}, signal);
  }

  listPrompts(signal: AbortSignal): Promise<Outcome<readonly McpPrompt[], Fault>> {
    return this.#list({member: 'prompts', maxItems: maxTools, read: readPrompt}, signal);
  }

  readResource(uri: string, signal: AbortSignal): Promise<Outcome<McpResult, Fault>> {
    const who = `${clip(uri, 200)} of ${this.#options.server}`;
    return this.#get({method: 'resources/read', params: {uri}}, {who, read: readResourceResult}, signal);
  }

  expandPrompt(
    {name, values}: {readonly name: string; readonly values: Readonly<Record<string, string>>},
    signal: AbortSignal,
  ): Promise<Outcome<McpResult, Fault>> {
    const who = `the prompt ${name} of ${this.#options.server}`;
    const params = {name, arguments: {...values}};
    return this.#get({method: 'prompts/get', params}, {who, read: readPromptResult}, signal);
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  async #list<Item>(
    list: {
      readonly member: 'resources' | 'prompts';
      readonly maxItems: number;
      readonly read: (given: Json, server: string) => readonly Item[];
    },
    signal: AbortSignal,
  ): Promise<Outcome<readonly Item[], Fault>> {
    const {member, maxItems, read} = list;
    const {server} = this.#options;
    if (this[member] === 'none') return ok([]);
    try {
      const given = await this.#pages(member, maxItems, signal);
      return ok(given.flatMap(item => read(item, server)));
    } catch (cause) {
      return failed(rejected(`Can't list the ${member} of ${server}: ${this.#errorText(cause)}`));
    }
  }

  async #get(
    request: {readonly method: string; readonly params: Record<string, unknown>},
    {who, read}: {readonly who: string; readonly read: typeof readResourceResult},
    signal: AbortSignal,
  ): Promise<Outcome<McpResult, Fault>> {
    const settings = this.#callSettings(() => {}, signal);
    const answer = await this.#ask(() => this.#client.request(request, loose, settings));
    return answer.tag === 'ok' ? read(answer.value, who) : failed(rejected(`Can't read ${who}: ${answer.error}`));
  }

  /** Returns the options of a call. Each progress report restarts the silence limit. */
  #callSettings(progress: (text: string) => void, signal: AbortSignal) {
    const {times} = this.#options;
    return {
      signal,
      timeout: times.silence,
      maxTotalTimeout: times.call,
      resetTimeoutOnProgress: true,
      onprogress: (report: Progress) => progress(progressText(report)),
    };
  }

  async #ask(request: () => Promise<object>): Promise<Outcome<JsonObject, string>> {
    try {
      return ok(objectOf(await request()));
    } catch (cause) {
      if (isClosed(cause)) return failed(await this.closed);
      if (!(cause instanceof SdkHttpError && cause.status === 404)) return failed(this.#errorText(cause));
      // Status 404 means that the session is over. The server did nothing, and the next use connects again.
      await this.#client.close().catch(() => {});
      return failed('the server ended the session; the next call starts a new one');
    }
  }

  async #modernTools(signal: AbortSignal): Promise<readonly Json[]> {
    const {tools} = objectOf(
      await this.#client.listTools(undefined, {signal, timeout: this.#options.times.start, cacheMode: 'refresh'}),
    );
    return isJsonList(tools) ? tools.slice(0, maxTools) : [];
  }

  async #pages(
    member: 'tools' | 'resources' | 'prompts',
    maxItems: number,
    signal: AbortSignal,
  ): Promise<readonly Json[]> {
    const found: Json[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < maxPages; page += 1) {
      const answer = objectOf(
        await this.#client.request({method: `${member}/list`, params: cursor === undefined ? {} : {cursor}}, loose, {
          signal,
          timeout: this.#options.times.start,
        }),
      );
      const {[member]: items, nextCursor} = answer;
      if (isJsonList(items)) found.push(...items.slice(0, maxItems + 1 - found.length));
      if (found.length > maxItems) {
        this.#options.log(`it has more than ${maxItems} ${member}; skipped the others`);
        return found.slice(0, maxItems);
      }
      if (typeof nextCursor !== 'string' || nextCursor === cursor) return found;
      cursor = nextCursor;
    }
    return found;
  }

  #errorText(cause: unknown): string {
    if (cause instanceof SdkError && cause.code === SdkErrorCode.RequestTimeout) {
      const {call, silence} = this.#options.times;
      return call <= silence
        ? `it took more than ${secondsText(call)}`
        : `it did not respond for ${secondsText(silence)}`;
    }
    return findSignInNeeded(cause, this.#options.server)?.message ?? errorTextOf(cause);
  }
}

const isClosed = (cause: unknown): boolean => cause instanceof SdkError && cause.code === SdkErrorCode.ConnectionClosed;

const secondsText = (ms: number): string => `${ms < 10_000 ? ms / 1000 : Math.round(ms / 1000)} s`;

/** Finds the sign-in request in a connection error, however deeply it is wrapped. Returns `undefined` if there is none. */
export function findSignInNeeded(cause: unknown, server: string): SignInNeeded | undefined {
  let at = cause;
  for (let depth = 0; depth < 5 && at instanceof Error; depth += 1) {
    if (at instanceof SignInNeeded) return at;
    if (at instanceof InsufficientScopeError) {
      const challenge = {resourceMetadataUrl: at.resourceMetadataUrl, scope: at.requiredScope};
      return new SignInNeeded(server, {challenge, why: 'more-scope'});
    }
    // The server refused even a new token.
    if (at instanceof UnauthorizedError || (at instanceof SdkHttpError && at.status === 401)) {
      return new SignInNeeded(server, {challenge: emptyChallenge, why: 'no-token'});
    }
    at = at.cause;
  }
  return undefined;
}

function errorTextOf(cause: unknown): string {
  const {cause: inner} = cause instanceof Error ? cause : {cause: undefined};
  const text = causeText(cause).replace(/^MCP error -?\d+: /u, '');
  return clip(text === 'fetch failed' && inner !== undefined ? `fetch failed: ${causeText(inner)}` : text, 10_000);
}

function progressText({progress, total, message}: Progress): string {
  const share = total === undefined || !(total > 0) ? String(progress) : `${Math.round((progress / total) * 100)} %`;
  return message === undefined || message === '' ? share : `${share} ${firstLine(message, 300)}`;
}

/** Passes a server's question to the user. Unknown forms of questions are declined, and so are questions that no user can answer. */
async function answerElicitation(
  params: z.output<typeof loose>,
  {server, services}: ConnectionOptions,
  signal: AbortSignal,
): Promise<Record<string, unknown>> {
  const {message, mode, url, elicitationId, requestedSchema} = objectOf(params);
  const {action, content} = await services.elicit(
    {
      server,
      message: isText(message) ? clip(message, 10_000) : '',
      mode: mode === 'url' ? 'url' : 'form',
      url: isText(url) ? url : '',
      elicitationId: isText(elicitationId) ? elicitationId : '',
      requestedSchema: isJsonObject(requestedSchema) ? requestedSchema : undefined,
    },
    signal,
  );
  return content === undefined ? {action} : {action, content};
}

const loose = z.record(z.string(), z.unknown());
