import {type Effort, type ModelPort, unknownFacts} from '../domain/model-stream.ts';
import {resolveModelAlias} from '../domain/model-alias.ts';
import {appendFileSync, existsSync, readFileSync, statSync, writeFileSync} from 'node:fs';
import {unreachable} from '../base/unreachable.ts';
import type {Outcome} from '../base/outcome.ts';
import {causeText, type Fault, FaultError, faultText, needsUser, sentence} from '../domain/fault.ts';
import {
  cloudProviders,
  cloudSigns,
  cloudSwitches,
  type CloudProvider,
  dialects,
  isPlanToken,
  keyProviders,
  keyVariables,
  type ModelProvider,
  modelProviders,
  planText,
  providerNames,
  providerOf,
  rowKeyVariables,
  urlVariables,
  withLogin,
} from '../domain/api-key.ts';
import {UsageError} from './exit-code.ts';
import {weftCommand} from './weft-command.ts';
import {type IssuedKeys, openApiKeys, type UsedKeys} from './api-keys.ts';
import type {KeySource, Provider, ProviderConnection} from './model-access.ts';
import type {RunContext} from './run-context.ts';
import type {connectAnthropic} from '../models/anthropic.ts';
import type {RefusalMemory} from '../models/stream-with-retries.ts';
import type {RefusingServer} from './refusal-memory.ts';
import type {WireApi} from '../config/settings-schema.ts';

/** The model that flags, environment and settings choose. `undefined` and empty values were not given. */
export interface ModelChoice extends Pick<
  RunContext['settings'],
  | 'provider'
  | 'providers'
  | 'model'
  | 'models'
  | 'fallbackModels'
  | 'effort'
  | 'cacheTtl'
  | 'streamIdleTimeoutMs'
  | 'baseUrl'
  | 'wireApi'
  | 'headers'
  | 'keyCommand'
> {
  readonly replay: string | undefined;
  /** The efforts that the user has chosen since the start, by model. */
  readonly sessionEfforts: Map<string, Effort | 'default'>;
  readonly record: string | undefined;
  readonly environment: NodeJS.ProcessEnv;
  /** The user's saved keys. A key in the environment takes precedence. */
  readonly apiKeys: UsedKeys;
  readonly issuedKeys: IssuedKeys;
  /** The file that keeps what refusals have taught; empty if nothing is kept. */
  readonly refusals: string;
}

/** A connected model, with the choice that led to it. */
export type ChosenModel = Connected & {readonly choice: ModelChoice};

type Connected = ConnectedModel & ModelState;

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
  const chosen = {...(await connect(choice, signal)), choice};
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
      throw new FaultError(needsUser(`Can't write the recording: ${causeText(cause)}.`, ''), cause);
    }
  };
}

/** True if a model is configured. It may still not answer. */
export const isConfigured = (choice: ModelChoice): boolean => configuredProvider(choice) !== undefined;

/** Returns the provider that flags, settings, environment and saved keys name or imply. */
export const configuredProvider = (choice: ModelChoice): string | undefined =>
  choice.replay === undefined ? (choice.provider ?? impliedProvider(choice)?.provider) : 'replay';

type PlaceChoice = Pick<ModelChoice, 'baseUrl' | 'environment' | 'providers'>;

/** Returns the provider with that name. */
export async function providerNamed(name: string, choice: PlaceChoice): Promise<Provider> {
  const known = modelProviders.find(each => each === name);
  return known === undefined
    ? withLogin((await import('./provider-row.ts')).rowProvider(name, choice))
    : knownProvider(known, choice);
}

/** Returns a provider that needs no row. */
export function knownProvider(name: ModelProvider, {baseUrl, environment, providers}: PlaceChoice): Provider {
  const own = providers[name] ?? {};
  return withLogin({
    name,
    title: providerNames[name],
    dialect: dialects[name],
    is: isCloud(name) ? {kind: 'cloud', name} : {kind: 'key', name},
    baseUrl: baseUrl ?? own.baseUrl ?? (environment[urlVariables[name]] || undefined),
    keyVariable: own.keyVariable ?? keyVariables[name],
    urlVariable: urlVariables[name],
    headers: own.headers ?? {},
  });
}

