import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterEach, beforeEach, expect, test} from 'vitest';
import {chooseModel} from '../../../src/app/choose-model.ts';
import {makeHttpFetch} from '../../../src/models/http-fetch.ts';
import {isLocalAddress, LocalWindows} from '../../../src/models/local-window.ts';
import {noUsage} from '../../../src/domain/usage.ts';
import {ask} from '../../support/model-events.ts';
import {hang, say} from '../../support/model-script.ts';
import {answers, startModelServer} from '../../support/model-server.ts';
import {askAgain, choiceIn} from '../../support/ways-in.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'weft-window-'));
});
afterEach(() => rmSync(folder, {recursive: true}));

const never = new AbortController().signal;
const model = 'qwen3';

test.each([
  ['Ollama', {'/api/ps': {models: [{name: 'qwen3:latest', context_length: 4096}]}}, 4096],
  [
    'Ollama, not loaded',
    {'/api/ps': {models: []}, '/api/show': {model_info: {'qwen3.context_length': 40_960}}},
    40_960,
  ],
  [
    'Ollama, set in the Modelfile',
    {'/api/ps': {models: []}, '/api/show': {parameters: 'stop "a"\nnum_ctx    16384'}},
    16_384,
  ],
  [
    'LM Studio',
    {
      '/api/v1/models': {
        models: [
          {key: 'qwen3', max_context_length: 999, loaded_instances: [{id: 'qwen3', config: {context_length: 8192}}]},
        ],
      },
    },
    8192,
  ],
  [
    'LM Studio, not loaded',
    {'/api/v1/models': {models: [{key: 'qwen3', max_context_length: 999, loaded_instances: []}]}},
    999,
  ],
  ['llama.cpp', {'/props': {default_generation_settings: {n_ctx: 16_384}}}, 16_384],
  [
    'llama.cpp with several models',
    {'/props?model=qwen3&autoload=false': {default_generation_settings: {n_ctx: 2048}}, '/props': {}},
    2048,
  ],
  [
    'vLLM',
    {
      '/v1/models': {
        data: [
          {id: 'other', max_model_len: 1},
          {id: 'qwen3', max_model_len: 65_536},
        ],
      },
    },
    65_536,
  ],
  ['another program', {'/api/ps': [], '/props': 'text', '/v1/models': {data: null}}, 0],
])('%s: %j', async (_name, pages, tokens) => {
  await using server = await startModelServer([], {pages});
  const windows = new LocalWindows({
    baseUrl: server.baseUrl.openai,
    title: '',
    headers: {},
    send: makeHttpFetch({}),
    limitMs: 30_000,
  });
  await windows.ask(model, never);
  expect(windows.of(model)).toBe(tokens);
});

test.each([0, 1, -4096, 4096.5, 1e30, '4096'])('a window of %j counts as unknown', async size => {
  const pages = {'/api/ps': {models: [{name: 'qwen3', context_length: size}]}};
  await using server = await startModelServer([], {pages});
  const windows = new LocalWindows({baseUrl: server.baseUrl.openai, title: '', headers: {}, send: makeHttpFetch({})});
  await windows.ask(model, never);
  expect(windows.of(model)).toBe(0);
});

test('a server that does not answer, or a cancelled prompt, costs little and is no error', async () => {
  await using server = await startModelServer(answers([hang()]));
  const silent = `${server.baseUrl.openai}/chat/completions`;
  const send: ReturnType<typeof makeHttpFetch> = (_url, init) =>
    makeHttpFetch({})(silent, {...init, method: 'POST', body: '{"stream": true}'});
  const windows = new LocalWindows({baseUrl: server.baseUrl.openai, title: 'vLLM', headers: {}, send, limitMs: 20});
  await windows.ask(model, never);
  expect(windows.of(model)).toBe(0);
  await new LocalWindows({baseUrl: 'http://127.0.0.1:1/v1', title: '', headers: {}, send, limitMs: 60_000}).ask(
    model,
    AbortSignal.abort(),
  );
});

