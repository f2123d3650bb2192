// @module-tag long
import {Client, StreamableHTTPClientTransport} from '@modelcontextprotocol/client';
import {StdioClientTransport} from '@modelcontextprotocol/client/stdio';
import {afterEach, expect, test} from 'vitest';
import {mcpServeOnHttp, mcpServeOnStdio} from '../support/mcp-serve.ts';
import {call, say} from '../support/model-script.ts';
import {processEnds, processStarts} from '../support/processes.ts';
import {openScene, type Scene} from '../support/scene.ts';

/** The npm package `@modelcontextprotocol/client`, unmodified, calls the built program in each protocol revision. */

const newest = '2026-07-28';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** A client that shows forms. `answers` are the decisions of its user, in order. */
function makeClient(answers: string[], mode: 'legacy' | 'auto' | {readonly pin: string}, name = 'test') {
  const client = new Client(
    {name, version: '1'},
    {capabilities: {elicitation: {form: {}}}, versionNegotiation: {mode}},
  );
  const asked: string[] = [];
  client.setRequestHandler('elicitation/create', ({params}) => {
    asked.push(params.message.split('\n')[0] ?? '');
    const decision = answers.shift();
    return decision === undefined ? {action: 'decline'} : {action: 'accept', content: {decision}};
  });
  closing.push(() => client.close());
  return {client, asked};
}

const overStdio = (scene: Scene) => new StdioClientTransport(mcpServeOnStdio(scene));

async function httpServer(scene: Scene): Promise<{readonly url: URL; readonly headers: Record<string, string>}> {
  const {url, token} = await mcpServeOnHttp(scene);
  return {url, headers: {authorization: `Bearer ${token}`}};
}

const write = (client: Client, content: string, path = 'a.txt') =>
  client.callTool({name: 'Write', arguments: {file_path: path, content}});

test.for(['stdio', 'http'] as const)('the newest revision over %s: tools, approvals and agents', async way => {
  await using scene = await openScene([
    [say('First I write.'), call('Write', {file_path: 'b.txt', content: 'b\n'})],
    say('Done.'),
  ]);
  const {client, asked} = makeClient(['allow-once', 'deny', 'allow-once'], {pin: newest});
  if (way === 'stdio') await client.connect(overStdio(scene));
  else {
    const {url, headers} = await httpServer(scene);
    await client.connect(new StreamableHTTPClientTransport(url, {requestInit: {headers}}));
  }
  expect([client.getNegotiatedProtocolVersion(), client.getProtocolEra()]).toEqual([newest, 'modern']);
  expect(client.getServerVersion()).toMatchObject({name: 'weft', title: 'weft'});
  expect(client.getInstructions()).toContain('run_agent');
  expect((await client.listTools()).tools.map(({name}) => name)).toContain('Bash');
  expect(await write(client, 'one\n')).toMatchObject({content: [{text: 'Created a.txt (+1 -0)'}]});
  expect(await write(client, 'two\n')).toMatchObject({isError: true});
  expect(scene.read('a.txt')).toBe('one\n');
  const reports: string[] = [];
  const agent = await client.callTool(
    {name: 'run_agent', arguments: {prompt: 'Write b.txt.'}},
    {onprogress: ({message}) => void reports.push(message ?? '')},
  );
  expect([agent.isError, agent.structuredContent]).toMatchObject([undefined, {answer: 'Done.'}]);
  // The client itself reports the form.
  const form = "Fulfilling input required by 'tools/call' (round 1)";
  expect(reports).toEqual(['First I write.', 'Edit b.txt', form, 'Done.']);
  expect(asked).toEqual(['Edit a.txt?', 'Edit a.txt?', 'Edit b.txt?']);
  expect(scene.read('b.txt')).toBe('b\n');
  await expect(client.callTool({name: 'Nothing', arguments: {}})).rejects.toThrow('Unknown tool "Nothing"');
});

test('a client that negotiates gets the newest revision, and one that does not, its own', async () => {
  await using scene = await openScene([]);
  for (const [mode, version] of [
    ['auto', newest],
    ['legacy', '2025-11-25'],
  ] as const) {
    const {client} = makeClient(['allow-once'], mode);
    await client.connect(overStdio(scene));
    expect(client.getNegotiatedProtocolVersion()).toBe(version);
    expect((await write(client, 'x\n', mode)).isError).toBe(undefined);
    expect(scene.read(mode)).toBe('x\n');
  }
});

