import type {Effort, ModelPort} from '../domain/model-stream.ts';
import {resolveModelAlias} from '../domain/model-alias.ts';
import {appendFileSync, readFileSync, statSync, writeFileSync} from 'node:fs';
import {unreachable} from '../base/unreachable.ts';
import {causeText, FaultError, faultText} from '../domain/fault.ts';
import {type KeyProvider, keyProviders, keyVariables, providerNames} from '../domain/api-key.ts';
import type {KeptKey} from '../config/kept-keys.ts';
import {UsageError} from './exit-code.ts';
import {weftCommand} from './weft-command.ts';
import {type ApiKeys, openApiKeys} from './api-keys.ts';
import type {RunContext} from './run-context.ts';
import type {connectAnthropic} from '../models/anthropic.ts';
import type {providerChoices} from './main-options.ts';

/** The model that flags, environment and settings choose. `undefined` and empty values were not given. */
export interface ModelChoice extends Pick<
  RunContext['settings'],
  'provider' | 'model' | 'models' | 'fallbackModels' | 'baseUrl' | 'wireApi'
> {
  readonly replay: string | undefined;
  readonly effort: Effort | undefined;
  readonly record: string | undefined;
  readonly environment: NodeJS.ProcessEnv;
  /** The user's saved keys. A key in the environment takes precedence. */
  readonly apiKeys: Pick<ApiKeys, 'kept' | 'keyOf' | 'placeText'>;
}

export type ChosenModel = ConnectedModel & ModelState;

interface ConnectedModel {
  readonly port: ModelPort;
  readonly model: string;
  /** Keys from outside the environment, by the variable that could hold them, so that they are redacted. */
  readonly secrets: Readonly<Record<string, string>>;
}

/**
 * `missing` if no model is configured: the port then answers every prompt with a message that says so. `unreachable` if the configured
 * model does not answer now: the port connects again with every prompt.
 */
type ModelState =
  | {readonly state: 'ready'}
  | {readonly state: 'missing'}
  /** `found` resolves to the model's name once a prompt has reached it. */
  | {readonly state: 'unreachable'; readonly reason: string; readonly found: Promise<string>};

/** Connects to the chosen model, and records the conversation if `record` is set. Loads only the chosen provider. */
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
    throw new UsageError(`Can't write the recording: ${causeText(cause)}`);
  }
  return line => {
    try {
      appendFileSync(file, line);
    } catch (cause) {
      throw new FaultError(
        {kind: 'needs-user', message: `Can't write the recording: ${causeText(cause)}.`, fix: ''},
        cause,
      );
    }
  };
}

/** True if a model is configured. It may still not answer. */
export const isConfigured = (choice: ModelChoice): boolean => configuredProvider(choice) !== undefined;

/** Returns the provider that flags, settings, environment and saved keys name or imply. */
export const configuredProvider = (choice: ModelChoice): (typeof providerChoices)[number] | undefined =>
  choice.replay === undefined ? (choice.provider ?? providerOf(choice)) : 'replay';

/** Loads the modules that the first request to the chosen provider needs, beyond those loaded by connecting to it. */
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

/** Finds the source of a provider's key. The environment takes precedence. A saved key goes only to the address it was saved for. */
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
      return `key saved in ${choice.apiKeys.placeText(source.kept)}`;
    case 'nowhere':
      return 'no key';
    default:
      return unreachable(source);
  }
}

/** Returns the address that flags, settings and environment set for a provider; `undefined` for the provider's own. */
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
 * The model that a session starts with, and the source of this choice. `listed`: weft asks a server at a custom address
 * for its first model.
 */
export type DefaultModel =
  | {readonly kind: 'named'; readonly model: string; readonly by: 'settings' | KeyProvider}
  | {readonly kind: 'listed'; readonly baseUrl: string};

