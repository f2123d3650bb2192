import {createHash, randomUUID} from 'node:crypto';
import {createServer, type IncomingMessage, type ServerResponse} from 'node:http';
import {once} from 'node:events';
import * as z from 'zod/mini';
import {loopbackPort} from './loopback-port.ts';

/** How the server behaves; a test changes members of it while the server runs. */
interface OAuthBehaviour {
  /** What the metadata say that differs from the truth. */
  metadata: Record<string, unknown>;
  /** What the metadata of the resource say that differs from the truth. */
  resourceMetadata: Record<string, unknown>;
  /** The `iss` of the answer; `undefined` for the server's own, empty for none. */
  iss: string | undefined;
  /** The `state` of the answer; `undefined` for the one of the request. */
  state: string | undefined;
  /** What the page of consent comes to. */
  consent: 'yes' | 'no';
  /** Seconds that a token is good for, as clients are told. */
  expiresIn: number | undefined;
  /** The scope that tools of the server need. */
  neededScope: string;
  /** Where the answer to a call of the MCP server points instead; empty for nowhere. */
  redirectTo: string;
  refresh: 'yes' | 'refused';
}

/** One request that arrived, as tests compare it. */
interface SeenRequest {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly body: string;
}

/**
 * An authorization server and the MCP server that it protects, on one port of 127.0.0.1: authorization code with PKCE, registration,
 * refresh with rotation, revocation, step-up; metadata in the places of RFC 9728, RFC 8414 and OpenID. The MCP server answers
 * `initialize`, `tools/list` and `tools/call` as JSON.
 */
export interface OAuthServer extends AsyncDisposable {
  readonly origin: string;
  readonly mcpUrl: string;
  readonly behaviour: OAuthBehaviour;
  readonly seen: readonly SeenRequest[];
  /** Access tokens that are good now, with their scopes. */
  readonly tokens: ReadonlyMap<string, string>;
  readonly refreshTokens: ReadonlySet<string>;
  /** From now on no token given so far is good; refreshing is. */
  expireTokens(): void;
}

