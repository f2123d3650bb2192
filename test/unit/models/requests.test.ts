import {infoOf} from '../../support/model-info.ts';
import {withoutUnseen} from '../../../src/models/unseen-media.ts';
import {describe, expect, test} from 'vitest';
import {isJsonObject} from '../../../src/base/json.ts';
import type {AssistantBlock, Message, ResultContent, UserBlock} from '../../../src/domain/conversation.ts';
import {actionId, messageId} from '../../../src/domain/ids.ts';
import type {ModelRequest} from '../../../src/domain/model-stream.ts';
import {noUsage} from '../../../src/domain/usage.ts';
import {anthropicRequest} from '../../../src/models/anthropic-request.ts';
import {rowAt} from '../../../src/models/provider-rows.ts';
import {openAiRequest} from '../../../src/models/openai-request.ts';
import {ask, userSays} from '../../support/model-events.ts';

const user = (...blocks: readonly UserBlock[]): Message => ({role: 'user', id: messageId('u'), blocks});
const assistant = (...blocks: readonly AssistantBlock[]): Message => ({
  role: 'assistant',
  id: messageId('a'),
  model: 'm',
  blocks,
  stop: 'end-turn',
  usage: noUsage,
});
const png = {kind: 'image', mediaType: 'image/png', data: 'AAAA'} as const;
const text = (words: string): {readonly kind: 'text'; readonly text: string} => ({kind: 'text', text: words});

const conversation: readonly Message[] = [
  user(text('Look at this'), png),
  assistant(
    {kind: 'thinking', text: 'cut off', signature: ''},
    {kind: 'thinking', text: 'Hm.', signature: 'seal'},
    {kind: 'sealed-thinking', data: 'xyz'},
    {kind: 'other', type: 'server_tool_use', data: {id: 'srv_1', name: 'web_search', input: {query: 'a'}}},
    {kind: 'other', type: 'web_search_tool_result', data: {tool_use_id: 'srv_1', content: [{url: 'u'}]}},
    {kind: 'other', type: 'server_tool_use', data: {id: 'srv_2', name: 'cut off before its result', input: {}}},
    text(''),
    text('I look.'),
    {kind: 'tool-call', id: actionId('functions.Bash:0'), name: 'Bash', input: {command: 'ls'}},
    {kind: 'tool-call', id: actionId('b'), name: 'Read', input: '{"file'},
    {kind: 'tool-call', id: actionId('c'), name: 'Write', input: {}},
  ),
  user(
    {kind: 'tool-result', id: actionId('functions.Bash:0'), content: [text('a.png'), png], outcome: 'success'},
    {kind: 'tool-result', id: actionId('b'), content: [text('No such input.')], outcome: 'error'},
    {
      kind: 'tool-result',
      id: actionId('c'),
      content: [text('The user said no.')],
      outcome: 'cancelled',
      reason: 'declined',
    },
    text('Go on.'),
  ),
  assistant(text('Done.')),
  userSays('Thanks'),
];

const mark = {cache_control: {type: 'ephemeral'}};
const image = {type: 'image', source: {type: 'base64', media_type: 'image/png', data: 'AAAA'}};

const server = {host: 'x', provider: rowAt('https://x/v1'), echo: 'none'} as const;
const plain = {info: infoOf('small-model'), signatures: 'as-given', server} as const;

const written = (maxOutput: number) =>
  ({
    info: infoOf('small-model', {maxOutput}),
    cacheTtl: '5m',
    toolReferences: 'refused',
    host: 'other',
  }) as const;

const spec = (name: string, offered: 'from-the-start' | 'since-found') => ({
  name,
  description: name,
  inputSchema: {type: 'object'},
  offered,
});
const found = (name: string) => ({kind: 'text', text: `{"name":"${name}"}`, foundTool: name}) as const;

