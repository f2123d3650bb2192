import {infoOf, knownTable} from '../../support/model-info.ts';
import {expect, test} from 'vitest';
import {messageId} from '../../../src/domain/ids.ts';
import type {AssistantMessage, Message} from '../../../src/domain/conversation.ts';
import type {ModelEvent, ModelRequest} from '../../../src/domain/model-stream.ts';
import {noUsage} from '../../../src/domain/usage.ts';
import {AnthropicDecoder} from '../../../src/models/anthropic-decoder.ts';
import {anthropicRequest} from '../../../src/models/anthropic-request.ts';
import {faultText} from '../../../src/domain/fault.ts';
import {connectAnthropic} from '../../../src/models/anthropic.ts';
import {eventsOf} from '../../support/model-events.ts';
import {fail} from '../../support/model-script.ts';
import {answers, startModelServer} from '../../support/model-server.ts';
import {callBlock, callsTools, engineBench, says, type ScriptedAnswer} from '../../support/memory-ports.ts';

const result = {
  type: 'web_search_result',
  url: 'https://a.example/',
  title: 'A',
  page_age: null,
  encrypted_content: 'sealed',
};

const cites = (citation: object) => ({type: 'web_search_result_location', ...citation});

const citations = [
  cites({encrypted_index: 'sealed', cited_text: 'Tea', url: 'https://a.example/', title: 'A \u0007\u202e[x]\\'}),
  cites({url: 'https://a.example/', title: 'again'}),
  cites({url: 'javascript:alert(1)', title: 'bad'}),
];

/** The events of an answer that searches, and cites what it found. */
const stream = (stop: string) => [
  {type: 'message_start', message: {id: 'm1', model: 'claude', usage: {input_tokens: 1, output_tokens: 1}}},
  {
    type: 'content_block_start',
    index: 0,
    content_block: {type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {}},
  },
  {type: 'content_block_delta', index: 0, delta: {type: 'input_json_delta', partial_json: '{"query":"tea"}'}},
  {type: 'content_block_stop', index: 0},
  {
    type: 'content_block_start',
    index: 1,
    content_block: {type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [result]},
  },
  {type: 'content_block_stop', index: 1},
  {type: 'content_block_start', index: 2, content_block: {type: 'text', text: ''}},
  ...citations.map(citation => ({
    type: 'content_block_delta',
    index: 2,
    delta: {type: 'citations_delta', citation},
  })),
  {type: 'content_block_delta', index: 2, delta: {type: 'text_delta', text: 'Tea is green.'}},
  {type: 'content_block_stop', index: 2},
  {type: 'message_delta', delta: {stop_reason: stop}, usage: {output_tokens: 9}},
  {type: 'message_stop'},
];

const endpoint = {name: 'Anthropic', baseUrl: '', keyVariable: '', urlVariable: ''};

function decoded(stop: string): AssistantMessage {
  const decoder = new AnthropicDecoder({endpoint, model: 'claude', newId: () => 'x'});
  const events: ModelEvent[] = [];
  for (const event of stream(stop)) decoder.take(JSON.stringify(event), events);
  const blocks = events.flatMap(event => (event.event === 'block-finished' ? [event.block] : []));
  const end = events.at(-1);
  if (end?.event !== 'message-finished') throw new Error('not finished');
  return {role: 'assistant', id: messageId('m1'), model: 'claude', blocks, stop: end.stop, usage: noUsage};
}

const request = (messages: readonly Message[]): ModelRequest => ({
  model: 'claude',
  system: '',
  tools: [{name: 'Bash', description: '', inputSchema: {}, offered: 'from-the-start'}, {provided: 'searching'}],
  messages,
  thinking: {kind: 'default'},
  maxTokens: 'default',
});

const prompt: Message = {role: 'user', id: messageId('u'), blocks: [{kind: 'text', text: 'tea?'}]};
const sent = (...messages: readonly Message[]) =>
  anthropicRequest(request(messages), {
    info: infoOf('claude', {maxOutput: 100}),
    cacheTtl: '5m',
    toolReferences: 'refused',
    host: 'other',
  });

test('what the provider searched and found goes back as it came, and what it cites stands in the text as links', () => {
  const answer = decoded('end_turn');
  expect({stop: answer.stop, text: answer.blocks.at(-1)}).toEqual({
    stop: 'end-turn',
    text: {
      kind: 'text',
      text: 'Tea is green. ([A x](https://a.example/))',
      cited: {text: 'Tea is green.', citations},
    },
  });
  expect(sent(prompt, answer, prompt).messages[1]?.content).toEqual([
    {type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {query: 'tea'}},
    {type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [result]},
    {type: 'text', text: 'Tea is green.', citations},
  ]);
});

