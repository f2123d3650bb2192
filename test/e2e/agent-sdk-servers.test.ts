// @module-tag long
import {createSdkMcpServer, tool, type SDKMessage} from '@anthropic-ai/claude-agent-sdk';
import {expect, test} from 'vitest';
import * as z from 'zod';
import {call, say} from '../support/model-script.ts';
import {openScene} from '../support/scene.ts';
import {ask, readAll, toolResults, userMessage} from './support/agent-sdk.ts';

test('a tool of an MCP server inside the client', async () => {
  const calc = createSdkMcpServer({
    name: 'calc',
    version: '1.0.0',
    tools: [
      tool('add', 'Adds.', {a: z.number(), b: z.number()}, async ({a, b}) => ({
        content: [{type: 'text', text: `${a + b}`}],
      })),
    ],
  });
  await using scene = await openScene([call('mcp__calc__add', {a: 2, b: 3}), say('Five.')]);
  const run = await readAll(ask(scene, 'x', {mcpServers: {calc}, allowedTools: ['mcp__calc__add']}));
  expect(toolResults(run)).toEqual(['5']);
  expect(run.messages[0]).toMatchObject({
    mcp_servers: [{name: 'calc', status: 'connected', source: 'sdk'}],
    tools: expect.arrayContaining(['mcp__calc__add']),
  });
  expect(scene.server.requests[0]?.body.tools?.map(({name}) => name)).toContain('mcp__calc__add');
});

/** A server with one tool, which says its name. */
const server = (name: string) =>
  createSdkMcpServer({
    name,
    tools: [tool('say', 'Says.', {}, async () => ({content: [{type: 'text', text: name}]}))],
  });

test('servers come, go and are begun again while it runs', async () => {
  await using scene = await openScene([say('1'), call('mcp__b__say', {}), say('2')]);
  const changed = Promise.withResolvers<void>();
  async function* prompts() {
    yield userMessage('first');
    await changed.promise;
    yield userMessage('second');
  }
  const a = server('a');
  const running = ask(scene, prompts(), {mcpServers: {a}, allowedTools: ['mcp__b__say']});
  const states = async () => (await running.mcpServerStatus()).map(({name, status}) => `${name} ${status}`);
  const seen: unknown[] = [];
  const messages: SDKMessage[] = [];
  for await (const message of running) {
    messages.push(message);
    if (message.type !== 'result' || seen.length > 0) continue;
    seen.push(await running.setMcpServers({a, b: server('b')}), await states());
    await running.toggleMcpServer('a', false);
    seen.push(await states());
    await running.toggleMcpServer('a', true);
    await running.reconnectMcpServer('b');
    seen.push(await states());
    await expect(running.reconnectMcpServer('c')).rejects.toThrow('There is no MCP server');
    changed.resolve();
  }
  expect(seen).toEqual([
    {added: ['b'], removed: [], errors: {}},
    ['a connected', 'b connected'],
    ['a disabled', 'b connected'],
    ['a connected', 'b connected'],
  ]);
  expect(toolResults({messages, thrown: undefined})).toEqual(['b']);
});

test('a server inside the client asks the person something', {tags: 'smoke'}, async () => {
  const asks = createSdkMcpServer({
    name: 'asks',
    tools: [
      tool('name', 'Asks for a name.', {}, async () => {
        const requestedSchema = {type: 'object', properties: {name: {type: 'string'}}} as const;
        const given = await asks.instance.server.elicitInput({message: 'Your name?', requestedSchema});
        return {content: [{type: 'text', text: JSON.stringify(given)}]};
      }),
    ],
  });
  await using scene = await openScene([call('mcp__asks__name', {}), say('Done.')]);
  const run = await readAll(
    ask(scene, 'x', {
      mcpServers: {asks},
      allowedTools: ['mcp__asks__name'],
      onElicitation: async ({message}) => ({action: 'accept', content: {name: `Bo (${message})`}}),
    }),
  );
  expect(toolResults(run)).toEqual(['{"action":"accept","content":{"name":"Bo (Your name?)"}}']);
});

test('a tool of a server that failed is not asked about', async () => {
  await using scene = await openScene([call('mcp__dead__echo', {}), say('Done.')]);
  const asked: string[] = [];
  const run = await readAll(
    ask(scene, 'x', {
      mcpServers: {dead: {command: process.execPath, args: ['-e', 'process.exit(1)']}},
      canUseTool: async (name, input) => {
        asked.push(name);
        return {behavior: 'allow', updatedInput: input};
      },
    }),
  );
  expect(asked).toEqual([]);
  expect(toolResults(run)).toEqual([
    expect.stringMatching(/^No tool named "mcp__dead__echo"\. Its MCP server failed: /u),
  ]);
});

test('a server that failed stays failed, however often its status is asked', async () => {
  await using scene = await openScene([say('Done.')]);
  const over = Promise.withResolvers<void>();
  async function* prompts() {
    yield userMessage('x');
    await over.promise;
  }
  const running = ask(scene, prompts(), {
    mcpServers: {dead: {command: process.execPath, args: ['-e', 'process.exit(1)']}},
  });
  const seen = new Set<string>();
  for await (const message of running) {
    if (message.type !== 'result') continue;
    // The first retry comes by itself, at once. Further ones would come after 1, 2 and 4 seconds.
    const began = performance.now();
    while (performance.now() < began + 5000) {
      const [dead] = await running.mcpServerStatus();
      if (performance.now() > began + 800) seen.add(dead?.status ?? '');
    }
    over.resolve();
  }
  expect([...seen]).toEqual(['failed']);
});
