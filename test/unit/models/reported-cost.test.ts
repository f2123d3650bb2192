import {expect, test} from 'vitest';
import {dollarsOf, reportedCost} from '../../../src/models/decoder.ts';

test.each<[who: string, usage: object, usd: number | undefined]>([
  ['OpenRouter', {cost: 0.0123, cost_details: {upstream_inference_cost: null}}, 0.0123],
  ['OpenRouter, of a free model', {cost: 0}, 0],
  ["OpenRouter, with the user's key", {cost: 0.05, is_byok: true, cost_details: {upstream_inference_cost: 1}}, 1.05],
  ['OpenRouter, which also names the same cost', {cost: 1, cost_details: {upstream_inference_cost: 1}}, 1],
  ['Vercel, as text', {cost: '0.0045'}, 0.0045],
  ['xAI', {cost_in_usd_ticks: 37_756_000}, 0.0037756],
  ['nobody', {prompt_tokens: 3}, undefined],
  ['junk', {cost: 'free'}, undefined],
  ['junk', {cost: -1}, undefined],
  ['junk', {cost: {total: 1}}, undefined],
])('the cost that %s reports: %j', (_who, usage, usd) => {
  expect(reportedCost(JSON.parse(JSON.stringify(usage)))).toBe(usd);
});

test.each<[string | undefined, number | undefined]>([
  ['0.5', 0.5],
  ['', undefined],
  ['None', undefined],
  [undefined, undefined],
])('the header %j is %s dollars', (header, usd) => {
  expect(dollarsOf(header)).toBe(usd);
});
