import {describe, expect, test} from 'vitest';
import type {AssistantBlock, Message} from '../../../src/domain/conversation.ts';
import type {Thinking} from '../../../src/domain/model-stream.ts';
import {actionId, messageId} from '../../../src/domain/ids.ts';
import {noUsage} from '../../../src/domain/usage.ts';
import {thinkingParams} from '../../../src/models/thinking-params.ts';
import {infoOf} from '../../support/model-info.ts';
import {userSays} from '../../support/model-events.ts';

const messages = [userSays('hi')];

test.each([
  [{kind: 'default'}, {max_tokens: 8000}],
  [{kind: 'disabled'}, {max_tokens: 8000, thinking: {type: 'disabled'}}],
  [{kind: 'adaptive'}, {max_tokens: 8000, thinking: {type: 'adaptive', display: 'summarized'}}],
  [
    {kind: 'budget', tokens: 2000},
    {max_tokens: 8000, thinking: {type: 'enabled', budget_tokens: 2000}},
  ],
  [
    {kind: 'budget', tokens: 31_999},
    {max_tokens: 36_095, thinking: {type: 'enabled', budget_tokens: 31_999}},
  ],
  [
    {kind: 'budget', tokens: 1},
    {max_tokens: 8000, thinking: {type: 'enabled', budget_tokens: 1024}},
  ],
  [
    {kind: 'budget', tokens: 0},
    {max_tokens: 8000, thinking: {type: 'disabled'}},
  ],
] as const)('%o', (thinking, params) => {
  expect(thinkingParams({thinking, messages}, {maxOutputTokens: 8000, control: 'budget'})).toEqual(params);
});

test.each([
  ['adaptive', {thinking: {type: 'disabled'}}],
  ['between-tools', {thinking: {type: 'between_tools'}}],
  ['always', {}],
] as const)('newer models refuse a number of tokens (%s), and some to be told not to think', (control, none) => {
  const some = {thinking: {type: 'adaptive', display: 'summarized'}};
  const params = (thinking: Thinking): object => thinkingParams({thinking, messages}, {maxOutputTokens: 8000, control});
  expect(params({kind: 'budget', tokens: 2000})).toEqual({max_tokens: 8000, ...some});
  expect(params({kind: 'budget', tokens: 0})).toEqual({max_tokens: 8000, ...none});
  expect(params({kind: 'disabled'})).toEqual({max_tokens: 8000, ...none});
  expect(params({kind: 'default'})).toEqual({max_tokens: 8000, ...some});
});

const answer = (...blocks: readonly AssistantBlock[]): Message => ({
  role: 'assistant',
  id: messageId('a'),
  model: 'm',
  blocks,
  stop: 'tool-use',
  usage: noUsage,
});

describe('calls under way', () => {
  const call: AssistantBlock = {kind: 'tool-call', id: actionId('a'), name: 'Bash', input: {}};
  const results: Message = {
    role: 'user',
    id: messageId('r'),
    blocks: [{kind: 'tool-result', id: actionId('a'), content: [], outcome: 'success'}],
  };
  const budget = {kind: 'budget', tokens: 2000} as const;
  const thinks = {max_tokens: 8000, thinking: {type: 'enabled', budget_tokens: 2000}};

  test.each([
    ['made without thinking go on without', [answer(call), results], {max_tokens: 8000}],
    ['also behind a prompt that steers', [answer(call), results, userSays('wait')], {max_tokens: 8000}],
    [
      'made with thinking go on with it',
      [answer({kind: 'thinking', text: 'hm', signature: 's'}, call), results],
      thinks,
    ],
    [
      'made with unsealed thinking, which does not go back, go on without',
      [answer({kind: 'thinking', text: 'hm', signature: ''}, call), results],
      {max_tokens: 8000},
    ],
    ['end with the next prompt', [answer({kind: 'text', text: 'done'}), userSays('more')], thinks],
  ] as const)('%s', (_, rest, params) => {
    expect(
      thinkingParams({thinking: budget, messages: [...messages, ...rest]}, {maxOutputTokens: 8000, control: 'budget'}),
    ).toEqual(params);
  });
});

const adaptive = {type: 'adaptive', display: 'summarized'};

test.each([
  ['claude-sonnet-5-5', 128_000, adaptive],
  ['claude-opus-4-8', 128_000, adaptive],
  ['claude-sonnet-4-6', 128_000, adaptive],
  ['claude-haiku-4-5', 64_000, {type: 'enabled', budget_tokens: 31_999}],
  ['claude-haiku-4-5', 20_000, {type: 'enabled', budget_tokens: 12_000}],
  ['claude-haiku-4-5', 9000, undefined],
  ['claude-3-5-haiku', 8000, undefined],
  ['some-model', 8000, undefined],
] as const)('by default, %s thinks within %i tokens', (model, maxOutputTokens, expected) => {
  const options = {maxOutputTokens, control: infoOf(model).thinking};
  expect(thinkingParams({thinking: {kind: 'default'}, messages}, options)).toEqual({
    max_tokens: maxOutputTokens,
    ...(expected === undefined ? {} : {thinking: expected}),
  });
});

test('Claude 4.6 takes a number of tokens, and no thinking at all', () => {
  const options = {maxOutputTokens: 64_000, control: infoOf('claude-opus-4-6').thinking};
  expect(thinkingParams({thinking: {kind: 'budget', tokens: 2000}, messages}, options).thinking).toEqual({
    type: 'enabled',
    budget_tokens: 2000,
  });
  expect(thinkingParams({thinking: {kind: 'disabled'}, messages}, options).thinking).toEqual({type: 'disabled'});
});
