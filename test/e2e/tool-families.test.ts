// @module-tag long
import {expect, test} from 'vitest';
import {call, raw, say} from '../support/model-script.ts';
import {openScene} from '../support/scene.ts';

const gpt = ['--settings', '{"wireApi": "responses"}', '--model', 'gpt-5.5'];
const edits = ['--permission-mode', 'acceptEdits'];

const patch = '*** Begin Patch\n*** Add File: a.txt\n+one\n*** End Patch';

/** A call whose input is a text. */
const patches = (call_id: string, input: string) =>
  raw({type: 'custom_tool_call', id: `c_${call_id}`, call_id, name: 'apply_patch', input});

test('GPT edits by patches and runs commands by its own names; programs and the journal have the names of weft', async () => {
  await using scene = await openScene(
    [
      [patches('call_1', patch), call('exec_command', {cmd: 'cat a.txt', yield_time_ms: 10_000}, {id: 'call_2'})],
      say('Done.'),
      say('Still done.'),
    ],
    'responses',
  );
  const {code, stdout} = await scene.run(['--prompt', 'x', '--output-format', 'stream-json', ...gpt, ...edits]);
  expect([code, scene.read('a.txt')]).toEqual([0, 'one\n']);
  const calls = stdout
    .split('\n')
    .filter(line => line.includes('"tool_use"'))
    .flatMap(line => JSON.parse(line).message.content)
    .map(({name, input}) => ({name, input}));
  expect(calls).toEqual([
    {name: 'ApplyPatch', input: {patch}},
    {name: 'Bash', input: {command: 'cat a.txt', yield_time_ms: 10_000}},
  ]);
  await scene.run(['--continue', '--prompt', 'y', ...gpt, ...edits]);
  const [first, , later] = scene.server.requests.map(({body}) => body);
  expect(first?.tools?.map(tool => tool['name'])).toEqual(
    expect.arrayContaining(['exec_command', 'write_stdin', 'apply_patch', 'view_image', 'update_plan']),
  );
  expect(first?.tools?.map(tool => tool['name'])).not.toContain('Edit');
  expect(later?.input?.filter(({type}) => /_call/u.test(String(type)))).toMatchObject([
    {type: 'custom_tool_call', call_id: 'call_1', name: 'apply_patch', input: patch},
    {
      type: 'function_call',
      call_id: 'call_2',
      name: 'exec_command',
      arguments: '{"cmd":"cat a.txt","yield_time_ms":10000}',
    },
    {type: 'custom_tool_call_output', call_id: 'call_1'},
    {type: 'function_call_output', call_id: 'call_2', output: expect.stringContaining('one')},
  ]);
});

test('a command that takes longer goes on as a session, which write_stdin reads', async () => {
  await using scene = await openScene(
    [
      call('exec_command', {cmd: 'echo up; sleep 2; echo end', yield_time_ms: 500}),
      call('write_stdin', {session_id: 'b1', yield_time_ms: 10_000}),
      say('Done.'),
    ],
    'responses',
  );
  const {code} = await scene.run(['--prompt', 'x', ...gpt, '--dangerously-skip-permissions']);
  const results = scene.server.requests.at(-1)?.body.input?.filter(({type}) => type === 'function_call_output') ?? [];
  expect([code, results]).toMatchObject([
    0,
    [
      {output: expect.stringContaining('[still running: use write_stdin with session_id b1]')},
      {output: expect.stringMatching(/end\n\[block b1: exit code 0/u)},
    ],
  ]);
});

test('a rule for Bash holds for exec_command, and a wrong field is named as the model knows it', async () => {
  await using scene = await openScene(
    [
      [
        call('exec_command', {cmd: 'touch made'}),
        call('exec_command', {command_line: 'ls'}),
        call('shell', {command: ['bash', '-lc', 'echo hi']}),
      ],
      say('Done.'),
    ],
    'responses',
  );
  await scene.run(['--prompt', 'x', ...gpt, '--disallowed-tools', 'Bash(touch *)', '--allowed-tools', 'Bash(echo *)']);
  const results = scene.server.requests.at(-1)?.body.input?.filter(({type}) => type === 'function_call_output') ?? [];
  expect(results).toMatchObject([
    {output: expect.stringMatching(/rule|not permitted|denied/iu)},
    {output: 'exec_command: command must be a text, or a list of texts.'},
    {output: expect.stringContaining('hi')},
  ]);
});

test('Claude may use the names of other programs, and gets its calls back under the offered ones', async () => {
  await using scene = await openScene([
    [
      call('write_file', {path: 'a.txt', contents: 'one\n'}),
      call('Bash', {
        command: "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: a.txt\n-one\n+two\n*** End Patch\nEOF",
      }),
    ],
    say('Done.'),
  ]);
  const {code} = await scene.run(['--prompt', 'x', ...edits]);
  expect([code, scene.read('a.txt')]).toEqual([0, 'two\n']);
  const content = scene.server.requests[1]?.body.messages[1]?.content;
  expect(content).toMatchObject([
    {type: 'tool_use', name: 'Write', input: {path: 'a.txt', contents: 'one\n'}},
    {type: 'tool_use', name: 'Bash'},
  ]);
});

test('an open model with a small window has five tools and a search', async () => {
  await using scene = await openScene([say('Hi.')], 'openai');
  await scene.run(['--prompt', 'x', '--settings', '{"models": {"small-model": {"contextWindow": 16000}}}']);
  const tools = scene.server.requests[0]?.body.tools ?? [];
  const names = ['bash', 'read', 'edit', 'write', 'grep', 'ToolSearch'];
  expect(tools).toMatchObject(names.map(name => ({function: {name}})));
});

test('selfReports: true asks the model to describe its calls', async () => {
  await using scene = await openScene([say('Hi.'), say('Hi.')]);
  await scene.run(['--prompt', 'x']);
  await scene.run(['--prompt', 'x', '--settings', '{"selfReports": true}']);
  const [without, withThem] = scene.server.requests.map(({body}) => JSON.stringify(body.tools));
  expect([without, withThem].map(tools => /is_risky.*rationale.*citations/u.test(tools ?? ''))).toEqual([false, true]);
});
