// @module-tag long
import {once} from 'node:events';
import {existsSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {text as textOf} from 'node:stream/consumers';
import {setTimeout as pause} from 'node:timers/promises';
import {describe, expect, test} from 'vitest';
import {breakOff, call, hang, say, sayPieces, until} from '../support/model-script.ts';
import {openScene, toldPrompt} from '../support/scene.ts';
import {jsonLines, kindsOf} from './support/messages.ts';
import {answerTo, isAnswer, isType, prompt, request, rpcArgs, startRpc} from './support/rpc-client.ts';

const residentMegabytes = (pid: number): number =>
  Number(/VmRSS:\s+(\d+) kB/u.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

/** Resolves when a process has used no processor for a while: whatever it does next, it waits for something. */
async function quiet(pid: number): Promise<void> {
  const used = (): string => readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ').slice(13, 15).join(' ');
  for (let before = '', same = 0; same < 10; same = before === used() ? same + 1 : 0) {
    before = used();
    await pause(50);
  }
}

const line = (message: object): string => `${JSON.stringify(message)}\n`;
const error = (id: string, code: string) => ({
  type: 'control_response',
  response: {subtype: 'error', request_id: id, error: expect.any(String), error_code: code},
});

describe('lines', () => {
  test('a prompt without a greeting, and the end of stdin: answered, exit code 0', async () => {
    await using scene = await openScene([say('Hi.')]);
    const {code, stdout, stderr} = await scene.run(rpcArgs, {stdin: {text: line(prompt('Hello?'))}});
    expect([code, kindsOf(stdout), stderr]).toEqual([0, ['system/init', 'assistant:text', 'result/success'], '']);
  });

  test('an empty answer is an error with the reason, and the session goes on', async () => {
    await using scene = await openScene([[], [], say('Hi.')]);
    const text = line(prompt('one')) + line(prompt('two', {priority: 'later'}));
    const {stdout} = await scene.run(rpcArgs, {stdin: {text}});
    expect(jsonLines(stdout).filter(isType('result'))).toMatchObject([
      {
        subtype: 'error_during_execution',
        is_error: true,
        outcome: 'error',
        errors: ['The model ended without an answer. Try again, or use another model.'],
      },
      {subtype: 'success', is_error: false, result: 'Hi.'},
    ]);
  });

  test('several prompts, one after the other in one session', async () => {
    await using scene = await openScene([say('1'), say('2'), say('3')]);
    const text = ['one', 'two', 'three'].map(word => line(prompt(word, {priority: 'later'}))).join('');
    const {code, stdout} = await scene.run(rpcArgs, {stdin: {text}});
    const results = jsonLines(stdout).filter(isType('result'));
    expect([code, results.map(({result}) => result)]).toEqual([0, ['1', '2', '3']]);
    expect(new Set(jsonLines(stdout).map(message => message['session_id'])).size).toBe(1);
    expect(scene.server.requests.map(toldPrompt)).toEqual(['one', 'two', 'three']);
  });

  test('CRLF, a missing last line end, empty lines, U+2028 as data, a byte order mark', {tags: 'smoke'}, async () => {
    await using scene = await openScene([say('1'), say('2')]);
    const text = `\u{feff}${JSON.stringify(prompt('a\u2028b'))}\r\n\r\n\n${JSON.stringify(prompt('last'))}`;
    const {code} = await scene.run(rpcArgs, {stdin: {text}});
    expect([code, scene.server.requests.map(toldPrompt)]).toEqual([0, ['a\u2028b', 'last']]);
  });

  test('cut anywhere, in the middle of a character too', async () => {
    await using scene = await openScene([say('ok')]);
    const client = startRpc(scene);
    for (const byte of Buffer.from(line(prompt('żółć 🌍')))) {
      client.child.stdin.write(Buffer.of(byte));
      await new Promise(resolve => setImmediate(resolve));
    }
    await client.next(isType('result'));
    expect([(await client.finish()).code, toldPrompt(scene.server.requests[0])]).toEqual([0, 'żółć 🌍']);
  });

  test(
    'what cannot be read is told, the rest goes on, and the exit code says that something was lost',
    {tags: 'smoke'},
    async () => {
      await using scene = await openScene([say('ok')]);
      const text = `{"type":\n[1]\n{"type":"poem"}\n${line(prompt('x'))}`;
      const {code, stdout, stderr} = await scene.run(rpcArgs, {stdin: {text}});
      expect(kindsOf(stdout)).toEqual([
        'system/informational',
        'system/informational',
        'system/informational',
        'system/init',
        'assistant:text',
        'result/success',
      ]);
      expect([code, stderr.trimEnd().split('\n').length]).toEqual([1, 3]);
    },
  );

  test('a line of more than 50 MB is refused with a result, and the stream goes on', async () => {
    await using scene = await openScene([say('ok')]);
    const client = startRpc(scene);
    client.send(prompt('x'.repeat(51 * 1024 * 1024)));
    client.send(prompt('short'));
    expect(await client.next(isType('result'))).toMatchObject({
      is_error: true,
      errors: [expect.stringContaining('the limit is 50 MB')],
    });
    expect(await client.next(isType('result'))).toMatchObject({result: 'ok'});
    expect((await client.finish()).code).toBe(1);
  });

  test('an empty prompt has a result as well', {tags: 'smoke'}, async () => {
    await using scene = await openScene([]);
    const {code, stdout} = await scene.run(rpcArgs, {stdin: {text: line(prompt('  '))}});
    expect([code, jsonLines(stdout)]).toMatchObject([1, [{type: 'result', is_error: true}]]);
  });

  test('nothing at all: one line on stderr, no hang', async () => {
    await using scene = await openScene([]);
    expect(await scene.run(rpcArgs)).toEqual({
      code: 1,
      signal: null,
      stdout: '',
      stderr: expect.stringMatching(/^weft: stdin ended before a message arrived[^\n]*\n$/u),
    });
  });

  test('a greeting and nothing else is answered', async () => {
    await using scene = await openScene([]);
    const {code, stdout} = await scene.run(rpcArgs, {stdin: {text: line(request('g', {subtype: 'initialize'}))}});
    expect([code, jsonLines(stdout)]).toMatchObject([
      0,
      [{type: 'control_response', response: {subtype: 'success', request_id: 'g'}}],
    ]);
  });
});

describe('requests', () => {
  test('an unknown one is refused, one that does not fit too, and nothing is left without an answer', async () => {
    await using scene = await openScene([]);
    const client = startRpc(scene);
    client.send(request('g', {subtype: 'initialize'}));
    client.send(request('a', {subtype: 'nope'}));
    client.send(request('b', {subtype: 'set_permission_mode', mode: 7}));
    client.send(request('c', {subtype: 'set_permission_mode', mode: 'auto'}));
    client.send(request('d', {subtype: 'rewind_files', user_message_id: 'x'}));
    client.send(request('e', {subtype: 'mcp_reconnect', serverName: 'none'}));
    client.send(request('f', {subtype: 'rename_session', title: ' The  cart '}));
    client.send(request('h', {subtype: 'rename_session', title: 'x', session_id: 'another'}));
    expect(await client.next(isAnswer('a'))).toEqual({
      type: 'control_response',
      response: {
        subtype: 'error',
        request_id: 'a',
        error: 'Unsupported control request subtype: nope',
        error_code: 'unsupported_request',
      },
    });
    expect(await client.next(isAnswer('b'))).toEqual(error('b', 'invalid_request'));
    expect(await client.next(isAnswer('c'))).toEqual(error('c', 'unsupported_mode'));
    expect(await client.next(isAnswer('d'))).toMatchObject({response: {response: {canRewind: false}}});
    expect(await client.next(isAnswer('e'))).toEqual(error('e', 'mcp_failed'));
    expect(await client.next(isAnswer('f'))).toMatchObject({response: {response: {title: 'The cart'}}});
    expect(await client.next(isAnswer('h'))).toEqual(error('h', 'other_session'));
    expect((await client.finish()).code).toBe(0);
  });

  test('one that comes before anything else is answered, though nothing follows it', async () => {
    await using scene = await openScene([say('ok')]);
    const client = startRpc(scene);
    client.send(request('a', {subtype: 'mcp_status'}));
    expect(await client.next(isAnswer('a'))).toMatchObject({response: {subtype: 'success'}});
    client.send(prompt('x'));
    expect(await client.next(isType('result'))).toMatchObject({result: 'ok'});
    expect((await client.finish()).code).toBe(0);
  });

  test('settings in a greeting count, also where they are a file; one that is not there is refused', async () => {
    await using scene = await openScene([call('Bash', {command: 'ls'}), say('ok')]);
    const file = join(scene.place.home, 'given.json');
    writeFileSync(file, JSON.stringify({permissions: {deny: ['Bash']}}));
    const greet = (settings: unknown) => line(request('g', {subtype: 'initialize', settings}));
    const {code, stdout} = await scene.run(rpcArgs, {stdin: {text: greet(file) + line(prompt('x'))}});
    expect([code, jsonLines(stdout).at(-1)]).toMatchObject([0, {permission_denials: [{tool_name: 'Bash'}]}]);
    const refused = [`${file}.none`, {sandbox: 'nowhere'}];
    for (const settings of refused) {
      const lost = await scene.run(rpcArgs, {stdin: {text: greet(settings) + line(prompt('x'))}});
      expect([lost.code, jsonLines(lost.stdout)[0]]).toMatchObject([
        2,
        {response: {subtype: 'error', request_id: 'g'}},
      ]);
    }
  });

  test('answers to nothing, twice, or to what was taken back change nothing', async () => {
    await using scene = await openScene([call('Bash', {command: 'touch a'}), say('Done.')]);
    const client = startRpc(scene, ['--permission-prompt-tool=stdio']);
    client.send(answerTo('never-asked', {behavior: 'allow'}));
    client.send(prompt('x'));
    const {request_id: id} = await client.next(isType('control_request'));
    client.send(answerTo(id, {behavior: 'deny', message: 'no'}));
    client.send(answerTo(id, {behavior: 'allow'}));
    client.send({type: 'control_cancel_request', request_id: 'unknown'});
    client.send({type: 'keep_alive'});
    expect(await client.next(isType('result'))).toMatchObject({permission_denials: [{tool_name: 'Bash'}]});
    expect([(await client.finish()).code, existsSync(join(scene.place.work, 'a'))]).toEqual([0, false]);
  });

  test('an interrupt while it asks takes the question back first, then answers', async () => {
    await using scene = await openScene([call('Bash', {command: 'touch a'}), say('Second.')]);
    const client = startRpc(scene, ['--permission-prompt-tool=stdio']);
    client.send(prompt('x', {uuid: 'first'}));
    client.send(prompt('y', {uuid: 'second'}));
    const {request_id: id} = await client.next(isType('control_request'));
    client.send(request('i', {subtype: 'interrupt'}));
    const kinds = ['control_cancel_request', 'control_response', 'user', 'user', 'result'];
    for (const kind of kinds) {
      const message = await client.next(({type}) => kinds.includes(String(type)));
      expect(message['type']).toBe(kind);
      if (kind === 'control_cancel_request') expect(message['request_id']).toBe(id);
      if (kind === 'control_response')
        expect(message).toMatchObject({response: {response: {still_queued: ['second']}}});
    }
    expect(await client.next(isType('result'))).toMatchObject({result: 'Second.'});
    expect((await client.finish()).code).toBe(0);
  });

  test('an interrupt may drop what waits', async () => {
    await using scene = await openScene([hang()]);
    const client = startRpc(scene);
    client.send(prompt('x'));
    client.send(prompt('y', {uuid: 'second'}));
    await scene.server.received(1);
    client.send(request('i', {subtype: 'interrupt', cancel_queued: true}));
    expect(await client.next(isAnswer('i'))).toMatchObject({
      response: {response: {still_queued: [], cancelled: ['second']}},
    });
    expect(await client.next(isType('result'))).toMatchObject({terminal_reason: 'aborted_streaming'});
    expect((await client.finish()).code).toBe(1);
    expect(scene.server.requests).toHaveLength(1);
  });

  test('a prompt that waits may be taken back by its id', async () => {
    const gate = Promise.withResolvers<void>();
    await using scene = await openScene([[until(gate.promise), say('1')], say('never')]);
    const client = startRpc(scene);
    client.send(prompt('x'));
    client.send(prompt('y', {uuid: 'second'}));
    await scene.server.received(1);
    client.send(request('c', {subtype: 'cancel_async_message', message_uuid: 'second'}));
    expect(await client.next(isAnswer('c'))).toMatchObject({response: {response: {cancelled: true}}});
    gate.resolve();
    await client.next(isType('result'));
    expect([(await client.finish()).code, scene.server.requests.length]).toEqual([0, 1]);
  });

  test.each([{}, {priority: 'next'}])('a prompt joins the one that runs: %j', async more => {
    await using scene = await openScene([call('Bash', {command: 'touch a'}), say('Both.')]);
    const client = startRpc(scene, ['--permission-prompt-tool=stdio', '--replay-user-messages']);
    client.send(prompt('first', {uuid: 'p1'}));
    const {request_id: id} = await client.next(isType('control_request'));
    client.send(prompt('and also', {uuid: 'p2', ...more}));
    client.send(answerTo(id, {behavior: 'allow'}));
    expect(await client.next(isType('result'))).toMatchObject({result: 'Both.'});
    const {stdout} = await client.finish();
    expect(jsonLines(stdout).flatMap(message => (message['isReplay'] === true ? [message['uuid']] : []))).toEqual([
      'p1',
      'p2',
    ]);
    expect(kindsOf(stdout).filter(kind => kind === 'system/init')).toHaveLength(1);
    expect(JSON.stringify(scene.server.requests[1]?.body.messages.at(-1))).toContain('and also');
  });

  test('one that shall not be sent yet goes with the next', async () => {
    await using scene = await openScene([say('ok')]);
    const text = line(prompt('Remember this.', {shouldQuery: false})) + line(prompt('Now.'));
    await scene.run(rpcArgs, {stdin: {text}});
    expect(scene.server.requests.map(toldPrompt)).toEqual(['Remember this.\n\nNow.']);
  });
});

describe('the end', () => {
  test('of stdin while it asks: nobody answers, so it is a no, and the run ends', async () => {
    await using scene = await openScene([call('Bash', {command: 'touch a'}), say('Done.')]);
    const client = startRpc(scene, ['--permission-prompt-tool=stdio']);
    client.send(prompt('x'));
    await client.next(isType('control_request'));
    const {code, stdout} = await client.finish();
    expect([code, jsonLines(stdout).at(-1)]).toMatchObject([0, {result: 'Done.', permission_denials: [{}]}]);
    expect(existsSync(join(scene.place.work, 'a'))).toBe(false);
  });

  test('of stdin before a hook could say no: the call does not run', async () => {
    await using scene = await openScene([call('Bash', {command: 'touch a'}), say('Done.')]);
    const client = startRpc(scene, ['--permission-mode=bypassPermissions']);
    client.send(request('g', {subtype: 'initialize', hooks: {PreToolUse: [{hookCallbackIds: ['h']}]}}));
    client.send(prompt('x'));
    await client.next(isType('control_request'));
    expect((await client.finish()).code).toBe(0);
    expect(existsSync(join(scene.place.work, 'a'))).toBe(false);
  });

  const signals = [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 143],
  ] as const;
  test.each(signals)('%s with stdin open, while the model answers: exit code %i', async (signal, code) => {
    await using scene = await openScene([hang()]);
    const client = startRpc(scene);
    client.send(prompt('x'));
    await scene.server.received(1);
    client.child.kill(signal);
    expect(await client.ended).toMatchObject({code, signal: null});
    await scene.server.disconnected();
  });

  test('a client that does not read holds the model up, and gets all of it in the end', async () => {
    const pieces = Array.from({length: 400}, (_, at) => `${at} ${'x'.repeat(100_000)} `);
    await using scene = await openScene([sayPieces(...pieces)]);
    const child = scene.start([...rpcArgs, '--include-partial-messages'], {stdin: 'open'});
    child.stdin.end(line(prompt('x')));
    await once(child.stdout, 'readable');
    await scene.server.received(1);
    await quiet(child.pid ?? 0);
    expect(residentMegabytes(child.pid ?? 0)).toBeLessThan(300);
    expect((await textOf(child.stdout)).trimEnd().split('\n').at(-1)).toContain('"type":"result"');
  });

  test('stdout closed, stdin open: it ends at once, and that is no failure', async () => {
    const gate = Promise.withResolvers<void>();
    await using scene = await openScene([
      [say('One.'), until(gate.promise), say('word '.repeat(2000)), breakOff('hang')],
    ]);
    const child = scene.start([...rpcArgs, '--include-partial-messages'], {stdin: 'open'});
    child.stdin.write(line(prompt('x')));
    await once(child.stdout, 'data');
    child.stdout.destroy();
    gate.resolve();
    expect(await once(child, 'exit')).toEqual([0, null]);
    await scene.server.disconnected();
  });

  test('stdout closed while it asks, stdin open: found out within seconds', async () => {
    await using scene = await openScene([call('Bash', {command: 'touch a'}), say('never')]);
    const client = startRpc(scene, ['--permission-prompt-tool=stdio']);
    client.send(prompt('x'));
    await client.next(isType('control_request'));
    client.child.stdout.destroy();
    expect(await once(client.child, 'exit')).toEqual([0, null]);
  });

  test('--timeout ends it', async () => {
    await using scene = await openScene([hang()]);
    const client = startRpc(scene, ['--timeout', '1']);
    client.send(prompt('x'));
    expect((await client.ended).code).toBe(124);
  });
});

test.each([
  [['--input-format', 'stream-json'], 'needs --output-format stream-json'],
  [[...rpcArgs, 'a prompt'], 'send prompts as messages on stdin'],
  [['--prompt', 'x', '--permission-prompt-tool=stdio'], 'needs --input-format stream-json'],
  [[...rpcArgs, '--permission-mode=wild'], 'Allowed choices are'],
])('%j is refused: %s', async (args, why) => {
  await using scene = await openScene([]);
  const {code, stderr} = await scene.run(args);
  expect([code, stderr]).toEqual([2, expect.stringContaining(why)]);
});
