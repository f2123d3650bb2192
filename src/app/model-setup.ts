import {failed, ok, type Outcome} from '../base/outcome.ts';
import type {ListedModel, ModelConnection, ModelList} from '../agent/client.ts';
import type {ModelInfo} from '../models/model-facts.ts';
import {keyVariables, providerNames} from '../domain/api-key.ts';
import {causeText, type Fault, faultText, rejected} from '../domain/fault.ts';
import type {ModelPort} from '../domain/model-stream.ts';
import type {ApiKeys} from './api-keys.ts';
import {
  baseUrlOf,
  type ChosenModel,
  chooseModel,
  configuredProvider,
  defaultModel,
  type ModelChoice,
  readKey,
} from './choose-model.ts';
import {checkOutsideWeft} from './folder-trust.ts';
import type {EffortRequest, KeyRequest, ModelSetup, ServerRequest} from './host-services.ts';

export interface ExchangeableModel {
  readonly port: ModelPort;
  readonly setup: ModelSetup;
  /** The same model for another session, whose model can be exchanged without this one's. */
  apart(): ExchangeableModel;
}

/** A model port whose model can be exchanged while the engine runs, and how the user does that. */
export function exchangeableModel(
  chosen: Pick<ChosenModel, 'port'>,
  given: {readonly choice: ModelChoice; readonly apiKeys: ApiKeys; readonly settingsFile: string},
): ExchangeableModel {
  let current = chosen.port;
  let latest = given.choice;
  const port: ModelPort = {
    get provider() {
      return current.provider;
    },
    get searchesWeb() {
      return current.searchesWeb;
    },
    facts: model => current.facts(model),
    stream: (request, signal) => current.stream(request, signal),
  };
  const use = async (
    choice: ModelChoice,
    text: string,
    signal: AbortSignal,
  ): Promise<Outcome<ModelConnection, Fault>> => {
    const next = await chooseModel(choice, signal);
    if (next.state === 'missing') return failed(rejected('No model was found.'));
    if (next.state === 'unreachable') return failed({kind: 'needs-user', message: next.reason, fix: ''});
    current = next.port;
    latest = choice;
    return ok({model: next.model, text});
  };
  return {
    port,
    apart: () => exchangeableModel({port: current}, {...given, choice: latest}),
    setup: {
      list: signal => listModels(latest, signal),
      async localServers(signal) {
        const {findLocalServers, usualServers} = await import('../models/local-servers.ts');
        return findLocalServers(usualServers, signal);
      },
      useEffort: (request, signal) => attempt(() => useEffort(request, latest, {use, signal})),
      useKey: (request, signal) => attempt(() => useKey(request, {...given, use}, signal)),
      useServer: (request, signal) => attempt(() => useServer(request, {...given, use}, signal)),
    },
  };
}

/** Milliseconds that a provider has to list its models. */
const listMs = 4000;

/** The models of the chosen provider; where it cannot be asked, those that weft knows. */
export async function listModels(choice: ModelChoice, signal: AbortSignal): Promise<Outcome<ModelList, Fault>> {
  const provider = configuredProvider(choice);
  if (provider === undefined) return failed(rejected('No model is configured'));
  if (provider === 'replay') return failed(rejected('A recording has no other models'));
  const [{listProviderModels}, {knownModels, modelTable}, named, key] = await Promise.all([
    import('../models/list-models.ts'),
    import('../models/model-facts.ts'),
    defaultModel(provider, choice),
    readKey(provider, choice),
  ]);
  const baseUrl = baseUrlOf(provider, choice) ?? '';
  const found = await listProviderModels(
    {provider, key: key.kind === 'key' ? key.apiKey : '', baseUrl, environment: choice.environment},
    AbortSignal.any([signal, AbortSignal.timeout(listMs)]),
  );
  const known = baseUrl === '' ? knownModels[provider] : [];
  // OpenAI lists what draws, speaks and embeds, too.
  const offered = found.tag === 'ok' ? found.value.filter(name => baseUrl !== '' || isChatModel(name)) : known;
  const first = named.kind === 'named' ? named.model : (offered[0] ?? '');
  const by = named.kind === 'named' && named.by === 'settings' ? 'your settings' : providerNames[provider];
  const models = [first, ...offered.filter(name => name !== first)].filter(name => name !== '');
  const table = modelTable(choice.models);
  return ok({
    models: models.map(model => listedModel(model, {info: table.infoOf(model), defaultOf: model === first ? by : ''})),
    from: found.tag === 'ok' ? {kind: 'provider'} : {kind: 'weft', why: faultText(found.error)},
    effort: choice.effort ?? 'default',
  });
}

