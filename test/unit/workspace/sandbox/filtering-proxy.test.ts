import * as fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import type {WantedHost} from '../../../../src/actions/ports.ts';
import {lookUntil} from '../../../support/look-until.ts';
import {publicAddress} from '../web/support/local-web.ts';
import {proxyPlace} from './proxy-place.ts';

const names = {
  'good.test': [[publicAddress]],
  'bad.test': [[publicAddress]],
  'new.test': [[publicAddress]],
} as const;
const good = {names, allow: ['Network(domain:good.test)'], deny: ['Network(domain:bad.test)']} as const;

const get = (url: string, host: string): string => `GET ${url} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
const tunnel = (place: string, inside = get('/inside', 'x')): string =>
  `CONNECT ${place} HTTP/1.1\r\nHost: good.test:443\r\n\r\n${inside}`;
const statusOf = (answer: string): string => /^HTTP\/1\.1 (\d+)/u.exec(answer)?.[1] ?? answer;

test('a host that a rule allows is reached, by a plain request and by a tunnel; what is meant for the proxy stays there', async () => {
  await using place = await proxyPlace(good);
  const request =
    'POST http://good.test/a?b HTTP/1.1\r\nHost: good.test\r\nProxy-Authorization: x\r\nProxy-Connection: close\r\n' +
    'Connection: close, X-Mine\r\nX-Mine: 1\r\nX-Theirs: 2\r\nContent-Length: 4\r\n\r\nbody';
  expect(await place.exchange(request)).toMatch(/^HTTP\/1\.1 200 [^]*served \/a\?b of good\.test/u);
  expect(place.bodies).toEqual(['body']);
  const [seen] = place.server.requests;
  expect([seen?.headers['x-theirs'], seen?.headers['x-mine'], seen?.headers['proxy-authorization']]).toEqual([
    '2',
    undefined,
    undefined,
  ]);
  expect(await place.exchange(tunnel('good.test:443'))).toMatch(
    /^HTTP\/1\.1 200 Connection established\r\n\r\nHTTP\/1\.1 200 [^]*served \/inside of x/u,
  );
  expect(place.notes()).toEqual([]);
});

describe('a host that no rule allows', () => {
  test.each([
    ['a rule denies it', get('http://bad.test/', 'bad.test'), /the rule Network\(domain:bad\.test\) denies it/u],
    ['a tunnel', tunnel('bad.test:443'), /denies it/u],
    ['the Host field names another one', get('http://bad.test/', 'good.test'), /denies it/u],
    [
      'no rule speaks of it',
      get('http://new.test/', 'new.test'),
      /no rule covers this host, and there was no one to ask; the rule Network\(domain:new\.test\)/u,
    ],
    ['a name that looks alike', tunnel('good.test.new.test:443'), /there was no one to ask/u],
    ['the address of one that is allowed', tunnel(`${publicAddress}:443`), /there was no one to ask/u],
  ])('is not looked up or connected: %s', async (_name, request, why) => {
    await using place = await proxyPlace(good);
    const answer = await place.exchange(request);
    expect(statusOf(answer)).toBe('403');
    expect(answer).toMatch(why);
    expect(place.notes()).toEqual([expect.stringMatching(why)]);
    expect([place.network.dialled, place.server.connections()]).toEqual([[], 0]);
  });
});

test('the server reads the host that was judged, whatever the Host field says', async () => {
  await using place = await proxyPlace(good);
  expect(await place.exchange(get('http://good.test/', 'bad.test'))).toMatch(/served \/ of good\.test/u);
});

test('each request of a connection is judged by itself', async () => {
  await using place = await proxyPlace(good);
  const first = 'GET http://good.test/ HTTP/1.1\r\nHost: good.test\r\n\r\n';
  const answer = await place.exchange(first + get('http://bad.test/', 'good.test'));
  expect(answer.match(/HTTP\/1\.1 \d+/gu)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 403']);
  expect(place.server.requests).toHaveLength(1);
});

test('whatever a program sends, only hosts that a rule allows are reached', async () => {
  await using place = await proxyPlace(good);
  const part = fc.constantFrom(
    'GET ',
    'CONNECT ',
    'POST ',
    'http://',
    'good.test',
    'bad.test',
    '127.0.0.1',
    '[::1]',
    ':80',
    '@',
    '/',
    ' HTTP/1.1',
    '\r\n',
    '\r\n\r\n',
    '\n',
    '\0',
    'Host: ',
    'Content-Length: 5',
    'Transfer-Encoding: chunked',
    '0\r\n\r\n',
    'Connection: close',
  );
  await fc.assert(
    fc.asyncProperty(fc.array(part, {minLength: 1, maxLength: 12}), async parts => {
      // The end of what is sent ends the connection, whatever it was.
      await place.exchange(parts.join(''), 'and ends');
    }),
  );
  expect(new Set(place.network.dialled)).not.toContain('127.0.0.1');
  expect(place.server.requests.every(({headers}) => headers.host === 'good.test')).toBe(true);
  expect(statusOf(await place.exchange(get('http://good.test/', 'good.test')))).toBe('200');
});

describe('addresses that no rule opens', () => {
  test.each([
    '127.0.0.1:80',
    'localhost:80',
    'a.localhost.:80',
    '2130706433:80',
    '0x7f.1:80',
    '[::1]:80',
    '[::ffff:127.0.0.1]:80',
    '0.0.0.0:80',
    '10.0.0.1:80',
    '169.254.169.254:80',
    '[fe80::1]:80',
    '[64:ff9b::7f00:1]:80',
    'loops.test:80',
    'cloud.test:80',
    'mixed.test:80',
    'mapped.test:80',
  ])('%s', async wanted => {
    await using place = await proxyPlace({
      allow: [
        'Network',
        'Network(domain:*)',
        'Network(domain:localhost)',
        'Network(domain:127.0.0.1)',
        'Network(domain:10.0.0.1)',
      ],
      names: {
        'loops.test': [['127.0.0.1']],
        'cloud.test': [['169.254.169.254']],
        'mixed.test': [[publicAddress, '10.0.0.1']],
        'mapped.test': [['::ffff:127.0.0.1']],
        'good.test': [[publicAddress]],
      },
    });
    expect(statusOf(await place.exchange(tunnel('good.test:80')))).toBe('200');
    expect(statusOf(await place.exchange(tunnel(wanted)))).toBe('403');
    expect(statusOf(await place.exchange(get(`http://${wanted}/`, 'good.test')))).toBe('403');
    expect([place.network.dialled, place.notes()]).toEqual([[publicAddress], [expect.stringMatching(/did not let/u)]]);
  });

  test('a name that leads elsewhere at the second time is connected where it was looked up', async () => {
    const rebinding = {'good.test': [[publicAddress], ['127.0.0.1']]};
    await using place = await proxyPlace({...good, names: rebinding});
    expect(statusOf(await place.exchange(tunnel('good.test:80')))).toBe('200');
    expect(statusOf(await place.exchange(tunnel('good.test:80')))).toBe('403');
    expect(place.network.dialled).toEqual([publicAddress]);
  });

  test("this machine's own ports are reached by the switch alone, and not where a rule denies them", async () => {
    await using closed = await proxyPlace(good);
    await using open = await proxyPlace({...good, loopback: 'open'});
    await using denied = await proxyPlace({loopback: 'open', deny: ['Network(domain:localhost)'], names: {}});
    const answers = await Promise.all(
      [closed, open, denied].map(place => place.exchange(tunnel(`127.0.0.1:${String(place.server.port)}`))),
    );
    expect(answers.map(statusOf)).toEqual(['403', '200', '200']);
    expect(answers[0]).toMatch(/"allowLocalBinding": true/u);
    expect(statusOf(await denied.exchange(tunnel(`localhost:${String(denied.server.port)}`)))).toBe('403');
  });
});

