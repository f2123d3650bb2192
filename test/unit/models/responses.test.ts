import {infoOf, knownTable} from '../../support/model-info.ts';
import {expect, test} from 'vitest';
import {actionId, messageId} from '../../../src/domain/ids.ts';
import type {AssistantMessage, Message} from '../../../src/domain/conversation.ts';
import {noUsage} from '../../../src/domain/usage.ts';
import {anthropicRequest} from '../../../src/models/anthropic-request.ts';
import {connectOpenAi} from '../../../src/models/openai.ts';
import {rowAt} from '../../../src/models/provider-rows.ts';
import {openAiRequest} from '../../../src/models/openai-request.ts';
import {judgeRefusal} from '../../../src/models/refusals.ts';
import {ResponsesDecoder} from '../../../src/models/responses-decoder.ts';
import {responsesRequest} from '../../../src/models/responses-request.ts';
import type {ModelEvent, ModelRequest} from '../../../src/domain/model-stream.ts';
import {ask, blocksOf, eventsOf} from '../../support/model-events.ts';
import {fail, say, think} from '../../support/model-script.ts';
import {answers, startModelServer} from '../../support/model-server.ts';
import * as fc from 'fast-check';
import {randomInputs} from '../../support/random-inputs.ts';

const options = {info: infoOf('gpt-5.2'), summaries: 'wanted'} as const;
const endpoint = {name: 'OpenAI', baseUrl: '', keyVariable: '', urlVariable: ''};

const prompt: Message = {role: 'user', id: messageId('u1'), blocks: [{kind: 'text', text: 'Tidy up.'}]};
const reasoning = {
  kind: 'other',
  type: 'reasoning',
  data: {id: 'rs_1', summary: [], encrypted_content: 'sealed'},
} as const;
const answer: AssistantMessage = {
  role: 'assistant',
  id: messageId('resp_1'),
  model: 'gpt-5.2-2025-12-11',
  blocks: [
    {kind: 'thinking', text: 'Let me look.', signature: ''},
    reasoning,
    {kind: 'text', text: 'Looking.'},
    {kind: 'tool-call', id: actionId('call_1'), name: 'Bash', input: {command: 'ls'}},
  ],
  stop: 'tool-use',
  usage: noUsage,
};
const result: Message = {
  role: 'user',
  id: messageId('u2'),
  blocks: [{kind: 'tool-result', id: actionId('call_1'), content: [{kind: 'text', text: 'a.ts'}], outcome: 'success'}],
};

const request = (model: string, ...messages: readonly Message[]): ModelRequest => ({
  model,
  system: 'Be brief.',
  tools: [
    {name: 'Bash', description: 'Runs.', inputSchema: {type: 'object'}, offered: 'from-the-start'},
    {provided: 'searching'},
  ],
  messages,
  thinking: {kind: 'default'},
  maxTokens: 'default',
});

test('the whole conversation is sent each time, stored nowhere, with the reasoning that the model may go on with', () => {
  expect(
    responsesRequest(request('gpt-5.2', prompt, answer, result), {
      ...options,
      info: infoOf('gpt-5.2', {effort: 'high'}),
    }),
  ).toEqual({
    model: 'gpt-5.2',
    instructions: 'Be brief.',
    input: [
      {role: 'user', content: 'Tidy up.'},
      {type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'sealed'},
      {role: 'assistant', content: 'Looking.'},
      {type: 'function_call', call_id: 'call_1', name: 'Bash', arguments: '{"command":"ls"}'},
      {type: 'function_call_output', call_id: 'call_1', output: 'a.ts'},
    ],
    tools: [
      {type: 'function', name: 'Bash', description: 'Runs.', parameters: {type: 'object'}, strict: false},
      {type: 'web_search'},
    ],
    reasoning: {effort: 'high', summary: 'auto'},
    include: ['reasoning.encrypted_content'],
    text: {verbosity: 'low'},
    prompt_cache_key: 'u1',
    store: false,
    stream: true,
  });
});

