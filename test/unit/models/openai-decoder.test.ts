import {describe, expect, test} from 'vitest';
import type {ModelEvent} from '../../../src/domain/model-stream.ts';
import {noUsage} from '../../../src/domain/usage.ts';
import {OpenAiDecoder} from '../../../src/models/openai-decoder.ts';
import {blocksOf} from '../../support/model-events.ts';

const endpoint = {name: 'It', baseUrl: 'http://x/v1', keyVariable: 'KEY', urlVariable: 'URL'};

function decode(chunks: readonly unknown[], emptyThinking: 'kept' | 'dropped' = 'dropped'): readonly ModelEvent[] {
  let made = 0;
  const decoder = new OpenAiDecoder({endpoint, model: 'm', newId: () => `new${++made}`, emptyThinking});
  const out: ModelEvent[] = [];
  for (const chunk of chunks) {
    const trouble = decoder.take(typeof chunk === 'string' ? chunk : JSON.stringify(chunk), out);
    if (trouble !== undefined) throw new Error(JSON.stringify(trouble));
  }
  if (!decoder.finished) decoder.end(out);
  return out;
}

const delta = (content: object): object => ({
  id: 'c',
  model: 'm',
  choices: [{index: 0, delta: content, finish_reason: null}],
});
const calls = (...list: readonly object[]): object => delta({tool_calls: list});
const done = {choices: [{index: 0, delta: {}, finish_reason: 'tool_calls'}]};
const ls = {kind: 'tool-call', id: 'a', name: 'Bash', input: {command: 'ls'}};
const read = {kind: 'tool-call', id: 'b', name: 'Read', input: {file_path: 'x'}};

describe('tool calls as servers send them', () => {
  test.each([
    {
      name: 'numbered, in pieces, side by side',
      chunks: [
        calls(
          {index: 0, id: 'a', function: {name: 'Bash', arguments: ''}},
          {index: 1, id: 'b', function: {name: 'Read'}},
        ),
        calls({index: 0, function: {arguments: '{"comma'}}),
        calls({index: 1, function: {arguments: '{"file_path"'}}),
        calls({index: 0, function: {arguments: 'nd":"ls"}'}}),
        calls({index: 1, function: {arguments: ':"x"}'}}),
      ],
    },
    {
      name: 'whole, in one delta',
      chunks: [
        calls(
          {index: 0, id: 'a', function: {name: 'Bash', arguments: '{"command":"ls"}'}},
          {index: 1, id: 'b', function: {name: 'Read', arguments: '{"file_path":"x"}'}},
        ),
      ],
    },
    {
      name: 'all with the same number',
      chunks: [
        calls({index: 0, id: 'a', function: {name: 'Bash', arguments: '{"command":"ls"}'}}),
        calls({index: 0, id: 'b', function: {name: 'Read', arguments: '{"file_path"'}}),
        calls({index: 0, id: 'b', function: {arguments: ':"x"}'}}),
      ],
    },
    {
      name: 'without numbers',
      chunks: [
        calls({id: 'a', function: {name: 'Bash', arguments: '{"command"'}}),
        calls({function: {arguments: ':"ls"}'}}),
        calls({id: 'b', function: {name: 'Read', arguments: '{"file_path":"x"}'}}),
      ],
    },
    {
      name: 'with id and name repeated',
      chunks: [
        calls({index: 0, id: 'a', function: {name: 'Bash', arguments: '{"command"'}}),
        calls({index: 0, id: 'a', function: {name: 'Bash', arguments: ':"ls"}'}}),
        calls({index: 1, id: 'b', function: {name: 'Read', arguments: ''}}),
        calls({index: 1, id: 'b', function: {name: 'Read', arguments: '{"file_path":"x"}'}}),
      ],
    },
    {
      name: 'with the name after the input began',
      chunks: [
        calls({index: 0, id: 'a', function: {arguments: '{"command"'}}),
        calls({index: 0, function: {name: 'Bash', arguments: ':"ls"}'}}),
        calls({index: 1, id: 'b', function: {name: 'Read', arguments: {file_path: 'x'}}}),
      ],
    },
  ])('$name', ({chunks}) => {
    const events = decode([...chunks, done, '[DONE]']);
    expect(blocksOf(events)).toEqual([ls, read]);
    expect(events.at(-1)).toMatchObject({event: 'message-finished', stop: 'tool-use'});
  });

  test('without ids and numbers they get ids', () => {
    const chunks = [
      calls({function: {name: 'Bash', arguments: '{"command"'}}),
      calls({function: {name: 'Bash', arguments: ':"ls"}'}}),
      calls({function: {name: 'Bash', arguments: '{"command":"pwd"}'}}),
    ];
    expect(blocksOf(decode([...chunks, done]))).toEqual([
      {kind: 'tool-call', id: 'call_new1', name: 'Bash', input: {command: 'ls'}},
      {kind: 'tool-call', id: 'call_new2', name: 'Bash', input: {command: 'pwd'}},
    ]);
  });
});

