import {createServer, type IncomingMessage, type ServerResponse} from 'node:http';
import {afterEach, expect, test} from 'vitest';
import {makeConnector} from '../../../src/extensions/mcp/connector.ts';
import {parseServers} from '../../../src/extensions/mcp/server-config.ts';
import {makeServerSet, type ServerSet} from '../../../src/extensions/mcp/server-set.ts';
import {isJsonObject, parseJson} from '../../../src/base/json.ts';
import {silent} from './sdk-servers.ts';
import {loopbackPort} from '../../support/loopback-port.ts';

const never = new AbortController().signal;
const ending: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0)) await end();
});

/** A server over HTTP that keeps sessions, and forgets them when a test says so. */
async function forgetfulServer() {
  let open = 0;
  const sessions = new Set<string>();
  const heard: string[] = [];
  const server = createServer((request, response) => void respond(request, response));
  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [status, headers, body] = await answer(request);
    response.writeHead(status, headers).end(body);
  }
  async function answer(request: IncomingMessage): Promise<readonly [number, Record<string, string>, string]> {
    if (request.method !== 'POST') return [405, {}, ''];
    const text = Buffer.concat(await request.toArray()).toString();
    const read = parseJson(text);
    const message = read.tag === 'ok' && isJsonObject(read.value) ? read.value : {};
    const {id} = message;
    const method = typeof message['method'] === 'string' ? message['method'] : '';
    const session = String(request.headers['mcp-session-id'] ?? '');
    heard.push(`${method} ${session}`.trim());
    const say = (result: object, more: Record<string, string> = {}) =>
      [200, {'content-type': 'application/json', ...more}, JSON.stringify({jsonrpc: '2.0', id, result})] as const;
    if (method === 'initialize') {
      open += 1;
      sessions.add(`s${open}`);
      const result = {protocolVersion: '2025-11-25', capabilities: {tools: {}}, serverInfo: {name: 'H', version: '1'}};
      return say(result, {'mcp-session-id': `s${open}`});
    }
    if (!sessions.has(session)) return [404, {}, 'no such session'];
    if (method === 'tools/list') return say({tools: [{name: 'add', inputSchema: {type: 'object'}}]});
    if (method === 'tools/call') return say({content: [{type: 'text', text: session}]});
    return [202, {}, ''];
  }
  const port = await loopbackPort(server);
  ending.push(async () => {
    server.closeAllConnections();
    await new Promise(resolve => server.close(resolve));
  });
  return {url: `http://127.0.0.1:${port}/mcp`, heard, forget: () => sessions.clear()};
}

function connectTo(url: string): ServerSet {
  const connector = makeConnector({
    exchange: async () => undefined,
    sdkTimeouts: {start: 60_000, silence: 60_000, call: 60_000},
    processes: {start: async () => ({tag: 'failed', error: 'no programs here'})},
    confined: async () => {
      throw new Error('no program is started here');
    },
    environment: {},
    roots: ['/work'],
    authorization: async () => undefined,
    version: '0',
    trustProblem: async () => '',
  });
  const set = makeServerSet(
    {
      sdk: [],
      configured: parseServers({far: {type: 'http', url}}, {source: 'user', path: 'settings.json'}),
      connect: connector.connect,
      explainConnectError: connector.explainConnectError,
      elicit: 'by-calls',
      signIn: async () => ({tag: 'failed', error: 'nobody signs in here'}),
      manifests: {read: () => undefined, write: async () => {}},
      log: () => {},
      now: () => performance.now(),
      newServerWaitMs: 'none',
      startLimitMs: Infinity,
    },
    never,
  );
  // Before the server that it talks to.
  ending.unshift(() => set.close());
  return set;
}

test('a session that the server has forgotten fails one call in words; the next call begins a new one', async () => {
  const server = await forgetfulServer();
  const set = connectTo(server.url);
  const call = () =>
    set.call({server: 'far', tool: 'add', toolName: 'mcp__far__add', standing: 'as-known', input: {}}, silent, never);
  expect(await call()).toMatchObject({tag: 'ok', value: {blocks: [{text: 's1'}]}});
  server.forget();
  expect(await call()).toMatchObject({
    tag: 'failed',
    error: {message: expect.stringContaining('the server ended the session; the next call starts a new one')},
  });
  expect(await call()).toMatchObject({tag: 'ok', value: {blocks: [{text: 's2'}]}});
  expect(server.heard.filter(line => /^(?:initialize|tools\/call)/u.test(line))).toEqual([
    'initialize',
    'tools/call s1',
    'tools/call s1',
    'initialize',
    'tools/call s2',
  ]);
});