test('OpenRouter caches a conversation with Claude, because only marked requests are cached there', () => {
  const openRouter = {...plain, server: {...server, provider: rowAt('https://openrouter.ai/api/v1')}};
  const marked = (model: string, options: typeof openRouter): boolean =>
    'cache_control' in openAiRequest(ask('', {model}), options);
  expect([
    marked('anthropic/claude-sonnet-5.5', openRouter),
    marked('openai/gpt-6', openRouter),
    marked('claude-sonnet-5-5', {...openRouter, server: {...server, provider: rowAt('https://x/v1')}}),
  ]).toEqual([true, false, false]);
});

describe('Anthropic', () => {
  test('a schema has no choice at its root, and every property of the alternatives', () => {
    const schema = {
      properties: {a: {type: 'string'}},
      required: ['a'],
      anyOf: [{properties: {b: {type: 'number'}}, required: ['b']}, {properties: {c: {anyOf: [{type: 'null'}]}}}],
      $defs: {d: {type: 'string'}},
    };
    const tool = {...spec('Any', 'from-the-start'), inputSchema: schema};
    expect(anthropicRequest(ask('', {tools: [tool]}), written(1000)).tools).toEqual([
      {
        name: 'Any',
        description: 'Any',
        input_schema: {
          type: 'object',
          properties: {b: {type: 'number'}, c: {anyOf: [{type: 'null'}]}, a: {type: 'string'}},
          required: ['a'],
          $defs: {d: {type: 'string'}},
        },
      },
    ]);
  });

  test('the whole form', () => {
    expect(
      anthropicRequest(ask('', {messages: conversation}), {
        info: infoOf('small-model', {maxOutput: 1000}),
        cacheTtl: '5m',
        toolReferences: 'refused',
        host: 'official',
      }),
    ).toEqual({
      model: 'small-model',
      max_tokens: 1000,
      stream: true,
      system: [{type: 'text', text: 'Be brief.', ...mark}],
      tools: [
        {
          name: 'Bash',
          description: 'Runs a command.',
          input_schema: {type: 'object', properties: {command: {type: 'string'}}},
          ...mark,
        },
      ],
      messages: [
        {role: 'user', content: [{type: 'text', text: 'Look at this'}, image]},
        {
          role: 'assistant',
          content: [
            {type: 'thinking', thinking: 'Hm.', signature: 'seal'},
            {type: 'redacted_thinking', data: 'xyz'},
            {type: 'server_tool_use', id: 'srv_1', name: 'web_search', input: {query: 'a'}},
            {type: 'web_search_tool_result', tool_use_id: 'srv_1', content: [{url: 'u'}]},
            {type: 'text', text: 'I look.'},
            {type: 'tool_use', id: 'functions.Bash:0', name: 'Bash', input: {command: 'ls'}},
            {type: 'tool_use', id: 'b', name: 'Read', input: {invalid_input: '{"file'}},
            {type: 'tool_use', id: 'c', name: 'Write', input: {}},
          ],
        },
        {
          role: 'user',
          content: [
            {type: 'tool_result', tool_use_id: 'functions.Bash:0', content: [{type: 'text', text: 'a.png'}, image]},
            {type: 'tool_result', tool_use_id: 'b', content: [{type: 'text', text: 'No such input.'}], is_error: true},
            {
              type: 'tool_result',
              tool_use_id: 'c',
              content: [{type: 'text', text: 'The user said no.'}],
              is_error: true,
            },
            {type: 'text', text: 'Go on.', ...mark},
          ],
        },
        {role: 'assistant', content: [{type: 'text', text: 'Done.'}]},
        {role: 'user', content: [{type: 'text', text: 'Thanks', ...mark}]},
      ],
    });
  });

  test('another host gets no mark on a tool: that of the system prompt covers the tools', () => {
    const {tools, system} = anthropicRequest(ask(''), {
      info: infoOf('small-model', {maxOutput: 1000}),
      cacheTtl: '5m',
      toolReferences: 'refused',
      host: 'other',
    });
    expect(JSON.stringify(tools)).not.toContain('cache_control');
    expect(system).toEqual([{type: 'text', text: 'Be brief.', ...mark}]);
  });

  describe('tools that the model has found', () => {
    const tools = [
      spec('ToolSearch', 'from-the-start'),
      spec('add', 'since-found'),
      spec('sub', 'since-found'),
      {provided: 'searching'},
    ] as const;
    const sent = (manner: 'taken' | 'refused', ...content: readonly ResultContent[]) => {
      const messages = [
        userSays('Add.'),
        assistant({kind: 'tool-call', id: actionId('s'), name: 'ToolSearch', input: {query: 'add'}}),
        user({kind: 'tool-result', id: actionId('s'), content, outcome: 'success'}),
      ];
      const body = anthropicRequest(ask('', {messages, tools}), {
        info: infoOf('small-model', {maxOutput: 5}),
        cacheTtl: '5m',
        toolReferences: manner,
        host: 'official',
      });
      const [result] = Array.isArray(body.messages[2]?.content) ? body.messages[2].content : [];
      return {
        tools: body.tools?.map(tool => ({
          name: 'name' in tool ? tool.name : '',
          ...('defer_loading' in tool ? {deferred: tool.defer_loading} : {}),
          ...('cache_control' in tool ? {marked: true} : {}),
        })),
        result: result?.type === 'tool_result' ? result.content : undefined,
      };
    };
    const plainly = [{name: 'ToolSearch', marked: true}, {name: 'web_search'}];

    test('are referred to, and are no part of what the request begins with', () => {
      expect(sent('taken', found('add'))).toEqual({
        tools: [{name: 'ToolSearch', marked: true}, {name: 'add', deferred: true}, {name: 'web_search'}],
        result: [{type: 'tool_reference', tool_name: 'add'}],
      });
      expect(sent('taken', found('add'), found('sub'))).toEqual({
        tools: [
          {name: 'ToolSearch', marked: true},
          {name: 'add', deferred: true},
          {name: 'sub', deferred: true},
          {name: 'web_search'},
        ],
        result: [
          {type: 'tool_reference', tool_name: 'add'},
          {type: 'tool_reference', tool_name: 'sub'},
        ],
      });
    });

    test.each<readonly [string, 'taken' | 'refused', readonly ResultContent[]]>([
      ['the server knows no references', 'refused', [found('add')]],
      ['a tool is there no more', 'taken', [found('add'), found('gone')]],
      ['a tool was offered before', 'taken', [found('add'), found('ToolSearch')]],
      ['the conversation says it no more', 'taken', [text('[Shortened by weft]')]],
    ])('are told in words where %s', (_case, manner, content) => {
      expect(sent(manner, ...content)).toEqual({
        tools: plainly,
        result: content.map(block => ({type: 'text', text: block.kind === 'text' ? block.text : ''})),
      });
    });
  });

  test('an empty system prompt, no tools and empty messages are left out', () => {
    const request: ModelRequest = {
      model: 'm',
      system: '',
      tools: [],
      messages: [userSays('a'), assistant(text('  ')), userSays('b')],
      thinking: {kind: 'default'},
      maxTokens: 'default',
    };
    expect(anthropicRequest(request, written(5))).toEqual({
      model: 'm',
      max_tokens: 5,
      stream: true,
      messages: [
        {role: 'user', content: [{type: 'text', text: 'a', ...mark}]},
        {role: 'user', content: [{type: 'text', text: 'b', ...mark}]},
      ],
    });
  });
});

