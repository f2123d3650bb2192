import {expect, test} from 'vitest';
import {defaultAnthropicModel, defaultOpenAiModel, maxOutputOf, modelFacts} from '../../../src/models/model-facts.ts';

const million = {
  inputTokens: 1_000_000,
  outputTokens: 1_000_000,
  cacheReadTokens: 1_000_000,
  cacheWriteTokens: 1_000_000,
};

test.each([
  ['claude-sonnet-5-5', 1_000_000, 3 + 15 + 0.3 + 3.75],
  ['claude-sonnet-4-5-20250929', 200_000, 3 + 15 + 0.3 + 3.75],
  ['claude-sonnet-4-20250514', 200_000, 3 + 15 + 0.3 + 3.75],
  ['claude-sonnet-4-6', 1_000_000, 3 + 15 + 0.3 + 3.75],
  ['anthropic/claude-sonnet-4.5', 200_000, 3 + 15 + 0.3 + 3.75],
  ['us.anthropic.claude-haiku-4-5-20251001-v1:0', 200_000, 1 + 5 + 0.1 + 1.25],
  ['claude-opus-4-1-20250805', 200_000, 15 + 75 + 1.5 + 18.75],
  ['claude-opus-4-5', 200_000, 5 + 25 + 0.5 + 6.25],
  ['claude-opus-5-5', 1_000_000, 5 + 25 + 0.5 + 6.25],
  ['claude-3-5-haiku-20241022', 200_000, 0.8 + 4 + 0.08 + 1],
  ['gpt-5', 400_000, 1.25 + 10 + 0.125 + 1.25],
  ['openai/gpt-5-mini-2025-08-07', 400_000, 0.25 + 2 + 0.025 + 0.25],
  ['gpt-4.1-nano', 1_047_576, 0.1 + 0.4 + 0.025 + 0.1],
  ['gpt-4o-2024-11-20', 128_000, 2.5 + 10 + 1.25 + 2.5],
  ['gpt-4o-mini', 128_000, 0.15 + 0.6 + 0.075 + 0.15],
])('%s: window %d, a million tokens of each kind cost $%f', (model, window, cost) => {
  const facts = modelFacts(model);
  expect(facts.contextWindow).toBe(window);
  expect(facts.costOf(million)).toBeCloseTo(cost, 9);
});

test.each([
  ['gpt-4o-audio-preview', 0],
  ['gpt-5-pro', 400_000],
  ['claude-fable-5', 200_000],
  ['llama3.3:70b', 0],
  ['', 0],
  [defaultOpenAiModel, 0],
])('the price of %j is not known', (model, window) => {
  expect(modelFacts(model).costOf(million)).toBe('unknown');
  expect(modelFacts(model).contextWindow).toBe(window);
});

test('nothing costs nothing', () => {
  const none = {inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0};
  expect(modelFacts(defaultAnthropicModel).costOf(none)).toBe(0);
});

test('output bounds', () => {
  expect([defaultAnthropicModel, 'claude-3-opus-20240229', 'some-model'].map(maxOutputOf)).toEqual([
    32_000, 4096, 8192,
  ]);
});