test('the whole address of chat completions names the same server', async () => {
  const pages = {'/props': {default_generation_settings: {n_ctx: 8192}}};
  await using server = await startModelServer([], {pages});
  const baseUrl = `${server.baseUrl.openai}/chat/completions`;
  const windows = new LocalWindows({baseUrl, title: 'llama.cpp', headers: {}, send: makeHttpFetch({})});
  await windows.ask(model, never);
  expect(windows.of(model)).toBe(8192);
});

test('the window of the loaded model counts for weft, and a small one is said once with the fix', async () => {
  const pages: Record<string, unknown> = {'/api/ps': {models: []}, '/api/show': {}};
  await using server = await startModelServer(answers([say('a'), say('b'), say('c')]), {pages});
  const providers = {ollama: {baseUrl: server.baseUrl.openai}};
  const chosen = await chooseModel(choiceIn(folder, {environment: {}, provider: 'ollama', model, providers}), never);
  expect(chosen.port.facts(model).contextWindow).toBe(0);
  await askAgain(chosen);
  pages['/api/ps'] = {models: [{name: 'qwen3:latest', context_length: 12_000}]};
  const [first] = await askAgain(chosen);
  expect(first).toEqual({
    event: 'repaired',
    repair: 'small-window',
    text: 'Ollama runs qwen3 with a context of 12,000 tokens, which is little for an agent. Restart Ollama with OLLAMA_CONTEXT_LENGTH=32768.',
    leftOut: [],
  });
  expect(chosen.port.facts(model)).toMatchObject({contextWindow: 12_000, profile: 'small'});
  expect((await askAgain(chosen))[0]).toMatchObject({event: 'message-started'});
  expect(server.requests.map(({body}) => body['max_completion_tokens'])).toEqual([undefined, 3000, 3000]);
});

test('what the settings say of a model counts more', async () => {
  await using server = await startModelServer([], {pages: {'/props': {default_generation_settings: {n_ctx: 4096}}}});
  const choice = choiceIn(folder, {
    environment: {OPENAI_BASE_URL: server.baseUrl.openai},
    model,
    models: {[model]: {contextWindow: 9000}},
  });
  expect((await chooseModel(choice, never)).port.facts(model).contextWindow).toBe(9000);
});

test.each<readonly [string, {readonly window: number; readonly words: number; readonly read: number}, boolean]>([
  ['the server counts no system prompt', {window: 0, words: 1000, read: 1200}, false],
  ['the server counts no system prompt, and has room', {window: 32_768, words: 1000, read: 1200}, false],
  ['the template leaves out the tools', {window: 8192, words: 1000, read: 1200}, false],
  ['the server read less than half of the messages', {window: 0, words: 12_000, read: 4096}, true],
  ['the server read as much as its window', {window: 4096, words: 1000, read: 4096}, true],
])('a prompt counts as cut only if messages are missing: %s', async (_name, {window, words, read}, isCut) => {
  const pages = window === 0 ? {} : {'/api/ps': {models: [{name: 'qwen3', context_length: window}]}};
  await using server = await startModelServer(answers([]), {pages});
  const windows = new LocalWindows({baseUrl: server.baseUrl.openai, title: '', send: makeHttpFetch({}), headers: {}});
  await windows.ask(model, never);
  const request = ask('word '.repeat(words), {model, system: 'rule '.repeat(8000)});
  const advice = windows.cutAdvice(request, {...noUsage, inputTokens: read});
  expect(advice.includes('it cut the prompt')).toBe(isCut);
});

test('only servers of the user are asked', () => {
  const near = [
    'http://localhost:1/v1',
    'http://127.0.0.1',
    'http://[::1]:8000',
    'http://192.168.1.5:11434/v1',
    'http://box.local',
  ];
  expect(near.filter(url => !isLocalAddress(url))).toEqual([]);
  expect(['https://api.deepseek.com', 'https://8.8.8.8', 'nonsense'].filter(isLocalAddress)).toEqual([]);
});
