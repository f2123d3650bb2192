// @module-tag long
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {readdirSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {call, say, usage} from '../support/model-script.ts';
import {startModelServer} from '../support/model-server.ts';
import {runWeft, TempPlace, weftBin} from '../support/run-weft.ts';
import {openScene, pointedAt, scriptedKey, toldPrompt, toldResults} from '../support/scene.ts';
import {jsonLines, kindsOf, resultOf} from './support/messages.ts';

const answer = {code: 0, signal: null, stdout: 'The answer.\n', stderr: ''};

describe('text', () => {
  test.each(['anthropic', 'openai'] as const)('the answer alone, over the %s dialect', async dialect => {
    await using scene = await openScene([say('The answer.')], dialect);
    expect(await scene.run(['--prompt', 'What?'])).toEqual(answer);
    expect(scene.server.requests.map(({dialect: spoken, body}) => [spoken, body.messages.length > 0])).toEqual([
      [dialect, true],
    ]);
    expect(toldPrompt(scene.server.requests[0])).toBe('What?');
  });

  test('only the last message of a run with tools is the answer', async () => {
    await using scene = await openScene([[say('I look.'), call('Glob', {pattern: '*'})], say('Nothing here.')]);
    expect(await scene.run(['--prompt', 'What is here?'])).toEqual({...answer, stdout: 'Nothing here.\n'});
  });

  test('an answer without a line end gets one, others are not doubled', async () => {
    await using scene = await openScene([say('a\n\nb\n\n')]);
    expect((await scene.run(['--prompt', 'x'])).stdout).toBe('a\n\nb\n');
  });

  test('nothing of a terminal is in it', {tags: 'smoke'}, async () => {
    await using scene = await openScene([say('# Title\n\n**bold** ✓ 日本')]);
    const {stdout, stderr} = await scene.run(['--prompt', 'x'], {environment: {FORCE_COLOR: '1', TERM: 'xterm'}});
    expect([stdout, stderr]).toEqual(['# Title\n\n**bold** ✓ 日本\n', '']);
  });
});

describe('json', () => {
  test('one result object with all its fields', async () => {
    await using scene = await openScene([[say('The answer.'), usage({input: 1000, output: 100})]]);
    const {code, stdout, stderr} = await scene.run([
      '--prompt',
      'What?',
      '--output-format=json',
      '--model',
      'claude-sonnet-4-6',
    ]);
    expect([code, stderr, stdout.split('\n').length]).toEqual([0, '', 2]);
    expect(JSON.parse(stdout)).toMatchObject({
      type: 'result',
      subtype: 'success',
      is_error: false,
      result: 'The answer.',
      stop_reason: 'end_turn',
      num_turns: 1,
      session_id: expect.stringMatching(/^[0-9a-f-]{36}$/u),
      uuid: expect.stringMatching(/^[0-9a-f-]{36}$/u),
      duration_ms: expect.any(Number),
      duration_api_ms: expect.any(Number),
      total_cost_usd: 0.0045,
      usage: {input_tokens: 1000, output_tokens: 100, cache_read_input_tokens: 0, cache_creation_input_tokens: 0},
      permission_denials: [],
    });
  });

  test('a failure is a result too', async () => {
    await using scene = await openScene([]);
    const {code, stdout} = await scene.run(['--prompt', 'x', '--output-format', 'json']);
    expect([code, resultOf(stdout)]).toMatchObject([
      1,
      {type: 'result', is_error: true, api_error_status: 400, permission_denials: []},
    ]);
  });
});

describe('stream-json', () => {
  test('messages in order, one a line', async () => {
    await using scene = await openScene([[say('I look.'), call('Glob', {pattern: '*'})], say('Nothing here.')]);
    const {code, stdout, stderr} = await scene.run(['--prompt', 'x', '--output-format=stream-json']);
    expect([code, stderr]).toEqual([0, '']);
    expect(kindsOf(stdout)).toEqual([
      'system/init',
      'assistant:text',
      'assistant:tool_use',
      'user:tool_result',
      'assistant:text',
      'result/success',
    ]);
    const ids = new Set(jsonLines(stdout).map(message => message['session_id']));
    expect(ids.size).toBe(1);
    expect(jsonLines(stdout)[0]).toMatchObject({
      cwd: scene.place.work,
      permissionMode: 'default',
      apiKeySource: 'ANTHROPIC_API_KEY',
    });
  });

  test('with --include-partial-messages also the stream as it comes', async () => {
    await using scene = await openScene([say('one two')]);
    const {stdout} = await scene.run(['--prompt', 'x', '--output-format', 'stream-json', '--include-partial-messages']);
    const kinds = kindsOf(stdout);
    expect(kinds.filter(kind => kind.startsWith('stream_event'))).toEqual([
      'stream_event/message_start',
      'stream_event/content_block_start',
      ...kinds.filter(kind => kind === 'stream_event/content_block_delta'),
      'stream_event/content_block_stop',
      'stream_event/message_delta',
      'stream_event/message_stop',
    ]);
    expect(kinds.filter(kind => !kind.startsWith('stream_event'))).toEqual([
      'system/init',
      'assistant:text',
      'result/success',
    ]);
    const text = jsonLines(stdout)
      .map(message => message['event'])
      .map(event => /"text_delta","text":"([^"]*)"/u.exec(JSON.stringify(event) ?? '')?.[1] ?? '')
      .join('');
    expect(text).toBe('one two');
  });

  test('the first line comes before the model has answered', {tags: 'smoke'}, async () => {
    const gate = Promise.withResolvers<void>();
    await using scene = await openScene([[{part: 'until', gate: gate.promise}, say('late')]]);
    const child = scene.start(['--prompt', 'x', '--output-format', 'stream-json']);
    const first = await new Promise<string>(resolve => {
      child.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString()));
    });
    expect(kindsOf(first)[0]).toBe('system/init');
    gate.resolve();
    await new Promise(resolve => child.on('close', resolve));
    expect(child.exitCode).toBe(0);
  });
});

