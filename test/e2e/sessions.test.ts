// @module-tag long
import {existsSync, readdirSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {call, hang, say} from '../support/model-script.ts';
import type {ReceivedRequest} from '../support/model-server.ts';
import {finish} from '../support/run-weft.ts';
import {openScene, toldPrompt, type Scene} from '../support/scene.ts';
import {resultOf} from './support/messages.ts';

const id = '0f9a1a34-1111-4222-8333-444455556666';
const unknownId = '0f9a1a34-9999-4999-8999-999999999999';

/** What providers cache by: the request without the marks that say where. */
const cached = ({body}: ReceivedRequest): string =>
  JSON.stringify([body.system, body.tools, body.messages], (key, value: unknown) =>
    key === 'cache_control' ? undefined : value,
  );

const isBeginning = (shorter: ReceivedRequest | undefined, longer: ReceivedRequest | undefined): boolean =>
  shorter !== undefined && longer !== undefined && cached(longer).startsWith(cached(shorter).slice(0, -2));

const sessionOf = async (scene: Scene, args: readonly string[]): Promise<unknown> =>
  resultOf((await scene.run([...args, '--output-format', 'json'])).stdout)['session_id'];

describe('going on', () => {
  test('--continue: each request begins with the one before it', {tags: 'smoke'}, async () => {
    await using scene = await openScene([
      [say('I look.'), call('Glob', {pattern: '*'})],
      say('Nothing.'),
      say('Still nothing.'),
      say('As before.'),
    ]);
    const ids = [
      await sessionOf(scene, ['--prompt', 'What is here?']),
      await sessionOf(scene, ['--continue', '--prompt', 'And now?']),
      await sessionOf(scene, ['-c', '--prompt', 'And now?']),
    ];
    const {requests} = scene.server;
    expect(new Set(ids).size).toBe(1);
    expect(requests.map(request => request.body.messages.length)).toEqual([1, 3, 5, 7]);
    expect(requests.slice(1).map((request, at) => isBeginning(requests[at], request))).toEqual([true, true, true]);
    expect(toldPrompt(requests[2])).toBe('And now?');
  });

  test('--resume <id>, --session-id, and --continue takes the newest', {tags: 'smoke'}, async () => {
    await using scene = await openScene([say('1'), say('2'), say('3'), say('4')]);
    expect(await sessionOf(scene, ['--prompt', 'first', '--session-id', id])).toBe(id);
    const second = await sessionOf(scene, ['--prompt', 'second']);
    expect(await sessionOf(scene, ['--prompt', 'third', '--resume', id])).toBe(id);
    expect(await sessionOf(scene, ['--prompt', 'fourth', '--continue'])).toBe(id);
    expect(second).not.toBe(id);
    expect(scene.server.requests.map(({body}) => body.messages.length)).toEqual([1, 1, 3, 5]);
  });

  test('the list has short ids, titles and what it cost; a short id is enough, one of two sessions is refused', async () => {
    await using scene = await openScene([say('1'), say('2'), say('3')]);
    const twin = '0f9a1a34-2222-4222-8333-444455556666';
    await scene.run(['--prompt', 'fix the discount', '--session-id', id]);
    await scene.run(['--prompt', 'explain the cart', '--session-id', twin]);
    const list = await scene.run(['sessions', 'list']);
    expect(list.stdout.split('\n').map(line => line.split(/ {2,}/u).slice(0, 4))).toEqual([
      ['0f9a1a34-2222', 'just now', expect.stringMatching(/^\$0\.\d+$/u), 'explain the cart'],
      ['0f9a1a34-1111', 'just now', expect.stringMatching(/^\$0\.\d+$/u), 'fix the discount'],
      [''],
    ]);
    expect(await sessionOf(scene, ['--prompt', 'on', '--resume', '0f9a1a34-1'])).toBe(id);
    expect((await scene.run(['sessions', 'show', '0f9a1a34'])).stderr).toBe(
      'weft: 2 sessions begin with 0f9a1a34:\n  0f9a1a34-1111  fix the discount\n  0f9a1a34-2222  explain the cart\n',
    );
    expect((await scene.run(['__complete', 'session'])).stdout).toBe(
      '0f9a1a34-1111\tfix the discount, just now\n0f9a1a34-2222\texplain the cart, just now\n',
    );
  });

  test('a session has the name that the user gives it, and keeps its place in the list', async () => {
    await using scene = await openScene([say('1'), say('2'), say('3')]);
    await scene.run(['--prompt', 'fix the discount', '--session-id', id]);
    await scene.run(['--prompt', 'explain the cart']);
    const named = await scene.run(['sessions', 'rename', id.slice(0, 8), 'The', 'discount']);
    expect([named.code, named.stderr]).toEqual([0, `weft: renamed ${id}: The discount\n`]);
    const titles = async (): Promise<readonly unknown[]> =>
      JSON.parse((await scene.run(['sessions', 'list', '--json'])).stdout).map(({title}: {title: unknown}) => title);
    expect(await titles()).toEqual(['explain the cart', 'The discount']);

    const inside = await scene.run(['--resume', id, '--prompt', '/rename  Prices\nand more ']);
    expect([inside.code, inside.stdout]).toEqual([0, 'Session renamed: Prices and more\n']);
    await scene.run(['--resume', id, '--prompt', 'go on']);
    expect(await titles()).toEqual(['Prices and more', 'explain the cart']);
    expect(scene.server.requests.at(-1)?.body.messages.length).toBe(3);
    expect(await scene.run(['sessions', 'rename', id, ' '])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('The name is empty.'),
    });
    expect(await scene.run(['--resume', id, '--prompt', '/rename'])).toMatchObject({code: 1, stdout: ''});
  });

  test('--fork-session leaves the session as it was', async () => {
    await using scene = await openScene([say('1'), say('2'), say('3')]);
    await scene.run(['--prompt', 'first', '--session-id', id]);
    const fork = await sessionOf(scene, ['--prompt', 'aside', '--resume', id, '--fork-session']);
    await scene.run(['--prompt', 'on', '--resume', id]);
    const [first, aside, on] = scene.server.requests;
    expect(fork).not.toBe(id);
    expect([isBeginning(first, aside), isBeginning(first, on), isBeginning(aside, on)]).toEqual([true, true, false]);
    expect(on?.body.messages).toHaveLength(3);
  });

  test('an answer in two steps and a session of another folder', async () => {
    await using scene = await openScene([say('1')]);
    await scene.run(['--prompt', 'x']);
    for (const prompt of [['--prompt', 'y'], []]) {
      const {code, stdout, stderr} = await scene.run(['--continue', ...prompt, '--cwd', scene.place.home]);
      expect([code, stdout, stderr]).toEqual([
        1,
        '',
        `weft: No session to continue in ${scene.place.home}. Start one without --continue.\n`,
      ]);
    }
  });

  test('a session can go on with the other dialect', async () => {
    await using scene = await openScene([
      [say('I look.'), call('Glob', {pattern: '*'})],
      say('Nothing.'),
      say('Now I.'),
    ]);
    await scene.run(['--prompt', 'x']);
    const args = ['--provider', 'openai', '--base-url', scene.server.baseUrl.openai, '--model', 'small-model'];
    const {code, stdout} = await scene.run(['--continue', '--prompt', 'y', ...args]);
    expect([code, stdout]).toEqual([0, 'Now I.\n']);
    expect(scene.server.requests[2]?.body.messages.map(({role}) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'tool',
      'assistant',
      'user',
    ]);
  });

  test('a session nobody knows, and an id that is taken', async () => {
    await using scene = await openScene([say('1')]);
    await scene.run(['--prompt', 'x', '--session-id', id]);
    const missing = await scene.run(['--prompt', 'x', '--resume', unknownId]);
    const taken = await scene.run(['--prompt', 'x', '--session-id', id]);
    expect([missing.code, taken.code, scene.server.requests.length]).toEqual([1, 1, 1]);
    expect(missing.stderr).toMatch(new RegExp(`^weft: [^\\n]*${unknownId}[^\\n]*\\n$`, 'u'));
    expect(taken.stderr).toMatch(new RegExp(`^weft: [^\\n]*${id}[^\\n]*\\n$`, 'u'));
  });
});