test('OpenAI: the whole form', () => {
  const url = {type: 'image_url', image_url: {url: 'data:image/png;base64,AAAA'}};
  expect(openAiRequest(ask('', {messages: conversation, tools: []}), plain)).toEqual({
    model: 'small-model',
    stream: true,
    stream_options: {include_usage: true},
    messages: [
      {role: 'system', content: 'Be brief.'},
      {role: 'user', content: [{type: 'text', text: 'Look at this'}, url]},
      {
        role: 'assistant',
        content: 'I look.',
        tool_calls: [
          {id: 'functions.Bash:0', type: 'function', function: {name: 'Bash', arguments: '{"command":"ls"}'}},
          {id: 'b', type: 'function', function: {name: 'Read', arguments: '{"invalid_input":"{\\"file"}'}},
          {id: 'c', type: 'function', function: {name: 'Write', arguments: '{}'}},
        ],
      },
      {role: 'tool', tool_call_id: 'functions.Bash:0', content: 'a.png'},
      {role: 'tool', tool_call_id: 'b', content: 'No such input.'},
      {role: 'tool', tool_call_id: 'c', content: 'The user said no.'},
      {
        role: 'user',
        content: [{type: 'text', text: 'From the result of functions.Bash:0:'}, url, {type: 'text', text: 'Go on.'}],
      },
      {role: 'assistant', content: 'Done.'},
      {role: 'user', content: 'Thanks'},
    ],
  });
});

