import {describe, expect, test} from 'vitest';
import {addressScope} from '../../../../src/base/ip-address.ts';
import {faultText} from '../../../../src/domain/fault.ts';
import {readWebUrl} from '../../../../src/domain/web-url.ts';
import {machineNetwork} from '../../../../src/workspace/web/connect-host.ts';
import type {WebNetwork} from '../../../../src/workspace/web/exchange.ts';
import {makePageFetcher} from '../../../../src/workspace/web/fetch-page.ts';
import {localServer, namedNetwork, publicAddress} from './support/local-web.ts';

const fetcherOn = (network: WebNetwork) => {
  const fetchPage = makePageFetcher({
    network,
    userAgent: 'weft/test',
    newFile: () => '/nowhere/at/all',
    redact: text => text,
    now: () => 0,
    timeoutMs: 10_000,
  });
  return (url: string) => fetchPage({url, cache: 'use'}, new AbortController().signal);
};

const hello = () => localServer((_, response) => response.setHeader('content-type', 'text/plain').end('hello'));

describe('the scope of an address', () => {
  test.each([
    ['127.0.0.1', 'loopback'],
    ['127.255.255.254', 'loopback'],
    ['::1', 'loopback'],
    ['::ffff:127.0.0.1', 'loopback'],
    ['::ffff:7f00:1', 'loopback'],
    ['0.0.0.0', 'private'],
    ['0.1.2.3', 'private'],
    ['10.0.0.1', 'private'],
    ['100.64.0.1', 'private'],
    ['100.127.255.255', 'private'],
    ['169.254.169.254', 'private'],
    ['172.16.0.1', 'private'],
    ['172.31.255.255', 'private'],
    ['192.0.0.170', 'private'],
    ['192.0.2.1', 'private'],
    ['192.168.1.1', 'private'],
    ['198.18.0.1', 'private'],
    ['198.19.255.255', 'private'],
    ['198.51.100.7', 'private'],
    ['203.0.113.7', 'private'],
    ['224.0.0.1', 'private'],
    ['240.0.0.1', 'private'],
    ['255.255.255.255', 'private'],
    ['::', 'private'],
    ['::7f00:1', 'private'],
    ['::ffff:10.0.0.1', 'private'],
    ['::ffff:0:127.0.0.1', 'private'],
    ['fc00::1', 'private'],
    ['fd12:3456::1', 'private'],
    ['fe80::1', 'private'],
    ['fe80::1%eth0', 'private'],
    ['fec0::1', 'private'],
    ['ff02::1', 'private'],
    ['64:ff9b::7f00:1', 'private'],
    ['64:ff9b:1::a00:1', 'private'],
    ['2002:7f00:1::', 'private'],
    ['2001:0:5ef5:79fd::1', 'private'],
    ['2001:db8::1', 'private'],
    ['100::1', 'private'],
    ['8.8.8.8', 'public'],
    ['100.63.255.255', 'public'],
    ['100.128.0.1', 'public'],
    ['172.15.255.255', 'public'],
    ['172.32.0.1', 'public'],
    ['192.169.0.1', 'public'],
    ['::ffff:8.8.8.8', 'public'],
    ['2606:4700::1111', 'public'],
    ['2a00:1450::1', 'public'],
  ])('%s is %s', (address, scope) => {
    expect(addressScope(address)).toBe(scope);
  });

  test.each(['example.com', '1.2.3', '1.2.3.4.5', '256.1.1.1', ':::', '1::2::3', '12345::', 'localhost', ''])(
    '%j is no address',
    text => {
      expect(addressScope(text)).toBeUndefined();
    },
  );
});

describe('a URL is judged as what it means', () => {
  test.each([
    ['http://2130706433/', '127.0.0.1', 'loopback'],
    ['http://0x7f.1/', '127.0.0.1', 'loopback'],
    ['http://0177.0.0.1/', '127.0.0.1', 'loopback'],
    ['http://127.1/', '127.0.0.1', 'loopback'],
    ['http://１２７.0.0.1/', '127.0.0.1', 'loopback'],
    ['http://0/', '0.0.0.0', 'private'],
    ['http://[::ffff:127.0.0.1]/', '::ffff:7f00:1', 'loopback'],
    ['http://[::ffff:169.254.169.254]/', '::ffff:a9fe:a9fe', 'private'],
    ['http://LOCALHOST./', 'localhost', 'loopback'],
    ['http://localhost../', 'localhost', 'loopback'],
    ['http://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ/', 'localhost', 'loopback'],
    ['http://127。0。0。1/', '127.0.0.1', 'loopback'],
    ['http://1.1.1.1\\@169.254.169.254/', '1.1.1.1', 'public'],
    ['http://example.com%2elocalhost/', 'example.com.localhost', 'loopback'],
    ['http://exаmple.com/', 'xn--exmple-4nf.com', 'public'],
    ['http:10.0.0.1', '10.0.0.1', 'private'],
    ['http:\\\\10.0.0.1\\x', '10.0.0.1', 'private'],
    ['http://10.0.0.1#@example.com/', '10.0.0.1', 'private'],
    ['http://[::127.0.0.1]/', '::7f00:1', 'private'],
    ['ht\ntp://10.0.\t0.1/', '10.0.0.1', 'private'],
    ['http://app.localhost/', 'app.localhost', 'loopback'],
    ['http://169.254.169.254/latest/', '169.254.169.254', 'private'],
    ['https://Example.COM./', 'example.com', 'public'],
    ['https://localhost.example.com/', 'localhost.example.com', 'public'],
  ])('%s', (url, host, scope) => {
    const read = readWebUrl(url);
    expect(read.tag === 'ok' && {host: read.value.host, scope: read.value.scope}).toEqual({host, scope});
  });

  test.each([
    ['file:///etc/passwd', 'Only http and https addresses can be fetched, not file:'],
    ['ftp://example.com/', 'Only http and https addresses can be fetched, not ftp:'],
    ['data:text/plain,x', 'Only http and https addresses can be fetched, not data:'],
    ['https://user:pass@example.com/', 'An address with a user name or a password (user:password@) is not fetched.'],
    ['https://example.com@evil.test/', 'An address with a user name or a password (user:password@) is not fetched.'],
    ['http://[fe80::1%25eth0]/', '"http://[fe80::1%25eth0]/" is not an absolute address (https://…).'],
    ['http://example.com%0d%0aX: y/', '"http://example.com%0d%0aX: y/" is not an absolute address (https://…).'],
    ['http://exa mple.com/', '"http://exa mple.com/" is not an absolute address (https://…).'],
    ['example.com', '"example.com" is not an absolute address (https://…).'],
  ])('%s is refused', (url, error) => {
    expect(readWebUrl(url)).toEqual({tag: 'failed', error});
  });
});

