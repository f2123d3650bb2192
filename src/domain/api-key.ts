import {tryOr} from '../base/outcome.ts';

/** The providers for which the user can paste a key. */
export const keyProviders = ['anthropic', 'openai', 'gemini'] as const;
export type KeyProvider = (typeof keyProviders)[number];

/** Services that offer models of these providers with credentials of their own. */
export const cloudProviders = ['bedrock', 'aws', 'vertex', 'foundry', 'azure', 'chatgpt'] as const;
export type CloudProvider = (typeof cloudProviders)[number];

/** The providers whose keys or sign-ins weft keeps. */
export const keptProviders = [...keyProviders, 'chatgpt'] as const;
export type KeptProvider = (typeof keptProviders)[number];

export const modelProviders = [...keyProviders, ...cloudProviders] as const;
export type ModelProvider = (typeof modelProviders)[number];

export const providerNames = {
  anthropic: 'Anthropic',
  openai: 'OpenAI',
  gemini: 'Gemini',
  bedrock: 'Amazon Bedrock',
  aws: 'Claude Platform on AWS',
  vertex: 'Google Vertex AI',
  foundry: 'Microsoft Foundry',
  azure: 'Azure OpenAI',
  chatgpt: 'ChatGPT',
} as const satisfies Record<ModelProvider, string>;

/**
 * The providers of `models/provider-rows.ts`, and the variables in which their users store the key. Empty: the provider
 * needs none. If nothing else chooses a provider, the first one whose variable is set counts.
 */
export const rowKeyVariables = {
  deepseek: 'DEEPSEEK_API_KEY',
  moonshot: 'MOONSHOT_API_KEY',
  'kimi-code': 'KIMI_API_KEY',
  zai: 'ZAI_API_KEY',
  'zai-coding': 'ZAI_API_KEY',
  qwen: 'DASHSCOPE_API_KEY',
  'qwen-coding': 'BAILIAN_CODING_PLAN_API_KEY',
  'qwen-token': 'BAILIAN_TOKEN_PLAN_API_KEY',
  minimax: 'MINIMAX_API_KEY',
  mistral: 'MISTRAL_API_KEY',
  xai: 'XAI_API_KEY',
  groq: 'GROQ_API_KEY',
  cerebras: 'CEREBRAS_API_KEY',
  together: 'TOGETHER_API_KEY',
  fireworks: 'FIREWORKS_API_KEY',
  openrouter: 'OPENROUTER_API_KEY',
  ollama: '',
  lmstudio: '',
  llamacpp: '',
  vllm: '',
} as const;
export type RowName = keyof typeof rowKeyVariables;

const rowAliases: ReadonlyMap<string, RowName> = new Map([
  ['kimi', 'moonshot'],
  ['glm', 'zai'],
  ['dashscope', 'qwen'],
  ['grok', 'xai'],
]);

/** Returns the usual name of a provider that the user may have given another name. */
export const providerOf = (name: string): string => rowAliases.get(name) ?? name;

/** Returns the entry that settings have for a provider, by its usual name or by another one. */
export function entryOf<T>(provider: string, entries: Readonly<Record<string, T>>): T | undefined {
  const names = [provider, ...[...rowAliases.keys()].filter(alias => rowAliases.get(alias) === provider)];
  const own = names.find(name => Object.hasOwn(entries, name));
  return own === undefined ? undefined : entries[own];
}

/** The names that `--provider` takes, besides those of the user's own rows. */
export const providerChoices: readonly string[] = [...modelProviders, ...Object.keys(rowKeyVariables), 'replay'];

/** The provider whose API a provider speaks. */
export const dialects = {
  anthropic: 'anthropic',
  openai: 'openai',
  gemini: 'gemini',
  bedrock: 'anthropic',
  aws: 'anthropic',
  vertex: 'anthropic',
  foundry: 'anthropic',
  azure: 'openai',
  chatgpt: 'openai',
} as const satisfies Record<ModelProvider, KeyProvider>;

/** The variables that set the address of a provider. */
export const urlVariables = {
  anthropic: 'ANTHROPIC_BASE_URL',
  openai: 'OPENAI_BASE_URL',
  gemini: 'GEMINI_BASE_URL',
  bedrock: 'ANTHROPIC_BEDROCK_BASE_URL',
  aws: 'ANTHROPIC_AWS_BASE_URL',
  vertex: 'ANTHROPIC_VERTEX_BASE_URL',
  foundry: 'ANTHROPIC_FOUNDRY_BASE_URL',
  azure: 'AZURE_OPENAI_ENDPOINT',
  // The tokens of a sign-in go to OpenAI alone.
  chatgpt: '',
} as const satisfies Record<ModelProvider, string>;

/** Moves the user name and the password of an address into a header, so that no message shows them. */
export function withLogin<
  T extends {readonly baseUrl: string | undefined; readonly headers: Readonly<Record<string, string>>},