test('reasoning goes back to no other model, to no other API, and not without what followed it', () => {
  const typesFor = (model: string, ...messages: readonly Message[]) => {
    const {input} = responsesRequest(request(model, ...messages), options);
    return Array.isArray(input) ? input.map(item => item.type ?? 'message') : input;
  };
  expect(typesFor('gpt-5.2-mini', prompt, answer, result)).toEqual([
    'message',
    'message',
    'function_call',
    'function_call_output',
  ]);
  expect(typesFor('gpt-5.2', prompt, {...answer, blocks: [reasoning], stop: 'interrupted'}, prompt)).toEqual([
    'message',
    'message',
  ]);
  const chat = openAiRequest(request('gpt-5.2', prompt, answer, result), {
    ...options,
    signatures: 'wanted',
    server: {host: 'x', provider: rowAt('https://x/v1'), echo: 'none'},
  });
  const messages = anthropicRequest(request('claude', prompt, answer, result), {
    ...options,
    info: infoOf('claude', {maxOutput: 9}),
    cacheTtl: '5m',
    toolReferences: 'refused',
    host: 'other',
  });
  expect(JSON.stringify([chat, messages])).not.toContain('sealed');
});

test('models that do not reason are not asked to', () => {
  for (const model of ['gpt-4.1', 'gpt-5-chat-latest', 'local']) {
    const {reasoning: asked, include} = responsesRequest(request(model, prompt), {...options, info: infoOf(model)});
    expect([asked, include]).toEqual([undefined, undefined]);
  }
});

