// @module-tag long
import {once} from 'node:events';
import {readFileSync, statSync} from 'node:fs';
import {connect} from 'node:net';
import {join} from 'node:path';
import {afterAll, beforeAll, expect, test} from 'vitest';
import {runWeft, startWeft, TempPlace} from '../support/run-weft.ts';
import {WeftServer} from '../support/weft-server.ts';

let server: WeftServer;
beforeAll(async () => {
  server = await WeftServer.start({
    args: ['--allow-host', 'Weft.Test', '--allow-origin', 'https://ui.test'],
  });
});
afterAll(() => server[Symbol.asyncDispose]());

const list = '/api/tasks/list';
const sized = (bytes: number) => `{"content":"${'a'.repeat(bytes - 14)}"}`;
const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
const asked = (headers: Record<string, string>, method = 'GET') => server.ask(method, list, {headers});
const error = {error: expect.any(String)};

test('health needs no token, everything else does', async () => {
  const open = await server.ask('GET', '/health', {headers: {authorization: ''}});
  expect([open.status, open.body]).toEqual([200, {status: 'ok', service: 'weft'}]);
  const wrong = ['', 'Bearer', 'Bearer x', `Basic ${server.token}`, `Bearer ${server.token}x`, server.token];
  for (const authorization of wrong) {
    for (const path of [list, '/openapi.json', '/nothing']) {
      const refused = await server.ask('GET', path, {headers: {authorization}});
      expect([authorization, refused.status, refused.body]).toEqual([authorization, 401, error]);
    }
  }
  expect((await server.ask('GET', list)).status).toBe(200);
});

test('only loopback names with the port, and allowed names, are a Host', async () => {
  const {port} = server.url;
  const status = async (host: string) => (await server.ask('GET', '/health', {headers: {host}})).status;
  for (const host of [
    `127.0.0.1:${port}`,
    `localhost:${port}`,
    `[::1]:${port}`,
    `LOCALHOST:${port}`,
    'weft.test:9',
    'WEFT.test',
    'weft.test',
  ])
    expect([host, await status(host)]).toEqual([host, 200]);
  for (const host of [
    '127.0.0.1',
    'localhost:1',
    `evil.test:${port}`,
    `127.0.0.1.evil.test:${port}`,
    `x.weft.test:${port}`,
  ])
    expect([host, await status(host)]).toEqual([host, 403]);
});

test('a request without a Host is refused', {tags: 'smoke'}, async () => {
  const socket = connect(Number(server.url.port), server.url.hostname);
  socket.end('GET /health HTTP/1.0\r\n\r\n');
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk);
  expect(Buffer.concat(chunks).toString()).toMatch(/^HTTP\/1\.1 403 .*\{"error":/su);
});

test('pages of other origins are refused, those of an allowed one get its headers', async () => {
  for (const origin of ['https://evil.test', 'null', server.url.origin, 'https://ui.test.evil.test'])
    expect((await asked({origin})).status).toBe(403);
  for (const site of ['cross-site', 'same-site', 'nonsense'])
    expect((await asked({'sec-fetch-site': site})).status).toBe(403);
  for (const site of ['none', 'same-origin']) expect((await asked({'sec-fetch-site': site})).status).toBe(200);
  const allowed = await asked({origin: 'https://ui.test', 'sec-fetch-site': 'cross-site'});
  expect([allowed.status, allowed.headers['access-control-allow-origin']]).toEqual([200, 'https://ui.test']);
  const preflight = await asked({origin: 'https://ui.test', authorization: ''}, 'OPTIONS');
  expect([preflight.status, preflight.headers['access-control-allow-headers']]).toEqual([
    204,
    'authorization, content-type, last-event-id, mcp-protocol-version, mcp-session-id',
  ]);
  const foreign = await asked({origin: 'https://evil.test', authorization: ''}, 'OPTIONS');
  expect([foreign.status, foreign.headers['access-control-allow-origin']]).toEqual([403, undefined]);
});

