import {isJsonObject, type Json, type JsonObject} from '../../src/base/json.ts';
import {faultText} from '../../src/domain/fault.ts';
import {connectServer} from '../../src/extensions/mcp/connect-server.ts';
import {makeSessionAuth} from '../../src/extensions/mcp/oauth/session-auth.ts';
import {signIn} from '../../src/extensions/mcp/oauth/sign-in.ts';
import {findSignInNeeded} from '../../src/extensions/mcp/server-connection.ts';
import {SignInNeeded} from '../../src/extensions/mcp/oauth/sign-in-needed.ts';
import {parseOAuthSettings} from '../../src/extensions/mcp/oauth/oauth-settings.ts';
import {parseServer} from '../../src/extensions/mcp/server-config.ts';
import type {ServerConnection} from '../../src/extensions/mcp/server-connection.ts';
import {asObject, inputFor} from './conformance-input.ts';
import {memoryCredentials, userAtBrowser} from './oauth-client.ts';

/*
 * The client that the conformance suite tests: weft's own connection and sign-in code, and a user who agrees to everything. The suite
 * starts it with the address of its server; the scenario, its context and the revision come in variables.
 */

const url = process.argv[2] ?? '';
const scenario = process.env['MCP_CONFORMANCE_SCENARIO'] ?? '';
const context: JsonObject = contextOf(process.env['MCP_CONFORMANCE_CONTEXT']);
const revision = process.env['MCP_CONFORMANCE_PROTOCOL_VERSION'] ?? '';
const signal = AbortSignal.timeout(100_000);
const maxSignIns = 2;

const config = orThrow(
  parseServer({
    type: 'http',
    url,
    protocol: revision === '2026-07-28' ? '2026-07-28' : 'legacy',
    startupTimeout: 30_000,
    timeout: 30_000,
  }),
);
const oauth = orThrow(parseOAuthSettings(oauthSettings()));
const server = {name: 'conformance', url: new URL(url), oauth};
const user = userAtBrowser(memoryCredentials());

let connection: ServerConnection | undefined;
const tools = await withSignIn(async () => (await connected()).listTools(signal));
const wanted = context['toolCalls'];
const calls = Array.isArray(wanted)
  ? wanted.filter(isJsonObject).map(({name, arguments: input}) => ({
      tool: typeof name === 'string' ? name : '',
      input: asObject(input),
    }))
  : tools.map(({name}) => ({tool: name, input: inputFor(name, tools)}));
for (const call of calls) {
  const answer = await withSignIn(() => answered(call));
  console.error(call.tool, answer.tag === 'ok' ? 'answered' : faultText(answer.error));
}
await connection?.close();

/** The connection; a new one after each sign-in, as when a user connects a server again. */
async function connected(): Promise<ServerConnection> {
  connection ??= await connect();
  return connection;
}

async function connect(): Promise<ServerConnection> {
  return connectServer(
    {
      config,
      directory: process.cwd(),
      processes: {start: async () => ({tag: 'failed', error: 'no programs here'})},
      authorization: await makeSessionAuth(server, user, signal),
      era: {kind: 'unknown'},
      options: {
        server: 'conformance',
        version: '0',
        times: config.times,
        services: {
          elicit: async ({requestedSchema}) => ({action: 'accept', content: defaultsOf(requestedSchema)}),
          sample: undefined,
          roots: () => [],
        },
        log: line => console.error(line),
        changed: () => {},
      },
    },
    signal,
  );
}

/** The answer to a call; one that says in words that the user has to sign in is an error, as for a user who reads it. */
async function answered(call: {readonly tool: string; readonly input: JsonObject}) {
  const answer = await (await connected()).call({...call, progress: () => {}}, signal);
  const words = answer.tag === 'failed' ? faultText(answer.error) : '';
  const [found, scope] = /weft mcp login \S+(?: --oauth-scope "([^"]*)")?/u.exec(words) ?? [];
  if (found === undefined) return answer;
  const why = scope === undefined ? 'no-token' : 'more-scope';
  throw new SignInNeeded(server.name, {challenge: {resourceMetadataUrl: undefined, scope}, why});
}

/** Does something with the server; where it needs the user to sign in, the user does, twice at most. */
async function withSignIn<T>(attempt: () => Promise<T>): Promise<T> {
  for (let signIns = 0; ; signIns += 1) {
    try {
      return await attempt();
    } catch (cause) {
      const needed = findSignInNeeded(cause, server.name);
      if (needed === undefined || signIns === maxSignIns) throw cause;
      await connection?.close();
      connection = undefined;
      await signInNow(needed);
    }
  }
}

async function signInNow(needed: SignInNeeded): Promise<void> {
  if (oauth.grant !== 'authorization-code') throw needed;
  const {challenge, why} = needed;
  const request = {
    server: {...server, oauth},
    challenge,
    moreScope: why === 'more-scope' ? challenge.scope : undefined,
  };
  const signedIn = await signIn(request, user, signal);
  if (signedIn.tag === 'failed') throw new Error(faultText(signedIn.error), {cause: needed});
}

/** What the scenario's user has configured. */
function oauthSettings(): JsonObject {
  const {client_id: clientId = '', client_secret: clientSecret = ''} = context;
  switch (scenario) {
    case 'auth/pre-registration':
      return {clientId, clientSecret};
    case 'auth/basic-cimd':
      return {clientMetadataUrl: 'https://conformance-test.local/client-metadata.json'};
    case 'auth/client-credentials-basic':
      return {grantType: 'client_credentials', clientId, clientSecret};
    case 'auth/client-credentials-jwt':
      return {
        grantType: 'client_credentials',
        clientId,
        privateKey: context['private_key_pem'] ?? '',
        algorithm: context['signing_algorithm'] ?? 'ES256',
      };
    case 'auth/enterprise-managed-authorization':
      return {
        grantType: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
        clientId,
        clientSecret,
        identityProvider: {
          tokenUrl: context['idp_token_endpoint'] ?? '',
          clientId: context['idp_client_id'] ?? '',
          idToken: context['idp_id_token'] ?? '',
        },
      };
    default:
      return {};
  }
}

/** What a user answers who takes every default. */
function defaultsOf(schema: JsonObject | undefined): JsonObject {
  const properties = Object.entries(asObject(schema?.['properties']));
  return Object.fromEntries(
    properties.flatMap(([name, given]): readonly (readonly [string, Json])[] => {
      const {default: value, type} = asObject(given);
      if (value !== undefined) return [[name, value]];
      return type === 'boolean' ? [[name, true]] : [];
    }),
  );
}

function contextOf(text: string | undefined): JsonObject {
  const json: unknown = text === undefined ? {} : JSON.parse(text);
  return isJsonObject(json) ? json : {};
}

function orThrow<T>(
  outcome: {readonly tag: 'ok'; readonly value: T} | {readonly tag: 'failed'; readonly error: string},
): T {
  if (outcome.tag === 'failed') throw new Error(outcome.error);
  return outcome.value;
}
