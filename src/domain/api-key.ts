/** The providers for which the user can paste a key. */
export const keyProviders = ['anthropic', 'openai', 'gemini'] as const;
export type KeyProvider = (typeof keyProviders)[number];

export const providerNames = {anthropic: 'Anthropic', openai: 'OpenAI', gemini: 'Gemini'} as const satisfies Record<
  KeyProvider,
  string
>;

/** The kind of a pasted text, judged by its form alone. `key` is the text without the characters that people copy along with it. */
export type PastedKey =
  | {readonly kind: 'key'; readonly key: string; readonly provider: KeyProvider}
  /** The form does not show the key's provider. */
  | {readonly kind: 'unclear'; readonly key: string}
  /** The key of a service that speaks OpenAI's protocol at its own address. */
  | {readonly kind: 'other-service'; readonly service: string; readonly baseUrl: string}
  | {readonly kind: 'no-key'; readonly reason: string};

/**
 * Recognizes a key by its form. Also accepts `NAME=key` as in shell startup files, with or without `export` and quotes.
 */
export function recognizeKey(pasted: string): PastedKey {
  const [, name = '', value = ''] = /^(?:export\s+)?(?:(\w+)\s*=\s*)?(.*)$/su.exec(pasted.trim()) ?? [];
  const key = value.replace(/^(["'`])(.*)\1;?$/su, '$2').trim();
  if (key === '') return {kind: 'no-key', reason: 'Nothing was pasted.'};
  if (!/^[\x21-\x7E]+$/u.test(key)) return {kind: 'no-key', reason: 'A key is one word without spaces.'};
  if (key.length < shortest || key.length > longest) {
    return {kind: 'no-key', reason: `A key has ${shortest} to ${longest} characters; this has ${key.length}.`};
  }
  const other = otherServices.find(({form}) => form.test(key));
  if (other !== undefined) return {kind: 'other-service', service: other.service, baseUrl: other.baseUrl};
  const provider =
    keyProviders.find(each => forms[each].test(key)) ?? keyProviders.find(each => keyVariables[each] === name);
  return provider === undefined ? {kind: 'unclear', key} : {kind: 'key', key, provider};
}

/** True if a text that was pasted elsewhere is certainly a key, which must not be shown. */
export const isSurelyKey = (pasted: string): boolean => ['key', 'other-service'].includes(recognizeKey(pasted).kind);

const shortest = 16;
const longest = 512;

/**
 * Other companies also issue keys that begin with `sk-`. OpenAI's own keys have a second prefix, or a mark in the
 * middle.
 */
const forms = {
  anthropic: /^sk-ant-[\w-]{8,}$/u,
  openai: /^sk-(?:proj|svcacct|admin|None)-[\w-]{8,}$|^sk-\w+T3BlbkFJ\w+$/u,
  gemini: /^AIza[\w-]{20,}$/u,
} as const satisfies Record<KeyProvider, RegExp>;

export const keyVariables = {
  anthropic: 'ANTHROPIC_API_KEY',
  openai: 'OPENAI_API_KEY',
  gemini: 'GEMINI_API_KEY',
} as const satisfies Record<KeyProvider, string>;

const otherServices = [
  {service: 'OpenRouter', form: /^sk-or-/u, baseUrl: 'https://openrouter.ai/api/v1'},
  {service: 'Groq', form: /^gsk_/u, baseUrl: 'https://api.groq.com/openai/v1'},
  {service: 'xAI', form: /^xai-/u, baseUrl: 'https://api.x.ai/v1'},
] as const;
