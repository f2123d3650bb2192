import {describe, expect, test} from 'vitest';
import {isJsonObject} from '../../../src/base/json.ts';
import type {AssistantBlock, Message} from '../../../src/domain/conversation.ts';
import {actionId, messageId} from '../../../src/domain/ids.ts';
import type {ModelEvent, ModelRequest} from '../../../src/domain/model-stream.ts';
import {noUsage} from '../../../src/domain/usage.ts';
import {connectAnthropic} from '../../../src/models/anthropic.ts';
import {connectGemini, connectOpenAi} from '../../../src/models/openai.ts';
import {ask, blocksOf, eventsOf, userSays} from '../../support/model-events.ts';
import {knownTable} from '../../support/model-info.ts';
import {type Answer, chunks, fail, say} from '../../support/model-script.ts';
import {type ReceivedRequest, startModelServer} from '../../support/model-server.ts';

/*
 * The forms of the streams are those that people have recorded at Google's address, as they are told in the threads
 * github.com/noho/dayu-agent/issues/45, github.com/open-webui/computer/issues/224 and github.com/earendil-works/pi/pull/3234.
 */
const base = {created: 1, id: 'gem-1', model: 'gemini-3.8-flash', object: 'chat.completion.chunk'};
const chunk = (delta: object, more: object = {}): object => ({
  ...base,
  choices: [{delta: {role: 'assistant', ...delta}, index: 0, ...more}],
});
const signature = (text: string) => ({google: {thought_signature: text}});
const counted = {completion_tokens: 20, prompt_tokens: 100, total_tokens: 400};

/** A call whole in one delta, without a number; the reason to stop says nothing of it. */
const callOf = (id: string, path: string, extra?: object): object => ({
  ...(extra === undefined ? {} : {extra_content: extra}),
  function: {arguments: JSON.stringify({path}), name: 'Read'},
  ...(id === '' ? {} : {id}),
  type: 'function',
});
const stopped = {...chunk({}, {finish_reason: 'stop'}), usage: counted};

/** A chunk with what was counted so far. */
const part = (text: string, completion_tokens: number): object => ({
  ...chunk({content: text}),
  usage: {completion_tokens, prompt_tokens: 100, total_tokens: 100 + completion_tokens},
});

/** A refusal as Google sends it. */
const listed = (error: object): string => JSON.stringify([{error}]);

const options = {apiKey: 'key', environment: {}, models: knownTable, fallbacks: []} as const;
const noWaiting = {random: () => 0, sleep: () => Promise.resolve()};

async function run(
  script: readonly Answer[],
  request: ModelRequest = ask('hi'),
): Promise<{readonly events: readonly ModelEvent[]; readonly requests: readonly ReceivedRequest[]}> {
  await using server = await startModelServer(script);
  const model = connectGemini({...options, baseUrl: server.baseUrl.openai, clock: noWaiting});
  expect([model.provider, model.searchesWeb]).toEqual(['gemini', false]);
  const events = await eventsOf(model.stream(request, new AbortController().signal));
  return {events, requests: server.requests};
}

const finished = (events: readonly ModelEvent[]): unknown => {
  const last = events.at(-1);
  return last?.event === 'message-finished' ? {stop: last.stop, usage: last.usage} : last;
};

describe('what comes', () => {
  test('calls without numbers, several in one delta and in two, with and without ids', async () => {
    const {events} = await run([
      chunks(
        chunk({content: 'I look. '}),
        chunk({tool_calls: [callOf('a1', 'one', signature('s1')), callOf('a2', 'two')]}),
        chunk({tool_calls: [callOf('', 'three')]}),
        stopped,
      ),
    ]);
    expect(blocksOf(events)).toMatchObject([
      {kind: 'text', text: 'I look. '},
      {kind: 'tool-call', id: 'a1', name: 'Read', input: {path: 'one'}},
      {kind: 'tool-call', id: 'a2', name: 'Read', input: {path: 'two'}},
      {kind: 'tool-call', name: 'Read', input: {path: 'three'}},
      {kind: 'other', type: 'call_extras', data: {calls: [signature('s1'), null, null]}},
    ]);
    // What was thought is counted in the total alone.
    expect(finished(events)).toEqual({
      stop: 'tool-use',
      usage: {inputTokens: 100, outputTokens: 300, cacheReadTokens: 0, cacheWriteTokens: 0, costUsd: 0.0012},
    });
  });

  test.each([
    ['in a delta of its own', chunk({extra_content: signature('late')})],
    ['in a call that has nothing else', chunk({tool_calls: [{extra_content: signature('late')}]})],
  ])('a signature that comes later, %s', async (_how, later) => {
    const {events} = await run([chunks(chunk({tool_calls: [callOf('a1', 'one')]}), later, stopped)]);
    expect(blocksOf(events).at(-1)).toMatchObject({data: {calls: [signature('late')]}});
  });

  test('usage with every chunk: the last one counts', async () => {
    const {events} = await run([chunks(part('One ', 1), part('two.', 2), stopped)]);
    expect(finished(events)).toMatchObject({stop: 'end-turn', usage: {inputTokens: 100, outputTokens: 300}});
  });

  test.each(['content_filter', 'content_filter: PROHIBITED_CONTENT', 'SAFETY'])('%s is a refusal', async reason => {
    const {events} = await run([chunks(chunk({content: 'Well, '}), chunk({}, {finish_reason: reason}))]);
    expect(events.at(-1)).toMatchObject({stop: 'refusal', explanation: reason});
  });

  test('an empty answer is asked for again', async () => {
    const empty = chunks(chunk({}), stopped);
    const {events, requests} = await run([empty, chunks(chunk({content: 'Now.'}), stopped)]);
    expect([requests.length, blocksOf(events)]).toEqual([2, [{kind: 'text', text: 'Now.'}]]);
  });

  test('a call that the model spoilt is asked for again', async () => {
    const spoilt = chunks(chunk({}, {finish_reason: 'function_call_filter: MALFORMED_FUNCTION_CALL'}));
    const {events, requests} = await run([spoilt, chunks(chunk({content: 'Now.'}), stopped)]);
    expect([requests.length, blocksOf(events)]).toEqual([2, [{kind: 'text', text: 'Now.'}]]);
    const often = await run([spoilt, spoilt, spoilt]);
    expect(often.events.at(-1)).toMatchObject({
      event: 'failed',
      fault: {message: expect.stringContaining('a tool call that cannot be read')},
    });
  });
});

