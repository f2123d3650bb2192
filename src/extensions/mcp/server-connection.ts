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
import {isJsonList, isJsonObject, type Json, type JsonObject} from '../../base/json.ts';
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
import {noChallenge, SignInNeeded} from './oauth/sign-in-needed.ts';
import type {ServerTimes} from './server-config.ts';
import {ServerEnded} from './stdio-transport.ts';

interface ToolRequest {
  readonly tool: string;
  readonly input: JsonObject;
  readonly progress: (text: string) => void;
}

/** What a server said of the revisions that it speaks. `discover` is its own answer. */
export type ProtocolEra =
  | {readonly kind: 'unknown'}
  | {readonly kind: 'legacy'}
  | {readonly kind: 'modern'; readonly discover: JsonObject};

/** What a server may ask of its client. */
export interface ClientServices {
  readonly elicit: (elicitation: Elicitation, signal: AbortSignal) => Promise<ElicitationReply>;
  /** Asks the model on behalf of the server, once the user agrees; `undefined`: nobody can be asked. */
  readonly sample: ((request: SamplingRequest, signal: AbortSignal) => Promise<SamplingReply>) | undefined;
  /** The workspace folders, as `file:` addresses with a name. */
  readonly roots: () => readonly {readonly uri: string; readonly name: string}[];
}

export interface ConnectionOptions {
  readonly server: string;
  readonly version: string;
  readonly times: ServerTimes;
  readonly services: ClientServices;
  /** One line that may help to find out why the server does not work. */
  readonly log: (line: string) => void;
  /** The server says that what it offers is something else now. */
  readonly changed: (what: 'tools' | 'prompts' | 'resources') => void;
}

const maxTools = 1000;
const maxResources = 1000;
const maxPages = 100;
const longestInstructions = 2000;

/**
 * Greets the server at the other end of the transport. Rejects with a reason for people when it does not answer as one; the transport
 * is closed then. `era` is what is known of the server: with `unknown`, `negotiation` decides.
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
      jsonSchemaValidator: acceptsAll,
    },
  );
  let whyClosed = 'the server ended';
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a client of the protocol is no event target
  client.onerror = error => {
    if (error instanceof ServerEnded) whyClosed = error.message;
    else options.log(firstLine(error.message, 300));
  };
  const closed = Promise.withResolvers<string>();
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a client of the protocol is no event target
  client.onclose = () => closed.resolve(whyClosed);
  client.setRequestHandler('elicitation/create', {params: loose, result: loose}, async (params, context) =>
    answerTo(params, options, context.mcpReq.signal),
  );
  client.setRequestHandler('roots/list', {params: z.optional(loose), result: loose}, async () => ({
    roots: services.roots().map(root => ({...root})),
  }));
  const {sample} = services;
  if (sample !== undefined) {
    client.setRequestHandler('sampling/createMessage', {params: loose, result: loose}, async (params, context) => {
      const reply = await sample({server, params: asJson(params)}, context.mcpReq.signal);
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

/** What is known of a server, as the protocol takes it; a server whose kept answer does not fit any more is asked again. */
function priorOf(era: ProtocolEra): Pick<ConnectOptions, 'prior'> {
  if (era.kind === 'legacy') return {prior: {kind: 'legacy'}};
  const discover: unknown = era.kind === 'modern' ? era.discover : undefined;
  return isSpecType.DiscoverResult(discover) ? {prior: {kind: 'modern', discover}} : {};
}

/** Milliseconds that a server has to say which revisions it speaks; one that is silent speaks the old ones. */
const probeMs = 5000;

/** The schemas of results are the servers' own: a pattern in one could keep weft busy for ever. */
const acceptsAll: jsonSchemaValidator = {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what came is what it is
  getValidator: () => value => ({valid: true, data: value as never, errorMessage: undefined}),
};