test('over HTTP, clients of the newest revision have sessions by name, and a cancelled call ends', async () => {
  await using scene = await openScene([]);
  const {url, headers} = await httpServer(scene);
  const connect = async (name: string, answers: string[]) => {
    const made = makeClient(answers, {pin: newest}, name);
    await made.client.connect(new StreamableHTTPClientTransport(url, {requestInit: {headers}}));
    return made;
  };
  const one = await connect('one', ['allow-session']);
  const two = await connect('two', []);
  expect((await write(one.client, 'one\n')).isError).toBe(undefined);
  expect((await write(one.client, 'two\n')).isError).toBe(undefined);
  expect((await write(two.client, 'three\n', 'b.txt')).isError).toBe(true);
  expect([one.asked.length, two.asked.length, scene.read('a.txt')]).toEqual([1, 1, 'two\n']);
  const stop = new AbortController();
  const sleeping = one.client
    .callTool({name: 'Bash', arguments: {command: 'sleep 4722.5'}}, {signal: stop.signal})
    .catch(String);
  await processStarts('sleep 4722.5');
  stop.abort('enough');
  await sleeping;
  await processEnds('sleep 4722.5');
});

const rpcRequest = (id: number, method: string, params: object = {}) => ({jsonrpc: '2.0', id, method, params});

test('a batch over HTTP has all its answers in one response, once its client has a session', async () => {
  await using scene = await openScene([]);
  const {url, headers} = await httpServer(scene);
  const accept = 'application/json, text/event-stream';
  const post = (body: object, more: Record<string, string> = {}) =>
    fetch(url, {
      method: 'POST',
      headers: {...headers, ...more, accept, 'content-type': 'application/json'},
      body: JSON.stringify(body),
    });
  const clientInfo = {name: 'old', version: '1'};
  const begin = rpcRequest(1, 'initialize', {protocolVersion: '2025-03-26', capabilities: {}, clientInfo});
  expect((await post([begin, rpcRequest(2, 'ping')])).status).toBe(400);
  const session = {'mcp-session-id': (await post(begin)).headers.get('mcp-session-id') ?? ''};
  const batch = [rpcRequest(2, 'ping'), rpcRequest(3, 'tools/list'), rpcRequest(4, 'nope')];
  const answered = await (await post(batch, session)).text();
  const ids = answered.split('\n').flatMap(line => (line.startsWith('data: ') ? [JSON.parse(line.slice(6)).id] : []));
  expect(new Set(ids)).toEqual(new Set([2, 3, 4]));
});

test('an answer to a form counts once, and an answer that no call waits for is an error', async () => {
  await using scene = await openScene([]);
  const {url, headers} = await httpServer(scene);
  const meta = {
    'io.modelcontextprotocol/protocolVersion': newest,
    'io.modelcontextprotocol/clientInfo': {name: 'raw', version: '1'},
    'io.modelcontextprotocol/clientCapabilities': {elicitation: {form: {}}},
  };
  const ask = async (more: object = {}) => {
    const params = {name: 'Write', arguments: {file_path: 'a.txt', content: 'x'}, _meta: meta, ...more};
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        ...headers,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': newest,
        'mcp-method': 'tools/call',
        'mcp-name': 'Write',
      },
      body: JSON.stringify({jsonrpc: '2.0', id: 1, method: 'tools/call', params}),
    });
    return JSON.parse(await response.text());
  };
  const {result} = await ask();
  expect(result).toMatchObject({
    resultType: 'input_required',
    inputRequests: {approval: {method: 'elicitation/create', params: {mode: 'form'}}},
    requestState: expect.any(String),
  });
  const inputResponses = {approval: {action: 'accept', content: {decision: 'allow-once'}}};
  const {requestState} = result;
  expect((await ask({requestState: 'forged', inputResponses})).error).toMatchObject({code: -32_602});
  expect((await ask({requestState, inputResponses})).result).toMatchObject({
    resultType: 'complete',
    content: [{text: 'Created a.txt (+1 -0)'}],
  });
  expect((await ask({requestState, inputResponses})).error).toMatchObject({code: -32_602});
});
