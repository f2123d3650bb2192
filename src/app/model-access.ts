import {unreachable} from '../base/unreachable.ts';
import {variableReference} from '../config/server-request.ts';
import {
  headerName,
  transportHeader,
  type HeaderSettings,
  headerValue,
  type KeyCommandSetting,
  type OwnProviders,
} from '../config/model-settings.ts';
import type {KeptKey} from '../config/kept-keys.ts';
import type {IssuedKeys, UsedKeys} from './api-keys.ts';
import {type CloudProvider, entryOf, type KeyProvider, providerChoices, providerOf} from '../domain/api-key.ts';
import type {ProviderRow} from '../models/provider-rows.ts';
import {
  type Access,
  allowedBetas,
  type Authorization,
  betaHeader,
  authorizedFetch,
  type WireRequest,
} from '../models/access.ts';
import {makeHttpFetch} from '../models/http-fetch.ts';
import {UsageError} from './exit-code.ts';
import {type IssuedKey, keyProblem, type KeyIssuer, runKeyCommand} from './key-issuer.ts';

export interface Provider {
  /** The name for `--provider`. */
  readonly name: string;
  /** The name for people. */
  readonly title: string;
  /** The provider whose API it speaks. */
  readonly dialect: KeyProvider;
  readonly is:
    | {readonly kind: 'key'; readonly name: KeyProvider}
    | {readonly kind: 'cloud'; readonly name: CloudProvider}
    | {readonly kind: 'row'; readonly row: ProviderRow};
  /** The address from flags, settings, environment or the row; `undefined` for the provider's own address. */
  readonly baseUrl: string | undefined;
  /** Empty if there is none. */
  readonly keyVariable: string;
  readonly urlVariable: string;
  /** The headers of the setting `providers`. */
  readonly headers: Headers;
}

/** The parts of a choice of a model that say how requests get their credentials. */
export interface AccessChoice {
  readonly providers: OwnProviders;
  readonly headers: HeaderSettings;
  readonly keyCommand: KeyCommandSetting | undefined;
  readonly environment: NodeJS.ProcessEnv;
  readonly apiKeys: UsedKeys;
  readonly issuedKeys: IssuedKeys;
  /** From flags, settings or environment; `undefined` for the provider's own. */
  readonly baseUrl: string | undefined;
}

/** The address of a provider and what lets requests in. */
export interface ProviderConnection {
  /** The API key. Empty if there is none. */
  readonly apiKey: string;
  readonly baseUrl: string | undefined;
  readonly access?: Access | undefined;
  /** Secrets from outside the environment, by the variable that could hold them. */
  readonly secrets: Readonly<Record<string, string>>;
}

export type KeySource =
  | {readonly from: 'environment'; readonly variable: string; readonly key: string}
  /** A token that goes out as `Authorization: Bearer` alone. */
  | {readonly from: 'token'; readonly variable: string; readonly key: string}
  | {readonly from: 'command'}
  | {readonly from: 'kept'; readonly kept: KeptKey}
  | {readonly from: 'nowhere'};

export type Headers = Readonly<Record<string, string>>;

/** Opens the way to a provider with a key, a token or a key command, and with the user's own headers. */
export function keyAccess(provider: Provider, source: KeySource, choice: AccessChoice): Access {
  const name = provider.is.kind === 'row' ? provider.title : (choice.baseUrl ?? provider.title);
  switch (source.from) {
    case 'token':
      return accessOf(provider, choice, {
        ...fixedCredentials({authorization: `Bearer ${source.key}`}),
        endpoint: {keyVariable: source.variable},
      });
    case 'command':
      return accessOf(
        provider,
        choice,
        keyCommandAccess(choice, name, key => bothHeaders(provider, key)),
      );
    case 'environment':
      return accessOf(provider, choice, {
        ...fixedCredentials(bothHeaders(provider, source.key)),
        endpoint: {keyVariable: source.variable},
      });
    case 'kept':
      return accessOf(provider, choice, {...fixedCredentials({}), authorize: async request => request});
    case 'nowhere':
      return accessOf(provider, choice, fixedCredentials({}));
    default:
      return unreachable(source);
  }
}

