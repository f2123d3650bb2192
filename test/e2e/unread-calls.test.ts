// @module-tag long
import {expect, test} from 'vitest';
import {type Answer, fail, say, sayPieces, usage} from '../support/model-script.ts';
import {openScene, toldPrompt} from '../support/scene.ts';
import {resultOf} from './support/messages.ts';

const markups = [
  '<tool_call>\n{"name": "launch", "arguments": {"at": "once"}}\n</tool_call>',
  '<function=launch><parameter=at>once</parameter></function>',
  '<tool_call>launch<arg_key>at</arg_key><arg_value>once</arg_value></tool_call>',
  '<|tool_calls_section_begin|><|tool_call_begin|>functions.launch:0<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>',
  '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>launch<｜tool▁sep｜>{}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
  '<｜DSML｜tool_calls><｜DSML｜invoke name="launch"></｜DSML｜invoke></｜DSML｜tool_calls>',
  '[TOOL_CALLS][{"name": "launch", "arguments": {}}]',
];

test('a call that cannot be read is told to the model once, and is no answer', {tags: 'smoke'}, async () => {
  await using scene = await openScene(
    [sayPieces('I launch it.\n\n', markups[0] ?? ''), say('Done otherwise.')],
    'openai',
  );
  const {code, stdout, stderr} = await scene.run(['--prompt', 'x']);
  expect([code, stdout]).toEqual([0, 'Done otherwise.\n']);
  expect(stderr).toContain('The model wrote a tool call as text that could not be read.');
  expect(toldPrompt(scene.server.requests[1])).toContain('You wrote a tool call as text, and it could not be read');
});

test.each(markups)('for ever, it ends the prompt: %s', async markup => {
  await using scene = await openScene(() => sayPieces(markup), 'openai');
  const {code, stdout} = await scene.run(['--prompt', 'x', '--output-format', 'json']);
  expect([code, scene.server.requests.length, resultOf(stdout)['result']]).toEqual([
    1,
    2,
    expect.stringMatching(/^The model wrote a tool call as text again/u),
  ]);
});

test('a call of a tool with broken input is told to the model, and for ever ends the prompt', async () => {
  const markup = '<tool_call>{"name": "Bash", "arguments": {</tool_call>';
  await using scene = await openScene(() => sayPieces(markup), 'openai');
  const {code, stdout, stderr} = await scene.run(['--prompt', 'x']);
  expect([code, stdout, scene.server.requests.length]).toEqual([1, '', 2]);
  expect(stderr).toContain('The model wrote a tool call as text again, and weft could not read it.');
});

const announced = (text: string): Answer => ({
  stream: [
    {type: 'message_start', message: {id: 'msg_1', model: 'm', usage: {input_tokens: 9, output_tokens: 1}}},
    {type: 'content_block_start', index: 0, content_block: {type: 'text', text}},
    {type: 'content_block_stop', index: 0},
    {type: 'message_delta', delta: {stop_reason: 'tool_use'}, usage: {output_tokens: 9}},
    {type: 'message_stop'},
  ]
    .map(event => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    .join(''),
});

test('an announced call that is missing is asked for once, and for ever ends the prompt', async () => {
  await using scene = await openScene((_, number) =>
    number === 2 ? say('Read it.') : announced('I will now read the file.'),
  );
  const run = await scene.run(['--prompt', 'x']);
  expect(run).toMatchObject({code: 0, stdout: 'Read it.\n'});
  expect(run.stderr).toBe('weft: The answer announced a tool call, but had none. Asked the model to call the tool.\n');
  expect(toldPrompt(scene.server.requests[1])).toContain('Your answer ended to call a tool, but it had no call.');
  const {code, stderr} = await scene.run(['--prompt', 'y']);
  expect([code, scene.server.requests.length]).toEqual([1, 4]);
  expect(stderr).toContain(
    'The answer announced a tool call again, but had none. Use a model that supports tool calls',
  );
});

test('prose about the markup is an answer', async () => {
  await using scene = await openScene([sayPieces('Wrap it in <tool_call> tags, or in <function=…>.')], 'openai');
  const {code, stdout} = await scene.run(['--prompt', 'x']);
  expect([code, stdout]).toEqual([0, 'Wrap it in <tool_call> tags, or in <function=…>.\n']);
});

test('a beta that the server refuses is left out, then and later', async () => {
  await using scene = await openScene(({headers}) =>
    String(headers['anthropic-beta'] ?? '').includes('old-2025-01-01')
      ? fail(400, {message: 'Unexpected value(s) `old-2025-01-01` for the `anthropic-beta` header.'})
      : say('Done.'),
  );
  const environment = {ANTHROPIC_CUSTOM_HEADERS: 'anthropic-beta: old-2025-01-01,new-2026-01-01'};
  const {code, stdout, stderr} = await scene.run(['--prompt', 'x'], {environment});
  expect([code, stdout]).toEqual([0, 'Done.\n']);
  expect(stderr).toContain("doesn't support the beta old-2025-01-01, so weft left it out.");
  expect(scene.server.requests.map(({headers}) => headers['anthropic-beta'])).toEqual([
    'old-2025-01-01,new-2026-01-01',
    'new-2026-01-01',
  ]);
});

test("OpenAI's organization and project go to OpenAI alone", async () => {
  await using scene = await openScene([say('Done.')], 'openai');
  const environment = {OPENAI_ORG_ID: 'org-secret', OPENAI_PROJECT_ID: 'proj-secret'};
  expect(await scene.run(['--prompt', 'x'], {environment})).toMatchObject({code: 0, stdout: 'Done.\n'});
  expect(JSON.stringify(scene.server.requests[0]?.headers)).not.toContain('secret');
});

test('a request that is larger than the window is said once, with the fix', async () => {
  await using scene = await openScene([[say('Done.'), usage({input: 9000, output: 1})]], 'openai');
  const settings = '{"models": {"small-model": {"contextWindow": 8000}}}';
  const {code, stderr} = await scene.run(['--prompt', 'x', '--settings', settings]);
  expect(code).toBe(0);
  expect(stderr).toContain('small-model took 9,000 tokens, but has room for 8,000');
});

test('a prompt that a local server cut is said once, with the fix', async () => {
  await using scene = await openScene([[say('Done.'), usage({input: 1500, output: 1})]], 'openai');
  const {code, stderr} = await scene.run(['--prompt', `x ${'many words '.repeat(3000)}`]);
  expect(code).toBe(0);
  expect(stderr).toMatch(/The server read only 1,500 tokens of about [\d,]+: it cut the prompt\./u);
});
