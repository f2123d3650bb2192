import {afterEach, describe, expect, test} from 'vitest';
import * as z from 'zod';
import type {JsonObject} from '../../../src/base/json.ts';
import {connectSdkServers, silent, type SdkServerOptions, type SdkServers} from './sdk-servers.ts';
import {declineAll, LinkedServer} from './linked-server.ts';

const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const open: SdkServers[] = [];
const never = new AbortController().signal;

afterEach(async () => {
  await Promise.all(open.splice(0).map(servers => servers.close()));
});

/** Servers in this process, by name, and what was logged of them. */
async function link(
  servers: Readonly<Record<string, LinkedServer | SdkServerOptions['exchange']>>,
  given: Partial<SdkServerOptions> = {},
) {
  const log: string[] = [];
  for (const server of Object.values(servers)) {
    if (server instanceof LinkedServer) await server.server.connect(server);
  }
  const mcp = connectSdkServers(
    {
      names: Object.keys(servers),
      exchange: async (name, message, signal) => {
        const server = servers[name];
        if (server === undefined) throw new Error(`no ${name}`);
        return server instanceof LinkedServer ? server.exchange(name, message, signal) : server(name, message, signal);
      },
      log: line => log.push(line),
      elicit: declineAll,
      version: '0',
      startTimeoutMs: 5000,
      callTimeoutMs: 5000,
      newServerWaitMs: 5000,
      startLimitMs: Infinity,
      ...given,
    },
    never,
  );
  open.push(mcp);
  for (const [name, server] of Object.entries(servers)) {
    if (server instanceof LinkedServer) server.onOwnMessage = message => mcp.deliver(name, message);
  }
  await mcp.ready(never);
  return {mcp, log};
}

const toolsOf = (mcp: SdkServers, name: string) => mcp.tools().filter(({server}) => server === name);

const calculator = () =>
  new LinkedServer(server => {
    server.registerTool(
      'add',
      {description: 'Adds', inputSchema: {a: z.number(), b: z.number()}, annotations: {readOnlyHint: true}},
      async ({a, b}) => ({content: [{type: 'text', text: String(a + b)}]}),
    );
    server.registerTool('fail', {description: 'Fails'}, async () => ({
      content: [{type: 'text', text: 'no luck'}],
      isError: true,
    }));
    server.registerTool('draw', {description: 'Draws'}, async () => ({
      content: [
        {type: 'text', text: 'Here:'},
        {type: 'image', data: pixel, mimeType: 'image/png'},
        {type: 'resource', resource: {uri: 'mem://a', text: 'inside'}},
        {type: 'resource_link', uri: 'mem://b', name: 'b'},
      ],
    }));
    server.registerResource('start', 'mem://start', {description: 'The start', mimeType: 'text/plain'}, async uri => ({
      contents: [{uri: uri.href, text: 'welcome'}],
    }));
  });

const asking = () =>
  new LinkedServer(server =>
    server.registerTool('ask', {}, async () => {
      const {action, content} = await server.server.elicitInput({
        message: 'Your name?',
        requestedSchema: {type: 'object', properties: {name: {type: 'string'}}},
      });
      return {content: [{type: 'text', text: `${action} ${JSON.stringify(content)}`}]};
    }),
  );

const says =
  (answers: Readonly<Record<string, unknown>>): SdkServerOptions['exchange'] =>
  async (_server, {method, id}) => {
    const answer = typeof method === 'string' ? answers[method] : undefined;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- whatever a server can send
    const json = answer as JsonObject | undefined;
    return json === undefined ? undefined : {jsonrpc: '2.0', id: id ?? null, result: json};
  };

