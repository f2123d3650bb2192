// @module-tag long
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {call, say, think} from '../support/model-script.ts';
import {putFile} from '../support/put-file.ts';
import {openScene} from '../support/scene.ts';

const opus = ['--model', 'claude-opus-5-5'];
const adaptive = {type: 'adaptive', display: 'summarized'};

test('a model gets the effort of the flag, and says what it thinks', {tags: 'smoke'}, async () => {
  await using scene = await openScene([say('Hi.')]);
  const {code, stderr} = await scene.run(['--prompt', 'hi', ...opus, '--effort', 'xhigh']);
  expect([code, stderr]).toEqual([0, '']);
  expect(scene.server.requests[0]?.body).toMatchObject({thinking: adaptive, output_config: {effort: 'xhigh'}});
});

test.each([
  ['claude-sonnet-4-6', 'xhigh', 'claude-sonnet-4-6 has no effort "xhigh". Its levels are low, medium, high, max.'],
  ['claude-haiku-4-5', 'low', 'claude-haiku-4-5 has no effort levels.'],
])('%s has no effort %s', async (model, effort, message) => {
  await using scene = await openScene([]);
  const {code, stderr} = await scene.run(['--prompt', 'hi', '--model', model, '--effort', effort]);
  expect([code, stderr, scene.server.requests]).toEqual([2, `weft: ${message}\n`, []]);
});

test('no model has this effort', async () => {
  await using scene = await openScene([]);
  const {code, stderr} = await scene.run(['--prompt', 'hi', ...opus, '--effort', 'lots']);
  expect(code).toBe(2);
  expect(stderr).toContain('Allowed choices are none, minimal, low, medium, high, xhigh, max.');
});

test('the setting counts for every model, by its nearest level', async () => {
  await using scene = await openScene([say('a'), say('b'), say('c')]);
  putFile(join(scene.place.home, 'weft', 'settings.json'), '{"effort": "xhigh"}');
  for (const model of ['claude-sonnet-4-6', 'claude-opus-5-5', 'claude-haiku-4-5'])
    expect(await scene.run(['--prompt', 'hi', '--model', model])).toMatchObject({code: 0, stderr: ''});
  expect(scene.server.requests.map(({body}) => [body['output_config'], body['thinking']])).toEqual([
    [{effort: 'high'}, adaptive],
    [{effort: 'xhigh'}, adaptive],
    [undefined, {type: 'enabled', budget_tokens: 31_999}],
  ]);
});

test('/effort is kept for its model, in every front end', async () => {
  await using scene = await openScene([say('a'), say('b')]);
  const kept = await scene.run(['--prompt', '/effort low', ...opus]);
  expect([kept.code, kept.stdout]).toEqual([0, 'Model: claude-opus-5-5, effort low. Saved for this model.\n']);
  const asked = await scene.run(['--prompt', '/effort', ...opus]);
  expect(asked.stdout).toBe('Effort of claude-opus-5-5: low. Its levels are low, medium, high, xhigh, max.\n');
  const wrong = await scene.run(['--prompt', '/effort none', ...opus]);
  expect([wrong.code, wrong.stderr]).toEqual([
    1,
    'weft: claude-opus-5-5 has no effort "none". Its levels are low, medium, high, xhigh, max.\n',
  ]);
  expect(scene.server.requests).toEqual([]);
  await scene.run(['--prompt', 'hi', ...opus]);
  await scene.run(['--prompt', 'hi', '--model', 'claude-sonnet-5-5']);
  expect(scene.server.requests.map(({body}) => body['output_config'])).toEqual([{effort: 'low'}, undefined]);
});

test('a program changes the effort within a session, and learns that the cache is lost', async () => {
  await using scene = await openScene([say('a'), say('b')]);
  // A later prompt does not join the running turn.
  const prompts = ['hi', '/effort high', 'more'].map(content =>
    JSON.stringify({type: 'user', message: {role: 'user', content}, priority: 'later'}),
  );
  const {code, stdout} = await scene.run(
    ['--print', '--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose', ...opus],
    {stdin: {text: `${prompts.join('\n')}\n`}},
  );
  expect(code).toBe(0);
  expect(stdout).toContain('"slash_commands":["compact","effort"');
  expect(stdout).toContain('Model: claude-opus-5-5, effort high. Saved for this model.');
  expect(stdout).toContain('The effort is now high. The next request costs more');
  expect(scene.server.requests.map(({body}) => body['output_config'])).toEqual([undefined, {effort: 'high'}]);
});

test('the setting cacheTtl keeps the cache for an hour', async () => {
  await using scene = await openScene([say('a'), say('b')]);
  await scene.run(['--prompt', 'hi', ...opus, '--settings', '{"cacheTtl": "1h"}']);
  await scene.run(['--prompt', 'hi', ...opus]);
  const marks = scene.server.requests.map(({body}) => [
    ...new Set(JSON.stringify(body).match(/"cache_control":\{[^}]*\}/gu)),
  ]);
  expect(marks).toEqual([
    ['"cache_control":{"type":"ephemeral","ttl":"1h"}'],
    ['"cache_control":{"type":"ephemeral"}'],
  ]);
});

test.each([
  ['echo', 'hm'],
  ['strip', undefined],
] as const)('reasoning: %s', async (reasoning, sent) => {
  await using scene = await openScene([[think('hm'), call('Read', {file_path: 'none.txt'})], say('b')], 'openai');
  const settings = JSON.stringify({models: {'small-model': {reasoning, maxOutput: 3000, contextWindow: 50_000}}});
  const {code} = await scene.run(['--prompt', 'hi', '--settings', settings]);
  const [first, second] = scene.server.requests;
  expect([code, first?.body['max_completion_tokens']]).toEqual([0, 3000]);
  expect(JSON.parse(JSON.stringify(second?.body.messages.at(-2)))['reasoning_content']).toBe(sent);
});
