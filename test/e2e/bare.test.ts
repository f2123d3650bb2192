// @module-tag long
import {mkdtempSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {say} from '../support/model-script.ts';
import {openScene, type Scene} from '../support/scene.ts';
import {putFile} from '../support/put-file.ts';

/** The environment of another machine: its own home with settings, instructions and extensions, time zone and tools. */
function otherMachine(scene: Scene): Record<string, string> {
  const home = mkdtempSync(join(scene.place.home, 'other-'));
  const config = join(home, 'weft');
  putFile(
    join(config, 'settings.json'),
    JSON.stringify({
      model: 'claude-opus-4-5',
      effort: 'high',
      permissionMode: 'bypassPermissions',
      env: {WEFT_TEST: '1'},
      mcpServers: {mine: {command: 'no-such-program'}},
      hooks: {UserPromptSubmit: [{hooks: [{type: 'command', command: 'echo from a hook'}]}]},
    }),
  );
  putFile(join(config, 'AGENTS.md'), 'My own rule.\n');
  putFile(join(home, '.claude', 'skills', 'mine', 'SKILL.md'), '---\nname: mine\ndescription: My skill\n---\nDo.\n');
  putFile(join(home, '.claude', 'agents', 'mine.md'), '---\nname: mine\ndescription: My agent\n---\nDo.\n');
  return {HOME: home, WEFT_HOME: config, TZ: 'Pacific/Auckland', WEFT_SANDBOX: 'auto'};
}

test('with --bare the first request is the same on every machine', async () => {
  await using scene = await openScene(() => say('Done.'));
  const id = ['--session-id', '00000000-0000-4000-8000-000000000001'];
  const args = ['--bare', '--no-session-persistence', ...id, '--prompt', 'go'];
  const first = await scene.run(args);
  expect([first.code, first.stdout, first.stderr]).toEqual([0, 'Done.\n', '']);

  const {work} = scene.place;
  putFile(join(work, 'AGENTS.md'), 'Rule of the project.\n');
  putFile(
    join(work, '.weft', 'settings.json'),
    JSON.stringify({permissions: {allow: ['Bash(curl *)']}, effort: 'low'}),
  );
  putFile(join(work, '.mcp.json'), JSON.stringify({mcpServers: {theirs: {command: 'no-such-program'}}}));
  putFile(join(work, '.claude', 'commands', 'go.md'), 'Do more.\n');
  const environment = otherMachine(scene);
  const second = await scene.run(args, {environment});
  expect([second.code, second.stdout, second.stderr]).toEqual([0, 'Done.\n', '']);

  const [bare, elsewhere] = scene.server.requests.map(({body}) => JSON.stringify(body));
  expect(elsewhere).toBe(bare);

  // The same place without the flag tells all of it.
  await scene.run(args.slice(1), {environment});
  const usual = JSON.stringify(scene.server.requests.at(-1)?.body);
  for (const text of ['My own rule.', 'Rule of the project.', 'from a hook', 'My skill', 'Date: '])
    expect([text, usual.includes(text), bare?.includes(text)]).toEqual([text, true, false]);
});

test('flags count beside --bare', async () => {
  await using scene = await openScene(() => say('Done.'));
  const named = join(scene.place.home, 'named.json');
  putFile(named, JSON.stringify({model: 'claude-opus-4-5'}));
  const environment = otherMachine(scene);
  const flags = ['--settings', named, '--append-system-prompt', 'Said on the command line.'];
  const agents = ['--agents', JSON.stringify({helper: {description: 'Helps with all', prompt: 'Help.'}})];
  const {code} = await scene.run(['--bare', ...flags, ...agents, '--prompt', 'go'], {environment});
  const body = scene.server.requests.at(-1)?.body;
  expect([code, body?.model]).toEqual([0, 'claude-opus-4-5']);
  const text = JSON.stringify(body);
  expect(text).toContain('Said on the command line.');
  expect(text).toContain('Helps with all');
  expect(text).not.toContain('My ');
});
