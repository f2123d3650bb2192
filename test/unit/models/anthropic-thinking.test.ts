import {describe, expect, test} from 'vitest';
import type {AssistantBlock, Message} from '../../../src/domain/conversation.ts';
import {actionId, messageId} from '../../../src/domain/ids.ts';
import {noUsage} from '../../../src/domain/usage.ts';
import {thinkingParams} from '../../../src/models/anthropic-request.ts';
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
  expect(thinkingParams({thinking, messages}, 8000)).toEqual(params);
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
    expect(thinkingParams({thinking: budget, messages: [...messages, ...rest]}, 8000)).toEqual(params);
  });
});
