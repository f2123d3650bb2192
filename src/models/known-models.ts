import type {Effort} from '../domain/model-stream.ts';
import type {Price} from '../domain/usage.ts';

/**
 * The day on which the table was last compared with the providers' own pages: platform.claude.com/docs (models,
 * pricing), developers.openai.com/api/docs (models, pricing), ai.google.dev/gemini-api/docs (models, pricing). Prices
 * change without notice.
 */
export const knownAsOf = '2026-11-23';

/** The price of a request, and in `long` the price of a request with more than `above` input tokens if that costs more. */
export interface PriceList extends Price {
  readonly long: (Price & {readonly above: number}) | 'same';
}

/**
 * The way to set the amount of thinking. Anthropic: `budget` takes a number of tokens, `adaptive` lets the model decide, and
 * both can be disabled. `between-tools` and `always` are adaptive too: the first can be limited to thinking between calls, the
 * second can't be changed. `effort`: OpenAI, Google and others take an effort.
 */
export type ThinkingControl =
  | 'budget'
  | 'adaptive-or-budget'
  | 'adaptive'
  | 'between-tools'
  | 'always'
  | 'effort'
  | 'none';

export interface KnownModel {
  /** Matches the model's name without prefix. The first row that matches counts. */
  readonly match: RegExp;
  /** The size of the context window in tokens. */
  readonly window: number;
  readonly maxOutput: number;
  readonly price: PriceList | 'unknown';
  readonly efforts: readonly Effort[];
  /** The media that the model reads besides text. */
  readonly sees: 'nothing' | 'images' | 'images-and-pdfs' | 'unknown';
  readonly thinking: ThinkingControl;
  /** The model's purpose in a few words. */
  readonly about: string;
}

const k = 1000;
const million = 1000 * k;

const flat = (input: number, output: number, cacheRead: number, cacheWrite = input): PriceList => {
  return {input, output, cacheRead, cacheWrite, long: 'same'};
};

/** Writing to Anthropic's cache (for five minutes) costs 1.25 times as much as input. */
const claude = (input: number, output: number, cacheRead = input / 10): PriceList =>
  flat(input, output, cacheRead, input * 1.25);

/** From GPT-5.4 on, requests of more than 272,000 tokens cost 2 times as much for input and 1.5 times as much for output. */
const gpt = (input: number, output: number, cacheRead: number, cacheWrite = input): PriceList => ({
  ...flat(input, output, cacheRead, cacheWrite),
  long: {...flat(input * 2, output * 1.5, cacheRead * 2, cacheWrite * 2), above: 272 * k},
});

const geminiPro = (short: readonly [number, number, number], long: readonly [number, number, number]): PriceList => ({
  ...flat(...short),
  long: {...flat(...long), above: 200 * k},
});

const upToHigh = ['low', 'medium', 'high'] as const;
const upToXhigh = [...upToHigh, 'xhigh'] as const;
const upToMax = [...upToXhigh, 'max'] as const;
const noneToHigh = ['none', ...upToHigh] as const;
const noneToXhigh = ['none', ...upToXhigh] as const;
const noneToMax = ['none', ...upToMax] as const;
const minimalToHigh = ['minimal', ...upToHigh] as const;
const lowHighMax = ['low', 'high', 'max'] as const;
const none = [] as const;

type Row = readonly [
  match: RegExp,
  window: number,
  maxOutput: number,
  price: PriceList | 'unknown',
  efforts: readonly Effort[],
  sees: KnownModel['sees'],
  thinking: ThinkingControl,
  about: string,
];

const both = 'images-and-pdfs';
const hardest = 'the hardest and longest work';
const hard = 'hard work';
const everyday = 'everyday work, quick and able';
const small = 'many small tasks, cheap';
const older = 'an older model';

