// @module-tag long
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {fail, hang, say, usage} from '../support/model-script.ts';
import {openScene} from '../support/scene.ts';
import {finish} from '../support/run-weft.ts';
import {resultOf} from './support/messages.ts';

const own = {
  'small-model': {
    contextWindow: 32_000,
    maxOutput: 4000,
    price: {input: 100, output: 1000},
    efforts: ['low', 'high'],
    images: false,
    about: 'tests',
  },
};

const nobody = {ANTHROPIC_API_KEY: '', OPENAI_API_KEY: '', OPENAI_BASE_URL: ''};

test('what nobody knows of a model is said to be unknown', {tags: 'smoke'}, async () => {
  await using scene = await openScene([], 'openai');
  const {code, stdout, stderr} = await scene.run(['models', 'list']);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/^small-model +\? +\? +price unknown +\? +default$/mu);
  expect(stdout).toMatch(/^Prices are US dollars as of \d{4}-\d\d-\d\d\.$/mu);
});

test('what the settings say of a model goes over it, and its cost is computed from it', async () => {
  await using scene = await openScene([[say('Hi.'), usage({input: 1000, output: 10})]], 'openai');
  expect((await scene.run(['config', 'set', 'models', JSON.stringify(own)])).code).toBe(0);
  const {stdout} = await scene.run(['models', '--json']);
  const {models} = JSON.parse(stdout);
  expect(models[0]).toEqual({
    model: 'small-model',
    default: true,
    contextWindow: 32_000,
    maxOutput: 4000,
    price: {input: 100, output: 1000, cacheRead: 100, cacheWrite: 100},
    efforts: ['low', 'high'],
    effort: 'default',
    images: 'unseen',
    pdfs: 'unknown',
    about: 'tests',
    from: 'settings',
  });
  const run = await scene.run(['--prompt', 'x', '--output-format', 'json', '--settings', '{"effort": "medium"}']);
  expect(resultOf(run.stdout)['modelUsage']).toMatchObject({
    'small-model': {costUSD: 0.11, contextWindow: 32_000},
  });
  expect(scene.server.requests[0]?.body).toMatchObject({max_completion_tokens: 4000, reasoning_effort: 'low'});
});

test('without a provider: what weft knows', async () => {
  await using scene = await openScene([]);
  const {code, stdout, stderr} = await scene.run(['models'], {environment: nobody});
  expect([code, stderr]).toEqual([0, 'weft: no provider is configured. These are models that weft knows\n']);
  expect(stdout).toMatch(/^claude-sonnet-5-5 +1000k +128k +\$2 in, \$10 out +images, PDFs +effort low medium .*$/mu);
});

test('a fact that does not fit is refused in words', async () => {
  await using scene = await openScene([]);
  const wrong = JSON.stringify({models: {mine: {contextWindow: 'large'}}});
  const {code, stderr} = await scene.run(['--prompt', 'x', '--settings', wrong]);
  expect(code).toBe(2);
  expect(stderr).toMatch(/"models\.mine\.contextWindow" is invalid; "models" must be names of models/u);
  const unknown = JSON.stringify({models: {mine: {window: 5}}});
  expect((await scene.run(['--prompt', 'x', '--settings', unknown])).stderr).toContain(
    '"models.mine.window" is invalid',
  );
});

test('a picture for a model that sees none: the user hears of it, and the model is told in words', async () => {
  await using scene = await openScene([say('I cannot see it.')], 'openai');
  writeFileSync(join(scene.place.work, 'a.png'), Buffer.from('89504e470d0a1a0a00', 'hex'));
  const blind = JSON.stringify({models: {'small-model': {images: false}}});
  const {code, stderr} = await scene.run(['--prompt', 'See @a.png', '--settings', blind]);
  expect([code, stderr]).toEqual([0, "weft: small-model can't see images. It only learns that you attached one.\n"]);
  const sent = JSON.stringify(scene.server.requests[0]?.body);
  expect([sent.includes('image_url'), sent.includes('this model sees no images')]).toEqual([false, true]);
});

test('models test: a score card of ten checks, as JSON and as lines; what is missing is exit code 1', async () => {
  await using scene = await openScene(() => [say('kestrel'), usage({input: 10, output: 2})], 'openai');
  const json = await scene.run(['models', 'test', 'large-model', '--json']);
  expect([json.code, json.stderr]).toEqual([
    1,
    'weft: testing large-model with 10 requests of about 18,000 tokens in all\n',
  ]);
  const checks: readonly {readonly check: string; readonly ok: boolean}[] = JSON.parse(json.stdout);
  expect(checks.filter(({ok}) => !ok).map(({check}) => check)).toEqual([
    'tool-call',
    'parallel-calls',
    'cut',
    'schema',
  ]);
  expect(scene.server.requests.length).toBe(10);
  const {server} = scene;
  const elsewhere = {
    OPENAI_BASE_URL: '',
    OPENAI_API_KEY: 'sk-own-0123456789',
    ANTHROPIC_API_KEY: 'sk-ant-0123456789',
    WEFT_MODEL: '',
  };
  const lines = await scene.run(['models', 'test', server.baseUrl.anthropic], {environment: elsewhere});
  expect([lines.code, lines.stdout]).toEqual([
    1,
    expect.stringContaining('✗ tool-call       made no call, but answered "kestrel"\n'),
  ]);
  expect(lines.stdout).toContain('6 of 10 checks passed\n');
  const {path, headers, body} = server.requests[10] ?? {};
  expect([path, headers?.authorization, body?.model]).toEqual([
    '/v1/chat/completions',
    'Bearer sk-own-0123456789',
    'small-model',
  ]);
});

test('models test: a refused key is one request, said without the key', async () => {
  await using scene = await openScene(() => fail(401, {message: 'wrong key sk-scripted-0123456789'}), 'openai');
  const {code, stdout} = await scene.run(['models', 'test', '--json']);
  expect([code, scene.server.requests.length, stdout.includes('sk-scripted')]).toEqual([1, 1, false]);
  expect(JSON.parse(stdout)).toHaveLength(10);
});

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('models test: %s prints the checks so far, as JSON', async (signal, code) => {
  await using scene = await openScene((_request, number) => (number === 3 ? hang() : say('kestrel')), 'openai');
  const child = scene.start(['models', 'test', '--json']);
  const finished = finish(child);
  await scene.server.received(3);
  child.kill(signal);
  const {code: exit, stdout} = await finished;
  const checks: readonly {readonly check: string; readonly ok: boolean; readonly interrupted?: boolean}[] =
    JSON.parse(stdout);
  expect([exit, checks.length, checks.filter(({interrupted}) => interrupted !== true).map(({check}) => check)]).toEqual(
    [code, 10, ['text', 'tool-call']],
  );
});
