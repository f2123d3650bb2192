import * as fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import type {AssistantBlock, StopReason} from '../../../src/domain/conversation.ts';
import {actionId, messageId} from '../../../src/domain/ids.ts';
import type {ModelEvent, ModelRequest} from '../../../src/domain/model-stream.ts';
import {noUsage} from '../../../src/domain/usage.ts';
import {TextCalls} from '../../../src/models/text-calls.ts';
import {blocksOf} from '../../support/model-events.ts';
import {randomInputs} from '../../support/random-inputs.ts';

const tool = (name: string, properties: object): ModelRequest['tools'][number] => ({
  name,
  description: 'Does it.',
  inputSchema: {type: 'object', properties: {...properties}, required: Object.keys(properties).slice(0, 1)},
  offered: 'from-the-start',
});
const tools = [
  tool('Bash', {command: {type: 'string'}, timeout: {type: ['number', 'null']}, run_in_background: {type: 'boolean'}}),
  tool('Read', {file_path: {type: 'string'}, offset: {anyOf: [{type: 'integer'}, {type: 'null'}]}}),
  tool('ReadDocuments', {ids: {type: 'array'}}),
];

interface Played {
  readonly blocks: readonly AssistantBlock[];
  readonly stop: StopReason | undefined;
}

/** The message that weft makes of a block with this text, in pieces. */
async function play(
  pieces: readonly string[],
  {
    kind = 'text',
    stop = 'end-turn',
    after = [],
  }: {kind?: 'text' | 'thinking'; stop?: StopReason; after?: ModelEvent[]} = {},
): Promise<Played> {
  let made = 0;
  const reader = new TextCalls({tools}, () => String(++made));
  const text = pieces.join('');
  const block: AssistantBlock = kind === 'text' ? {kind, text} : {kind, text, signature: ''};
  const events: ModelEvent[] = [
    {event: 'message-started', id: messageId('m'), model: 'm', usage: noUsage},
    {event: 'block-started', index: 0, block: {kind}},
    ...pieces.map((piece): ModelEvent => ({event: 'block-delta', index: 0, delta: {kind, text: piece}})),
    {event: 'block-finished', index: 0, block},
    ...after,
    {event: 'message-finished', stop, usage: noUsage},
  ];
  const out: ModelEvent[] = [];
  for (const event of events) out.push(...reader.take([event]));
  if (reader.isUndecided) out.push(...(await reader.decide()));
  const end = out.at(-1);
  return {blocks: blocksOf(out), stop: end?.event === 'message-finished' ? end.stop : undefined};
}

const callOf = (number: number, name: string, input: object | string): object => ({
  kind: 'tool-call',
  id: `call_${number}`,
  name,
  input,
});
const text = (words: string): object => ({kind: 'text', text: words});
const bash = callOf(1, 'Bash', {command: 'ls'});
const read = callOf(2, 'Read', {file_path: 'a.ts', offset: 3});

