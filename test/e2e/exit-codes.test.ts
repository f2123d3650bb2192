// @module-tag long
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {call, fail, hang, say, think, usage, type Answer} from '../support/model-script.ts';
import {finish, runWeft, TempPlace} from '../support/run-weft.ts';
import {fileComes, openScene, toldResults} from '../support/scene.ts';
import {resultOf} from './support/messages.ts';

describe('1: it failed, and says in one line what to do', () => {
  const cases: readonly (readonly [number, string, Answer, RegExp])[] = [
    [401, 'a wrong key', fail(401), /rejected the API key \(401\): scripted 401\.? Check ANTHROPIC_API_KEY\.$/u],
    [403, 'a key without rights', fail(403), /\(403\).* Check that the key in ANTHROPIC_API_KEY may use the model/u],
    [404, 'a model nobody knows', fail(404), /has no model .* Check the model \(--model\) and the base URL/u],
    [400, 'a request that is refused', fail(400), /rejected the request \(400\)/u],
    [402, 'no credit', fail(402), /for lack of credit \(402\).* Add credit/u],
  ];
  test.each(cases)('%i, %s', async (_status, _title, refusal, line) => {
    await using scene = await openScene([refusal]);
    const {code, stdout, stderr} = await scene.run(['--prompt', 'x']);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^weft: [^\n]+\n$/u);
    expect(stderr.trimEnd()).toMatch(line);
    expect(scene.server.requests).toHaveLength(1);
  });

  test('no server at the address', {tags: 'smoke'}, async () => {
    await using scene = await openScene([]);
    await scene.server.close();
    const {code, stdout, stderr} = await scene.run(['--prompt', 'x']);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr.trimEnd().split('\n').at(-1)).toBe(
      `weft: Nothing listens at ${scene.server.baseUrl.anthropic}. Start the model server, or set another address (--base-url or ANTHROPIC_BASE_URL).`,
    );
  });

  test('no model at all', {tags: 'smoke'}, async () => {
    using place = new TempPlace();
    expect(await runWeft(['--prompt', 'x'], {place})).toEqual({
      code: 1,
      signal: null,
      stdout: '',
      stderr:
        'weft: No model is configured. Start weft and paste an API key, or set ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY or OPENAI_BASE_URL. A local server (Ollama, LM Studio, llama.cpp, vLLM) needs no key: start weft, or set OPENAI_BASE_URL. All ways: weft login. To try weft without one, run: weft demo\n',
    });
  });

  test('a model that answers nothing', {tags: 'smoke'}, async () => {
    await using scene = await openScene([say(''), [think('Hm.')]]);
    const {code, stdout, stderr} = await scene.run(['--prompt', 'x']);
    expect([code, stdout, stderr]).toEqual([
      1,
      '',
      'weft: The answer was empty. Asked the model again.\nweft: the model ended without an answer. Try again, or use another model.\n',
    ]);
  });
});

