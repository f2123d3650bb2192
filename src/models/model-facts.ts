import type {ModelFacts} from '../domain/model-stream.ts';
import type {KeyProvider} from '../domain/api-key.ts';
import type {Usage} from '../domain/usage.ts';

export const defaultAnthropicModel = 'claude-sonnet-5-5';
export const defaultOpenAiModel = 'gpt-6.1-sol';

/** What is known of `model`, by its family; a provider's prefix (`anthropic/…`) does not matter. */
export function modelFacts(model: string): ModelFacts {
  const family = familyOf(model);
  return {contextWindow: family?.window ?? 0, costOf: usage => costOf(family?.price, usage)};
}

/** Models that weft knows of a provider, the default one first: for where the provider cannot be asked. */
export const knownModels = {
  anthropic: [defaultAnthropicModel, 'claude-opus-4-6', 'claude-sonnet-4-6', 'claude-opus-4-5', 'claude-haiku-4-5'],
  openai: [defaultOpenAiModel, 'gpt-5.2', 'gpt-5', 'gpt-5-mini', 'gpt-5-nano', 'o3', 'o4-mini'],
} as const satisfies Record<KeyProvider, readonly string[]>;

/** US dollars per million tokens; `unknown` where the price is not known. */
export function modelPrice(model: string): {readonly input: number; readonly output: number} | 'unknown' {
  const price = familyOf(model)?.price;
  return price === undefined ? 'unknown' : {input: price.input, output: price.output};
}

/** Tokens to let the model write, where the provider wants a number. */
export const maxOutputOf = (model: string): number => familyOf(model)?.maxOutput ?? 8192;

/** US dollars per million tokens. */
interface Price {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

interface Family {
  /** Matches the model's name without prefix. The first family that matches counts. */
  readonly match: RegExp;
  readonly window: number;
  readonly maxOutput: number;
  readonly price: Price | undefined;
}

/** Anthropic reads its cache at a tenth of the input price and writes it at five quarters. */
const claude = (input: number, output: number): Price => ({
  input,
  output,
  cacheRead: input * 0.1,
  cacheWrite: input * 1.25,
});

/** OpenAI's cache costs nothing to write beyond the input itself. */
const gpt = (input: number, output: number, cacheRead: number): Price => ({
  input,
  output,
  cacheRead,
  cacheWrite: input,
});

const k = 1000;
const families: readonly Family[] = [
  {match: /^claude-(?:3|3-opus|3-sonnet|3-haiku)(?:-2024\d+)?$/u, window: 200 * k, maxOutput: 4096, price: undefined},
  {match: /^claude-3-[57]-sonnet/u, window: 200 * k, maxOutput: 8192, price: claude(3, 15)},
  {match: /^claude-3-5-haiku/u, window: 200 * k, maxOutput: 8192, price: claude(0.8, 4)},
  {match: /^claude-opus-4(?:-[01])?(?:-20\d{6})?$/u, window: 200 * k, maxOutput: 32 * k, price: claude(15, 75)},
  {match: /^claude-opus-4-5(?!\d)/u, window: 200 * k, maxOutput: 32 * k, price: claude(5, 25)},
  {match: /^claude-opus-/u, window: 1000 * k, maxOutput: 32 * k, price: claude(5, 25)},
  {match: /^claude-sonnet-4(?:-[05])?(?:-20\d{6})?$/u, window: 200 * k, maxOutput: 32 * k, price: claude(3, 15)},
  {match: /^claude-sonnet-/u, window: 1000 * k, maxOutput: 32 * k, price: claude(3, 15)},
  {match: /^claude-haiku-/u, window: 200 * k, maxOutput: 32 * k, price: claude(1, 5)},
  {match: /^claude-/u, window: 200 * k, maxOutput: 32 * k, price: undefined},
  {match: /^gpt-5(?:\.1)?-mini/u, window: 400 * k, maxOutput: 128 * k, price: gpt(0.25, 2, 0.025)},
  {match: /^gpt-5-nano/u, window: 400 * k, maxOutput: 128 * k, price: gpt(0.05, 0.4, 0.005)},
  {
    match: /^gpt-5(?:\.1)?(?:-codex)?(?:-20\d\d-\d\d-\d\d)?$/u,
    window: 400 * k,
    maxOutput: 128 * k,
    price: gpt(1.25, 10, 0.125),
  },
  {match: /^gpt-5\.2(?:-20\d\d-\d\d-\d\d)?$/u, window: 400 * k, maxOutput: 128 * k, price: gpt(1.75, 14, 0.175)},
  {match: /^gpt-5/u, window: 400 * k, maxOutput: 128 * k, price: undefined},
  {match: /^gpt-4\.1-mini/u, window: 1_047_576, maxOutput: 32 * k, price: gpt(0.4, 1.6, 0.1)},
  {match: /^gpt-4\.1-nano/u, window: 1_047_576, maxOutput: 32 * k, price: gpt(0.1, 0.4, 0.025)},
  {match: /^gpt-4\.1/u, window: 1_047_576, maxOutput: 32 * k, price: gpt(2, 8, 0.5)},
  {match: /^gpt-4o-mini(?:-20\d\d-\d\d-\d\d)?$/u, window: 128 * k, maxOutput: 16 * k, price: gpt(0.15, 0.6, 0.075)},
  {match: /^gpt-4o(?:-20\d\d-\d\d-\d\d)?$/u, window: 128 * k, maxOutput: 16 * k, price: gpt(2.5, 10, 1.25)},
  {match: /^o3(?:-20\d\d-\d\d-\d\d)?$/u, window: 200 * k, maxOutput: 100 * k, price: gpt(2, 8, 0.5)},
  {match: /^o4-mini(?:-20\d\d-\d\d-\d\d)?$/u, window: 200 * k, maxOutput: 100 * k, price: gpt(1.1, 4.4, 0.275)},
];

function familyOf(model: string): Family | undefined {
  const name = plainName(model);
  return families.find(family => family.match.test(name));
}

/** The model's name without the prefix of a router or a cloud, in the provider's own spelling. */
const plainName = (model: string): string =>
  model
    .toLowerCase()
    .replace(/^.*\//u, '')
    .replace(/^(?:[a-z]{2,6}\.)?anthropic\./u, '')
    // Some routers write claude-sonnet-4.5.
    .replace(/^(claude-.*\d)\.(\d)/u, '$1-$2');

function costOf(price: Price | undefined, usage: Usage): number | 'unknown' {
  if (price === undefined) return 'unknown';
  const perMillion =
    usage.inputTokens * price.input +
    usage.outputTokens * price.output +
    usage.cacheReadTokens * price.cacheRead +
    usage.cacheWriteTokens * price.cacheWrite;
  return perMillion / 1_000_000;
}