/** Loads the modules that the first request to the chosen provider needs, beyond those loaded by connecting to it. */
export async function loadForFirstRequest(choice: ModelChoice): Promise<unknown> {
  const provider = configuredProvider(choice);
  if (provider === undefined || provider === 'replay') return undefined;
  const {dialect} = await providerNamed(provider, choice);
  switch (dialect) {
    case 'anthropic':
      return (await import('../models/anthropic.ts')).loadAnthropicSdk();
    case 'openai':
    case 'gemini':
      return (await import('../models/openai.ts')).loadOpenAiSdk();
    default:
      return unreachable(dialect);
  }
}

async function connect(choice: ModelChoice, signal: AbortSignal): Promise<Connected> {
  const provider = configuredProvider(choice);
  switch (provider) {
    case 'replay':
      return replay(choice);
    case undefined:
      return {port: noModel, model: choice.model ?? 'no model', secrets: {}, state: 'missing'};
    default:
      return connectProvider(await providerNamed(provider, choice), choice, signal);
  }
}

type SourceChoice = PlaceChoice & Pick<ModelChoice, 'apiKeys' | 'headers' | 'keyCommand'>;

/**
 * Finds the source of a provider's key: `--settings`, the environment, the user's settings, the saved keys. A saved key goes only to the
 * address it was saved for.
 */
export async function keySource(provider: Provider, choice: SourceChoice): Promise<KeySource> {
  const {environment} = choice;
  // A key command without a provider counts for each provider whose key the user can save.
  const usual = provider.is.kind === 'key' ? provider.name : '';
  const counts = providerOf(choice.keyCommand?.provider ?? usual) === provider.name;
  const keyCommand = counts ? choice.keyCommand : undefined;
  if (keyCommand?.given === 'yes') return {from: 'command'};
  const token = provider.name === 'anthropic' ? (environment[tokenVariable] ?? '') : '';
  if (token !== '') return {from: 'token', variable: tokenVariable, key: token};
  for (const variable of await keyVariablesOf(provider)) {
    const key = environment[variable] ?? '';
    if (key !== '') return {from: 'environment', variable, key};
  }
  if (keyCommand !== undefined) return {from: 'command'};
  const kept = keptKey(provider, choice);
  return kept === undefined ? {from: 'nowhere'} : {from: 'kept', kept};
}

/** Returns the variables that may hold the key. The server's own variable, such as DEEPSEEK_API_KEY, comes before OpenAI's. */
async function keyVariablesOf({name, baseUrl, keyVariable}: Provider): Promise<readonly string[]> {
  if (name !== 'openai' || baseUrl === undefined || keyVariable !== keyVariables.openai) return [keyVariable];
  const {rowAt} = await import('../models/provider-rows.ts');
  return [rowAt(baseUrl).keyVariable, keyVariable];
}

const keptKey = ({name, baseUrl = ''}: Pick<Provider, 'name' | 'baseUrl'>, {apiKeys}: Pick<ModelChoice, 'apiKeys'>) =>
  apiKeys.kept().find(each => each.provider === name && each.baseUrl === baseUrl);

const tokenVariable = 'ANTHROPIC_AUTH_TOKEN';

/** Says where a provider's credentials come from, never their value. */
export async function keyText(provider: Provider, choice: SourceChoice): Promise<string> {
  if (provider.is.kind === 'cloud')
    return (await import('./cloud-access.ts')).cloudText(provider.is.name, cloudChoice(provider, choice));
  const source = await keySource(provider, choice);
  switch (source.from) {
    case 'environment':
      return `key from ${source.variable}`;
    case 'token':
      return `token from ${source.variable}`;
    case 'command':
      return 'key from the setting keyCommand';
    case 'kept':
      return `key saved in ${choice.apiKeys.placeText(source.kept)}`;
    case 'nowhere':
      return hasHeaders(provider, choice) ? 'no key, headers of your own' : 'no key';
    default:
      return unreachable(source);
  }
}

/** Returns the choice with the provider's address, and with its key in the usual variable. */
function cloudChoice<Choice extends PlaceChoice>({is, baseUrl, keyVariable}: Provider, choice: Choice): Choice {
  const usual = is.kind === 'cloud' ? keyVariables[is.name] : keyVariable;
  const {environment} = choice;
  if (usual === keyVariable) return {...choice, baseUrl};
  return {...choice, baseUrl, environment: {...environment, [usual]: environment[keyVariable] ?? ''}};
}

