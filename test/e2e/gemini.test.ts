// @module-tag long
import {expect, test} from 'vitest';
import {chunks} from '../support/model-script.ts';
import {openScene} from '../support/scene.ts';
import {resultOf} from './support/messages.ts';

const chunk = (delta: object, finish_reason: string | null = null): object => ({
  id: 'gem-1',
  model: 'gemini-3.8-flash',
  choices: [{index: 0, delta: {role: 'assistant', ...delta}, finish_reason}],
});
const extra_content = {google: {thought_signature: 'signed'}};
const usage = {prompt_tokens: 1000, completion_tokens: 10, total_tokens: 1100};

test('a tool call of a Gemini model: its signature goes back with it, and the thinking is paid', async () => {
  await using scene = await openScene([
    chunks(
      chunk({
        tool_calls: [
          {extra_content, function: {arguments: '{"command":"echo hi"}', name: 'Bash'}, id: 'c1', type: 'function'},
        ],
      }),
      {...chunk({}, 'stop'), usage},
    ),
    chunks(chunk({content: 'Done.'}), {...chunk({}, 'stop'), usage}),
  ]);
  const environment = {
    ANTHROPIC_API_KEY: '',
    GEMINI_API_KEY: 'AIzaScripted0123456789012345',
    GEMINI_BASE_URL: scene.server.baseUrl.openai,
  };
  const {code, stdout, stderr} = await scene.run(['--prompt', 'x', '--output-format', 'json'], {environment});
  expect([code, stderr, resultOf(stdout)['result']]).toEqual([0, '', 'Done.']);
  const [first, second] = scene.server.requests;
  expect([first?.path, first?.headers.authorization, first?.body.model]).toEqual([
    '/v1/chat/completions',
    'Bearer AIzaScripted0123456789012345',
    'gemini-3.8-flash',
  ]);
  expect(second?.body.messages.find(({role}) => role === 'assistant')?.['tool_calls']).toMatchObject([
    {id: 'c1', extra_content},
  ]);
  // Twice 1000 tokens in at 0.75 dollars for a million, and 100 out at 3.75.
  expect(resultOf(stdout)['modelUsage']).toEqual({
    'gemini-3.8-flash': expect.objectContaining({inputTokens: 2000, outputTokens: 200, costUSD: 0.00225}),
  });
});

test('without a key: what to do about it', {tags: 'smoke'}, async () => {
  await using scene = await openScene([]);
  const {code, stderr} = await scene.run(['--prompt', 'x', '--provider', 'gemini']);
  expect([code, stderr]).toEqual([
    2,
    'weft: No key for Gemini. Set GEMINI_API_KEY, or save one with weft auth login.\n',
  ]);
});
