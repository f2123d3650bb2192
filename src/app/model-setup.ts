import {failed, ok, type Outcome} from '../base/outcome.ts';
import type {ListedModel, ModelConnection, ModelList} from '../agent/client.ts';
import type {ServedModel} from '../models/row-prices.ts';
import type {ModelInfo} from '../models/model-facts.ts';
import {keyVariables, modelProviders, providerNames} from '../domain/api-key.ts';
import {waysIn} from '../domain/ways-in.ts';
import {causeText, type Fault, faultText, rejected, needsUser} from '../domain/fault.ts';
import type {ModelPort} from '../domain/model-stream.ts';
import type {ApiKeys} from './api-keys.ts';
import {
  type ChosenModel,
  chooseModel,
  configuredProvider,
  defaultModel,
  type ModelChoice,
  keyText,
  knownProvider,
  openConnection,
  providerNamed,
  reasonText,
} from './choose-model.ts';
import {checkOutsideWeft} from './folder-trust.ts';
import type {EffortRequest, KeyRequest, ModelSetup, ServerRequest, WayRequest} from './host-services.ts';
import {type Effort, efforts} from '../domain/model-stream.ts';

export interface ExchangeableModel {
  readonly port: ModelPort;
  readonly setup: ModelSetup;
  /** Returns the same model for another session, which can change its model independently. */
  apart(): ExchangeableModel;
}

/** Makes a model port whose model can change while the engine runs, and the setup with which the user changes it. */
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
    if (next.state === 'missing') return failed(rejected('Found no model.'));
    if (next.state === 'unreachable') return failed(needsUser(next.reason, ''));
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
      useWay: (request, signal) => attempt(() => useWay(request, {...given, choice: latest, use}, signal)),
      signIn: async (say, signal) => (await import('./sign-in-session.ts')).signInSession(say, signal),
      finishSignIn: async address => (await import('./sign-in-session.ts')).submitRedirectAddress(address),
      useEffort: request => useEffort(request, {...given, choice: latest}),
      useKey: (request, signal) => attempt(() => useKey(request, {...given, use}, signal)),
      useServer: (request, signal) => attempt(() => useServer(request, {...given, use}, signal)),
    },
  };
}

/** The time limit for a provider to list its models, in milliseconds. */
const listMs = 4000;

/** Lists the models of the chosen provider; if it can't be reached, those that weft knows. */
export async function listModels(choice: ModelChoice, signal: AbortSignal): Promise<Outcome<ModelList, Fault>> {
  const chosen = configuredProvider(choice);
  if (chosen === undefined) return failed(rejected('No model is configured'));
  if (chosen === 'replay') return failed(rejected('A recording has no other models'));
  const provider = await providerNamed(chosen, choice);
  const {name, title, dialect, is} = provider;
  const [{listProviderModels}, {chosenEfforts, knownModels, modelTable}, named, opened] = await Promise.all([
    import('../models/list-models.ts'),
    import('../models/model-facts.ts'),
    defaultModel(provider, choice),
    openConnection(provider, choice),
  ]);
  const listed = new Map<string, ServedModel>();
  const isHidden = is.kind === 'cloud' && name !== 'chatgpt';
  const {
    apiKey: key,
    access,
    baseUrl: address,
  } = typeof opened === 'string' ? {apiKey: '', access: undefined, baseUrl: undefined} : opened;
  const baseUrl = name === 'chatgpt' ? (address ?? '') : isHidden ? '' : (provider.baseUrl ?? '');
  const found = isHidden
    ? failed(rejected(`${title} has no list of the models that you may use`))
    : await listProviderModels(
        {provider: dialect, title, key, baseUrl, environment: choice.environment, access},
        AbortSignal.any([signal, AbortSignal.timeout(listMs)]),
        (model, facts) => listed.set(model, facts),
      );
  // The names of deployments at Azure are the user's own.
  const known = baseUrl === '' && name !== 'azure' ? knownModels[dialect] : [];
  // OpenAI also lists models for images, speech and embeddings.
  const offered = found.tag === 'ok' ? found.value.filter(model => baseUrl !== '' || isChatModel(model)) : known;
  const first = named.kind === 'named' ? named.model : (offered[0] ?? '');
  const by = named.kind === 'named' && named.defaultOf === '' ? 'your settings' : title;
  const models = [first, ...offered.filter(model => model !== first)].filter(model => model !== '');
  const served = (await import('./provider-row.ts')).servedModels(provider);
  const table = modelTable(choice.models, {
    provider: name,
    efforts: chosenEfforts(choice),
    cacheTtl: choice.cacheTtl,
    servedModel: model => listed.get(model) ?? served(model),
  });
  return ok({
    models: models.map(model => listedModel(model, {info: table.infoOf(model), defaultOf: model === first ? by : ''})),
    from: found.tag === 'ok' ? {kind: 'provider'} : {kind: 'weft', why: faultText(found.error)},
  });
}

/** Says which provider weft uses and why; empty without one. */
export async function usedProviderText(choice: ModelChoice): Promise<string> {
  const name = configuredProvider(choice);
  if (name === undefined || name === 'replay') return '';
  const provider = await providerNamed(name, choice);
  const at = provider.baseUrl === undefined ? '' : ` at ${provider.baseUrl}`;
  const why = reasonText(choice);
  return `${provider.name}${at}, ${why === '' ? '' : `because ${why}, `}${await keyText(provider, choice)}`;
}

