import {createServer, type IncomingMessage, type ServerResponse} from 'node:http';
import {tmpdir} from 'node:os';
import {afterEach, expect, test} from 'vitest';
import {isJsonObject, type JsonObject, parseJson} from '../../../src/base/json.ts';
import {connectServer} from '../../../src/extensions/mcp/connect-server.ts';
import {parseServer} from '../../../src/extensions/mcp/server-config.ts';
import type {ServerConnection} from '../../../src/extensions/mcp/server-connection.ts';
import {loopbackPort} from '../../support/loopback-port.ts';

const never = new AbortController().signal;
const ending: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0).toReversed()) await end();
});

const resultOf = ({method, params}: JsonObject): JsonObject => {
  if (method === 'initialize') {
    return {protocolVersion: '2024-11-05', capabilities: {tools: {}}, serverInfo: {name: 'Old', version: '1'}};
  }
  if (method === 'tools/list') return {tools: [{name: 'add', inputSchema: {type: 'object'}}]};
  return {content: [{type: 'text', text: JSON.stringify(params)}]};
};

/** A server of the revision 2024-11-05: answers come on a stream that is opened first and names the address for messages. */
async function oldServer() {
  const heard: string[] = [];
  let stream: ServerResponse | undefined;
  const say = (event: string, data: string): void => void stream?.write(`event: ${event}\ndata: ${data}\n\n`);
  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const {pathname} = new URL(request.url ?? '/', 'http://localhost');
    heard.push(`${request.method} ${pathname} ${String(request.headers['x-key'] ?? '')}`.trim());
    if (request.method === 'GET' && pathname === '/sse') {
      stream = response.writeHead(200, {'content-type': 'text/event-stream'});
      say('endpoint', '/messages?session=1');
      return;
    }
    if (request.method !== 'POST' || pathname !== '/messages') {
      response.writeHead(404).end();
      return;
    }
    const read = parseJson(Buffer.concat(await request.toArray()).toString());
    const message = read.tag === 'ok' && isJsonObject(read.value) ? read.value : {};
    response.writeHead(202).end();
    const {id} = message;
    if (id !== undefined) say('message', JSON.stringify({jsonrpc: '2.0', id, result: resultOf(message)}));
  }
  const server = createServer((request, response) => void respond(request, response));
  const port = await loopbackPort(server);
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise(resolve => server.close(resolve));
  };
  ending.push(close);
  return {url: `http://127.0.0.1:${port}/sse`, heard, close};
}

async function connectTo(given: JsonObject): Promise<ServerConnection> {
  const config = parseServer(given);
  if (config.tag === 'failed') throw new Error(config.error);
  const connection = await connectServer(
    {
      config: config.value,
      directory: tmpdir(),
      processes: {start: async () => ({tag: 'failed', error: 'no programs here'})},
      authorization: undefined,
      era: {kind: 'unknown'},
      options: {
        server: 'old',
        version: '0',
        times: config.value.times,
        services: {
          elicit: async () => ({action: 'decline', content: undefined}),
          sample: undefined,
          roots: () => [],
        },
        log: () => {},
        changed: () => {},
      },
    },
    never,
  );
  ending.push(() => connection.close());
  return connection;
}

const call = (connection: ServerConnection) => connection.call({tool: 'add', input: {a: 1}, progress: () => {}}, never);

test('a server of the type sse is greeted, listed and called, with its headers', async () => {
  const server = await oldServer();
  const connection = await connectTo({type: 'sse', url: server.url, headers: {'X-Key': 'k'}});
  expect([connection.title, connection.era]).toEqual(['Old', {kind: 'legacy'}]);
  expect((await connection.listTools(never)).map(({name}) => name)).toEqual(['add']);
  expect(await call(connection)).toMatchObject({
    tag: 'ok',
    value: {blocks: [{text: expect.stringContaining('"arguments":{"a":1}')}]},
  });
  // The stream, then the greeting, that it is over, the list and the call.
  expect(server.heard).toEqual(['GET /sse k', ...Array.from({length: 4}, () => 'POST /messages k')]);
});

test('an address without a type is tried as the newer kind first', async () => {
  const server = await oldServer();
  const connection = await connectTo({url: server.url});
  expect((await call(connection)).tag).toBe('ok');
  expect(server.heard.slice(0, 2)).toEqual(['POST /sse', 'GET /sse']);
});

test('a call to one that is gone fails in words', async () => {
  const server = await oldServer();
  const connection = await connectTo({type: 'sse', url: server.url});
  await server.close();
  expect(await call(connection)).toMatchObject({
    tag: 'failed',
    error: {message: expect.stringMatching(/^Can't call add of old: fetch failed: \w/u)},
  });
});
