import {firstLine} from '../base/clip.ts';
import {isJsonObject, type JsonObject, listOf, parseJson, textOf} from '../base/json.ts';
import {failed, ok, type Outcome} from '../base/outcome.ts';
import {causeText, type Fault, FaultError, needsUser} from '../domain/fault.ts';
import type {WireRequest} from '../models/access.ts';
import {makeHttpFetch, readJson} from '../models/http-fetch.ts';
import type {ProxyEnvironment} from '../models/proxy.ts';
import {signInSecrets} from './api-keys.ts';
import {bearerHeader, type CloudWay} from './cloud-way.ts';
import {UsageError} from './exit-code.ts';
import type {KeyIssuer} from './key-issuer.ts';
import {type AccessChoice, issuerCredentials} from './model-access.ts';

/** OpenAI's models with the user's ChatGPT plan (developers.openai.com/siwc/token-sharing-open-source). */

/** A sign-in as weft keeps it. */
export interface ChatGptSignIn {
  /** The client that OpenAI has made for this installation. */
  readonly clientId: string;
  readonly accessToken: string;
  /** Empty if OpenAI sent none. */
  readonly refreshToken: string;
  /** Milliseconds since the epoch from which weft renews the access token. */
  readonly goodUntil: number;
}

/** The API for which OpenAI issues the tokens, wherever the requests go. */
export const apiResource = 'https://api.openai.com/v1';
export const neededScope = 'chatgpt.tokens.use.direct';

/** Returns the origins for signing in and for requests. A variable replaces both by an address of this machine, for tests. */
export function openAiOrigins(environment: NodeJS.ProcessEnv): {readonly auth: string; readonly api: string} {
  const {[originVariable]: origin = ''} = environment;
  if (origin === '') return {auth: 'https://auth.openai.com', api: 'https://api.openai.com'};
  const url = URL.parse(origin);
  if (
    url === null ||
    !/^https?:$/u.test(url.protocol) ||
    !/^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/u.test(url.hostname)
  ) {
    throw new UsageError(`${originVariable} must be an address of this machine, such as http://127.0.0.1:8080.`);
  }
  return {auth: url.origin, api: url.origin};
}

const originVariable = 'WEFT_CHATGPT_ORIGIN';

export function chatGpt(choice: AccessChoice): CloudWay {
  const {apiKeys, environment} = choice;
  const find = () => apiKeys.kept().find(({provider}) => provider === 'chatgpt');
  const kept = find();
  if (kept === undefined) throw new UsageError('You are not signed in to ChatGPT. Run: weft login chatgpt');
  if (choice.baseUrl !== undefined) {
    throw new UsageError('A ChatGPT sign-in works only at OpenAI itself. Remove --base-url and the setting baseUrl.');
  }
  const {api} = openAiOrigins(environment);
  const read = async (): Promise<ChatGptSignIn> => {
    const now = find();
    return signInOf((now === undefined ? undefined : await apiKeys.keyOf(now)) ?? '') ?? endedSignIn('');
  };
  let secrets: readonly string[] = [];
  const issuer: KeyIssuer = {
    id: 'chatgpt',
    async issue(signal, stale) {
      const isGood = ({accessToken, goodUntil}: ChatGptSignIn): boolean =>
        accessToken !== stale && goodUntil > Date.now();
      const now = await read();
      const good = isGood(now)
        ? now
        : await apiKeys.alone(
            'chatgpt',
            async () => {
              // Another process may have renewed it.
              const latest = await read();
              if (isGood(latest)) return latest;
              const renewed = await renew(latest, environment, signal);
              const written = await apiKeys.keep({provider: 'chatgpt', key: JSON.stringify(renewed), baseUrl: ''});
              if (written.tag === 'failed') throw new FaultError(written.error, undefined);
              return renewed;
            },
            signal,
          );
      secrets = signInSecrets(JSON.stringify(good));
      return {text: good.accessToken, said: '', until: good.goodUntil};
    },
    secrets: () => secrets,
  };
  const authorization = issuerCredentials(issuer, {
    choice,
    server: 'OpenAI',
    headersOf: bearerHeader,
    name: '',
    fix: '',
  });
  return {
    baseUrl: `${api}/v1`,
    credentials: {
      ...authorization,
      authorize: (request, refused, signal) => authorization.authorize(withoutRefusedFields(request), refused, signal),
      refusedAgain: ({status, message}) => ({
        message: `OpenAI refused your ChatGPT sign-in (${status})${message === '' ? '' : `: ${message.replace(/\.$/u, '')}`}.`,
        fix: signInAgain,
      }),
      endpoint: {keyVariable: 'your ChatGPT sign-in'},
    },
    from: `sign-in saved in ${apiKeys.placeText(kept)}`,
  };
}

const signInAgain = 'Sign in again: weft login chatgpt';

function endedSignIn(why: string): never {
  const about = why === '' ? '' : `: ${why.replace(/\.$/u, '')}`;
  throw new FaultError(needsUser(`Your ChatGPT sign-in has ended${about}.`, signInAgain), undefined);
}

