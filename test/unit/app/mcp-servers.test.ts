import {mkdtempSync, realpathSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, expect, test} from 'vitest';
import {rmSync} from 'node:fs';
import {mergeSettings, type SettingsLayer} from '../../../src/config/merge-settings.ts';
import {serverRequest} from '../../../src/config/server-request.ts';
import {parseServers} from '../../../src/extensions/mcp/server-config.ts';
import {configuredServers} from '../../../src/app/mcp-servers.ts';

const directory = realpathSync(mkdtempSync(join(tmpdir(), 'weft-servers-')));
afterAll(() => rmSync(directory, {recursive: true}));

const layer = (source: 'user' | 'project', servers: object): SettingsLayer => ({
  source,
  path: `/${source}`,
  text: JSON.stringify({mcpServers: servers}),
});
const layers = [
  layer('project', {b: {command: 'project'}}),
  layer('user', {a: {command: 'user'}, c: {command: 'user'}}),
];

function found(
  trust: 'trusted' | 'never',
  options: Parameters<typeof configuredServers>[0]['options'] = {},
  settingSources: ReadonlySet<string> = new Set(['project']),
) {
  const merged = mergeSettings(layers, {trust, userRules: []});
  if (merged.tag === 'failed') throw new Error('the settings do not fit');
  const stateOf = () => trust;
  return configuredServers({
    permissions: merged.value,
    options,
    project: directory,
    settingSources,
    plugins: [],
    projectTrust: {folder: directory, stateOf},
  });
}

async function names(...given: Parameters<typeof found>): Promise<readonly string[]> {
  const {servers} = await found(...given);
  return servers.map(({name, source, path}) => `${name} ${source} ${path}`);
}

test('the servers of a project count once it is trusted; those of a flag before all others', async () => {
  const file = join(directory, '.mcp.json');
  writeFileSync(file, '{"mcpServers":{"a":{"url":"https://h/"},"b":{"command":"file"}}}');
  expect(await names('never')).toEqual(['a user /user', 'c user /user']);
  expect(await names('trusted')).toEqual([`a project ${file}`, 'c user /user', 'b project /project']);
  const mcpConfig = ['{"mcpServers":{"c":{"command":"flag"},"own":{"type":"sdk","name":"own"}}}'];
  const withFlag = [`a project ${file}`, 'c given --mcp-config', 'b project /project'];
  expect(await names('trusted', {mcpConfig})).toEqual(withFlag);
  expect(await names('trusted', {mcpConfig, strictMcpConfig: true})).toEqual(['c given --mcp-config']);
  expect(await names('trusted', {}, new Set(['user']))).toEqual(['a user /user', 'c user /user', 'b project /project']);
});

test('trust is asked with all that a server would do', () => {
  const asked = layer('project', {a: {url: 'https://h/'}, b: {command: 'x', args: ['$y'], env: {K: 'v'}}});
  const merged = mergeSettings([asked], {trust: 'never', userRules: []});
  expect(merged.tag === 'ok' ? merged.value.trustRequests.map(({value}) => value) : []).toEqual([
    'connect to the MCP server a at "https://h/"',
    'run the MCP server b: x "$y" {"env":{"K":"v"}} (in the sandbox: may change the workspace, no network)',
  ]);
});

test('a trusted project gets no key of the model, and trust names every variable that it gets', async () => {
  const servers = {
    key: {url: 'https://h/?k=${ANTHROPIC_API_KEY:-none}'},
    token: {url: 'https://h/', headers: {Authorization: 'Bearer ${GITHUB_TOKEN}', 'X-User': '${USER}'}},
    deep: {command: 'x', env: JSON.parse(`${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`)},
  };
  const merged = mergeSettings([layer('project', {key: servers.key, token: servers.token})], {
    trust: 'trusted',
    userRules: [],
  });
  expect(merged.tag === 'ok' ? merged.value.trustRequests.map(({value}) => value) : []).toEqual([
    'connect to the MCP server key, which gets the value of ANTHROPIC_API_KEY, at "https://h/?k=${ANTHROPIC_API_KEY:-none}"',
    'connect to the MCP server token, which gets the values of GITHUB_TOKEN, USER, at "https://h/" {"headers":{"Authorization":"Bearer ${GITHUB_TOKEN}","X-User":"${USER}"}}',
  ]);
  const configs = (source: 'project' | 'local' | 'user') =>
    parseServers(servers, {source, path: '/f'}).map(({config}) => (config.tag === 'ok' ? 'ok' : config.error));
  const refused =
    'it uses ANTHROPIC_API_KEY, which only servers in your own settings can use (weft mcp add --scope user)';
  expect(configs('project')).toEqual([refused, 'ok', 'it is nested too deeply']);
  expect(configs('local')).toEqual([refused, 'ok', 'it is nested too deeply']);
  expect(configs('user')).toEqual(['ok', 'ok', 'it is nested too deeply']);
  expect(serverRequest('deep', servers.deep, 'project')).toBe(
    'nothing with the MCP server deep: it is nested too deeply to be used',
  );
});

test('a flag that names no servers is refused', async () => {
  await expect(found('never', {mcpConfig: ['{"a":1}']})).rejects.toThrow('it has no object "mcpServers"');
  const missing = join(directory, 'missing');
  await expect(found('never', {mcpConfig: [missing]})).rejects.toThrow(`Can't read --mcp-config ${missing}: `);
});

test('a broken .mcp.json has no servers and stops nothing', async () => {
  const file = join(directory, '.mcp.json');
  writeFileSync(file, '{');
  const {notices} = await found('trusted');
  expect(notices).toHaveLength(1);
  expect(notices[0]).toContain(`${file}: its MCP servers are ignored: it is not JSON`);
});