/** Whether the user adds headers to the requests of a provider. */
const hasHeaders = ({is, dialect, headers: ofProvider}: Provider, {headers, environment}: SourceChoice): boolean =>
  Object.keys(headers).length > 0 ||
  Object.keys(ofProvider).length > 0 ||
  (is.kind === 'key' && (environment[`${dialect.toUpperCase()}_CUSTOM_HEADERS`] ?? '') !== '');

/** Whether the provider is a service with credentials of its own. */
const isCloud = (provider: string): provider is CloudProvider => cloudProviders.some(name => name === provider);

/**
 * The model that a session starts with, and the source of this choice. `listed`: weft asks a server at a custom address
 * for its first model.
 */
export type DefaultModel =
  /** `defaultOf`: the provider whose default it is; empty if the user chose it. */
  | {readonly kind: 'named'; readonly model: string; readonly defaultOf: string}
  | {readonly kind: 'listed'; readonly baseUrl: string};

export async function defaultModel(provider: Provider, choice: Pick<ModelChoice, 'model'>): Promise<DefaultModel> {
  const {title, dialect, is, baseUrl} = provider;
  if (choice.model !== undefined) {
    return {kind: 'named', model: resolveModelAlias(choice.model, familiesOf(provider)) ?? choice.model, defaultOf: ''};
  }
  // Azure's models have the names that the user gave to deployments.
  if (provider.name === 'azure') throw new UsageError('Name your deployment of Azure OpenAI: --model or WEFT_MODEL.');
  // The models depend on the user's plan.
  if (provider.name === 'chatgpt') return {kind: 'listed', baseUrl: title};
  const byDefault = (model: string): DefaultModel => ({kind: 'named', model, defaultOf: title});
  if (is.kind === 'row' && is.row.model !== '') return byDefault(is.row.model);
  if (is.kind !== 'row') {
    const {defaultAnthropicModel, defaultGeminiModel, defaultOpenAiModel} = await import('../models/model-facts.ts');
    if (dialect === 'gemini') return byDefault(defaultGeminiModel);
    if (dialect === 'anthropic') return byDefault(defaultAnthropicModel);
    if (baseUrl === undefined) return byDefault(defaultOpenAiModel);
  }
  return {kind: 'listed', baseUrl: baseUrl ?? ''};
}

/** The provider whose model families the user may name, such as `opus`. */
const familiesOf = ({is, name, dialect}: Provider): string => (is.kind === 'row' ? name : dialect);

export function defaultModelText(found: DefaultModel): string {
  if (found.kind === 'listed') return `the first model that ${found.baseUrl} lists`;
  return found.defaultOf === '' ? found.model : `${found.model}, the default of ${found.defaultOf}`;
}

/**
 * Returns the models to switch to if the main one fails, by the provider's names. Names in settings that this provider does not have are
 * skipped, because several models and providers share the settings. Such a name in the flag is an error.
 */
function fallbacksOf(provider: Provider, main: DefaultModel, {fallbackModels}: ModelChoice): readonly string[] {
  const isFlag = fallbackModels.source === 'flags';
  const names = fallbackModels.value.flatMap(wanted => {
    const name = resolveModelAlias(wanted, familiesOf(provider));
    if (isFlag && name === undefined) {
      throw new UsageError(`--fallback-model: ${provider.title} has no model ${JSON.stringify(wanted)}.`);
    }
    const isMain = main.kind === 'named' && name === main.model;
    if (isFlag && isMain) throw new UsageError(`--fallback-model: ${name} is the main model. Name another one.`);
    return name === undefined || isMain ? [] : [name];
  });
  return [...new Set(names)];
}

/** Returns why the provider was chosen. Empty if its key is the reason. */
export function reasonText(choice: ModelChoice): string {
  if (choice.provider !== undefined) return 'you chose the provider';
  const variable = impliedProvider(choice)?.variable ?? '';
  return variable === '' ? '' : `${variable} is set`;
}

const by = (provider: string, variable = '') => ({provider, variable});