/** What is known of a model, for lists of them. */
export const listedModel = (
  model: string,
  {info, defaultOf}: {readonly info: ModelInfo; readonly defaultOf: string},
): ListedModel => ({
  model,
  defaultOf,
  contextWindow: info.contextWindow,
  maxOutput: info.maxOutput,
  price: info.price,
  efforts: info.efforts,
  images: info.images,
  pdfs: info.pdfs,
  about: info.about,
  from: info.from,
});

const isChatModel = (name: string): boolean =>
  /^(?:claude-|gpt-|chatgpt-|o\d|gemini-)/u.test(name) &&
  !/audio|realtime|transcribe|tts|image|search|instruct|embedding|live|robotics|computer-use/u.test(name);

interface SetupContext {
  readonly choice: ModelChoice;
  readonly apiKeys: ApiKeys;
  readonly settingsFile: string;
  readonly use: (choice: ModelChoice, text: string, signal: AbortSignal) => Promise<Outcome<ModelConnection, Fault>>;
}

async function useKey(
  {provider, key}: KeyRequest,
  {choice, apiKeys, settingsFile, use}: SetupContext,
  signal: AbortSignal,
): Promise<Outcome<ModelConnection, Fault>> {
  const may = await checkOutsideWeft('Keeping a key');
  if (may.tag === 'failed') return may;
  // A server that was chosen earlier, and its model, make room for the provider whose key this is.
  const next: ModelChoice = {
    ...choice,
    provider,
    baseUrl: undefined,
    model: choice.baseUrl === undefined ? choice.model : undefined,
  };
  const baseUrl = baseUrlOf(provider, next) ?? '';
  const {checkKey} = await import('../models/list-models.ts');
  const checked = await checkKey({provider, key, baseUrl, environment: choice.environment}, signal);
  if (checked.tag === 'failed') return checked;
  const kept = await apiKeys.keep({provider, key, baseUrl});
  if (kept.tag === 'failed') return kept;
  if (choice.baseUrl !== undefined) {
    const {unsetSetting} = await import('../config/edit-settings.ts');
    for (const name of ['baseUrl', 'model', 'provider'] as const) {
      const unset = await unsetSetting({path: settingsFile, name: {key: name, part: ''}});
      if (unset.tag === 'failed') return unset;
    }
  }
  const variable = keyVariables[provider];
  const environment = {...choice.environment, [variable]: key};
  const unchecked = checked.value === 'unchecked' ? ` ${providerNames[provider]} could not be asked about it yet.` : '';
  const text = `${providerNames[provider]} key kept in ${kept.value}.${unchecked} weft auth logout removes it`;
  return use({...next, environment}, text, signal);
}

async function useServer(
  {baseUrl, model}: ServerRequest,
  {choice, settingsFile, use}: SetupContext,
  signal: AbortSignal,
): Promise<Outcome<ModelConnection, Fault>> {
  const may = await checkOutsideWeft('Choosing a model server');
  if (may.tag === 'failed') return may;
  const {setSetting} = await import('../config/edit-settings.ts');
  for (const [name, value] of [
    ['provider', 'openai'],
    ['baseUrl', baseUrl],
    ['model', model],
  ] as const) {
    const set = await setSetting({path: settingsFile, name: {key: name, part: ''}}, value);
    if (set.tag === 'failed') return set;
  }
  return use(
    {...choice, provider: 'openai', baseUrl, model},
    `${model} at ${baseUrl} is kept in your settings`,
    signal,
  );
}

/** The effort is an option of the connection, so the provider is connected to anew. */
async function useEffort(
  {model, effort}: EffortRequest,
  latest: ModelChoice,
  {use, signal}: {readonly use: SetupContext['use']; readonly signal: AbortSignal},
): Promise<Outcome<ModelConnection, Fault>> {
  if (latest.record !== undefined || latest.replay !== undefined) {
    return failed(rejected('The effort cannot change while the conversation is recorded or replayed.'));
  }
  const choice = {...latest, effort: effort === 'default' ? undefined : effort};
  const used = await use(choice, `Model: ${model}, effort ${effort}`, signal);
  return used.tag === 'ok' ? ok({...used.value, model}) : used;
}

/** What is thrown is in words for the user. */
async function attempt(run: () => Promise<Outcome<ModelConnection, Fault>>): Promise<Outcome<ModelConnection, Fault>> {
  try {
    return await run();
  } catch (cause) {
    return failed({kind: 'needs-user', message: causeText(cause), fix: ''});
  }
}