describe('a server that works', () => {
  test('is greeted, listed and called as the protocol has it', async () => {
    const calc = calculator();
    const {mcp} = await link({calc});
    expect(mcp.servers()).toEqual([
      {
        name: 'calc',
        status: 'connected',
        source: 'sdk',
        path: '',
        transport: 'sdk',
        error: '',
        title: 'Linked',
        version: '1.2.3',
        resources: 'offered',
        log: [],
        instructions: '',
        latencyMs: undefined,
      },
    ]);
    expect(mcp.tools().map(({toolName, effect}) => [toolName, effect])).toEqual([
      ['mcp__calc__add', 'claims-read-only'],
      ['mcp__calc__fail', 'unsaid'],
      ['mcp__calc__draw', 'unsaid'],
    ]);
    expect(mcp.tools()[0]?.inputSchema).toMatchObject({type: 'object', required: ['a', 'b']});
    expect(
      await mcp.call(
        {server: 'calc', tool: 'add', toolName: 'mcp__calc__add', standing: 'as-known', input: {a: 1, b: 2}},
        silent,
        never,
      ),
    ).toEqual({
      tag: 'ok',
      value: {blocks: [{kind: 'text', text: '3'}]},
    });
    expect(calc.heard.map(({method}) => method)).toEqual([
      'initialize',
      'notifications/initialized',
      'tools/list',
      'resources/list',
      'tools/call',
    ]);
    expect(calc.heard[0]).toMatchObject({params: {protocolVersion: '2025-11-25', clientInfo: {name: 'weft'}}});
    expect(calc.heard[4]).toMatchObject({
      params: {name: 'add', arguments: {a: 1, b: 2}, _meta: {progressToken: expect.any(Number)}},
    });
  });

  test('may get more resources while it runs', async () => {
    const calc = calculator();
    const {mcp} = await link({calc});
    await expect.poll(() => mcp.listedResources().map(({uri}) => uri)).toEqual(['mem://start']);
    calc.server.registerResource('more', 'mem://more', {}, async uri => ({contents: [{uri: uri.href, text: 'more'}]}));
    await expect.poll(() => mcp.listedResources().map(({uri}) => uri)).toEqual(['mem://start', 'mem://more']);
  });

  test('gives images, resources and links', async () => {
    const {mcp} = await link({calc: calculator()});
    expect(
      await mcp.call(
        {server: 'calc', tool: 'draw', toolName: 'mcp__calc__draw', standing: 'as-known', input: {}},
        silent,
        never,
      ),
    ).toEqual({
      tag: 'ok',
      value: {
        blocks: [
          {kind: 'text', text: 'Here:'},
          {kind: 'image', mediaType: 'image/png', data: pixel},
          {kind: 'text', text: '[mem://a]\ninside'},
          {kind: 'text', text: '[resource mem://b (b)]'},
        ],
      },
    });
    const start = {
      server: 'calc',
      uri: 'mem://start',
      name: 'start',
      description: 'The start',
      mediaType: 'text/plain',
    };
    expect(await mcp.resources(undefined, never)).toEqual({tag: 'ok', value: [start]});
    await expect.poll(() => mcp.listedResources()).toEqual([start]);
    await mcp.toggle('calc', 'disabled');
    expect(mcp.listedResources()).toEqual([]);
    await mcp.toggle('calc', 'enabled');
    expect(await mcp.readResource({server: 'calc', uri: 'mem://start'}, never)).toEqual({
      tag: 'ok',
      value: {blocks: [{kind: 'text', text: '[mem://start]\nwelcome'}]},
    });
  });

  test.each([
    ['fail', {}, 'no luck'],
    ['add', {a: 'x'}, 'Invalid'],
    ['nope', {}, 'It has: mcp__calc__add, mcp__calc__fail, mcp__calc__draw'],
  ])('says of %s what went wrong', async (tool, input, words) => {
    const {mcp} = await link({calc: calculator()});
    const result = await mcp.call(
      {server: 'calc', tool, toolName: `mcp__calc__${tool}`, standing: 'as-known', input},
      silent,
      never,
    );
    expect(result).toMatchObject({tag: 'failed', error: {kind: 'rejected', message: expect.stringContaining(words)}});
  });

  test('is not called by a name that another one goes by', async () => {
    const {mcp} = await link({'my.calc': calculator(), my_calc: calculator()});
    const address = {server: 'my.calc', tool: 'add', toolName: 'mcp__my_calc__add'} as const;
    expect(await mcp.call({...address, standing: 'as-known', input: {a: 1, b: 2}}, silent, never)).toMatchObject({
      tag: 'failed',
      error: {message: expect.stringMatching(/my\.calc has no tool add\. It has: mcp__my_calc_[0-9a-f]{8}__add/u)},
    });
  });

  test('may change its tools', async () => {
    const calc = calculator();
    const {mcp} = await link({calc});
    const before = mcp.tools();
    expect(mcp.tools()).toBe(before);
    calc.server.registerTool('late', {description: 'Late'}, async () => ({content: []}));
    await expect.poll(() => mcp.tools().map(({name}) => name)).toEqual(['add', 'fail', 'draw', 'late']);
  });
});

