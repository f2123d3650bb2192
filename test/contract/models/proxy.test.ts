import {knownTable} from '../../support/model-info.ts';
import tls from 'node:tls';
import {beforeAll, describe, expect, test} from 'vitest';
import {connectAnthropic} from '../../../src/models/anthropic.ts';
import {proxyFor, type ProxyEnvironment} from '../../../src/models/proxy.ts';
import {certificate} from '../../support/certificate.ts';
import {ask, blocksOf, eventsOf} from '../../support/model-events.ts';
import {say, until, type Answer} from '../../support/model-script.ts';
import {answers, startModelServer} from '../../support/model-server.ts';
import {startProxy} from '../../support/proxy-server.ts';
import {NoWaiting} from './run-provider.ts';

beforeAll(() => tls.setDefaultCACertificates([...tls.getCACertificates(), certificate]));

const modelAt = (baseUrl: string, environment: ProxyEnvironment) =>
  connectAnthropic({
    cacheTtl: '5m',
    toolReferences: 'refused',
    apiKey: 'k',
    baseUrl,
    environment,
    models: knownTable,
    fallbacks: [],
    clock: new NoWaiting(),
  });

interface Conditions {
  readonly script?: readonly Answer[];
  readonly status?: number;
  readonly credentials?: string;
  readonly environment: (proxy: string) => ProxyEnvironment;
}

/** What comes of a request to model.example, which only the proxy knows, and what the proxy was asked. */
async function through(scheme: 'http' | 'https', {script = [say('Hello.')], environment, ...proxying}: Conditions) {
  await using server = await startModelServer(answers(script), {secure: scheme === 'https'});
  await using proxy = await startProxy(Number(new URL(server.baseUrl.anthropic).port), proxying);
  const model = modelAt(`${scheme}://model.example`, environment(proxy.address));
  const events = await eventsOf(model.stream(ask('hi'), new AbortController().signal));
  const last = events.at(-1);
  const fault = last?.event === 'failed' && last.fault.kind === 'provider' ? last.fault : undefined;
  const said = fault === undefined ? blocksOf(events) : `${fault.message} ${fault.fix}`.replaceAll(proxy.address, 'P');
  return {said, asked: proxy.asked};
}

const hello = [{kind: 'text', text: 'Hello.'}];
const asked = {http: 'POST http://model.example/v1/messages', https: 'CONNECT model.example:443'} as const;

describe.each(['http', 'https'] as const)('%s over a proxy', scheme => {
  const variable = scheme === 'http' ? 'HTTP_PROXY' : 'HTTPS_PROXY';

  test.each<[string, (proxy: string) => ProxyEnvironment]>([
    ['capitals', proxy => ({[variable]: `http://${proxy}`})],
    [
      'small letters go first',
      proxy => ({[variable]: 'http://127.0.0.1:1', [variable.toLowerCase()]: `http://${proxy}/`}),
    ],
    ['without a scheme', proxy => ({[variable]: proxy})],
    ['ALL_PROXY', proxy => ({ALL_PROXY: `http://${proxy}`})],
    ['NO_PROXY names others', proxy => ({[variable]: `http://${proxy}`, NO_PROXY: 'localhost,127.0.0.1,odel.example'})],
  ])('%s', async (_, environment) => {
    expect(await through(scheme, {environment})).toEqual({said: hello, asked: [asked[scheme]]});
  });

  test('with a user and a password', async () => {
    const conditions = {
      credentials: 'me:p@ss',
      environment: (proxy: string) => ({[variable]: `http://me:p%40ss@${proxy}`}),
    };
    expect(await through(scheme, conditions)).toEqual({said: hello, asked: [`${asked[scheme]} as me:p@ss`]});
  });

  test.each<[number, string, string]>([
    [403, 'refused the connection to HOST (403', `Check ${variable}, or add the host to NO_PROXY.`],
    [407, 'needs a user name and a password (407).', `Add them to ${variable}: http://user:password@P`],
    [502, 'refused the connection to HOST (502', `Check ${variable}, or add the host to NO_PROXY.`],
  ])('that refuses with %i', async (status, why, fix) => {
    const {said} = await through(scheme, {status, environment: proxy => ({[variable]: `http://${proxy}`})});
    const host = scheme === 'http' ? 'model.example' : 'model.example:443';
    expect(said).toContain(`The proxy http://P (${variable}) ${why.replace('HOST', host)}`);
    expect(said).toContain(fix);
  });

  test('that does not listen; its password is not told', async () => {
    const {said} = await through(scheme, {environment: () => ({[variable]: 'http://me:secret@127.0.0.1:1'})});
    expect(said).toBe(
      `The proxy http://127.0.0.1:1 (${variable}) cannot be reached (ECONNREFUSED). Check ${variable}, or add the host to NO_PROXY.`,
    );
  });

  test('an answer streams, and is dropped when it is no longer wanted', async () => {
    const script = answers([[say('One'), until(new Promise(() => {}))]]);
    await using server = await startModelServer(script, {secure: scheme === 'https'});
    await using proxy = await startProxy(Number(new URL(server.baseUrl.anthropic).port));
    const stop = new AbortController();
    const model = modelAt(`${scheme}://model.example`, {[variable]: proxy.address});
    for await (const batch of model.stream(ask('hi'), stop.signal)) {
      if (batch.some(({event}) => event === 'block-delta')) stop.abort();
    }
    await server.disconnected();
  });
});

