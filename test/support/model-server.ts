import {EventEmitter, once} from 'node:events';
import {createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse} from 'node:http';
import {createServer as createSecureServer} from 'node:https';
import type {AddressInfo, Socket} from 'node:net';
import {json} from 'node:stream/consumers';
import {framesOf} from './aws-frames.ts';
import {certificate, certificateKey} from './certificate.ts';
import type {Answer, Part, Refusal} from './model-script.ts';
import {
  anthropicEvents,
  anthropicRefusal,
  openAiCompletion,
  openAiEvents,
  openAiRefusal,
  responsesEvents,
  responsesWhole,
  type WireStep,
} from './model-wire.ts';

export type DialectName = 'anthropic' | 'openai' | 'responses';

/** A request as the server received it; `body` is the parsed JSON. */
export interface ReceivedRequest {
  readonly dialect: DialectName;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: ReceivedBody;
}

/** Of a request's body, what tests look at; the rest is there too. */
export interface ReceivedBody {
  readonly model: string;
  readonly stream?: boolean;
  readonly system?: unknown;
  readonly messages: readonly {readonly role: string; readonly content?: unknown; readonly [key: string]: unknown}[];
  /** The messages of the Responses API. */
  readonly input?: ReceivedBody['messages'];
  readonly tools?: readonly Readonly<Record<string, unknown>>[];
  readonly [key: string]: unknown;
}

/** Answers in turn, or an answer for each request. */
export type Script = readonly Answer[] | ((request: ReceivedRequest, number: number) => Answer);

export const answers = (list: readonly Answer[]): Script => list;

export interface ModelServer extends AsyncDisposable {
  /** What ANTHROPIC_BASE_URL and OPENAI_BASE_URL would be. */
  readonly baseUrl: Readonly<Record<DialectName, string>>;
  readonly requests: readonly ReceivedRequest[];
  /** Fulfilled when that many requests have come. */
  received(count: number): Promise<void>;
  /** Fulfilled when no client is connected. */
  disconnected(): Promise<void>;
  /** Connections opened so far. */
  connections(): number;
  close(): Promise<void>;
}

/**
 * A scripted model server on loopback that speaks Anthropic Messages and OpenAI chat completions and Responses, over real HTTP.
 * When the script is used up it refuses with a 400 that says so. `streaming: 'ignored'` answers with whole completions (OpenAI only),
 * as some servers do; `secure` speaks https, under the certificate of `certificate.ts`.
 */
