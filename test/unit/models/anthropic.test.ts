import {modelTable} from '../../../src/models/model-facts.ts';
import {knownTable} from '../../support/model-info.ts';
import {expect, test} from 'vitest';
import type {ModelEvent} from '../../../src/domain/model-stream.ts';
import {actionId, messageId} from '../../../src/domain/ids.ts';
import {noUsage} from '../../../src/domain/usage.ts';
import {AnthropicDecoder} from '../../../src/models/anthropic-decoder.ts';
import {connectAnthropic} from '../../../src/models/anthropic.ts';
import {ask, blocksOf, eventsOf, userSays} from '../../support/model-events.ts';
import {call, fail, say, think, thinkSealed} from '../../support/model-script.ts';
import {answers, startModelServer} from '../../support/model-server.ts';

const never = (): AbortSignal => new AbortController().signal;
const endpoint = {name: 'It', baseUrl: 'http://x', keyVariable: 'KEY', urlVariable: 'URL'};

function decode(events: readonly object[]): readonly ModelEvent[] {
  const decoder = new AnthropicDecoder({endpoint, model: 'm', newId: () => 'new'});
  const out: ModelEvent[] = [];
  for (const event of events) expect(decoder.take(JSON.stringify(event), out)).toBeUndefined();
  if (!decoder.finished) decoder.end(out);
  return out;
}

test('sealed thinking comes through and goes back as it was', async () => {
  await using server = await startModelServer(answers([[thinkSealed('xyz'), think('Hm.', 's'), call('Bash', {})]]));
  const model = connectAnthropic({
    cacheTtl: '5m',
    toolReferences: 'refused',
    apiKey: 'k',
    baseUrl: server.baseUrl.anthropic,
    models: modelTable({'small-model': {maxOutput: 500}}),
    fallbacks: [],
    environment: {},
  });
  expect(blocksOf(await eventsOf(model.stream(ask('hi'), never())))).toEqual([
    {kind: 'sealed-thinking', data: 'xyz'},
    {kind: 'thinking', text: 'Hm.', signature: 's'},
    {kind: 'tool-call', id: 'toolu_1_2', name: 'Bash', input: {}},
  ]);
  expect(server.requests[0]?.body['max_tokens']).toBe(500);
});

test('servers that know only the older header get the key in it', async () => {
  await using server = await startModelServer(answers([say('a'), say('b')]));
  const model = connectAnthropic({
    cacheTtl: '5m',
    toolReferences: 'refused',
    apiKey: 'k1',
    baseUrl: server.baseUrl.anthropic,
    models: knownTable,
    fallbacks: [],
    environment: {},
  });
  await eventsOf(model.stream(ask('hi'), never()));
  await eventsOf(model.stream(ask('hi', {maxTokens: 50}), never()));
  const [request, bounded] = server.requests;
  expect(request?.headers['x-api-key']).toBe('k1');
  expect(request?.headers['content-type']).toBe('application/json');
  expect([request, bounded].map(each => each?.body['max_tokens'])).toEqual([8192, 50]);
});

test('a server that refuses references to tools is asked without them, from then on', async () => {
  const refusal = 'tools.1.custom.defer_loading: Extra inputs are not permitted';
  await using server = await startModelServer(answers([fail(400, {message: refusal}), say('a'), say('b')]));
  const model = connectAnthropic({
    cacheTtl: '5m',
    toolReferences: 'taken',
    apiKey: 'k',
    baseUrl: server.baseUrl.anthropic,
    models: knownTable,
    fallbacks: [],
    environment: {},
  });
  const content = [{kind: 'text', text: '{"name":"add"}', foundTool: 'add'}] as const;
  const request = ask('hi', {
    model: 'claude-sonnet-5-5',
    tools: [
      {name: 'ToolSearch', description: '', inputSchema: {}, offered: 'from-the-start'},
      {name: 'add', description: '', inputSchema: {}, offered: 'since-found'},
    ],
    messages: [
      userSays('Add.'),
      {
        role: 'assistant',
        id: messageId('a'),
        model: 'm',
        blocks: [{kind: 'tool-call', id: actionId('s'), name: 'ToolSearch', input: {}}],
        stop: 'tool-use',
        usage: noUsage,
      },
      {
        role: 'user',
        id: messageId('u'),
        blocks: [{kind: 'tool-result', id: actionId('s'), content, outcome: 'success'}],
      },
    ],
  });
  const texts = [await eventsOf(model.stream(request, never())), await eventsOf(model.stream(request, never()))];
  expect(texts.map(blocksOf)).toEqual([[{kind: 'text', text: 'a'}], [{kind: 'text', text: 'b'}]]);
  const refers = server.requests.map(({body}) => /defer_loading|tool_reference/u.test(JSON.stringify(body)));
  expect(refers).toEqual([true, false, false]);
});