test('tunnels are used again', async () => {
  await using server = await startModelServer(() => say('a'), {secure: true});
  await using proxy = await startProxy(Number(new URL(server.baseUrl.anthropic).port));
  const model = modelAt('https://model.example', {HTTPS_PROXY: proxy.address});
  for (const _ of 'abc') await eventsOf(model.stream(ask('hi'), new AbortController().signal));
  // The second may leave before the first one's tunnel is free.
  expect([server.requests.length, proxy.asked.length < 3]).toEqual([3, true]);
});

const goes = (url: string, list: string): string =>
  proxyFor(new URL(url), {http_proxy: 'p:1', https_proxy: 'p:1', NO_PROXY: list}) === undefined ? 'direct' : 'proxy';

describe('NO_PROXY', () => {
  test.each([
    ['https://api.example.com', '', 'proxy'],
    ['https://api.example.com', '*', 'direct'],
    ['https://api.example.com', 'other.com, *', 'direct'],
    ['https://api.example.com', 'example.com', 'direct'],
    ['https://api.example.com', '.example.com', 'direct'],
    ['https://api.example.com', '*.example.com', 'direct'],
    ['https://example.com', '.example.com', 'direct'],
    ['https://API.Example.com.', 'other.org EXAMPLE.COM', 'direct'],
    ['https://notexample.com', 'example.com', 'proxy'],
    ['https://api.example.com', 'api', 'proxy'],
    ['https://api.example.com', 'example.com:443', 'direct'],
    ['https://api.example.com', 'example.com:8443', 'proxy'],
    ['https://api.example.com:8443', 'example.com:8443', 'direct'],
    ['http://api.example.com', 'example.com:80', 'direct'],
    ['http://127.0.0.1:8080/v1', 'localhost,127.0.0.1', 'direct'],
    ['http://127.0.0.1:8080/v1', '127.0.0.1:8080', 'direct'],
    ['http://127.0.0.1:8080/v1', 'localhost', 'proxy'],
    ['http://[::1]:8080/v1', '::1', 'direct'],
    ['http://[::1]:8080/v1', '[::1]', 'direct'],
    ['http://[::1]:8080/v1', '[::1]:8080', 'direct'],
    ['http://[::1]:8080/v1', '[::1]:81', 'proxy'],
  ])('%s with %j: %s', (url, list, way) => {
    expect(goes(url, list)).toBe(way);
  });

  test.each<[string, ProxyEnvironment, string]>([
    ['SOCKS for all programs is not meant for weft', {ALL_PROXY: 'socks5://p:1'}, 'direct'],
    [
      'SOCKS for https',
      {HTTPS_PROXY: 'socks5h://p:1'},
      'weft does not support this kind of proxy: socks5h://p:1 (HTTPS_PROXY).',
    ],
    ['no address', {HTTPS_PROXY: 'http://'}, 'HTTPS_PROXY is not a proxy URL.'],
    ['empty', {HTTPS_PROXY: ' '}, 'direct'],
    ['of the other scheme', {HTTP_PROXY: 'p:1'}, 'direct'],
  ])('%s', (_, environment, outcome) => {
    const find = (): string => proxyFor(new URL('https://api.example.com'), environment)?.name ?? 'direct';
    if (outcome === 'direct') expect(find()).toBe(outcome);
    else expect(find).toThrow(outcome);
  });
});
