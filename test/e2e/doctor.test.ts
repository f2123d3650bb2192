// @module-tag long
import {spawn} from 'node:child_process';
import {cpSync, existsSync, mkdirSync, symlinkSync, writeFileSync} from 'node:fs';
import {delimiter, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {expect, test} from 'vitest';
import {findSearchBinary} from '../../src/workspace/search/ripgrep.ts';
import {scriptedServer} from '../support/mcp-server.ts';
import {call, say} from '../support/model-script.ts';
import {answers, startModelServer} from '../support/model-server.ts';
import {putFile} from '../support/put-file.ts';
import {finish, runWeft, TempPlace} from '../support/run-weft.ts';
import {pointedAt, toldResults} from '../support/scene.ts';

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
    'storage',
    'disk',
    'leftovers',
  ]);
  expect(found['model']?.state).toBe('limited');
  expect(found['search']).toEqual({
    state: 'ok',
    detail: expect.stringMatching(/^ripgrep \d.*, weft's own; searches files directly, without an index$/u),
  });
  expect(found['pty']).toEqual({state: 'ok', detail: expect.stringMatching(/^\/dev\//u)});
  expect(found['store']?.detail).toContain('none yet');
});

test('without the ripgrep of the package weft searches with that on PATH, but not with one of the workspace', async () => {
  using place = new TempPlace();
  await using server = await startModelServer(
    answers([call('Grep', {pattern: 'find', output_mode: 'content'}), say('Done.')]),
  );
  const installed = join(place.home, 'installed');
  for (const part of ['bin', 'dist', 'package.json'])
    cpSync(fileURLToPath(new URL(`../../${part}`, import.meta.url)), join(installed, part), {recursive: true});
  const [own, theirs] = [join(place.home, 'bin'), join(place.work, 'bin')];
  for (const folder of [own, theirs]) mkdirSync(folder);
  writeFileSync(join(theirs, 'rg'), '#!/bin/sh\necho ran >"$0.ran"\n', {mode: 0o755});
  writeFileSync(join(place.work, 'notes.txt'), 'find me\n');
  const run = (args: readonly string[]) => {
    const env = place.environment({
      ...pointedAt(server),
      PATH: `${theirs}:${own}:${place.environment()['PATH'] ?? ''}`,
    });
    const child = spawn(process.execPath, [join(installed, 'bin', 'weft.js'), ...args], {cwd: place.work, env});
    child.stdin.end();
    return finish(child);
  };
  const found = findSearchBinary();
  symlinkSync(found.tag === 'ok' ? found.value.path : 'none', join(own, 'rg'));
  expect(report((await run(['doctor', '--json'])).stdout)['search']).toEqual({
    state: 'ok',
    detail: expect.stringContaining(`, ${join(own, 'rg')} (weft's own is not installed); searches`),
  });
  expect(await run(['--prompt', 'x'])).toMatchObject({code: 0, stdout: 'Done.\n'});
  expect(toldResults(server.requests[1])).toEqual([expect.stringContaining('find me')]);
  expect(existsSync(join(theirs, 'rg.ran'))).toBe(false);
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

test('doctor names what does not work, and exits 1', {tags: 'smoke'}, async () => {
  using place = new TempPlace();
  putFile(join(place.home, 'weft', 'weft.db'), 'no database at all, but long enough to be looked at'.repeat(20));
  const {code, stdout} = await runWeft(['doctor'], {place, environment: {ANTHROPIC_API_KEY: 'sk-ant-1'}});
  expect(code).toBe(1);
  expect(stdout).toMatch(/^✗ store {5}.+$/mu);
  expect(stdout).toMatch(/^✓ model .*not contacted$/mu);
  expect(stdout).not.toContain('sk-ant-1');
});

test('doctor says who is asked to search the web, where a rule allows it', async () => {
  using place = new TempPlace();
  putFile(join(place.home, 'weft', 'settings.json'), '{"permissions": {"allow": ["WebSearch"]}}');
  const web = async (environment: Readonly<Record<string, string>>) => {
    const {stdout} = await runWeft(['doctor', '--json'], {place, environment});
    return report(stdout)['web']?.detail;
  };
  const rule = '(the rule WebSearch allows it); weft reads pages itself';
  const elsewhere = 'http://127.0.0.1:9';
  expect([
    await web({ANTHROPIC_API_KEY: 'k'}),
    await web({ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: elsewhere}),
    await web({OPENAI_API_KEY: 'k'}),
    await web({OPENAI_API_KEY: 'k', OPENAI_BASE_URL: elsewhere}),
  ]).toEqual([
    `Anthropic searches ${rule}`,
    `${elsewhere} is asked to search, which it may not support ${rule}`,
    `OpenAI searches ${rule}`,
    'No search engine. weft can still read pages.',
  ]);
});

test('doctor says which program did not answer in time, though it exited with 0', async () => {
  using place = new TempPlace();
  const git = join(place.home, 'git');
  // Its child holds the pipe, as output that nobody has read yet does on a busy machine.
  writeFileSync(git, '#!/bin/sh\nsleep 4 &\necho git version 2\n', {mode: 0o755});
  const PATH = `${place.home}${delimiter}${process.env['PATH'] ?? ''}`;
  const {stdout} = await runWeft(['doctor', '--json'], {place, environment: {PATH}});
  expect(report(stdout)['git']).toEqual({state: 'limited', detail: `${git} did not answer within 2 s.`});
});
