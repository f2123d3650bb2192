import {expect, test} from 'vitest';
import {LineTransport} from '../../../../src/extensions/mcp/tool-server.ts';

const refusal = (id: number | null, code: number, message: string) => ({jsonrpc: '2.0', id, error: {code, message}});

const ping = (id: number) => ({jsonrpc: '2.0', id, method: 'ping'});

test('takes each message of a batch, and refuses an initialize without a revision', () => {
  const answers: unknown[] = [];
  const taken: unknown[] = [];
  const transport = new LineTransport(line => answers.push(JSON.parse(line)));
  Object.assign(transport, {onmessage: (message: unknown) => taken.push(message)});
  transport.take(JSON.stringify([ping(3), 'x', ping(4)]));
  transport.take('[]');
  transport.take(JSON.stringify({jsonrpc: '2.0', id: 5, method: 'initialize', params: {capabilities: {}}}));
  expect([taken, answers]).toEqual([
    [ping(3), ping(4)],
    [
      refusal(null, -32_600, 'A line must be one JSON-RPC message.'),
      refusal(null, -32_600, 'A line must be one JSON-RPC message.'),
      refusal(5, -32_602, 'initialize needs protocolVersion, capabilities and clientInfo.'),
    ],
  ]);
});