test('thinking, text, calls and text again are blocks in order', () => {
  const chunks = [
    delta({role: 'assistant', content: ''}),
    delta({reasoning: 'Hm'}),
    delta({reasoning_content: '.', content: null}),
    delta({content: 'I'}),
    delta({content: ' look.'}),
    calls({index: 0, id: 'a', function: {name: 'Bash', arguments: '{"command":"ls"}'}}),
    delta({content: 'Wait.'}),
  ];
  const events = decode([...chunks, {choices: [{delta: {}, finish_reason: 'stop'}]}]);
  const blocks = events.flatMap(event => (event.event === 'block-finished' ? [[event.index, event.block]] : []));
  expect(blocks).toEqual([
    [
      0,
      {
        kind: 'thinking',
        text: 'Hm.',
        signature: '',
        source: {host: 'x', model: 'm', field: 'reasoning_content', details: []},
      },
    ],
    [1, {kind: 'text', text: 'I look.'}],
    [3, {kind: 'text', text: 'Wait.'}],
    [2, ls],
  ]);
  expect(events.at(-1)).toMatchObject({event: 'message-finished', stop: 'tool-use'});
});

test('an empty thinking field is kept if it has to go back, unless other thinking came', () => {
  const chunks = [delta({reasoning: '', content: ''}), delta({content: 'I look.'}), done];
  const texts = [{kind: 'text', text: 'I look.'}];
  const source = {host: 'x', model: 'm', field: 'reasoning', details: []};
  expect(blocksOf(decode(chunks))).toEqual(texts);
  expect(blocksOf(decode(chunks, 'kept'))).toEqual([...texts, {kind: 'thinking', text: '', signature: '', source}]);
  expect(blocksOf(decode([delta({reasoning: 'Hm.'}), ...chunks], 'kept'))).toEqual([
    {kind: 'thinking', text: 'Hm.', signature: '', source},
    ...texts,
  ]);
});

test('usage counts every token once', () => {
  const usage = {
    prompt_tokens: 100,
    completion_tokens: 7,
    prompt_tokens_details: {cached_tokens: 60, cache_write_tokens: 10},
  };
  const events = decode([{choices: [{delta: {content: 'x'}, finish_reason: 'stop'}]}, {choices: [], usage}, '[DONE]']);
  expect(events.at(-1)).toEqual({
    event: 'message-finished',
    stop: 'end-turn',
    usage: {inputTokens: 30, outputTokens: 7, cacheReadTokens: 60, cacheWriteTokens: 10},
  });
});