describe('what is no request of a proxy', () => {
  test.each([
    ['a path alone', get('/', 'good.test'), '400'],
    ['https without a tunnel', get('https://good.test/', 'good.test'), '400'],
    ['a password', get('http://user:pass@good.test/', 'good.test'), '400'],
    ['a tunnel to no port', tunnel('good.test'), '400'],
    ['a tunnel to a URL', tunnel('http://good.test:80/'), '400'],
    [
      'two lengths',
      'POST http://good.test/ HTTP/1.1\r\nHost: good.test\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx',
      '400',
    ],
    [
      'a length and chunks',
      'POST http://good.test/ HTTP/1.1\r\nHost: good.test\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET http://good.test/x HTTP/1.1\r\n\r\n',
      '400',
    ],
    [
      'a coding that hides chunks',
      'POST http://good.test/ HTTP/1.1\r\nHost: good.test\r\nTransfer-Encoding: chunked, x\r\n\r\n0\r\n\r\n',
      '400',
    ],
    ['a bare line feed in a field', 'GET http://good.test/ HTTP/1.1\r\nHost: good.test\r\nX: a\n\rb: c\r\n\r\n', '400'],
    ['not HTTP', '\u0005\u0001\u0000\r\n\r\n', '400'],
  ])('%s', async (_name, request, status) => {
    await using place = await proxyPlace(good);
    expect(statusOf(await place.exchange(request))).toBe(status);
    expect(place.server.connections()).toBe(0);
    expect(statusOf(await place.exchange(get('http://good.test/', 'good.test')))).toBe('200');
  });

  test('the body of a request is never read as another request', async () => {
    await using place = await proxyPlace(good);
    const second = 'GET /second HTTP/1.1\r\nHost: good.test\r\n\r\n';
    const chunk = `${second.length.toString(16)}\r\n${second}\r\n0\r\n\r\n`;
    await place.exchange(
      `GET http://good.test/ HTTP/1.1\r\nHost: good.test\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}`,
    );
    expect([place.bodies, place.server.requests.map(({url}) => url)]).toEqual([[second], ['/']]);
  });

  test('a client that never ends its request is given up', async () => {
    await using place = await proxyPlace({...good, headMs: 50});
    expect(statusOf(await place.exchange('GET http://good.test/ HTTP/1.1\r\nHost: go'))).toBe('408');
    expect(place.server.connections()).toBe(0);
  });
});