describe('2: it was called wrongly', () => {
  const id = '00000000-0000-4000-8000-000000000000';
  const cases: readonly (readonly [title: string, args: readonly string[], says: RegExp])[] = [
    ['a flag nobody knows', ['--prmpt', 'x'], /unknown option '--prmpt'[^]*--prompt/u],
    ['a value that does not fit', ['--prompt', 'x', '--output-format', 'xml'], /xml[^]*text, json, stream-json/u],
    ['a number that is none', ['--prompt', 'x', '--max-turns', 'many'], /max-turns[^]*whole number/u],
    ['a bound of nothing', ['--prompt', 'x', '--max-cost', '0'], /max-cost[^]*above 0/u],
    ['a mode nobody knows', ['--prompt', 'x', '--permission-mode', 'yolo'], /yolo[^]*bypassPermissions/u],
    ['a rule that is none', ['--prompt', 'x', '--allowed-tools', 'Bash(git'], /Bash\(git/u],
    ['two prompts', ['--prompt', 'x', 'y'], /Two prompts/u],
    ['an empty prompt', ['--prompt', ''], /No prompt/u],
    ['white space for a prompt', ['--print', '  '], /No prompt/u],
    ['a folder that is not there', ['--prompt', 'x', '--cwd', 'nowhere'], /nowhere is not a folder/u],
    ['another folder that is not there', ['--prompt', 'x', '--add-dir', 'nowhere'], /nowhere is not a folder/u],
    ['settings that are no JSON', ['--prompt', 'x', '--settings', '{"model"'], /--settings is not JSON/u],
    [
      'settings that are not there',
      ['--prompt', 'x', '--settings', 'nowhere.json'],
      /Can't read the settings file.*nowhere/u,
    ],
    ['a session id that is none', ['--prompt', 'x', '--resume', 'last'], /No such session: "last"/u],
    ['a session id that is none, without a prompt', ['--resume', 'last'], /No such session: "last"/u],
    ['--resume without an id or a prompt', ['--resume'], /needs a session id/u],
    ['--resume without an id', ['--prompt', 'x', '--resume'], /needs a session id/u],
    ['two sessions', ['--prompt', 'x', '--continue', '--resume', id], /--continue or --resume, not both/u],
    ['a recording that is not there', ['--prompt', 'x', '--replay', 'nowhere'], /Can't read the recording.*nowhere/u],
    ['a shell nobody knows', ['completion', 'tcsh'], /tcsh[^]*bash, zsh, fish, powershell/u],
  ];
  test.concurrent.each(cases)('%s', async (_title, args, says) => {
    await using scene = await openScene([say('never')]);
    const {code, stdout, stderr} = await scene.run(args);
    expect([code, stdout, scene.server.requests.length]).toEqual([2, '', 0]);
    expect(stderr).toMatch(/^weft: /u);
    expect(stderr).toMatch(says);
    expect(stderr).not.toMatch(/^ {4}at /mu);
  });

  test('a settings file with a value that does not fit', async () => {
    await using scene = await openScene([]);
    const file = join(scene.place.work, 'settings.json');
    writeFileSync(file, '{"permissionMode": "maybe"}');
    const {code, stderr} = await scene.run(['--prompt', 'x', '--settings', file]);
    expect([code, stderr]).toEqual([
      2,
      `weft: ${file}: "permissionMode" is invalid; "permissionMode" must be one of default, acceptEdits, plan, dontAsk, bypassPermissions. Fix the file, then start again.\n`,
    ]);
  });

  test('a key that is missing for the provider asked for', async () => {
    using place = new TempPlace();
    const {code, stderr} = await runWeft(['--prompt', 'x', '--provider', 'anthropic'], {place});
    expect([code, stderr]).toEqual([
      2,
      'weft: No key for Anthropic. Set ANTHROPIC_API_KEY, or save one with weft auth login.\n',
    ]);
  });
});

describe('3: an approval was needed and nobody could be asked', () => {
  const script = [call('Bash', {command: 'touch made'}, {id: 'toolu_1'}), say('I could not.')];

  test('the model is told, the run goes on, the answer still comes', async () => {
    await using scene = await openScene(script);
    const {code, stdout, stderr} = await scene.run(['--prompt', 'x']);
    expect([code, stdout]).toEqual([3, 'I could not.\n']);
    expect(stderr).toBe(
      'weft: not run because it needs approval: Bash. Allow it with --allowed-tools or --permission-mode.\n',
    );
    expect(toldResults(scene.server.requests[1])).toEqual([expect.stringContaining("needs the user's approval")]);
    expect(() => scene.read('made')).toThrow('ENOENT');
  });

  test('the result names what was denied', async () => {
    await using scene = await openScene(script);
    const {code, stdout} = await scene.run(['--prompt', 'x', '--output-format', 'json']);
    expect([code, resultOf(stdout)['permission_denials']]).toEqual([
      3,
      [{tool_name: 'Bash', tool_use_id: 'toolu_1', tool_input: {command: 'touch made'}}],
    ]);
  });

  test('what a rule forbids is no missing approval', async () => {
    await using scene = await openScene(script);
    const {code, stdout} = await scene.run(['--prompt', 'x', '--disallowed-tools', 'Bash', '--output-format', 'json']);
    expect([code, resultOf(stdout)['permission_denials']]).toEqual([0, [expect.objectContaining({tool_name: 'Bash'})]]);
    expect(() => scene.read('made')).toThrow('ENOENT');
  });
});

describe('the result says how the run ended: is_error exactly when the exit code is not 0', () => {
  const denied = [call('Bash', {command: 'touch made'}), say('I could not.')];
  const schema = ['--json-schema', '{"type":"object","properties":{"n":{"type":"number"}}}'];
  const wrong = call('StructuredOutput', {n: 'one'});
  const stop = {
    hooks: {
      UserPromptSubmit: [{hooks: [{type: 'command', command: `echo '{"continue": false, "stopReason": "No."}'`}]}],
    },
  };
  const cases: readonly (readonly [title: string, script: readonly Answer[], flags: readonly string[], end: object])[] =
    [
      ['done', [say('Yes.')], [], {exit_code: 0, subtype: 'success', result: 'Yes.'}],
      [
        'denied, and nobody could be asked',
        denied,
        [],
        {
          exit_code: 3,
          subtype: 'error_during_execution',
          result: 'I could not.',
          errors: [expect.stringMatching(/Bash/u)],
        },
      ],
      ['denied by a rule', denied, ['--disallowed-tools', 'Bash'], {exit_code: 0, subtype: 'success'}],
      [
        'denied, with a value',
        [call('Bash', {command: 'touch made'}), call('StructuredOutput', {n: 1})],
        schema,
        {exit_code: 3, subtype: 'error_during_execution', structured_output: {n: 1}},
      ],
      [
        'no answer',
        [say(''), say('')],
        [],
        {
          exit_code: 1,
          subtype: 'error_during_execution',
          errors: ['The model ended without an answer. Try again, or use another model.'],
        },
      ],
      ['a provider that refuses', [fail(401)], [], {exit_code: 1, subtype: 'success', api_error_status: 401}],
      [
        'an answer that does not fit',
        [wrong, wrong, wrong],
        schema,
        {exit_code: 1, subtype: 'error_max_structured_output_retries'},
      ],
      [
        'a hook that stops it',
        [say('Yes.')],
        ['--settings', JSON.stringify(stop)],
        {exit_code: 1, subtype: 'error_during_execution', errors: [expect.stringContaining('No.')]},
      ],
      ['turns', [call('Glob', {pattern: '*'})], ['--max-turns', '1'], {exit_code: 4, subtype: 'error_max_turns'}],
      ['time', [hang()], ['--timeout', '0.8'], {exit_code: 124, subtype: 'error_during_execution'}],
      ['an unknown command', [], ['--prompt', '/nothing'], {exit_code: 2, subtype: 'error_during_execution'}],
      ['a flag nobody knows', [], ['--prmpt'], {exit_code: 2, errors: [expect.stringContaining("'--prmpt'")]}],
      [
        'wrong settings',
        [],
        ['--settings', 'nowhere.json'],
        {exit_code: 2, errors: [expect.stringMatching(/nowhere/u)]},
      ],
      ['no such plan', [], ['plan', 'run', 'plan_0'], {exit_code: 1, errors: [expect.stringContaining('plan_0')]}],
    ];
  const formats = ['json', 'stream-json'];
  test.concurrent.each(cases)('%s', async (_title, script, flags, end) => {
    for (const format of formats) {
      await using scene = await openScene(script);
      const prompt = flags.includes('--prompt') || flags.includes('plan') ? [] : ['--prompt', 'x'];
      const {code, stdout} = await scene.run(['--output-format', format, ...prompt, ...flags]);
      expect(resultOf(stdout)).toMatchObject({...end, is_error: code !== 0, exit_code: code});
    }
  });

  test.each([
    ['--max-cost none --output-format json --prompt x', /^option '--max-cost/u],
    ['--prmpt x --output-format=stream-json', /^unknown option/u],
    ['--output-format json hlep', /^Unknown command "hlep"/u],
  ])('a command line that is refused: %s', async (line, says) => {
    await using scene = await openScene([]);
    const {code, stdout} = await scene.run(line.split(' '));
    expect([code, resultOf(stdout)]).toMatchObject([
      2,
      {is_error: true, exit_code: 2, errors: [expect.stringMatching(says)]},
    ]);
  });

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('%s', async (signal, code) => {
    await using scene = await openScene([hang()]);
    const child = scene.start(['--prompt', 'x', '--output-format', 'json']);
    const finished = finish(child);
    await scene.server.received(1);
    child.kill(signal);
    const {code: ended, stdout} = await finished;
    expect([ended, resultOf(stdout)]).toMatchObject([code, {is_error: true, exit_code: code}]);
  });

  test('a signal after the result does not change what the result says', async () => {
    const slow = {hooks: {SessionEnd: [{hooks: [{type: 'command', command: 'echo yes > ended; sleep 1'}]}]}};
    await using scene = await openScene([say('Yes.')]);
    const child = scene.start(['--prompt', 'x', '--output-format', 'json', '--settings', JSON.stringify(slow)]);
    const finished = finish(child);
    await fileComes(join(scene.place.work, 'ended'));
    child.kill('SIGTERM');
    const {code, stdout} = await finished;
    expect([code, resultOf(stdout)]).toMatchObject([0, {is_error: false, exit_code: 0}]);
  });
});

const loop = (): Answer => [call('Glob', {pattern: '*'}), usage({input: 99_995, output: 1})];

describe('4: a bound was reached', () => {
  test('--max-turns', async () => {
    await using scene = await openScene(loop);
    const {code, stdout, stderr} = await scene.run(['--prompt', 'x', '--max-turns', '2', '--output-format', 'json']);
    expect([code, scene.server.requests.length]).toEqual([4, 2]);
    expect(stderr).toBe('weft: stopped at the limit of 2 turns. Raise --max-turns to continue.\n');
    expect(resultOf(stdout)).toMatchObject({subtype: 'error_max_turns', is_error: true});
  });

  test('--max-cost, of a model whose price is known', async () => {
    await using scene = await openScene(loop);
    const {code, stdout} = await scene.run([
      '--prompt',
      'x',
      '--max-cost',
      '0.5',
      '--model',
      'claude-sonnet-4-6',
      '--output-format',
      'json',
    ]);
    // A request costs 0.30 dollars: after the second the bound is passed, and the third does not leave.
    expect([code, scene.server.requests.length]).toEqual([4, 2]);
    expect(resultOf(stdout)).toMatchObject({subtype: 'error_max_budget_usd', is_error: true, total_cost_usd: 0.6});
  });

  test('--max-cost holds for sub-agents side by side: no more leave than there is money for', async () => {
    const agents = Array.from({length: 8}, (_, at) =>
      call('Agent', {description: `part ${at}`, prompt: `PART ${at}`}, {id: `agent-${at}`}),
    );
    const dear = usage({input: 666_667, output: 0});
    await using scene = await openScene(({body}) =>
      JSON.stringify(body.messages[0]).includes('PART') ? [say('Done.'), dear] : agents.flat(),
    );
    const flags = ['--max-cost', '4', '--model', 'claude-sonnet-4-6', '--output-format', 'json'];
    const {code, stdout} = await scene.run(['--prompt', 'x', ...flags]);
    const {total_cost_usd: cost, ...result} = resultOf(stdout);
    expect([code, result['subtype']]).toEqual([4, 'error_max_budget_usd']);
    // The main agent's request, and two of the eight for 2 dollars each.
    expect([scene.server.requests.length, Number(cost)]).toEqual([3, expect.closeTo(4, 1)]);
  });

  test('bounds that are kept change nothing', async () => {
    await using scene = await openScene([say('done')]);
    const {code, stdout} = await scene.run(['--prompt', 'x', '--max-turns', '1', '--max-cost', '1', '--timeout', '60']);
    expect([code, stdout]).toEqual([0, 'done\n']);
  });
});

test.each(['json', 'stream-json'])(
  '124: a limit that passes before anything could begin has a result, too: %s',
  async format => {
    await using scene = await openScene([say('done')]);
    const run = await scene.run(['--prompt', 'x', '--timeout', '0.001', '--output-format', format]);
    expect([run.code, run.stderr]).toEqual([124, 'weft: stopped at the time limit of 0.001 s\n']);
    expect(resultOf(run.stdout)).toMatchObject({subtype: 'error_during_execution', is_error: true});
  },
);

test('124: --timeout ends a request that nobody answers', async () => {
  await using scene = await openScene([hang()]);
  const {code, stdout, stderr} = await scene.run(['--prompt', 'x', '--timeout', '0.5', '--output-format', 'json']);
  expect([code, stderr]).toEqual([124, 'weft: stopped at the time limit of 0.5 s\n']);
  expect(resultOf(stdout)).toMatchObject({subtype: 'error_during_execution', is_error: true});
  await scene.server.disconnected();
});
