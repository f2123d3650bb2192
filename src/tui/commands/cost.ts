import {pluralize} from '../../base/clip.ts';
import {visibleLine} from '../../base/visible.ts';
import {groupDigits} from '../../domain/compaction.ts';
import {knownCost, type ModelUsage} from '../../domain/usage.ts';
import {contextPercent, countText, moneyText} from '../state/selectors.ts';
import type {RunTimes, View} from '../state/view.ts';
import {slashCommand} from './command.ts';

export const costCommand = slashCommand({
  name: 'cost',
  aliases: ['usage'],
  usage: '/cost',
  summary: 'show tokens and cost of this session, by model',
  run: (_, context) => context.notify('info', sessionCostText(context.view.usage, context.times())),
});

/** Tokens are those that the providers counted; where a price is unknown the report says so. */
export function sessionCostText({models, contextTokens, contextWindow}: View['usage'], times: RunTimes): string {
  const used = Object.entries(models);
  if (used.length === 0) return 'No tokens used in this session yet';
  const cost = knownCost(Object.values(models));
  const unpriced = Object.values(models).some(({costUsd}) => costUsd === 'unknown');
  const total =
    cost === undefined
      ? 'Cost unknown: weft has no price for this model'
      : `${moneyText(cost)} in this session${unpriced ? ', without models whose price is unknown' : ''}`;
  const rate =
    times.costPerMinute === 'unknown' || cost === undefined
      ? []
      : [`${moneyText(times.costPerMinute)} per minute of work`];
  const context =
    contextTokens === 0
      ? []
      : [
          contextWindow > 0
            ? `Context: ${countText(contextTokens)} of ${countText(contextWindow)} tokens (${contextPercent(contextTokens, contextWindow)} %)`
            : `Context: ${countText(contextTokens)} tokens`,
        ];
  return [...used.map(([name, usage]) => modelLine(name, usage)), total, ...rate, ...context].join('\n');
}

/** Thinking has no line of its own, because providers count it as output. */
function modelLine(name: string, {usage, costUsd, requests, webSearches}: ModelUsage): string {
  const {inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens} = usage;
  const searched = webSearches === 0 ? '' : `, ${webSearches} web search${webSearches === 1 ? '' : 'es'}`;
  const asked = pluralize(requests, 'request') + searched;
  const price = costUsd === 'unknown' ? 'price not known' : moneyText(costUsd);
  const read = `${groupDigits(inputTokens)} in, ${groupDigits(cacheReadTokens)} from cache, ${groupDigits(cacheWriteTokens)} written to cache`;
  return `${visibleLine(name)}: ${price}, ${asked}; tokens: ${read}, ${groupDigits(outputTokens)} out with thinking`;
}
