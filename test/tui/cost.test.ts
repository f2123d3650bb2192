import {expect, test} from 'vitest';
import type {CachedRequest} from '../../src/domain/cached-request.ts';
import {noUsage} from '../../src/domain/usage.ts';
import {plainFrame} from '../../src/tui/accessible/plain-entry.ts';
import {costLines, costText, turnsOf} from '../../src/tui/commands/cost.ts';
import {themeOf} from '../../src/tui/theme/theme.ts';
import {stripVTControlCharacters as withoutStyles} from 'node:util';

const times = {
  elapsedMs: 0,
  retryInMs: 0,
  actions: new Map(),
  todos: new Map(),
  waitedMs: 0,
  outputTokens: 0,
  costPerMinute: 0.25,
} as const;
const usage = {inputTokens: 1_234_567, outputTokens: 890, cacheReadTokens: 12_000, cacheWriteTokens: 5};
const priced = {usage, costUsd: 1.5, requests: 1, webSearches: 0} as const;
const unpriced = {usage: noUsage, costUsd: 'unknown', requests: 2, webSearches: 0} as const;

const request = (at: number, costUsd: number | undefined): CachedRequest => ({
  request: at,
  at,
  model: 'big-model',
  usage: {...noUsage, inputTokens: at * 1000, costUsd},
  prefix: 'kept',
  broken: 'none',
});
const turns = turnsOf([request(1, 0.2), request(2, 0.8), request(3, 0.4)]);

test('in words: every token by model, the turns, the sum of known prices, and what is not known', () => {
  const models = {'big-model': priced, 'own-model': unpriced};
  const cost = {usage: {models, contextTokens: 3800, contextWindow: 1_000_000}, times, turns};
  expect(costText(cost).split('\n')).toEqual([
    'big-model: $1.50, 1 request; tokens: 1,234,567 in, 12,000 from cache, 5 written to cache, 890 out (with thinking)',
    'own-model: price unknown, 2 requests; tokens: 0 in, 0 from cache, 0 written to cache, 0 out (with thinking)',
    'Last 3 turns: $0.20 to $0.80, latest $0.40',
    '$1.50 in this session, not counting models without a known price',
    '$0.25 per minute of active time',
    'Context: 3.8k of 1.0M tokens (1 %)',
  ]);
});

test('drawn: a bar for each model with a price, and a sparkline of the turns', () => {
  const models = {'big-model': priced, 'small-model': {...priced, costUsd: 0.01}, 'own-model': unpriced};
  const cost = {usage: {models, contextTokens: 0, contextWindow: 0}, times, turns};
  const frame = {...plainFrame, theme: themeOf('color'), width: 100};
  expect(costLines(cost, frame).map(withoutStyles)).toEqual([
    'big-model  99 %',
    '█████████████████████████████░',
    '$1.50, 1 request; tokens: 1,234,567 in, 12,000 from cache, 5 written to cache, 890 out (with',
    'thinking)',
    'small-model  1 %',
    '█░░░░░░░░░░░░░░░░░░░░░░░░░░░░░',
    '$0.0100, 1 request; tokens: 1,234,567 in, 12,000 from cache, 5 written to cache, 890 out (with',
    'thinking)',
    'own-model',
    'price unknown, 2 requests; tokens: 0 in, 0 from cache, 0 written to cache, 0 out (with thinking)',
    'Last 3 turns: $0.20 to $0.80, latest $0.40',
    '▂█▄',
    '$1.51 in this session, not counting models without a known price',
    '$0.25 per minute of active time',
  ]);
  for (const width of [60, 40]) {
    const lines = costLines(cost, {...frame, width}).map(withoutStyles);
    expect(lines.filter(line => line.length > width)).toEqual([]);
  }
});

test('counts tokens if the price of a turn is not known, and shows no single turn', () => {
  expect(turnsOf([request(1, 0.2), request(3, undefined)])).toEqual({
    values: [1000, 3000],
    text: 'Last 2 turns: 1.0k tokens to 3.0k tokens, latest 3.0k tokens',
  });
  expect(turnsOf([request(1, 0.2)])).toBe('too-few');
});

test('guesses no price', () => {
  const cost = {usage: {models: {own: unpriced}, contextTokens: 0, contextWindow: 0}, times, turns: 'too-few'} as const;
  expect(costText(cost).split('\n')[1]).toBe('Cost unknown: weft has no price for this model');
});
