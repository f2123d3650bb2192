import {describe, expect, test} from 'vitest';
import type {AssistantBlock, Message} from '../../../src/domain/conversation.ts';
import {actionId, messageId} from '../../../src/domain/ids.ts';
import type {ModelEvent, ModelRequest} from '../../../src/domain/model-stream.ts';
import {noUsage} from '../../../src/domain/usage.ts';
import {connectOpenAi} from '../../../src/models/openai.ts';
import {ask, blocksOf, eventsOf, userSays} from '../../support/model-events.ts';
import {knownTable} from '../../support/model-info.ts';
import {call, chunks, fail, say, think} from '../../support/model-script.ts';
import {type ReceivedRequest, type Script, startModelServer} from '../../support/model-server.ts';
import {startProxy} from '../../support/proxy-server.ts';
import {NoWaiting} from './run-provider.ts';

/** Asks a server that stands behind the address of a provider, request after request. */
async function askAt(
  baseUrl: string,
  script: Script,
  requests: (answers: readonly (readonly AssistantBlock[])[]) => ModelRequest | undefined,
): Promise<{readonly events: readonly ModelEvent[]; readonly received: readonly ReceivedRequest[]}> {
  await using server = await startModelServer(script);
  await using proxy = await startProxy(Number(new URL(server.baseUrl.openai).port));
  const model = connectOpenAi({
    apiKey: 'key-1',
    baseUrl,
    models: knownTable,
    fallbacks: [],
    environment: {http_proxy: `http://${proxy.address}`},
    clock: new NoWaiting(),
    wireApi: 'auto',
  });
  const answers: (readonly AssistantBlock[])[] = [];
  let events: readonly ModelEvent[] = [];
  for (let request = requests(answers); request !== undefined; request = requests(answers)) {
    events = await eventsOf(model.stream(request, new AbortController().signal));
    answers.push(blocksOf(events));
  }
  return {events, received: server.requests};
}

const assistant = (blocks: readonly AssistantBlock[], model = 'small-model'): Message => ({
  role: 'assistant',
  id: messageId('a'),
  model,
  blocks,
  stop: 'tool-use',
  usage: noUsage,
});

const resultsOf = (blocks: readonly AssistantBlock[]): Message => ({
  role: 'user',
  id: messageId('r'),
  blocks: blocks.flatMap(block =>
    block.kind === 'tool-call'
      ? [{kind: 'tool-result', id: block.id, content: [{kind: 'text', text: 'a.txt'}], outcome: 'success'}]
      : [],
  ),
});

/** A prompt whose first answer makes a call, and the request with its result. */
const oneCall =
  (first: ModelRequest, second: Partial<ModelRequest> = {}) =>
  (answers: readonly (readonly AssistantBlock[])[]): ModelRequest | undefined => {
    const [answer] = answers;
    if (answer === undefined) return first;
    if (answers.length > 1) return undefined;
    return {...first, messages: [...first.messages, assistant(answer), resultsOf(answer)], ...second};
  };

const done = [{kind: 'text', text: 'Done.'}];
const toolCall = {
  id: 'call_1',
  type: 'function',
  function: {name: 'Bash', arguments: '{"command":"ls"}'},
};

/** As DeepSeek does since its V3.2: without the field on every answer of a tool turn there is a 400. */
const deepSeek: Script = ({body}, number) => {
  const missing = body.messages.some(({role, ...message}) => role === 'assistant' && !('reasoning_content' in message));
  if (missing)
    return fail(400, {message: 'The `reasoning_content` in the thinking mode must be passed back to the API.'});
  return number === 1 ? [think('I list.'), call('Bash', {command: 'ls'}, {id: 'call_1'})] : say('Done.');
};

const delta = (content: object) => ({choices: [{index: 0, delta: content, finish_reason: null}]});

const mistral: Script = ({body}, number) => {
  const ids = body.messages.flatMap(message => [
    ...(Array.isArray(message['tool_calls']) ? message['tool_calls'].map((each: {id: string}) => each.id) : []),
    ...(typeof message['tool_call_id'] === 'string' ? [message['tool_call_id']] : []),
  ]);
  const wrong = ids.find(id => !/^[a-z\d]{9}$/iu.test(id));
  if (wrong !== undefined)
    return fail(400, {
      message: `Tool call id was ${wrong} but must be a-z, A-Z, 0-9, with a length of 9.`,
      code: '3280',
    });
  return number === 1 ? call('Bash', {command: 'ls'}, {id: 'toolu_01ABCdefGHI'}) : say('Done.');
};

const kimi: Script = ({body}) => {
  const text = JSON.stringify(body.tools);
  return /"\$schema"|"any":true/u.test(text)
    ? fail(400, {
        message: 'tools.function.parameters is not a valid moonshot flavored json schema, details: <At path x>',
      })
    : say('Done.');
};

