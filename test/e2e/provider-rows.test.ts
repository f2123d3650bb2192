// @module-tag long
import {mkdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {call, fail, say, think} from '../support/model-script.ts';
import {startModelServer} from '../support/model-server.ts';
import {openScene} from '../support/scene.ts';
import {resultOf} from './support/messages.ts';

const nobody = {ANTHROPIC_API_KEY: '', ANTHROPIC_BASE_URL: '', OPENAI_CUSTOM_HEADERS: 'X-Gateway: secret'};

test('DeepSeek by the flag: its key, its address of the settings, its thinking back', {tags: 'smoke'}, async () => {
  await using scene = await openScene([[think('Let me see.'), call('Bash', {command: 'true'})], say('Done.')]);
  const baseUrl = scene.server.baseUrl.openai;
  const environment = {...nobody, DEEPSEEK_API_KEY: 'sk-deep-0123456789', OPENAI_API_KEY: 'sk-other'};
  const flags = ['--provider', 'deepseek', '--model', 'deepseek-v4', ...settings({deepseek: {baseUrl}})];
  const {code, stdout, stderr} = await scene.run([...flags, '--prompt', 'x'], {environment});
  expect([code, stderr, stdout]).toEqual([0, '', 'Done.\n']);
  const [first, second] = scene.server.requests;
  expect([first?.path, first?.headers.authorization, first?.headers['x-gateway']]).toEqual([
    '/v1/chat/completions',
    'Bearer sk-deep-0123456789',
    undefined,
  ]);
  expect(second?.body.messages.find(({role}) => role === 'assistant')).toMatchObject({
    reasoning_content: 'Let me see.',
  });
});

test('one key of a row chooses it: doctor, status and models say which and why', async () => {
  await using scene = await openScene([say('Hi.')]);
  const {place, server} = scene;
  const environment = {...nobody, GROQ_API_KEY: 'gsk-0123456789abcdef'};
  mkdirSync(join(place.home, 'weft'), {recursive: true});
  const baseUrl = server.baseUrl.openai;
  writeFileSync(join(place.home, 'weft', 'settings.json'), JSON.stringify({providers: {groq: {baseUrl}}}));
  const doctor = await scene.run(['doctor', '--json'], {environment});
  expect(JSON.parse(doctor.stdout).checks.find(({name}: {readonly name: string}) => name === 'model').detail).toBe(
    `the first model that ${baseUrl} lists (groq at ${baseUrl}), key from GROQ_API_KEY; not contacted`,
  );
  expect((await scene.run(['status'], {environment})).stdout).toBe(
    `Anthropic  no key\nOpenAI     no key, headers of your own\nGemini     no key\nGroq       key from GROQ_API_KEY\nweft uses groq at ${baseUrl}, key from GROQ_API_KEY\n`,
  );
  const models = await scene.run(['models', '--json'], {environment});
  expect(JSON.parse(models.stdout)).toMatchObject({
    provider: 'groq',
    models: [{model: 'small-model'}, {model: 'large-model'}],
  });
  const run = await scene.run(['--prompt', 'x', '--verbose'], {environment});
  expect([run.code, run.stdout]).toEqual([0, 'Hi.\n']);
  expect(server.requests[0]?.body.model).toBe('small-model');
});

const settings = (providers: object): string[] => ['--settings', JSON.stringify({providers})];

test('models of another row; what cannot be used is one sentence', async () => {
  await using scene = await openScene([]);
  const environment = {...nobody, MISTRAL_API_KEY: 'k'};
  const models = await scene.run(['models', '--provider', 'mistral', '--base-url', scene.server.baseUrl.openai], {
    environment,
  });
  expect(models.stdout).toContain('large-model');
  const run = async (...args: string[]) => (await scene.run([...args, '--prompt', 'x'], {environment})).stderr;
  expect(await run('--provider', 'deepseek')).toBe(
    'weft: No key for DeepSeek. Set DEEPSEEK_API_KEY, or name another variable in the setting providers.deepseek.keyVariable.\n',
  );
  expect(await run('--provider', 'nowhere')).toMatch(/^weft: Unknown provider "nowhere"\. Use one of anthropic, /u);
  expect(await run(...settings({mine: {baseUrl: 'ftp://x'}}))).toMatch(
    /"providers\.mine\.baseUrl" is invalid; "providers" must be names of providers/u,
  );
  expect(await run(...settings({mine: {url: 'https://x'}}))).toContain('"providers.mine.url" is invalid');
});

test("a project's row counts only after trust, and the question says where the key goes", async () => {
  await using scene = await openScene([]);
  const {place, server} = scene;
  mkdirSync(join(place.work, '.weft'));
  const providers = {deepseek: {baseUrl: `${server.baseUrl.openai}/evil`, keyVariable: 'GITHUB_TOKEN'}};
  writeFileSync(join(place.work, '.weft', 'settings.json'), JSON.stringify({providers}));
  const environment = {...nobody, DEEPSEEK_API_KEY: '', GITHUB_TOKEN: 'ghp-0123'};
  const {code, stderr} = await scene.run(['--provider', 'deepseek', '--prompt', 'x'], {environment});
  expect(code).toBe(2);
  expect(stderr).toContain('No key for DeepSeek.');
  expect(server.requests).toEqual([]);
});

test('the window of the model that a local server has loaded is used, and said if it is small', async () => {
  await using scene = await openScene([]);
  const pages = {'/api/ps': {models: [{name: 'qwen3:latest', context_length: 8192}]}};
  await using server = await startModelServer([say('Hi.')], {pages});
  const environment = {...nobody, OPENAI_BASE_URL: server.baseUrl.openai, OPENAI_API_KEY: ''};
  const run = await scene.run(['--model', 'qwen3', '--prompt', 'x', '--output-format', 'json'], {environment});
  expect([run.code, run.stderr]).toEqual([
    0,
    'weft: Ollama runs qwen3 with a context of 8,192 tokens, which is little for an agent. Restart Ollama with OLLAMA_CONTEXT_LENGTH=32768.\n',
  ]);
  expect(resultOf(run.stdout)['modelUsage']).toMatchObject({qwen3: {contextWindow: 8192}});
  expect(server.requests[0]?.body['max_completion_tokens']).toBe(2048);
});

test('Mistral gets its order of roles with the first request', async () => {
  await using scene = await openScene(({body}, number) => {
    const roles = body.messages.map(({role}) => role);
    const isRefused = roles.some((role, at) => role === 'user' && ['tool', 'user'].includes(String(roles[at - 1])));
    if (isRefused) return fail(400, {message: "Unexpected role 'user' after role 'tool'"});
    return [call('Bash', {command: 'true'}), fail(401, {message: 'no'}), say('Done.')][number - 1] ?? say('Again.');
  });
  const environment = {...nobody, MISTRAL_API_KEY: 'k'};
  const flags = ['--provider', 'mistral', '--model', 'mistral-large-4'];
  const given = settings({mistral: {baseUrl: scene.server.baseUrl.openai}});
  expect((await scene.run([...flags, ...given, '--prompt', 'x'], {environment})).code).toBe(1);
  const {stdout, stderr} = await scene.run([...flags, ...given, '--continue', '--prompt', 'y'], {environment});
  expect([stdout, stderr, scene.server.requests.length]).toEqual(['Done.\n', '', 3]);
  expect(scene.server.requests[2]?.body.messages.map(({role}) => role)).toEqual([
    'system',
    'user',
    'assistant',
    'tool',
    'assistant',
    'user',
  ]);
});