/** One MCP server, from its greeting on. */
export class ServerConnection {
  readonly title: string;
  readonly version: string;
  /** What the server wants models to know of it, bounded; empty if it says nothing. */
  readonly instructions: string;
  readonly resources: 'offered' | 'none';
  readonly prompts: 'offered' | 'none';
  /** Which revisions it speaks, to be handed to the next connection. */
  readonly era: ProtocolEra;
  /** Settles when the connection is gone, and says why. */
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
    this.instructions = clip((client.getInstructions() ?? '').trim(), longestInstructions);
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
      if (read === undefined) this.#options.log('a tool without a name is left out');
      return read === undefined ? [] : [read];
    });
  }

  /** `progress` hears what the server says of how far it has come. */
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
      : failed(rejected(`${who} could not be called: ${answer.error}`));
  }

  listResources(signal: AbortSignal): Promise<Outcome<readonly McpResource[], Fault>> {
    return this.#list({member: 'resources', most: maxResources, read: readResource}, signal);
  }

  listPrompts(signal: AbortSignal): Promise<Outcome<readonly McpPrompt[], Fault>> {
    return this.#list({member: 'prompts', most: maxTools, read: readPrompt}, signal);
  }

  readResource(uri: string, signal: AbortSignal): Promise<Outcome<McpResult, Fault>> {
    const who = `${clip(uri, 200)} of ${this.#options.server}`;
    return this.#get({method: 'resources/read', params: {uri}}, {who, read: readResourceResult}, signal);
  }

  expandPrompt(
    {name, values}: {readonly name: string; readonly values: Readonly<Record<string, string>>},
    signal: AbortSignal,
  ): Promise<Outcome<McpResult, Fault>> {
    const who = `The prompt ${name} of ${this.#options.server}`;
    const params = {name, arguments: {...values}};
    return this.#get({method: 'prompts/get', params}, {who, read: readPromptResult}, signal);
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  async #list<Item>(
    list: {
      readonly member: 'resources' | 'prompts';
      readonly most: number;
      readonly read: (given: Json, server: string) => readonly Item[];
    },
    signal: AbortSignal,
  ): Promise<Outcome<readonly Item[], Fault>> {
    const {member, most, read} = list;
    const {server} = this.#options;
    if (this[member] === 'none') return ok([]);
    try {
      const given = await this.#pages(member, most, signal);
      return ok(given.flatMap(item => read(item, server)));
    } catch (cause) {
      return failed(rejected(`The ${member} of ${server} could not be listed: ${this.#troubleText(cause)}`));
    }
  }

  async #get(
    request: {readonly method: string; readonly params: Record<string, unknown>},
    {who, read}: {readonly who: string; readonly read: typeof readResourceResult},
    signal: AbortSignal,
  ): Promise<Outcome<McpResult, Fault>> {
    const settings = this.#callSettings(() => {}, signal);
    const answer = await this.#ask(() => this.#client.request(request, loose, settings));
    return answer.tag === 'ok'
      ? read(answer.value, who)
      : failed(rejected(`${who} could not be read: ${answer.error}`));
  }

  /** Progress is a sign of life: the server then has its time again. */
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
      return ok(asJson(await request()));
    } catch (cause) {
      if (isClosed(cause)) return failed(await this.closed);
      if (!(cause instanceof SdkHttpError && cause.status === 404)) return failed(this.#troubleText(cause));
      // The protocol's word for a session that is over; nothing was done, and whoever needs the server next connects anew.
      await this.#client.close().catch(() => {});
      return failed('the server has ended the session; the next call begins a new one');
    }
  }

  async #modernTools(signal: AbortSignal): Promise<readonly Json[]> {
    const {tools} = asJson(
      await this.#client.listTools(undefined, {signal, timeout: this.#options.times.start, cacheMode: 'refresh'}),
    );
    return isJsonList(tools) ? tools.slice(0, maxTools) : [];
  }

  async #pages(member: 'tools' | 'resources' | 'prompts', most: number, signal: AbortSignal): Promise<readonly Json[]> {
    const found: Json[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < maxPages; page += 1) {
      const answer = asJson(
        await this.#client.request({method: `${member}/list`, params: cursor === undefined ? {} : {cursor}}, loose, {
          signal,
          timeout: this.#options.times.start,
        }),
      );
      const {[member]: items, nextCursor} = answer;
      if (isJsonList(items)) found.push(...items.slice(0, most + 1 - found.length));
      if (found.length > most) {
        this.#options.log(`it has more than ${most} ${member}; the others are left out`);
        return found.slice(0, most);
      }
      if (typeof nextCursor !== 'string' || nextCursor === cursor) return found;
      cursor = nextCursor;
    }
    return found;
  }

  #troubleText(cause: unknown): string {
    if (cause instanceof SdkError && cause.code === SdkErrorCode.RequestTimeout) {
      const {call, silence} = this.#options.times;
      return call <= silence
        ? `it took more than ${secondsText(call)}`
        : `it gave no sign of life for ${secondsText(silence)}`;
    }
    return signInNeededIn(cause, this.#options.server)?.message ?? connectTroubleText(cause);
  }
}

const isClosed = (cause: unknown): boolean => cause instanceof SdkError && cause.code === SdkErrorCode.ConnectionClosed;

const secondsText = (ms: number): string => `${ms < 10_000 ? ms / 1000 : Math.round(ms / 1000)} s`;

/** What an error of a connection says of signing in, however it was wrapped on its way; `undefined` if it says nothing of that. */
export function signInNeededIn(cause: unknown, server: string): SignInNeeded | undefined {
  let at = cause;
  for (let depth = 0; depth < 5 && at instanceof Error; depth += 1) {
    if (at instanceof SignInNeeded) return at;
    if (at instanceof InsufficientScopeError) {
      const challenge = {resourceMetadataUrl: at.resourceMetadataUrl, scope: at.requiredScope};
      return new SignInNeeded(server, {challenge, why: 'more-scope'});
    }
    // A token that is new and refused all the same.
    if (at instanceof UnauthorizedError || (at instanceof SdkHttpError && at.status === 401)) {
      return new SignInNeeded(server, {challenge: noChallenge, why: 'no-token'});
    }
    at = at.cause;
  }
  return undefined;
}

function connectTroubleText(cause: unknown): string {
  const {cause: inner} = cause instanceof Error ? cause : {cause: undefined};
  const text = causeText(cause).replace(/^MCP error -?\d+: /u, '');
  return clip(text === 'fetch failed' && inner !== undefined ? `fetch failed: ${causeText(inner)}` : text, 10_000);
}

function progressText({progress, total, message}: Progress): string {
  const share = total === undefined || !(total > 0) ? String(progress) : `${Math.round((progress / total) * 100)} %`;
  return message === undefined || message === '' ? share : `${share} ${firstLine(message, 300)}`;
}

/** A server that asks in no form that weft knows is declined, as is one that asks where nobody can answer. */
async function answerTo(
  params: z.output<typeof loose>,
  {server, services}: ConnectionOptions,
  signal: AbortSignal,
): Promise<Record<string, unknown>> {
  const {message, mode, url, elicitationId, requestedSchema} = asJson(params);
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

/** What came as JSON is JSON. */
const asJson = (value: unknown): JsonObject => (isJsonObject(value) ? value : {});
