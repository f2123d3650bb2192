import {createServer} from 'node:http';
import {afterEach, expect, test} from 'vitest';
import {listProviderModels} from '../../../src/models/list-models.ts';

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
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return `http://127.0.0.1:${address.port}`;
}

const signal = new AbortController().signal;
const list = (baseUrl: string) =>
  listProviderModels({provider: 'anthropic', key: 'sk-test', baseUrl, environment: {}}, signal);

test('the names as the provider orders them', async () => {
  const baseUrl = await provider(200, '{"data":[{"id":"claude-b"},{"name":"no id"},{"id":"claude-a"}]}');
  expect(await list(baseUrl)).toEqual({tag: 'ok', value: ['claude-b', 'claude-a']});
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
