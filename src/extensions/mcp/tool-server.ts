import {
  acceptedContent,
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  createMcpHandler,
  inputRequired,
  type InputRequiredResult,
  isInitializeRequest,
  isLegacyRequest,
  type jsonSchemaValidator,
  type JSONRPCMessage,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
  specTypeSchemas,
  type Transport,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import {serveStdio} from '@modelcontextprotocol/server/stdio';
import type {AskForm, FormReply, ServedResult, ServedTool, ToolCaller} from '../../actions/served-tools.ts';
import {isJsonList, isJsonObject, type Json, jsonText, parseJson} from '../../base/json.ts';
import {failed} from '../../base/outcome.ts';
import {maxTimerMs} from '../../base/timer-limits.ts';
import type {ResultContent} from '../../domain/conversation.ts';
import {compileSchema} from '../../protocol/json-schema/compile-schema.ts';
import {type CallRequest, type CallStep, ServedCalls, type ToolRunner} from './served-calls.ts';

export interface ToolServing {
  readonly version: string;
  readonly instructions: string;
  readonly tools: readonly ServedTool[];
  readonly open: () => ToolRunner;
}

export interface ServedClient {
  close(): Promise<void>;
}

/** Serves the tools to the client at the other end of a transport, in the protocol revision that it asks for. */
export function serveTools(serving: ToolServing, transport: LineTransport, newId: () => string): ServedClient {
  const calls = new ServedCalls(serving.open(), newId);
  const connection = serveStdio(() => makeServer(serving, calls), {transport});
  return {
    async close() {
      await connection.close();
      await calls.close();
    },
  };
}

/** The key of the one form that a call asks its client to fill in. */
const formKey = 'approval';

/** Makes the server for one connection, or for one request of a client without a connection. */
function makeServer({version, instructions, tools}: ToolServing, calls: ServedCalls): Server {
  // oxlint-disable-next-line typescript/no-deprecated -- the high-level class wants schema objects, and the catalog has JSON Schemas
  const server = new Server(
    {name: 'weft', title: 'weft', version},
    {
      capabilities: {tools: {}},
      jsonSchemaValidator: ownValidator,
      instructions,
      // A person answers, and an agent may ask often. The tools of a server never change.
      inputRequired: {maxRounds: Number.MAX_SAFE_INTEGER, roundTimeoutMs: maxTimerMs},
      cacheHints: {'tools/list': {ttlMs: listTtlMs, cacheScope: 'private'}},
    },
  );
  server.setRequestHandler('tools/list', () => ({tools: tools.map(wireTool)}));
  server.setRequestHandler('tools/call', async ({params}, context) => {
    const {name, arguments: input = {}} = params;
    const {envelope, inputResponses, signal, requestState} = context.mcpReq;
    const request: CallRequest = {
      signal,
      report: reporter(context),
      // Since 2026-07-28, the answer to a form comes with a request of its own.
      signalHolds: envelope === undefined ? 'past-the-answer' : 'until-the-answer',
    };
    const waiting = requestState<string>();
    if (waiting !== undefined) {
      const step = await calls.resume(waiting, replyOf(inputResponses), request);
      if (step === undefined)
        throw new ProtocolError(
          ProtocolErrorCode.InvalidParams,
          'No call waits for this answer. It may have come too late: call the tool again.',
        );
      return wireStep(step);
    }
    if (!tools.some(tool => tool.name === name))
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool ${JSON.stringify(name)}.`);
    const given: unknown = input;
    const elicitation: unknown =
      envelope === undefined
        ? // oxlint-disable-next-line typescript/no-deprecated -- clients of the older revisions say it once
          server.getClientCapabilities()?.elicitation
        : declaredElicitation(envelope);
    const canAsk = showsForms(elicitation);
    return wireStep(await calls.begin({name, input: isJsonObject(given) ? given : {}, canAsk}, request));
  });
  return server;
}

/** Checks the values of forms with weft's own validator. */
const ownValidator: jsonSchemaValidator = {
  getValidator(schema) {
    const given: unknown = schema;
    const check = isJsonObject(given) ? compileSchema(given) : failed('the schema is not an object');
    return value => {
      if (check.tag === 'failed') return {valid: false, data: undefined, errorMessage: check.error};
      const errors = isJsonObject(value) ? check.value(value) : ['the answer is not an object'];
      return errors.length === 0
        ? // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what came is what it is
          {valid: true, data: value as never, errorMessage: undefined}
        : {valid: false, data: undefined, errorMessage: errors.join('; ')};
    };
  },
};

/** How long a client may keep the list of tools, in milliseconds. */
const listTtlMs = 3_600_000;

/** Returns how a client shows questions, which clients say in each request since 2026-07-28. */
function declaredElicitation(envelope: object): unknown {
  const declared: unknown = Reflect.get(envelope, CLIENT_CAPABILITIES_META_KEY);
  return isJsonObject(declared) ? declared['elicitation'] : undefined;
}

/** True if the client shows forms. An empty capability means forms. */
const showsForms = (elicitation: unknown): boolean =>
  isJsonObject(elicitation) && (elicitation['form'] !== undefined || elicitation['url'] === undefined);

function reporter({mcpReq: {_meta: meta, notify}}: ServerContext): ToolCaller['report'] {
  const progressToken = meta?.progressToken;
  let progress = 0;
  return message => {
    if (progressToken === undefined) return;
    progress += 1;
    // A client that is gone gets no reports. Its call is cancelled in any case.
    const params = {progressToken, progress, message};
    void notify({method: 'notifications/progress', params}).catch(() => {});
  };
}

const wireStep = (step: CallStep): CallToolResult | InputRequiredResult =>
  step.kind === 'ended'
    ? wireResult(step.result)
    : inputRequired({inputRequests: {[formKey]: wireForm(step.form)}, requestState: step.id});

function wireForm({message, fields}: AskForm): ReturnType<typeof inputRequired.elicit> {
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
  return inputRequired.elicit({mode: 'form', message, requestedSchema: {type: 'object', properties, required}});
}

/** Returns the values of an accepted form. Everything else counts as declined. */
function replyOf(responses: Record<string, unknown> | undefined): FormReply {
  const content = acceptedContent(responses, formKey);
  if (content === undefined) return 'declined';
  return Object.fromEntries(
    Object.entries(content).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  );
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

const notOneMessage = 'A line must be one JSON-RPC message.';

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

  /**
   * Takes a line from the client. Answers an invalid one with an error. The requests of a batch, which the revision
   * 2025-03-26 has, are answered one by one.
   */
  take(line: string): void {
    const json = parseJson(line);
    if (json.tag === 'failed') this.#refuse(null, ProtocolErrorCode.ParseError, notOneMessage);
    else if (isJsonList(json.value) && json.value.length > 0) for (const item of json.value) this.#takeMessage(item);
    else this.#takeMessage(json.value);
  }

  #takeMessage(given: Json): void {
    const message = specTypeSchemas.JSONRPCMessage['~standard'].validate(given);
    if (message.issues === undefined) {
      const {value} = message;
      if ('method' in value && value.method === 'initialize' && 'id' in value && !isInitializeRequest(message.value))
        return this.#refuse(
          value.id,
          ProtocolErrorCode.InvalidParams,
          'initialize needs protocolVersion, capabilities and clientInfo.',
        );
      if ('method' in value && 'id' in value) this.#unanswered.add(value.id);
      this.onmessage?.(value);
      return;
    }
    this.#refuse(null, ProtocolErrorCode.InvalidRequest, notOneMessage);
  }

  #refuse(id: string | number | null, code: number, message: string): void {
    this.#write(jsonText({jsonrpc: '2.0', id, error: {code, message}}));
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
  /** Answers a request. `left` fires when its connection ends. Calls whose connection is gone are cancelled. */
  answer(request: Request, body: Json | undefined, left: AbortSignal): Promise<Response>;
  close(): Promise<void>;
  connections: number;
  idle: NodeJS.Timeout | undefined;
}

/**
 * Serves the tools over streamable HTTP. A client of the older revisions has a session, named in the header
 * `Mcp-Session-Id`. Since 2026-07-28 there are none, and weft tells clients apart by what they call themselves.
 */
export class HttpToolServer {
  readonly #serving: ToolServing;
  readonly #newId: () => string;
  readonly #sessions = new Map<string, HttpClient>();
  readonly #named = new Map<string, HttpClient>();

  constructor(serving: ToolServing, newId: () => string) {
    this.#serving = serving;
    this.#newId = newId;
  }

  async respond(request: Request, body: Json | undefined, left: AbortSignal): Promise<Response> {
    if (!(await isLegacyRequest(request, body ?? null))) {
      const name = clientName(body);
      const client = this.#named.get(name) ?? this.#addNamed(name);
      return client === undefined ? tooManyClients() : this.#answer(client, request, {body, left});
    }
    const id = request.headers.get('mcp-session-id');
    const known = id === null ? undefined : this.#sessions.get(id);
    if (id !== null && known === undefined) return rpcFailure(404, -32_001, 'Session not found');
    if (known !== undefined) return this.#answer(known, request, {body, left});
    if (!isInitializeRequest(body)) return rpcFailure(400, -32_000, 'Send an initialize request first');
    if (this.#isFull()) return tooManyClients();
    return this.#beginSession(request, {body, left});
  }

  async close(): Promise<void> {
    const clients = [...this.#sessions.values(), ...this.#named.values()];
    this.#sessions.clear();
    this.#named.clear();
    await Promise.all(
      clients.map(client => {
        clearTimeout(client.idle);
        return client.close();
      }),
    );
  }

  #isFull = (): boolean => this.#sessions.size + this.#named.size >= maxClients;

  #addNamed(name: string): HttpClient | undefined {
    if (this.#isFull()) return undefined;
    const calls = new ServedCalls(this.#serving.open(), this.#newId);
    const handler = createMcpHandler(() => makeServer(this.#serving, calls), {legacy: 'reject'});
    const client: HttpClient = {
      answer: ({url, method, headers}, body, left) =>
        handler.fetch(new Request(url, {method, headers, signal: left}), {parsedBody: body}),
      close: async () => {
        this.#named.delete(name);
        await handler.close();
        await calls.close();
      },
      connections: 0,
      idle: undefined,
    };
    this.#named.set(name, client);
    return client;
  }

  async #beginSession(
    request: Request,
    {body, left}: {readonly body: Json | undefined; readonly left: AbortSignal},
  ): Promise<Response> {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: this.#newId,
      onsessioninitialized: session => void this.#sessions.set(session, client),
      onsessionclosed: session => void this.#sessions.delete(session),
    });
    const calls = new ServedCalls(this.#serving.open(), this.#newId);
    const server = makeServer(this.#serving, calls);
    const client: HttpClient = {
      answer: (asked, asJson, gone) => {
        gone.addEventListener('abort', () => cancelRequests(transport, asJson));
        return transport.handleRequest(asked, asJson === undefined ? {} : {parsedBody: asJson});
      },
      close: async () => {
        this.#sessions.delete(transport.sessionId ?? '');
        await server.close();
        await calls.close();
      },
      connections: 0,
      idle: undefined,
    };
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a server of the protocol is no event target
    server.onclose = () => void calls.close();
    await server.connect(transport);
    const answer = await this.#answer(client, request, {body, left});
    // The transport refused the request, so no session began.
    if (transport.sessionId === undefined) await client.close();
    return answer;
  }

  #answer(
    client: HttpClient,
    request: Request,
    {body, left}: {readonly body: Json | undefined; readonly left: AbortSignal},
  ): Promise<Response> {
    client.connections += 1;
    clearTimeout(client.idle);
    left.addEventListener('abort', () => {
      client.connections -= 1;
      if (client.connections === 0) client.idle = setTimeout(() => void client.close(), idleMs).unref();
    });
    return client.answer(request, body, left);
  }
}

function cancelRequests(transport: WebStandardStreamableHTTPServerTransport, body: Json | undefined): void {
  for (const requestId of requestIds(body))
    transport.onmessage?.({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: {requestId, reason: 'The connection is closed'},
    });
}

/** Returns what the client of a request calls itself. */
function clientName(body: Json | undefined): string {
  const params = isJsonObject(body) ? body['params'] : undefined;
  const meta = isJsonObject(params) ? params['_meta'] : undefined;
  return isJsonObject(meta) ? jsonText({info: meta[CLIENT_INFO_META_KEY] ?? null}) : '';
}

const tooManyClients = (): Response => rpcFailure(503, -32_000, 'Too many clients');

const requestIds = (body: Json | undefined): readonly (string | number)[] =>
  (isJsonList(body) ? body : [body]).flatMap(message => {
    if (!isJsonObject(message) || typeof message['method'] !== 'string') return [];
    const {id} = message;
    return typeof id === 'string' || typeof id === 'number' ? [id] : [];
  });

const rpcFailure = (status: number, code: number, message: string): Response =>
  Response.json({jsonrpc: '2.0', error: {code, message}, id: null}, {status});