test('images and documents of results go where the call is answered', () => {
  const media: Message = {
    role: 'user',
    id: messageId('u2'),
    blocks: [
      {
        kind: 'tool-result',
        id: actionId('call_1'),
        content: [
          {kind: 'image', mediaType: 'image/png', data: 'AAAA'},
          {kind: 'document', mediaType: 'application/pdf', name: 'a.pdf', data: 'BBBB'},
        ],
        outcome: 'success',
      },
    ],
  };
  const {input} = responsesRequest(request('gpt-5.2', prompt, answer, media), options);
  expect(Array.isArray(input) ? input.at(-1) : input).toEqual({
    type: 'function_call_output',
    call_id: 'call_1',
    output: [
      {type: 'input_image', image_url: 'data:image/png;base64,AAAA', detail: 'auto'},
      {type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,BBBB'},
    ],
  });
});

test('the answer is bounded where it is asked to be', () => {
  const asking = {...request('gpt-5.2', prompt), maxTokens: 50};
  expect(responsesRequest(asking, options).max_output_tokens).toBe(50);
  expect(responsesRequest(asking, {...options, info: infoOf('gpt-5.2', {maxOutput: 9})}).max_output_tokens).toBe(9);
});

test('an account that may not see summaries of the reasoning is asked without them, from then on', async () => {
  const refusal = 'Your organization must be verified to generate reasoning summaries. (reasoning.summary)';
  await using server = await startModelServer(answers([fail(400, {message: refusal}), say('a'), say('b')]));
  const model = connectOpenAi({
    apiKey: 'k',
    baseUrl: server.baseUrl.responses,
    environment: {},
    models: knownTable,
    fallbacks: [],
    wireApi: 'responses',
  });
  const signal = new AbortController().signal;
  const asking = {...ask('hi'), model: 'gpt-5.2'};
  const texts = [await eventsOf(model.stream(asking, signal)), await eventsOf(model.stream(asking, signal))];
  expect(texts.map(blocksOf)).toEqual([[{kind: 'text', text: 'a'}], [{kind: 'text', text: 'b'}]]);
  expect(server.requests.map(({body}) => body['reasoning'])).toEqual([
    {effort: 'medium', summary: 'auto'},
    {effort: 'medium'},
    {effort: 'medium'},
  ]);
});

test('other addresses than OpenAI hear chat completions, unless the settings say otherwise', async () => {
  await using server = await startModelServer(answers([say('a')]));
  const model = connectOpenAi({
    apiKey: 'k',
    baseUrl: server.baseUrl.openai,
    environment: {},
    models: knownTable,
    fallbacks: [],
    wireApi: 'auto',
  });
  await eventsOf(model.stream(ask('hi'), new AbortController().signal));
  expect([server.requests[0]?.dialect, model.searchesWeb]).toEqual(['openai', false]);
});

const decode = (events: readonly object[]) => {
  const decoder = new ResponsesDecoder({endpoint, model: 'gpt-5.2', newId: () => 'x'});
  const out: ModelEvent[] = [];
  const error = events.map(event => decoder.take(JSON.stringify(event), out)).find(each => each !== undefined);
  return {out, error, finished: decoder.finished};
};

const cites = (url: string) => ({type: 'url_citation', url, title: 'Tea', start_index: 0, end_index: 3});

test('a search and what the text cites are kept as they came, and shown as links where the text has none', () => {
  const search = {type: 'web_search_call', id: 'ws_1', status: 'completed', action: {type: 'search', query: 'tea'}};
  const {out} = decode([
    {type: 'response.created', response: {id: 'resp_1', model: 'gpt-5.2'}},
    {type: 'response.output_item.added', output_index: 0, item: {...search, status: 'in_progress'}},
    {type: 'response.output_item.done', output_index: 0, item: search},
    {type: 'response.output_text.delta', output_index: 1, content_index: 0, delta: 'Green [a](https://a.example/).'},
    {type: 'response.output_text.annotation.added', output_index: 1, annotation: cites('https://a.example/')},
    {type: 'response.output_text.annotation.added', output_index: 1, annotation: cites('https://b.example/')},
    {type: 'response.output_item.done', output_index: 1, item: {type: 'message'}},
    {type: 'response.completed', response: {}},
  ]);
  const {type, ...data} = search;
  expect(blocksOf(out)).toEqual([
    {kind: 'other', type, data},
    {
      kind: 'text',
      text: 'Green [a](https://a.example/). ([Tea](https://b.example/))',
      cited: {
        text: 'Green [a](https://a.example/).',
        citations: [cites('https://a.example/'), cites('https://b.example/')],
      },
    },
  ]);
});

test('parts of a summary are paragraphs; an item that was not streamed is taken whole', () => {
  const {out} = decode([
    {type: 'response.reasoning_summary_text.delta', output_index: 0, summary_index: 0, delta: 'First.'},
    {type: 'response.reasoning_summary_text.delta', output_index: 0, summary_index: 1, delta: 'Second.'},
    {type: 'response.output_item.done', output_index: 0, item: {type: 'reasoning', summary: []}},
    {
      type: 'response.output_item.done',
      output_index: 1,
      item: {type: 'message', content: [{type: 'output_text', text: 'Whole.', annotations: []}]},
    },
    {
      type: 'response.output_item.done',
      output_index: 2,
      item: {type: 'function_call', call_id: 'c', name: 'Bash', arguments: '{"command":"ls"}'},
    },
    {type: 'response.completed', response: {}},
  ]);
  expect(blocksOf(out)).toEqual([
    {kind: 'thinking', text: 'First.\n\nSecond.', signature: ''},
    {kind: 'text', text: 'Whole.'},
    {kind: 'tool-call', id: 'c', name: 'Bash', input: {command: 'ls'}},
  ]);
  expect(out.at(-1)).toMatchObject({event: 'message-finished', stop: 'tool-use'});
});

const meaning = (event: object): string | undefined => {
  const {error} = decode([event]);
  return error?.kind === 'refused' ? judgeRefusal(error, endpoint, {model: 'm', tools: []}).error.kind : error?.kind;
};

test('failures in the middle of a stream are told apart: too long a conversation is final, an overload passes', () => {
  const failure = (code: string) => meaning({type: 'response.failed', response: {error: {code, message: 'No.'}}});
  expect([failure('context_length_exceeded'), failure('invalid_prompt'), failure('server_error')]).toEqual([
    'final',
    'final',
    'passing',
  ]);
  expect(meaning({type: 'error', code: 'rate_limit_exceeded', message: 'Slow down.'})).toBe('passing');
});

test('the whole response of a server that does not stream says the same as its stream', async () => {
  const script = answers([
    [think('Hm.', 'seal'), say('Yes.')],
    [think('Hm.', 'seal'), say('Yes.')],
  ]);
  const blocksBy = async (streaming: 'honoured' | 'ignored') => {
    await using server = await startModelServer(script, {streaming});
    const model = connectOpenAi({
      apiKey: 'k',
      baseUrl: server.baseUrl.responses,
      environment: {},
      models: knownTable,
      fallbacks: [],
      wireApi: 'responses',
    });
    return blocksOf(await eventsOf(model.stream(ask('hi'), new AbortController().signal)));
  };
  expect(await blocksBy('ignored')).toEqual(await blocksBy('honoured'));
});

test('items that only the final event has are taken from there, and an input may be an object', () => {
  const output = [
    {type: 'message', content: [{type: 'output_text', text: 'I look.'}]},
    {type: 'function_call', call_id: 'a', name: 'Bash', arguments: {command: 'ls'}},
  ];
  const {out} = decode([{type: 'response.completed', response: {output}}]);
  expect([blocksOf(out), out.at(-1)]).toMatchObject([
    [
      {kind: 'text', text: 'I look.'},
      {kind: 'tool-call', id: 'a', input: {command: 'ls'}},
    ],
    {event: 'message-finished', stop: 'tool-use'},
  ]);
});

test('whatever a server sends, nothing throws, and the blocks that begin are those that end', () => {
  const types = [
    'response.created',
    'response.output_item.added',
    'response.output_item.done',
    'response.output_text.delta',
    'response.reasoning_summary_text.delta',
    'response.output_text.annotation.added',
    'response.function_call_arguments.delta',
  ];
  const event = fc.record(
    {
      type: fc.constantFrom(...types),
      output_index: fc.nat(3),
      delta: fc.oneof(fc.string(), fc.jsonValue()),
      annotation: fc.jsonValue(),
      item: fc.oneof(
        fc.jsonValue(),
        fc.record({
          type: fc.constantFrom('message', 'function_call', 'reasoning', 'web_search_call'),
          content: fc.jsonValue(),
        }),
      ),
    },
    {requiredKeys: ['type']},
  );
  fc.assert(
    fc.property(fc.array(event), events => {
      const {out, finished} = decode([...events, {type: 'response.completed', response: {}}]);
      const at = (kind: 'block-started' | 'block-finished') =>
        out.flatMap(each => (each.event === kind ? [each.index] : [])).toSorted((a, b) => a - b);
      expect(finished).toBe(true);
      expect(at('block-started')).toEqual(at('block-finished'));
      expect(new Set(at('block-started')).size).toBe(at('block-started').length);
    }),
    {numRuns: randomInputs(500)},
  );
});

const patch = '*** Begin Patch\n*** Delete File: a "b".ts\n*** End Patch';
const editor = {
  name: 'apply_patch',
  description: 'Edits.',
  inputSchema: {type: 'object', properties: {input: {type: 'string'}}, required: ['input']},
  grammar: 'start: "x"',
  offered: 'from-the-start',
} as const;

/** A conversation with a patch, in a request that offers the tool. */
const patched = (model: string): ModelRequest => {
  const call = {kind: 'tool-call', id: actionId('call_1'), name: 'apply_patch', input: {input: patch}} as const;
  return {...request(model, prompt, {...answer, model, blocks: [call]}, result), tools: [editor]};
};

test('a tool with a grammar is offered as free text, and its calls and results go back like that', () => {
  expect(responsesRequest(patched('gpt-5.2'), options)).toMatchObject({
    tools: [
      {
        type: 'custom',
        name: 'apply_patch',
        description: 'Edits.',
        format: {type: 'grammar', syntax: 'lark', definition: 'start: "x"'},
      },
    ],
    input: [
      {role: 'user', content: 'Tidy up.'},
      {type: 'custom_tool_call', call_id: 'call_1', name: 'apply_patch', input: patch},
      {type: 'custom_tool_call_output', call_id: 'call_1', output: 'a.ts'},
    ],
  });
});

test('a model without such tools gets a function with the same field', () => {
  expect(responsesRequest(patched('o4-mini'), options)).toMatchObject({
    tools: [{type: 'function', name: 'apply_patch', strict: false}],
    input: [
      {role: 'user'},
      {type: 'function_call', name: 'apply_patch', arguments: JSON.stringify({input: patch})},
      {type: 'function_call_output'},
    ],
  });
});

/** The events of an answer with a patch, whose text comes in these pieces. */
const patchEvents = (...pieces: readonly string[]): readonly string[] => {
  const item = {type: 'custom_tool_call', id: 'ctc_1', call_id: 'call_1', name: 'apply_patch'};
  return [
    {type: 'response.created', response: {id: 'resp_1', model: 'gpt-5.2'}},
    {type: 'response.output_item.added', output_index: 0, item: {...item, input: ''}},
    ...pieces.map(delta => ({type: 'response.custom_tool_call_input.delta', output_index: 0, delta})),
    {type: 'response.custom_tool_call_input.done', output_index: 0, input: patch},
    {type: 'response.output_item.done', output_index: 0, item: {...item, input: patch}},
    {type: 'response.completed', response: {}},
  ].map(event => JSON.stringify(event));
};

test.each([
  ['in one piece', [patch]],
  ['in pieces', [patch.slice(0, 5), patch.slice(5, 40), patch.slice(40)]],
  ['without deltas', []],
])('a text for a tool is read %s', (_how, pieces) => {
  const decoder = new ResponsesDecoder({endpoint, model: 'gpt-5.2', newId: () => '1'});
  const events: ModelEvent[] = [];
  for (const event of patchEvents(...pieces)) decoder.take(event, events);
  expect(blocksOf(events)).toEqual([{kind: 'tool-call', id: 'call_1', name: 'apply_patch', input: {input: patch}}]);
  expect(events.at(-1)).toMatchObject({event: 'message-finished', stop: 'tool-use'});
});

const added = (n: string, more: object) => ({
  type: 'response.output_item.added',
  item: {type: 'function_call', id: `fc_${n}`, call_id: `call_${n}`, name: 'Bash', arguments: ''},
  ...more,
});
const grows = (n: string, text: string, more: object) => ({
  type: 'response.function_call_arguments.delta',
  item_id: `fc_${n}`,
  delta: text,
  ...more,
});
const done = (n: string, more: object) => ({
  type: 'response.output_item.done',
  item: {type: 'function_call', id: `fc_${n}`, call_id: `call_${n}`, name: 'Bash', arguments: `{"command":"${n}"}`},
  ...more,
});

test.each([
  ['have no index', {}],
  ['have the same index', {output_index: 0}],
])('items that grow side by side belong together by their ids if they %s', (_name, more) => {
  const {out, finished} = decode([
    added('a', more),
    added('b', more),
    grows('a', '{"comm', more),
    grows('b', '{"command":', more),
    grows('a', 'and":"a"}', more),
    grows('b', '"b"}', more),
    done('a', more),
    done('b', more),
    {type: 'response.completed', response: {}},
  ]);
  expect([finished, blocksOf(out)]).toEqual([
    true,
    [
      {kind: 'tool-call', id: 'call_a', name: 'Bash', input: {command: 'a'}},
      {kind: 'tool-call', id: 'call_b', name: 'Bash', input: {command: 'b'}},
    ],
  ]);
});
