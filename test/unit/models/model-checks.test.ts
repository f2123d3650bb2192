import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterEach, beforeEach, expect, test} from 'vitest';
import {chooseModel} from '../../../src/app/choose-model.ts';
import {checkModel, checkNames, type ModelCheck} from '../../../src/models/model-checks.ts';
import {modelTable} from '../../../src/models/model-facts.ts';
import {type Answer, call, callRaw, fail, hang, say, stop, think, usage} from '../../support/model-script.ts';
import {type ReceivedRequest, type Script, startModelServer} from '../../support/model-server.ts';
import {choiceIn} from '../../support/ways-in.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'weft-checks-'));
});
afterEach(() => rmSync(folder, {recursive: true}));

const models = {
  claims: {contextWindow: 100_000, images: true, price: {input: 1, output: 2, cacheRead: 0.1}},
  blind: {images: false},
};

async function checked(script: Script, model = 'claims', limitMs = 60_000): Promise<readonly ModelCheck[]> {
  await using server = await startModelServer(script);
  const environment = {DEEPSEEK_API_KEY: 'k'};
  const providers = {deepseek: {baseUrl: server.baseUrl.openai}};
  const {port} = await chooseModel(
    choiceIn(folder, {environment, provider: 'deepseek', model, models, providers}),
    never,
  );
  const info = modelTable(models).infoOf(model);
  const found = [];
  for await (const check of checkModel({port, model, info, limitMs}, never)) found.push(check);
  return found;
}

const never = new AbortController().signal;
const failedIn = (found: readonly ModelCheck[]): readonly string[] =>
  found.flatMap(({check, ok}) => (ok ? [] : [check]));

/** Which check a request belongs to. */
function kindOf({body}: ReceivedRequest): string {
  const text = JSON.stringify(body.messages);
  if (body.model === 'weft-no-such-model') return 'streaming';
  if (body.messages.some(({role}) => role === 'tool')) return 'thinking';
  if (text.includes('image_url')) return 'image';
  if (text.includes('code word')) return 'context';
  if (text.includes('1 to 500')) return 'cut';
  if (text.includes('Rome')) return 'parallel-calls';
  if (body.tools === undefined) return 'text';
  return text.includes('book_table') ? 'schema' : 'tool-call';
}

const booking = {guests: 4, seating: 'outside', extras: [{item: 'menu', count: 2}]};
const counted = usage({input: 10, output: 40});
let long = 0;
const good: Record<string, (request: ReceivedRequest) => Answer> = {
  text: () => [say('1 2 3'), counted],
  'tool-call': () => [think('A call.'), call('get_weather', {city: 'Paris'})],
  'parallel-calls': () => [call('get_weather', {city: 'Paris'}), call('get_weather', {city: 'Rome'})],
  cut: () => [say('1 2'), stop('max-tokens')],
  thinking: ({body}) =>
    body.messages.some(message => message['reasoning_content'] === 'A call.') ? say('21') : fail(400),
  image: () => say('Red.'),
  schema: () => call('book_table', booking),
  context: () => [say('kestrel'), usage({input: 6000, output: 2, cacheRead: long++ === 0 ? 0 : 5000})],
  streaming: () => fail(404, {message: 'no such model'}),
};

test('a model that has all that it claims', async () => {
  long = 0;
  const found = await checked(request => good[kindOf(request)]?.(request) ?? fail(400));
  expect(found).toEqual([
    {check: 'text', ok: true, detail: 'answers'},
    {check: 'tool-call', ok: true, detail: 'calls a tool'},
    {check: 'parallel-calls', ok: true, detail: 'makes 2 calls at once'},
    {check: 'cut', ok: true, detail: 'says that the answer was cut at 64 tokens'},
    {check: 'thinking', ok: true, detail: 'takes its thinking back'},
    {check: 'image', ok: true, detail: 'sees a red square'},
    {check: 'schema', ok: true, detail: 'its input fits a nested schema'},
    {check: 'context', ok: true, detail: 'reads 6,000 tokens; its window is 100,000 tokens'},
    {check: 'caching', ok: true, detail: 'reads 5,000 tokens from the cache'},
    {check: 'streaming', ok: true, detail: 'reports usage, and refuses an unknown model (404)'},
  ]);
});

test.each([
  ['tool-call', () => say('I will not.')],
  ['tool-call', () => [think('A call.'), callRaw('get_weather', '{"town": "Paris"}')]],
  ['parallel-calls', () => call('get_weather', {city: 'Paris'})],
  ['cut', () => say('1 2 3 … 500')],
  ['thinking', () => fail(400, {message: 'odd'})],
  ['image', () => say('Blue.')],
  ['image', () => fail(400, {message: 'image input is not supported'})],
  ['schema', () => call('book_table', {...booking, guests: 'four'})],
  ['context', () => [say('I do not know.'), usage({input: 2048, output: 2, cacheRead: long++ === 0 ? 0 : 50})]],
  ['caching', () => undefined],
] satisfies readonly (readonly [string, () => Answer | undefined])[])(
  'a model that fails %s',
  async (check, answer) => {
    long = check === 'caching' ? -99 : 0;
    const script: Script = request => {
      const kind = kindOf(request);
      const given = kind === check ? answer() : undefined;
      return given ?? (kind === 'context' && check === 'caching' ? say('kestrel') : good[kind]?.(request)) ?? fail(400);
    };
    expect(failedIn(await checked(script))).toEqual([check]);
  },
);

const silent: Script = request =>
  kindOf(request) === 'text'
    ? [say('1 2 3'), usage({input: 0, output: 0})]
    : (good[kindOf(request)]?.(request) ?? fail(400));

const broken: Script = request =>
  kindOf(request) === 'streaming'
    ? fail(500, {headers: {'retry-after': '60'}})
    : (good[kindOf(request)]?.(request) ?? fail(400));

test('a stream without usage fails, and so does an unclear error', async () => {
  long = 0;
  expect(failedIn(await checked(silent))).toEqual(['streaming']);
  long = 0;
  expect(failedIn(await checked(broken))).toEqual(['streaming']);
});

test('a model that does not answer gets one request', async () => {
  let requests = 0;
  const found = await checked(() => {
    requests += 1;
    return fail(401, {message: 'bad key'});
  });
  expect([found.map(({check}) => check), failedIn(found).length, requests]).toEqual([[...checkNames], 10, 1]);
  expect(found[9]?.detail).toBe('not run: the model does not answer');
});

test('what a model does not claim is no failure', async () => {
  const found = await checked(request => {
    const kind = kindOf(request);
    if (kind === 'image') return fail(400, {message: 'image input is not supported'});
    if (kind === 'context') return [say('kestrel'), counted];
    return kind === 'tool-call' ? call('get_weather', {city: 'Paris'}) : (good[kind]?.(request) ?? say('Fine.'));
  }, 'unknown');
  expect(found.filter(({detail}) => detail.startsWith('not claimed')).map(({check, ok}) => [check, ok])).toEqual([
    ['image', true],
    ['caching', true],
  ]);
});

test('a silent model is given up, and a server that is overloaded for long too', async () => {
  expect((await checked(() => hang(), 'claims', 50))[0]?.detail).toBe('took longer than 0.05 seconds');
  const busy = await checked(() => fail(429, {message: 'slow down', headers: {'retry-after': '60'}}));
  expect(busy[0]).toMatchObject({ok: false, detail: expect.stringContaining('slow down')});
});