/** Finds the provider, and the variable that chose it unless that is its key. An address alone means a server of OpenAI's protocol. */
function impliedProvider(choice: ModelChoice): {readonly provider: string; readonly variable: string} | undefined {
  const {environment, baseUrl, headers, keyCommand} = choice;
  const cloud = cloudProviders.find(provider => isSwitchedOn(environment[cloudSwitches[provider]]));
  if (cloud !== undefined) return by(cloud, cloudSwitches[cloud]);
  if (environment[tokenVariable] || environment['ANTHROPIC_API_KEY']) return by('anthropic');
  const isGateway = headers['anthropic'] !== undefined || environment['ANTHROPIC_CUSTOM_HEADERS'];
  if (environment['ANTHROPIC_BASE_URL'] && isGateway) return by('anthropic', 'ANTHROPIC_BASE_URL');
  if (isGoogle(baseUrl) && environment['GEMINI_API_KEY']) return by('gemini');
  if (environment['OPENAI_API_KEY'] || environment['OPENAI_BASE_URL'] || baseUrl) return by('openai');
  if (environment['GEMINI_API_KEY']) return by('gemini');
  if (keyCommand !== undefined) return by('anthropic');
  const kept = keyProviders.find(name => keptKey(knownProvider(name, choice), choice) !== undefined);
  if (kept !== undefined) return by(kept);
  if (choice.apiKeys.kept().some(({provider}) => provider === 'chatgpt')) return by('chatgpt');
  const sign = cloudProviders.find(provider => environment[cloudSigns[provider]]);
  if (sign !== undefined) return by(sign, cloudSigns[sign] === keyVariables[sign] ? '' : cloudSigns[sign]);
  const row = Object.entries(rowKeyVariables).find(([, variable]) => environment[variable]);
  return row === undefined ? undefined : by(row[0]);
}

const isSwitchedOn = (value = ''): boolean => /^(?:1|true|yes|on)$/iu.test(value);

const isGoogle = (baseUrl: string | undefined): boolean =>
  URL.parse(baseUrl ?? '')?.hostname === 'generativelanguage.googleapis.com';

/** Finds the credentials of a provider; `locked` if they are in a keychain that does not answer. */
export async function openConnection(
  provider: Provider,
  choice: ModelChoice,
): Promise<ProviderConnection | 'no-key' | 'locked'> {
  const {name, is, baseUrl} = provider;
  if (is.kind === 'cloud') {
    const {cloudConnection} = await import('./cloud-access.ts');
    return cloudConnection(provider, is.name, cloudChoice(provider, choice));
  }
  const source = await keySource(provider, choice);
  if (is.kind === 'row') return (await import('./provider-row.ts')).rowConnection(provider, source, choice);
  const own = hasHeaders(provider, choice);
  // The user's own server that speaks OpenAI's protocol may need no key.
  if (source.from === 'nowhere' && name !== 'openai' && !own) return 'no-key';
  const key = source.from === 'kept' ? await choice.apiKeys.keyOf(source.kept) : 'key' in source ? source.key : '';
  if (key === undefined) return 'locked';
  if (name === 'anthropic' && baseUrl === undefined && isPlanToken(key)) throw new UsageError(planText);
  const connection = {apiKey: key, baseUrl, secrets: source.from === 'kept' ? {[keyVariables[is.name]]: key} : {}};
  const isUsual = source.from !== 'environment' || source.variable === keyVariables[is.name];
  if (!own && isUsual && source.from !== 'token' && source.from !== 'command') return connection;
  const {headerSecrets, keyAccess} = await import('./model-access.ts');
  const access = keyAccess(provider, source, {...choice, baseUrl});
  return {...connection, access, secrets: {...connection.secrets, ...headerSecrets(provider, choice)}};
}

const lockedText = ({title}: Provider): string =>
  `The ${title} key is in the keychain, which does not answer. Unlock it and try again, or enter the key again: weft auth login`;

const missingKeyText = ({name, title, keyVariable, is}: Provider): string =>
  is.kind === 'row'
    ? `No key for ${title}. Set ${keyVariable}, or name another variable in the setting providers.${name}.keyVariable.`
    : `No key for ${title}. Set ${keyVariable}, or save one with weft auth login.`;

