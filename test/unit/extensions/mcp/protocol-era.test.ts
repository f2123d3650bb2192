import {expect, test} from 'vitest';
import type {JsonObject} from '../../../../src/base/json.ts';
import {isJsonObject, parseJson} from '../../../../src/base/json.ts';
import {ExchangeTransport} from '../../../../src/extensions/mcp/exchange-transport.ts';
import {connectTransport, type ProtocolEra} from '../../../../src/extensions/mcp/server-connection.ts';

const fresh = {resultType: 'complete', ttlMs: 0, cacheScope: 'private'} as const;

const discovered: JsonObject = {
  ...fresh,
  supportedVersions: ['2026-07-28'],
  capabilities: {tools: {}},
  serverInfo: {name: 'Modern', version: '3'},
};

/** Connects to a server of the newest revision; `heard` is what it was asked. */
async function connected(era: ProtocolEra) {
  const heard: unknown[] = [];
  const transport = new ExchangeTransport('s', async (_server, message) => {
    heard.push(message['method']);
    const {id = null} = message;
    return message['method'] === 'server/discover'
      ? {jsonrpc: '2.0', id, result: discovered}
      : {jsonrpc: '2.0', id, result: {...fresh, tools: [{name: 'add', inputSchema: {type: 'object'}}]}};
  });
  const connection = await connectTransport(
    transport,
    {
      options: {
        server: 's',
        version: '0',
        times: {start: 60_000, silence: 60_000, call: 60_000},
        services: {
          elicit: async () => ({action: 'cancel', content: undefined}),
          sample: undefined,
          roots: () => [],
        },
        log: () => {},
        changed: () => {},
      },
      negotiation: 'auto',
      era,
    },
    new AbortController().signal,
  );
  const tools = await connection.listTools(new AbortController().signal);
  await connection.close();
  return {heard, era: connection.era, tools: tools.map(({name}) => name)};
}

/** As it lies in a file until the next connection. */
function kept(era: ProtocolEra): ProtocolEra {
  const read = parseJson(JSON.stringify(era.kind === 'modern' ? era.discover : {}));
  return read.tag === 'ok' && isJsonObject(read.value) ? {kind: 'modern', discover: read.value} : {kind: 'unknown'};
}

test('a server that said which revisions it speaks is not asked again; a kept answer that does not fit counts for nothing', async () => {
  const first = await connected({kind: 'unknown'});
  expect([first.heard[0], first.era.kind, first.tools]).toEqual(['server/discover', 'modern', ['add']]);
  const second = await connected(kept(first.era));
  expect([second.heard.includes('server/discover'), second.era.kind, second.tools]).toEqual([false, 'modern', ['add']]);
  const third = await connected({kind: 'modern', discover: {supportedVersions: 'all'}});
  expect([third.heard[0], third.tools]).toEqual(['server/discover', ['add']]);
});
