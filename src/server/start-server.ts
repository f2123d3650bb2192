import {type FrontEndAbilities, emptyAbilities, terminalAbilities} from '../actions/front-end.ts';
import {once} from 'node:events';
import {createServer, STATUS_CODES, type IncomingMessage, type ServerResponse} from 'node:http';
import type {Duplex} from 'node:stream';
import {getRequestListener} from '@hono/node-server';
import {RESPONSE_ALREADY_SENT} from '@hono/node-server/utils/response';
import {Hono, type Context} from 'hono';
import type {ContentfulStatusCode} from 'hono/utils/http-status';
import {isDeeperThan, type Json, maxJsonDepth, parseJson} from '../base/json.ts';
import {failed, ok, type Outcome, tryOr} from '../base/outcome.ts';
import {causeText} from '../domain/fault.ts';
import {isSameSecret, refusalOf, type GuardOptions} from './guard.ts';
import {bodyLimits, refuse, type Reply, type Route} from './route.ts';
import {sendEvents} from './send-events.ts';

export interface ServerOptions extends Omit<GuardOptions, 'port'> {
  readonly host: string;
  /** The port; 0 for any free port. */
  readonly port: number;
  /** A secret path. Requests below it need no token. Empty if there is none. */
  readonly clientPath: string;
  readonly routes: readonly Route[];
  /** Opens a session for a terminal, and returns a function that takes the connection. The error is for the client. */
  readonly attach: (
    request: AttachRequest,
  ) => Promise<Outcome<(connection: Duplex) => void, {readonly status: number; readonly error: string}>>;
  /** The paths whose requests other code answers, after the checks that all requests need. `left` fires when the connection ends. */
  readonly handlers?: Readonly<
    Record<string, (request: Request, body: Json | undefined, left: AbortSignal) => Promise<Response>>
  >;
  /** Reports a server error to the operator, in one line. */
  readonly note: (line: string) => void;
}

export interface RunningServer {
  /** The address, such as `http://127.0.0.1:4096`. */
  readonly url: string;
  /** Ends all connections, event streams too. */
  close(): Promise<void>;
}

export interface AttachRequest {
  /** The session id as given; `undefined` for a new session. */
  readonly session: string | undefined;
  readonly workDir: string | undefined;
  /** Whether a running prompt continues or stops when the connection ends. */
  readonly leaving: 'goes-on' | 'stops';
  readonly frontEnd: FrontEndAbilities;
  /** The version of the weft process that attaches. */
  readonly version: string;
}

/** The protocol that a terminal requests in the `Upgrade` header. */
export const clientProtocol = 'weft-client';

/** The header with the version of the weft process that attaches. */
export const versionHeader = 'x-weft-version';

interface Env {
  readonly Bindings: {readonly incoming: IncomingMessage; readonly outgoing: ServerResponse};
}

/** Serves the routes until it is closed. The error says why the server can't listen. */
export async function startServer(options: ServerOptions): Promise<Outcome<RunningServer, string>> {
  let port = options.port;
  const guard = {...options, port: () => port};
  const app = makeApp(options, guard);
  // Leave the global Request and Response classes unchanged for other code in this process.
  const listener = getRequestListener(app.fetch, {overrideGlobalObjects: false});
  const http = createServer({requireHostHeader: false, keepAliveTimeout: 5000}, (incoming, outgoing) => {
    if (incoming.headers.host !== undefined) {
      leaveClientPath(incoming, options);
      void listener(incoming, outgoing);
      return;
    }
    // Without a Host header there is no URL to route.
    outgoing.writeHead(403, {'content-type': 'application/json'});
    outgoing.end(JSON.stringify({error: 'The request has no Host.'}));
  });
  const attached = new Set<Duplex>();
  http.on('upgrade', (incoming, connection, head) => {
    leaveClientPath(incoming, options);
    connection.on('error', () => {});
    attached.add(connection);
    connection.once('close', () => attached.delete(connection));
    if (head.length > 0) connection.unshift(head);
    void upgrade(incoming, connection, {...options, guard}).catch((cause: unknown) => {
      options.note(`attaching failed: ${causeText(cause)}`);
      connection.destroy();
    });
  });
  http.listen(options.port, options.host);
  try {
    await once(http, 'listening');
  } catch (cause) {
    return failed(`Can't listen on ${options.host}:${String(options.port)}: ${causeText(cause)}`);
  }
  const address = http.address();
  if (typeof address === 'object' && address !== null) ({port} = address);
  const host = options.host.includes(':') ? `[${options.host}]` : options.host;
  return ok({
    url: `http://${host}:${String(port)}`,
    close: async () => {
      const closed = once(http, 'close');
      http.close();
      http.closeAllConnections();
      for (const connection of attached) connection.destroy();
      await closed;
    },
  });
}

