import {expect, test} from 'vitest';
import type {Message} from '../../../src/domain/conversation.ts';
import {messageId} from '../../../src/domain/ids.ts';
import {noUsage} from '../../../src/domain/usage.ts';
import {withoutForeignThinking} from '../../../src/models/anthropic.ts';
import {connectAnthropic} from '../../../src/models/anthropic.ts';
import {ask, blocksOf, eventsOf, userSays} from '../../support/model-events.ts';
import {knownTable} from '../../support/model-info.ts';
import {fail, say} from '../../support/model-script.ts';
import {startModelServer} from '../../support/model-server.ts';

const tool = (name: string) => ({
  name,
  description: '',
  inputSchema: {type: 'object'},
  offered: 'from-the-start' as const,
});

const answerOf = (model: string, id = 'a1'): Message => ({
  role: 'assistant',
  id: messageId(id),
  model,
  blocks: [
    {kind: 'thinking', text: 'hm', signature: 'sig'},
    {kind: 'sealed-thinking', data: 'sealed'},
    {kind: 'text', text: 'Yes.'},
  ],
  stop: 'end-turn',
  usage: noUsage,
});

test.each([
  ['claude-sonnet-5-5', 'claude-sonnet-5-5', 'goes back'],
  ['claude-sonnet-4-5-20250929', 'claude-sonnet-4-5', 'goes back'],
  ['claude-sonnet-4-5-20250929', 'us.anthropic.claude-sonnet-4-5-20250929-v1:0', 'goes back'],
  ['claude-sonnet-4-5', 'anthropic/claude-sonnet-4.5', 'goes back'],
  ['claude-sonnet-5', 'claude-sonnet-5-5', 'stays'],
  ['claude-opus-5-5', 'claude-sonnet-5-5', 'stays'],
  // Names of a server's own say nothing of the model.
  ['claude-opus-5-5', 'my-gateway-model', 'goes back'],
  ['small-model', 'claude-opus-5-5', 'goes back'],
])('thinking of %s, asked is %s: it %s', (answered, asked, expected) => {
  const [message] = withoutForeignThinking([answerOf(answered)], asked);
  expect(message?.blocks.map(({kind}) => kind)).toEqual(
    expected === 'goes back' ? ['thinking', 'sealed-thinking', 'text'] : ['text'],
  );
});

const binding = 'messages.1.content.0: Invalid `signature` in `thinking` block';

test('where the API does not take thinking back, the request goes without it, now and later', async () => {
  await using server = await startModelServer([fail(400, {message: binding}), say('Then so.'), say('Again.')]);
  const model = connectAnthropic({
    apiKey: 'key',
    baseUrl: server.baseUrl.anthropic,
    environment: {},
    models: knownTable,
    fallbacks: [],
    cacheTtl: '5m',
    toolReferences: 'refused',
  });
  const messages = [userSays('One?'), answerOf('small-model'), userSays('Two?')];
  const run = async (more: readonly Message[]) =>
    blocksOf(await eventsOf(model.stream(ask('', {messages: [...messages, ...more]}), new AbortController().signal)));
  expect(await run([])).toEqual([{kind: 'text', text: 'Then so.'}]);
  expect(await run([answerOf('small-model', 'a2'), userSays('Three?')])).toEqual([{kind: 'text', text: 'Again.'}]);
  const thinking = server.requests.map(({body}) => JSON.stringify(body.messages).split('"thinking":"hm"').length - 1);
  // What came after the refusal is the provider's own again.
  expect(thinking).toEqual([1, 0, 1]);
});

test.each([
  ['a refusal that is about something else', fail(400, {message: 'max_tokens: too large'})],
  ['a fault of the server that names thinking', fail(413, {message: binding})],
])('%s does not cost the thinking', async (_name, refusal) => {
  await using server = await startModelServer([refusal, say('Yes.')]);
  const model = connectAnthropic({
    apiKey: 'key',
    baseUrl: server.baseUrl.anthropic,
    environment: {},
    models: knownTable,
    fallbacks: [],
    cacheTtl: '5m',
    toolReferences: 'taken',
  });
  const messages = [userSays('One?'), answerOf('small-model'), userSays('Two?')];
  const run = async () => eventsOf(model.stream(ask('', {messages}), new AbortController().signal));
  expect((await run()).map(({event}) => event)).toEqual(['failed']);
  expect(blocksOf(await run())).toEqual([{kind: 'text', text: 'Yes.'}]);
  const thinking = server.requests.map(({body}) => JSON.stringify(body.messages).split('"thinking":"hm"').length - 1);
  expect(thinking).toEqual([1, 1]);
});

test('a request without thinking that is refused is refused once', async () => {
  await using server = await startModelServer([fail(400, {message: binding})]);
  const model = connectAnthropic({
    apiKey: 'key',
    baseUrl: server.baseUrl.anthropic,
    environment: {},
    models: knownTable,
    fallbacks: [],
    cacheTtl: '5m',
    toolReferences: 'refused',
  });
  const events = await eventsOf(model.stream(ask('hi'), new AbortController().signal));
  expect([server.requests.length, events.at(-1)]).toMatchObject([1, {event: 'failed', fault: {status: 400}}]);
});

test('thinking goes where the tools have changed since, and what is thought from then on stays', async () => {
  await using server = await startModelServer([say('1'), say('2'), say('3'), say('4')]);
  const model = connectAnthropic({
    apiKey: 'key',
    baseUrl: server.baseUrl.anthropic,
    environment: {},
    models: knownTable,
    fallbacks: [],
    cacheTtl: '5m',
    toolReferences: 'refused',
  });
  const run = async (tools: readonly string[], messages: readonly Message[]) =>
    eventsOf(model.stream({...ask('', {messages}), tools: tools.map(tool)}, new AbortController().signal));
  const first = userSays('One?');
  const second = [first, answerOf('claude-opus-5-5', 'a1'), userSays('Two?')];
  const third = [...second, answerOf('claude-opus-5-5', 'a2'), userSays('Three?')];
  await run(['Read'], [first]);
  await run(['Read'], second);
  await run(['Read', 'late'], second);
  await run(['Read', 'late'], third);
  const thinking = server.requests.map(({body}) => JSON.stringify(body.messages).split('"thinking":"hm"').length - 1);
  expect(thinking).toEqual([0, 1, 0, 1]);
});
