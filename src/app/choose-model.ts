import type {Effort, ModelPort} from '../domain/model-stream.ts';
import {modelNamed} from '../domain/model-alias.ts';
import {appendFileSync, readFileSync, statSync, writeFileSync} from 'node:fs';
import {unreachable} from '../base/unreachable.ts';
import {causeText, FaultError, faultText} from '../domain/fault.ts';
import {type KeyProvider, keyProviders, keyVariables, providerNames} from '../domain/api-key.ts';
import type {KeptKey} from '../config/kept-keys.ts';
import {UsageError} from './exit-code.ts';
import {ownCommand} from './own-command.ts';
import {type ApiKeys, openApiKeys} from './api-keys.ts';
import type {RunContext} from './run-context.ts';
import type {connectAnthropic} from '../models/anthropic.ts';
import type {providerChoices} from './main-options.ts';

/** The model that flags, environment and settings ask for. `undefined` and empty values were not given. */
export interface ModelChoice extends Pick<
  RunContext['settings'],
  'provider' | 'model' | 'models' | 'fallbackModels' | 'baseUrl' | 'wireApi'
> {
  readonly replay: string | undefined;
  readonly effort: Effort | undefined;
  readonly record: string | undefined;
  readonly environment: NodeJS.ProcessEnv;
  /** The keys that the user has pasted; a key of the environment wins over them. */
  readonly apiKeys: Pick<ApiKeys, 'kept' | 'keyOf' | 'placeText'>;
}

export type ChosenModel = ConnectedModel & ModelState;

interface ConnectedModel {
  readonly port: ModelPort;
  readonly model: string;
  /** Keys that are not in the environment, by the variable they could be in: nobody is to see them. */
  readonly secrets: Readonly<Record<string, string>>;
}

/**
 * `missing` when nothing is configured: the port then answers every prompt with the sentence that says so. `unreachable` when what is
 * configured does not answer now: the port connects anew with every prompt.
 */
type ModelState =
  | {readonly state: 'ready'}
  | {readonly state: 'missing'}
  /** `found` settles with the model's name once a prompt has reached it. */
  | {readonly state: 'unreachable'; readonly reason: string; readonly found: Promise<string>};

/** Connects to the model that is asked for, and records the conversation where that is asked for. Loads only the chosen provider. */
export async function chooseModel(choice: ModelChoice, signal: AbortSignal): Promise<ChosenModel> {
  const chosen = await connect(choice, signal);
  const {record} = choice;
  if (record === undefined || chosen.state === 'missing') return chosen;
  const {recordModel} = await import('../models/recording.ts');
  return {...chosen, port: recordModel(chosen.port, appendTo(record))};
}

function appendTo(file: string): (line: string) => void {
  if ((statSync(file, {throwIfNoEntry: false})?.size ?? 0) > 0) {
    throw new UsageError(`${file} is not empty. Record into a new file.`);
  }
  try {
    writeFileSync(file, '', {mode: 0o600});
  } catch (cause) {
    throw new UsageError(`Cannot write the recording: ${causeText(cause)}`);
  }
  return line => {
    try {
      appendFileSync(file, line);
    } catch (cause) {
      throw new FaultError(
        {kind: 'needs-user', message: `Cannot write the recording: ${causeText(cause)}.`, fix: ''},
        cause,
      );
    }
  };
}

/** Whether a model is configured. It may still not answer. */
export const isConfigured = (choice: ModelChoice): boolean => configuredProvider(choice) !== undefined;

/** The provider that flags, settings, environment and kept keys name or imply. */
export const configuredProvider = (choice: ModelChoice): (typeof providerChoices)[number] | undefined =>
  choice.replay === undefined ? (choice.provider ?? providerOf(choice)) : 'replay';

/** Loads what the first request to the chosen provider needs beyond what connecting to it has loaded. */
export async function loadForFirstRequest(choice: ModelChoice): Promise<void> {
  const provider = configuredProvider(choice);
  switch (provider) {
    case 'anthropic':
      await (await import('../models/anthropic.ts')).loadAnthropicSdk();
      return;
    case 'openai':
    case 'gemini':
      await (await import('../models/openai.ts')).loadOpenAiSdk();
      return;
    case 'replay':
    case undefined:
      return;
    default:
      return unreachable(provider);
  }
}