test('of endless citations the first are kept, and fewer shown', () => {
  const decoder = new AnthropicDecoder({endpoint, model: 'claude', newId: () => 'x'});
  const events: ModelEvent[] = [];
  const take = (event: object) => decoder.take(JSON.stringify(event), events);
  take({type: 'content_block_start', index: 0, content_block: {type: 'text', text: 'Tea.'}});
  for (let at = 0; at < 20_000; at += 1) {
    const citation = cites({url: `https://a.example/${at}`, title: 'A'.repeat(500)});
    take({type: 'content_block_delta', index: 0, delta: {type: 'citations_delta', citation}});
  }
  take({type: 'content_block_stop', index: 0});
  const last = events.at(-1);
  if (last?.event !== 'block-finished' || last.block.kind !== 'text' || !('cited' in last.block))
    throw new Error('none');
  expect([
    last.block.cited.citations.length,
    last.block.text.split('](').length,
    last.block.text.length < 2000,
  ]).toEqual([500, 11, true]);
});

test('the tool of the provider is offered behind the others, bounded, and without a mark of the cache', () => {
  expect(sent(prompt).tools).toEqual([
    {name: 'Bash', description: '', input_schema: {type: 'object'}, cache_control: {type: 'ephemeral'}},
    {type: 'web_search_20250305', name: 'web_search', max_uses: 8},
  ]);
});

test('a paused answer goes back whole, also a search whose result is still to come; an interrupted one without it', () => {
  const search = {
    kind: 'other',
    type: 'server_tool_use',
    data: {id: 'srvtoolu_9', name: 'web_search', input: {query: 'more'}},
  } as const;
  const begun: AssistantMessage = {...decoded('pause_turn'), blocks: [{kind: 'text', text: 'Looking.'}, search]};
  const asSent = {type: 'server_tool_use', id: 'srvtoolu_9', name: 'web_search', input: {query: 'more'}};
  expect(begun.stop).toBe('paused');
  expect(sent(prompt, begun).messages.at(-1)?.content).toEqual([{type: 'text', text: 'Looking.'}, asSent]);
  expect(sent(prompt, {...begun, stop: 'interrupted'}, prompt).messages[1]?.content).toEqual([
    {type: 'text', text: 'Looking.'},
  ]);
});

const paused = (at: number): ScriptedAnswer => ({
  events: [
    {event: 'message-started', id: messageId(`p${at}`), model: 'scripted', usage: noUsage},
    {
      event: 'block-finished',
      index: 0,
      block: {kind: 'other', type: 'server_tool_use', data: {id: `s${at}`, name: 'web_search', input: {}}},
    },
    {event: 'message-finished', stop: 'paused', usage: {...noUsage, outputTokens: 1}},
  ],
});

test('a paused answer is asked to go on, with nothing between, and its searches are counted', async () => {
  const bench = engineBench([paused(1), paused(2), says('done')]);
  await bench.prompt('go');
  expect(bench.model.requests.map(({messages}) => messages.map(({role}) => role))).toEqual([
    ['user'],
    ['user', 'assistant'],
    ['user', 'assistant', 'assistant'],
  ]);
  const searches = bench.events.flatMap(event =>
    event.event === 'usage-changed' ? Object.values(event.usage.models).map(({webSearches}) => webSearches) : [],
  );
  expect(Math.max(...searches)).toBe(2);
});

test('a provider that pauses without end ends the prompt', async () => {
  const bench = engineBench(Array.from({length: 20}, (_, at) => paused(at)));
  const fault = {message: 'The provider paused its answer 10 times in a row.'};
  expect((await bench.prompt('go')).end).toMatchObject({kind: 'failed', fault});
  expect(bench.model.requests).toHaveLength(10);
});

test('pauses between which the model works are not counted together', async () => {
  const pauses = Array.from({length: 3}, (_, at) => paused(at));
  const bench = engineBench([...pauses, callsTools(callBlock('Bash', {command: 'ls'})), ...pauses, says('done')]);
  expect(await bench.prompt('go')).toMatchObject({end: {kind: 'done'}, answer: 'done'});
});

test('a server that knows no tool of the provider refuses: what to do about it is said', async () => {
  await using server = await startModelServer(answers([fail(400)]));
  const model = connectAnthropic({
    cacheTtl: '5m',
    toolReferences: 'refused',

    apiKey: 'k',
    baseUrl: server.baseUrl.anthropic,
    models: knownTable,
    fallbacks: [],
    environment: {},
  });
  const failure = (await eventsOf(model.stream(request([prompt]), new AbortController().signal))).at(-1);
  expect(failure?.event === 'failed' && faultText(failure.fault)).toMatch(
    /rejected the request \(400\).* remove the rule that allows WebSearch, or set BRAVE_API_KEY/u,
  );
});