export async function defaultModel(
  provider: KeyProvider,
  choice: Pick<ModelChoice, 'model' | 'baseUrl' | 'environment'>,
): Promise<DefaultModel> {
  if (choice.model !== undefined) {
    return {kind: 'named', model: resolveModelAlias(choice.model, provider) ?? choice.model, by: 'settings'};
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
 * Returns the models to switch to if the main one fails, by the provider's names. Names in settings that this provider does not have are
 * skipped, because several models and providers share the settings. Such a name in the flag is an error.
 */
function fallbacksOf(provider: KeyProvider, main: DefaultModel, {fallbackModels}: ModelChoice): readonly string[] {
  const isFlag = fallbackModels.source === 'flags';
  const names = fallbackModels.value.flatMap(wanted => {
    const name = resolveModelAlias(wanted, provider);
    if (isFlag && name === undefined) {
      throw new UsageError(`--fallback-model: ${providerNames[provider]} has no model ${JSON.stringify(wanted)}.`);
    }
    const isMain = main.kind === 'named' && name === main.model;
    if (isFlag && isMain) throw new UsageError(`--fallback-model: ${name} is the main model. Name another one.`);
    return name === undefined || isMain ? [] : [name];
  });
  return [...new Set(names)];
}

/**
 * Returns the provider that variables, address and saved keys imply. An address alone means a server that speaks OpenAI's protocol, as
 * most do.
 */
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

/** Reads the key itself; `locked` if it is in a keychain that does not answer. */
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
  `The ${providerNames[provider]} key is in the keychain, which does not answer. Unlock it and try again, or enter the key again: weft auth login`;

async function connectProvider(provider: KeyProvider, choice: ModelChoice, signal: AbortSignal): Promise<ChosenModel> {
  const {environment} = choice;
  const found = await readKey(provider, choice);
  if (found.kind === 'locked') return unreachableModel(choice, lockedText(provider));
  // The user's own server that speaks OpenAI's protocol may need no key.
  if (found.kind === 'none' && provider !== 'openai') {
    throw new UsageError(
      `No key for ${providerNames[provider]}. Set ${keyVariables[provider]}, or save one with weft auth login.`,
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
  // A server at another address has its own models: use the first one that it lists.
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
      ...unreachableModel(choice, `${baseUrl} lists no models. Choose one with --model or WEFT_MODEL.`),
      secrets,
    };
  return {port, model: first, secrets, state: 'ready'};
}

type Connection = Omit<Parameters<typeof connectAnthropic>[0], 'toolReferences'>;

/** Connects to the chosen provider, and loads only that one. An empty key means no key. */
async function portOf(
  provider: KeyProvider,
  connection: Connection,
  {wireApi}: Pick<ModelChoice, 'wireApi'>,
): Promise<ModelPort> {
  switch (provider) {
    case 'anthropic':
      return (await import('../models/anthropic.ts')).connectAnthropic({
        ...connection,
        // Other servers of the protocol may drop blocks that they don't know. The model would then never see what it found.
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

/** Makes a model for a failed connection. Every prompt connects again, so the user can resend it once the server is up. */
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
    throw new UsageError(`Can't read the recording: ${causeText(cause)}`);
  }
}

/** Returns one line that tells a user without a model what to do. */
export const noModelText = (): string =>
  `No model is configured. Start weft and paste an API key, or set ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY or OPENAI_BASE_URL. To try weft without one, run: ${weftCommand('demo')}`;

/** Throws an error if the model is missing or does not answer. For runs without a person at the keyboard. */
export function requireModel(chosen: ChosenModel): void {
  if (chosen.state === 'missing') throw new Error(noModelText());
  if (chosen.state === 'unreachable') throw new UsageError(chosen.reason);
}

/** Returns the same advice for the screen-reader UI. */
export const noModelNotice = (): string =>
  `No model configured. Save a key with ${weftCommand('login')}, set ANTHROPIC_API_KEY or OPENAI_BASE_URL, or type /demo.`;

/** The model port without a configured model: it answers every request with advice on what to do. */
const noModel: ModelPort = {
  provider: 'none',
  searchesWeb: false,
  async *stream() {
    yield [{event: 'failed', fault: {kind: 'needs-user', message: noModelText(), fix: ''}}];
  },
  facts: () => ({contextWindow: 0, images: 'unknown', costOf: () => 'unknown'}),
};

/** Connects to the model that flags, environment and settings choose, within `limitMs` milliseconds. */
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
