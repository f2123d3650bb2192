import {visibleLine} from '../../base/visible.ts';
import {grouped} from '../../domain/compaction-text.ts';
import {knownCost, type ModelUsage} from '../../domain/usage.ts';
import {countText, moneyText} from '../state/select.ts';
import type {View} from '../state/view.ts';
import type {RunTimes} from '../views/progress.ts';
import type {SlashCommand} from './command.ts';

export const costCommand: SlashCommand = {
  name: 'cost',
  aliases: ['usage'],
  usage: '/cost',
  summary: 'tokens and money of this session, by model',
  run: (_, desk) => desk.tell('info', costText(desk.view.usage, desk.times())),
};

/** Several lines. Sums are of what the providers counted; where a price is not known that is said, and nothing guessed. */
export function costText({models, contextTokens, contextWindow}: View['usage'], times: RunTimes): string {
  const used = Object.entries(models);
  if (used.length === 0) return 'Nothing has been asked of a model in this session yet.';
  const cost = knownCost(Object.values(models));
  const unpriced = Object.values(models).some(({costUsd}) => costUsd === 'unknown');
  const total =
    cost === undefined
      ? 'The price of the model is not known, so there is no cost to tell.'
      : `This session has cost ${moneyText(cost)}${unpriced ? ' without the models whose price is not known' : ''}.`;
  const rate =
    times.costPerMinute === 'unknown' || cost === undefined
      ? []
      : [`Since weft began it was ${moneyText(times.costPerMinute)} a minute of work.`];
  const context =
    contextTokens === 0
      ? []
      : [
          contextWindow > 0
            ? `The context holds ${countText(contextTokens)} of ${countText(contextWindow)} tokens (${Math.round((100 * contextTokens) / contextWindow)}%).`
            : `The context holds ${countText(contextTokens)} tokens.`,
        ];
  return [...used.map(([name, usage]) => modelLine(name, usage)), total, ...rate, ...context].join('\n');
}

/** Thinking is not told apart: providers count it as output. */
function modelLine(name: string, {usage, costUsd, requests}: ModelUsage): string {
  const {inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens} = usage;
  const asked = `${requests} ${requests === 1 ? 'request' : 'requests'}`;
  const price = costUsd === 'unknown' ? 'price not known' : moneyText(costUsd);
  const read = `${grouped(inputTokens)} in, ${grouped(cacheReadTokens)} from cache, ${grouped(cacheWriteTokens)} written to cache`;
  return `${visibleLine(name)}: ${price}, ${asked}; tokens: ${read}, ${grouped(outputTokens)} out with thinking`;
}
