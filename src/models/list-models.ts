import {isJsonObject, parseJson} from '../base/json.ts';
import {failed, ok, type Outcome} from '../base/outcome.ts';
import {unreachable} from '../base/unreachable.ts';
import {type KeyProvider, providerNames} from '../domain/api-key.ts';
import {causeText, type Fault} from '../domain/fault.ts';
import {makeHttpFetch, readServerEvents, takeBody} from './http-fetch.ts';
import type {ProxyEnvironment} from './proxy.ts';

export interface ProviderAddress {
  readonly provider: KeyProvider;
  /** Empty for none. */
  readonly key: string;
  /** Empty for the provider's own. */
  readonly baseUrl: string;
  readonly environment: ProxyEnvironment;
}

/** The names of the models that a provider offers. A list of some hundred is cut. */
export async function listProviderModels(
  address: ProviderAddress,
  signal: AbortSignal,
): Promise<Outcome<readonly string[], Fault>> {
  const {url, headers} = modelsRequest(address);
  const name = providerNames[address.provider];
  // Google refuses parameters that it does not know.
  const bound = address.provider === 'gemini' ? '' : `?limit=${mostModels}`;
  try {
    const response = await makeHttpFetch(address.environment)(`${url}${bound}`, {headers, signal});
    if (!response.ok) return failed(fault(`${name} did not list its models (${response.status})`, response.status));
    const texts: string[] = [];
    for await (const batch of readServerEvents(takeBody(response), 'json')) texts.push(...batch);
    const body = parseJson(texts.join(''));
    const list = body.tag === 'ok' && isJsonObject(body.value) ? body.value['data'] : undefined;
    if (!Array.isArray(list)) return failed(fault(`${name} did not answer with a list of models`, response.status));
    return ok(
      list
        .flatMap(model => (isJsonObject(model) && typeof model['id'] === 'string' ? [withoutPath(model['id'])] : []))
        .slice(0, mostModels),
    );
  } catch (cause) {
    return failed(fault(`${name} could not be asked for its models: ${causeText(cause)}`, 0));
  }
}

/** Google lists `models/gemini-…`, and takes the name without the path. */
const withoutPath = (id: string): string => id.replace(/^models\//u, '');

/** The address of Gemini's models that speaks OpenAI's protocol (ai.google.dev/gemini-api/docs/openai). */
export const geminiUrl = 'https://generativelanguage.googleapis.com/v1beta/openai';

const fault = (message: string, status: number): Fault => ({kind: 'provider', message, fix: '', status});

const mostModels = 200;

/** The request for a provider's list of models. */
export function modelsRequest({provider, key, baseUrl}: Omit<ProviderAddress, 'environment'>): {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
} {
  const base = baseUrl.replace(/(?:\/v1)?\/*$/u, '');
  switch (provider) {
    case 'anthropic':
      return {
        url: `${base === '' ? 'https://api.anthropic.com' : base}/v1/models`,
        headers: {'x-api-key': key, 'anthropic-version': '2023-06-01'},
      };
    case 'openai':
      return {
        url: baseUrl === '' ? 'https://api.openai.com/v1/models' : `${baseUrl.replace(/\/+$/u, '')}/models`,
        headers: key === '' ? {} : {authorization: `Bearer ${key}`},
      };
    case 'gemini':
      return {
        url: `${baseUrl === '' ? geminiUrl : baseUrl.replace(/\/+$/u, '')}/models`,
        headers: {authorization: `Bearer ${key}`},
      };
    default:
      return unreachable(provider);
  }
}
