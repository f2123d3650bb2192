import {expect, test} from 'vitest';
import {estimateCost, estimateText, isUnusual} from '../../../src/domain/cost-estimate.ts';
import {costAt} from '../../../src/domain/usage.ts';

const price = {input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75};
const priced = (usage: Parameters<typeof costAt>[1]) => costAt(price, usage);

test.each<[string, Parameters<typeof estimateCost>[1], string]>([
  ['a whole conversation', {tokens: 100_000}, 'about $0.38, cached $0.03'],
  ['with an answer', {tokens: 100_000, outputTokens: 2000}, 'about $0.41, cached $0.06'],
  ['a small one', {tokens: 1000}, 'about $0.0037, cached $0.0003'],
])('%s: %j', (_what, request, text) => {
  expect(estimateText(estimateCost(priced, request))).toBe(text);
});

test('without a price, tokens are told', () => {
  const estimate = estimateCost(() => 'unknown', {tokens: 123_456});
  expect([estimateText(estimate), isUnusual(estimate)]).toEqual(['about 123,456 tokens', true]);
});

test.each([
  [50_000, false],
  [70_000, true],
])('whether %i tokens are unusual: %s', (tokens, unusual) => {
  expect(isUnusual(estimateCost(priced, {tokens}))).toBe(unusual);
});