/** OpenAI refuses these fields from apps that use a plan. */
const refusedFields = [
  'max_output_tokens',
  'temperature',
  'prompt_cache_retention',
  'prompt_cache_options',
  'configuration_update',
];

function withoutRefusedFields(request: WireRequest): WireRequest {
  const parsed = parseJson(request.body);
  if (parsed.tag === 'failed' || !isJsonObject(parsed.value)) return request;
  const {input, ...fields} = parsed.value;
  const kept = Object.entries(fields).filter(([name]) => !refusedFields.includes(name));
  const items = listOf(input).filter(item => !isJsonObject(item) || item['type'] !== 'configuration_update');
  return {...request, body: JSON.stringify({...Object.fromEntries(kept), input: items, store: false})};
}

function signInOf(text: string): ChatGptSignIn | undefined {
  const parsed = parseJson(text);
  if (parsed.tag === 'failed' || !isJsonObject(parsed.value)) return undefined;
  const {clientId, accessToken, refreshToken, goodUntil} = parsed.value;
  if (typeof accessToken !== 'string' || accessToken === '') return undefined;
  return {
    clientId: textOf(clientId),
    accessToken,
    refreshToken: textOf(refreshToken),
    goodUntil: typeof goodUntil === 'number' ? goodUntil : 0,
  };
}

async function renew(
  {clientId, refreshToken}: ChatGptSignIn,
  environment: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<ChatGptSignIn> {
  if (refreshToken === '') return endedSignIn('');
  const form = {grant_type: 'refresh_token', client_id: clientId, refresh_token: refreshToken};
  const answer = await requestTokens(form, environment, signal);
  if (answer.tag === 'ok') {
    const renewed = grantedSignIn(answer.value, {clientId, refreshToken, scope: neededScope});
    if (renewed.tag === 'ok') return renewed.value;
    throw new FaultError(needsUser(renewed.error, signInAgain), undefined);
  }
  const {status, message, fix} = answer.error;
  if (status === 400 || status === 401 || status === 403) return endedSignIn(message);
  throw new FaultError(needsUser(message, fix), undefined);
}

/** The token server's error. `status` is 0 if the server could not be reached. */
interface TokenError {
  readonly status: number;
  readonly message: string;
  readonly fix: string;
}

/** Sends a form to the token server. */
export async function requestTokens(
  form: Readonly<Record<string, string>>,
  environment: NodeJS.ProcessEnv & ProxyEnvironment,
  signal: AbortSignal,
): Promise<Outcome<JsonObject, TokenError>> {
  const url = `${openAiOrigins(environment).auth}/api/accounts/oauth/token`;
  const limit = AbortSignal.timeout(tokenMs);
  let response: Response;
  try {
    response = await makeHttpFetch(environment)(url, {
      method: 'POST',
      headers: {accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded'},
      body: new URLSearchParams({...form, resource: apiResource}).toString(),
      signal: AbortSignal.any([signal, limit]),
    });
  } catch (cause) {
    const why = limit.aborted ? 'no answer in time' : causeText(cause);
    const message = `Can't reach ${new URL(url).host} to sign in to ChatGPT: ${why}.`;
    return failed({status: 0, message, fix: 'Check the network connection, then try again.'});
  }
  const answer = await readJson(response);
  if (response.ok) return ok(answer);
  const said = [answer['error'], answer['error_description']].map(textOf).filter(part => part !== '');
  const {status} = response;
  const words = [status, ...said.map(part => firstLine(part, 200).replace(/\.$/u, ''))].join(', ');
  const fix = status === 429 || status >= 500 ? 'Try again later.' : signInAgain;
  return failed({status, message: `${new URL(url).host} answered ${words}.`, fix});
}

const tokenMs = 30_000;

/** Reads the answer of the token server. If the answer has no scope or refresh token, the earlier ones stay. */
export function grantedSignIn(
  answer: JsonObject,
  before: {readonly clientId: string; readonly refreshToken: string; readonly scope: string},
): Outcome<ChatGptSignIn, string> {
  const {access_token: accessToken, refresh_token: refreshToken, expires_in: seconds, scope} = answer;
  if (typeof accessToken !== 'string' || accessToken === '') return failed('OpenAI sent no access token.');
  if (!(textOf(scope) || before.scope).split(/\s+/u).includes(neededScope)) {
    return failed('OpenAI did not allow weft to use your ChatGPT plan. weft kept nothing.');
  }
  const lifetime = typeof seconds === 'number' && seconds > 0 ? seconds * 1000 : 3_600_000;
  return ok({
    clientId: before.clientId,
    accessToken,
    refreshToken: textOf(refreshToken) || before.refreshToken,
    goodUntil: Date.now() + Math.max(lifetime - spare, lifetime / 2),
  });
}

/** weft renews tokens this many milliseconds before they expire. */
const spare = 180_000;

export const tokenFault = ({message, fix}: TokenError): Fault => needsUser(message, fix);