/** Answers of each family that call `Bash` and, mostly, `Read` behind it. */
const families: readonly {readonly name: string; readonly markup: string; readonly calls: readonly object[]}[] = [
  {
    name: 'Hermes',
    markup:
      '<tool_call>\n{"name": "Bash", "arguments": {"command": "ls"}}\n</tool_call>\n<tool_call>\n{"name": "Read", "arguments": {"file_path": "a.ts", "offset": 3}}\n</tool_call>',
    calls: [bash, read],
  },
  {
    name: 'Hermes with the arguments as a text, another case and no end',
    markup: '<tool_call>{"arguments": "{\\"command\\": \\"ls\\"}", "name": "bash"}',
    calls: [bash],
  },
  {
    name: 'Qwen3-Coder',
    markup:
      '<tool_call>\n<function=Bash>\n<parameter=command>\nls\n</parameter>\n</function>\n</tool_call>\n<tool_call>\n<function=Read>\n<parameter=file_path>\na.ts\n</parameter>\n<parameter=offset>\n3\n</parameter>\n</function>\n</tool_call>',
    calls: [bash, read],
  },
  {
    name: 'Qwen3-Coder without the outer tag',
    markup: '<function=Bash>\n<parameter=command>\nls\n</parameter>\n</function>\n</tool_call>',
    calls: [bash],
  },
  {
    name: 'GLM',
    markup:
      '<tool_call>Bash\n<arg_key>command</arg_key>\n<arg_value>ls</arg_value>\n</tool_call>\n<tool_call>Read<arg_key>file_path</arg_key><arg_value>a.ts</arg_value><arg_key>offset</arg_key><arg_value>3</arg_value></tool_call>',
    calls: [bash, read],
  },
  {
    name: 'Kimi',
    markup:
      '<|tool_calls_section_begin|><|tool_call_begin|>functions.Bash:0<|tool_call_argument_begin|>{"command": "ls"}<|tool_call_end|><|tool_call_begin|>functions.Read:1<|tool_call_argument_begin|>{"file_path": "a.ts", "offset": 3}<|tool_call_end|><|tool_calls_section_end|>',
    calls: [bash, read],
  },
  {
    name: 'DeepSeek V3',
    markup:
      '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>Bash\n```json\n{"command": "ls"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    calls: [bash],
  },
  {
    name: 'DeepSeek V3.1',
    markup:
      '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>Bash<｜tool▁sep｜>{"command": "ls"}<｜tool▁call▁end｜><|tool_call_begin|>Read<|tool_sep|>{"file_path": "a.ts", "offset": 3}<|tool_call_end|><｜tool▁calls▁end｜>',
    calls: [bash, read],
  },
  {
    name: 'DeepSeek V3.2',
    markup:
      '<｜DSML｜function_calls>\n<｜DSML｜invoke name="Bash">\n<｜DSML｜parameter name="command" string="true">ls</｜DSML｜parameter>\n</｜DSML｜invoke>\n<｜DSML｜invoke name="Read">\n<｜DSML｜parameter name="file_path" string="true">a.ts</｜DSML｜parameter>\n<｜DSML｜parameter name="offset" string="false">3</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>',
    calls: [bash, read],
  },
  {
    name: 'DeepSeek V4.1',
    markup:
      '<｜ DSML｜ tool_calls><｜ DSML｜ invoke name="Bash"><｜ DSML｜ parameter name="command" string="true">ls</｜ DSML｜ parameter></｜ DSML｜ invoke></｜ DSML｜ tool_calls>',
    calls: [bash],
  },
  {
    name: 'Mistral',
    markup:
      '[TOOL_CALLS][{"name": "Bash", "arguments": {"command": "ls"}}, {"name": "Read", "arguments": {"file_path": "a.ts", "offset": 3}}]',
    calls: [bash, read],
  },
  {
    name: 'Mistral since v11',
    markup:
      '[TOOL_CALLS]Bash[ARGS]{"command": "ls"}[TOOL_CALLS]Read[CALL_ID]abc[ARGS]{"file_path": "a.ts", "offset": 3}',
    calls: [bash, read],
  },
  {
    name: 'Llama 3',
    markup: '<|python_tag|>{"name": "Bash", "parameters": {"command": "ls"}}',
    calls: [bash],
  },
  {
    name: 'MiniMax',
    markup:
      '<minimax:tool_call>\n<invoke name="Bash">\n<parameter name="command">ls</parameter>\n</invoke>\n<invoke name="Read">\n<parameter name="file_path">a.ts</parameter>\n<parameter name="offset">3</parameter>\n</invoke>\n</minimax:tool_call>',
    calls: [bash, read],
  },
  {
    name: 'Claude-like',
    markup: '<invoke name="Bash">\n<parameter name="command">ls</parameter>\n</invoke>',
    calls: [bash],
  },
];

/** Answers that are nothing but a call. */
const wholeAnswers: typeof families = [
  {name: 'an object', markup: '{"name": "Bash", "arguments": {"command": "ls"}}', calls: [bash]},
  {name: 'a fence', markup: '```json\n{\n  "name": "Bash",\n  "arguments": {"command": "ls"}\n}\n```\n', calls: [bash]},
  {
    name: 'a fence without a language',
    markup: '\n```\n{"name": "Bash", "parameters": {"command": "ls"}}\n```',
    calls: [bash],
  },
  {
    name: 'a list of Llama',
    markup: '[Bash(command="ls"), Read(file_path="a.ts", offset=3)]',
    calls: [bash, read],
  },
];

/** Answers without a call. */
const ordinary: readonly string[] = [
  'Use `<tool_call>` around the call.',
  'Hermes writes:\n\n```xml\n<tool_call>\n{"name": "Bash", "arguments": {"command": "ls"}}\n</tool_call>\n```\n\nThat is all.',
  'A nested one:\n\n- like this\n  ~~~\n  <function=Bash>\n  <parameter=command>ls</parameter>\n  ~~~\n',
  '````md\n```json\n<|tool_call_begin|>\n```\n<invoke name="Bash">\n````\nDone.',
  '    <tool_call>{"name": "Bash", "arguments": {}}</tool_call>\n',
  'A template: <div class="a"><tool>x</tool></div> and a[TOOL] and [TOOL_CALLS] and <invoke>.',
  '<p>The page begins with markup.</p>',
  '{"name": "my-package", "version": "1.0.0"}',
  '{"name": "Bash"}',
  '{"name": "Bash", "arguments": {"command": "ls"}} would list it.',
  '```json\n{"name": "Bash", "version": 1}\n```',
  '[Bash](https://example.com) is a shell.',
  '[TOOL_CALLS] is a token of Mistral.',
  '\n\n  Text behind white space. <tool',
  'I think that <think> is a tag.',
  'a < b && b > c; x <| f <',
  'std::function<int(int)> f; vector<tool_call> calls;',
];