async function connectProvider(provider: Provider, choice: ModelChoice, signal: AbortSignal): Promise<Connected> {
  const {environment} = choice;
  const opened = await openConnection(provider, choice);
  if (opened === 'locked') return unreachableModel(choice, lockedText(provider));
  if (opened === 'no-key') throw new UsageError(missingKeyText(provider));
  const {apiKey, baseUrl, access, secrets} = opened;
  const [{chosenEfforts, missingEffortText, modelTable, ownOf}, named, windows] = await Promise.all([
    import('../models/model-facts.ts'),
    defaultModel(provider, choice),
    localWindows(provider, opened, choice),
  ]);
  const isPlain = provider.name === 'anthropic' || baseUrl === undefined;
  const models = modelTable(choice.models, {
    provider: provider.name,
    efforts: chosenEfforts(choice),
    cacheTtl: choice.cacheTtl,
    loadedWindow: model => windows?.of(model) ?? 0,
    servedModel: isPlain ? undefined : (await import('./provider-row.ts')).servedModels(provider),
  });
  const seesImages = (model: string): boolean => ownOf(model, choice.models)?.images === true;
  const plainPort = await portOf(
    provider,
    {
      apiKey,
      baseUrl,
      environment,
      models,
      cacheTtl: choice.cacheTtl,
      idleMs: choice.streamIdleTimeoutMs,
      fallbacks: fallbacksOf(provider, named, choice),
      access,
      memory:
        choice.refusals === '' ? undefined : refusalMemory({...choice, provider: provider.name, baseUrl, seesImages}),
    },
    choice.wireApi,
  );
  const port = windows === undefined ? plainPort : windows.watch(plainPort);
  const ready = async (model: string): Promise<Connected> => {
    const {effort} = choice;
    const missing = effort?.source === 'flags' ? missingEffortText(effort.value, model, models.infoOf(model)) : '';
    if (missing !== '') throw new UsageError(missing);
    await windows?.ask(model, signal);
    return {port, model, secrets, state: 'ready'};
  };
  if (named.kind === 'named') return ready(named.model);
  // A server at another address has its own models: use the first one that it lists.
  const listed = await serverModels(provider, {apiKey, baseUrl, environment, access}, signal);
  if (listed.tag === 'failed') {
    const text = faultText(listed.error);
    const advised = `${sentence(text)} Or choose a model with --model or WEFT_MODEL.`;
    return {...unreachableModel(choice, listed.error.kind === 'provider' ? advised : text), secrets};
  }
  const first = listed.value.find(name => !hasOtherUse.test(name)) ?? listed.value[0];
  if (first !== undefined) return ready(first);
  const why = `${baseUrl} lists no models. Choose one with --model or WEFT_MODEL.`;
  return {...unreachableModel(choice, why), secrets};
}

/** Keeps the lessons of refusals. Loads the module to read or write something. */
const refusalMemory = ({refusals: file, ...server}: RefusingServer & Pick<ModelChoice, 'refusals'>): RefusalMemory => ({
  isEmpty: () => !existsSync(file),
  open: async () => (await import('./refusal-memory.ts')).openRefusals(file, server, Date.now),
});

/** Opens the facts that the user's own server reports about its models. Does nothing for other providers. */
async function localWindows(
  {dialect, is, baseUrl, title}: Provider,
  {apiKey, access}: ProviderConnection,
  {models, environment}: ModelChoice,
) {
  if (dialect !== 'openai' || is.kind === 'cloud' || baseUrl === undefined) return undefined;
  if (is.kind === 'row' && is.row.contextWindow === 'of-model') return undefined;
  const [{LocalWindows, isLocalAddress, watchWindows}, {makeHttpFetch}] = await Promise.all([
    import('../models/local-window.ts'),
    import('../models/http-fetch.ts'),
  ]);
  if (is.kind !== 'row' && !isLocalAddress(baseUrl)) return undefined;
  const headers = apiKey === '' ? {} : {authorization: `Bearer ${apiKey}`};
  const set = new Set(Object.keys(models).filter(name => models[name]?.contextWindow !== undefined));
  const windows = new LocalWindows({baseUrl, title, headers, set, send: access?.fetch ?? makeHttpFetch(environment)});
  return {
    of: (model: string): number => windows.of(model),
    ask: (model: string, signal: AbortSignal): Promise<void> => windows.ask(model, signal),
    watch: (port: ModelPort): ModelPort => watchWindows(windows, port),
  };
}

/** Matches the names of models that don't answer with text. Providers list them beside the others. */
const hasOtherUse = /embed|rerank|moderation|guard|whisper|tts|speech|audio|ocr|image|flux|diffusion/iu;

