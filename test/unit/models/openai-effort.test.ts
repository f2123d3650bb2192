import {expect, test} from 'vitest';
import type {Effort} from '../../../src/domain/model-stream.ts';
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
  ['gpt-6.1-sol', {kind: 'disabled'}, 'low'],
  ['gpt-6-sol', {kind: 'disabled'}, 'none'],
  ['gemini-3.1-pro-preview', {kind: 'disabled'}, 'low'],
  ['gemini-2.5-flash', {kind: 'disabled'}, 'none'],
  ['gpt-4.1', budget(31_999), undefined],
  ['qwen3:8b', {kind: 'disabled'}, undefined],
] as const)('%s with %o', (model, thinking, effort) => {
  expect(effortOf(infoOf(model), thinking)).toBe(effort);
});

test.each([
  ['low', 'low'],
  ['medium', 'medium'],
  ['high', 'high'],
  ['xhigh', 'high'],
  ['max', 'high'],
] as const)('an effort that is wanted (%s) counts more than a budget', (effort, sent) => {
  expect(effortOf(infoOf('gpt-5', {effort}), budget(1000))).toBe(sent);
  expect(effortOf(infoOf('gpt-4.1', {effort}), budget(1000))).toBeUndefined();
  expect(effortOf(infoOf('gpt-5', {effort}), {kind: 'disabled'})).toBe('minimal');
});

const sent = (model: string, effort: Effort) => effortOf(infoOf(model, {effort}), {kind: 'default'});

test('the words of each family', () => {
  expect(sent('gpt-6.1-sol', 'max')).toBe('max');
  expect(sent('gpt-5.2', 'max')).toBe('xhigh');
  expect(sent('gpt-5.5', 'none')).toBe('none');
  expect(sent('gemini-3.8-flash', 'max')).toBe('high');
  expect(sent('kimi-k3', 'medium')).toBe('low');
  expect(sent('glm-5.2', 'low')).toBe('high');
  expect(sent('deepseek-v4', 'xhigh')).toBe('high');
});
