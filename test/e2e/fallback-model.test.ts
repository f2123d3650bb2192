// @module-tag long
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {call, fail, say, usage, type Answer} from '../support/model-script.ts';
import {putFile} from '../support/put-file.ts';
import {openScene, type Scene} from '../support/scene.ts';
import {jsonLines, kindsOf, resultOf} from './support/messages.ts';
import {prompt, rpcArgs} from './support/rpc-client.ts';

const overloaded = (times: number): readonly Answer[] =>
  Array<Answer>(times).fill(fail(529, {headers: {'retry-after-ms': '10'}}));
const models = ({server}: Scene): readonly string[] => server.requests.map(({body}) => body.model);
const main = 'claude-opus-5-5';
const other = 'claude-haiku-5-5';
const flags = ['--model', 'opus', '--fallback-model', 'haiku'];

test('in a pipe: stdout has the answer, stderr says who gave it', {tags: 'smoke'}, async () => {
  await using scene = await openScene([...overloaded(3), say('In the end.')]);
  const {code, stdout, stderr} = await scene.run(['--prompt', 'x', ...flags]);
  expect([code, stdout, models(scene)]).toEqual([0, 'In the end.\n', [main, main, main, other]]);
  expect(stderr).toMatch(
    new RegExp(
      `^weft: ${main} does not answer; ${other} answers the rest of this prompt, and the next prompt asks ${main} again\\. .* is overloaded \\(529\\).*\n$`,
      'u',
    ),
  );
});

test('the other model answers the whole prompt, and the next prompt asks the first one again', async () => {
  await using scene = await openScene([
    fail(404),
    call('Bash', {command: 'echo hi'}),
    [say('Said hi.'), usage({input: 1000, output: 100})],
    [say('Here again.'), usage({input: 1000, output: 100})],
  ]);
  const lines = ['one', 'two'].map(text => `${JSON.stringify(prompt(text, {priority: 'later'}))}\n`).join('');
  const {stdout} = await scene.run([...rpcArgs, ...flags], {stdin: {text: lines}});
  expect(models(scene)).toEqual([main, other, other, main]);
  expect(kindsOf(stdout).filter(kind => kind === 'system/model_fallback')).toHaveLength(1);
  expect(jsonLines(stdout).find(({subtype}) => subtype === 'model_fallback')).toMatchObject({
    trigger: 'model_not_found',
    original_model: main,
    fallback_model: other,
    content: expect.stringContaining(`${other} answers the rest of this prompt`),
    parent_tool_use_id: null,
  });
  // 10 and 5 tokens of the call, then what the script says: at 0.1 and 0.5 dollars, and at 4 and 20.
  expect(resultOf(stdout)['modelUsage']).toMatchObject({
    [other]: {inputTokens: 1010, outputTokens: 105, costUSD: (1010 * 0.1 + 105 * 0.5) / 1e6},
    [main]: {inputTokens: 1000, outputTokens: 100, costUSD: (1000 * 4 + 100 * 20) / 1e6},
  });
});

const inSubAgent = (): Promise<Scene> =>
  openScene([
    call('Agent', {description: 'finder', prompt: 'FIND'}, {id: 'outer'}),
    fail(404),
    say('Found.'),
    say('Done.'),
  ]);

test('in a sub-agent: it is said, too, and of whom', async () => {
  await using scene = await inSubAgent();
  const {code, stdout, stderr} = await scene.run(['--prompt', 'x', ...flags]);
  expect([code, stdout, models(scene)]).toEqual([0, 'Done.\n', [main, main, other, main]]);
  expect(stderr).toMatch(
    new RegExp(`^weft: finder: ${main} does not answer; ${other} answers the rest of this prompt`, 'u'),
  );
});

test('in a sub-agent: programs are told under the call that started it, and of nothing else', async () => {
  await using scene = await inSubAgent();
  const {stdout} = await scene.run([...rpcArgs, ...flags], {stdin: {text: `${JSON.stringify(prompt('x'))}\n`}});
  const told = jsonLines(stdout).filter(({subtype}) => subtype === 'model_fallback' || subtype === 'informational');
  expect(told).toMatchObject([
    {
      subtype: 'model_fallback',
      trigger: 'model_not_found',
      original_model: main,
      fallback_model: other,
      content: expect.stringContaining(`${other} answers the rest of this prompt`),
      parent_tool_use_id: 'outer',
    },
  ]);
});

describe('what is asked for', () => {
  test('the model itself is no other model', async () => {
    await using scene = await openScene([]);
    const {code, stderr} = await scene.run(['--prompt', 'x', '--model', main, '--fallback-model', 'opus']);
    expect([code, stderr]).toEqual([2, `weft: --fallback-model: ${main} is the main model. Name another one.\n`]);
  });

  test('a setting names them, where the flag does not; the model itself in it counts for nothing', async () => {
    const list = JSON.stringify({model: 'opus', fallbackModel: ['opus', 'haiku']});
    await using scene = await openScene([fail(404), say('1'), fail(404), say('2')]);
    expect(await scene.run(['--prompt', 'x', '--settings', list])).toMatchObject({code: 0, stdout: '1\n'});
    const flag = ['--fallback-model', 'claude-other'];
    expect(await scene.run(['--prompt', 'x', '--settings', list, ...flag])).toMatchObject({code: 0, stdout: '2\n'});
    expect(models(scene)).toEqual([main, other, main, 'claude-other']);
  });

  test('a project names them only where the folder is trusted', async () => {
    await using scene = await openScene([fail(404)]);
    putFile(join(scene.place.work, '.weft/settings.json'), JSON.stringify({fallbackModel: ['haiku']}));
    const {code, stderr} = await scene.run(['--prompt', 'x', '--model', main]);
    expect([code, models(scene)]).toEqual([1, [main]]);
    expect(stderr).toContain('"fallbackModel" is ignored');
  });
});
