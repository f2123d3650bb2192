import type {PriceList} from './known-models.ts';

/** The facts about a model that depend on who serves it. */
export interface ServedModel {
  /** The size of the context window in tokens. */
  readonly window: number;
  readonly price: PriceList;
}

/** Prices are US dollars per million tokens. From `above` thousand tokens on, a request costs twice as much. */
type Row = readonly [
  model: string,
  windowK: number,
  input: number,
  output: number,
  cacheRead: number,
  aboveK?: number | undefined,
];

/**
 * Models of the providers in `provider-rows.ts`, with names in small letters. From the catalog of pi-ai 1.5.2 (November
 * 2026), which is made from the providers' own pages.
 */
const served: Readonly<Record<string, readonly Row[]>> = {
  deepseek: [
    ['deepseek-flash', 1000, 0.3, 1.2, 0.006],
    ['deepseek-v4-flash', 1000, 0.3, 1.2, 0.006],
    ['deepseek-v4.1-flash', 1000, 0.3, 1.2, 0.006],
    ['deepseek-v4-pro', 1000, 1.32, 3.96, 0.044],
  ],
  moonshot: [
    ['kimi-k2.6', 262, 0.95, 4, 0.16],
    ['kimi-k2.7-code', 262, 0.95, 4, 0.19],
    ['kimi-k2.7-code-highspeed', 262, 1.9, 8, 0.38],
    ['kimi-k3', 1048, 3, 15, 0.3],
    ['kimi-k3.1-pro', 1048, 2, 10, 0.2],
    ['kimi-k3.1-pro-highspeed', 1048, 4, 20, 0.2],
  ],
  zai: [
    ['glm-4.7', 204, 0.6, 2.2, 0.11],
    ['glm-5-turbo', 200, 1.2, 4, 0.24],
    ['glm-5.2', 1000, 1.4, 4.4, 0.26],
    ['glm-5.3', 1000, 1.4, 4.4, 0.26],
    ['glm-5.3-flash', 1000, 0.15, 0.5, 0.03],
  ],
  minimax: [
    ['minimax-m2.7', 204, 0.3, 1.2, 0.06],
    ['minimax-m2.7-highspeed', 204, 0.6, 2.4, 0.06],
    ['minimax-m3', 1000, 0.3, 1.2, 0.06, 512],
    ['minimax-m3.1-flash', 1000, 0.15, 0.6, 0.015],
  ],
  mistral: [
    ['codestral-latest', 256, 0.3, 0.9, 0.03],
    ['codestral', 256, 0.3, 0.9, 0.03],
    ['devstral-latest', 262, 0.4, 2, 0.04],
    ['devstral-medium-latest', 262, 0.4, 2, 0.04],
    ['devstral', 262, 0.4, 2, 0.04],
    ['magistral-medium-latest', 262, 2, 5, 0.2],
    ['mistral-large-4', 1048, 0.7, 2.1, 0.07],
    ['mistral-large-latest', 262, 0.5, 1.5, 0.05],
    ['mistral-medium-3.5', 262, 1.5, 7.5, 0.15],
    ['mistral-medium-latest', 262, 1.5, 7.5, 0.15],
    ['mistral-small-latest', 262, 0.15, 0.6, 0.015],
  ],
  xai: [
    ['grok-4.3', 1000, 1.25, 2.5, 0.2, 200],
    ['grok-4.5', 500, 2, 6, 0.3, 200],
    ['grok-4.6', 500, 2, 6, 0.5, 200],
    ['grok-4.7', 500, 2, 6, 0.5, 200],
  ],
  groq: [
    ['llama-3.1-8b-instant', 131, 0.05, 0.08, 0.05],
    ['llama-3.3-70b-versatile', 131, 0.59, 0.79, 0.59],
    ['gpt-oss-120b', 131, 0.15, 0.6, 0.075],
    ['gpt-oss-20b', 131, 0.075, 0.3, 0.0375],
    ['qwen3.6-27b', 131, 0.6, 3, 0.3],
    ['qwen3.8-27b', 131, 0.8, 4, 0.8],
  ],
  cerebras: [
    ['gpt-oss-120b', 131, 0.35, 0.75, 0.35],
    ['qwen-3.8-27b', 131, 0.99, 1.49, 0.99],
  ],
  together: [
    ['gpt-oss-120b', 131, 0.15, 0.6, 0.15],
    ['minimax-m3', 524, 0.3, 1.2, 0.06],
    ['muse-spark-open-816b-a42b', 1048, 1.25, 4.25, 0.15],
    ['qwen3.6-plus', 1000, 0.5, 3, 0.5],
    ['qwen3.7-max', 1000, 2.5, 7.5, 0.5],
  ],
  fireworks: [
    ['minimax-m3', 512, 0.3, 1.2, 0.06],
    ['muse-spark-open', 1048, 1.25, 4.25, 0.15],
    ['qwen3.8-max', 262, 2, 6, 0.25],
    ['kimi-k3-fast', 1048, 4.5, 22.5, 0.45],
    ['glm-5.3-fast', 1048, 2.1, 6.6, 0.39],
  ],
};

/** Providers that serve other vendors' models at these vendors' prices. */
const resold: Readonly<Record<string, readonly string[]>> = {
  together: ['deepseek', 'moonshot', 'zai'],
  fireworks: ['deepseek', 'moonshot', 'zai', 'minimax'],
};

/** Returns the known facts about a model that a provider serves. The name may have a path and a date. */
export function servedModel(provider: string, model: string): ServedModel | undefined {
  const name = plainName(model);
  const row = [provider, ...(resold[provider] ?? [])]
    .flatMap(each => served[each] ?? [])
    .find(([known]) => known === name);
  if (row === undefined) return undefined;
  const [, windowK, input, output, cacheRead, aboveK] = row;
  const price = {input, output, cacheRead, cacheWrite: input};
  const long =
    aboveK === undefined
      ? 'same'
      : {input: input * 2, output: output * 2, cacheRead: cacheRead * 2, cacheWrite: input * 2, above: aboveK * 1000};
  return {window: windowK * 1000, price: {...price, long}};
}

/** Fireworks writes 5p3 for 5.3. */
const plainName = (model: string): string =>
  model
    .toLowerCase()
    .replace(/^.*\//u, '')
    .replaceAll(/(\d)p(\d)/gu, '$1.$2')
    .replace(/-(?:\d{4}|20\d{6})$/u, '');
