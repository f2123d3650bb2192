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
  [{kind: 'adaptive'}, {max_tokens: 8000, thinking: {type: 'adaptive'}}],
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
  expect(thinkingParams({thinking, messages}, {maxOutputTokens: 8000, control: 'budget', display: 'as-usual'})).toEqual(
    params,
  );
});

test.each([
  ['adaptive', {thinking: {type: 'adaptive'}}, {thinking: {type: 'disabled'}}],
  ['between-tools', {thinking: {type: 'adaptive'}}, {thinking: {type: 'between_tools'}}],
  ['always', {thinking: {type: 'adaptive'}}, {}],
] as const)('newer models refuse a number of tokens (%s), and some to be told not to think', (control, some, none) => {
  const params = (thinking: Thinking): object =>
    thinkingParams({thinking, messages}, {maxOutputTokens: 8000, control, display: 'as-usual'});
  expect(params({kind: 'budget', tokens: 2000})).toEqual({max_tokens: 8000, ...some});
  expect(params({kind: 'budget', tokens: 0})).toEqual({max_tokens: 8000, ...none});
  expect(params({kind: 'disabled'})).toEqual({max_tokens: 8000, ...none});
  expect(params({kind: 'default'})).toEqual({max_tokens: 8000});
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
      thinkingParams(
        {thinking: budget, messages: [...messages, ...rest]},
        {maxOutputTokens: 8000, control: 'budget', display: 'as-usual'},
      ),
    ).toEqual(params);
  });
});

test.each([
  ['claude-sonnet-5-5', {type: 'adaptive', display: 'summarized'}],
  ['claude-haiku-5-5', {type: 'adaptive', display: 'summarized'}],
  ['claude-opus-5', {type: 'adaptive', display: 'summarized'}],
  // These would think only because they were asked.
  ['claude-opus-4-8', undefined],
  ['claude-haiku-4-5', undefined],
] as const)('%s is asked to tell what it thinks, where it thinks unasked', (model, expected) => {
  const manner = {maxOutputTokens: 8000, control: infoOf(model).thinking, display: 'asked-for'} as const;
  expect(thinkingParams({thinking: {kind: 'default'}, messages}, manner).thinking).toEqual(expected);
});