describe('a call', () => {
  test('that is cancelled tells the server and settles at once', async () => {
    const started = Promise.withResolvers<AbortSignal>();
    const slow = new LinkedServer(server =>
      server.registerTool('wait', {}, async ({signal}) => {
        started.resolve(signal);
        return new Promise(() => {});
      }),
    );
    const {mcp} = await link({slow});
    const abort = new AbortController();
    const call = mcp.call(
      {server: 'slow', tool: 'wait', toolName: 'mcp__slow__wait', standing: 'as-known', input: {}},
      silent,
      abort.signal,
    );
    const seen = await started.promise;
    abort.abort();
    expect((await call).tag).toBe('failed');
    await expect.poll(() => seen.aborted).toBe(true);
    expect(slow.heard.at(-1)).toMatchObject({method: 'notifications/cancelled'});
  });

  test('of a server that says nothing ends', async () => {
    const dumb = new LinkedServer(server => server.registerTool('wait', {}, () => new Promise(() => {})));
    const {mcp} = await link({dumb}, {callTimeoutMs: 50});
    expect(
      await mcp.call(
        {server: 'dumb', tool: 'wait', toolName: 'mcp__dumb__wait', standing: 'as-known', input: {}},
        silent,
        never,
      ),
    ).toEqual({
      tag: 'failed',
      error: {kind: 'rejected', message: "Can't call wait of dumb: it did not respond for 0.05 s"},
    });
  });

  test('goes on as long as there is progress', async () => {
    const busy = new LinkedServer(server =>
      server.registerTool('work', {}, async ({_meta, sendNotification}) => {
        const progressToken = _meta?.progressToken ?? 0;
        for (let progress = 1; progress < 8; progress += 1) {
          await new Promise(resolve => setTimeout(resolve, 60));
          await sendNotification({method: 'notifications/progress', params: {progressToken, progress}});
        }
        return {content: [{type: 'text', text: 'done'}]};
      }),
    );
    const {mcp} = await link({busy}, {callTimeoutMs: 250});
    expect(
      await mcp.call(
        {server: 'busy', tool: 'work', toolName: 'mcp__busy__work', standing: 'as-known', input: {}},
        silent,
        never,
      ),
    ).toMatchObject({tag: 'ok'});
  });

  test('may ask the user, and is declined where nobody answers', async () => {
    const declined = await link({asking: asking()});
    const call = {
      server: 'asking',
      tool: 'ask',
      toolName: 'mcp__asking__ask',
      standing: 'as-known',
      input: {},
    } as const;
    expect(await declined.mcp.call(call, silent, never)).toEqual({
      tag: 'ok',
      value: {blocks: [{kind: 'text', text: 'decline undefined'}]},
    });
    const asked: unknown[] = [];
    const {mcp} = await link(
      {asking: asking()},
      {
        elicit: async elicitation => {
          asked.push(elicitation);
          return {action: 'accept', content: {name: 'Ada'}};
        },
      },
    );
    expect(await mcp.call(call, silent, never)).toEqual({
      tag: 'ok',
      value: {blocks: [{kind: 'text', text: 'accept {"name":"Ada"}'}]},
    });
    expect(asked).toMatchObject([{server: 'asking', message: 'Your name?', mode: 'form'}]);
  });
});

