import {Server} from '@modelcontextprotocol/sdk/server/index.js';
import {WebStandardStreamableHTTPServerTransport} from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import type {RequestHandlerExtra} from '@modelcontextprotocol/sdk/shared/protocol.js';
import type {Transport} from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  CallToolRequestSchema,
  type CallToolResult,
  ElicitResultSchema,
  ErrorCode,
  isInitializeRequest,
  type JSONRPCMessage,
  JSONRPCMessageSchema,
  ListToolsRequestSchema,
  McpError,
  type ServerNotification,
  type ServerRequest,
} from '@modelcontextprotocol/sdk/types.js';
import type {AskForm, FormReply, ServedResult, ServedTool, ToolCaller} from '../../actions/served-tools.ts';
import {isJsonList, isJsonObject, type Json, type JsonObject, jsonText, parseJson} from '../../base/json.ts';
import {maxTimerMs} from '../../base/timer-limits.ts';
import type {ResultContent} from '../../domain/conversation.ts';

/** Runs the calls of one client. */
export interface ToolRunner {
  /** Never rejects. */
  call(name: string, input: JsonObject, caller: ToolCaller): Promise<ServedResult>;
  /** Stops everything that runs. */
  close(): Promise<void>;
}

export interface ToolServing {
  readonly version: string;
  readonly instructions: string;
  readonly tools: readonly ServedTool[];
  /** Opens the runner of one more client. */
  readonly open: () => ToolRunner;
}

export interface ServedClient {
  close(): Promise<void>;
}

/** Serves the tools to one client, until the transport closes. */
export async function serveTools(serving: ToolServing, transport: Transport): Promise<ServedClient> {
  const {version, instructions, tools} = serving;
  const runner = serving.open();
  // oxlint-disable-next-line typescript/no-deprecated -- the high-level class wants zod schemas, and the catalog has JSON Schemas
  const server = new Server({name: 'weft', title: 'weft', version}, {capabilities: {tools: {}}, instructions});
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => (closed ??= runner.close());
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a server of the protocol is no event target
  server.onclose = () => void close();
  server.setRequestHandler(ListToolsRequestSchema, () => ({tools: tools.map(wireTool)}));
  server.setRequestHandler(CallToolRequestSchema, async ({params}, extra) => {
    const {name, arguments: input = {}} = params;
    if (!tools.some(tool => tool.name === name))
      throw new McpError(ErrorCode.InvalidParams, `Unknown tool ${JSON.stringify(name)}.`);
    const given: unknown = input;
    const canAsk = showsForms(server.getClientCapabilities()?.elicitation);
    return wireResult(
      await runner.call(name, isJsonObject(given) ? given : {}, {
        signal: extra.signal,
        report: reporter(extra),
        ask: canAsk ? form => ask(form, extra) : 'cannot-ask',
      }),
    );
  });
  await server.connect(transport);
  return {
    async close() {
      await server.close();
      await close();
    },
  };
}

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;

/** True if the client shows forms. An empty capability means forms. */
const showsForms = (capability: {readonly form?: unknown; readonly url?: unknown} | undefined): boolean =>
  capability !== undefined && (capability.form !== undefined || capability.url === undefined);

function reporter({_meta: meta, sendNotification}: Extra): ToolCaller['report'] {
  const progressToken = meta?.progressToken;
  let progress = 0;
  return message => {
    if (progressToken === undefined) return;
    progress += 1;
    // A client that is gone gets no reports. Its call is cancelled in any case.
    const params = {progressToken, progress, message};
    void sendNotification({method: 'notifications/progress', params}).catch(() => {});
  };
}

/** Asks the person in front of the client. Everything except an accepted form counts as declined. */
async function ask({message, fields}: AskForm, extra: Extra): Promise<FormReply> {
  const properties = Object.fromEntries(
    Object.entries(fields).map(([name, {title, choices}]) => [
      name,
      choices.length === 0
        ? {type: 'string' as const, title}
        : {
            type: 'string' as const,
            title,
            enum: choices.map(({value}) => value),
            enumNames: choices.map(choice => choice.title),
          },
    ]),
  );
  const required = Object.keys(fields).filter(name => fields[name]?.need === 'required');
  const requestedSchema = {type: 'object' as const, properties, required};
  try {
    const {action, content = {}} = await extra.sendRequest(
      {method: 'elicitation/create', params: {mode: 'form', message, requestedSchema}},
      ElicitResultSchema,
      // A person answers, so the request has no limit of its own.
      {signal: extra.signal, timeout: maxTimerMs},
    );
    if (action !== 'accept') return 'declined';
    return Object.fromEntries(
      Object.entries(content).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
    );
  } catch {
    return 'declined';
  }
}

const wireTool = ({name, description, inputSchema, outputSchema, annotations}: ServedTool) => ({
  name,
  description,
  inputSchema: {...inputSchema, type: 'object' as const},
  ...(outputSchema === undefined ? {} : {outputSchema: {...outputSchema, type: 'object' as const}}),
  annotations: {...annotations},
});

const wireResult = ({content, isError, structured, session}: ServedResult): CallToolResult => ({
  content: content.map(wireContent),
  ...(isError ? {isError} : {}),
  ...(structured === undefined ? {} : {structuredContent: {...structured}}),
  ...(session === '' ? {} : {_meta: {'weft/session_id': session}}),
});