function makeApp({routes, handlers = {}, note, allowedOrigins}: ServerOptions, guard: GuardOptions): Hono<Env> {
  const app = new Hono<Env>({strict: true});
  app.use(async (context, next) => {
    const {incoming} = context.env;
    const origin = incoming.headers.origin;
    context.header('x-content-type-options', 'nosniff');
    context.header('cache-control', 'no-store');
    if (origin !== undefined && allowedOrigins.includes(origin)) {
      context.header('access-control-allow-origin', origin);
      context.header('vary', 'Origin');
    }
    if (incoming.method === 'OPTIONS' && origin !== undefined) {
      const refusal = refusalOf(incoming.headers, '/health', guard);
      if (refusal !== 'none') return context.json({error: refusal.error}, refusal.status);
      context.header('access-control-allow-methods', 'GET, POST, PUT, DELETE');
      context.header(
        'access-control-allow-headers',
        'authorization, content-type, last-event-id, mcp-protocol-version, mcp-session-id',
      );
      return context.body(null, 204);
    }
    const refusal = refusalOf(incoming.headers, context.req.path, guard);
    if (refusal === 'none') return next();
    incoming.resume();
    return context.json({error: refusal.error}, refusal.status);
  });
  for (const path of new Set(routes.map(each => each.path))) {
    const here = routes.filter(each => each.path === path);
    const pattern = path.replaceAll(/\{(?<name>\w+)\}/gu, ':$<name>');
    for (const each of here)
      app.on(each.method.toUpperCase(), aliases(pattern), context => answer(context, each, note));
    const allowed = here.map(({method}) => method.toUpperCase()).join(', ');
    for (const alias of aliases(pattern))
      app.all(alias, context => {
        context.header('allow', allowed);
        return send(context, refuse(405, `This path accepts only ${allowed}.`), note);
      });
  }
  for (const [path, handle] of Object.entries(handlers))
    app.all(path, async context => {
      const {incoming, outgoing} = context.env;
      const left = leftSignal(outgoing);
      const body = incoming.method === 'POST' ? await readBody(incoming, bodyLimits.images) : ok(undefined);
      return body.tag === 'ok'
        ? handle(context.req.raw, body.value, left)
        : send(context, refuse(body.error.status, body.error.error), note);
    });
  app.notFound(context => send(context, refuse(404, 'Unknown path.'), note));
  app.onError((cause, context) => {
    note(`${context.req.method} ${context.req.path} failed: ${causeText(cause)}`);
    return send(context, refuse(500, 'The server failed. See its stderr, or logs/weft.log in its data folder.'), note);
  });
  return app;
}

/** Turns a request below the secret path into one with the token. */
function leaveClientPath(incoming: IncomingMessage, {clientPath, token}: ServerOptions): void {
  const {url = '/'} = incoming;
  if (clientPath === '' || !isSameSecret(url.slice(0, clientPath.length), clientPath)) return;
  const rest = url.slice(clientPath.length);
  if (rest !== '' && !/^[/?]/u.test(rest)) return;
  incoming.url = rest.startsWith('/') ? rest : `/${rest}`;
  incoming.headers.authorization = `Bearer ${token}`;
}

/** Opens a session on a terminal's connection, after the same checks as for every request. */
async function upgrade(
  incoming: IncomingMessage,
  connection: Duplex,
  {guard, attach}: Pick<ServerOptions, 'attach'> & {readonly guard: GuardOptions},
): Promise<void> {
  const {pathname, searchParams} = new URL(incoming.url ?? '/', 'http://localhost');
  const deny = (status: number, error: string): void => {
    const body = JSON.stringify({error});
    connection.end(
      `HTTP/1.1 ${String(status)} ${STATUS_CODES[status] ?? ''}\r\ncontent-type: application/json\r\n` +
        `content-length: ${String(Buffer.byteLength(body))}\r\nconnection: close\r\n\r\n${body}`,
    );
  };
  const refusal = refusalOf(incoming.headers, pathname, guard);
  if (refusal !== 'none') return deny(refusal.status, refusal.error);
  const found = /^\/agent\/(?:sessions\/([^/]+)\/)?attach$/u.exec(pathname);
  if (found === null || incoming.headers.upgrade !== clientProtocol) return deny(404, 'Unknown path.');
  const opened = await attach({
    session: found[1],
    workDir: searchParams.get('workDir') ?? undefined,
    leaving: searchParams.get('leaving') === 'stops' ? 'stops' : 'goes-on',
    frontEnd: searchParams.get('frontEnd') === 'editor' ? emptyAbilities : terminalAbilities,
    version: String(incoming.headers[versionHeader] ?? ''),
  });
  if (opened.tag === 'failed') return deny(opened.error.status, opened.error.error);
  connection.write(`HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: ${clientProtocol}\r\n\r\n`);
  opened.value(connection);
}

