import {expect, test} from 'vitest';
import {modelTable} from '../../../src/models/model-facts.ts';
import {servedModel} from '../../../src/models/row-prices.ts';

test.each<[provider: string, model: string, input: number | undefined]>([
  ['deepseek', 'deepseek-v4-pro', 1.32],
  ['deepseek', 'deepseek-v4-pro-0813', 1.32],
  ['together', 'deepseek-ai/DeepSeek-V4-Pro-0813', 1.32],
  ['fireworks', 'accounts/fireworks/models/glm-5p3', 1.4],
  ['minimax', 'MiniMax-M3', 0.3],
  ['cerebras', 'gpt-oss-120b', 0.35],
  ['groq', 'openai/gpt-oss-120b', 0.15],
  ['ollama', 'gpt-oss-120b', undefined],
  ['xai', 'grok-9', undefined],
])('the price of input at %s for %s: %s', (provider, model, input) => {
  const price = servedModel(provider, model)?.price;
  expect(price?.input).toBe(input);
});

test('settings come before the prices of a provider, which fill in what no table has', () => {
  const own = {'grok-4.7': {price: {input: 7, output: 8}}};
  const table = modelTable(own, {provider: 'xai', servedModel: model => servedModel('xai', model)});
  expect(table.infoOf('grok-4.7').price).toMatchObject({input: 7, output: 8});
  expect(table.infoOf('grok-4.6')).toMatchObject({contextWindow: 500_000, price: {input: 2, output: 6}, from: 'weft'});
  const usage = {inputTokens: 300_000, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0};
  expect(table.facts('grok-4.6').costOf(usage)).toBeCloseTo(1.2, 9);
});
