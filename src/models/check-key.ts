import {failed, ok, type Outcome} from '../base/outcome.ts';
import {type KeyProvider, providerNames} from '../domain/api-key.ts';
import type {Fault} from '../domain/fault.ts';
import {makeHttpFetch} from './http-fetch.ts';
import {modelsRequest, type ProviderAddress} from './list-models.ts';
import {readErrorBody} from './provider-error.ts';
import {isJsonObject, parseJson} from '../base/json.ts';

/** `unchecked`: the provider could not be asked, so nothing speaks against the key. */
export type KeyCheck = 'accepted' | 'unchecked';

/** Asks the provider for its list of models, which costs nothing, and so whether it takes the key. A refusal is a fault. */
export async function checkKey(given: ProviderAddress, signal: AbortSignal): Promise<Outcome<KeyCheck, Fault>> {
  const {provider, key} = given;
  const {url, headers} = modelsRequest(given);
  try {
    const response = await makeHttpFetch(given.environment)(url, {headers, signal});
    if (response.status !== 401 && response.status !== 403) return ok(response.ok ? 'accepted' : 'unchecked');
    const body = parseJson(await response.text());
    const said = body.tag === 'ok' && isJsonObject(body.value) ? readErrorBody(body.value, '').message : '';
    const reason = said === '' ? '' : `: ${said.replaceAll(key, '…')}`;
    return failed({
      kind: 'provider',
      message: `${providerNames[provider]} refused this key (${response.status})${reason}`,
      fix: `Copy it again, or make a new one at ${keyPages[provider]}`,
      status: response.status,
    });
  } catch {
    return ok('unchecked');
  }
}

/** Where the user gets a key. */
const keyPages = {
  anthropic: 'platform.claude.com/settings/keys',
  openai: 'platform.openai.com/api-keys',
  gemini: 'aistudio.google.com/apikey',
} as const satisfies Record<KeyProvider, string>;
