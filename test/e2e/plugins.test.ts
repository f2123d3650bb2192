import {existsSync, mkdirSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {expect, test} from 'vitest';
import {call, say} from '../support/model-script.ts';
import {openScene, toldPrompt, toldResults} from '../support/scene.ts';
import {ask, readAll} from './support/agent-sdk.ts';

function writeAll(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), {recursive: true});
    writeFileSync(path, text);
  }
}

const hooks = {
  hooks: {PreToolUse: [{matcher: 'Bash', hooks: [{type: 'command', command: 'sh "${CLAUDE_PLUGIN_ROOT}/no.sh"'}]}]},
};

const plugin = {
  '.claude-plugin/plugin.json': '{"name":"tools","version":"1.2.0","description":"Tools"}',
  'commands/pr.md':
    '---\ndescription: Reviews a pull request\nargument-hint: "[number]"\n---\nReview $1 as in ${CLAUDE_PLUGIN_ROOT}.',
  'agents/reviewer.md': '---\nname: reviewer\ndescription: Reviews code\nmodel: haiku\n---\nYou review.',
  'skills/pdf/SKILL.md': '---\nname: pdf\ndescription: Reads PDF files\n---\nRead with care.',
  'skills/charts/SKILL.md': '---\nname: charts\ndescription: Draws charts\n---\nDraw.',
  'hooks/hooks.json': JSON.stringify(hooks),
  'no.sh': 'echo "not in $CLAUDE_PLUGIN_ROOT" >&2; exit 2',
};

const deliveries = [
  ['on the command line', {}],
  ['in the greeting', {pluginDelivery: 'initialize'}],
] as const;

test.each(deliveries)('a plugin that a program names %s is in its lists and works', async (_name, delivery) => {
  await using scene = await openScene([
    call('Skill', {name: 'tools:pdf'}),
    call('Skill', {name: 'tools:charts'}),
    call('Bash', {command: 'true'}),
    say('Done.'),
  ]);
  const folder = join(scene.place.home, "it's a plugin");
  writeAll(folder, plugin);
  const run = ask(scene, '/tools:pr 7', {
    plugins: [{type: 'local', path: folder}],
    skills: ['tools:pdf'],
    ...delivery,
  });
  const [told, commands, agents] = await Promise.all([readAll(run), run.supportedCommands(), run.supportedAgents()]);
  expect(told.thrown).toBe(undefined);
  expect(told.messages[0]).toMatchObject({
    slash_commands: ['tools:charts', 'tools:pdf', 'tools:pr'],
    skills: ['tools:charts', 'tools:pdf'],
    agents: ['tools:reviewer'],
    plugins: [{name: 'tools', path: folder, version: '1.2.0'}],
  });
  expect(commands.find(({name}) => name === 'tools:pr')).toEqual({
    name: 'tools:pr',
    description: 'Reviews a pull request',
    argumentHint: '[number]',
  });
  expect(agents).toEqual([{name: 'tools:reviewer', description: 'Reviews code', model: 'haiku'}]);
  expect(toldPrompt(scene.server.requests[0])).toContain(`Review 7 as in ${folder}.`);
  const [pdf, charts, bash] = scene.server.requests.slice(1).map(request => toldResults(request).at(-1));
  expect(pdf).toContain('Read with care.');
  expect(charts).toBe('There is no skill "tools:charts". These match:\n- tools:pdf: Reads PDF files');
  expect(bash).toContain(`not in ${folder}`);
});

test('a plugin inside the project acts once its files are trusted, and no more when one changed', async () => {
  await using scene = await openScene([say('One.'), say('Two.')]);
  writeAll(join(scene.place.work, 'plugin'), plugin);
  writeAll(scene.place.work, {'.weft/settings.json': '{"plugins":["plugin"]}'});
  const first = await scene.run(['--prompt', '/tools:pr 7']);
  expect([first.code, scene.server.requests.length]).toEqual([2, 0]);
  await scene.run(['permissions', 'trust', '--yes']);
  expect((await scene.run(['--prompt', '/tools:pr 7'])).code).toBe(0);
  expect(toldPrompt(scene.server.requests[0])).toContain('Review 7');
  writeAll(join(scene.place.work, 'plugin'), {'commands/pr.md': 'Do something else.'});
  expect((await scene.run(['--prompt', '/tools:pr 7'])).code).toBe(2);
});

test('--disable-slash-commands: no skill is offered, and files give no commands', async () => {
  await using scene = await openScene([say('One.')]);
  const folder = join(scene.place.home, 'plugin');
  writeAll(folder, plugin);
  const flags = ['--plugin-dir', folder, '--disable-slash-commands'];
  expect((await scene.run([...flags, '--prompt', '/tools:pr 7'])).code).toBe(2);
  expect((await scene.run([...flags, '--prompt', 'x'])).code).toBe(0);
  expect(scene.server.requests[0]?.body.tools?.map(({name}) => name)).not.toContain('Skill');
});

test.each([
  ['in the manifest', {'.claude-plugin/plugin.json': JSON.stringify({name: 'tools', ...hooks})}],
  [
    'in a file that the manifest names',
    {
      '.claude-plugin/plugin.json': '{"name": "tools", "hooks": ["./hooks/hooks.json", "./guards/bash.json"]}',
      'guards/bash.json': JSON.stringify(hooks),
    },
  ],
])('a guard that a plugin has %s keeps a command from running', async (_name, files) => {
  await using scene = await openScene([call('Bash', {command: 'touch made'}), say('Done.')]);
  const folder = join(scene.place.home, 'plugin');
  writeAll(folder, {'no.sh': plugin['no.sh'], 'hooks/hooks.json': '{"hooks": {}}', ...files});
  const {code, stderr} = await scene.run([
    '--prompt',
    'go',
    '--plugin-dir',
    folder,
    '--permission-mode',
    'bypassPermissions',
  ]);
  expect({code, stderr}).toMatchObject({code: 0});
  expect(toldResults(scene.server.requests[1])).toEqual([expect.stringContaining(`not in ${folder}`)]);
  expect(existsSync(join(scene.place.work, 'made'))).toBe(false);
});

test.each([
  ['"../hooks.json"', '../hooks.json lies outside the plugin.'],
  ['"./none.json"', 'there is no ./none.json.'],
  ['7', '"hooks" must be an object or a path.'],
])('hooks that a manifest names and that cannot be read (%s) stop weft', async (named, said) => {
  await using scene = await openScene([say('Done.')]);
  const folder = join(scene.place.home, 'plugin');
  writeAll(folder, {'.claude-plugin/plugin.json': `{"name": "tools", "hooks": ${named}}`});
  const {code, stderr} = await scene.run(['--prompt', 'go', '--plugin-dir', folder]);
  expect({code, stderr}).toEqual({code: 2, stderr: expect.stringContaining(said)});
  expect(scene.server.requests).toEqual([]);
});
