import type {CacheTtl, OwnModel, OwnModels} from '../config/model-settings.ts';
import type {KeyProvider} from '../domain/api-key.ts';
import {modelFamily, profileOf} from '../domain/model-family.ts';
import {type Effort, efforts as all, type ModelFacts, type ModelRequest} from '../domain/model-stream.ts';
import {costAt, type Usage} from '../domain/usage.ts';
import type {ServedModel} from './row-prices.ts';
import type {MediaBounds, SentMedia} from './unseen-media.ts';
import {knownFamilies, type KnownModel, type PriceList, type ThinkingControl} from './known-models.ts';

export const defaultAnthropicModel = 'claude-sonnet-5-5';
export const defaultOpenAiModel = 'gpt-6.1-sol';
export const defaultGeminiModel = 'gemini-3.8-flash';

/** The models that weft knows for each provider, the default one first. They are used if the provider cannot be reached. */
export const knownModels = {
  anthropic: [
    defaultAnthropicModel,
    'claude-fable-5-1',
    'claude-opus-5-5',
    'claude-haiku-5-5',
    'claude-opus-5',
    'claude-sonnet-5',
    'claude-sonnet-4-6',
    'claude-haiku-4-5',
  ],
  openai: [defaultOpenAiModel, 'gpt-6-astra', 'gpt-6-luna', 'gpt-5.5', 'gpt-5.4', 'gpt-5.4-mini', 'o3', 'o4-mini'],
  gemini: [defaultGeminiModel, 'gemini-3.1-pro-preview', 'gemini-3.5-flash-lite', 'gemini-2.5-pro', 'gemini-2.5-flash'],
} as const satisfies Record<KeyProvider, readonly string[]>;

/** Whether a model reads a medium. `unknown` if no table says. */
export type MediaSupport = 'seen' | 'unseen' | 'unknown';

/** The facts about a model: weft's table, overridden by the user's settings. */
export interface ModelInfo {
  /** The size of the context window in tokens; 0 if it is unknown. */
  readonly contextWindow: number;
  readonly maxOutput: number;
  /** The maximum number of tokens that the user, or the user's own server, lets the model write; `default` without such a limit. */
  readonly wantedOutput: number | 'default';
  readonly price: PriceList | 'unknown';
  /** The effort levels that the model is known to have, lowest first. */
  readonly efforts: readonly Effort[];
  readonly effortsFrom: 'weft' | 'settings' | 'nobody';
  /** The effort of requests: what the user chose, or the model's nearest level. */
  readonly effort: Effort | 'default';
  /** Whether the model gets its own thinking back. `default`: as the table of providers says. */
  readonly reasoning: 'echo' | 'strip' | 'default';
  readonly images: MediaSupport;
  readonly pdfs: MediaSupport;
  readonly thinking: ThinkingControl | 'unknown';
  /** The model's purpose. Empty if unknown. */
  readonly about: string;
  /** The sources of the facts. */
  readonly from: 'weft' | 'settings' | 'nobody';
}

/** Looks up models. A provider's prefix (`anthropic/…`) and the date of a version do not matter. */
export interface ModelTable {
  infoOf(model: string): ModelInfo;
  facts(model: string): ModelFacts;
}

/** The efforts that the user chose, apart from those of single models in the settings. */
export interface ChosenEfforts {
  /** For this run: `--effort`. */
  readonly run: Effort | undefined;
  /** For all models that are known to have efforts: the setting `effort`. */
  readonly usual: Effort | undefined;
  /** In this session, by model. */
  readonly session: ReadonlyMap<string, Effort | 'default'>;
}

interface TableOptions {
  readonly provider?: string;
  readonly efforts?: ChosenEfforts;
  /** Returns the context window with which the user's own server has loaded a model; 0 if it is unknown. */
  readonly loadedWindow?: (model: string) => number;
  /** Returns the facts that depend on the provider. */
  readonly servedModel?: ((model: string) => ServedModel | undefined) | undefined;
  /** How long Anthropic keeps its cache. */
  readonly cacheTtl?: CacheTtl;
}