test('--no-session-persistence keeps nothing', async () => {
  await using scene = await openScene([say('1')]);
  expect((await scene.run(['--prompt', 'x', '--no-session-persistence'])).code).toBe(0);
  const home = join(scene.place.home, 'weft');
  expect(existsSync(home) ? readdirSync(home) : []).toEqual([]);
});

test('a session that another process has open is refused, with its number; a fork is not', async () => {
  await using scene = await openScene([say('1'), hang(), say('3')]);
  await scene.run(['--prompt', 'x', '--session-id', id]);
  const owner = scene.start(['--prompt', 'y', '--resume', id]);
  const finished = finish(owner);
  await scene.server.received(2);
  const {code, stdout, stderr} = await scene.run(['--prompt', 'z', '--continue']);
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(new RegExp(`^weft: [^\\n]*\\b${owner.pid}\\b[^\\n]*\\n$`, 'u'));
  expect((await scene.run(['--prompt', 'z', '--continue', '--fork-session'])).stdout).toBe('3\n');
  owner.kill('SIGTERM');
  expect((await finished).code).toBe(143);
});

test('two processes in one folder do not disturb each other', async () => {
  await using scene = await openScene(request => say(`To ${toldPrompt(request)}`));
  const prompts = ['a', 'b', 'c', 'd'];
  const finished = await Promise.all(prompts.map(prompt => scene.run(['--prompt', prompt])));
  expect(finished.map(({code, stdout, stderr}) => [code, stdout, stderr])).toEqual(
    prompts.map(prompt => [0, `To ${prompt}\n`, '']),
  );
  expect(JSON.parse((await scene.run(['sessions', 'list', '--json'])).stdout)).toHaveLength(4);
});