describe('which model', () => {
  test('--model, else WEFT_MODEL', async () => {
    await using scene = await openScene([say('1'), say('2')]);
    const environment = {WEFT_MODEL: 'claude-from-environment'};
    await scene.run(['--prompt', 'x'], {environment});
    await scene.run(['--prompt', 'x', '--model', 'claude-from-flag'], {environment});
    expect(scene.server.requests.map(({body}) => body.model)).toEqual(['claude-from-environment', 'claude-from-flag']);
  });

  test('--base-url and --provider, over the environment', {tags: 'smoke'}, async () => {
    await using scene = await openScene([say('The answer.')]);
    await using other = await startModelServer([say('Another.')]);
    const args = ['--prompt', 'x', '--provider', 'openai', '--base-url', other.baseUrl.openai, '--model', 'm'];
    expect((await scene.run(args)).stdout).toBe('Another.\n');
    expect(scene.server.requests).toEqual([]);
    expect(other.requests.map(({path}) => path)).toEqual(['/v1/chat/completions']);
  });

  test('the key goes to the server it is for', async () => {
    await using scene = await openScene([say('1')]);
    await scene.run(['--prompt', 'x']);
    expect(scene.server.requests[0]?.headers['x-api-key']).toBe(scriptedKey);
    await using other = await openScene([say('1')], 'openai');
    await other.run(['--prompt', 'x']);
    expect(other.server.requests[0]?.headers.authorization).toBe(`Bearer ${scriptedKey}`);
  });

  test('a local server needs no key, and its first model is taken from its list', async () => {
    using place = new TempPlace();
    await using server = await startModelServer([say('The answer.')]);
    const environment = {OPENAI_BASE_URL: server.baseUrl.openai};
    expect(await runWeft(['--prompt', 'x'], {place, environment})).toEqual(answer);
    expect(server.requests[0]?.body.model).toBe('small-model');
  });

  test('a server that cannot stream is understood', async () => {
    using place = new TempPlace();
    await using server = await startModelServer([say('The answer.')], {streaming: 'ignored'});
    const environment = {OPENAI_BASE_URL: server.baseUrl.openai};
    expect(await runWeft(['--prompt', 'x'], {place, environment})).toEqual(answer);
  });
});

test('--verbose and --debug say more, on stderr alone', async () => {
  await using scene = await openScene([say('The answer.'), say('The answer.')]);
  const {stderr, ...verbose} = await scene.run(['--prompt', 'x', '--verbose', '--model', 'claude-told']);
  expect(verbose).toEqual({code: 0, signal: null, stdout: 'The answer.\n'});
  expect(stderr).toMatch(/^weft: [^\n]*claude-told[^\n]*\n$/u);
  const debug = await scene.run(['--prompt', 'x', '--debug']);
  expect([debug.code, debug.stdout, debug.stderr === '']).toEqual([0, 'The answer.\n', false]);
  expect(debug.stderr).not.toContain(scriptedKey);
});

test('--cwd is where it works', async () => {
  await using scene = await openScene([call('Glob', {pattern: '*'}), say('done')]);
  const {stdout} = await scene.run(['-C', join(scene.place.home), '--prompt', 'x', '--output-format', 'stream-json']);
  expect(jsonLines(stdout)[0]).toMatchObject({cwd: scene.place.home});
});

test('output that the disk has no room for leaves no file there', async () => {
  await using scene = await openScene([call('Bash', {command: 'yes | head -c 9000000'}), say('Done.')]);
  const {place} = scene;
  const survives = `--import data:text/javascript,${encodeURIComponent("process.on('SIGXFSZ', () => {})")}`;
  const env = place.environment({...pointedAt(scene.server), TMPDIR: place.home, NODE_OPTIONS: survives});
  // No file may become larger than 4 MB, as on a disk without room.
  const limited = 'ulimit -f 4000; exec "$@"';
  const args = [process.execPath, weftBin, '--permission-mode', 'bypassPermissions', '--prompt', 'x'];
  const child = spawn('bash', ['-c', limited, 'bash', ...args], {cwd: place.work, env, stdio: 'ignore'});
  expect(await once(child, 'exit')).toEqual([0, null]);
  expect(toldResults(scene.server.requests[1]).join('')).toContain('bytes left out; it could not be saved: EFBIG');
  const kept = readdirSync(place.home, {recursive: true, encoding: 'utf8'});
  expect(kept.filter(name => name.includes('command-'))).toEqual([]);
});
