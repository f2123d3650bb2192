// @module-tag long
import {expect, test} from 'vitest';
import {breakOff, call, chunks, say, usage, type Answer} from '../support/model-script.ts';
import {openScene} from '../support/scene.ts';
import {jsonLines, resultOf} from './support/messages.ts';

const answer = (counted: object, delta: object = {}) =>
  chunks(
    {id: 'c', model: 'small-model', choices: [{index: 0, delta: {role: 'assistant', content: 'Hi.', ...delta}}]},
    {id: 'c', choices: [{index: 0, delta: {}, finish_reason: 'stop'}]},
    {id: 'c', choices: [], usage: {prompt_tokens: 1000, completion_tokens: 10, ...counted}},
  );

/** Returns the figures of the result of a run, and of the list of sessions. */
async function figuresOf(given: Answer, settings: object = {}): Promise<unknown> {
  await using scene = await openScene([given], 'openai');
  const {stdout} = await scene.run([
    '--prompt',
    'x',
    '--output-format',
    'json',
    '--settings',
    JSON.stringify(settings),
  ]);
  const {total_cost_usd: total, modelUsage, unknown_costs: unknown} = resultOf(stdout);
  const list = JSON.parse((await scene.run(['sessions', 'list', '--json'])).stdout);
  return {
    total,
    ofModel: Object.values(modelUsage ?? {}).map(({costUSD}) => costUSD),
    unknown,
    listed: list[0].costUsd,
  };
}

const told = (usd: number) => ({total: usd, ofModel: [usd], unknown: undefined, listed: usd});

test('a cost that the provider reports is the same everywhere, and wins over prices', async () => {
  expect(await figuresOf(answer({cost: 0.0123}))).toEqual(told(0.0123));
  expect(await figuresOf({...answer({}), headers: {'x-litellm-response-cost': '0.25'}})).toEqual(told(0.25));
  const prices = {models: {'small-model': {price: {input: 1, output: 1}}}};
  expect(await figuresOf(answer({cost: 2}), prices)).toEqual(told(2));
});

test("Vercel's gateway reports it beside the message", async () => {
  const metadata = {provider_metadata: {gateway: {routing: {}, cost: '0.0045'}}};
  expect(await figuresOf(answer({}, metadata))).toEqual(told(0.0045));
});

test('without a reported cost, the prices count; without prices, the cost is unknown', async () => {
  const prices = {models: {'small-model': {price: {input: 10, output: 1000}}}};
  expect(await figuresOf(answer({}), prices)).toEqual(told(0.02));
  expect(await figuresOf({...answer({}), headers: {'x-litellm-response-cost': '0.0'}})).toEqual({
    total: 0,
    ofModel: [0],
    unknown: ['small-model'],
    listed: 'unknown',
  });
});

test('an answer by table prices is listed with its cost', async () => {
  await using scene = await openScene([say('Hi.')]);
  const run = await scene.run(['--prompt', 'x', '--output-format', 'stream-json', '--verbose']);
  const {total_cost_usd: total} = jsonLines(run.stdout).at(-1) ?? {};
  const [listed] = JSON.parse((await scene.run(['sessions', 'list', '--json'])).stdout);
  expect(total).toBeGreaterThan(0);
  expect(listed.costUsd).toBeCloseTo(Number(total), 10);
});

const none = usage({input: 0, output: 0});

test('--max-cost bounds a server that counts no tokens, by an estimate that says so', async () => {
  await using scene = await openScene((_request, number) => [
    call('Bash', {command: `yes ${number} | head -c 20000`}),
    none,
  ]);
  const limits = ['--max-cost', '0.2', '--permission-mode', 'bypassPermissions'];
  const {stdout, stderr} = await scene.run(['--prompt', 'x', '--output-format', 'json', ...limits]);
  const {total_cost_usd: total, subtype, estimated_costs: estimated, modelUsage} = resultOf(stdout);
  expect([subtype, estimated]).toEqual(['error_max_budget_usd', Object.keys(modelUsage ?? {})]);
  expect(total).toBeGreaterThan(0.1);
  expect(total).toBeLessThan(0.3);
  expect(stderr.match(/its cost is an estimate/gu)).toHaveLength(1);
});

test('tries that die are billed with their input and what they streamed', async () => {
  const died = [usage({input: 100_000, output: 1}), say('y'.repeat(4000)), breakOff('reset')];
  await using scene = await openScene([died, died, died]);
  const {stdout} = await scene.run(['--prompt', 'x', '--output-format', 'json']);
  expect(Object.values(resultOf(stdout)['modelUsage'] ?? {})).toEqual([
    expect.objectContaining({inputTokens: 300_000, outputTokens: 3000}),
  ]);
});