export function modelTable(
  own: OwnModels,
  {
    provider = '',
    efforts: chosen,
    loadedWindow = () => 0,
    servedModel = () => undefined,
    cacheTtl = '5m',
  }: TableOptions = {},
): ModelTable {
  const isCachedForAnHour = (model: string): boolean => cacheTtl === '1h' && plainName(model).startsWith('claude-');
  const infoOf = (model: string): ModelInfo => {
    const ownFacts = ownOf(model, own);
    const info = withServed(servedModel(model), merged(familyOf(model), ownFacts, loadedWindow(model)));
    const explicit = chosen?.session.get(model) ?? chosen?.run ?? ownFacts?.effort;
    const price = ownFacts?.price === undefined && isCachedForAnHour(model) ? withHourlyCache(info.price) : info.price;
    return {
      ...info,
      price,
      effort: effortOf(info, explicit ?? (info.effortsFrom === 'nobody' ? undefined : chosen?.usual)),
    };
  };
  return {
    infoOf,
    facts(model) {
      const {contextWindow, images, pdfs, price, effort, efforts: levels} = infoOf(model);
      return {
        profile: profileOf(modelFamily(plainName(model), provider), contextWindow),
        contextWindow,
        images,
        effort,
        efforts: levels,
        pdfs: sentPdfs(pdfs),
        effortChange: 'cache-lost',
        ...(isCachedForAnHour(model) ? {cacheLifeMs: 60 * 60_000} : {}),
        costOf: usage => costOf(price, usage),
      };
    },
  };
}

/** Returns the efforts of a choice in the form of the table of models. */
export const chosenEfforts = ({
  effort,
  sessionEfforts: session,
}: {
  readonly effort: {readonly value: Effort; readonly source: string} | undefined;
  readonly sessionEfforts: ChosenEfforts['session'];
}): ChosenEfforts => ({
  run: effort?.source === 'flags' || effort?.source === 'given' ? effort.value : undefined,
  usual: effort?.value,
  session,
});

/** Returns why a model has no such effort, with the levels that it has. Empty if it has it, or if its levels are unknown. */
export function missingEffortText(
  effort: string,
  model: string,
  {efforts, effortsFrom}: Pick<ModelInfo, 'efforts' | 'effortsFrom'>,
): string {
  const known: readonly string[] = effortsFrom === 'nobody' ? all : efforts;
  if (known.includes(effort)) return '';
  return known.length === 0
    ? `${model} has no effort levels.`
    : `${model} has no effort ${JSON.stringify(effort)}. Its levels are ${known.join(', ')}.`;
}

/** Returns the model's level nearest to the wanted one. Returns the wanted level if the model's levels are unknown. */
const effortOf = (
  {efforts, effortsFrom}: Pick<ModelInfo, 'efforts' | 'effortsFrom'>,
  wanted: Effort | 'default' = 'default',
): Effort | 'default' =>
  wanted === 'default' || effortsFrom === 'nobody' ? wanted : (nearestEffort(efforts, wanted) ?? 'default');

/** Returns the supported effort nearest to the wanted one, and not above it if possible. */
export function nearestEffort(taken: readonly Effort[], wanted: Effort): Effort | undefined {
  return taken.findLast(effort => all.indexOf(effort) <= all.indexOf(wanted)) ?? taken[0];
}

/**
 * Returns the cost in US dollars of several requests together. Prices each as a short one, because it is unknown which
 * of them were long.
 */
export const costOfMany = ({price}: ModelInfo, usage: Usage): number | 'unknown' =>
  usage.costUsd ?? (price === 'unknown' ? 'unknown' : costAt(price, usage));

const sentPdfs = (pdfs: MediaSupport): SentMedia['pdfs'] => (pdfs === 'unseen' ? 'named' : 'sent');

/** Returns the media that weft may send to the model: all except those that the model is known not to read. */
export const sentMedia = ({images, pdfs}: ModelInfo, bounds: MediaBounds): SentMedia => ({
  images: images === 'unseen' ? 'named' : 'sent',
  pdfs: sentPdfs(pdfs),
  bounds,
});

/**
 * Returns the output limit for a provider that requires one: the most that the model can write, because a cut answer
 * costs more than a high limit. If the model's window is small, the limit is at most a quarter of the window.
 */
export function outputLimit(
  {wantedOutput, maxOutput, contextWindow}: ModelInfo,
  {maxTokens}: Pick<ModelRequest, 'maxTokens'>,
): number {
  const most = maxOutput === 0 ? unknownMaxOutput : maxOutput;
  const isSmall = contextWindow > 0 && contextWindow < smallWindow;
  const usual = isSmall ? smallLimit(most, contextWindow) : most;
  const limit = wantedOutput === 'default' ? usual : wantedOutput;
  return maxTokens === 'default' ? limit : Math.min(maxTokens, limit);
}

