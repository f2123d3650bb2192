import {nearestName} from '../base/nearest-name.ts';
import type {OwnProviders} from '../config/model-settings.ts';
import {entryOf, providerChoices, providerOf} from '../domain/api-key.ts';
import {isLocalAddress} from '../models/local-window.ts';
import {type ProviderRow, rowAt, rowNameAt, rowNamed} from '../models/provider-rows.ts';
import {type ServedModel, servedModel} from '../models/row-prices.ts';
import {UsageError} from './exit-code.ts';
import {
  type AccessChoice,
  headerSecrets,
  keyAccess,
  type KeySource,
  type Provider,
  type ProviderConnection,
} from './model-access.ts';

/** Returns the provider that a row of weft's table or the user's settings describe. The settings can also change a row. */
export function rowProvider(name: string, choice: Pick<AccessChoice, 'baseUrl' | 'providers'>): Provider {
  const known = providerOf(name);
  const own = entryOf(known, choice.providers);
  const row = rowNamed(known) ?? usersRow(known, own);
  const baseUrl = choice.baseUrl ?? own?.baseUrl ?? row.baseUrl;
  const wireApi = own?.wireApi ?? row.wireApi;
  return {
    name: known,
    title: row.title,
    dialect: wireApi === 'anthropic' ? 'anthropic' : 'openai',
    is: {kind: 'row', row: {...row, wireApi}},
    baseUrl,
    keyVariable: own?.keyVariable ?? row.keyVariable,
    urlVariable: `the setting providers.${known}.baseUrl`,
    headers: own?.headers ?? {},
  };
}

function usersRow(name: string, own: OwnProviders[string] | undefined): ProviderRow {
  if (own === undefined) {
    const near = nearestName(name, providerChoices);
    const hint = near === undefined ? '' : ` Did you mean ${near}?`;
    throw new UsageError(
      `Unknown provider ${JSON.stringify(name)}.${hint} Use one of ${providerChoices.join(', ')}, or describe it in the setting providers: {"${name}": {"baseUrl": "https://…/v1"}}.`,
    );
  }
  if (own.baseUrl === undefined) {
    throw new UsageError(`The provider ${JSON.stringify(name)} has no address. Set providers.${name}.baseUrl.`);
  }
  const contextWindow = isLocalAddress(own.baseUrl) ? 'own' : 'of-model';
  return {...rowAt(own.baseUrl), title: name, baseUrl: own.baseUrl, wireApi: 'chat', model: '', contextWindow};
}

/** Opens the way to a row's provider with the key of its own variable, and of no other. */
export function rowConnection(
  provider: Provider,
  source: KeySource,
  choice: AccessChoice,
): ProviderConnection | 'no-key' {
  const {title, baseUrl, keyVariable, urlVariable} = provider;
  const ownHeaders = headerSecrets(provider, choice);
  const key = 'key' in source ? source.key : '';
  if (source.from === 'nowhere' && keyVariable !== '' && Object.keys(ownHeaders).length === 0) return 'no-key';
  const access = keyAccess(provider, source, {...choice, baseUrl});
  const endpoint = {keyVariable, ...access.endpoint, name: title, urlVariable};
  return {
    apiKey: key,
    baseUrl,
    access: {...access, endpoint, searchesWeb: false},
    secrets: {...(key === '' ? {} : {[keyVariable]: key}), ...ownHeaders},
  };
}

/** Returns the facts about models that depend on the provider. */
export function servedModels({is, name, baseUrl}: Pick<Provider, 'is' | 'name' | 'baseUrl'>) {
  const row = is.kind === 'row' ? name : rowNameAt(baseUrl ?? '');
  return (model: string): ServedModel | undefined => servedModel(row, model);
}