export async function startModelServer(
  script: Script,
  {
    streaming = 'honoured',
    secure = false,
    port: wantedPort = 0,
    pages = {},
  }: {
    /** The JSON at other paths, each with its query if it has one. */
    readonly pages?: Readonly<Record<string, unknown>>;
    readonly streaming?: 'honoured' | 'ignored';
    readonly secure?: boolean;
    readonly port?: number;
  } = {},
): Promise<ModelServer> {
  const requests: ReceivedRequest[] = [];
  const waiting: {readonly count: number; readonly resolve: () => void}[] = [];
  const listen = (request: IncomingMessage, response: ServerResponse): void => {
    void serve(request, response).catch((cause: unknown) =>
      response.destroy(cause instanceof Error ? cause : undefined),
    );
  };
  const server = secure ? createSecureServer({key: certificateKey, cert: certificate}, listen) : createServer(listen);

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = incoming.url ?? '/';
    if (Object.hasOwn(pages, path)) {
      response.writeHead(200, {'content-type': 'application/json'}).end(JSON.stringify(pages[path]));
      return;
    }
    const route = path.replace(/\?.*$/su, '');
    // Anthropic's list is not served, so that its models need no list here.
    if (route === '/v1/models' && !path.includes('limit=')) {
      response.writeHead(200, {'content-type': 'application/json'});
      response.end(JSON.stringify({object: 'list', data: [{id: 'small-model'}, {id: 'large-model'}]}));
      return;
    }
    const dialect = route.endsWith('/chat/completions')
      ? 'openai'
      : route.endsWith('/v1/responses')
        ? 'responses'
        : 'anthropic';
    if (
      dialect === 'anthropic' &&
      !/\/v1\/messages(?:\?|$)|:streamRawPredict$|\/invoke-with-response-stream$/u.test(path)
    ) {
      refuse(response, dialect, {
        status: 404,
        headers: {},
        body: undefined,
        message: `no ${path} here`,
        code: undefined,
      });
      return;
    }
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- tests read what weft sent; a wrong body must show in them
    const body = (await json(incoming)) as ReceivedBody;
    const received: ReceivedRequest = {dialect, path, headers: incoming.headers, body};
    requests.push(received);
    const number = requests.length;
    for (const waiter of waiting) if (waiter.count <= number) waiter.resolve();
    const answer = typeof script === 'function' ? script(received, number) : script[number - 1];
    if (answer === undefined) {
      const message = `the script has no answer number ${number}`;
      refuse(response, dialect, {status: 400, headers: {}, body: undefined, message, code: undefined});
    } else if ('refusal' in answer) {
      refuse(response, dialect, answer.refusal);
    } else if ('frames' in answer) {
      response.writeHead(200, {'content-type': awsType}).end(answer.frames);
    } else if ('stream' in answer) {
      response.writeHead(200, {'content-type': 'text/event-stream', ...answer.headers}).end(answer.stream);
    } else {
      const parts: readonly Part[] = 'part' in answer ? [answer] : answer;
      await tell(response, {
        dialect,
        parts,
        number,
        model: body.model,
        whole: streaming === 'ignored' || body.stream !== true,
        inFrames: path.endsWith('/invoke-with-response-stream'),
      });
    }
  }

  const sockets = new Set<Socket>();
  const leaving = new EventEmitter();
  let connections = 0;
  server.on('connection', socket => {
    connections++;
    sockets.add(socket);
    socket.on('close', () => {
      sockets.delete(socket);
      leaving.emit('left');
    });
  });
  const disconnected = async (): Promise<void> => {
    while (sockets.size > 0) await once(leaving, 'left');
  };
  await new Promise<void>(resolve => {
    server.listen(wantedPort, '127.0.0.1', resolve);
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a listening TCP server has such an address
  const {port} = server.address() as AddressInfo;
  const url = `${secure ? 'https' : 'http'}://127.0.0.1:${port}`;
  const close = (): Promise<void> =>
    new Promise(resolve => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return {
    baseUrl: {anthropic: url, openai: `${url}/v1`, responses: `${url}/v1`},
    requests,
    received: count =>
      new Promise(resolve => {
        if (requests.length >= count) resolve();
        else waiting.push({count, resolve});
      }),
    disconnected,
    connections: () => connections,
    close,
    [Symbol.asyncDispose]: close,
  };
}

function refuse(response: ServerResponse, dialect: DialectName, refusal: Refusal): void {
  const body = dialect === 'anthropic' ? anthropicRefusal(refusal) : openAiRefusal(refusal);
  response.writeHead(refusal.status, {'content-type': 'application/json', ...refusal.headers});
  response.end(refusal.body ?? body);
}

interface Telling {
  readonly dialect: DialectName;
  readonly parts: readonly Part[];
  readonly number: number;
  readonly model: string;
  readonly whole: boolean;
  /** Whether the events go out in frames of AWS. */
  readonly inFrames: boolean;
}

const awsType = 'application/vnd.amazon.eventstream';

async function tell(
  response: ServerResponse,
  {dialect, parts, number, model, whole, inFrames}: Telling,
): Promise<void> {
  if (whole && dialect !== 'anthropic') {
    response.writeHead(200, {'content-type': 'application/json'});
    response.end((dialect === 'openai' ? openAiCompletion : responsesWhole)(parts, {number, model}));
    return;
  }
  const events = {anthropic: anthropicEvents, openai: openAiEvents, responses: responsesEvents}[dialect];
  const steps = events(parts, {number, model});
  // A break before anything else leaves the request without even a status.
  const first = parts[0];
  const silent = parts.length === 1 && first?.part === 'break';
  if (!silent)
    response
      .writeHead(200, {'content-type': inFrames ? awsType : 'text/event-stream', 'cache-control': 'no-cache'})
      .flushHeaders();
  for (const step of steps) {
    if (silent && step.step === 'send') continue;
    if (inFrames && step.step === 'send') response.write(framesOf(step.text));
    else if ((await take(step, response)) === 'over') return;
  }
  response.end();
}

async function take(step: WireStep, response: ServerResponse): Promise<'on' | 'over'> {
  if (step.step === 'send') {
    response.write(step.text);
    return 'on';
  }
  if (step.step === 'until') {
    await step.gate;
    return 'on';
  }
  if (step.how === 'hang') return 'over';
  if (step.how === 'end') {
    response.end();
    return 'over';
  }
  // What was written must leave first: a reset drops what is still in the buffers.
  await new Promise<void>(resolve => {
    response.write('\n', () => resolve());
  });
  response.socket?.destroySoon();
  return 'over';
}
