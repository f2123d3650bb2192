import {expect, test} from 'vitest';
import {
  costOfMany,
  defaultAnthropicModel,
  knownModels,
  modelTable,
  outputLimit,
} from '../../../src/models/model-facts.ts';
import {infoOf, knownTable} from '../../support/model-info.ts';

/** A request short enough for the usual price. */
const some = {inputTokens: 1000, outputTokens: 1000, cacheReadTokens: 1000, cacheWriteTokens: 1000};

test.each([
  ['claude-sonnet-5-5', 1_000_000, 2 + 10 + 0.1 + 2.5],
  ['claude-sonnet-5', 1_000_000, 2 + 10 + 0.2 + 2.5],
  ['claude-fable-5-1', 1_000_000, 10 + 50 + 0.25 + 12.5],
  ['claude-haiku-5-5', 1_000_000, 0.1 + 0.5 + 0.01 + 0.125],
  ['claude-opus-5', 1_000_000, 5 + 25 + 0.5 + 6.25],
  ['gpt-6.1-sol-2026-09-29', 1_050_000, 2 + 10 + 0.1 + 2.5],
  ['google/gemini-3.8-flash', 1_048_576, 0.75 + 3.75 + 0.075 + 0.75],
  ['claude-sonnet-4-5-20250929', 200_000, 3 + 15 + 0.3 + 3.75],
  ['claude-sonnet-4-20250514', 200_000, 3 + 15 + 0.3 + 3.75],
  ['claude-sonnet-4-6', 1_000_000, 3 + 15 + 0.3 + 3.75],
  ['anthropic/claude-sonnet-4.5', 200_000, 3 + 15 + 0.3 + 3.75],
  ['us.anthropic.claude-haiku-4-5-20251001-v1:0', 200_000, 1 + 5 + 0.1 + 1.25],
  ['claude-opus-4-1-20250805', 200_000, 15 + 75 + 1.5 + 18.75],
  ['claude-opus-4-5', 200_000, 5 + 25 + 0.5 + 6.25],
  ['claude-opus-5-5', 1_000_000, 4 + 20 + 0.2 + 5],
  ['claude-3-5-haiku-20241022', 200_000, 0.8 + 4 + 0.08 + 1],
  ['gpt-5', 400_000, 1.25 + 10 + 0.125 + 1.25],
  ['openai/gpt-5-mini-2025-08-07', 400_000, 0.25 + 2 + 0.025 + 0.25],
  ['gpt-4.1-nano', 1_047_576, 0.1 + 0.4 + 0.025 + 0.1],
  ['gpt-4o-2024-11-20', 128_000, 2.5 + 10 + 1.25 + 2.5],
  ['gpt-4o-mini', 128_000, 0.15 + 0.6 + 0.075 + 0.15],
])('%s: window %d, a thousand tokens of each kind cost a thousandth of $%f', (model, window, cost) => {
  const facts = knownTable.facts(model);
  expect(facts.contextWindow).toBe(window);
  expect(facts.costOf(some)).toBeCloseTo(cost / 1000, 9);
});

test.each([
  ['gpt-4o-audio-preview', 0],
  ['gpt-5-pro', 400_000],
  ['claude-opus-6', 1_000_000],
  ['claude-other', 200_000],
  ['llama3.3:70b', 0],
  ['', 0],
  ['gemini-9-ultra', 1_048_576],
])('the price of %j is not known', (model, window) => {
  expect(knownTable.facts(model).costOf(some)).toBe('unknown');
  expect(knownTable.facts(model).contextWindow).toBe(window);
});

test('nothing costs nothing', () => {
  const none = {inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0};
  expect(knownTable.facts(defaultAnthropicModel).costOf(none)).toBe(0);
});

const limit = (model: string): number => outputLimit(infoOf(model), {maxTokens: 'default'});

const small = (contextWindow: number): number =>
  outputLimit({...infoOf('some-model'), contextWindow}, {maxTokens: 'default'});

test('output bounds', () => {
  const models = [
    defaultAnthropicModel,
    'claude-sonnet-4-6',
    'claude-haiku-4-5',
    'claude-3-opus-20240229',
    'some-model',
  ];
  expect(models.map(limit)).toEqual([128_000, 128_000, 64_000, 4096, 8192]);
  expect([4096, 16_384, 131_072].map(small)).toEqual([1024, 4096, 8192]);
  expect(outputLimit(infoOf('some-model', {maxOutput: 100}), {maxTokens: 'default'})).toBe(100);
  expect(outputLimit(infoOf('some-model'), {maxTokens: 20})).toBe(20);
});

test('a long request costs more as a whole where the provider says so', () => {
  const facts = knownTable.facts('claude-haiku-5-5');
  const short = {...some, inputTokens: 98_000};
  expect(facts.costOf(short)).toBeCloseTo((98_000 * 0.1 + 1000 * (0.5 + 0.01 + 0.125)) / 1e6, 12);
  const long = {...some, inputTokens: 98_001};
  expect(facts.costOf(long)).toBeCloseTo((98_001 * 0.5 + 1000 * (2.5 + 0.05 + 0.625)) / 1e6, 12);
  // Of many requests together nobody knows which were long.
  expect(costOfMany(infoOf('claude-haiku-5-5'), long)).toBeCloseTo((98_001 * 0.1 + 1000 * 0.635) / 1e6, 12);
});

test('every model that weft offers has a price, a window and a use', () => {
  for (const model of [...knownModels.anthropic, ...knownModels.openai]) {
    const {price, contextWindow, maxOutput, about} = knownTable.infoOf(model);
    expect([model, price === 'unknown', contextWindow === 0, maxOutput === 0, about === '']).toEqual([
      model,
      false,
      false,
      false,
      false,
    ]);
  }
});

test('what the user says goes over the table, fact by fact; nothing is made up', () => {
  expect(infoOf('gpt-5', {contextWindow: 1000, images: false, about: 'tests'})).toMatchObject({
    contextWindow: 1000,
    maxOutput: 128_000,
    price: {input: 1.25},
    images: 'unseen',
    pdfs: 'seen',
    about: 'tests',
    from: 'settings',
  });
  expect(infoOf('llama', {price: {input: 1, output: 2}})).toMatchObject({
    contextWindow: 0,
    maxOutput: 0,
    price: {input: 1, output: 2, cacheRead: 1, cacheWrite: 1, long: 'same'},
    efforts: [],
    images: 'unknown',
    pdfs: 'unknown',
    about: '',
  });
  expect(knownTable.infoOf('llama')).toMatchObject({price: 'unknown', from: 'nobody'});
});

test('the user names a model with or without prefix and date', () => {
  const table = modelTable({'my-model': {contextWindow: 5}, 'far/other': {contextWindow: 6}});
  const names = ['my-model', 'near/my-model', 'my-model-2026-01-02', 'my-model-20260102', 'far/other', 'other'];
  expect(names.map(name => table.infoOf(name).contextWindow)).toEqual([5, 5, 5, 5, 6, 0]);
});

test('with a cache of an hour, writing to it costs twice as much as input, unless settings say otherwise', () => {
  const own = {'claude-haiku-4-5': {price: {input: 1, output: 5}}};
  const table = modelTable(own, {cacheTtl: '1h'});
  const written = {inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 1_000_000};
  expect(
    ['claude-sonnet-5-5', 'claude-haiku-4-5', 'gpt-6.1-sol'].map(model => {
      const {cacheLifeMs, costOf} = table.facts(model);
      return [cacheLifeMs, costOf(written)];
    }),
  ).toEqual([
    [3_600_000, 4],
    [3_600_000, 1],
    [undefined, 5],
  ]);
});
