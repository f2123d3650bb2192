import {createHash} from 'node:crypto';
import {createServer, type IncomingMessage, type ServerResponse} from 'node:http';
import {text} from 'node:stream/consumers';
import {loopbackPort} from './loopback-port.ts';
import type {Part} from './model-script.ts';
import {responsesEvents} from './model-wire.ts';

/** How the server behaves; a test changes members of it while the server runs. */
interface ChatGptBehaviour {
  /** The scope that is granted. */
  scope: string;
  /** Seconds that an access token is said to be good for. */
  expiresIn: number;
  refresh: 'yes' | 'refused';
  /** The nonce in the ID token; `undefined` for the one of the request. */
  nonce: string | undefined;
  /** The answer to a prompt, or a refusal. */
  answer: Part | {readonly status: number; readonly code: string; readonly message: string};
}

interface SeenRequest {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly form: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
}

/**
 * OpenAI's server for signing in and its API, on one port of 127.0.0.1, as an app sees them that uses a ChatGPT plan. The authorize
 * page agrees at once. Tokens are `access-1`, `refresh-1` and so on; only the latest are good. Refuses whatever the documentation
 * refuses.
 */
export interface ChatGptServer extends AsyncDisposable {
  readonly origin: string;
  readonly behaviour: ChatGptBehaviour;
  readonly authorized: readonly URLSearchParams[];
  readonly seen: readonly SeenRequest[];
}

const resource = 'https://api.openai.com/v1';
const fullScope = 'openid profile email offline_access resource.invoke chatgpt.tokens.use.direct';
const refusedFields = ['max_output_tokens', 'temperature', 'prompt_cache_retention', 'prompt_cache_options'];

const send = (response: ServerResponse, status: number, body: object): void => {
  response.writeHead(status, {'content-type': 'application/json'}).end(JSON.stringify(body));
};

const model = (slug: string, visibility: string) => ({slug, display_name: slug, visibility});

export async function startChatGptServer(): Promise<ChatGptServer> {
  const behaviour: ChatGptBehaviour = {
    scope: fullScope,
    expiresIn: 3600,
    refresh: 'yes',
    nonce: undefined,
    answer: {part: 'text', pieces: ['Hello ', 'from the plan.']},
  };
  const authorized: URLSearchParams[] = [];
  const seen: SeenRequest[] = [];
  let issued = 0;

  const grant = (response: ServerResponse, nonce: string): void => {
    issued += 1;
    const claims = Buffer.from(JSON.stringify({nonce: behaviour.nonce ?? nonce})).toString('base64url');
    send(response, 200, {
      access_token: `access-${issued}-0123456789`,
      refresh_token: `refresh-${issued}-0123456789`,
      expires_in: behaviour.expiresIn,
      scope: behaviour.scope,
      token_type: 'Bearer',
      id_token: `x.${claims}.x`,
    });
  };

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    const sent = await text(request);
    const isForm = request.headers['content-type'] === 'application/x-www-form-urlencoded';
    const {authorization} = request.headers;
    const form: SeenRequest['form'] = isForm ? Object.fromEntries(new URLSearchParams(sent)) : {};
    const body: SeenRequest['body'] = isForm || sent === '' ? {} : JSON.parse(sent);
    seen.push({path: url.pathname, authorization, form, body});
    switch (url.pathname) {
      case '/api/accounts/authorize': {
        const query = url.searchParams;
        authorized.push(query);
        const back = new URL(query.get('redirect_uri') ?? '');
        back.search = new URLSearchParams({
          code: `code-${authorized.length}`,
          state: query.get('state') ?? '',
          client_id: 'issued-client',
        }).toString();
        response.writeHead(302, {location: back.href}).end();
        return;
      }
      case '/api/accounts/oauth/token': {
        const query = authorized[Number(form['code']?.slice('code-'.length) ?? 0) - 1];
        const hash = createHash('sha256')
          .update(form['code_verifier'] ?? '')
          .digest('base64url');
        const isRight =
          form['grant_type'] === 'refresh_token'
            ? behaviour.refresh === 'yes' && form['refresh_token'] === `refresh-${issued}-0123456789`
            : query?.get('code_challenge') === hash && form['redirect_uri'] === query.get('redirect_uri');
        if (isRight && form['client_id'] === 'issued-client' && form['resource'] === resource) {
          grant(response, query?.get('nonce') ?? '');
        } else send(response, 400, {error: 'invalid_grant', error_description: 'The grant is not valid.'});
        return;
      }
      default:
    }
    if (authorization !== `Bearer access-${issued}-0123456789`) {
      send(response, 401, {error: {message: 'The token has expired.', code: 'token_expired'}});
      return;
    }
    if (url.pathname === '/v1/models') {
      send(response, 200, {
        models: [model('gpt-secret', 'hide'), model('gpt-6.1-sol', 'list'), model('gpt-6-luna', 'list')],
      });
      return;
    }
    const refused = refusedFields.find(field => field in body);
    if (refused !== undefined || body['store'] !== false) {
      send(response, 400, {error: {message: `Unsupported parameter: ${refused ?? 'store'}`, code: 'unsupported'}});
      return;
    }
    const {answer} = behaviour;
    if ('status' in answer) {
      send(response, answer.status, {error: {message: answer.message, code: answer.code, type: 'usage_limit'}});
      return;
    }
    response.writeHead(200, {'content-type': 'text/event-stream'});
    for (const step of responsesEvents([answer], {number: 1, model: String(body['model'])})) {
      if (step.step === 'send') response.write(step.text);
    }
    response.end();
  }

  const server = createServer((request, response) => {
    void serve(request, response).catch((cause: unknown) => send(response, 500, {error: String(cause)}));
  });
  return {
    origin: `http://127.0.0.1:${await loopbackPort(server)}`,
    behaviour,
    authorized,
    seen,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise<void>(resolve => {
        server.close(() => resolve());
      });
    },
  };
}
