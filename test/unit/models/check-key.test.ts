import {createServer} from 'node:http';
import {afterEach, expect, test} from 'vitest';
import {checkKey} from '../../../src/models/list-models.ts';
import {loopbackPort} from '../../support/loopback-port.ts';

const key = 'sk-ant-api03-0123456789abcdef';
let close = (): void => {};
afterEach(() => close());

/** A provider that answers with that status; the headers of the requests that came. */
async function provider(status: number, body: string) {
  const came: unknown[] = [];
  const server = createServer((request, response) => {
    const {authorization, 'x-api-key': own} = request.headers;
    came.push([request.method, request.url, own ?? authorization]);
    response.writeHead(status, {'content-type': 'application/json'});
    response.end(body);
  });
  close = () => {
    server.closeAllConnections();
    server.close();
  };
  return {baseUrl: `http://127.0.0.1:${await loopbackPort(server)}`, came};
}

const signal = new AbortController().signal;

test('one request for the list of models, as the provider wants it', async () => {
  const {baseUrl, came} = await provider(200, '{"data":[]}');
  const environment = {};
  expect(await checkKey({provider: 'anthropic', key, baseUrl, environment}, signal)).toEqual({
    tag: 'ok',
    value: 'accepted',
  });
  expect(await checkKey({provider: 'openai', key, baseUrl: `${baseUrl}/v1/`, environment}, signal)).toEqual({
    tag: 'ok',
    value: 'accepted',
  });
  expect(came).toEqual([
    ['GET', '/v1/models', key],
    ['GET', '/v1/models', `Bearer ${key}`],
  ]);
});

test('a refusal says who refused and what to do, and never the key', async () => {
  const {baseUrl} = await provider(401, JSON.stringify({error: {type: 'authentication_error', message: `bad ${key}`}}));
  expect(await checkKey({provider: 'anthropic', key, baseUrl, environment: {}}, signal)).toEqual({
    tag: 'failed',
    error: {
      kind: 'provider',
      message: 'Anthropic refused this key (401): bad …',
      fix: 'Copy it again, or make a new one at platform.claude.com/settings/keys',
      status: 401,
      refusal: {kind: 'other'},
    },
  });
});

test('what cannot be asked, or has trouble of its own, does not speak against the key', async () => {
  const {baseUrl} = await provider(529, '');
  const unchecked = {tag: 'ok', value: 'unchecked'};
  expect(await checkKey({provider: 'anthropic', key, baseUrl, environment: {}}, signal)).toEqual(unchecked);
  const nowhere = {provider: 'openai', key, baseUrl: 'http://127.0.0.1:1/v1', environment: {}} as const;
  expect(await checkKey(nowhere, signal)).toEqual(unchecked);
});
