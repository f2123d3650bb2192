import type {IncomingHttpHeaders} from 'node:http';
import {expect, test} from 'vitest';
import {type GuardOptions, refusalOf} from '../../../src/server/guard.ts';

const options: GuardOptions = {
  port: () => 4096,
  token: 'secret',
  allowedHosts: ['Laptop.local'],
  allowedOrigins: ['https://app.example'],
};
const good = {host: 'localhost:4096', authorization: 'Bearer secret'};

const answer = (headers: IncomingHttpHeaders, path = '/sessions', changed: Partial<GuardOptions> = {}): string => {
  const refusal = refusalOf({...good, ...headers}, path, {...options, ...changed});
  return refusal === 'none' ? 'none' : `${String(refusal.status)} ${refusal.error.split(' ').slice(0, 2).join(' ')}`;
};
const noHost = '403 This Host';
const noOrigin = '403 This Origin';
const noSite = '403 Requests from';
const noToken = '401 The token';

test.each<readonly [host: string | undefined, answer: string]>([
  ['127.0.0.1:4096', 'none'],
  ['LOCALHOST:4096', 'none'],
  ['[::1]:4096', 'none'],
  ['laptop.LOCAL:4096', 'none'],
  ['laptop.local:80', 'none'],
  ['laptop.local', 'none'],
  [undefined, noHost],
  ['', noHost],
  ['localhost', noHost],
  ['localhost:4097', noHost],
  ['evil.example:4096', noHost],
  ['evil.example', noHost],
  ['laptop.local.evil.example', noHost],
  ['localhost:4096.evil.example', noHost],
])('the host %s: %s', (host, expected) => {
  expect(answer({host})).toBe(expected);
  expect(answer({host}, '/health')).toBe(expected);
});

test('a port that browsers leave out may be left out', () => {
  const at80 = {port: () => 80};
  expect(answer({host: 'localhost'}, '/sessions', at80)).toBe('none');
  expect(answer({host: '[::1]:80'}, '/sessions', at80)).toBe('none');
  expect(answer({host: 'localhost:4096'}, '/sessions', at80)).toBe(noHost);
  expect(answer({host: 'evil.example'}, '/sessions', at80)).toBe(noHost);
});

test.each<readonly [origin: string | undefined, site: string | undefined, answer: string]>([
  [undefined, undefined, 'none'],
  [undefined, 'none', 'none'],
  [undefined, 'same-origin', 'none'],
  [undefined, 'same-site', noSite],
  [undefined, 'cross-site', noSite],
  ['https://app.example', undefined, 'none'],
  ['https://app.example', 'cross-site', 'none'],
  ['https://evil.example', undefined, noOrigin],
  ['https://evil.example', 'same-origin', noOrigin],
  ['null', undefined, noOrigin],
  ['http://localhost:4096', 'same-origin', noOrigin],
])('the origin %s with Sec-Fetch-Site %s: %s', (origin, site, expected) => {
  const headers = {origin, 'sec-fetch-site': site};
  expect(answer(headers)).toBe(expected);
  expect(answer(headers, '/health')).toBe(expected);
});

test.each<readonly [authorization: string | undefined, answer: string]>([
  ['Bearer secret', 'none'],
  ['bearer   secret ', 'none'],
  ['Bearer Secret', noToken],
  ['Bearer secret2', noToken],
  ['Bearer secret secret', noToken],
  ['Bearer ', noToken],
  ['Basic secret', noToken],
  ['secret', noToken],
  ['', noToken],
  [undefined, noToken],
])('the authorization %s: %s', (authorization, expected) => {
  expect(answer({authorization})).toBe(expected);
  expect(answer({authorization}, '/health')).toBe('none');
  expect(answer({authorization}, '/health/')).toBe(expected);
});

test('an empty token opens nothing', () => {
  for (const authorization of ['Bearer ', '', undefined, 'Bearer secret'])
    expect(answer({authorization}, '/sessions', {token: ''})).toBe(noToken);
});