/** Servers that speak Anthropic's protocol may know only one of the two headers. */
const bothHeaders = ({dialect}: Provider, key: string): Headers => ({
  authorization: `Bearer ${key}`,
  ...(dialect === 'anthropic' ? {'x-api-key': key} : {}),
});

export type Credentials = Authorization & Partial<Pick<Access, 'endpoint'>>;

/** Credentials that stay as they are. */
export const fixedCredentials = (headers: Headers): Credentials => ({
  authorize: async request => withKey(request, headers),
  renewsAfter: () => false,
  refusedAgain: () => ({message: '', fix: ''}),
});

/** Replaces the credentials that the SDK has put there. */
function withKey(request: WireRequest, headers: Headers): WireRequest {
  request.headers.delete('authorization');
  request.headers.delete('x-api-key');
  for (const [name, value] of Object.entries(headers)) request.headers.set(name, value);
  return request;
}

/** The user's own key command. */
export const keyCommandAccess = (
  choice: AccessChoice,
  server: string,
  headersOf: (key: string) => Headers,
): Credentials =>
  issuedCredentials(
    {
      command: choice.keyCommand?.command ?? '',
      name: 'The key command',
      fix: 'Check the setting keyCommand.',
      keepMs: choice.keyCommand?.ttlMs ?? 0,
      keyVariable: 'the setting keyCommand',
    },
    {choice, server, headersOf},
  );

interface TokenCommand {
  readonly command: string;
  readonly name: string;
  readonly fix: string;
  readonly keepMs: number;
  readonly keyVariable: string;
}

/** Keys that a command prints. */
export function issuedCredentials(
  {command, name, fix, keepMs, keyVariable}: TokenCommand,
  use: {readonly choice: AccessChoice; readonly server: string; readonly headersOf: (key: string) => Headers},
): Credentials {
  const {environment} = use.choice;
  const until = (): number => Date.now() + keepMs;
  const issuer: KeyIssuer = {
    id: command,
    issue: signal => runKeyCommand({command, name, fix, environment, check: keyProblem, until}, signal),
    secrets: text => [text],
  };
  return {...issuerCredentials(issuer, {...use, name, fix}), endpoint: {keyVariable}};
}

/** Keys of an issuer, which issues a new one when the server refuses one with 401. */
export function issuerCredentials(
  issuer: KeyIssuer,
  {
    choice,
    server,
    headersOf,
    name,
    fix,
  }: {
    readonly choice: AccessChoice;
    readonly server: string;
    readonly headersOf: (key: string) => Headers;
    readonly name: string;
    readonly fix: string;
  },
): Authorization {
  let last: IssuedKey | undefined;
  return {
    async authorize(request, refused, signal) {
      const wasRefused = (text: string): boolean => (refused?.headers.get('authorization') ?? '').endsWith(` ${text}`);
      last = await choice.issuedKeys.get(issuer, wasRefused, signal);
      return withKey(request, headersOf(last.text));
    },
    renewsAfter: ({status}) => status === 401,
    refusedAgain({status, message}) {
      const about = message === '' ? '' : `: ${message.replace(/\.$/u, '')}`;
      const said = last === undefined || last.said === '' ? '' : ` It also said: ${last.said.replace(/\.$/u, '')}.`;
      return {message: `${name} printed a key that ${server} refused (${status})${about}.${said}`, fix};
    },
  };
}

/** Adds the user's own headers to every request; they win over those of the credentials. */
export function accessOf(provider: Provider, choice: AccessChoice, {endpoint, ...credentials}: Credentials): Access {
  const own = Object.entries(ownHeaders(provider, choice));
  const foreign = provider.is.kind === 'row' ? foreignHeaders(provider, choice) : [];
  const refusedBetas = new Set<string>();
  return {
    endpoint: endpoint ?? {},
    searchesWeb: true,
    refusedBetas,
    fetch: authorizedFetch(makeHttpFetch(choice.environment), {
      ...credentials,
      async authorize(given, refused, signal) {
        for (const name of foreign) given.headers.delete(name);
        const request = await credentials.authorize(given, refused, signal);
        for (const [name, value] of own) {
          const sent = name.toLowerCase() === betaHeader ? allowedBetas(value.split(','), refusedBetas) : value;
          if (sent !== '') request.headers.set(name, sent);
        }
        return request;
      },
    }),
  };
}

