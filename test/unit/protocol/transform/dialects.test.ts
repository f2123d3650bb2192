import {describe, expect, test} from 'vitest';
import type {FinishReason, ResponseEvent, TokenUsage} from '../../../../src/protocol/task/response-event.ts';
import {
  acts,
  add,
  append,
  begin,
  callsMcp,
  callsServer,
  commit,
  finished,
  init,
  item,
  rollback,
  running,
  says,
  snapshot,
  tells,
  thinks,
} from './event-builders.ts';
import {anthropicText, openAiText, readAnthropic, readOpenAi} from './read-answers.ts';

const story: readonly ResponseEvent[] = [
  init,
  acts(begin, append('r', thinks('I should ')), append('r', thinks('look.'))),
  acts(append('m', says('Let me look. '))),
  acts(rollback, begin, add('r2', thinks('I should look.')), add('m2', says('Let me look. ')), commit),
  acts(add('l', tells(snapshot([item('1', 'One')])))),
  acts(add('k', callsServer('call_k', running('1')))),
  acts(
    add('n', says('And search.')),
    add('a', callsMcp('x', 'search', {q: 'a'})),
    add('b', callsMcp('y', 'search', {})),
  ),
  finished(
    {kind: 'max-token-limit'},
    {model: 'm', input: 100, output: 20, cacheRead: 30, cacheWrite: 10, costInCents: 1},
    {model: 'n', input: 5, output: 1, cacheRead: 0, cacheWrite: 0, costInCents: 0},
  ),
];

test('the whole text of both dialects', async () => {
  await expect(openAiText(story)).toMatchFileSnapshot('../../../golden/transform/openai.sse');
  await expect(anthropicText(story)).toMatchFileSnapshot('../../../golden/transform/anthropic.sse');
});

const completedCall = (id: string, name: string, input: object) => ({
  id,
  type: 'function',
  function: {name, arguments: JSON.stringify(input)},
});

test('openai: one completion with role, text, calls and usage', async () => {
  const completion = await readOpenAi(openAiText(story));
  expect(completion).toEqual({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 7,
    model: 'm',
    usage: {
      prompt_tokens: 105,
      completion_tokens: 21,
      total_tokens: 126,
      prompt_tokens_details: {cached_tokens: 30},
    },
    choices: [
      {
        index: 0,
        finish_reason: 'tool_calls',
        logprobs: null,
        message: {
          role: 'assistant',
          content: 'Let me look. And search.',
          refusal: null,
          parsed: null,
          tool_calls: [
            completedCall('call_l', 'TodoWrite', {
              todos: [{content: 'One', status: 'pending', activeForm: '执行 One'}],
            }),
            completedCall('call_k', 'TaskStatusUpdate', {task_ids: ['1'], status: 'in_progress'}),
            completedCall('x', 'search', {q: 'a'}),
            completedCall('y', 'search', {}),
          ],
        },
      },
    ],
  });
});

test('anthropic: one message with its blocks in order and usage', async () => {
  const {message} = await readAnthropic(anthropicText(story));
  expect(message).toMatchObject({
    id: 'msg_1',
    role: 'assistant',
    model: 'm',
    stop_reason: 'tool_use',
    stop_sequence: null,
    usage: {input_tokens: 65, output_tokens: 21, cache_read_input_tokens: 30, cache_creation_input_tokens: 10},
    content: [
      {type: 'thinking', thinking: 'I should look.'},
      {type: 'text', text: 'Let me look. '},
      {type: 'tool_use', id: 'call_l', name: 'TodoWrite'},
      {type: 'tool_use', id: 'call_k', name: 'TaskStatusUpdate', input: {task_ids: ['1'], status: 'in_progress'}},
      {type: 'text', text: 'And search.'},
      {type: 'tool_use', id: 'x', name: 'search', input: {q: 'a'}},
      {type: 'tool_use', id: 'y', name: 'search', input: {}},
    ],
  });
});

test('anthropic: text that begins anew begins a block', async () => {
  const {message} = await readAnthropic(
    anthropicText([
      acts(begin, add('m', says('Let me look.')), rollback, add('n', says('Let me ')), append('n', says('read.'))),
    ]),
  );
  expect(message.content).toEqual([
    {type: 'text', text: 'Let me look.'},
    {type: 'text', text: 'Let me read.'},
  ]);
});

test('openai: the role is told once, in the first chunk', () => {
  const roles = openAiText([init, acts(add('m', says('a'))), acts(begin, rollback, append('m', says('b')))]).match(
    /"role"/gu,
  );
  expect(roles).toHaveLength(1);
});

