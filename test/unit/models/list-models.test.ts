import {createServer} from 'node:http';
import {afterEach, expect, test} from 'vitest';
import {listProviderModels} from '../../../src/models/list-models.ts';
import {loopbackPort} from '../../support/loopback-port.ts';

let close = (): void => {};
afterEach(() => close());

/** The paths that were asked for. */
const asked: (string | undefined)[] = [];

async function provider(status: number, body: string): Promise<string> {
  const server = createServer((request, response) => {
    asked.push(request.url);
    response.writeHead(status, {'content-type': 'application/json'});
    response.end(body);
  });
  close = () => {
    server.closeAllConnections();
    server.close();
  };
  return `http://127.0.0.1:${await loopbackPort(server)}`;
}

const signal = new AbortController().signal;
const list = (baseUrl: string) =>
  listProviderModels({provider: 'anthropic', key: 'sk-test', baseUrl, environment: {}}, signal);

test('the names as the provider orders them', async () => {
  const baseUrl = await provider(200, '{"data":[{"id":"claude-b"},{"name":"no id"},{"id":"claude-a"}]}');
  expect(await list(baseUrl)).toEqual({tag: 'ok', value: ['claude-b', 'claude-a']});
});

test('the bound of a page joins the query of a gateway', async () => {
  const baseUrl = await provider(200, '{"data":[]}');
  await list(`${baseUrl}/v1?api-version=1`);
  expect(asked.at(-1)).toBe('/v1/models?api-version=1&limit=200');
});

test('the list may come without an object around it, as from Together', async () => {
  expect(await list(await provider(200, '[{"id":"a"},{"id":"b"}]'))).toEqual({tag: 'ok', value: ['a', 'b']});
});

test('Google names its models with a path, and takes no bound', async () => {
  const baseUrl = await provider(200, '{"data":[{"id":"models/gemini-3.8-flash"},{"id":"gemini-2.5-pro"}]}');
  const address = {provider: 'gemini', key: 'AIza', baseUrl, environment: {}} as const;
  expect(await listProviderModels(address, signal)).toEqual({tag: 'ok', value: ['gemini-3.8-flash', 'gemini-2.5-pro']});
  expect(asked.at(-1)).toBe('/models');
});

test.each([
  [200, '{"data":{}}', 'Anthropic did not answer with a list of models'],
  [200, 'not json', 'Anthropic did not answer with a list of models'],
  [404, '{"data":[]}', 'Anthropic did not list its models (404)'],
])('%i with %s', async (status, body, message) => {
  const baseUrl = await provider(status, body);
  expect(await list(baseUrl)).toEqual({
    tag: 'failed',
    error: {kind: 'provider', message, fix: '', status, refusal: {kind: 'other'}},
  });
});

test('gateways list prices for each token', async () => {
  const entries = [
    {
      id: 'a/router',
      context_length: 1_000_000,
      pricing: {prompt: '0.0000012', completion: '0.000006', input_cache_read: '0.00000012'},
    },
    {id: 'b/vercel', context_window: 200_000, pricing: {input: '0.000003', output: '0.000015'}},
    {id: 'c/free', pricing: {prompt: '0', completion: '0'}},
    {id: 'd/changing', pricing: {prompt: '-1', completion: '-1'}},
    {id: 'e/none'},
  ];
  const baseUrl = await provider(200, JSON.stringify({data: entries}));
  const facts = new Map<string, object>();
  const address = {provider: 'openai', key: '', baseUrl, environment: {}} as const;
  const names = await listProviderModels(address, signal, (model, listed) => facts.set(model, listed));
  expect(names).toEqual({tag: 'ok', value: entries.map(({id}) => id)});
  expect(Object.fromEntries(facts)).toEqual({
    'a/router': {
      window: 1_000_000,
      price: {input: 1.2, output: 6, cacheRead: 0.12, cacheWrite: 1.2, long: 'same'},
    },
    'b/vercel': {window: 200_000, price: {input: 3, output: 15, cacheRead: 3, cacheWrite: 3, long: 'same'}},
    'c/free': {window: 0, price: {input: 0, output: 0, cacheRead: 0, cacheWrite: 0, long: 'same'}},
  });
});