test('of many questions of one server at a time the user gets sixteen', async () => {
  const eager = new LinkedServer(server =>
    server.registerTool('ask', {}, async () => {
      const requestedSchema = {type: 'object', properties: {name: {type: 'string'}}} as const;
      const asks = Array.from({length: 20}, (_, at) =>
        server.server.elicitInput({message: `Question ${at}`, requestedSchema}),
      );
      const actions = (await Promise.all(asks)).map(({action}) => action);
      return {
        content: [
          {type: 'text', text: ['cancel', 'decline'].map(one => actions.filter(each => each === one).length).join(' ')},
        ],
      };
    }),
  );
  const asked: string[] = [];
  const answered = Promise.withResolvers<void>();
  const {mcp} = await link(
    {eager},
    {
      elicit: async ({message}) => {
        asked.push(message);
        if (asked.length === 16) setImmediate(answered.resolve);
        await answered.promise;
        return {action: 'cancel', content: undefined};
      },
    },
  );
  const call = {server: 'eager', tool: 'ask', toolName: 'mcp__eager__ask', standing: 'as-known', input: {}} as const;
  const result = {tag: 'ok', value: {blocks: [{kind: 'text', text: '16 4'}]}};
  expect(await mcp.call(call, silent, never)).toEqual(result);
  expect(asked.length).toBe(16);
  // Those are answered: there is room for as many again.
  expect(await mcp.call(call, silent, never)).toEqual(result);
});

describe('several servers', () => {
  test('do not wait for one that is slow or broken', async () => {
    const gate = Promise.withResolvers<undefined>();
    const late = calculator();
    const {mcp} = await link(
      {
        broken: async () => {
          throw new Error('it fell over');
        },
        mute: async () => undefined,
        late: async (name, message, signal) => {
          await gate.promise;
          return late.exchange(name, message, signal);
        },
        calc: calculator(),
      },
      {newServerWaitMs: 300},
    );
    await late.server.connect(late);
    expect(mcp.servers().map(({name, status, error}) => [name, status, error])).toEqual([
      ['broken', 'failed', 'it fell over'],
      ['mute', 'failed', 'The server gave no answer.'],
      ['late', 'pending', ''],
      ['calc', 'connected', ''],
    ]);
    expect(toolsOf(mcp, 'calc').length).toBe(3);
    expect(toolsOf(mcp, 'late')).toEqual([]);
    // Requests that follow wait no more.
    await mcp.ready(never);
    expect(toolsOf(mcp, 'late')).toEqual([]);
    gate.resolve(undefined);
    await expect.poll(() => toolsOf(mcp, 'late').length).toBe(3);
  });

  test('come and go', async () => {
    const {mcp} = await link({a: calculator(), b: calculator()});
    expect(await mcp.set({sdk: ['b', 'c'], configured: []})).toEqual({
      added: ['c'],
      removed: ['a'],
      errors: {c: 'no c'},
    });
    expect(mcp.servers().map(({name, status}) => [name, status])).toEqual([
      ['b', 'connected'],
      ['c', 'failed'],
    ]);
    expect(await mcp.toggle('b', 'disabled')).toEqual({tag: 'ok', value: undefined});
    expect(mcp.tools()).toEqual([]);
    expect(
      await mcp.call(
        {server: 'b', tool: 'add', toolName: 'mcp__b__add', standing: 'as-known', input: {a: 1, b: 1}},
        silent,
        never,
      ),
    ).toMatchObject({
      tag: 'failed',
      error: {message: 'The MCP server b is disabled.'},
    });
    expect(await mcp.reconnect('x')).toEqual({tag: 'failed', error: 'There is no MCP server named "x".'});
  });
});