async function serverModels(
  {dialect, title}: Provider,
  server: Pick<Connection, 'apiKey' | 'baseUrl' | 'environment' | 'access'>,
  signal: AbortSignal,
): Promise<Outcome<readonly string[], Fault>> {
  const {apiKey, baseUrl = ''} = server;
  if (dialect !== 'anthropic') {
    return (await import('../models/openai.ts')).listModels({...server, apiKey: apiKey || undefined}, signal);
  }
  const {listProviderModels} = await import('../models/list-models.ts');
  return listProviderModels({...server, provider: dialect, title, key: apiKey, baseUrl}, signal);
}

type Connection = Omit<Parameters<typeof connectAnthropic>[0], 'toolReferences'>;

/** Connects to the chosen provider, and loads only that one. An empty key means no key. */
async function portOf(
  {name, dialect, is}: Provider,
  connection: Connection,
  wireApi: WireApi | undefined,
): Promise<ModelPort> {
  switch (dialect) {
    case 'anthropic':
      return (await import('../models/anthropic.ts')).connectAnthropic({
        ...connection,
        // Other servers of the protocol may drop blocks that they don't know. In that case, the model would never see
        // what its search found.
        toolReferences: connection.baseUrl === undefined ? 'taken' : 'refused',
      });
    case 'gemini':
      return (await import('../models/openai.ts')).connectGemini(connection);
    case 'openai': {
      const apiKey = connection.apiKey || undefined;
      const row = is.kind === 'row' ? is.row : undefined;
      const ofRow = row?.wireApi === 'responses' || row?.wireApi === 'chat' ? row.wireApi : undefined;
      return (await import('../models/openai.ts')).connectOpenAi({
        ...connection,
        apiKey,
        wireApi: name === 'chatgpt' ? 'responses' : (ofRow ?? wireApi ?? (name === 'azure' ? 'responses' : 'auto')),
        row,
      });
    }
    default:
      return unreachable(dialect);
  }
}

/** Makes a model for a failed connection. Every prompt connects again, so the user can resend it once the server is up. */
function unreachableModel(choice: ModelChoice, reason: string): Connected {
  let connected: Connected | undefined;
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
      yield [{event: 'failed', fault: needsUser(message, '')}];
    },
    facts: model => connected?.port.facts(model) ?? noModel.facts(model),
  };
  return {port, model: choice.model ?? unknownModel, secrets: {}, state: 'unreachable', reason, found};
}

const unknownModel = 'unknown model';

async function replay({replay: file, model}: ModelChoice): Promise<Connected> {
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
  `No model is configured. Start weft and paste an API key, or set ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY or OPENAI_BASE_URL. A local server (Ollama, LM Studio, llama.cpp, vLLM) needs no key: start weft, or set OPENAI_BASE_URL. All ways: ${weftCommand('login')}. To try weft without one, run: ${weftCommand('demo')}`;

/** Throws an error if the model is missing or does not answer. For runs without a person at the keyboard. */
export function requireModel(chosen: ModelState): void {
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
    yield [{event: 'failed', fault: needsUser(noModelText(), '')}];
  },
  facts: () => unknownFacts,
};

/** Connects to the model that flags, environment and settings choose, within `limitMs` milliseconds. */
export const connectModel = (context: RunContext, limitMs = 10_000): Promise<ChosenModel> =>
  chooseModel(modelChoice(context), AbortSignal.timeout(limitMs));

export const modelChoice = ({options, settings, places, issuedKeys, sessionEfforts}: RunContext): ModelChoice => ({
  provider: settings.provider,
  model: settings.model,
  models: settings.models,
  fallbackModels: settings.fallbackModels,
  baseUrl: settings.baseUrl,
  providers: settings.providers,
  wireApi: settings.wireApi,
  headers: settings.headers,
  keyCommand: settings.keyCommand,
  effort: settings.effort,
  cacheTtl: settings.cacheTtl,
  streamIdleTimeoutMs: settings.streamIdleTimeoutMs,
  sessionEfforts,
  replay: options.replay,
  record: options.record,
  environment: process.env,
  apiKeys: openApiKeys(places, process.env),
  issuedKeys,
  refusals: options.sessionPersistence && options.bare === undefined ? places.refusals : '',
});
