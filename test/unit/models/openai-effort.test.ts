import {expect, test} from 'vitest';
import {infoOf} from '../../support/model-info.ts';
import {effortOf} from '../../../src/models/openai-request.ts';

const budget = (tokens: number) => ({kind: 'budget', tokens}) as const;

test.each([
  ['gpt-5', {kind: 'default'}, undefined],
  ['gpt-5', {kind: 'adaptive'}, undefined],
  ['gpt-5', {kind: 'disabled'}, 'minimal'],
  ['gpt-5-mini', budget(0), 'minimal'],
  ['gpt-5.1', {kind: 'disabled'}, 'none'],
  ['gpt-5.2-2025-12-11', budget(1000), 'low'],
  ['o3', {kind: 'disabled'}, 'low'],
  ['o4-mini', budget(10_000), 'medium'],
  ['gpt-5', budget(31_999), 'high'],
  ['gpt-6.1-sol', {kind: 'disabled'}, 'none'],
  ['gemini-3.1-pro-preview', {kind: 'disabled'}, 'low'],
  ['gemini-2.5-flash', {kind: 'disabled'}, 'none'],
  ['gpt-4.1', budget(31_999), undefined],
  ['qwen3:8b', {kind: 'disabled'}, undefined],
] as const)('%s with %o', (model, thinking, effort) => {
  expect(effortOf(infoOf(model), {thinking, wanted: 'default'})).toBe(effort);
});

test.each([
  ['low', 'low'],
  ['medium', 'medium'],
  ['high', 'high'],
  ['xhigh', 'high'],
  ['max', 'high'],
] as const)('an effort that is wanted (%s) goes over what the budget comes to', (wanted, sent) => {
  expect(effortOf(infoOf('gpt-5'), {thinking: budget(1000), wanted})).toBe(sent);
  expect(effortOf(infoOf('gpt-4.1'), {thinking: budget(1000), wanted})).toBeUndefined();
  expect(effortOf(infoOf('gpt-5'), {thinking: {kind: 'disabled'}, wanted})).toBe('minimal');
});

test('newer models take more than high', () => {
  const thinking = {kind: 'default'} as const;
  expect(effortOf(infoOf('gpt-6.1-sol'), {thinking, wanted: 'max'})).toBe('max');
  expect(effortOf(infoOf('gpt-5.2'), {thinking, wanted: 'max'})).toBe('xhigh');
  expect(effortOf(infoOf('gemini-3.8-flash'), {thinking, wanted: 'max'})).toBe('high');
});