describe('errors', () => {
  test('a refusal comes as a list of one, and its words are said', async () => {
    const error = {code: 400, message: 'Function call is missing a thought_signature.', status: 'INVALID_ARGUMENT'};
    const {events} = await run([fail(400, {body: listed(error)})]);
    expect(events.at(-1)).toMatchObject({
      fault: {status: 400, message: 'Gemini rejected the request (400): Function call is missing a thought_signature.'},
    });
  });

  test('a wrong key is a 400', async () => {
    const error = {code: 400, message: 'API key not valid. Please pass a valid API key.', status: 'INVALID_ARGUMENT'};
    const {events, requests} = await run([fail(400, {body: listed(error)})]);
    expect(requests).toHaveLength(1);
    const message = `Gemini rejected the API key (400): ${error.message}`;
    expect(events.at(-1)).toMatchObject({fault: {status: 401, message, fix: 'Check GEMINI_API_KEY.'}});
  });

  test('too many requests: the wait is said in words', async () => {
    const error = {
      code: 429,
      message: 'You exceeded your quota.\nPlease retry in 34.5s.',
      status: 'RESOURCE_EXHAUSTED',
    };
    const oneLine = {...error, message: 'You exceeded your quota. Please retry in 34.5s.'};
    const {events} = await run([fail(429, {body: listed(oneLine)}), say('ok')]);
    expect(events[0]).toMatchObject({event: 'retrying', delayMs: 34_500, status: 429});
  });

  test('an error in the middle of the stream, as a list too', async () => {
    const error = {code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE'};
    const {events, requests} = await run([chunks([{error}]), say('ok')]);
    expect([requests.length, events[0]]).toMatchObject([2, {event: 'retrying', status: 503}]);
  });
});

const call: AssistantBlock = {kind: 'tool-call', id: actionId('a1'), name: 'Read', input: {path: 'one'}};
const second: AssistantBlock = {...call, id: actionId('a2')};
const extras: AssistantBlock = {kind: 'other', type: 'call_extras', data: {calls: [signature('s1'), null]}};
const conversation = (...blocks: readonly AssistantBlock[]): readonly Message[] => [
  userSays('Read.'),
  {role: 'assistant', id: messageId('m1'), model: 'gemini-3.8-flash', blocks, stop: 'tool-use', usage: noUsage},
  {
    role: 'user',
    id: messageId('r1'),
    blocks: blocks.flatMap(block =>
      block.kind === 'tool-call'
        ? [{kind: 'tool-result', id: block.id, content: [{kind: 'text', text: 'x'}], outcome: 'success'} as const]
        : [],
    ),
  },
];

/** The `extra_content` of each call that the server got. */
const given = ({requests}: {readonly requests: readonly ReceivedRequest[]}): readonly unknown[] => {
  const calls = requests[0]?.body.messages.find(({role}) => role === 'assistant')?.['tool_calls'];
  return Array.isArray(calls) ? calls.map(each => (isJsonObject(each) ? (each['extra_content'] ?? null) : each)) : [];
};

const ofServer = async (...blocks: readonly AssistantBlock[]): Promise<readonly unknown[]> => {
  await using server = await startModelServer([say('ok')]);
  const model = connectOpenAi({...options, baseUrl: server.baseUrl.openai, wireApi: 'chat'});
  await eventsOf(model.stream(ask('', {messages: conversation(...blocks)}), new AbortController().signal));
  return given(server);
};

describe('what goes back', () => {
  test('each signature with its call, as it came', async () => {
    const sent = await run([say('ok')], ask('', {messages: conversation(call, second, extras)}));
    expect(given(sent)).toEqual([signature('s1'), null]);
  });

  test('a call of another model has the signature that Google takes for those', async () => {
    const sent = await run([say('ok')], ask('', {messages: conversation(call, second)}));
    expect(given(sent)).toEqual([signature('skip_thought_signature_validator'), null]);
  });

  test('other servers get back what they gave, and nothing that is made up', async () => {
    expect(await ofServer(call, second)).toEqual([null, null]);
    expect(await ofServer(call, second, extras)).toEqual([signature('s1'), null]);
  });

  test('no other protocol hears of them', async () => {
    await using server = await startModelServer([say('ok'), say('ok')]);
    const request = ask('', {messages: conversation(call, extras)});
    const signal = new AbortController().signal;
    const responses = connectOpenAi({...options, baseUrl: server.baseUrl.responses, wireApi: 'responses'});
    await eventsOf(responses.stream(request, signal));
    const anthropic = connectAnthropic({
      ...options,
      baseUrl: server.baseUrl.anthropic,
      cacheTtl: '5m',
      toolReferences: 'refused',
    });
    await eventsOf(anthropic.stream(request, signal));
    expect(server.requests.map(({body}) => JSON.stringify(body).includes('s1'))).toEqual([false, false]);
  });
});