/** Returns the patterns of a route: `POST /agent` and `POST /agent/` are one route. */
const aliases = (pattern: string): string[] => (pattern === '/agent' ? ['/agent', '/agent/'] : [pattern]);

async function answer(context: Context<Env>, route: Route, note: ServerOptions['note']): Promise<Response> {
  const {incoming, outgoing} = context.env;
  const left = leftSignal(outgoing);
  const body = route.method === 'get' ? ok(undefined) : await readBody(incoming, route.body?.limit ?? bodyLimits.small);
  if (body.tag === 'failed') {
    // The rest of the body is not read.
    if (body.error.status === 413) context.header('connection', 'close');
    return send(context, refuse(body.error.status, body.error.error), note);
  }
  const lastEventId = Number(incoming.headers['last-event-id'] ?? 0);
  return send(
    context,
    await route.handle({
      params: context.req.param(),
      query: context.req.query(),
      body: body.value,
      lastEventId: Number.isSafeInteger(lastEventId) && lastEventId > 0 ? lastEventId : 0,
      signal: left,
    }),
    note,
  );
}

/** Returns a signal that fires when the connection of an answer ends. */
function leftSignal(outgoing: ServerResponse): AbortSignal {
  const left = new AbortController();
  outgoing.once('close', () => left.abort());
  return left.signal;
}

function send(context: Context<Env>, reply: Reply, note: ServerOptions['note']): Response {
  if (reply.kind === 'json') {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- routes answer with statuses that have a body
    return context.json(reply.body, reply.status as ContentfulStatusCode);
  }
  if (reply.kind === 'file') {
    context.header('content-type', 'application/octet-stream');
    context.header('content-disposition', attachment(reply.name));
    return context.body(reply.bytes);
  }
  const fail = (cause: unknown): void => note(`${context.req.path}: can't read the events: ${causeText(cause)}`);
  sendEvents(context.env.outgoing, {...reply, headers: Object.fromEntries(context.res.headers), fail});
  return RESPONSE_ALREADY_SENT;
}

/** Returns a header that makes browsers save the file under that name, and never show it as a page of this server (RFC 6266). */
function attachment(name: string): string {
  const plain = name.replaceAll(/[^\w.-]/gu, '_');
  const encoded = encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*]/gu,
    character => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}

/** Bodies up to this size in bytes are read and dropped if they are over the limit, so that the sender can read the answer. */
const drainedBytes = 64_000_000;

/** Reads the body of a request as JSON; `undefined` if there is none. `limit` is in bytes. */
async function readBody(
  incoming: IncomingMessage,
  limit: number,
): Promise<Outcome<Json | undefined, {readonly status: 400 | 413 | 415; readonly error: string}>> {
  const {headers} = incoming;
  const length = Number(headers['content-length'] ?? 0);
  const isEmpty = headers['transfer-encoding'] === undefined && length === 0;
  const type = headers['content-type'];
  if (!isJsonType(type) && !(isEmpty && type === undefined)) {
    incoming.resume();
    return failed({status: 415, error: 'The body must be JSON. Send Content-Type: application/json.'});
  }
  if (isEmpty) return ok(undefined);
  const bytes = length > drainedBytes ? 'too-large' : await readBytes(incoming, limit);
  if (bytes === 'too-large')
    return failed({status: 413, error: `The body is too large: at most ${String(limit)} bytes.`});
  if (bytes === 'broken-off') return failed({status: 400, error: 'The body is incomplete.'});
  if (bytes.length === 0) return ok(undefined);
  const text = tryOr(() => new TextDecoder('utf-8', {fatal: true}).decode(bytes), undefined);
  if (text === undefined) return failed({status: 400, error: 'The body is not UTF-8.'});
  const json = parseJson(text);
  if (json.tag === 'failed') return failed({status: 400, error: 'The body is not JSON.'});
  if (isDeeperThan(json.value, maxJsonDepth))
    return failed({status: 400, error: `The body nests deeper than ${String(maxJsonDepth)} levels.`});
  return ok(json.value);
}

const isJsonType = (type: string | undefined): boolean => /^\s*application\/json\s*(?:;|$)/iu.test(type ?? '');

function readBytes(incoming: IncomingMessage, limit: number): Promise<Buffer | 'too-large' | 'broken-off'> {
  const {promise, resolve} = Promise.withResolvers<Buffer | 'too-large' | 'broken-off'>();
  const chunks: Buffer[] = [];
  let size = 0;
  incoming.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size <= limit) chunks.push(chunk);
    else chunks.length = 0;
    if (size > drainedBytes) resolve('too-large');
  });
  incoming.on('end', () => resolve(size > limit ? 'too-large' : Buffer.concat(chunks)));
  incoming.on('close', () => resolve('broken-off'));
  return promise;
}