export async function startOAuthServer(): Promise<OAuthServer> {
  const behaviour: OAuthBehaviour = {
    metadata: {},
    resourceMetadata: {},
    iss: undefined,
    state: undefined,
    consent: 'yes',
    expiresIn: 3600,
    neededScope: 'mcp:basic',
    redirectTo: '',
    refresh: 'yes',
  };
  const seen: SeenRequest[] = [];
  const tokens = new Map<string, string>();
  const refreshTokens = new Map<string, string>();
  const clients = new Map<string, {readonly secret: string | undefined; readonly redirectUris: readonly string[]}>();
  const codes = new Map<string, URLSearchParams>();
  let origin = '';

  const metadata = (): Record<string, unknown> => ({
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    registration_endpoint: `${origin}/register`,
    revocation_endpoint: `${origin}/revoke`,
    response_types_supported: ['code'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none', 'client_secret_basic'],
    authorization_response_iss_parameter_supported: true,
    ...behaviour.metadata,
  });

  const give = (scope: string): Record<string, unknown> => {
    const access = `access-${randomUUID()}`;
    const refresh = `refresh-${randomUUID()}`;
    tokens.set(access, scope);
    refreshTokens.set(refresh, scope);
    return {
      access_token: access,
      refresh_token: refresh,
      token_type: 'Bearer',
      scope,
      ...(behaviour.expiresIn === undefined ? {} : {expires_in: behaviour.expiresIn}),
    };
  };

  const authorize = (query: URLSearchParams, response: ServerResponse): void => {
    const client = clients.get(query.get('client_id') ?? '');
    const redirect = query.get('redirect_uri') ?? '';
    if (
      client === undefined ||
      !client.redirectUris.includes(redirect) ||
      query.get('code_challenge_method') !== 'S256'
    ) {
      response.writeHead(400).end('bad request');
      return;
    }
    const back = new URL(redirect);
    const code = randomUUID();
    if (behaviour.consent === 'yes') {
      codes.set(code, query);
      back.searchParams.set('code', code);
    } else {
      back.searchParams.set('error', 'access_denied');
      back.searchParams.set('error_description', 'evil words\u001B[31m');
    }
    back.searchParams.set('state', behaviour.state ?? query.get('state') ?? '');
    const iss = behaviour.iss ?? origin;
    if (iss !== '') back.searchParams.set('iss', iss);
    response.writeHead(302, {Location: back.href}).end();
  };

  const token = (body: URLSearchParams, response: ServerResponse): void => {
    const refuse = (error: string): void => json(response, 400, {error});
    if (body.get('grant_type') === 'refresh_token') {
      const given = body.get('refresh_token') ?? '';
      const scope = refreshTokens.get(given);
      if (scope === undefined || behaviour.refresh === 'refused') return refuse('invalid_grant');
      // A refresh token is good once.
      refreshTokens.delete(given);
      return json(response, 200, give(scope));
    }
    const asked = codes.get(body.get('code') ?? '');
    codes.delete(body.get('code') ?? '');
    const challenge = createHash('sha256')
      .update(body.get('code_verifier') ?? '')
      .digest('base64url');
    if (
      asked === undefined ||
      asked.get('code_challenge') !== challenge ||
      asked.get('redirect_uri') !== body.get('redirect_uri') ||
      asked.get('client_id') !== body.get('client_id')
    ) {
      return refuse('invalid_grant');
    }
    return json(response, 200, give(asked.get('scope') ?? ''));
  };

  const mcp = (request: IncomingMessage, text: string, response: ServerResponse): void => {
    const scope = tokens.get((request.headers.authorization ?? '').replace(/^Bearer /u, ''));
    const where = `resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`;
    if (scope === undefined) {
      response.writeHead(401, {'WWW-Authenticate': `Bearer ${where}, scope="mcp:basic"`}).end();
      return;
    }
    if (behaviour.redirectTo !== '') {
      response.writeHead(307, {Location: behaviour.redirectTo}).end();
      return;
    }
    if (request.method !== 'POST') {
      response.writeHead(405).end();
      return;
    }
    const {id, method} = message.parse(JSON.parse(text));
    if (method === 'tools/call' && !scope.split(' ').includes(behaviour.neededScope)) {
      const challenge = `Bearer error="insufficient_scope", scope="${behaviour.neededScope}", ${where}`;
      response.writeHead(403, {'WWW-Authenticate': challenge}).end();
      return;
    }
    if (id === undefined) response.writeHead(202).end();
    else json(response, 200, {jsonrpc: '2.0', id, ...answerOf(method, request.headers.authorization ?? '')});
  };

  const routes = (
    path: string,
    query: URLSearchParams,
    request: IncomingMessage,
    text: string,
    response: ServerResponse,
  ): void => {
    switch (path) {
      case '/.well-known/oauth-protected-resource/mcp':
        return json(response, 200, {
          resource: `${origin}/mcp`,
          authorization_servers: [origin],
          scopes_supported: ['mcp:basic', 'mcp:admin'],
          ...behaviour.resourceMetadata,
        });
      case '/.well-known/oauth-authorization-server':
      case '/.well-known/openid-configuration':
        return json(response, 200, metadata());
      case '/register': {
        const asked = registration.parse(JSON.parse(text));
        const id = `client-${randomUUID()}`;
        const secret = asked.token_endpoint_auth_method === 'none' ? undefined : `secret-${randomUUID()}`;
        clients.set(id, {secret, redirectUris: asked.redirect_uris});
        return json(response, 201, {...asked, client_id: id, ...(secret === undefined ? {} : {client_secret: secret})});
      }
      case '/authorize':
        return authorize(query, response);
      case '/token':
        return token(new URLSearchParams(text), response);
      case '/revoke': {
        const gone = new URLSearchParams(text).get('token') ?? '';
        tokens.delete(gone);
        refreshTokens.delete(gone);
        response.writeHead(200).end();
        return;
      }
      case '/mcp':
        return mcp(request, text, response);
      default:
        response.writeHead(404).end();
    }
  };

  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const text = Buffer.concat(parts).toString();
      const {pathname, searchParams} = new URL(request.url ?? '/', origin);
      seen.push({path: pathname, authorization: request.headers.authorization, body: text});
      routes(pathname, searchParams, request, text, response);
    });
  });
  origin = `http://127.0.0.1:${await loopbackPort(server)}`;
  return {
    origin,
    mcpUrl: `${origin}/mcp`,
    behaviour,
    seen,
    tokens,
    get refreshTokens() {
      return new Set(refreshTokens.keys());
    },
    expireTokens: () => tokens.clear(),
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close').catch(() => {});
    },
  };
}

const message = z.object({id: z.optional(z.number()), method: z.string()});
const registration = z.looseObject({
  redirect_uris: z.array(z.string()),
  token_endpoint_auth_method: z.optional(z.string()),
});

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, {'Content-Type': 'application/json'}).end(JSON.stringify(body));
}

/** The tool says which token it was called with, as servers that log too much do. */
function answerOf(method: string, authorization: string): object {
  switch (method) {
    case 'initialize':
      return {
        result: {
          protocolVersion: '2025-11-25',
          capabilities: {tools: {}},
          serverInfo: {name: 'protected', version: '1'},
        },
      };
    case 'tools/list':
      return {result: {tools: [{name: 'whoami', description: 'Says who you are', inputSchema: {type: 'object'}}]}};
    case 'tools/call':
      return {result: {content: [{type: 'text', text: `you are signed in: ${authorization}`}]}};
    default:
      return {error: {code: -32_601, message: 'unknown method'}};
  }
}