function wireContent(block: ResultContent): CallToolResult['content'][number] {
  if (block.kind === 'text') return {type: 'text', text: block.text};
  const {data, mediaType: mimeType} = block;
  return block.kind === 'image'
    ? {type: 'image', data, mimeType}
    : {type: 'resource', resource: {uri: `file:///${encodeURIComponent(block.name)}`, mimeType, blob: data}};
}

/** A transport of lines: one message a line. */
export class LineTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #write: (line: string) => void;
  #hasEnded = false;
  readonly #unanswered = new Set<string | number>();
  readonly #answered = Promise.withResolvers<void>();

  constructor(write: (line: string) => void) {
    this.#write = write;
  }

  /** Takes a line from the client. Answers an invalid one with an error. */
  take(line: string): void {
    const json = parseJson(line);
    const message = json.tag === 'ok' ? JSONRPCMessageSchema.safeParse(json.value) : undefined;
    if (message?.success === true) {
      const {data} = message;
      if ('method' in data && 'id' in data) this.#unanswered.add(data.id);
      this.onmessage?.(data);
      return;
    }
    const code = json.tag === 'ok' ? ErrorCode.InvalidRequest : ErrorCode.ParseError;
    this.#write(jsonText({jsonrpc: '2.0', id: null, error: {code, message: 'A line must be one JSON-RPC message.'}}));
  }

  async start(): Promise<void> {}

  async send(message: JSONRPCMessage): Promise<void> {
    this.#write(jsonText(message));
    if ('method' in message || message.id === undefined) return;
    this.#unanswered.delete(message.id);
    if (this.#hasEnded && this.#unanswered.size === 0) this.#answered.resolve();
  }

  /** Settles when all requests are answered. No line follows. A cancelled request is never answered. */
  async answered(): Promise<void> {
    this.#hasEnded = true;
    if (this.#unanswered.size > 0) await this.#answered.promise;
  }

  async close(): Promise<void> {
    this.onclose?.();
  }
}

/** How long a client's session is kept without a connection, in milliseconds. */
const idleMs = 3_600_000;
const maxClients = 64;

interface HttpClient {
  readonly client: ServedClient;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  connections: number;
  idle: NodeJS.Timeout | undefined;
}

/** Serves the tools over streamable HTTP. Each client has its own session, named in the header `Mcp-Session-Id`. */
export class HttpToolServer {
  readonly #serving: ToolServing;
  readonly #newId: () => string;
  readonly #clients = new Map<string, HttpClient>();

  constructor(serving: ToolServing, newId: () => string) {
    this.#serving = serving;
    this.#newId = newId;
  }

  /** Answers a request. `left` fires when its connection ends. Calls whose connection is gone are cancelled. */
  async respond(request: Request, body: Json | undefined, left: AbortSignal): Promise<Response> {
    const id = request.headers.get('mcp-session-id');
    const known = id === null ? undefined : this.#clients.get(id);
    if (id !== null && known === undefined) return rpcFailure(404, -32_001, 'Session not found');
    if (known !== undefined) return this.#answer(known, {request, body, left});
    if (!isInitializeRequest(body)) return rpcFailure(400, -32_000, 'Send an initialize request first');
    if (this.#clients.size >= maxClients) return rpcFailure(503, -32_000, 'Too many clients');
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: this.#newId,
      onsessioninitialized: session => void this.#clients.set(session, opened),
      onsessionclosed: session => void this.#clients.delete(session),
    });
    const client = await serveTools(this.#serving, transport);
    const opened: HttpClient = {client, transport, connections: 0, idle: undefined};
    const answer = await this.#answer(opened, {request, body, left});
    // The transport refused the request, so no session began.
    if (transport.sessionId === undefined) await client.close();
    return answer;
  }

  async close(): Promise<void> {
    const clients = [...this.#clients.values()];
    this.#clients.clear();
    await Promise.all(
      clients.map(({client, idle}) => {
        clearTimeout(idle);
        return client.close();
      }),
    );
  }

  #answer(
    client: HttpClient,
    {request, body, left}: {readonly request: Request; readonly body: Json | undefined; readonly left: AbortSignal},
  ): Promise<Response> {
    client.connections += 1;
    clearTimeout(client.idle);
    left.addEventListener('abort', () => {
      for (const requestId of requestIds(body))
        client.transport.onmessage?.({
          jsonrpc: '2.0',
          method: 'notifications/cancelled',
          params: {requestId, reason: 'The connection is closed'},
        });
      client.connections -= 1;
      if (client.connections === 0) client.idle = setTimeout(() => void this.#drop(client), idleMs).unref();
    });
    return client.transport.handleRequest(request, body === undefined ? {} : {parsedBody: body});
  }

  async #drop({client, transport}: HttpClient): Promise<void> {
    this.#clients.delete(transport.sessionId ?? '');
    await client.close();
  }
}

/** Returns the ids of the requests in a body. */
const requestIds = (body: Json | undefined): readonly (string | number)[] =>
  (isJsonList(body) ? body : [body]).flatMap(message => {
    if (!isJsonObject(message) || typeof message['method'] !== 'string') return [];
    const {id} = message;
    return typeof id === 'string' || typeof id === 'number' ? [id] : [];
  });

const rpcFailure = (status: number, code: number, message: string): Response =>
  Response.json({jsonrpc: '2.0', error: {code, message}, id: null}, {status});
