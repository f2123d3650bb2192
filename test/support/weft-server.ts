import {request, type IncomingHttpHeaders} from 'node:http';
import {createInterface} from 'node:readline/promises';
import {once} from 'node:events';
import {startWeft, TempPlace} from './run-weft.ts';

export interface Answered {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The body as JSON; the tests look into it as they please. */
  // oxlint-disable-next-line typescript/no-explicit-any -- answers of all shapes
  readonly body: any;
}

export interface Asked {
  readonly body?: unknown;
  /** Instead of a JSON body. */
  readonly bytes?: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The built program as a server, in a place of its own. */
export class WeftServer implements AsyncDisposable {
  readonly place: TempPlace;
  readonly url: URL;
  readonly token: string;
  readonly tokenFile: string | null;
  readonly #child: ReturnType<typeof startWeft>;
  readonly #ownsPlace: boolean;
  stderr = '';

  private constructor(child: ReturnType<typeof startWeft>, line: string, given: ServerStart & {place: TempPlace}) {
    const listening: unknown = JSON.parse(line);
    if (typeof listening !== 'object' || listening === null || !('url' in listening) || !('token_file' in listening))
      throw new Error(`not a listening line: ${line}`);
    this.#child = child;
    this.place = given.place;
    this.#ownsPlace = given.ownsPlace;
    this.url = new URL(String(listening.url));
    this.tokenFile = typeof listening.token_file === 'string' ? listening.token_file : null;
    this.token = given.token;
    child.stderr.on('data', (chunk: Buffer) => (this.stderr += chunk.toString()));
  }

  static async start(
    options: {
      readonly place?: TempPlace;
      readonly args?: readonly string[];
      readonly environment?: Readonly<Record<string, string>>;
    } = {},
  ): Promise<WeftServer> {
    const place = options.place ?? new TempPlace();
    const token = 'a-token-of-the-test';
    const child = startWeft(['serve', '--port', '0', '--output-format', 'json', ...(options.args ?? [])], {
      place,
      environment: {WEFT_SERVER_TOKEN: token, ...options.environment},
      stdin: 'open',
    });
    const lines = createInterface({input: child.stdout});
    const first = await lines[Symbol.asyncIterator]().next();
    if (first.done === true) {
      const [error] = child.stderr.readableLength > 0 ? [String(child.stderr.read())] : ['nothing on stderr'];
      throw new Error(`weft serve said nothing: ${error}`);
    }
    return new WeftServer(child, first.value, {place, token, ownsPlace: options.place === undefined});
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Sends a request with the token, unless other headers are given, and waits for the whole answer. */
  async ask(method: string, path: string, {body, bytes, headers = {}}: Asked = {}): Promise<Answered> {
    const sent = bytes ?? (body === undefined ? undefined : JSON.stringify(body));
    const outgoing = request({
      host: this.url.hostname,
      port: this.url.port,
      method,
      path,
      agent: false,
      headers: {
        authorization: `Bearer ${this.token}`,
        ...(sent === undefined ? {} : {'content-type': 'application/json', 'content-length': Buffer.byteLength(sent)}),
        ...headers,
      },
    });
    const answered = once(outgoing, 'response');
    outgoing.end(sent);
    const [response] = await answered;
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    const isJson = String(response.headers['content-type']).startsWith('application/json');
    return {status: response.statusCode, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined};
  }

  /** Ends the process with a signal; its exit code, or the signal that killed it. */
  async end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals | null> {
    const {exitCode, signalCode} = this.#child;
    if (exitCode !== null || signalCode !== null) return exitCode ?? signalCode;
    const gone = once(this.#child, 'exit');
    this.#child.kill(signal);
    const [code, killedBy] = await gone;
    return code ?? killedBy;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end('SIGKILL');
    if (this.#ownsPlace) this.place[Symbol.dispose]();
  }
}

interface ServerStart {
  readonly token: string;
  readonly ownsPlace: boolean;
}
