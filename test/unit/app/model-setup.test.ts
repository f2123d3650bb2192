import {mkdtempSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterEach, beforeEach, expect, test} from 'vitest';
import {issuedKeys, openApiKeys} from '../../../src/app/api-keys.ts';
import {chooseModel, type ModelChoice} from '../../../src/app/choose-model.ts';
import {exchangeableModel} from '../../../src/app/model-setup.ts';
import {say} from '../../support/model-script.ts';
import {startModelServer} from '../../support/model-server.ts';

let folder = '';
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'weft-setup-'))));
afterEach(() => rmSync(folder, {recursive: true, force: true}));

const signal = new AbortController().signal;
const key = 'sk-ant-api03-0123456789abcdef';

/** A user without a model, whose files lie in the folder. No program is on the PATH: there is no keychain. */
async function open(settings: Pick<ModelChoice, 'baseUrl' | 'model'>, variables: Readonly<Record<string, string>>) {
  const environment = {PATH: folder, ...variables};
  const apiKeys = openApiKeys({credentials: join(folder, 'credentials.json')}, environment);
  const none = {
    provider: undefined,
    replay: undefined,
    record: undefined,
    effort: undefined,
    cacheTtl: '5m' as const,
    wireApi: undefined,
  };
  const fallbackModels = {value: [], source: 'default', path: ''} as const;
  const choice: ModelChoice = {
    ...none,
    ...settings,
    models: {},
    providers: {},
    sessionEfforts: new Map(),
    headers: {},
    keyCommand: undefined,
    fallbackModels,
    environment,
    apiKeys,
    issuedKeys: issuedKeys(),
    refusals: '',
    streamIdleTimeoutMs: undefined,
  };
  const settingsFile = join(folder, 'settings.json');
  const chosen = await chooseModel(choice, signal);
  return {chosen, apiKeys, settingsFile, ...exchangeableModel(chosen, {choice, apiKeys, settingsFile})};
}

test('a local server: its address and model are kept as settings, and it answers from then on', async () => {
  await using server = await startModelServer([say('Hello.')]);
  const {chosen, port, setup, settingsFile} = await open({baseUrl: undefined, model: undefined}, {});
  expect([chosen.state, port.provider]).toEqual(['missing', 'none']);
  const baseUrl = server.baseUrl.openai;
  expect(await setup.useServer({baseUrl, model: 'large-model'}, signal)).toEqual({
    tag: 'ok',
    value: {model: 'large-model', text: `Saved large-model at ${baseUrl} in your settings`},
  });
  expect(port.provider).toBe('openai');
  expect(JSON.parse(readFileSync(settingsFile, 'utf8'))).toEqual({provider: 'openai', baseUrl, model: 'large-model'});
  const request = {
    model: 'large-model',
    system: '',
    tools: [],
    messages: [],
    thinking: {kind: 'default'},
    maxTokens: 'default',
  } as const;
  const events: string[] = [];
  for await (const batch of port.stream(request, signal)) events.push(...batch.map(({event}) => event));
  expect(events.at(-1)).toBe('message-finished');
  expect(server.requests.map(({body}) => body.model)).toEqual(['large-model']);
});

test('a key takes the place of a server that was chosen before', async () => {
  await using server = await startModelServer([]);
  const {setup, port, apiKeys, settingsFile} = await open(
    {baseUrl: 'http://127.0.0.1:1/v1', model: 'gone'},
    {ANTHROPIC_BASE_URL: server.baseUrl.anthropic},
  );
  expect(await setup.useServer({baseUrl: 'http://127.0.0.1:1/v1', model: 'gone'}, signal)).toMatchObject({tag: 'ok'});
  expect(await setup.useKey({provider: 'anthropic', key}, signal)).toMatchObject({
    tag: 'ok',
    value: {model: 'claude-sonnet-5-5'},
  });
  expect([port.provider, readFileSync(settingsFile, 'utf8')]).toEqual(['anthropic', '{}\n']);
  expect(apiKeys.kept()).toEqual([
    {provider: 'anthropic', baseUrl: server.baseUrl.anthropic, place: {in: 'file', key}},
  ]);
});

test('a key of the environment wins over a kept one, which is sent to no other address', async () => {
  const {apiKeys} = await open({baseUrl: undefined, model: undefined}, {});
  await apiKeys.keep({provider: 'anthropic', key, baseUrl: ''});
  const stateWith = async (variables: Readonly<Record<string, string>>) => {
    const {chosen} = await open({baseUrl: undefined, model: undefined}, variables);
    return [chosen.state, chosen.secrets];
  };
  expect(await stateWith({})).toEqual(['ready', {ANTHROPIC_API_KEY: key}]);
  expect(await stateWith({ANTHROPIC_API_KEY: 'sk-other'})).toEqual(['ready', {}]);
  expect(await stateWith({ANTHROPIC_BASE_URL: 'http://127.0.0.1:1'})).toEqual(['missing', {}]);
});

test('an effort is asked for from the next request on, kept for its model, and told with the models', async () => {
  await using server = await startModelServer([say('Hello.')]);
  const {setup, port, settingsFile} = await open(
    {baseUrl: undefined, model: undefined},
    {ANTHROPIC_BASE_URL: server.baseUrl.anthropic, ANTHROPIC_API_KEY: key},
  );
  const model = 'claude-opus-5';
  expect(await setup.useEffort({model, effort: 'low'}, signal)).toEqual({
    tag: 'ok',
    value: {model, text: `Model: ${model}, effort low. Saved for this model.`},
  });
  const request = {
    model,
    system: '',
    tools: [],
    messages: [],
    thinking: {kind: 'default'},
    maxTokens: 'default',
  } as const;
  for await (const batch of port.stream(request, signal)) expect(batch).not.toEqual([]);
  expect(server.requests.map(({body}) => body)).toMatchObject([{model, output_config: {effort: 'low'}}]);
  expect(JSON.parse(readFileSync(settingsFile, 'utf8'))).toEqual({models: {[model]: {effort: 'low'}}});
  expect([port.facts(model).effort, port.facts('claude-opus-5-5').effort]).toEqual(['low', 'default']);
  expect(await setup.useEffort({model, effort: 'default'}, signal)).toMatchObject({tag: 'ok'});
  expect([port.facts(model).effort, readFileSync(settingsFile, 'utf8')]).toEqual([
    'default',
    '{\n  "models": {\n    "claude-opus-5": {}\n  }\n}\n',
  ]);
});

test.each([
  ['claude-sonnet-4-6', 'xhigh', 'claude-sonnet-4-6 has no effort "xhigh". Its levels are low, medium, high, max.'],
  ['claude-haiku-4-5', 'high', 'claude-haiku-4-5 has no effort levels.'],
  ['gpt-5.5', 'max', 'gpt-5.5 has no effort "max". Its levels are none, low, medium, high, xhigh.'],
  ['own', 'lots', 'own has no effort "lots". Its levels are none, minimal, low, medium, high, xhigh, max.'],
])('%s has no effort %s', async (model, effort, message) => {
  const {setup} = await open({baseUrl: undefined, model: undefined}, {ANTHROPIC_API_KEY: key});
  expect(await setup.useEffort({model, effort}, signal)).toMatchObject({tag: 'failed', error: {message}});
});
