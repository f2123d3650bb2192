import {createServer} from 'node:http';
import {expect, test} from 'vitest';
import {oauthDeps} from '../../../src/app/server-authorization.ts';
import {loopbackPort} from '../../support/loopback-port.ts';

/** A server on this machine that keeps what it was asked, and redirects to itself from `/.well-known/`. */
async function local() {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', chunk => (body += String(chunk)));
    request.on('end', () => {
      seen.push(`${request.method} ${request.url} ${request.headers['content-type']} ${body}`);
      if (request.url?.startsWith('/.well-known/') === true) response.writeHead(302, {location: '/elsewhere'});
      response.end('{"a":1}');
    });
  });
  return {seen, port: await loopbackPort(server), [Symbol.dispose]: () => void server.close()};
}

const {fetchFor} = oauthDeps(() => {});
const why = async (server: string, address: string): Promise<string> =>
  fetchFor(new URL(server))(address).then(
    ({status}) => String(status),
    (cause: unknown) => (cause instanceof Error ? cause.message : ''),
  );

test('what a server elsewhere names on this machine or in a private network is not opened', async () => {
  using here = await local();
  for (const host of ['127.0.0.1', 'localhost', '[::1]', '2130706433', '[::ffff:127.0.0.1]'])
    expect(await why('https://mcp.example/mcp', `http://${host}:${here.port}/token`)).toMatch(
      /an address of this machine/u,
    );
  for (const server of ['https://mcp.example/mcp', `http://127.0.0.1:${here.port}/mcp`])
    for (const host of ['169.254.169.254', '10.0.0.1', '192.168.1.1', '[fd00::1]'])
      expect(await why(server, `http://${host}/latest`)).toContain('an address of a private network');
  expect(await why('https://mcp.example/mcp', 'file:///etc/passwd')).toContain('Only http and https');
  expect(here.seen).toEqual([]);
});

test('a server on this machine may name others on it, and gets the whole request', async () => {
  using here = await local();
  const fetch = fetchFor(new URL('http://localhost:1/mcp'));
  const body = new URLSearchParams({code: 'a b'});
  const answer = await fetch(`http://127.0.0.1:${here.port}/token`, {method: 'POST', body});
  expect([answer.status, await answer.json()]).toEqual([200, {a: 1}]);
  expect(here.seen).toEqual(['POST /token application/x-www-form-urlencoded;charset=UTF-8 code=a+b']);
});

test('discovery at the server itself follows no redirect', async () => {
  using here = await local();
  expect(await why(`http://127.0.0.1:${here.port}/mcp`, `http://127.0.0.1:${here.port}/.well-known/x`)).toBe('302');
});
