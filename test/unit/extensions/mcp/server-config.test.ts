import {describe, expect, test} from 'vitest';
import {failed, ok} from '../../../../src/base/outcome.ts';
import {
  admitsTool,
  expandConfig,
  parseServer,
  parseServers,
  parseServersFile,
  mergeServers,
} from '../../../../src/extensions/mcp/server-config.ts';

const usual = {
  protocol: 'legacy',
  need: 'optional',
  offering: 'by-size',
  state: 'enabled',
  times: {start: 60_000, silence: 300_000, call: 3_600_000},
  tools: {include: 'all', exclude: []},
  oauth: {},
} as const;

describe('an entry of mcpServers', () => {
  test.each([
    [
      {command: 'npx', args: ['-y', 'x']},
      {kind: 'stdio', command: 'npx', args: ['-y', 'x'], env: {}, cwd: '', rights: 'unconfined'},
    ],
    [
      {type: 'stdio', command: 'a', env: {K: 'v'}, cwd: '/x', rights: 'unconfined'},
      {kind: 'stdio', command: 'a', args: [], env: {K: 'v'}, cwd: '/x', rights: 'unconfined'},
    ],
    [{url: 'https://h/mcp'}, {kind: 'http-or-sse', url: 'https://h/mcp', headers: {}}],
    [
      {type: 'http', url: 'https://h/mcp', headers: {A: 'b'}},
      {kind: 'http', url: 'https://h/mcp', headers: {A: 'b'}},
    ],
    [
      {type: 'streamable-http', url: 'https://h/mcp'},
      {kind: 'http', url: 'https://h/mcp', headers: {}},
    ],
    [
      {type: 'sse', url: 'https://h/sse'},
      {kind: 'sse', url: 'https://h/sse', headers: {}},
    ],
  ])('%j', (given, transport) => {
    expect(parseServer(given)).toEqual(ok({...usual, transport}));
  });

  test('everything that can be said of one', () => {
    const given = {
      command: 'a',
      protocol: 'auto',
      required: true,
      alwaysLoad: true,
      disabled: true,
      timeout: 5000,
      startupTimeout: 1000,
      includeTools: ['read_*'],
      excludeTools: ['read_secret'],
      oauth: {clientId: 'x'},
      unknown: 1,
    };
    expect(parseServer(given)).toEqual(
      ok({
        transport: {kind: 'stdio', command: 'a', args: [], env: {}, cwd: '', rights: 'unconfined'},
        protocol: 'auto',
        need: 'required',
        offering: 'always',
        state: 'disabled',
        times: {start: 1000, silence: 5000, call: 5000},
        tools: {include: ['read_*'], exclude: ['read_secret']},
        oauth: {clientId: 'x'},
      }),
    );
  });

  test.each([
    ['text', 'it must be a JSON object'],
    [{}, 'it needs "command" (a program) or "url" (an address)'],
    [{type: 'stdio', url: 'https://h'}, '"command" is missing: name the program to start'],
    [{command: 'a', url: 'https://h'}, 'it has both "command" and "url": keep one of them'],
    [{command: 'a', args: 'b'}, '"args" is invalid'],
    [{command: 'a', env: {K: 1}}, '"env.K" is invalid'],
    [{type: 'ws', url: 'wss://h'}, '"type" is invalid'],
    [{command: 'a', protocol: '1999'}, '"protocol" is invalid'],
    [{url: 'https://h', headersHelper: 'x'}, '"headersHelper" is not supported: use "headers" with ${VAR}'],
  ])('%j does not fit', (given, error) => {
    expect(parseServer(given)).toEqual(failed(error));
  });
});

/** The rights of a server whose entry says this, or what does not fit. */
const rightsOf = (source: 'project' | 'local' | 'user', sandbox: unknown) =>
  parseServers({s: {command: 'a', ...JSON.parse(JSON.stringify({sandbox}))}}, {source, path: ''}).map(({config}) =>
    config.tag === 'ok' && config.value.transport.kind === 'stdio' ? config.value.transport.rights : config,
  )[0];

test('what a project names is confined unless its entry says otherwise; what the user names is not', () => {
  const written = [undefined, true, false, {network: true}, {network: false}];
  const ofProject = ['confined', 'confined', 'unconfined', 'network', 'confined'];
  expect(written.map(one => rightsOf('project', one))).toEqual(ofProject);
  for (const source of ['user', 'local'] as const)
    expect(written.map(one => rightsOf(source, one))).toEqual(['unconfined', ...ofProject.slice(1)]);
  expect(rightsOf('project', 'off')).toEqual(failed('"sandbox" is invalid'));
});

test('variables come from the environment, or from their defaults', () => {
  const parsed = parseServer({command: '${BIN:-node}', args: ['--x=${X}', '$X', '${X:-no}'], env: {T: '${EMPTY:-e}'}});
  if (parsed.tag === 'failed') throw new Error(parsed.error);
  const expanded = expandConfig(parsed.value, {X: '1', EMPTY: ''});
  expect(expanded).toEqual(
    ok({
      ...usual,
      transport: {
        kind: 'stdio',
        command: 'node',
        args: ['--x=1', '$X', '1'],
        env: {T: 'e'},
        cwd: '',
        rights: 'unconfined',
      },
    }),
  );
});

test('a variable that is missing is named', () => {
  const parsed = parseServer({url: 'https://${HOST_NAME}/', headers: {Authorization: 'Bearer ${API_TOKEN}'}});
  if (parsed.tag === 'failed') throw new Error(parsed.error);
  expect(expandConfig(parsed.value, {})).toEqual(failed('the environment variables HOST_NAME, API_TOKEN are not set'));
  expect(expandConfig(parsed.value, {HOST_NAME: 'h'})).toEqual(failed('the environment variable API_TOKEN is not set'));
});

const of = (source: 'user' | 'project', names: readonly string[]) =>
  parseServers(Object.fromEntries(names.map(name => [name, {command: source}])), {source, path: source});

test('the later source of a name counts, at the place of the first', () => {
  const found = mergeServers([of('user', ['a', 'b']), of('project', ['c', 'a'])]);
  expect(found.map(({name, source}) => `${name} ${source}`)).toEqual(['a project', 'b user', 'c project']);
});

test.each([
  ['{"mcpServers":{"a":{"command":"x"}}}', ok({a: {command: 'x'}})],
  ['{"servers":{}}', failed('it has no object "mcpServers"')],
  ['[]', failed('it has no object "mcpServers"')],
])('the text %s', (text, servers) => {
  expect(parseServersFile(text)).toEqual(servers);
});

test.each([
  [{include: 'all', exclude: []}, true],
  [{include: ['read_*'], exclude: []}, true],
  [{include: ['write_*'], exclude: []}, false],
  [{include: 'all', exclude: ['*_file']}, false],
] as const)('the filter %j', (filter, admits) => {
  expect(admitsTool(filter, 'read_file')).toBe(admits);
});
