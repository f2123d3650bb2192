import {isJsonList, isJsonObject, type Json, type JsonObject, objectOf, textOf} from '../base/json.ts';
import {failed, ok, type Outcome} from '../base/outcome.ts';
import {unreachable} from '../base/unreachable.ts';
import {type KeyProvider, providerNames} from '../domain/api-key.ts';
import {causeText, type Fault, otherRefusal} from '../domain/fault.ts';
import type {Access} from './access.ts';
import {countOf, dollarsOf} from './decoder.ts';
import {anthropicBase, openAiBase} from './base-url.ts';
import {makeHttpFetch, readAnyJson} from './http-fetch.ts';
import type {ProxyEnvironment} from './proxy.ts';
import type {ServedModel} from './row-prices.ts';

export interface ProviderAddress {
  readonly provider: KeyProvider;
  /** The name of the server, if it isn't the provider's own. */
  readonly title?: string;
  /** The API key. Empty if there is none. */
  readonly key: string;
  /** The base URL of the server. Empty for the provider's own. */
  readonly baseUrl: string;
  readonly environment: ProxyEnvironment;
  readonly access?: Access | undefined;
}

/** Lists the names of the models that a provider offers. Cuts a long list. Gateways also list prices, which `learn` gets. */
export async function listProviderModels(
  address: ProviderAddress,
  signal: AbortSignal,
  learn: (model: string, facts: ServedModel) => void = () => {},
): Promise<Outcome<readonly string[], Fault>> {
  const {url: given, headers} = modelsRequest(address);
  const name = address.title ?? providerNames[address.provider];
  // Only Anthropic lists page by page. Google refuses the parameter.
  const url = new URL(given);
  if (address.provider === 'anthropic') url.searchParams.set('limit', String(maxModels));
  try {
    const response = await (address.access?.fetch ?? makeHttpFetch(address.environment))(url.href, {headers, signal});
    if (!response.ok) return failed(fault(`${name} did not list its models (${response.status})`, response.status));
    const listed = (await modelsIn(response))?.slice(0, maxModels);
    if (listed === undefined) return failed(fault(`${name} did not answer with a list of models`, response.status));
    return ok(
      listed.map(model => {
        const id = withoutPath(nameOf(model));
        const facts = listedFacts(model);
        if (facts !== undefined) learn(id, facts);
        return id;
      }),
    );
  } catch (cause) {
    return failed(fault(`Can't list the models of ${name}: ${causeText(cause)}`, 0));
  }
}

/**
 * Reads the names from a response with a list of models, in the server's order; `undefined` if the response is
 * something else. For a sign-in with ChatGPT, OpenAI lists models in its own form, with some that are not to be shown.
 */
export const modelIdsIn = async (response: Response): Promise<readonly string[] | undefined> =>
  (await modelsIn(response))?.map(nameOf);

async function modelsIn(response: Response): Promise<readonly JsonObject[] | undefined> {
  const body = await readAnyJson(response);
  const {data, models} = objectOf(body);
  // Together's list has no object around it.
  const list = [body, data, models].find(isJsonList);
  if (list === undefined) return undefined;
  const shown = list.filter(isJsonObject).filter(({visibility = 'list'}) => visibility === 'list');
  return shown.filter(model => nameOf(model) !== '');
}

const nameOf = ({id, slug}: JsonObject): string => textOf(id) || textOf(slug);

/** Reads the price and the context window that OpenRouter and Vercel list. `undefined` without a price. */
function listedFacts(model: JsonObject): ServedModel | undefined {
  const pricing = objectOf(model['pricing']);
  const input = perMillion(pricing['prompt'] ?? pricing['input']);
  const output = perMillion(pricing['completion'] ?? pricing['output']);
  if (input === undefined || output === undefined) return undefined;
  const cacheRead = perMillion(pricing['input_cache_read']) ?? input;
  const cacheWrite = perMillion(pricing['input_cache_write']) ?? input;
  const window = countOf(model['context_length'] ?? model['context_window']) ?? 0;
  return {window, price: {input, output, cacheRead, cacheWrite, long: 'same'}};
}

/** Converts a price per token, without the digits that binary fractions add. */
function perMillion(price: Json | undefined): number | undefined {
  const usd = typeof price === 'string' ? dollarsOf(price) : undefined;
  return usd === undefined ? undefined : Number((usd * 1_000_000).toPrecision(12));
}

/** Google lists `models/gemini-…` and accepts the name without the path. */
const withoutPath = (id: string): string => id.replace(/^models\//u, '');

/** The address of Gemini's models with OpenAI's protocol (ai.google.dev/gemini-api/docs/openai). */
export const geminiUrl = 'https://generativelanguage.googleapis.com/v1beta/openai';

const fault = (message: string, status: number): Fault => ({
  kind: 'provider',
  message,
  fix: '',
  status,
  refusal: otherRefusal,
});

const maxModels = 200;

/** Returns the request for a provider's list of models. */
export function modelsRequest({provider, key, baseUrl}: Omit<ProviderAddress, 'environment' | 'access' | 'title'>): {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
} {
  const {base, query} = (provider === 'anthropic' ? anthropicBase : openAiBase)(baseUrl);
  switch (provider) {
    case 'anthropic':
      return {
        url: `${base === '' ? 'https://api.anthropic.com' : base}/v1/models${query}`,
        headers: {'x-api-key': key, 'anthropic-version': '2023-06-01'},
      };
    case 'openai':
      return {
        url: `${base === '' ? 'https://api.openai.com/v1' : base}/models${query}`,
        headers: key === '' ? {} : {authorization: `Bearer ${key}`},
      };
    case 'gemini':
      return {
        url: `${base === '' ? geminiUrl : base}/models${query}`,
        headers: {authorization: `Bearer ${key}`},
      };
    default:
      return unreachable(provider);
  }
}

/** `unchecked`: the provider could not be reached, so the key may be valid. */
export type KeyCheck = 'accepted' | 'unchecked';

/** Checks whether the provider accepts the key, by requesting its list of models, which is free. A refusal is a fault. */
export async function checkKey(given: ProviderAddress, signal: AbortSignal): Promise<Outcome<KeyCheck, Fault>> {
  const {provider, key} = given;
  const {url, headers} = modelsRequest(given);
  try {
    const response = await makeHttpFetch(given.environment)(url, {headers, signal});
    if (response.status !== 401 && response.status !== 403) return ok(response.ok ? 'accepted' : 'unchecked');
    const {refusalWords} = await import('./refusal-words.ts');
    const said = refusalWords(await response.text());
    const reason = said === '' ? '' : `: ${said.replaceAll(key, '…')}`;
    return failed({
      kind: 'provider',
      message: `${providerNames[provider]} refused this key (${response.status})${reason}`,
      fix: `Copy it again, or make a new one at ${keyPages[provider]}`,
      status: response.status,
      refusal: otherRefusal,
    });
  } catch {
    return ok('unchecked');
  }
}

const keyPages = {
  anthropic: 'platform.claude.com/settings/keys',
  openai: 'platform.openai.com/api-keys',
  gemini: 'aistudio.google.com/apikey',
} as const satisfies Record<KeyProvider, string>;
