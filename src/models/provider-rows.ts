import type {JsonObject} from '../base/json.ts';
import type {RowProtocol} from '../config/model-settings.ts';
import {rowKeyVariables, type RowName} from '../domain/api-key.ts';
import type {Endpoint} from './provider-error.ts';
import {type ToValidId, idRules} from './sendable-request.ts';
import type {SchemaRule} from './tool-schema.ts';

/** How a server of chat completions differs from OpenAI. weft sends no `developer` messages and no `strict` tools. */
interface ChatRules {
  readonly outputLimit: 'max_tokens' | 'max_completion_tokens';
  readonly thinking: ThinkingParams;
  /**
   * Whether the model gets its own thinking back. `own`: in the field in which it came. `always`: the provider requires
   * the field, so an answer without thinking has an empty `reasoning_content`.
   */
  readonly echo: ThinkingEcho;
  readonly fitId: ToValidId;
  readonly schema: SchemaRule | 'any';
  /** `strict`: the server refuses a message of the user right after results of calls, or after another one. */
  readonly roleOrder: 'any' | 'strict';
  /** Fields that every request has. */
  readonly extra: JsonObject;
  /** Fields that requests to Claude have. */
  readonly claudeExtra: JsonObject;
}

export type ThinkingEcho = 'none' | 'own' | 'always';

/**
 * How a request sets the amount of thinking. `effort`: `reasoning_effort`. `type`: `reasoning_effort` too, but
 * `thinking: {type}` turns thinking off. `switch`: `enable_thinking`. `object`: `reasoning: {effort}`. `enabled`:
 * `reasoning: {enabled}`.
 */
export type ThinkingParams = 'effort' | 'type' | 'switch' | 'object' | 'enabled';

/** A provider that speaks a protocol of OpenAI or Anthropic at its own address. */
export interface ProviderRow extends ChatRules {
  readonly title: string;
  readonly baseUrl: string;
  /** The environment variable in which the provider's users store the key. Empty if it needs none. */
  readonly keyVariable: string;
  readonly wireApi: RowProtocol;
  /** `own`: a server that loads a model with a context window of the user's choice. */
  readonly contextWindow: 'of-model' | 'own';
  /** The model to use if the user chose none. Empty: the first model that the provider lists. */
  readonly model: string;
}

const usual: ProviderRow = {
  title: '',
  baseUrl: '',
  keyVariable: '',
  wireApi: 'chat',
  contextWindow: 'of-model',
  model: '',
  outputLimit: 'max_completion_tokens',
  thinking: 'effort',
  echo: 'none',
  fitId: idRules.chat,
  schema: 'any',
  roleOrder: 'any',
  extra: {},
  claudeExtra: {},
};

const row = (title: string, baseUrl: string, more: Partial<ProviderRow> = {}) => ({
  ...usual,
  title,
  baseUrl,
  ...more,
});

const shortLimit = {outputLimit: 'max_tokens'} as const;
const kimi = {...shortLimit, echo: 'always', schema: 'moonshot'} as const;
/** Z.ai keeps the thinking of earlier turns, and streams the input of tool calls, only if the request says so. */
const zai = {
  ...shortLimit,
  thinking: 'type',
  echo: 'own',
  extra: {thinking: {type: 'enabled', clear_thinking: false}, tool_stream: true},
} as const;
const qwen = {thinking: 'switch', echo: 'own', extra: {preserve_thinking: true}} as const;
const local = {contextWindow: 'own'} as const;

