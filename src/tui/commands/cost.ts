import {pluralize} from '../../base/clip.ts';
import {visibleLine} from '../../base/visible.ts';
import type {CachedRequest} from '../../domain/cached-request.ts';
import {groupDigits} from '../../domain/compaction.ts';
import {contextTokens as tokensOf, estimatedCosts, knownCost, type ModelUsage} from '../../domain/usage.ts';
import {contextPercent, countText, moneyText} from '../state/selectors.ts';
import type {RunTimes, View} from '../state/view.ts';
import {percentText, shareCells, sparkline} from '../text/chart.ts';
import {fit} from '../text/cell-width.ts';
import {type EntryFrame, wrapText} from '../text/wrap.ts';
import {glyphs} from '../theme/glyphs.ts';
import type {CommandContext} from './command.ts';
import {cachedRequests} from './context.ts';

/** Shows the session's tokens and cost. */
export async function showCost(context: CommandContext): Promise<void> {
  const {usage} = context.view;
  const turns = turnsOf(await cachedRequests(context, maxTurns));
  const cost = {usage, times: context.times(), turns};
  if (Object.keys(usage.models).length === 0) context.notify('info', 'No tokens used in this session yet');
  else if (context.frame.theme.name === 'plain') context.notify('info', costText(cost));
  else context.print(['', ...costLines(cost, context.frame)]);
}

/** The maximum number of turns in the sparkline, the latest ones. */
const maxTurns = 40;

interface SessionCost {
  readonly usage: View['usage'];
  readonly times: RunTimes;
  readonly turns: Turns | 'too-few';
}

interface Turns {
  readonly values: readonly number[];
  readonly text: string;
}

/** Returns the costs of the turns, or their tokens if a cost is unknown. */
export function turnsOf(requests: readonly CachedRequest[]): Turns | 'too-few' {
  if (requests.length < 2) return 'too-few';
  const costs = requests.flatMap(({usage: {costUsd}}) => (costUsd === undefined ? [] : [costUsd]));
  const isPriced = costs.length === requests.length;
  const values = isPriced ? costs : requests.map(({usage}) => tokensOf(usage));
  const shown = (value: number): string => (isPriced ? moneyText(value) : `${countText(value)} tokens`);
  const range = `${shown(Math.min(...values))} to ${shown(Math.max(...values))}`;
  return {values, text: `Last ${requests.length} turns: ${range}, latest ${shown(values.at(-1) ?? 0)}`};
}

const barWidth = 30;

/** Renders the cost as a bar for each model and a sparkline of the turns. */
export function costLines({usage, times, turns}: SessionCost, frame: EntryFrame): readonly string[] {
  const {theme, width} = frame;
  const models = Object.entries(usage.models);
  const total = knownCost(Object.values(usage.models)) ?? 0;
  const cells = Math.min(barWidth, width);
  const bars = models.flatMap(([name, model]): readonly string[] => {
    const cost = total > 0 && models.length > 1 && model.costUsd !== 'unknown' ? model.costUsd : 'none';
    const share = cost === 'none' ? '' : `  ${percentText(cost, total)}`;
    const heading = theme.style(['bold'], fit(visibleLine(name), width - share.length)) + share;
    const [done = 0] = cost === 'none' ? [] : shareCells([cost, total - cost], cells);
    const bar =
      theme.style(['accent'], glyphs.barDone.repeat(done)) + theme.style(['dim'], glyphs.barOpen.repeat(cells - done));
    return [heading, ...(cost === 'none' ? [] : [bar]), ...wrapText(modelFacts(model), ['dim'], frame)];
  });
  const spark =
    turns === 'too-few'
      ? []
      : [...wrapText(turns.text, [], frame), theme.style(['accent'], sparkline(turns.values.slice(-width)))];
  return [...bars, ...spark, ...totals(usage, times).flatMap(line => wrapText(line, [], frame))];
}

/** Says in words what `costLines` draws. */
export function costText({usage, times, turns}: SessionCost): string {
  const models = Object.entries(usage.models).map(([name, model]) => `${visibleLine(name)}: ${modelFacts(model)}`);
  return [...models, ...(turns === 'too-few' ? [] : [turns.text]), ...totals(usage, times)].join('\n');
}

function totals({models, contextTokens, contextWindow}: View['usage'], times: RunTimes): readonly string[] {
  const cost = knownCost(Object.values(models));
  const unpriced = Object.values(models).some(({costUsd}) => costUsd === 'unknown');
  const total =
    cost === undefined
      ? 'Cost unknown: weft has no price for this model'
      : `${estimatedCosts(models).length === 0 ? '' : 'About '}${moneyText(cost)} in this session${unpriced ? ', not counting models without a known price' : ''}`;
  const rate =
    times.costPerMinute === 'unknown' || cost === undefined
      ? []
      : [`${moneyText(times.costPerMinute)} per minute of active time`];
  const window =
    contextWindow > 0
      ? ` of ${countText(contextWindow)} tokens (${contextPercent(contextTokens, contextWindow)} %)`
      : ' tokens';
  return [total, ...rate, ...(contextTokens === 0 ? [] : [`Context: ${countText(contextTokens)}${window}`])];
}

/** Describes one model's usage. Thinking isn't listed separately because providers count it as output. */
function modelFacts({usage, costUsd, requests, webSearches}: ModelUsage): string {
  const {inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens} = usage;
  const searched = webSearches === 0 ? '' : `, ${webSearches} web search${webSearches === 1 ? '' : 'es'}`;
  const asked = pluralize(requests, 'request') + searched;
  const about = usage.estimated === true ? 'about ' : '';
  const price = costUsd === 'unknown' ? 'price unknown' : about + moneyText(costUsd);
  const read = `${groupDigits(inputTokens)} in, ${groupDigits(cacheReadTokens)} from cache, ${groupDigits(cacheWriteTokens)} written to cache`;
  return `${price}, ${asked}; tokens: ${about}${read}, ${groupDigits(outputTokens)} out (with thinking)`;
}