test.each(families)('$name', async ({markup, calls}) => {
  expect(await play([`I look.\n${markup}`])).toEqual({blocks: [text('I look.\n'), ...calls], stop: 'tool-use'});
  expect(await play([`\n${markup}\n\nIt lists:\na.ts`])).toEqual({blocks: calls, stop: 'tool-use'});
});

describe('GLM writes arguments into the name', () => {
  const value = '<arg_value>a.ts</arg_value>';
  const whole = {file_path: 'a.ts'};
  test.each([
    [`Read<arg_key>file_path</arg_key>${value}`, {}, whole],
    [`Read<arg_key>file_path</arg_key>${value}<arg_key>offset</arg_key><arg_value>3`, {}, {...whole, offset: 3}],
    [`Read${value}`, {}, whole],
    ['Read<arg_value>a.ts', {offset: 3}, {...whole, offset: 3}],
    ['Read<arg_value>b.ts', whole, whole],
    ['Read<arg_key>', `file_path</arg_key>${value}`, whole],
    [`read_file<arg_key>file_path</arg_key>${value}`, {}, whole],
    ['Read', 'no JSON', 'no JSON'],
    [`Other<arg_key>x</arg_key>${value}`, {}, {}],
  ] as const)('%s', async (name, input, decoded) => {
    const id = actionId('a');
    const {blocks, stop} = await play([], {
      stop: 'tool-use',
      after: [
        {event: 'block-started', index: 1, block: {kind: 'tool-call', id, name}},
        {event: 'block-finished', index: 1, block: {kind: 'tool-call', id, name, input}},
      ],
    });
    const front = name.startsWith('Other') ? name : name.replace(/<.*/u, '');
    expect({blocks, stop}).toEqual({
      blocks: [text(''), {kind: 'tool-call', id, name: front, input: decoded}],
      stop: 'tool-use',
    });
  });

  test.each([
    `<tool_call>Read${value}</tool_call>`,
    `<tool_call>{"name": "Read<arg_key>file_path</arg_key>${value}", "arguments": {}}</tool_call>`,
  ])('%s', async markup => {
    expect((await play([markup])).blocks).toEqual([callOf(1, 'Read', whole)]);
  });
});

test.each(wholeAnswers)('the whole answer: $name', async ({markup, calls}) => {
  expect(await play([markup])).toEqual({blocks: calls, stop: 'tool-use'});
});

test.each(ordinary.map(answer => ({answer})))('stays as it is: $answer', async ({answer}) => {
  expect(await play([answer])).toEqual({blocks: [text(answer)], stop: 'end-turn'});
});

test('a call of a tool that other programs have is a call, too', async () => {
  expect(await play(['<function=read_file>\n<parameter=file_path>\na.ts\n</parameter>\n</function>'])).toEqual({
    blocks: [callOf(1, 'read_file', {file_path: 'a.ts'})],
    stop: 'tool-use',
  });
});

describe('broken calls', () => {
  test.each([
    ['<tool_call>{"name": "Bash", "arguments": {"command": "l', '{"name": "Bash", "arguments": {"command": "l'],
    ['<function=Bash><parameter=command>rm -rf /tm', '<parameter=command>rm -rf /tm'],
    ['<tool_call>Bash<arg_key>command</arg_key><arg_value>ls', '<arg_key>command</arg_key><arg_value>ls'],
    ['<invoke name="Bash">', '(cut off)'],
    ['[TOOL_CALLS]Bash[ARGS]{"command": "l', '{"command": "l'],
    ["[Bash(command=ls')]", "(command=ls')"],
  ])('%s is a call that cannot run', async (markup, input) => {
    expect(await play([markup], {stop: 'max-tokens'})).toEqual({
      blocks: [callOf(1, 'Bash', input)],
      stop: 'max-tokens',
    });
  });
});