describe('DeepSeek', () => {
  test('gets its thinking back with the call, and an empty one where there was none', async () => {
    const earlier = assistant([
      {kind: 'thinking', text: 'Of another model.', signature: 'seal'},
      {kind: 'text', text: 'Hello.'},
    ]);
    const {events, received} = await askAt(
      'http://api.deepseek.com/v1',
      deepSeek,
      oneCall(ask('List', {messages: [userSays('Hi'), earlier, userSays('List')]})),
    );
    expect(blocksOf(events)).toEqual(done);
    expect(received[1]?.body.messages).toEqual([
      {role: 'system', content: 'Be brief.'},
      {role: 'user', content: 'Hi'},
      {role: 'assistant', content: 'Hello.', reasoning_content: ''},
      {role: 'user', content: 'List'},
      {role: 'assistant', content: '', reasoning_content: 'I list.', tool_calls: [toolCall]},
      {role: 'tool', tool_call_id: 'call_1', content: 'a.txt'},
    ]);
  });

  test('gets none of the thinking of another of its models', async () => {
    const {received} = await askAt(
      'http://api.deepseek.com/v1',
      deepSeek,
      oneCall(ask('List'), {model: 'large-model'}),
    );
    expect(received[1]?.body.messages[2]).toEqual({
      role: 'assistant',
      content: '',
      reasoning_content: '',
      tool_calls: [toolCall],
    });
  });

  test('is told the output limit and that it need not think in its own words', async () => {
    const request = ask('Hi', {maxTokens: 100, thinking: {kind: 'disabled'}});
    const {received} = await askAt('http://api.deepseek.com/v1', [say('Done.')], answers =>
      answers.length === 0 ? request : undefined,
    );
    const {messages: _messages, tools: _tools, ...body} = received[0]?.body ?? {};
    expect(body).toEqual({
      model: 'small-model',
      max_tokens: 100,
      thinking: {type: 'disabled'},
      stream: true,
      stream_options: {include_usage: true},
    });
  });
});

test('an unknown server gets no thinking back', async () => {
  const {received} = await askAt(
    'http://models.example/v1',
    [[think('I list.'), call('Bash', {command: 'ls'}, {id: 'call_1'})], say('Done.')],
    oneCall(ask('List')),
  );
  expect(received[1]?.body.messages[2]).toEqual({role: 'assistant', content: '', tool_calls: [toolCall]});
});

test('OpenRouter gets the items of its reasoning back, joined and unchanged', async () => {
  const text = {type: 'reasoning.text', format: 'x', index: 0};
  const {events, received} = await askAt(
    'http://openrouter.ai/api/v1',
    [
      chunks(
        delta({reasoning: 'I ', reasoning_details: [{...text, text: 'I '}]}),
        delta({reasoning: 'list.', reasoning_details: [{...text, text: 'list.', signature: 's'}]}),
        delta({tool_calls: [{...toolCall, index: 0}]}),
        delta({reasoning_details: [{type: 'reasoning.encrypted', data: 'xyz', id: 'call_1'}]}),
        {choices: [{index: 0, delta: {}, finish_reason: 'tool_calls'}]},
      ),
      say('Done.'),
    ],
    oneCall(ask('List')),
  );
  expect(blocksOf(events)).toEqual(done);
  expect(received[1]?.body.messages[2]).toEqual({
    role: 'assistant',
    content: '',
    reasoning_details: [
      {...text, text: 'I list.', signature: 's'},
      {type: 'reasoning.encrypted', data: 'xyz', id: 'call_1'},
    ],
    tool_calls: [toolCall],
  });
});

test('Mistral gets ids of nine letters and digits', async () => {
  const {events} = await askAt('http://api.mistral.ai/v1', mistral, oneCall(ask('List')));
  expect(blocksOf(events)).toEqual(done);
});

test('Kimi gets schemas of its flavour', async () => {
  const inputSchema = {$schema: 'x', type: 'object', properties: {any: true}};
  const request = ask('List', {
    tools: [{name: 'Any', description: 'Does it.', inputSchema, offered: 'from-the-start'}],
  });
  const {events} = await askAt('http://api.moonshot.ai/v1', kimi, answers =>
    answers.length === 0 ? request : undefined,
  );
  expect(blocksOf(events)).toEqual(done);
});

test('a tool with a long name is called by its own name', async () => {
  const name = `mcp__server__${'x'.repeat(60)}`;
  const {events, received} = await askAt(
    'http://models.example/v1',
    ({body}) => call(String(Object(body.tools?.[0]?.['function'])['name']), {}, {id: 'call_1'}),
    answers =>
      answers.length === 0
        ? ask('Go', {
            tools: [{name, description: 'Does it.', inputSchema: {type: 'object'}, offered: 'from-the-start'}],
          })
        : undefined,
  );
  expect(JSON.stringify(received[0]?.body.tools)).toContain(`"name":"${name.slice(0, 55)}_decef93c"`);
  expect(blocksOf(events)).toEqual([{kind: 'tool-call', id: actionId('call_1'), name, input: {}}]);
});