test.each([
  {details: {cached_tokens: 150}, counts: [0, 100, 0]},
  {details: {cached_tokens: 60, cache_write_tokens: 70}, counts: [0, 60, 40]},
  {details: {cached_tokens: 150, cache_write_tokens: 20}, counts: [0, 100, 0]},
  {details: {cached_tokens: -1, cache_write_tokens: 'many'}, counts: [100, 0, 0]},
])(
  'a server that says $details of 100 tokens of a request makes no more of them, and no fewer',
  ({details, counts}) => {
    const usage = {prompt_tokens: 100, completion_tokens: 7, prompt_tokens_details: details};
    const [inputTokens, cacheReadTokens, cacheWriteTokens] = counts;
    expect(decode([{choices: [{delta: {}, finish_reason: 'stop'}], usage}]).at(-1)).toEqual({
      event: 'message-finished',
      stop: 'end-turn',
      usage: {inputTokens, outputTokens: 7, cacheReadTokens, cacheWriteTokens},
    });
  },
);

test('a count that no computer can hold counts as none, and the model is the one asked where none is named', () => {
  const chunk =
    '{"choices":[{"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":1e999,"completion_tokens":2}}';
  expect(decode([chunk])).toEqual([
    {event: 'message-started', id: 'msg_new1', model: 'm', usage: noUsage},
    {event: 'message-finished', stop: 'end-turn', usage: {...noUsage, outputTokens: 2}},
  ]);
});

test('things that are not what they should be are passed over', () => {
  const odd = [
    'null',
    '[]',
    '3',
    {},
    {choices: null},
    {choices: [null]},
    {choices: [{delta: 3}]},
    delta({tool_calls: [null, {}]}),
  ];
  const events = decode([
    ...odd,
    {choices: [{delta: {content: 'x'}, finish_reason: 'stop'}], usage: {prompt_tokens: 'many'}},
  ]);
  expect(events.at(-1)).toMatchObject({event: 'message-finished'});
});

test('an answer that was cut off is not finished', () => {
  expect(decode([delta({content: 'x'})]).some(event => event.event === 'message-finished')).toBe(false);
});

const endOf = (reason: string, ...before: readonly object[]) =>
  decode([...before, {choices: [{delta: {}, finish_reason: reason}]}]).at(-1);

describe('ends', () => {
  test.each([
    ['length', 'max-tokens'],
    ['model_length', 'max-tokens'],
    ['model_context_window_exceeded', 'context-full'],
    ['stop', 'end-turn'],
    ['tool_calls', 'end-turn'],
    ['eos', 'end-turn'],
  ])('%s is %s', (reason, stop) => {
    expect(endOf(reason, delta({content: 'a'}))).toEqual({event: 'message-finished', stop, usage: noUsage});
  });

  test.each(['content_filter', 'sensitive', 'RECITATION', 'content_filter: BLOCKLIST'])('%s is a refusal', reason => {
    const end = {event: 'message-finished', stop: 'refusal', usage: noUsage, explanation: reason};
    expect(endOf(reason, delta({content: 'a'}))).toEqual(end);
  });

  test('a model that declines says why', () => {
    const explanation = 'I can not help with that.';
    expect(endOf('stop', delta({refusal: 'I can not '}), delta({refusal: 'help with that.'}))).toEqual({
      event: 'message-finished',
      stop: 'refusal',
      usage: noUsage,
      explanation,
    });
  });

  test.each(['error', 'network_error', 'insufficient_system_resource', 'abort'])('%s is no end', reason => {
    const message = `It broke off its answer (${reason}).`;
    expect(() => endOf(reason, delta({content: 'a'}))).toThrow(JSON.stringify(message).slice(1, -1));
  });

  test('an error inside the choice is one of the server', () => {
    const error = {code: 502, message: 'Upstream failed'};
    expect(() => decode([{choices: [{delta: {}, finish_reason: 'error', error}]}])).toThrow('Upstream failed');
  });

  test('without a reason, whole calls count and others do not', () => {
    const [whole, cut] = ['{"command":"ls"}', '{"command":"l'].map(input =>
      calls({index: 0, id: 'a', function: {name: 'Bash', arguments: input}}),
    );
    expect(blocksOf(decode([whole]))).toEqual([ls]);
    expect(decode([cut]).map(({event}) => event)).not.toContain('message-finished');
    expect(decode([delta({content: 'a'})]).map(({event}) => event)).not.toContain('message-finished');
  });
});