/** The known providers, as of 2026-11-24. Plans have addresses of their own. */
const rows: Readonly<Record<RowName, Omit<ProviderRow, 'keyVariable'>>> = {
  deepseek: row('DeepSeek', 'https://api.deepseek.com', {...shortLimit, thinking: 'type', echo: 'always'}),
  moonshot: row('Moonshot', 'https://api.moonshot.ai/v1', kimi),
  'kimi-code': row('Kimi Code', 'https://api.kimi.com/coding/v1', kimi),
  zai: row('Z.ai', 'https://api.z.ai/api/paas/v4', zai),
  'zai-coding': row('Z.ai coding plan', 'https://api.z.ai/api/coding/paas/v4', zai),
  qwen: row('Qwen', 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1', qwen),
  'qwen-coding': row('Qwen coding plan', 'https://coding-intl.dashscope.aliyuncs.com/v1', qwen),
  'qwen-token': row('Qwen token plan', 'https://token-plan.ap-southeast-1.maas.aliyuncs.com/compatible-mode/v1', qwen),
  minimax: row('MiniMax', 'https://api.minimax.io/anthropic', {
    wireApi: 'anthropic',
    ...shortLimit,
    echo: 'own',
    // Without this option, chat completions have the thinking in the text.
    extra: {reasoning_split: true},
  }),
  mistral: row('Mistral', 'https://api.mistral.ai/v1', {...shortLimit, fitId: idRules.mistral, roleOrder: 'strict'}),
  xai: row('xAI', 'https://api.x.ai/v1', {wireApi: 'responses'}),
  groq: row('Groq', 'https://api.groq.com/openai/v1', {echo: 'own'}),
  cerebras: row('Cerebras', 'https://api.cerebras.ai/v1'),
  together: row('Together', 'https://api.together.ai/v1', {...shortLimit, thinking: 'enabled', echo: 'own'}),
  fireworks: row('Fireworks', 'https://api.fireworks.ai/inference', {wireApi: 'anthropic', echo: 'own'}),
  openrouter: row('OpenRouter', 'https://openrouter.ai/api/v1', {
    thinking: 'object',
    echo: 'own',
    model: 'openrouter/auto',
    // Claude's cache holds only what a request marks.
    claudeExtra: {cache_control: {type: 'ephemeral'}},
  }),
  ollama: row('Ollama', 'http://127.0.0.1:11434/v1', local),
  lmstudio: row('LM Studio', 'http://127.0.0.1:1234/v1', local),
  // Patterns and formats break llama.cpp's grammar.
  llamacpp: row('llama.cpp', 'http://127.0.0.1:8080/v1', {...local, schema: 'no-patterns'}),
  vllm: row('vLLM', 'http://127.0.0.1:8000/v1', local),
};

/** The servers that people run on their own machine. */
export const localRows = Object.values(rows).filter(({contextWindow}) => contextWindow === 'own');

/** Returns the row with that name, if there is one. */
export const rowNamed = (name: string): ProviderRow | undefined => (isRowName(name) ? withKey(name) : undefined);

const isRowName = (name: string): name is RowName => Object.hasOwn(rows, name);

const withKey = (name: RowName): ProviderRow => ({...rows[name], keyVariable: rowKeyVariables[name]});

/** Servers by host and port, for users who set only an address. The first one that matches counts. */
const hosts: readonly (readonly [host: RegExp, row: RowName | Partial<ProviderRow>])[] = [
  [/(?:^|\.)openai\.com$/u, {}],
  [/(?:^|\.)openai\.azure\.com$/u, {keyVariable: 'AZURE_OPENAI_API_KEY'}],
  [/(?:^|\.)googleapis\.com$/u, {keyVariable: 'GEMINI_API_KEY', schema: 'gemini'}],
  [/(?:^|\.)api\.deepseek\.com$/u, 'deepseek'],
  [/(?:^|\.)api\.moonshot\.(?:ai|cn)$/u, 'moonshot'],
  [/(?:^|\.)api\.kimi\.com$/u, 'kimi-code'],
  [/(?:^|\.)(?:z\.ai|bigmodel\.cn)$/u, 'zai'],
  [/(?:^|\.)(?:minimax\.io|minimaxi\.com)$/u, 'minimax'],
  [/(?:^|\.)(?:dashscope(?:-\w+)?|maas)\.aliyuncs\.com$/u, 'qwen'],
  [/(?:^|\.)api\.mistral\.ai$/u, 'mistral'],
  [/(?:^|\.)api\.x\.ai$/u, 'xai'],
  [/(?:^|\.)api\.groq\.com$/u, 'groq'],
  [/(?:^|\.)api\.cerebras\.ai$/u, 'cerebras'],
  [/(?:^|\.)together\.(?:ai|xyz)$/u, 'together'],
  [/(?:^|\.)fireworks\.ai$/u, 'fireworks'],
  [/(?:^|\.)openrouter\.ai$/u, 'openrouter'],
  [/^(?:localhost|127\.0\.0\.1|\[::1\]):8080$/u, 'llamacpp'],
];

/** Returns the row of the server at an address. An unknown server is treated like OpenAI. */
export function rowAt(baseUrl: string): ProviderRow {
  const found = knownAt(baseUrl);
  return typeof found === 'string' ? withKey(found) : {...usual, ...found};
}

/** Returns the name of the row of the server at an address. Empty if it has none. */
export function rowNameAt(baseUrl: string): string {
  const found = knownAt(baseUrl);
  return typeof found === 'string' ? found : '';
}

function knownAt(baseUrl: string): RowName | Partial<ProviderRow> {
  const host = hostOf(baseUrl);
  return hosts.find(([pattern]) => pattern.test(host))?.[1] ?? {};
}

export const isGemini = ({keyVariable, baseUrl}: Pick<Endpoint, 'keyVariable' | 'baseUrl'>): boolean =>
  keyVariable === 'GEMINI_API_KEY' || /(?:^|\.)googleapis\.com$/u.test(URL.parse(baseUrl)?.hostname ?? '');

/** Returns the host of a URL, with its port unless that is the default. */
export const hostOf = (baseUrl: string): string => URL.parse(baseUrl)?.host ?? '';
