import {createServer, type RequestListener} from 'node:http';
import {afterEach, expect, test} from 'vitest';
import {findLocalServers, isLocalServerDown} from '../../../src/models/local-servers.ts';
import {loopbackPort} from '../../support/loopback-port.ts';

const servers: {close(): unknown; closeAllConnections(): void}[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function listen(answer: RequestListener): Promise<number> {
  const server = createServer(answer);
  servers.push(server);
  return loopbackPort(server);
}

const json =
  (body: string, status = 200): RequestListener =>
  (request, response) => {
    response.writeHead(request.url === '/v1/models' ? status : 500, {'content-type': 'application/json'});
    response.end(body);
  };

const never = new AbortController().signal;
const list = (...ids: readonly string[]): string => JSON.stringify({object: 'list', data: ids.map(id => ({id}))});

test(
  'finds servers that list models, in their order; what answers something else is none',
  {tags: 'long'},
  async () => {
    const ports = {
      ollama: await listen(json(list('qwen3:8b', 'nomic-embed-text', 'llama3.2'))),
      empty: await listen(json('{"object":"list","data":null}')),
      web: await listen((_, response) => response.end('<html>')),
      locked: await listen(json('{}', 401)),
      silent: await listen(() => {}),
      closed: 1,
    };
    const candidates = Object.entries(ports).map(([name, port]) => ({name, port}));
    const found = await findLocalServers(candidates, never, 2000);
    expect(found).toEqual([
      {
        name: 'ollama',
        port: ports.ollama,
        baseUrl: `http://127.0.0.1:${ports.ollama}/v1`,
        models: ['qwen3:8b', 'llama3.2'],
      },
      {name: 'empty', port: ports.empty, baseUrl: `http://127.0.0.1:${ports.empty}/v1`, models: []},
    ]);
  },
);

test('an endless answer is given up', async () => {
  const port = await listen((_, response) => {
    const write = (): void => {
      while (!response.destroyed && response.write('x'.repeat(65_536)));
      if (!response.destroyed) response.once('drain', write);
    };
    write();
  });
  expect(await findLocalServers([{name: 'endless', port}], never)).toEqual([]);
});

test('a server of this machine that does not run is told from one that does', async () => {
  const port = await listen(json(list('m')));
  expect(await isLocalServerDown(`http://127.0.0.1:${port}/v1`, never)).toBe(false);
  expect(await isLocalServerDown(`http://localhost:1/v1`, never)).toBe(true);
  expect(await isLocalServerDown('http://127.0.0.1:1/v1', never)).toBe(true);
  expect(await isLocalServerDown('https://api.example.com/v1', never)).toBe(false);
});
