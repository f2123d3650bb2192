import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterEach, beforeEach, expect, test} from 'vitest';
import {configuredProvider, defaultModel, openConnection, providerNamed} from '../../../src/app/choose-model.ts';
import {rowKeyVariables} from '../../../src/domain/api-key.ts';
import {say} from '../../support/model-script.ts';
import {type ModelServer, startModelServer} from '../../support/model-server.ts';
import {askOnce, choiceIn, keyTextOf} from '../../support/ways-in.ts';

let folder: string;
let server: ModelServer;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'weft-rows-'));
  server = await startModelServer([say('Hi.')]);
});
afterEach(async () => {
  rmSync(folder, {recursive: true});
  await server.close();
});

const addressOf = async (name: string): Promise<string | undefined> =>
  (await providerNamed(name, choiceIn(folder, {environment: {}}))).baseUrl;

test('every row has an address, and other names mean the same row', async () => {
  const addresses = await Promise.all(Object.keys(rowKeyVariables).map(addressOf));
  expect(new Set(addresses).size).toBe(Object.keys(rowKeyVariables).length);
  expect(addresses.every(address => URL.canParse(address ?? ''))).toBe(true);
  const pairs = [
    ['kimi', 'moonshot'],
    ['glm', 'zai'],
    ['dashscope', 'qwen'],
    ['grok', 'xai'],
  ] as const;
  for (const [other, name] of pairs) expect(await addressOf(other)).toBe(await addressOf(name));
});

test.each([
  ['deepseek', 'openai', '/chat/completions', 'DEEPSEEK_API_KEY', {max_tokens: 9}],
  ['mistral', 'openai', '/chat/completions', 'MISTRAL_API_KEY', {max_tokens: 9}],
  ['groq', 'openai', '/chat/completions', 'GROQ_API_KEY', {max_completion_tokens: 9}],
  ['xai', 'openai', '/responses', 'XAI_API_KEY', {max_output_tokens: 9, store: false}],
  ['minimax', 'anthropic', '/v1/messages', 'MINIMAX_API_KEY', {max_tokens: 9}],
  ['fireworks', 'anthropic', '/v1/messages', 'FIREWORKS_API_KEY', {max_tokens: 9}],
] as const)('%s: the protocol, the parameters and the key of the row', async (name, dialect, path, variable, body) => {
  const environment = {
    [variable]: 'row-key-0123',
    OPENAI_API_KEY: 'other',
    ANTHROPIC_API_KEY: 'other',
    ANTHROPIC_AUTH_TOKEN: 'other',
    OPENAI_BASE_URL: 'http://127.0.0.1:1',
    OPENAI_CUSTOM_HEADERS: 'X-Gateway: other',
  };
  const providers = {[name]: {baseUrl: server.baseUrl[dialect], headers: {'X-Team': '${TEAM:-weft}'}}};
  const models = {m: {maxOutput: 9}};
  const events = await askOnce(choiceIn(folder, {environment, provider: name, model: 'm', providers, models}));
  expect(events.at(-1)).toMatchObject({event: 'message-finished', stop: 'end-turn'});
  const [request] = server.requests;
  expect(request?.path.replace(/^\/v1(?=\/[cr])/u, '')).toBe(path);
  expect(request?.body).toMatchObject(body);
  expect(request?.headers).toMatchObject({authorization: 'Bearer row-key-0123', 'x-team': 'weft'});
  expect(JSON.stringify(request?.headers)).not.toContain('other');
});

test("the user's own row: an address, the variable of its key, its protocol", async () => {
  const providers = {mine: {baseUrl: server.baseUrl.responses, keyVariable: 'MINE', wireApi: 'responses' as const}};
  const choice = choiceIn(folder, {environment: {MINE: 'mine-0123'}, provider: 'mine', providers});
  await askOnce(choice);
  expect(server.requests.map(({path, headers, body}) => [path, headers.authorization, body.model])).toEqual([
    ['/v1/responses', 'Bearer mine-0123', 'small-model'],
  ]);
  expect(await keyTextOf('mine', choice)).toBe('key from MINE');
});