/** Returns a model's entry for a list of models. */
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
  effort: info.effort,
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
  const may = await checkOutsideWeft('Saving a key');
  if (may.tag === 'failed') return may;
  // The provider of this key replaces an earlier server and its model.
  const next: ModelChoice = {
    ...choice,
    provider,
    baseUrl: undefined,
    model: choice.baseUrl === undefined ? choice.model : undefined,
  };
  const {baseUrl = ''} = knownProvider(provider, next);
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
  // Without the token, which would win over the key.
  const environment = {...choice.environment, ANTHROPIC_AUTH_TOKEN: '', [variable]: key};
  const unchecked = checked.value === 'unchecked' ? ` Couldn't verify it (no network).` : '';
  const text = `${providerNames[provider]} key saved in ${kept.value}.${unchecked} weft auth logout removes it`;
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
  return use({...choice, provider: 'openai', baseUrl, model}, `Saved ${model} at ${baseUrl} in your settings`, signal);
}

async function useWay(
  {way}: WayRequest,
  {choice, settingsFile, use}: SetupContext,
  signal: AbortSignal,
): Promise<Outcome<ModelConnection, Fault>> {
  const may = await checkOutsideWeft('Choosing a provider');
  if (may.tag === 'failed') return may;
  const [{tryWay}, {setSetting, unsetSetting}] = await Promise.all([
    import('./try-ways.ts'),
    import('../config/edit-settings.ts'),
  ]);
  // The address in the settings belongs to another provider.
  const own = {...choice, baseUrl: undefined};
  const {state, detail} = await tryWay(way, own, {signal, isNamed: true});
  if (state === 'refused' || state === 'absent') {
    return failed({kind: 'needs-user', message: detail, fix: state === 'refused' ? waysIn[way].how : ''});
  }
  const keyProvider = choice.keyCommand?.provider ?? 'anthropic';
  const provider = modelProviders.find(name => name === way) ?? (way === 'command' ? keyProvider : 'anthropic');
  if (way === 'local' || way === 'other') return failed({kind: 'needs-user', message: detail, fix: waysIn[way].how});
  const before = configuredProvider(choice);
  const {dialect} = await providerNamed(provider, own);
  const isSame = before !== undefined && before !== 'replay' && (await providerNamed(before, own)).dialect === dialect;
  const keepsModel = provider === 'azure' || (isSame && before !== 'chatgpt' && provider !== 'chatgpt');
  const path = settingsFile;
  for (const key of keepsModel ? (['baseUrl'] as const) : (['baseUrl', 'model'] as const)) {
    const unset = await unsetSetting({path, name: {key, part: ''}});
    if (unset.tag === 'failed') return unset;
  }
  const set = await setSetting({path, name: {key: 'provider', part: ''}}, provider);
  if (set.tag === 'failed') return set;
  const model = keepsModel ? choice.model : undefined;
  return use({...own, provider, model}, `${waysIn[way].title}: ${detail}. Saved in your settings`, signal);
}

/** Chooses the effort of a model, and keeps it in the user's settings. */
export async function useEffort(
  {model, effort: wanted, extent}: EffortRequest,
  {choice, settingsFile}: Pick<SetupContext, 'choice' | 'settingsFile'>,
): Promise<Outcome<ModelConnection, Fault>> {
  if (choice.replay !== undefined) return failed(rejected("The effort can't change while a conversation is replayed."));
  const {missingEffortText, modelTable, nameInSettings} = await import('../models/model-facts.ts');
  const effort = efforts.find(level => level === wanted);
  const missing = wanted === 'default' ? '' : missingEffortText(wanted, model, modelTable(choice.models).infoOf(model));
  if (missing !== '') return failed(rejected(missing));
  if (extent === 'session' && effort === undefined) choice.sessionEfforts.delete(model);
  else choice.sessionEfforts.set(model, effort ?? 'default');
  const kept =
    extent !== 'session' &&
    (await checkOutsideWeft('Saving an effort')).tag === 'ok' &&
    (await keepEffort(settingsFile, nameInSettings(model, choice.models) ?? model, effort));
  const place = kept ? 'Saved for this model' : 'Not saved, so it ends with this session';
  return ok({model, text: `Model: ${model}, effort ${wanted}. ${place}.`});
}

/** Writes the effort of a model into a settings file, or removes it. Returns whether the file has it now. */
async function keepEffort(path: string, model: string, effort: Effort | undefined): Promise<boolean> {
  const {changeModelFact} = await import('../config/edit-settings.ts');
  return (await changeModelFact({path, model, fact: 'effort'}, effort)).tag === 'ok';
}

/** Turns a thrown error, whose message is for the user, into a fault. */
async function attempt(run: () => Promise<Outcome<ModelConnection, Fault>>): Promise<Outcome<ModelConnection, Fault>> {
  try {
    return await run();
  } catch (cause) {
    return failed(needsUser(causeText(cause), ''));
  }
}
