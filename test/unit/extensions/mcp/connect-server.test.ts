import {afterEach, expect, test} from 'vitest';
import {createServer} from 'node:http';
import {mkdtempSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {ok} from '../../../../src/base/outcome.ts';
import type {JsonObject} from '../../../../src/base/json.ts';
import {connectServer, needsAuthorization} from '../../../../src/extensions/mcp/connect-server.ts';
import {StdioTransport} from '../../../../src/extensions/mcp/stdio-transport.ts';
import {parseServer} from '../../../../src/extensions/mcp/server-config.ts';
import {makeServerProcesses, serverExitMs} from '../../../../src/workspace/exec/server-processes.ts';
import {loopbackPort} from '../../../support/loopback-port.ts';
import {running as runningProcesses} from '../../../support/processes.ts';
import {lookUntil} from '../../../support/look-until.ts';
import {scriptedServer, type ScriptedServer} from '../../../support/mcp-server.ts';

const processes = makeServerProcesses({
  environment: {PATH: process.env['PATH'], HOME: '/nowhere', ANTHROPIC_API_KEY: 'sk-secret'},
  registryFolder: mkdtempSync(join(tmpdir(), 'weft-mcp-')),
  exitMs: serverExitMs,
});
afterEach(() => processes.close());

const running = new AbortController().signal;

function connected(script: ScriptedServer, more: JsonObject = {}) {
  const {command, args} = scriptedServer(script);
  return connectTo({command, args: [...args], ...more});
}

async function connectTo(given: JsonObject) {
  const config = parseServer(given);
  if (config.tag === 'failed') throw new Error(config.error);
  const log: string[] = [];
  const changes: string[] = [];
  const connection = await connectServer(
    {
      config: config.value,
      directory: tmpdir(),
      processes,
      authorization: undefined,
      era: {kind: 'unknown'},
      options: {
        server: 's',
        version: '0',
        times: config.value.times,
        services: {
          elicit: async () => ({action: 'accept', content: {color: 'red'}}),
          sample: undefined,
          roots: () => [{uri: 'file:///work', name: 'work'}],
        },
        log: line => log.push(line),
        changed: what => changes.push(what),
      },
    },
    running,
  );
  const call = async (tool: string, signal = running) => {
    const progress: string[] = [];
    const result = await connection.call({tool, input: {a: 1}, progress: text => progress.push(text)}, signal);
    const said =
      result.tag === 'failed'
        ? `fault: ${'message' in result.error ? result.error.message : ''}`
        : result.value.blocks.map(block => (block.kind === 'text' ? block.text : block.kind)).join('|');
    return {said, progress};
  };
  return {connection, log, changes, call};
}

test('a server in a program: what it says beside messages is its log', async () => {
  const {connection, log, call} = await connected({
    noise: ['Server is running!', '{"not":"a message"}', '{"jsonrpc":'],
    log: ['hello from stderr'],
    tools: [
      {name: 'a', does: 'arguments'},
      {name: 'p', does: 'progress'},
      {name: 'f', does: 'fail'},
    ],
  });
  // stderr is another pipe than that of the answers.
  await lookUntil(
    () => log.length === 4,
    () => log.join('\n'),
  );
  expect(log.toSorted()).toEqual(
    ['hello from stderr', 'Server is running!', '{"not":"a message"}', '{"jsonrpc":'].toSorted(),
  );
  expect((await connection.listTools(running)).map(({name}) => name)).toEqual(['a', 'p', 'f']);
  expect(await call('a')).toEqual({said: '{"a":1}', progress: []});
  expect(await call('p')).toEqual({said: 'done', progress: ['50 % step 1', '100 % step 2']});
  expect(await call('f')).toEqual({said: 'fault: it did not work', progress: []});
});

test('it gets what is configured and what every program gets, and none of the keys', async () => {
  const {call} = await connected({tools: [{name: 'e', does: 'environment'}]}, {env: {OWN: 'yes'}});
  const environment: unknown = JSON.parse((await call('e')).said);
  expect(environment).toMatchObject({HOME: '/nowhere', OWN: 'yes'});
  expect(environment).not.toHaveProperty('ANTHROPIC_API_KEY');
});

test('it asks the user, and for the workspace folders', async () => {
  const {call} = await connected({
    tools: [
      {name: 'e', does: 'elicit'},
      {name: 'r', does: 'roots'},
    ],
  });
  expect((await call('e')).said).toBe('{"action":"accept","content":{"color":"red"}}');
  expect((await call('r')).said).toBe('{"roots":[{"uri":"file:///work","name":"work"}]}');
});

test('a server that asks and asks, and reads no answer, is ended', {tags: 'long'}, async () => {
  const serve = `
    const print = message => process.stdout.write(JSON.stringify({jsonrpc: '2.0', ...message}) + '\\n');
    require('node:readline').createInterface({input: process.stdin}).on('line', line => {
      const {id, method, params} = JSON.parse(line);
      if (method === 'initialize') print({id, result: {protocolVersion: params.protocolVersion, capabilities: {tools: {}}, serverInfo: {name: 's', version: '0'}}});
      if (method === 'tools/list') print({id, result: {tools: []}});
      if (method !== 'tools/call') return;
      const asks = Array.from({length: 1000}, (_, at) => JSON.stringify({jsonrpc: '2.0', id: 'r' + at, method: 'roots/list'}) + '\\n').join('');
      // A full pipe throws EAGAIN.
      for (;;) try { require('node:fs').writeSync(1, asks); } catch {}
    });`;
  const {call} = await connectTo({command: process.execPath, args: ['-e', serve]});
  expect((await call('x')).said).toBe("fault: Can't call x of s: the server stopped; it left 4 MB of input unread");
});

test('a crash in a call fails the call in words, and ends the connection', async () => {
  const {connection, call} = await connected({tools: [{name: 'c', does: 'crash'}]});
  expect((await call('c')).said).toBe("fault: Can't call c of s: the server stopped; it exited with code 7; it breaks");
  expect(await connection.closed).toBe('the server stopped; it exited with code 7; it breaks');
});

test('a call to a silent tool ends in its time; an abort tells the server', async () => {
  const {call, log} = await connected({tools: [{name: 's', does: 'silent'}]}, {timeout: 200});
  expect((await call('s')).said).toBe("fault: Can't call s of s: it took more than 0.2 s");
  const stop = new AbortController();
  const waiting = call('s', stop.signal);
  stop.abort();
  await waiting;
  await lookUntil(
    () => log.filter(line => line.startsWith('cancelled')).length === 2,
    () => log.join('\n'),
  );
});

test('tools that change are told', async () => {
  const {changes, call} = await connected({tools: [{name: 'x', does: 'change'}]});
  await call('x');
  await lookUntil(
    () => changes.length > 0,
    () => 'no change was told',
  );
  expect(changes).toEqual(['tools']);
});

test.each([
  [{exit: 3, log: ['one', 'two', 'three']}, {}, 'the server stopped; it exited with code 3; two; three'],
  [{startMs: -1}, {startupTimeout: 100}, 'timed out'],
])('one that does not start: %j', async (script, more, why) => {
  await expect(connected(script, more)).rejects.toThrow(why);
});

test('a call that the program does not take any more waits for its end, to say how it ended', async () => {
  const ended = Promise.withResolvers<string>();
  const transport = new StdioTransport(
    {command: 'server', args: [], env: {}, directory: '/'},
    {
      log: () => {},
      processes: {
        async start(_program, events) {
          return ok({
            ended: ended.promise,
            async write() {
              events.log('out of \u001B[31mmemory');
              setImmediate(() => ended.resolve('it was ended by SIGABRT'));
              throw new Error('it accepts no input: write EPIPE');
            },
            stop: async () => {},
          });
        },
      },
    },
  );
  await transport.start();
  const sent = transport.send({jsonrpc: '2.0', id: 1, method: 'tools/list'});
  await expect(sent).rejects.toThrow('the server stopped; it was ended by SIGABRT; out of ^[[31mmemory');
});

test('what a server leaves behind ends with it', {tags: 'long'}, async () => {
  const {connection, call} = await connected({tools: [{name: 'c', does: 'child'}]});
  const {said: mark} = await call('c');
  expect(runningProcesses(mark)).toHaveLength(1);
  await connection.close();
  expect(runningProcesses(mark)).toEqual([]);
});

test('a server that does not know who calls needs a login', async () => {
  const server = createServer((_request, response) => response.writeHead(401).end());
  const port = await loopbackPort(server);
  const cause: unknown = await connectTo({url: `http://127.0.0.1:${port}/mcp`}).catch((thrown: unknown) => thrown);
  server.close();
  expect(needsAuthorization(cause)).toBe(true);
});

test.each([
  [{}, ['POST /mcp', 'GET /mcp']],
  [{type: 'http'}, ['POST /mcp']],
])('an address that takes no messages, with %j', async (more, asked) => {
  const requests: string[] = [];
  const server = createServer(({method = '', url = ''}, response) => {
    requests.push(`${method} ${url}`);
    response.writeHead(404).end();
  });
  const port = await loopbackPort(server);
  await expect(connectTo({url: `http://127.0.0.1:${port}/mcp`, ...more})).rejects.toThrow();
  server.close();
  expect(requests).toEqual(asked);
});
