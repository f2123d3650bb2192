import {expect, test} from 'vitest';
import type {Effort} from '../../../src/domain/model-stream.ts';
import {effortParams} from '../../../src/models/thinking-params.ts';
import {infoOf} from '../../support/model-info.ts';

const cases: readonly (readonly [model: string, wanted: Effort | 'default', sent: Effort | 'nothing'])[] = [
  ['claude-sonnet-5-5', 'default', 'nothing'],
  ['claude-sonnet-5-5', 'low', 'low'],
  ['anthropic/claude-sonnet-5', 'xhigh', 'xhigh'],
  ['claude-opus-4-7-20260101', 'max', 'max'],
  ['claude-opus-4-6', 'xhigh', 'high'],
  ['claude-opus-4-6', 'max', 'max'],
  ['claude-opus-5-5', 'max', 'max'],
  ['claude-haiku-5-5', 'xhigh', 'xhigh'],
  ['claude-sonnet-4-5', 'high', 'nothing'],
  ['claude-opus-4-20250514', 'high', 'nothing'],
  ['claude-3-5-haiku', 'low', 'nothing'],
  ['some-other-model', 'low', 'nothing'],
];
test.each(cases)('%s, effort %s: %s', (model, wanted, sent) => {
  expect(effortParams(infoOf(model), {effort: wanted, thinks: true})).toEqual(
    sent === 'nothing' ? {} : {output_config: {effort: sent}},
  );
});

test('who is told not to think takes no effort above high', () => {
  const info = infoOf('claude-haiku-5-5');
  for (const effort of ['high', 'xhigh', 'max'] as const)
    expect(effortParams(info, {effort, thinks: false})).toEqual({output_config: {effort: 'high'}});
});

test('the user says which efforts a model takes', () => {
  const info = infoOf('my-model', {efforts: ['low', 'high']});
  expect(effortParams(info, {effort: 'medium', thinks: true})).toEqual({output_config: {effort: 'low'}});
  expect(effortParams(info, {effort: 'max', thinks: true})).toEqual({output_config: {effort: 'high'}});
});