test('values of tags are texts unless the schema says otherwise', async () => {
  const values = [
    ['command', '5'],
    ['timeout', '5'],
    ['run_in_background', 'True'],
    ['unknown', '[1]'],
  ].map(([key, value]) => `<parameter=${key}>\n${value}\n</parameter>\n`);
  expect((await play([`<function=Bash>\n${values.join('')}</function>`])).blocks).toEqual([
    callOf(1, 'Bash', {command: '5', timeout: 5, run_in_background: true, unknown: '[1]'}),
  ]);
  const content = '\n<parameter=x>\n</parameter> and </function\n';
  expect((await play([`<function=Bash><parameter=command>${content}</parameter></function>`])).blocks).toEqual([
    callOf(1, 'Bash', {command: content.slice(1, -1)}),
  ]);
});

test('beside a structured call the markup stays text', async () => {
  const markup = '<tool_call>{"name": "Bash", "arguments": {}}</tool_call>';
  const call = {kind: 'tool-call', id: actionId('a'), name: 'Read', input: {}} as const;
  const {blocks} = await play([markup], {
    after: [
      {event: 'block-started', index: 1, block: call},
      {event: 'block-finished', index: 1, block: call},
    ],
  });
  expect(blocks).toEqual([text(markup), call]);
});

describe('thinking', () => {
  test.each(['think', 'thinking'])('in <%s> at the beginning is thinking', async tag => {
    expect(await play([`\n<${tag}>\nHm.\n</${tag}>\n\nYes. <${tag}>`])).toEqual({
      blocks: [{kind: 'thinking', text: '\nHm.\n', signature: ''}, text(`Yes. <${tag}>`)],
      stop: 'end-turn',
    });
  });

  test('in tags may be followed by a call, or cut off', async () => {
    const {blocks} = await play(['<think>Hm.</think>\n{"name": "Bash", "arguments": {"command": "ls"}}']);
    expect(blocks).toEqual([{kind: 'thinking', text: 'Hm.', signature: ''}, bash]);
    expect((await play(['<think>Hm.</thi'])).blocks).toEqual([{kind: 'thinking', text: 'Hm.</thi', signature: ''}]);
  });

  test('of Kimi may hold calls, and everything else of it stays', async () => {
    const markup =
      '<|tool_calls_section_begin|><|tool_call_begin|>functions.Bash:0<|tool_call_argument_begin|>{"command": "ls"}<|tool_call_end|>';
    const played = await play([`I list. ${markup}`], {kind: 'thinking'});
    expect(played).toEqual({blocks: [{kind: 'thinking', text: 'I list. ', signature: ''}, bash], stop: 'tool-use'});
    const hermes = '<tool_call>{"name": "Bash", "arguments": {}}</tool_call>';
    expect((await play([hermes], {kind: 'thinking'})).blocks).toEqual([
      {kind: 'thinking', text: hermes, signature: ''},
    ]);
  });
});

/** What of an answer is shown after each of its letters. */
const shownOf = (answer: string): readonly string[] => {
  const reader = new TextCalls({tools}, () => 'x');
  reader.take([{event: 'block-started', index: 0, block: {kind: 'text'}}]);
  let shown = '';
  return Array.from(answer, letter => {
    for (const event of reader.take([{event: 'block-delta', index: 0, delta: {kind: 'text', text: letter}}])) {
      if (event.event === 'block-delta' && event.delta.kind === 'text') shown += event.delta.text;
    }
    return shown;
  });
};

describe('however the text is cut', () => {
  const all = [
    ...families.map(({markup}) => `I look.\n${markup}`),
    ...wholeAnswers.map(({markup}) => markup),
    ...ordinary,
    '<think>\nHm, <tool_call>.\n</think>\n\nYes.',
  ];

  test('the message is the same', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...all), fc.array(fc.integer({min: 1, max: 12})), async (answer, lengths) => {
        const pieces: string[] = [];
        let rest = answer;
        for (const length of lengths) {
          pieces.push(rest.slice(0, length));
          rest = rest.slice(length);
        }
        expect(await play([...pieces, rest])).toEqual(await play([answer]));
      }),
      {numRuns: randomInputs(300)},
    );
  });

  test('letter by letter, too', async () => {
    for (const answer of all) expect(await play(Array.from(answer))).toEqual(await play([answer]));
  });

  test('markup is shown at no time, and other text soon', () => {
    for (const {markup} of families) expect(shownOf(`I look.\n${markup}`).at(-1)).toBe('I look.\n');
    const page = 'A <div class="x">, a[0], `<tool_call>` and x < y.\n';
    const delays = shownOf(page).map((shown, at) => at + 1 - shown.length);
    expect(Math.max(...delays)).toBe(1);
    expect(shownOf(page).at(-1)).toBe(page);
  });
});