test('bodies are JSON in UTF-8 of a bounded size and depth', async () => {
  const path = '/api/messages/create';
  const send = async (bytes: string | Buffer, type = 'application/json') => {
    const {status, body} = await server.ask('POST', path, {bytes, headers: {'content-type': type}});
    if (status !== 201) expect(body).toEqual(error);
    return status;
  };
  expect(await send('{"content":"x"}')).toBe(201);
  expect(await send('{"content":"x"}', 'application/json; charset=utf-8')).toBe(201);
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp', ''])
    expect([type, await send('{"content":"x"}', type)]).toEqual([type, 415]);
  expect(await send('{"content":')).toBe(400);
  expect(await send('null')).toBe(400);
  expect(await send(Buffer.from([...Buffer.from('{"content":"'), 0xff, ...Buffer.from('"}')]))).toBe(400);
  expect(await send(`{"content":"x","more":${nested(90)}}`)).toBe(201);
  expect(await send(`{"content":"x","more":${nested(200)}}`)).toBe(400);
  expect(await send(sized(1_000_000))).toBe(201);
  expect(await send(sized(1_000_001))).toBe(413);
  expect(await send(sized(20_000_000))).toBe(413);
  const none = await server.ask('POST', path);
  expect([none.status, none.body]).toEqual([400, error]);
  const {body} = await server.ask('POST', path, {body: {content: 5}});
  expect(body.error).toBe('Invalid request: Invalid input: expected string, received number, in body.content');
});

test('unknown paths are 404 and other methods 405, both in JSON', async () => {
  for (const path of ['/', '/nothing', '/api', '/api/tasks/list/', '/%E0%A4%A', '/api/tasks/a/b']) {
    const {status, body} = await server.ask('GET', path);
    expect([path, status, body]).toEqual([path, 404, error]);
  }
  const wrong = [
    ['POST', '/health', 'GET'],
    ['GET', '/api/tasks/create', 'POST'],
    ['DELETE', list, 'GET'],
    ['PATCH', '/api/tasks/task_1_x', 'GET, PUT, DELETE'],
    ['OPTIONS', list, 'GET'],
    ['GET', '/agent', 'POST'],
    ['GET', '/agent/', 'POST'],
  ] as const;
  for (const [method, path, allow] of wrong) {
    const {status, headers, body} = await server.ask(method, path);
    expect([method, path, status, headers.allow, body]).toEqual([method, path, 405, allow, error]);
  }
});

test('the document names every route with its answers, and nothing that is not there', async () => {
  const {status, body} = await server.ask('GET', '/openapi.json');
  expect([status, body.openapi, body.security]).toEqual([200, '3.1.0', [{token: []}]]);
  for (const [path, operations] of Object.entries<Record<string, {responses: Record<string, unknown>}>>(body.paths)) {
    const real = path.replaceAll('{layer_index}', '99').replaceAll(/\{\w+\}/gu, 'x');
    const refused = await server.ask('PATCH', real);
    const methods = String(refused.headers.allow).toLowerCase().split(', ');
    expect([path, refused.status, methods.toSorted()]).toEqual([path, 405, Object.keys(operations).toSorted()]);
  }
});

test('without a token of the environment one is kept in a file for the user alone, and stays', async () => {
  using place = new TempPlace();
  const tokens: string[] = [];
  for (const format of ['json', 'text']) {
    const child = startWeft(['serve', '--port', '0', '--output-format', format], {place, stdin: 'open'});
    const [line] = await once(child.stdout, 'data');
    const file = join(place.home, 'weft', 'server.token');
    const url = /http:\/\/127\.0\.0\.1:\d+/u.exec(String(line))?.[0] ?? '';
    expect(String(line)).toBe(
      format === 'json'
        ? `${JSON.stringify({type: 'listening', url, token_file: file, pid: child.pid})}\n`
        : `weft listens on ${url}, token in ${file}\n`,
    );
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const token = readFileSync(file, 'utf8').trim();
    expect(Buffer.from(token, 'base64url')).toHaveLength(32);
    const {status} = await fetch(`${url}${list}`, {headers: {authorization: `Bearer ${token}`}});
    expect(status).toBe(200);
    tokens.push(token);
    const gone = once(child, 'exit');
    child.kill(format === 'json' ? 'SIGTERM' : 'SIGINT');
    expect((await gone)[0]).toBe(format === 'json' ? 143 : 130);
  }
  expect(tokens[0]).toBe(tokens[1]);
});

test('a port that is taken, and one that is none, are said', {tags: 'smoke'}, async () => {
  using place = new TempPlace();
  const taken = await runWeft(['serve', '--port', server.url.port], {place});
  expect([taken.code, taken.stdout]).toEqual([1, '']);
  expect(taken.stderr).toMatch(/Can't listen on 127\.0\.0\.1:\d+: .*EADDRINUSE/u);
  expect((await runWeft(['serve', '--port', '65536'], {place})).code).toBe(2);
});