const rows: readonly Row[] = [
  // Anthropic
  [/^claude-(?:fable|mythos)-5-1(?!\d)/u, million, 128 * k, claude(10, 50, 0.25), upToMax, both, 'always', hardest],
  [/^claude-(?:fable|mythos)-5(?!\d)/u, million, 128 * k, claude(10, 50), upToMax, both, 'always', hardest],
  [/^claude-opus-5-5(?!\d)/u, million, 128 * k, claude(4, 20, 0.2), upToMax, both, 'always', hard],
  [/^claude-opus-5(?!\d)(?!-\d(?!\d))/u, million, 128 * k, claude(5, 25), upToMax, both, 'adaptive', hard],
  [/^claude-sonnet-5-5(?!\d)/u, million, 128 * k, claude(2, 10, 0.1), upToMax, both, 'between-tools', everyday],
  [/^claude-sonnet-5(?!\d)(?!-\d(?!\d))/u, million, 128 * k, claude(2, 10), upToMax, both, 'adaptive', everyday],
  [
    /^claude-haiku-5-5(?!\d)/u,
    million,
    128 * k,
    {...claude(0.1, 0.5), long: {...claude(0.5, 2.5), above: 100 * k}},
    upToMax,
    both,
    'adaptive',
    small,
  ],
  [/^claude-opus-4-[78](?!\d)/u, million, 128 * k, claude(5, 25), upToMax, both, 'adaptive', hard],
  [/^claude-opus-4-6(?!\d)/u, million, 128 * k, claude(5, 25), [...upToHigh, 'max'], both, 'adaptive-or-budget', older],
  [
    /^claude-sonnet-4-6(?!\d)/u,
    million,
    128 * k,
    claude(3, 15),
    [...upToHigh, 'max'],
    both,
    'adaptive-or-budget',
    older,
  ],
  [/^claude-opus-4-5(?!\d)/u, 200 * k, 64 * k, claude(5, 25), none, both, 'budget', older],
  [/^claude-opus-4(?:-[01])?(?:-20\d{6})?$/u, 200 * k, 32 * k, claude(15, 75), none, both, 'budget', older],
  [/^claude-sonnet-4(?:-[05])?(?:-20\d{6})?$/u, 200 * k, 64 * k, claude(3, 15), none, both, 'budget', older],
  [/^claude-haiku-4-5(?!\d)/u, 200 * k, 64 * k, claude(1, 5), none, both, 'budget', small],
  [/^claude-3-7-sonnet/u, 200 * k, 64 * k, claude(3, 15), none, both, 'budget', older],
  [/^claude-3-5-sonnet/u, 200 * k, 8192, claude(3, 15), none, both, 'none', older],
  [/^claude-3-5-haiku/u, 200 * k, 8192, claude(0.8, 4), none, both, 'none', older],
  [/^claude-3(?:-opus|-sonnet|-haiku)?(?:-2024\d+)?$/u, 200 * k, 4096, 'unknown', none, 'images', 'none', older],
  [/^claude-(?:opus|sonnet|fable|mythos)-[5-9]/u, million, 128 * k, 'unknown', upToMax, both, 'adaptive', ''],
  [/^claude-/u, 200 * k, 32 * k, 'unknown', none, both, 'budget', ''],

  // OpenAI
  [/^gpt-6-astra/u, 1_050_000, 128 * k, gpt(10, 50, 1, 12.5), upToMax, both, 'effort', hardest],
  [/^gpt-6\.1-terra/u, 1_050_000, 128 * k, 'unknown', noneToMax, both, 'effort', everyday],
  [/^gpt-6\.1-sol/u, 1_050_000, 128 * k, gpt(2, 10, 0.1, 2.5), upToMax, both, 'effort', hard],
  [/^gpt-6-sol/u, 1_050_000, 128 * k, gpt(2, 10, 0.2, 2.5), noneToMax, both, 'effort', hard],
  [/^gpt-6-luna/u, 1_050_000, 128 * k, gpt(0.1, 0.5, 0.01, 0.125), noneToMax, both, 'effort', small],
  [/^gpt-5\.6-sol/u, 1_050_000, 128 * k, gpt(4, 20, 0.4), noneToMax, both, 'effort', older],
  [/^gpt-5\.6-terra/u, 1_050_000, 128 * k, gpt(2, 12, 0.2), noneToMax, both, 'effort', older],
  [/^gpt-5\.6-luna/u, 1_050_000, 128 * k, gpt(0.2, 1.2, 0.02), noneToMax, both, 'effort', older],
  [/^gpt-5\.5(?:-20\d\d-\d\d-\d\d)?$/u, 1_050_000, 128 * k, gpt(5, 30, 0.5), noneToXhigh, both, 'effort', older],
  [/^gpt-5\.4-mini/u, 400 * k, 128 * k, flat(0.75, 4.5, 0.075), noneToXhigh, both, 'effort', older],
  [/^gpt-5\.4-nano/u, 400 * k, 128 * k, flat(0.2, 1.25, 0.02), noneToXhigh, both, 'effort', older],
  [/^gpt-5\.4(?:-20\d\d-\d\d-\d\d)?$/u, 1_050_000, 128 * k, gpt(2.5, 15, 0.25), noneToXhigh, both, 'effort', older],
  [/^gpt-5\.3-codex(?!-spark)/u, 400 * k, 128 * k, flat(1.75, 14, 0.175), noneToXhigh, both, 'effort', older],
  [/^gpt-5\.2-codex/u, 400 * k, 128 * k, flat(1.75, 14, 0.175), upToXhigh, both, 'effort', older],
  [/^gpt-5\.2(?:-20\d\d-\d\d-\d\d)?$/u, 400 * k, 128 * k, flat(1.75, 14, 0.175), noneToXhigh, both, 'effort', older],
  [/^gpt-5\.1(?:-20\d\d-\d\d-\d\d)?$/u, 400 * k, 128 * k, flat(1.25, 10, 0.125), noneToHigh, both, 'effort', older],
  [/^gpt-5(?:\.1)?-codex-mini/u, 400 * k, 128 * k, flat(0.25, 2, 0.025), none, both, 'none', older],
  [/^gpt-5(?:\.1)?-codex$/u, 400 * k, 128 * k, flat(1.25, 10, 0.125), none, both, 'none', older],
  [/^gpt-5-mini/u, 400 * k, 128 * k, flat(0.25, 2, 0.025), minimalToHigh, both, 'effort', older],
  [/^gpt-5-nano/u, 400 * k, 128 * k, flat(0.05, 0.4, 0.005), minimalToHigh, both, 'effort', older],
  [/^gpt-5(?:-20\d\d-\d\d-\d\d)?$/u, 400 * k, 128 * k, flat(1.25, 10, 0.125), minimalToHigh, both, 'effort', older],
  [/^gpt-5/u, 400 * k, 128 * k, 'unknown', none, both, 'none', ''],
  [/^gpt-4\.1-mini/u, 1_047_576, 32_768, flat(0.4, 1.6, 0.1), none, both, 'none', older],
  [/^gpt-4\.1-nano/u, 1_047_576, 32_768, flat(0.1, 0.4, 0.025), none, both, 'none', older],
  [/^gpt-4\.1/u, 1_047_576, 32_768, flat(2, 8, 0.5), none, both, 'none', older],
  [/^gpt-4o-mini(?:-20\d\d-\d\d-\d\d)?$/u, 128 * k, 16_384, flat(0.15, 0.6, 0.075), none, both, 'none', older],
  [/^gpt-4o(?:-20\d\d-\d\d-\d\d)?$/u, 128 * k, 16_384, flat(2.5, 10, 1.25), none, both, 'none', older],
  [/^o3-mini/u, 200 * k, 100 * k, flat(1.1, 4.4, 0.55), upToHigh, 'nothing', 'effort', older],
  [/^o3(?:-20\d\d-\d\d-\d\d)?$/u, 200 * k, 100 * k, flat(2, 8, 0.5), upToHigh, both, 'effort', older],
  [/^o4-mini(?:-20\d\d-\d\d-\d\d)?$/u, 200 * k, 100 * k, flat(1.1, 4.4, 0.275), upToHigh, both, 'effort', older],

  // Google, whose OpenAI-compatible address accepts no PDFs. The price of 3.6 to 3.8 Flash is valid until 2026-12-31
  // and then doubles.
  [/^gemini-3\.[678]-flash$/u, 1_048_576, 65_536, flat(0.75, 3.75, 0.075), upToHigh, 'images', 'effort', everyday],
  [/^gemini-3\.5-flash-lite/u, 1_048_576, 65_536, flat(0.3, 2.5, 0.03), minimalToHigh, 'images', 'effort', small],
  [/^gemini-3\.5-flash$/u, 1_048_576, 65_536, flat(1.5, 9, 0.15), minimalToHigh, 'images', 'effort', older],
  [/^gemini-3\.1-flash-lite/u, 1_048_576, 65_536, flat(0.25, 1.5, 0.025), minimalToHigh, 'images', 'effort', small],
  [
    /^gemini-3(?:\.1)?-pro/u,
    1_048_576,
    65_536,
    geminiPro([2, 12, 0.2], [4, 18, 0.4]),
    upToHigh,
    'images',
    'effort',
    hard,
  ],
  [/^gemini-3-flash/u, 1_048_576, 65_536, flat(0.5, 3, 0.05), minimalToHigh, 'images', 'effort', older],
  [
    /^gemini-2\.5-pro$/u,
    1_048_576,
    65_536,
    geminiPro([1.25, 10, 0.125], [2.5, 15, 0.25]),
    upToHigh,
    'images',
    'effort',
    older,
  ],
  [/^gemini-2\.5-flash$/u, 1_048_576, 65_536, flat(0.3, 2.5, 0.03), noneToHigh, 'images', 'effort', older],
  [/^gemini-/u, 1_048_576, 65_536, 'unknown', none, 'images', 'none', ''],

  // Others, whose windows and prices depend on the server.
  [/^kimi-k[3-9]/u, 0, 0, 'unknown', lowHighMax, 'unknown', 'effort', ''],
  [/^glm-5\.2(?!\d)/u, 0, 0, 'unknown', ['high', 'max'], 'unknown', 'effort', ''],
  [/^glm-(?:5\.[3-9]|[6-9])/u, 0, 0, 'unknown', lowHighMax, 'unknown', 'effort', ''],
  [/^deepseek-(?:chat|reasoner|v[4-9])/u, 0, 0, 'unknown', lowHighMax, 'unknown', 'effort', ''],
];

/** The known facts about models, by families of names. */
export const knownFamilies: readonly KnownModel[] = rows.map(
  ([match, window, maxOutput, price, efforts, sees, thinking, about]) => ({
    match,
    window,
    maxOutput,
    price,
    efforts,
    sees,
    thinking,
    about,
  }),
);