>(provider: T): T {
  const [address = '', login] = /\/\/([^/?#]*)@/u.exec(provider.baseUrl ?? '') ?? [];
  if (login === undefined) return provider;
  const words = tryOr(() => decodeURIComponent(login), login);
  const authorization = `Basic ${Buffer.from(words).toString('base64')}`;
  const baseUrl = provider.baseUrl?.replace(address, '//');
  return {...provider, baseUrl, headers: {authorization, ...provider.headers}};
}

/** The kind of a pasted text, judged by its form alone. `key` is the text without the characters that people copy along with it. */
export type PastedKey =
  | {readonly kind: 'key'; readonly key: string; readonly provider: KeyProvider}
  /** The form does not show the key's provider. */
  | {readonly kind: 'unclear'; readonly key: string}
  /** The key of a service that speaks OpenAI's protocol at its own address. */
  | {readonly kind: 'other-service'; readonly service: string; readonly baseUrl: string}
  | {readonly kind: 'no-key'; readonly reason: string};

/** Recognizes a key by its form. Also accepts `NAME=key` as in shell startup files, with or without `export` and quotes. */
export function recognizeKey(pasted: string): PastedKey {
  const [, name = '', value = ''] = /^(?:export\s+)?(?:(\w+)\s*=\s*)?(.*)$/su.exec(pasted.trim()) ?? [];
  const key = value.replace(/^(["'`])(.*)\1;?$/su, '$2').trim();
  if (key === '') return {kind: 'no-key', reason: 'Nothing was pasted.'};
  if (!/^[\x21-\x7E]+$/u.test(key)) return {kind: 'no-key', reason: 'A key is one word without spaces.'};
  if (key.length < shortest || key.length > longest) {
    return {kind: 'no-key', reason: `A key has ${shortest} to ${longest} characters; this has ${key.length}.`};
  }
  if (isPlanToken(key)) return {kind: 'no-key', reason: planText};
  const other = otherServices.find(({form}) => form.test(key));
  if (other !== undefined) return {kind: 'other-service', service: other.service, baseUrl: other.baseUrl};
  const provider =
    keyProviders.find(each => forms[each].test(key)) ?? keyProviders.find(each => keyVariables[each] === name);
  return provider === undefined ? {kind: 'unclear', key} : {kind: 'key', key, provider};
}

/** True if a text that was pasted elsewhere is certainly a key, which must not be shown. */
export const isSurelyKey = (pasted: string): boolean => ['key', 'other-service'].includes(recognizeKey(pasted).kind);

/** True for a token of a Claude plan (Pro, Max), such as `claude setup-token` prints. */
export const isPlanToken = (text: string): boolean => text.startsWith('sk-ant-oat');

export const planText =
  "Claude plans (Pro, Max) don't cover other tools. Use an API key, or let weft start your own Claude Code as an agent (weft agents list).";

const shortest = 16;
const longest = 512;

/** Other companies also issue keys that begin with `sk-`. OpenAI's own keys have a second prefix, or a mark in the middle. */
const forms = {
  anthropic: /^sk-ant-[\w-]{8,}$/u,
  openai: /^sk-(?:proj|svcacct|admin|None)-[\w-]{8,}$|^sk-\w+T3BlbkFJ\w+$/u,
  gemini: /^AIza[\w-]{20,}$/u,
} as const satisfies Record<KeyProvider, RegExp>;

/** The variables that hold a key. Google's clouds take tokens alone. */
export const keyVariables = {
  anthropic: 'ANTHROPIC_API_KEY',
  openai: 'OPENAI_API_KEY',
  gemini: 'GEMINI_API_KEY',
  bedrock: 'AWS_BEARER_TOKEN_BEDROCK',
  aws: 'ANTHROPIC_AWS_API_KEY',
  vertex: '',
  foundry: 'ANTHROPIC_FOUNDRY_API_KEY',
  azure: 'AZURE_OPENAI_API_KEY',
  chatgpt: '',
} as const satisfies Record<ModelProvider, string>;

/** Variables with which users of Claude Code choose a service. */
export const cloudSwitches = {
  bedrock: 'CLAUDE_CODE_USE_BEDROCK',
  aws: '',
  vertex: 'CLAUDE_CODE_USE_VERTEX',
  foundry: 'CLAUDE_CODE_USE_FOUNDRY',
  azure: '',
  chatgpt: '',
} as const satisfies Record<CloudProvider, string>;

/** Variables that only users of a service have. */
export const cloudSigns = {
  bedrock: keyVariables.bedrock,
  aws: 'ANTHROPIC_AWS_WORKSPACE_ID',
  vertex: 'ANTHROPIC_VERTEX_PROJECT_ID',
  foundry: keyVariables.foundry,
  azure: keyVariables.azure,
  chatgpt: '',
} as const satisfies Record<CloudProvider, string>;

/** Returns the variable that holds the key of a provider; empty if there is none. */
export const keyVariableOf = (provider: string): string =>
  new Map<string, string>(Object.entries({...keyVariables, ...rowKeyVariables})).get(provider) ?? '';

const otherServices = [
  {service: 'OpenRouter', form: /^sk-or-/u, baseUrl: 'https://openrouter.ai/api/v1'},
  {service: 'Groq', form: /^gsk_/u, baseUrl: 'https://api.groq.com/openai/v1'},
  {service: 'xAI', form: /^xai-/u, baseUrl: 'https://api.x.ai/v1'},
] as const;