test.each([
  {
    dialect: 'anthropic',
    build: (request: ModelRequest): object => anthropicRequest(request, written(1000)),
  },
  {dialect: 'openai', build: (request: ModelRequest): object => openAiRequest(request, plain)},
])(
  '$dialect: every request extends the one before it, cache marks aside, of which there are at most four',
  ({build}) => {
    let before: readonly unknown[] = [];
    for (const at of conversation.keys()) {
      const whole = JSON.stringify(build(ask('', {messages: conversation.slice(0, at + 1)})));
      expect(whole.split('"cache_control"').length - 1).toBeLessThanOrEqual(4);
      const bare: unknown = JSON.parse(whole, (key, value: unknown) => (key === 'cache_control' ? undefined : value));
      if (!isJsonObject(bare) || !Array.isArray(bare['messages'])) throw new Error(whole);
      const {messages, ...rest} = {...bare, messages: bare['messages']};
      expect([rest, ...messages.slice(0, Math.max(0, before.length - 1))]).toEqual(
        before.length === 0 ? [rest] : before,
      );
      before = [rest, ...messages];
    }
  },
);

describe('a PDF that was read', () => {
  const document = {kind: 'document', mediaType: 'application/pdf', name: 'a.pdf', data: 'JVBERi0='} as const;
  const call = {kind: 'tool-call', id: actionId('c1'), name: 'Read', input: {}} as const;
  const messages: readonly Message[] = [
    {role: 'user', id: messageId('u'), blocks: [{kind: 'text', text: 'Read it.'}]},
    {role: 'assistant', id: messageId('a'), model: 'm', blocks: [call], stop: 'tool-use', usage: noUsage},
    {
      role: 'user',
      id: messageId('r'),
      blocks: [
        {
          kind: 'tool-result',
          id: call.id,
          content: [{kind: 'text', text: 'a.pdf (PDF)'}, document],
          outcome: 'success',
        },
      ],
    },
  ];

  const last = (pdfs: 'sent' | 'named') =>
    openAiRequest(
      withoutUnseen(ask('', {messages}), {
        images: 'sent',
        pdfs,
        bounds: {largestImage: 99, longestSide: 'unbounded', maxImages: 9, maxMedia: 999},
      }),
      plain,
    ).messages.slice(-2);

  test('goes to Anthropic within the result', () => {
    expect(anthropicRequest(ask('', {messages}), written(1000)).messages[2]).toMatchObject({
      content: [
        {
          type: 'tool_result',
          content: [
            {type: 'text', text: 'a.pdf (PDF)'},
            {
              type: 'document',
              title: 'a.pdf',
              source: {type: 'base64', media_type: 'application/pdf', data: 'JVBERi0='},
            },
          ],
        },
      ],
    });
  });

  test('goes behind the results where the server takes files, and is named where not', () => {
    expect(last('sent')).toEqual([
      {role: 'tool', tool_call_id: 'c1', content: 'a.pdf (PDF)'},
      {
        role: 'user',
        content: [
          {type: 'text', text: 'From the result of c1:'},
          {type: 'file', file: {filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0='}},
        ],
      },
    ]);
    expect(last('named').at(-1)).toEqual({
      role: 'tool',
      tool_call_id: 'c1',
      content: expect.stringMatching(/^a\.pdf \(PDF\)\n\n\[a\.pdf was not sent: .*pdftotext\.\]$/u),
    });
  });
});