const open = async (): Promise<Scene> => {
  const scene = await openScene([[say('I look.'), call('Glob', {pattern: '*.txt'})], say('Nothing to see.'), say('2')]);
  await scene.run(['--prompt', 'What is here?', '--session-id', id]);
  return scene;
};

describe('weft sessions', () => {
  test('list', async () => {
    await using scene = await open();
    await scene.run(['--prompt', 'Another one']);
    const {code, stdout, stderr} = await scene.run(['sessions', 'list']);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/Another one[^]*0f9a1a34[^]*What is here\?/u);
    const listed: unknown = JSON.parse((await scene.run(['sessions', 'list', '--json'])).stdout);
    expect(listed).toEqual([
      expect.objectContaining({directory: scene.place.work}),
      expect.objectContaining({id, directory: scene.place.work}),
    ]);
  });

  test('list without any', async () => {
    await using scene = await openScene([]);
    expect(await scene.run(['sessions', 'list'])).toMatchObject({code: 0, stdout: ''});
    expect(await scene.run(['sessions', 'list', '--json'])).toMatchObject({code: 0, stdout: '[]\n', stderr: ''});
  });

  test('show', async () => {
    await using scene = await open();
    const {code, stdout, stderr} = await scene.run(['sessions', 'show', id]);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/What is here\?[^]*I look\.[^]*\*\.txt[^]*Nothing to see\./u);
    const shown: unknown = JSON.parse((await scene.run(['sessions', 'show', id, '--json'])).stdout);
    expect(shown).toMatchObject({session: {id}, records: expect.any(Array)});
  });

  test('export', async () => {
    await using scene = await open();
    const lines = (await scene.run(['sessions', 'export', id])).stdout.trimEnd().split('\n');
    expect(lines.map(line => typeof JSON.parse(line))).toEqual(lines.map(() => 'object'));
    expect(lines.join('\n')).toMatch(/What is here\?[^]*I look\.[^]*Nothing to see\./u);
    const {stdout} = await scene.run(['sessions', 'export', id, '--format', 'markdown']);
    expect(stdout).toMatch(/^#[^]*What is here\?[^]*I look\.[^]*Nothing to see\./u);
  });

  test('delete', async () => {
    await using scene = await open();
    expect((await scene.run(['sessions', 'delete', id])).code).toBe(0);
    expect((await scene.run(['sessions', 'list', '--json'])).stdout).toBe('[]\n');
    expect((await scene.run(['--continue', '--prompt', 'x'])).code).toBe(1);
  });

  test.each(['show', 'export', 'delete'])('%s of a session nobody knows: one line and exit code 1', async command => {
    await using scene = await open();
    const {code, stdout, stderr} = await scene.run(['sessions', command, unknownId]);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(new RegExp(`^weft: [^\\n]*${unknownId}[^\\n]*\\n$`, 'u'));
  });
});

test('a list with a limit has the newest sessions, with ids that no other session has', async () => {
  await using scene = await openScene(() => say('Done.'));
  const ids = [1, 2, 3].map(at => `0f9a1a34-1111-4222-8333-44445555666${at}`);
  for (const each of ids) await scene.run(['--session-id', each, '--prompt', each]);
  const {stdout} = await scene.run(['sessions', 'list', '--limit', '2']);
  expect(stdout.split('\n').map(line => line.split(' ')[0])).toEqual([ids[2], ids[1], '']);
  const listed = (await scene.run(['sessions', 'list', '--json', '--limit', '1'])).stdout;
  expect(JSON.parse(listed)).toEqual([expect.objectContaining({id: ids[2]})]);
});