/** Returns the headers of the settings and of the environment. The environment wins. */
function ownHeaders(
  provider: Provider,
  {headers, providers, environment}: Pick<AccessChoice, 'headers' | 'providers' | 'environment'>,
): Headers {
  const forAll = Object.entries(headers).filter(([, value]) => typeof value === 'string');
  const forThis = entryOf(provider.name, headers) ?? {};
  const set = {
    ...Object.fromEntries(forAll),
    ...(typeof forThis === 'string' ? {} : forThis),
    ...provider.headers,
  };
  const isKnown = (name: string): boolean =>
    providerChoices.includes(providerOf(name)) || Object.hasOwn(providers, name);
  const unknown = Object.entries(headers).find(([name, value]) => typeof value !== 'string' && !isKnown(name));
  if (unknown !== undefined) throw new UsageError(`The setting headers names ${unknown[0]}, which is not a provider.`);
  const expanded = Object.entries(set).map(([name, value]) => [
    name,
    expand(name, typeof value === 'string' ? value : '', environment),
  ]);
  const variable = provider.is.kind === 'row' ? undefined : headerVariables[provider.dialect];
  return {
    ...Object.fromEntries(expanded),
    ...(variable === undefined ? {} : headersIn(variable, environment[variable] ?? '')),
  };
}

const headerVariables: Readonly<Record<KeyProvider, string | undefined>> = {
  anthropic: 'ANTHROPIC_CUSTOM_HEADERS',
  openai: 'OPENAI_CUSTOM_HEADERS',
  gemini: undefined,
};

/** Returns the headers that the SDK adds from variables for OpenAI or Anthropic themselves. */
function foreignHeaders({dialect}: Provider, {environment}: AccessChoice): readonly string[] {
  const variable = headerVariables[dialect] ?? '';
  const lines = (environment[variable] ?? '').split(/\r?\n/u).map(line => line.split(':')[0]?.trim() ?? '');
  return ['openai-organization', 'openai-project', ...lines.filter(name => headerName.test(name))];
}

function expand(name: string, text: string, environment: NodeJS.ProcessEnv): string {
  const value = text.replaceAll(variableReference, (_whole, variable: string, otherwise: string | undefined) => {
    const set = environment[variable] || otherwise;
    if (set === undefined) {
      throw new UsageError(`The setting headers gives ${name} the variable ${variable}, which is not set.`);
    }
    return set;
  });
  if (!headerValue.test(value))
    throw new UsageError(`The header ${name} of your settings holds characters that can't be sent.`);
  if (transportHeader.test(name))
    throw new UsageError(`weft sets the header ${name} itself. Remove it from your settings.`);
  return value;
}

/** Returns the headers that look like credentials, by the variable that could hold them. */
export const headerSecrets = (
  provider: Provider,
  choice: Pick<AccessChoice, 'headers' | 'providers' | 'environment'>,
): Headers =>
  Object.fromEntries(
    Object.entries(ownHeaders(provider, choice)).flatMap(([name, value]) =>
      /auth|key|token|secret|cookie/iu.test(name)
        ? [[`${name.toUpperCase().replaceAll(/\W/gu, '_')}_SECRET`, value.replace(/^Bearer /iu, '')]]
        : [],
    ),
  );

/** Reads lines of the form `Name: value`. The message does not repeat a line, which may hold a secret. */
function headersIn(variable: string, text: string): Headers {
  const headers: Record<string, string> = {};
  for (const [at, line] of text.split(/\r?\n/u).entries()) {
    if (line.trim() === '') continue;
    const colon = line.indexOf(':');
    const [name, value] = [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
    if (colon < 0 || !headerName.test(name) || !headerValue.test(value)) {
      throw new UsageError(`Line ${at + 1} of ${variable} is not a header. Write each line as "Name: value".`);
    }
    if (transportHeader.test(name)) {
      throw new UsageError(`weft sets the header ${name} itself. Remove line ${at + 1} of ${variable}.`);
    }
    headers[name] = value;
  }
  return headers;
}
