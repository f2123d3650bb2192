import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {CostBudget, type Reservation} from '../../../src/agent/cost-budget.ts';
import {randomInputs} from '../../support/random-inputs.ts';

/** A request: what it is expected to cost at the least and at the most, and what it costs. Integers, so that sums are exact. */
interface Request {
  readonly minUsd: number;
  readonly maxUsd: number;
  readonly cost: number;
}

const settled = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

/** Sends all requests at once, and ends those that have left in the order that `picks` says. */
async function run(limit: number, requests: readonly Request[], picks: readonly number[]) {
  let spent = 0;
  const budget = new CostBudget(limit, () => spent);
  const {signal} = new AbortController();
  const left: {readonly reserved: Reservation; readonly cost: number}[] = [];
  let refused = 0;
  const ask = async ({minUsd, maxUsd, cost}: Request): Promise<void> => {
    const reserved = await budget.reserve(async () => ({model: 'm', minUsd, maxUsd}), signal);
    if (reserved.kind === 'reserved') left.push({reserved, cost});
    else refused += 1;
  };
  const all = requests.map(ask);
  let sent = 0;
  let atOnce = 0;
  for (let turn = 0; ; turn += 1) {
    await settled();
    atOnce = Math.max(atOnce, left.length);
    const [ended] = left.splice((picks[turn % picks.length] ?? 0) % Math.max(1, left.length), 1);
    if (ended === undefined) break;
    sent += 1;
    spent += ended.cost;
    ended.reserved.settle(ended.cost);
    ended.reserved.settle(ended.cost);
  }
  await Promise.all(all);
  return {spent, sent, refused, atOnce};
}

const picks = fc.array(fc.nat(), {minLength: 1});
const amount = fc.integer({min: 0, max: 100});

test('what keeps to its most passes the limit by no more than one request is dearer than its least', async () => {
  const request = fc
    .tuple(amount, amount, amount)
    .map(([minUsd, more, part]) => ({minUsd, maxUsd: minUsd + more, cost: minUsd + Math.floor((more * part) / 100)}));
  await fc.assert(
    fc.asyncProperty(fc.integer({min: 1, max: 500}), fc.array(request), picks, async (limit, requests, order) => {
      const {spent, sent, refused} = await run(limit, requests, order);
      expect(sent + refused).toBe(requests.length);
      expect(spent - limit).toBeLessThanOrEqual(Math.max(0, ...requests.map(({minUsd, cost}) => cost - minUsd)));
    }),
    {numRuns: randomInputs(300)},
  );
});

test('whatever they cost, every request leaves or is refused, and none leaves when the limit is reached', async () => {
  const request = fc.record({minUsd: amount, maxUsd: amount, cost: amount});
  await fc.assert(
    fc.asyncProperty(fc.integer({min: 1, max: 500}), fc.array(request), picks, async (limit, requests, order) => {
      const {spent, sent, refused} = await run(limit, requests, order);
      expect(sent + refused).toBe(requests.length);
      if (refused > 0) expect(spent + 100).toBeGreaterThan(limit);
    }),
    {numRuns: randomInputs(300)},
  );
});

test('eight that cost far more than expected: the first shows it, and no more leave than there is money for', async () => {
  const dear = Array.from({length: 8}, () => ({minUsd: 0, maxUsd: 1, cost: 200}));
  expect(await run(400, dear, [0])).toEqual({spent: 400, sent: 2, refused: 6, atOnce: 1});
});

test('with money for all they run side by side, once the first has kept to what was expected', async () => {
  const cheap = Array.from({length: 8}, () => ({minUsd: 0, maxUsd: 10, cost: 5}));
  expect(await run(400, cheap, [0])).toMatchObject({sent: 8, atOnce: expect.toSatisfy((most: number) => most > 3)});
});

const expected = async () => ({model: 'm', minUsd: 0, maxUsd: 1});

test('one that waits can be told to stop', async () => {
  const budget = new CostBudget(1, () => 0);
  const stop = new AbortController();
  const first = await budget.reserve(expected, stop.signal);
  const second = budget.reserve(expected, stop.signal);
  stop.abort();
  expect([first.kind, (await second).kind]).toEqual(['reserved', 'aborted']);
});

test.each([
  ['what was not used is given back', [1, 1, 1], 5, 'leaves'],
  ['what was dearer than expected is expected again', [2, 1], 6, 'waits'],
] as const)('%s', async (_title, costs, limit, second) => {
  let spent = 0;
  const budget = new CostBudget(limit, () => spent);
  const stop = new AbortController();
  for (const cost of costs) {
    const reserved = await budget.reserve(expected, stop.signal);
    spent += cost;
    if (reserved.kind === 'reserved') reserved.settle(cost);
  }
  await budget.reserve(expected, stop.signal);
  const beside = budget.reserve(expected, stop.signal);
  await settled();
  stop.abort();
  expect((await beside).kind).toBe(second === 'leaves' ? 'reserved' : 'aborted');
});