describe('reasons to finish', () => {
  const said = acts(add('m', says('Hello')));
  const called = acts(add('a', callsMcp('x', 'search', {})));
  const cases: readonly (readonly [string, readonly ResponseEvent[], string, string])[] = [
    ['done', [said, finished()], 'stop', 'end_turn'],
    ['done with a call', [called, finished()], 'tool_calls', 'tool_use'],
    ['other', [said, finished({kind: 'other'})], 'stop', 'end_turn'],
    ['the token limit', [said, finished({kind: 'max-token-limit'})], 'length', 'max_tokens'],
    ['the token limit after a call', [called, finished({kind: 'max-token-limit'})], 'tool_calls', 'tool_use'],
    ['broken off', [said], 'stop', 'end_turn'],
    ['broken off after a call', [said, called], 'tool_calls', 'tool_use'],
  ];
  test.each(cases)('%s', async (_, events, openai, anthropic) => {
    expect((await readOpenAi(openAiText(events))).choices[0]?.finish_reason).toBe(openai);
    expect((await readAnthropic(anthropicText(events))).message.stop_reason).toBe(anthropic);
  });
});

test('without counted tokens OpenAI has no usage and Anthropic none but zeros', async () => {
  expect((await readOpenAi(openAiText([finished()]))).usage).toBeUndefined();
  expect((await readAnthropic(anthropicText([finished()]))).message.usage).toEqual({input_tokens: 0, output_tokens: 0});
});

test('a cache that counts more than the whole leaves no negative input', async () => {
  const usage: TokenUsage = {model: 'm', input: 5, output: 1, cacheRead: 9, cacheWrite: 0, costInCents: 0};
  expect((await readAnthropic(anthropicText([finished({kind: 'done'}, usage)]))).message.usage).toMatchObject({
    input_tokens: 0,
    cache_read_input_tokens: 9,
  });
});

describe('failures are errors of the dialect, after what was said', () => {
  const cases: readonly (readonly [FinishReason, string, string, string])[] = [
    [{kind: 'quota-limit'}, 'insufficient_quota', 'rate_limit_error', 'This account has reached its quota.'],
    [
      {kind: 'context-window-exceeded'},
      'context_length_exceeded',
      'invalid_request_error',
      'The conversation is longer than the context window of the model.',
    ],
    [
      {kind: 'llm-unavailable'},
      'service_unavailable',
      'overloaded_error',
      'The model is unavailable. Try again later.',
    ],
    [{kind: 'internal-error', message: 'tool x: no'}, 'internal_error', 'api_error', 'tool x: no'],
    [{kind: 'internal-error', message: ''}, 'internal_error', 'api_error', 'The server had an internal error.'],
    [
      {kind: 'invalid-api-key', provider: 'acme', model: 'big'},
      'invalid_api_key',
      'authentication_error',
      'The API key for acme is not valid (model big).',
    ],
    [
      {kind: 'invalid-api-key', provider: '', model: ''},
      'invalid_api_key',
      'authentication_error',
      'The API key is not valid.',
    ],
  ];
  test.each(cases)('%j', async (reason, code, type, message) => {
    const events = [acts(add('m', says('Hello')), begin, add('a', callsMcp('x', 'search', {}))), finished(reason)];
    await expect(readOpenAi(openAiText(events))).rejects.toMatchObject({code, error: {message}});
    await expect(readAnthropic(anthropicText(events))).rejects.toMatchObject({
      type,
      error: {type: 'error', error: {type, message}},
    });
    expect(openAiText(events)).toMatch(/"content":"Hello"[^]*"error"[^]*data: \[DONE\]\n\n$/u);
    expect(openAiText(events)).not.toContain('finish_reason":"');
    expect(anthropicText(events)).toMatch(/Hello[^]*event: content_block_stop\n[^]*event: error\n[^\n]*\n\n$/u);
  });
});

test('openai: of very many lists the last ones are told at the end, so that the client can read them all', async () => {
  const events = [
    ...Array.from({length: 500}, (_, n) => listNumber(n)),
    acts(add('k', callsServer('call_k', running('1'))), add('a', callsMcp('x', 'search', {}))),
    finished(),
  ];
  const calls = (await readOpenAi(openAiText(events))).choices[0]?.message.tool_calls ?? [];
  expect(calls.map(({id}) => id)).toEqual([
    ...Array.from({length: 96}, (_, n) => `call_m${n}`),
    'x',
    'call_m499',
    'call_k',
  ]);
  const {message} = await readAnthropic(anthropicText(events));
  expect(message.content).toHaveLength(502);
});

const listNumber = (n: number) => acts(add(`m${n}`, tells(snapshot([item('1', `Step ${n}`)]))));