const smallLimit = (most = Infinity, contextWindow: number): number =>
  Math.min(most, Math.max(minOutput, Math.floor(contextWindow / 4)));

const unknownMaxOutput = 8192;
const smallWindow = 200_000;
const minOutput = 512;

/** Returns the prices with Anthropic's cache of an hour. Writing to it costs twice as much as input. */
function withHourlyCache(price: ModelInfo['price']): ModelInfo['price'] {
  if (price === 'unknown') return price;
  const {long} = price;
  return {
    ...price,
    cacheWrite: price.input * 2,
    long: long === 'same' ? long : {...long, cacheWrite: long.input * 2},
  };
}

/** Adds the facts that depend on the provider if no table and no setting has them. */
const withServed = <Info extends Pick<ModelInfo, 'contextWindow' | 'price' | 'from'>>(
  served: ServedModel | undefined,
  info: Info,
): Info =>
  served === undefined
    ? info
    : {
        ...info,
        contextWindow: info.contextWindow || served.window,
        price: info.price === 'unknown' ? served.price : info.price,
        from: info.from === 'nobody' ? 'weft' : info.from,
      };

function merged(
  known: KnownModel | undefined,
  own: OwnModel | undefined,
  loadedWindow: number,
): Omit<ModelInfo, 'effort'> {
  const given = own?.price;
  return {
    contextWindow: own?.contextWindow ?? (loadedWindow || (known?.window ?? 0)),
    maxOutput: own?.maxOutput ?? known?.maxOutput ?? 0,
    wantedOutput: own?.maxOutput ?? (loadedWindow === 0 ? 'default' : smallLimit(known?.maxOutput, loadedWindow)),
    price:
      given === undefined
        ? (known?.price ?? 'unknown')
        : {
            ...given,
            cacheRead: given.cacheRead ?? given.input,
            cacheWrite: given.cacheWrite ?? given.input,
            long: 'same',
          },
    efforts: own?.efforts ?? known?.efforts ?? [],
    effortsFrom: own?.efforts !== undefined ? 'settings' : known === undefined ? 'nobody' : 'weft',
    reasoning: own?.reasoning ?? 'default',
    images: own?.images === undefined ? seenBy(known, ['images', 'images-and-pdfs']) : sightOf(own.images),
    pdfs: own?.pdfs === undefined ? seenBy(known, ['images-and-pdfs']) : sightOf(own.pdfs),
    thinking: known?.thinking ?? 'unknown',
    about: own?.about ?? known?.about ?? '',
    from: own === undefined ? (known === undefined ? 'nobody' : 'weft') : 'settings',
  };
}

const sightOf = (sees: boolean): MediaSupport => (sees ? 'seen' : 'unseen');

const seenBy = (known: KnownModel | undefined, kinds: readonly KnownModel['sees'][]): MediaSupport =>
  known === undefined || known.sees === 'unknown' ? 'unknown' : sightOf(kinds.includes(known.sees));

function familyOf(model: string): KnownModel | undefined {
  const name = plainName(model);
  return knownFamilies.find(family => family.match.test(name));
}

/** Returns what the user's settings say about a model. */
export function ownOf(model: string, own: OwnModels): OwnModel | undefined {
  const name = nameInSettings(model, own);
  return name === undefined ? undefined : own[name];
}

/** Finds a model's name in the settings. The user may write it as the provider does, or without the prefix or the date. */
export const nameInSettings = (model: string, own: OwnModels): string | undefined =>
  [model, plainName(model), withoutDate(plainName(model))].find(each => Object.hasOwn(own, each));

/** Returns the model's name without the prefix of a router or a cloud, in the provider's own spelling. */
const plainName = (model: string): string =>
  model
    .toLowerCase()
    .replace(/^.*\//u, '')
    .replace(/^(?:[a-z-]{2,8}\.)?anthropic\./u, '')
    .replace(/(?<=\d)-v\d+(?::\d+)?$/u, '')
    // Some routers write claude-sonnet-4.5.
    .replace(/^(claude-.*\d)\.(\d)/u, '$1-$2');

const withoutDate = (name: string): string => name.replace(/-(?:20\d{6}|20\d\d-\d\d-\d\d)$/u, '');

function costOf(price: PriceList | 'unknown', usage: Usage): number | 'unknown' {
  if (usage.costUsd !== undefined) return usage.costUsd;
  if (price === 'unknown') return 'unknown';
  const {long} = price;
  const asked = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
  return costAt(long !== 'same' && asked > long.above ? long : price, usage);
}
