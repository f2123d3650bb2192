import {expect, test} from 'vitest';
import {UsageMeter} from '../../../src/agent/usage-meter.ts';
import {messageId} from '../../../src/domain/ids.ts';
import {noUsage, unknownCosts} from '../../../src/domain/usage.ts';
import {scriptedModel} from '../../support/memory-ports.ts';

/** Input costs 1 for 1000 tokens, out of the cache 1 for 10,000. */
const meterAfter = (model: string): UsageMeter => {
  const meter = new UsageMeter(scriptedModel([]), []);
  meter.add(model, {inputTokens: 1000, cacheReadTokens: 10_000, cacheWriteTokens: 0, outputTokens: 500}, 0);
  return meter;
};

test('the next request brings at least what the last one brought', () => {
  expect(meterAfter('m').minCostAfterNext('m')).toBeCloseTo(2 + 1.1);
});

test.each([
  ['m-20260101', 'm', 3.1],
  ['m', 'm-20260101', 3.1],
  ['m', 'other', 2],
])('answered by %s, asked of %s', (answered, asked, cost) => {
  expect(meterAfter(answered).minCostAfterNext(asked)).toBeCloseTo(cost);
});

test('nothing is certain before the first request, or when the conversation was shortened', () => {
  expect(new UsageMeter(scriptedModel([]), []).minCostAfterNext('m')).toBe(0);
  const meter = meterAfter('m');
  meter.follow([]);
  expect(meter.minCostAfterNext('m')).toBeCloseTo(2);
  meter.add('m', noUsage, 0);
  expect(meter.minCostAfterNext('m')).toBeCloseTo(2);
});

test('what a harness used is estimated where it tells tokens alone, and never hides what is known', () => {
  const meter = meterAfter('m');
  const usage = {...noUsage, inputTokens: 1000};
  meter.addAgentUsage({model: 'm', usage, costUsd: 'unknown'});
  expect(meter.costUsd).toBeCloseTo(3);
  meter.addAgentUsage({model: 'm', usage, costUsd: 0.5});
  expect(meter.costUsd).toBeCloseTo(3.5);
  const priceless = new UsageMeter(
    {...scriptedModel([]), facts: () => ({...scriptedModel([]).facts('m'), costOf: () => 'unknown'})},
    [],
  );
  priceless.addAgentUsage({model: 'm', usage, costUsd: 0.5});
  priceless.addAgentUsage({model: 'm', usage, costUsd: 'unknown'});
  expect(priceless.costUsd).toBeCloseTo(0.5);
  expect(unknownCosts(priceless.report().models)).toEqual(['m (cost unknown)']);
});

test('a session that is resumed has cost what its answers, searches, lost answers and agents have cost', () => {
  const used = {...noUsage, inputTokens: 1000};
  const search = {kind: 'other', type: 'server_tool_use', data: {name: 'web_search'}} as const;
  const answer = {role: 'assistant', id: messageId('a'), model: 'm', stop: 'end-turn', usage: used} as const;
  const meter = new UsageMeter(scriptedModel([]), [
    {kind: 'answer', message: {...answer, blocks: [search, search]}},
    {kind: 'usage', model: 'm', usage: used},
    {kind: 'agent-usage', model: 'n', usage: used, costUsd: 0.5},
  ]);
  expect(meter.costUsd).toBeCloseTo(1 + 2 * 0.01 + 1 + 0.5);
  const counts = Object.entries(meter.report().models).map(([model, of]) => [model, of.requests, of.webSearches]);
  expect(counts).toEqual([
    ['m', 2, 2],
    ['n', 1, 0],
  ]);
});
