import {mkdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {scriptedServer} from '../support/mcp-server.ts';
import {runWeft, TempPlace} from '../support/run-weft.ts';

const report = (stdout: string): Record<string, {readonly state: string; readonly detail: string}> =>
  Object.fromEntries(
    JSON.parse(stdout).checks.map((check: {readonly name: string; readonly state: string; readonly detail: string}) => [
      check.name,
      {state: check.state, detail: check.detail},
    ]),
  );

test('doctor says what works here, and makes nothing', async () => {
  using place = new TempPlace();
  const {code, stdout, stderr} = await runWeft(['doctor', '--json'], {place});
  const found = report(stdout);
  expect({code, stderr}).toEqual({code: 0, stderr: ''});
  expect(Object.keys(found)).toEqual([
    'weft',
    'settings',
    'model',
    'terminal',
    'shell',
    'search',
    'git',
    'web',
    'computer',
    'pty',
    'sandbox',
    'mcp',
    'agents',
    'store',
    'disk',
    'leftovers',
  ]);
  expect(found['model']?.state).toBe('limited');
  expect(found['search']).toEqual({
    state: 'ok',
    detail: expect.stringMatching(/^ripgrep \d.*; reads files as they are, keeps no index$/u),
  });
  expect(found['pty']).toEqual({state: 'ok', detail: expect.stringMatching(/^\/dev\//u)});
  expect(found['store']?.detail).toContain('none yet');
});

test('doctor says which MCP servers answer, which do not, why, and who named them', async () => {
  using place = new TempPlace();
  const settings = join(place.home, 'weft', 'settings.json');
  mkdirSync(join(place.home, 'weft'));
  const save = (mcpServers: object) => writeFileSync(settings, JSON.stringify({mcpServers}));
  save({calc: scriptedServer({}), off: {command: 'no-such-program', disabled: true}});
  const works = await runWeft(['doctor', '--json'], {place});
  expect(report(works.stdout)['mcp']).toEqual({state: 'ok', detail: '1 server: calc'});
  save({calc: scriptedServer({}), dead: scriptedServer({exit: 3, log: ['no database']})});
  writeFileSync(join(place.work, '.mcp.json'), JSON.stringify({mcpServers: {theirs: scriptedServer({})}}));
  const {code, stdout} = await runWeft(['doctor', '--json'], {place});
  const theirs = join(place.work, '.mcp.json');
  expect(code).toBe(0);
  expect(report(stdout)['mcp']).toEqual({
    state: 'limited',
    detail: expect.stringMatching(
      /^1 of 3 servers answering; dead \(.*\): .*it exited with code 3.*; theirs \(.*\): not trusted\.$/u,
    ),
  });
  expect(report(stdout)['mcp']?.detail).toContain(`theirs (${theirs})`);
});

test('doctor names what does not work, and exits 1', async () => {
  using place = new TempPlace();
  mkdirSync(join(place.home, 'weft'));
  writeFileSync(join(place.home, 'weft', 'weft.db'), 'no database at all, but long enough to be looked at'.repeat(20));
  const {code, stdout} = await runWeft(['doctor'], {place, environment: {ANTHROPIC_API_KEY: 'sk-ant-1'}});
  expect(code).toBe(1);
  expect(stdout).toMatch(/^✗ store {5}.+$/mu);
  expect(stdout).toMatch(/^✓ model .*not contacted$/mu);
  expect(stdout).not.toContain('sk-ant-1');
});

test('doctor says who is asked to search the web, where a rule allows it', async () => {
  using place = new TempPlace();
  mkdirSync(join(place.home, 'weft'), {recursive: true});
  writeFileSync(join(place.home, 'weft', 'settings.json'), '{"permissions": {"allow": ["WebSearch"]}}');
  const web = async (environment: Readonly<Record<string, string>>) => {
    const {stdout} = await runWeft(['doctor', '--json'], {place, environment});
    return report(stdout)['web']?.detail;
  };
  const rule = '(the rule WebSearch allows it); pages are read from here';
  const elsewhere = 'http://127.0.0.1:9';
  expect([
    await web({ANTHROPIC_API_KEY: 'k'}),
    await web({ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: elsewhere}),
    await web({OPENAI_API_KEY: 'k'}),
    await web({OPENAI_API_KEY: 'k', OPENAI_BASE_URL: elsewhere}),
  ]).toEqual([
    `Anthropic searches ${rule}`,
    `${elsewhere} is asked to search; whether it can is not known ${rule}`,
    `OpenAI searches ${rule}`,
    'No search engine; pages can be read.',
  ]);
});