describe('a hostile server', () => {
  const initialize = {
    protocolVersion: '2025-06-18',
    capabilities: {tools: {}, resources: {}},
    serverInfo: {name: 'x', version: '1'},
  };

  test('with too many tools, long words and none is bounded', async () => {
    const tools = [
      {
        name: 'long',
        description: 'x'.repeat(5_000_000),
        inputSchema: {type: 'object', description: 'y'.repeat(60_000)},
      },
      {name: ''},
      {},
      null,
      'tool',
      {name: 'a b'},
      {name: 'a.b', inputSchema: 'nothing'},
      {name: 'a b'},
      {name: 'n'.repeat(300)},
      {name: 'either', inputSchema: {type: 'object', anyOf: [{required: ['a']}], properties: {a: {type: 'string'}}}},
      // oxlint-disable-next-line unicorn/no-array-reduce -- folds a schema into itself
      {
        name: 'deep',
        inputSchema: Array.from({length: 5000}).reduce<JsonObject>(inner => ({type: 'object', a: inner}), {}),
      },
      ...Array.from({length: 10_000}, (_, at) => ({name: `t${at}`, inputSchema: {type: 'object'}})),
    ];
    const {mcp} = await link({'my server': says({initialize, 'tools/list': {tools}})});
    const offered = mcp.tools();
    expect(offered.length).toBeLessThan(1001);
    expect(offered[0]?.description.length).toBe(4000);
    expect(offered[0]?.inputSchema).toEqual({type: 'object', properties: {}});
    expect(offered.slice(1, 4).map(({toolName}) => toolName)).toEqual([
      'mcp__my_server__a_b',
      expect.stringMatching(/^mcp__my_server__a_b_[0-9a-f]{8}$/u),
      expect.stringMatching(/^mcp__my_server__n{103}_[0-9a-f]{8}$/u),
    ]);
    expect(offered.slice(4, 6).map(({inputSchema}) => inputSchema)).toEqual([
      {type: 'object', properties: {a: {type: 'string'}}},
      {type: 'object', properties: {}},
    ]);
    expect(new Set(offered.map(({toolName}) => toolName)).size).toBe(offered.length);
    expect(offered.filter(({toolName}) => !/^[\w-]{1,128}$/u.test(toolName))).toEqual([]);
    expect(mcp.servers()[0]?.log.some(line => line.includes('more than 1000 tools'))).toBe(true);
  });

  test('that pages without end ends', async () => {
    let page = 0;
    const {mcp} = await link({
      x: async (_server, {method, id}) =>
        method === 'initialize'
          ? {jsonrpc: '2.0', id: id ?? null, result: initialize}
          : {jsonrpc: '2.0', id: id ?? null, result: {tools: [{name: `t${++page}`}], nextCursor: `c${page}`}},
    });
    expect(mcp.tools().length).toBe(100);
  });

  test.each([
    ['a list', []],
    ['a number', 7],
    ['text', 'x'],
    ['null', null],
    ['content of no known kind', {content: [{type: 'hologram'}, 5, null, {type: 'image', data: '%%', mimeType: 'x'}]}],
    ['content that is no list', {content: {}}],
    ['nothing', {}],
    ['long text', {content: [{type: 'text', text: 'x'.repeat(12_000_000)}]}],
    ['an error that says nothing', {isError: true}],
  ])('that answers %s to a call is told, not believed', async (_what, result) => {
    const {mcp} = await link({x: says({initialize, 'tools/list': {tools: [{name: 't'}]}, 'tools/call': result})});
    const outcome = await mcp.call(
      {server: 'x', tool: 't', toolName: 'mcp__x__t', standing: 'as-known', input: {}},
      silent,
      never,
    );
    expect(JSON.stringify(outcome).length).toBeLessThan(10_100_000);
    expect(outcome.tag === 'failed' ? outcome.error.kind : 'ok').toMatch(/^(?:ok|rejected)$/u);
  });

  test('that answers with other ids or in no form fails', async () => {
    const {mcp} = await link(
      {
        ids: async () => ({jsonrpc: '2.0', id: 99, result: {}}),
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- whatever a server can send
        text: async () => 'hello' as unknown as JsonObject,
        empty: async () => ({}),
        version: says({initialize: {...initialize, protocolVersion: '1999-01-01'}}),
      },
      {startTimeoutMs: 200},
    );
    expect(mcp.servers().map(({status}) => status)).toEqual(['failed', 'failed', 'failed', 'failed']);
    for (const message of [
      {},
      {jsonrpc: '2.0', id: 1, result: 3},
      {method: 'x'},
      {jsonrpc: '2.0', method: 'x', id: 1},
    ]) {
      mcp.deliver('ids', message);
    }
  });
});
