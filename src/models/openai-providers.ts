import type {JsonObject} from '../base/json.ts';
import type {Endpoint} from './provider-error.ts';
import {type FitId, idRules} from './sendable-request.ts';
import type {SchemaRule} from './tool-schema.ts';

/** How a provider of chat completions differs from OpenAI. weft sends no `developer` messages and no `strict` tools. */
export interface ChatProvider {
  /** Matches the host and port of the base URL. */
  readonly host: RegExp;
  /** The environment variable in which the provider's users store the key. */
  readonly keyVariable: string;
  readonly outputLimit: 'max_tokens' | 'max_completion_tokens';
  readonly thinking: ThinkingParams;
  /**
   * Whether the model gets its own thinking back. `own`: in the field in which it came. `always`: the provider requires
   * the field, so an answer without thinking has an empty `reasoning_content`.
   */
  readonly echo: ThinkingEcho;
  readonly fitId: FitId;
  readonly schema: SchemaRule | 'any';
  /** Fields that every request has. */
  readonly extra: JsonObject;
}

export type ThinkingEcho = 'none' | 'own' | 'always';

/**
 * How a request sets the amount of thinking. `effort`: `reasoning_effort`. `type`: `reasoning_effort` too, but
 * `thinking: {type}` turns thinking off. `switch`: `enable_thinking`. `object`: `reasoning: {effort}`. `enabled`:
 * `reasoning: {enabled}`.
 */
export type ThinkingParams = 'effort' | 'type' | 'switch' | 'object' | 'enabled';

const unknown: ChatProvider = {
  host: /./u,
  keyVariable: 'OPENAI_API_KEY',
  outputLimit: 'max_completion_tokens',
  thinking: 'effort',
  echo: 'none',
  fitId: idRules.chat,
  schema: 'any',
  extra: {},
};

const row = (host: RegExp, keyVariable: string, more: Partial<ChatProvider>): ChatProvider => ({
  ...unknown,
  host,
  keyVariable,
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

/** The known providers, as of 2026-11-24. The first row that matches counts. */
const chatProviders: readonly ChatProvider[] = [
  row(/(?:^|\.)openai\.com$/u, 'OPENAI_API_KEY', {}),
  row(/(?:^|\.)openai\.azure\.com$/u, 'AZURE_OPENAI_API_KEY', {}),
  row(/(?:^|\.)googleapis\.com$/u, 'GEMINI_API_KEY', {schema: 'gemini'}),
  row(/(?:^|\.)api\.deepseek\.com$/u, 'DEEPSEEK_API_KEY', {...shortLimit, thinking: 'type', echo: 'always'}),
  row(/(?:^|\.)api\.moonshot\.(?:ai|cn)$/u, 'MOONSHOT_API_KEY', kimi),
  row(/(?:^|\.)api\.kimi\.com$/u, 'KIMI_API_KEY', kimi),
  row(/(?:^|\.)(?:z\.ai|bigmodel\.cn)$/u, 'ZAI_API_KEY', zai),
  // Without this option, MiniMax writes its thinking into the text.
  row(/(?:^|\.)(?:minimax\.io|minimaxi\.com)$/u, 'MINIMAX_API_KEY', {
    ...shortLimit,
    echo: 'own',
    extra: {reasoning_split: true},
  }),
  row(/(?:^|\.)(?:dashscope(?:-\w+)?|maas)\.aliyuncs\.com$/u, 'DASHSCOPE_API_KEY', {
    thinking: 'switch',
    echo: 'own',
    extra: {preserve_thinking: true},
  }),
  row(/(?:^|\.)api\.mistral\.ai$/u, 'MISTRAL_API_KEY', {...shortLimit, fitId: idRules.mistral}),
  row(/(?:^|\.)api\.x\.ai$/u, 'XAI_API_KEY', {}),
  row(/(?:^|\.)api\.groq\.com$/u, 'GROQ_API_KEY', {echo: 'own'}),
  row(/(?:^|\.)api\.cerebras\.ai$/u, 'CEREBRAS_API_KEY', {}),
  row(/(?:^|\.)together\.(?:ai|xyz)$/u, 'TOGETHER_API_KEY', {...shortLimit, thinking: 'enabled', echo: 'own'}),
  row(/(?:^|\.)fireworks\.ai$/u, 'FIREWORKS_API_KEY', {echo: 'own'}),
  row(/(?:^|\.)openrouter\.ai$/u, 'OPENROUTER_API_KEY', {thinking: 'object', echo: 'own'}),
  // llama.cpp's usual port. Patterns and formats break its grammar.
  row(/^(?:localhost|127\.0\.0\.1|\[::1\]):8080$/u, 'OPENAI_API_KEY', {schema: 'no-patterns'}),
];

export function chatProviderAt(baseUrl: string): ChatProvider {
  const host = hostOf(baseUrl);
  return chatProviders.find(provider => provider.host.test(host)) ?? unknown;
}

export const isGemini = ({keyVariable, baseUrl}: Pick<Endpoint, 'keyVariable' | 'baseUrl'>): boolean =>
  keyVariable === 'GEMINI_API_KEY' || /(?:^|\.)googleapis\.com$/u.test(URL.parse(baseUrl)?.hostname ?? '');

/** Returns the host of a URL, with its port unless that is the default. */
export const hostOf = (baseUrl: string): string => URL.parse(baseUrl)?.host ?? '';