test.each([
  ['nowhere', {}, 'Unknown provider "nowhere". Use one of anthropic, openai,'],
  ['depseek', {}, 'Unknown provider "depseek". Did you mean deepseek? Use one of'],
  ['constructor', {}, 'Unknown provider "constructor". Use one of'],
  ['__proto__', {}, 'Unknown provider "__proto__". Use one of'],
  ['mine', {mine: {}}, 'The provider "mine" has no address. Set providers.mine.baseUrl.'],
  [
    'deepseek',
    {},
    'No key for DeepSeek. Set DEEPSEEK_API_KEY, or name another variable in the setting providers.deepseek.keyVariable.',
  ],
] as const)('%s with %j is refused in one sentence', async (provider, providers, text) => {
  await expect(askOnce(choiceIn(folder, {environment: {OPENAI_API_KEY: 'k'}, provider, providers}))).rejects.toThrow(
    text,
  );
});

test.each([
  [{DEEPSEEK_API_KEY: 'k'}, 'deepseek'],
  [{OPENROUTER_API_KEY: 'k'}, 'openrouter'],
  [{OPENROUTER_API_KEY: 'k', GROQ_API_KEY: 'k'}, 'groq'],
  [{GROQ_API_KEY: 'k', OPENAI_API_KEY: 'k'}, 'openai'],
  [{GROQ_API_KEY: 'k', AWS_BEARER_TOKEN_BEDROCK: 'k'}, 'bedrock'],
  [{GROQ_API_KEY: ''}, undefined],
])('the key variables %j choose %s', (environment, provider) => {
  expect(configuredProvider(choiceIn(folder, {environment}))).toBe(provider);
});

test('a key command counts for a row only if the settings name the row', async () => {
  const command = {command: 'echo key', ttlMs: 0, given: 'no', provider: undefined} as const;
  const choice = choiceIn(folder, {environment: {}, provider: 'groq', keyCommand: command});
  expect(await keyTextOf('groq', choice)).toBe('no key');
  expect(await keyTextOf('groq', {...choice, keyCommand: {...command, provider: 'groq'}})).toBe(
    'key from the setting keyCommand',
  );
});

test('another name of a row counts in all settings', async () => {
  const command = {command: 'echo kimi-key', ttlMs: 0, given: 'no', provider: 'kimi'} as const;
  const providers = {moonshot: {baseUrl: server.baseUrl.openai}};
  const headers = {kimi: {'X-Team': 'weft'}};
  const choice = {provider: 'kimi', model: 'kimi-k3', providers, headers, keyCommand: command, environment: {}};
  await askOnce(choiceIn(folder, choice));
  expect(server.requests[0]?.headers).toMatchObject({authorization: 'Bearer kimi-key', 'x-team': 'weft'});
});

test('a user name and a password in an address are sent, and not shown', async () => {
  const withLogin = server.baseUrl.openai.replace('//', '//me:pass%40word@');
  const choice = choiceIn(folder, {environment: {OPENAI_BASE_URL: withLogin}, model: 'm'});
  await askOnce(choice);
  const authorization = `Basic ${Buffer.from('me:pass@word').toString('base64')}`;
  expect(server.requests[0]?.headers).toMatchObject({authorization});
  const providers = {mine: {baseUrl: withLogin}};
  for (const provider of [await providerNamed('openai', choice), await providerNamed('mine', {...choice, providers})]) {
    expect(provider).toMatchObject({baseUrl: server.baseUrl.openai, headers: {authorization}});
  }
});

test('the providers with a protocol of their own are overridden too', async () => {
  const providers = {
    azure: {baseUrl: 'https://eu.example.com', keyVariable: 'EU_KEY', headers: {'X-Region': 'eu'}},
    anthropic: {keyVariable: 'WORK_KEY'},
  };
  const choice = choiceIn(folder, {environment: {EU_KEY: 'eu-0123', WORK_KEY: 'work-0123'}, providers});
  const opened = await openConnection(await providerNamed('azure', choice), choice);
  expect(opened).toMatchObject({baseUrl: 'https://eu.example.com/openai/v1'});
  expect(await keyTextOf('anthropic', choice)).toBe('key from WORK_KEY');
});

test('without a model, weft asks the row for its list, or takes the model of the row', async () => {
  const choice = choiceIn(folder, {environment: {}});
  expect(await defaultModel(await providerNamed('groq', choice), choice)).toEqual({
    kind: 'listed',
    baseUrl: 'https://api.groq.com/openai/v1',
  });
  expect(await defaultModel(await providerNamed('openrouter', choice), choice)).toEqual({
    kind: 'named',
    model: 'openrouter/auto',
    defaultOf: 'OpenRouter',
  });
});
