// @module-tag long
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {call, say, type Answer} from '../support/model-script.ts';
import {openScene, toldResults, type Scene} from '../support/scene.ts';
import {resultOf} from './support/messages.ts';

const edit = call('Edit', {file_path: 'a.txt', old_string: 'absent', new_string: 'b'});
const asJson = ['--output-format', 'json', '--permission-mode', 'acceptEdits'];
const results = ({server}: Scene): readonly string[] => server.requests.slice(1).flatMap(toldResults);

async function withFile(script: (number: number) => Answer): Promise<Scene> {
  const scene = await openScene((_, number) => script(number));
  writeFileSync(join(scene.place.work, 'a.txt'), 'a long line of words\n'.repeat(40));
  return scene;
}

test('the third failure of the same call says so, and the fifth ends the prompt', {tags: 'smoke'}, async () => {
  await using scene = await withFile(number => (number === 1 ? call('Read', {file_path: 'a.txt'}) : edit));
  const {code, stdout} = await scene.run(['--prompt', 'x', ...asJson]);
  expect([code, scene.server.requests.length]).toEqual([1, 6]);
  expect(results(scene).map(text => /has failed \d times/u.exec(text)?.[0])).toEqual([
    undefined,
    undefined,
    undefined,
    'has failed 3 times',
    'has failed 4 times',
  ]);
  expect(resultOf(stdout)).toMatchObject({
    subtype: 'error_during_execution',
    is_error: true,
    exit_code: 1,
    result: expect.stringMatching(/^Edit failed 5 times with the same input: .*weft stopped the prompt/su),
  });
});

test('a command that fails again and again is a loop, and one that finds nothing is not', async () => {
  const flags = ['--prompt', 'x', '--output-format', 'json', '--permission-mode', 'bypassPermissions'];
  await using failing = await withFile(() => call('Bash', {command: 'ls absent'}));
  expect([(await failing.run(flags)).code, failing.server.requests.length]).toEqual([1, 5]);
  await using searching = await withFile(number =>
    number > 7 ? say('Done.') : call('Bash', {command: 'grep nothing a.txt'}),
  );
  expect((await searching.run(flags)).code).toBe(0);
});

test('another description of the same command does not hide the loop', async () => {
  await using scene = await withFile(number => call('Bash', {command: 'ls absent', description: `Try ${number}`}));
  expect([(await scene.run(['--prompt', 'x', ...asJson])).code, scene.server.requests.length]).toEqual([1, 5]);
});

const slowAtTimes = 'printf x >>t; [ $(($(wc -c <t) % 2)) = 0 ] || sleep 0.3; cat a.txt';

test.each<[what: string, mode: string, script: (number: number) => Answer]>([
  ['the same read', 'default', () => call('Read', {file_path: 'a.txt'})],
  ['two searches in turn', 'default', number => call('Grep', {pattern: number % 2 === 0 ? 'words' : 'line'})],
  ['the same command', 'default', number => call('Bash', {command: 'cat a.txt', description: `Look ${number}`})],
  ['a command that is slow at times', 'bypassPermissions', () => call('Bash', {command: slowAtTimes})],
  ['commands that are denied', 'default', number => call('Bash', {command: `curl https://example.com/${number}`})],
])('turns that bring nothing new have a bound: %s', async (_what, mode, script) => {
  await using scene = await withFile(script);
  const {code, stdout} = await scene.run(['--prompt', 'x', '--output-format', 'json', '--permission-mode', mode]);
  const requests = scene.server.requests.length;
  expect([code, requests >= 30 && requests <= 32, resultOf(stdout)['result']]).toEqual([
    1,
    true,
    expect.stringContaining('brought nothing new, 30 turns in a row'),
  ]);
});

test('waiting for something that changes at last is no loop', async () => {
  await using scene = await withFile(number =>
    number > 40 ? say('Done.') : number % 20 === 0 ? changeOf(number) : call('Bash', {command: 'cat a.txt'}),
  );
  expect((await scene.run(['--prompt', 'x', ...asJson])).code).toBe(0);
});

const changeOf = (number: number): Answer => call('Write', {file_path: 'b.txt', content: String(number)});

test('reads in between do not hide the loop, but changes begin anew', async () => {
  const look = call('Bash', {command: 'cat a.txt'});
  await using reading = await withFile(number => (number % 2 === 1 ? look : edit));
  expect([(await reading.run(['--prompt', 'x', ...asJson])).code, reading.server.requests.length]).toEqual([1, 10]);

  await using changing = await withFile(number =>
    number > 12 ? say('Done.') : number % 2 === 1 ? changeOf(number) : edit,
  );
  expect((await changing.run(['--prompt', 'x', ...asJson])).code).toBe(0);
});

test('loopGuard: false lets the model go on', async () => {
  await using scene = await withFile(number => (number > 7 ? say('Done.') : edit));
  const {code} = await scene.run(['--prompt', 'x', ...asJson, '--settings', '{"loopGuard": false}']);
  expect([code, results(scene).some(text => text.includes('has failed'))]).toEqual([0, false]);
});

test('calls that fit no tool have a bound of their own', async () => {
  await using scene = await withFile(number => call(`Tool${String(number)}`, {}));
  const {code, stdout} = await scene.run(['--prompt', 'x', ...asJson, '--settings', '{"loopGuard": false}']);
  expect([code, scene.server.requests.length, resultOf(stdout)['result']]).toEqual([
    1,
    10,
    expect.stringContaining('only invalid tool calls 10 times in a row'),
  ]);
});

test('an unchanged result of a read is not repeated', async () => {
  const read = call('Read', {file_path: 'a.txt'});
  const change = call('Write', {file_path: 'a.txt', content: 'changed'});
  const script = [read, read, change, read, say('Done.')];
  await using scene = await withFile(number => script[number - 1] ?? say('No more.'));
  const {code} = await scene.run(['--prompt', 'x', ...asJson]);
  expect(code).toBe(0);
  const [first, second, , third] = results(scene);
  expect(first).toContain('a long line of words');
  expect(second).toMatch(/^<reminder>The same as the result of the identical call before/u);
  expect(third).toContain('changed');
});