test('a redirect is not followed but named', async () => {
  await using server = await startModelServer(answers([fail(308, {headers: {location: 'https://there/'}, body: ''})]));
  const baseUrl = server.baseUrl.anthropic;
  const events = await eventsOf(
    connectAnthropic({
      cacheTtl: '5m',
      toolReferences: 'refused',
      apiKey: 'k',
      baseUrl,
      models: knownTable,
      fallbacks: [],
      environment: {},
    }).stream(ask('hi'), never()),
  );
  expect(events).toEqual([
    {
      event: 'failed',
      fault: {
        kind: 'provider',
        message: `${baseUrl} redirects to https://there/ (308).`,
        fix: 'Use that address as the base URL.',
        status: 308,
        refusal: {kind: 'other'},
      },
    },
  ]);
});

test('usage numbers are cumulative, unknown events and deltas are passed over, and unknown blocks are kept', () => {
  const events = decode([
    {
      type: 'message_start',
      message: {id: 'm1', model: 'm', usage: {input_tokens: 3, output_tokens: 1, cache_read_input_tokens: 4}},
    },
    {type: 'brand_new'},
    {type: 'content_block_start', index: 0, content_block: {type: 'server_tool_use', id: 'x', name: 'web', input: {}}},
    {type: 'content_block_delta', index: 0, delta: {type: 'input_json_delta', partial_json: '{"q"'}},
    {type: 'content_block_delta', index: 0, delta: {type: 'input_json_delta', partial_json: ':1}'}},
    {type: 'content_block_stop', index: 0},
    {type: 'content_block_start', index: 1, content_block: {type: 'text', text: 'So'}},
    {type: 'content_block_delta', index: 1, delta: {type: 'citations_delta', citation: {}}},
    {type: 'content_block_delta', index: 1, delta: {type: 'text_delta', text: '.'}},
    {type: 'content_block_delta', index: 9, delta: {type: 'text_delta', text: 'lost'}},
    {type: 'content_block_delta'},
    {type: 'content_block_stop', index: 1},
    {type: 'message_delta', delta: {stop_reason: 'end_turn'}, usage: {output_tokens: 8, input_tokens: null}},
  ]);
  expect(blocksOf(events)).toEqual([
    {kind: 'other', type: 'server_tool_use', data: {id: 'x', name: 'web', input: {q: 1}}},
    {kind: 'text', text: 'So.'},
  ]);
  expect(events.at(-1)).toEqual({
    event: 'message-finished',
    stop: 'end-turn',
    usage: {inputTokens: 3, outputTokens: 8, cacheReadTokens: 4, cacheWriteTokens: 0},
  });
});

test('a message that starts twice is one, and counts what it said first', () => {
  const events = decode([
    {type: 'message_start', message: {id: 'm1', model: 'm', usage: {input_tokens: 3, output_tokens: 1}}},
    {type: 'message_start', message: {id: 'm2', model: 'other', usage: {input_tokens: 50, output_tokens: 60}}},
    {type: 'message_delta', delta: {stop_reason: 'end_turn'}},
    {type: 'message_stop'},
  ]);
  const usage = {inputTokens: 3, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0};
  expect(events).toEqual([
    {event: 'message-started', id: 'm1', model: 'm', usage},
    {event: 'message-finished', stop: 'end-turn', usage},
  ]);
});