describe('a host that somebody is asked about', () => {
  test('is asked about once, however often the command wants it, also where a rule says to ask', async () => {
    const asked: WantedHost[] = [];
    await using place = await proxyPlace({
      names,
      ask: ['Network(domain:good.test)'],
      answer: async wanted => {
        asked.push(wanted);
        return 'allowed';
      },
    });
    const wanted = ['new.test:443', 'new.test:80', 'NEW.test.:443', 'good.test:443'];
    const answers = await Promise.all(wanted.map(at => place.exchange(tunnel(at))));
    expect(answers.map(statusOf)).toEqual(['200', '200', '200', '200']);
    expect(asked.toSorted((one, other) => (one.host < other.host ? -1 : 1))).toEqual([
      {host: 'good.test', port: 443, rule: 'Network(domain:good.test)', standing: 'ask-rule'},
      {host: 'new.test', port: expect.any(Number), rule: 'Network(domain:new.test)', standing: 'no-rule'},
    ]);
  });

  test('is refused where the answer is no, and the command cannot ask about ever more', async () => {
    let asked = 0;
    await using place = await proxyPlace({
      answer: async () => {
        asked += 1;
        return 'refused';
      },
    });
    for (let at = 0; at < 25; at += 1)
      expect(statusOf(await place.exchange(tunnel(`h${String(at)}.test:443`)))).toBe('403');
    expect([asked, place.notes()[0], place.notes().length, place.notes().at(-1)]).toEqual([
      20,
      'weft did not let the command reach h0.test:443: the user refused it',
      11,
      'and 15 more hosts',
    ]);
  });
});

test('when the command has ended, its connections end', async () => {
  await using place = await proxyPlace(good);
  const open = place.exchange(tunnel('good.test:443', 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'));
  await lookUntil(
    () => place.bodies.length > 0,
    () => 'the server was not asked',
  );
  place.close();
  expect(await open).toMatch(/^HTTP\/1\.1 200 /u);
});