async function connect(choice: ModelChoice, signal: AbortSignal): Promise<ChosenModel> {
  const provider = configuredProvider(choice);
  switch (provider) {
    case 'replay':
      return replay(choice);
    case undefined:
      return {port: noModel, model: choice.model ?? 'no model', secrets: {}, state: 'missing'};
    default:
      return connectProvider(provider, choice, signal);
  }
}

type KeySource =
  | {readonly from: 'environment'; readonly variable: string; readonly key: string}
  | {readonly from: 'kept'; readonly kept: KeptKey}
  | {readonly from: 'nowhere'};

/** A variable of the environment wins. A kept key is sent to no other address than the one that it was kept for. */
function keySource(provider: KeyProvider, choice: Pick<ModelChoice, 'baseUrl' | 'environment' | 'apiKeys'>): KeySource {
  const variable = keyVariables[provider];
  const key = choice.environment[variable] ?? '';
  if (key !== '') return {from: 'environment', variable, key};
  const baseUrl = baseUrlOf(provider, choice) ?? '';
  const kept = choice.apiKeys.kept().find(each => each.provider === provider && each.baseUrl === baseUrl);
  return kept === undefined ? {from: 'nowhere'} : {from: 'kept', kept};
}

export function keyText(
  provider: KeyProvider,
  choice: Pick<ModelChoice, 'baseUrl' | 'environment' | 'apiKeys'>,
): string {
  const source = keySource(provider, choice);
  switch (source.from) {
    case 'environment':
      return `key from ${source.variable}`;
    case 'kept':
      return `key kept in ${choice.apiKeys.placeText(source.kept)}`;
    case 'nowhere':
      return 'no key';
    default:
      return unreachable(source);
  }
}

/** The address that flags, settings and environment name for a provider; `undefined` for its own. */
export const baseUrlOf = (
  provider: KeyProvider,
  {baseUrl, environment}: Pick<ModelChoice, 'baseUrl' | 'environment'>,
): string | undefined => baseUrl ?? (environment[urlVariables[provider]] || undefined);

const urlVariables = {
  anthropic: 'ANTHROPIC_BASE_URL',
  openai: 'OPENAI_BASE_URL',
  gemini: 'GEMINI_BASE_URL',
} as const satisfies Record<KeyProvider, string>;

/**
 * The model that answers where nobody has named another in the session, and who says so; `listed` where a server at an address of its
 * own is asked for its first one.
 */
export type DefaultModel =
  | {readonly kind: 'named'; readonly model: string; readonly by: 'settings' | KeyProvider}
  | {readonly kind: 'listed'; readonly baseUrl: string};

export async function defaultModel(
  provider: KeyProvider,
  choice: Pick<ModelChoice, 'model' | 'baseUrl' | 'environment'>,
): Promise<DefaultModel> {
  if (choice.model !== undefined) {
    return {kind: 'named', model: modelNamed(choice.model, provider) ?? choice.model, by: 'settings'};
  }
  const {defaultAnthropicModel, defaultGeminiModel, defaultOpenAiModel} = await import('../models/model-facts.ts');
  if (provider === 'gemini') return {kind: 'named', model: defaultGeminiModel, by: provider};
  if (provider === 'anthropic') return {kind: 'named', model: defaultAnthropicModel, by: provider};
  const baseUrl = baseUrlOf(provider, choice);
  return baseUrl === undefined ? {kind: 'named', model: defaultOpenAiModel, by: provider} : {kind: 'listed', baseUrl};
}

export function defaultModelText(found: DefaultModel): string {
  if (found.kind === 'listed') return `the first model that ${found.baseUrl} lists`;
  return found.by === 'settings' ? found.model : `${found.model}, the default of ${providerNames[found.by]}`;
}

/**
 * The models that answer where the model cannot, by the provider's own names. Settings may be shared by several models and providers:
 * what does not fit there is left out; a flag that does not fit is an error.
 */
function fallbacksOf(provider: KeyProvider, main: DefaultModel, {fallbackModels}: ModelChoice): readonly string[] {
  const isFlag = fallbackModels.source === 'flags';
  const names = fallbackModels.value.flatMap(wanted => {
    const name = modelNamed(wanted, provider);
    if (isFlag && name === undefined) {
      throw new UsageError(`--fallback-model: ${providerNames[provider]} has no model ${JSON.stringify(wanted)}.`);
    }
    const isMain = main.kind === 'named' && name === main.model;
    if (isFlag && isMain) throw new UsageError(`--fallback-model: ${name} is the model itself. Name another one.`);
    return name === undefined || isMain ? [] : [name];
  });
  return [...new Set(names)];
}