test('what a block that is no text cites is left out', () => {
  const citation = {type: 'web_search_result_location', url: 'https://a.example/', title: 'A'};
  const cites = (index: number) => ({
    type: 'content_block_delta',
    index,
    delta: {type: 'citations_delta', citation},
  });
  const events = decode([
    {type: 'content_block_start', index: 0, content_block: {type: 'thinking', thinking: 'Hm.', signature: 's'}},
    cites(0),
    {type: 'content_block_start', index: 1, content_block: {type: 'tool_use', id: 'c', name: 'Bash'}},
    {type: 'content_block_delta', index: 1, delta: {type: 'input_json_delta', partial_json: '{"command":"ls"}'}},
    cites(1),
    {type: 'message_stop'},
  ]);
  expect(blocksOf(events)).toEqual([
    {kind: 'thinking', text: 'Hm.', signature: 's'},
    {kind: 'tool-call', id: 'c', name: 'Bash', input: {command: 'ls'}},
  ]);
});

test.each([
  ['end_turn', 'end-turn'],
  ['stop_sequence', 'end-turn'],
  ['pause_turn', 'paused'],
  ['tool_use', 'tool-use'],
  ['max_tokens', 'max-tokens'],
  ['refusal', 'refusal'],
  ['model_context_window_exceeded', 'context-full'],
  ['something_new', 'end-turn'],
])('stop reason %s is %s', (wire, stop) => {
  const events = decode([
    {type: 'message_start', message: {id: 'm1'}},
    {type: 'message_delta', delta: {stop_reason: wire}, usage: {output_tokens: 1}},
    {type: 'message_stop'},
  ]);
  expect(events.at(-1)).toMatchObject({event: 'message-finished', stop});
});

const explained = (details: object): unknown =>
  decode([
    {type: 'message_start', message: {id: 'm1'}},
    {type: 'message_delta', delta: {stop_reason: 'refusal', stop_details: {type: 'refusal', ...details}}},
    {type: 'message_stop'},
  ]).at(-1);

test('a refusal says why', () => {
  const end = {event: 'message-finished', stop: 'refusal', usage: noUsage};
  expect(explained({category: 'cyber', explanation: 'It could harm.'})).toEqual({
    ...end,
    explanation: 'It could harm.',
  });
  expect(explained({category: 'cyber', explanation: null})).toEqual({...end, explanation: 'cyber'});
  expect(explained({category: null, explanation: null})).toEqual(end);
});

test('a block of a kind that nobody knows yet comes through with all its pieces, and each piece as it was', () => {
  const pieces = [
    {type: 'verse_delta', verse: 'One '},
    {type: 'verse_delta', verse: 'two.', metre: {feet: 5}},
  ];
  const events = decode([
    {type: 'message_start', message: {id: 'm1'}},
    {type: 'content_block_start', index: 0, content_block: {type: 'poem', verse: 'Zero ', title: 'T', metre: null}},
    ...pieces.map(delta => ({type: 'content_block_delta', index: 0, delta})),
    {type: 'content_block_stop', index: 0},
    {type: 'content_block_start', index: 1, content_block: {type: 7}},
    {type: 'message_stop'},
  ]);
  const whole = {verse: 'Zero One two.', title: 'T', metre: {feet: 5}};
  expect(events.slice(1, -1)).toEqual([
    {
      event: 'block-started',
      index: 0,
      block: {kind: 'other', type: 'poem', data: {verse: 'Zero ', title: 'T', metre: null}},
    },
    ...pieces.map(({type, ...data}) => ({event: 'block-delta', index: 0, delta: {kind: 'other', type, data}})),
    {event: 'block-finished', index: 0, block: {kind: 'other', type: 'poem', data: whole}},
  ]);
});

test('an answer in one piece is read like its stream', () => {
  const usage = {input_tokens: 3, output_tokens: 9};
  const blocks = [
    {type: 'thinking', thinking: 'Hm.', signature: 's'},
    {type: 'text', text: 'Hello'},
    {type: 'tool_use', id: 'toolu_1', name: 'Bash', input: {command: 'ls'}},
  ];
  const whole = {
    type: 'message',
    id: 'm1',
    model: 'm',
    role: 'assistant',
    content: blocks,
    stop_reason: 'tool_use',
    usage,
  };
  expect(decode([whole])).toEqual(
    decode([
      {type: 'message_start', message: {...whole, content: []}},
      ...blocks.flatMap((content_block, index) => [
        {type: 'content_block_start', index, content_block},
        {type: 'content_block_stop', index},
      ]),
      {type: 'message_delta', delta: {stop_reason: 'tool_use'}, usage},
      {type: 'message_stop'},
    ]),
  );
  expect(decode([whole]).at(-1)).toMatchObject({event: 'message-finished', stop: 'tool-use'});
});
