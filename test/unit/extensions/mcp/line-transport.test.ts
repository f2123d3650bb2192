import {expect, test} from 'vitest';
import {LineTransport} from '../../../../src/extensions/mcp/tool-server.ts';

const refusal = (id: number, code: number, message: string) => ({jsonrpc: '2.0', id, error: {code, message}});

const ping = (id: number) => ({jsonrpc: '2.0', id, method: 'ping'});

test('refuses each request of a batch, and an initialize without a revision', () => {
  const answers: unknown[] = [];
  const transport = new LineTransport(line => answers.push(JSON.parse(line)));
  transport.take(JSON.stringify([ping(3), ping(4)]));
  transport.take(JSON.stringify({jsonrpc: '2.0', id: 5, method: 'initialize', params: {capabilities: {}}}));
  expect(answers).toEqual([
    refusal(3, -32_600, 'A line must be one JSON-RPC message.'),
    refusal(4, -32_600, 'A line must be one JSON-RPC message.'),
    refusal(5, -32_602, 'initialize needs protocolVersion, capabilities and clientInfo.'),
  ]);
});
