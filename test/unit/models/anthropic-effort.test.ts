import {expect, test} from 'vitest';
import type {Effort} from '../../../src/domain/model-stream.ts';
import {effortParams} from '../../../src/models/anthropic-request.ts';

const cases: readonly (readonly [model: string, wanted: Effort | 'default', sent: Effort | 'nothing'])[] = [
  ['claude-sonnet-5-5', 'default', 'nothing'],
  ['claude-sonnet-5-5', 'low', 'low'],
  ['anthropic/claude-sonnet-5', 'xhigh', 'xhigh'],
  ['claude-opus-4-7-20260101', 'max', 'max'],
  ['claude-opus-4-6', 'xhigh', 'high'],
  ['claude-opus-4-6', 'max', 'max'],
  ['claude-sonnet-4-5', 'high', 'nothing'],
  ['claude-opus-4-20250514', 'high', 'nothing'],
  ['claude-3-5-haiku', 'low', 'nothing'],
  ['some-other-model', 'low', 'nothing'],
];
test.each(cases)('%s, effort %s: %s', (model, wanted, sent) => {
  expect(effortParams(model, wanted)).toEqual(sent === 'nothing' ? {} : {output_config: {effort: sent}});
});