describe('oddities', () => {
  test('usage inside the choice counts', () => {
    const usage = {prompt_tokens: 10, completion_tokens: 2};
    const events = decode([delta({content: 'a'}), {choices: [{delta: {}, finish_reason: 'stop', usage}]}]);
    expect(events.at(-1)).toMatchObject({usage: {...noUsage, inputTokens: 10, outputTokens: 2}});
  });

  test('the same thinking in two fields is one', () => {
    const events = decode([delta({reasoning_content: 'Hm.', reasoning: 'Hm.'}), delta({content: 'a'}), done]);
    expect(blocksOf(events)).toMatchObject([
      {kind: 'thinking', text: 'Hm.'},
      {kind: 'text', text: 'a'},
    ]);
  });

  test('lists of texts and thinking, as Mistral sends them', () => {
    const events = decode([
      delta({content: [{type: 'thinking', thinking: [{type: 'text', text: 'Hm.'}]}]}),
      delta({content: [{type: 'text', text: 'a'}]}),
      done,
    ]);
    expect(blocksOf(events)).toMatchObject([
      {kind: 'thinking', text: 'Hm.'},
      {kind: 'text', text: 'a'},
    ]);
  });

  test('items of reasoning without a text of their own are shown, and kept', () => {
    const item = {type: 'reasoning.summary', index: 0, summary: 'Hm.'};
    const sealed = {type: 'reasoning.encrypted', data: 'x', index: 1};
    expect(blocksOf(decode([delta({reasoning_details: [item]}), delta({reasoning_details: [sealed]}), done]))).toEqual([
      {
        kind: 'thinking',
        text: 'Hm.',
        signature: '',
        source: {host: 'x', model: 'm', field: 'reasoning_details', details: [item, sealed]},
      },
    ]);
  });
});

test.each([
  ['a JSON text', JSON.stringify('{"command":"ls"}'), {command: 'ls'}],
  ['a fence', '```json\n{"command":"ls"}\n```', {command: 'ls'}],
  ['line breaks and tabs', '{\n\t"command":"ls\n\t\\"a\\""}', {command: 'ls\n\t"a"'}],
  ['a text in a JSON text', JSON.stringify('ls'), 'ls'],
  ['another syntax', "{'command': 'ls'}", "{'command': 'ls'}"],
  ['two objects', '{"command":"ls"}{"command":"rm"}', '{"command":"ls"}{"command":"rm"}'],
  ['a list', '[{"command":"ls"}]', [{command: 'ls'}]],
])('an input in %s', (_what, input, decoded) => {
  const events = decode([calls({index: 0, id: 'a', function: {name: 'Bash', arguments: input}}), done]);
  expect(blocksOf(events)).toEqual([{...ls, input: decoded}]);
});

test.each([
  [
    'in pieces',
    [
      delta({function_call: {name: 'Bash', arguments: ''}}),
      delta({function_call: {arguments: '{"command"'}}),
      delta({function_call: {arguments: ':"ls"}'}}),
    ],
  ],
  ['in one delta', [delta({content: null, function_call: {name: 'Bash', arguments: '{"command":"ls"}'}})]],
  [
    'in a whole answer',
    [
      {
        id: 'c',
        model: 'm',
        choices: [
          {
            index: 0,
            message: {role: 'assistant', content: null, function_call: {name: 'Bash', arguments: '{"command":"ls"}'}},
            finish_reason: 'function_call',
          },
        ],
      },
    ],
  ],
] as const)('the only call of an old server is a call (%s)', (_name, chunks) => {
  const out = decode([
    ...chunks,
    {choices: [{index: 0, delta: {function_call: null}, finish_reason: 'function_call'}]},
    '[DONE]',
  ]);
  expect(blocksOf(out)).toEqual([{...ls, id: 'call_new1'}]);
  expect(out.at(-1)).toMatchObject({event: 'message-finished', stop: 'tool-use'});
});