/** The provider that variables, address and kept keys imply. An address alone is taken for a server that speaks OpenAI's protocol, as most do. */
function providerOf(choice: ModelChoice): KeyProvider | undefined {
  const {environment, baseUrl} = choice;
  if (environment['ANTHROPIC_API_KEY']) return 'anthropic';
  if (isGoogle(baseUrl) && environment['GEMINI_API_KEY']) return 'gemini';
  if (environment['OPENAI_API_KEY'] || environment['OPENAI_BASE_URL'] || baseUrl) return 'openai';
  if (environment['GEMINI_API_KEY']) return 'gemini';
  return keyProviders.find(provider => keySource(provider, choice).from === 'kept');
}

const isGoogle = (baseUrl: string | undefined): boolean =>
  URL.parse(baseUrl ?? '')?.hostname === 'generativelanguage.googleapis.com';

/** The key itself; `locked` where the keychain that has it does not answer. */
export async function readKey(
  provider: KeyProvider,
  choice: ModelChoice,
): Promise<
  | {readonly kind: 'key'; readonly apiKey: string; readonly secrets: ConnectedModel['secrets']}
  | {readonly kind: 'none'}
  | {readonly kind: 'locked'}
> {
  const source = keySource(provider, choice);
  if (source.from === 'nowhere') return {kind: 'none'};
  if (source.from === 'environment') return {kind: 'key', apiKey: source.key, secrets: {}};
  const apiKey = await choice.apiKeys.keyOf(source.kept);
  return apiKey === undefined ? {kind: 'locked'} : {kind: 'key', apiKey, secrets: {[keyVariables[provider]]: apiKey}};
}

const lockedText = (provider: KeyProvider): string =>
  `The ${providerNames[provider]} key is in the keychain, which does not answer. Unlock it and try again, or give the key anew: weft auth login`;

async function connectProvider(provider: KeyProvider, choice: ModelChoice, signal: AbortSignal): Promise<ChosenModel> {
  const {environment} = choice;
  const found = await readKey(provider, choice);
  if (found.kind === 'locked') return unreachableModel(choice, lockedText(provider));
  // A server of the user's own that speaks OpenAI's protocol may need none.
  if (found.kind === 'none' && provider !== 'openai') {
    throw new UsageError(
      `There is no key for ${providerNames[provider]}: set ${keyVariables[provider]}, or keep one with weft auth login.`,
    );
  }
  const {apiKey, secrets} = found.kind === 'key' ? found : {apiKey: '', secrets: {}};
  const [{modelTable}, named] = await Promise.all([import('../models/model-facts.ts'), defaultModel(provider, choice)]);
  const baseUrl = baseUrlOf(provider, choice);
  const port = await portOf(
    provider,
    {
      apiKey,
      baseUrl,
      environment,
      models: modelTable(choice.models),
      effort: choice.effort ?? 'default',
      fallbacks: fallbacksOf(provider, named, choice),
    },
    choice,
  );
  if (named.kind === 'named') return {port, model: named.model, secrets, state: 'ready'};
  // A server at another address has models of its own: take the first that it lists.
  const {listModels} = await import('../models/openai.ts');
  const models = await listModels({apiKey: apiKey || undefined, baseUrl, environment}, signal);
  if (models.tag === 'failed')
    return {
      ...unreachableModel(choice, `${faultText(models.error)} Or choose a model with --model or WEFT_MODEL.`),
      secrets,
    };
  const [first] = models.value;
  if (first === undefined)
    return {
      ...unreachableModel(choice, `${baseUrl} offers no model. Choose one with --model or WEFT_MODEL.`),
      secrets,
    };
  return {port, model: first, secrets, state: 'ready'};
}

type Connection = Omit<Parameters<typeof connectAnthropic>[0], 'toolReferences'>;

