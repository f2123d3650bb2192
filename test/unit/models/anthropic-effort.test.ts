import {expect, test} from 'vitest';
import type {Effort} from '../../../src/domain/model-stream.ts';
import {type ChosenEfforts, modelTable} from '../../../src/models/model-facts.ts';
import {effortParams} from '../../../src/models/thinking-params.ts';
import {infoOf} from '../../support/model-info.ts';

const cases: readonly (readonly [model: string, wanted: Effort, sent: Effort | 'nothing'])[] = [
  ['claude-sonnet-5-5', 'low', 'low'],
  ['anthropic/claude-sonnet-5', 'xhigh', 'xhigh'],
  ['claude-opus-4-7-20260101', 'max', 'max'],
  ['claude-opus-4-6', 'xhigh', 'high'],
  ['claude-opus-4-6', 'max', 'max'],
  ['claude-opus-5-5', 'none', 'low'],
  ['claude-haiku-5-5', 'xhigh', 'xhigh'],
  ['claude-sonnet-4-5', 'high', 'nothing'],
  ['claude-opus-4-20250514', 'high', 'nothing'],
  ['claude-3-5-haiku', 'low', 'nothing'],
  ['some-other-model', 'low', 'low'],
];
test.each(cases)('%s, effort %s: %s', (model, effort, sent) => {
  const info = infoOf(model, {effort});
  expect(effortParams(info, {effort: info.effort, thinks: true})).toEqual(
    sent === 'nothing' ? {} : {output_config: {effort: sent}},
  );
  expect(effortParams(infoOf(model), {effort: infoOf(model).effort, thinks: true})).toEqual({});
});

test('a model that is told not to think takes no effort above high', () => {
  const info = infoOf('claude-haiku-5-5');
  for (const effort of ['high', 'xhigh', 'max'] as const)
    expect(effortParams(info, {effort, thinks: false})).toEqual({output_config: {effort: 'high'}});
});

test('the user says which efforts a model takes', () => {
  const efforts = ['low', 'high'] as const;
  expect(infoOf('my-model', {efforts, effort: 'medium'}).effort).toBe('low');
  expect(infoOf('my-model', {efforts, effort: 'max'}).effort).toBe('high');
  expect(infoOf('my-model', {efforts: [], effort: 'max'}).effort).toBe('default');
});

test('the session counts more than the flag, the flag more than the model, the model more than the setting', () => {
  const own = {'claude-opus-5': {effort: 'max'}} as const;
  const of = (chosen: Partial<ChosenEfforts>) => {
    const table = modelTable(own, {efforts: {run: undefined, usual: 'high', session: new Map(), ...chosen}});
    return ['claude-opus-5', 'claude-sonnet-5', 'own'].map(model => table.infoOf(model).effort);
  };
  expect(of({})).toEqual(['max', 'high', 'default']);
  expect(of({run: 'low'})).toEqual(['low', 'low', 'low']);
  expect(of({run: 'low', session: new Map([['claude-opus-5', 'default']])})).toEqual(['default', 'low', 'low']);
});