describe('names that lead elsewhere are refused before anything is connected', () => {
  test.each([
    ['127.0.0.1', 'x.test resolves to this machine (127.0.0.1). To read from it, use http://localhost'],
    ['::1', 'x.test resolves to this machine (::1). To read from it, use http://localhost'],
    ['::ffff:127.0.0.1', 'x.test resolves to this machine (::ffff:127.0.0.1). To read from it, use http://localhost'],
    ['0.0.0.0', 'x.test resolves to 0.0.0.0, an address of a private network, which weft does not read.'],
    ['10.1.2.3', 'x.test resolves to 10.1.2.3, an address of a private network, which weft does not read.'],
    [
      '169.254.169.254',
      'x.test resolves to 169.254.169.254, an address of a private network, which weft does not read.',
    ],
    [
      '64:ff9b::7f00:1',
      'x.test resolves to 64:ff9b::7f00:1, an address of a private network, which weft does not read.',
    ],
    ['2002:7f00:1::', 'x.test resolves to 2002:7f00:1::, an address of a private network, which weft does not read.'],
    ['fe80::1%lo', 'x.test resolves to fe80::1%lo, an address of a private network, which weft does not read.'],
  ])('%s', async (address, words) => {
    await using server = await hello();
    const network = namedNetwork({'x.test': [[publicAddress, address]]}, server.port);
    const page = await fetcherOn(network)(`http://x.test:${server.port}/`);
    expect(page.tag === 'failed' && faultText(page.error)).toBe(words);
    expect({dialled: network.dialled, connections: server.connections()}).toEqual({dialled: [], connections: 0});
  });
});

test('a name is looked up once: what it says the second time has no effect', async () => {
  await using server = await hello();
  const network = namedNetwork({'x.test': [[publicAddress], ['127.0.0.1']]}, server.port);
  const fetchPage = fetcherOn(network);
  expect((await fetchPage('http://x.test/')).tag).toBe('ok');
  expect(network.dialled).toEqual([publicAddress]);
  const again = await fetchPage('http://x.test/other');
  expect(again.tag === 'failed' && faultText(again.error)).toContain('resolves to this machine');
  expect(server.requests).toHaveLength(1);
});

test('a connection that ends somewhere else than it was opened to gets no byte', async () => {
  let bytes = 0;
  await using server = await hello();
  const network: WebNetwork = {
    routeOf: () => ({kind: 'direct'}),
    addressesOf: async () => [publicAddress],
    // As a machine does that translates addresses: the socket says where it really is.
    connect: async (_, signal) => {
      const connected = await machineNetwork.connect({address: '127.0.0.1', port: server.port}, signal);
      connected.socket.on('close', () => (bytes = connected.socket.bytesWritten));
      return connected;
    },
  };
  for (const url of ['http://x.test/', 'https://x.test/']) {
    const page = await fetcherOn(network)(url);
    expect(page.tag === 'failed' && faultText(page.error)).toContain('x.test resolves to this machine (127.0.0.1)');
  }
  expect({bytes, requests: server.requests.length}).toEqual({bytes: 0, requests: 0});
});

test('private literals are refused without a connection; loopback is read where it is named', async () => {
  await using server = await hello();
  const network: WebNetwork = {...machineNetwork, routeOf: () => ({kind: 'direct'})};
  const fetchPage = fetcherOn(network);
  for (const host of ['127.0.0.1', 'localhost', '2130706433', '[::ffff:127.0.0.1]']) {
    const page = await fetchPage(`http://${host}:${server.port}/`);
    expect(page.tag === 'ok' && page.value.content.kind === 'text' && page.value.content.text).toBe('hello');
  }
  const known = server.connections();
  for (const host of [
    '0.0.0.0',
    '10.0.0.1',
    '169.254.169.254',
    '[::ffff:10.0.0.1]',
    '[fe80::1]',
    '[64:ff9b::7f00:1]',
  ]) {
    const page = await fetchPage(`http://${host}:${server.port}/`);
    expect(page.tag === 'failed' && faultText(page.error)).toMatch(/ is an address of a private network, which/u);
  }
  expect(server.connections()).toBe(known);
});