/** Loads the chosen provider alone. An empty key is none. */
async function portOf(
  provider: KeyProvider,
  connection: Connection,
  {wireApi}: Pick<ModelChoice, 'wireApi'>,
): Promise<ModelPort> {
  switch (provider) {
    case 'anthropic':
      return (await import('../models/anthropic.ts')).connectAnthropic({
        ...connection,
        // Others that speak the protocol may drop what they do not know, and the model would not hear of what it found.
        toolReferences: connection.baseUrl === undefined ? 'taken' : 'refused',
      });
    case 'gemini':
      return (await import('../models/openai.ts')).connectGemini(connection);
    case 'openai': {
      const apiKey = connection.apiKey || undefined;
      return (await import('../models/openai.ts')).connectOpenAi({...connection, apiKey, wireApi: wireApi ?? 'auto'});
    }
    default:
      return unreachable(provider);
  }
}

/** A model that could not be connected to: every prompt tries again, so that it can be sent again once the server is there. */
function unreachableModel(choice: ModelChoice, reason: string): ChosenModel {
  let connected: ChosenModel | undefined;
  const {promise: found, resolve: tell} = Promise.withResolvers<string>();
  const port: ModelPort = {
    provider: configuredProvider(choice) ?? 'none',
    get searchesWeb() {
      return connected?.port.searchesWeb ?? false;
    },
    async *stream(request, signal) {
      if (connected?.state !== 'ready') connected = await connect(choice, signal);
      if (connected.state === 'ready') {
        const model = request.model === unknownModel ? connected.model : request.model;
        tell(model);
        yield* connected.port.stream({...request, model}, signal);
        return;
      }
      const message = connected.state === 'unreachable' ? connected.reason : noModelText();
      yield [{event: 'failed', fault: {kind: 'needs-user', message, fix: ''}}];
    },
    facts: model => connected?.port.facts(model) ?? noModel.facts(model),
  };
  return {port, model: choice.model ?? unknownModel, secrets: {}, state: 'unreachable', reason, found};
}

const unknownModel = 'unknown model';

async function replay({replay: file, model}: ModelChoice): Promise<ChosenModel> {
  if (file === undefined) throw new UsageError('--provider replay needs --replay <file>.');
  const {openReplay} = await import('../models/replay.ts');
  const opened = openReplay(readRecording(file), {variables: {}});
  if (opened.tag === 'failed') throw new UsageError(`${file}: ${faultText(opened.error)}`);
  return {port: opened.value, model: model ?? 'recording', secrets: {}, state: 'ready'};
}

function readRecording(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new UsageError(`Cannot read the recording: ${causeText(cause)}`);
  }
}

/** Tells a user without a model what to do, in one line. */
export const noModelText = (): string =>
  `No model is configured: start weft and paste an API key, or set ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY or OPENAI_BASE_URL. To try weft without one, run: ${ownCommand('demo')}`;

/** For runs without a person at the keyboard: nothing begins without a model that answers. */
export function requireModel(chosen: ChosenModel): void {
  if (chosen.state === 'missing') throw new Error(noModelText());
  if (chosen.state === 'unreachable') throw new UsageError(chosen.reason);
}

/** The same for the screen-reader UI. */
export const noModelNotice = (): string =>
  `No model configured. Keep a key with ${ownCommand('login')}, set ANTHROPIC_API_KEY or OPENAI_BASE_URL, or type /demo.`;

/** A model port for when no model is configured: it answers every request with the sentence that says what to do. */
const noModel: ModelPort = {
  provider: 'none',
  searchesWeb: false,
  async *stream() {
    yield [{event: 'failed', fault: {kind: 'needs-user', message: noModelText(), fix: ''}}];
  },
  facts: () => ({contextWindow: 0, images: 'unknown', costOf: () => 'unknown'}),
};

/** Connects to the model that flags, environment and settings ask for, within that many milliseconds. */
export const connectModel = (context: RunContext, limitMs = 10_000): Promise<ChosenModel> =>
  chooseModel(modelChoice(context), AbortSignal.timeout(limitMs));

export const modelChoice = ({options, settings, places}: RunContext): ModelChoice => ({
  provider: settings.provider,
  model: settings.model,
  models: settings.models,
  fallbackModels: settings.fallbackModels,
  baseUrl: settings.baseUrl,
  wireApi: settings.wireApi,
  effort: options.effort,
  replay: options.replay,
  record: options.record,
  environment: process.env,
  apiKeys: openApiKeys(places, process.env),
});
