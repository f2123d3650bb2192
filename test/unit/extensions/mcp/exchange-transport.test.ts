/* oxlint-disable unicorn/prefer-add-event-listener -- a transport is no event target */
import {expect, test} from 'vitest';
import {raceAbort} from '../../../../src/base/race.ts';
import {ExchangeTransport} from '../../../../src/extensions/mcp/exchange-transport.ts';

test('closing lets go of what the server never answers, notifications among it', async () => {
  const given: string[] = [];
  const transport = new ExchangeTransport('slow', async (_server, message, signal) => {
    await raceAbort(new Promise<never>(() => {}), signal);
    given.push(`given up: ${JSON.stringify(message['method'])}`);
    throw new Error('it was stopped');
  });
  transport.onerror = error => given.push(`error: ${error.message}`);
  transport.onmessage = () => given.push('message');
  await transport.send({jsonrpc: '2.0', id: 1, method: 'tools/list'});
  const sent = transport.send({jsonrpc: '2.0', method: 'notifications/initialized'});
  await transport.close();
  await sent;
  expect(given).toEqual(['given up: "notifications/initialized"', 'given up: "tools/list"']);
  await expect(transport.send({jsonrpc: '2.0', method: 'notifications/initialized'})).rejects.toThrow('is closed');
});
