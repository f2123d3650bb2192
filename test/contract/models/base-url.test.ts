import {expect, test} from 'vitest';
import {ask, eventsOf} from '../../support/model-events.ts';
import {fail} from '../../support/model-script.ts';
import {startModelServer} from '../../support/model-server.ts';
import {connect} from './run-provider.ts';

test.each([
  ['', '/v1/messages'],
  ['/', '/v1/messages'],
  ['/v1', '/v1/messages'],
  ['/v1/', '/v1/messages'],
  ['/v1//', '/v1/messages'],
  ['/v1/messages', '/v1/messages'],
  ['/proxy/anthropic', '/proxy/anthropic/v1/messages'],
  ['/proxy/anthropic/v1', '/proxy/anthropic/v1/messages'],
  ['/v1/anthropic', '/v1/anthropic/v1/messages'],
])('Anthropic at an address that ends in %j', async (end, path) => {
  await using server = await startModelServer([]);
  await eventsOf(connect('anthropic', server.baseUrl.anthropic + end).stream(ask('hi'), new AbortController().signal));
  expect(server.requests.map(request => request.path)).toEqual([path]);
});

test.each([
  ['/v1', '/v1/chat/completions'],
  ['/v1/', '/v1/chat/completions'],
  ['/v1/chat/completions', '/v1/chat/completions'],
  ['/api/openai/', '/api/openai/chat/completions'],
])('OpenAI at an address that ends in %j', async (end, path) => {
  await using server = await startModelServer([]);
  const model = connect('openai', server.baseUrl.anthropic + end);
  await eventsOf(model.stream(ask('hi'), new AbortController().signal));
  expect(server.requests.map(request => request.path)).toEqual([path]);
});

test('OpenAI at an address without /v1: the fault says so', async () => {
  await using server = await startModelServer([fail(404)]);
  const baseUrl = server.baseUrl.anthropic;
  const model = connect('openai', `${baseUrl}/`);
  expect((await eventsOf(model.stream(ask('hi'), new AbortController().signal))).at(-1)).toEqual({
    event: 'failed',
    fault: {
      kind: 'provider',
      message: `No model API at ${baseUrl}/chat/completions (404): scripted 404`,
      fix: `Most servers need /v1 at the end of the base URL (--base-url or OPENAI_BASE_URL): ${baseUrl}/v1`,
      status: 404,
      refusal: {kind: 'other'},
    },
  });
});
