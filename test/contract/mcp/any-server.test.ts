import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {isJsonObject, type Json, type JsonObject} from '../../../src/base/json.ts';
import {connectSdkServers, silent} from './sdk-servers.ts';
import {declineAll} from './linked-server.ts';
import {randomInputs} from '../../support/random-inputs.ts';

const never = new AbortController().signal;

/** Words of the protocol among others, so that much of it is nearly right. */
const keys = fc.constantFrom(
  ...'jsonrpc id method params result error code message tools resources name content type text data mimeType'.split(
    ' ',
  ),
  ...'inputSchema properties annotations isError structuredContent uri contents blob nextCursor capabilities'.split(
    ' ',
  ),
);
const words = fc.constantFrom('2.0', 'object', 'text', 'image', 'resource', 'image/png', 'tools/list', '', 'x');
const {json} = fc.letrec<{json: unknown}>(tie => ({
  json: fc.oneof(
    {depthSize: 'small', withCrossShrink: true},
    words,
    fc.constantFrom(null, true, 0, 1, -1),
    fc.array(tie('json'), {maxLength: 4}),
    fc.dictionary(keys, tie('json'), {maxKeys: 5}),
  ),
}));
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- built of JSON only
const anyJson = json.map(value => value as Json);
const initialized: JsonObject = {
  protocolVersion: '2025-06-18',
  capabilities: {tools: {}, resources: {}},
  serverInfo: {name: 'x', version: '1'},
};

test('whatever a server answers and sends, calls settle and nothing throws', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        greeting: fc.option(anyJson, {nil: initialized, freq: 3}),
        list: anyJson,
        answer: anyJson,
        whole: fc.boolean(),
        own: fc.array(anyJson, {maxLength: 3}),
      }),
      async ({greeting, list, answer, whole, own}) => {
        const mcp = connectSdkServers(
          {
            names: ['x'],
            exchange: async (_server, {method, id}) => {
              const wrapped = (result: Json): JsonObject => ({jsonrpc: '2.0', id: id ?? null, result});
              if (method === 'initialize') return wrapped(greeting);
              if (method === 'tools/list' || method === 'resources/list') return wrapped(list);
              return whole && isJsonObject(answer) ? answer : wrapped(answer);
            },
            log: () => {},
            elicit: declineAll,
            version: '0',
            startTimeoutMs: 100,
            callTimeoutMs: 100,
            newServerWaitMs: 1000,
            startLimitMs: Infinity,
          },
          never,
        );
        await mcp.ready(never);
        for (const message of own) if (isJsonObject(message)) mcp.deliver('x', message);
        const results = await Promise.all([
          mcp.call({server: 'x', tool: 't', toolName: 'mcp__x__t', standing: 'as-known', input: {}}, silent, never),
          mcp.readResource({server: 'x', uri: 'u'}, never),
          mcp.resources(undefined, never),
        ]);
        await mcp.close();
        expect(results.every(result => result.tag === 'ok' || result.error.kind === 'rejected')).toBe(true);
      },
    ),
    {numRuns: randomInputs(150)},
  );
});
