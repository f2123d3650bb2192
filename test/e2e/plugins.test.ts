// @module-tag long
import {existsSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {scriptedServer} from '../support/mcp-server.ts';
import {call, say} from '../support/model-script.ts';
import {openScene, toldPrompt, toldResults, toldSystem} from '../support/scene.ts';
import {putFile} from '../support/put-file.ts';
import {ask, readAll} from './support/agent-sdk.ts';

function writeAll(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) putFile(join(folder, name), text);
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
    slash_commands: [
      'compact',
      'effort',
      'rename',
      'goal',
      'btw',
      'clear',
      'context',
      'cost',
      'tools:charts',
      'tools:pdf',
      'tools:pr',
    ],
    skills: ['tools:charts', 'tools:pdf'],
    agents: ['general', 'explore', 'plan', 'review', 'tools:reviewer'],
    plugins: [{name: 'tools', path: folder, version: '1.2.0'}],
  });
  expect(commands.find(({name}) => name === 'tools:pr')).toEqual({
    name: 'tools:pr',
    description: 'Reviews a pull request',
    argumentHint: '[number]',
  });
  expect(agents.at(-1)).toEqual({name: 'tools:reviewer', description: 'Reviews code', model: 'haiku'});
  expect(toldPrompt(scene.server.requests[0])).toContain(`Review 7 as in ${folder}.`);
  const [pdf, charts, bash] = scene.server.requests.slice(1).map(request => toldResults(request).at(-1));
  expect(pdf).toContain('Read with care.');
  expect(charts).toBe('Unknown skill "tools:charts". These match:\n- tools:pdf: Reads PDF files');
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
  ['"../hooks.json"', '../hooks.json is outside the plugin.'],
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

const markdown = (name: string, ...body: readonly string[]): string =>
  ['---', `name: ${name}`, `description: About ${name}`, '---', ...body].join('\n');

/** A plugin as people publish them: its manifest names paths, a server and hooks; scripts lie beside them. */
const published = {
  '.claude-plugin/plugin.json': JSON.stringify({
    name: 'kit',
    version: '2.0.0',
    description: 'A kit',
    author: {name: 'Somebody', email: 'somebody@example.org'},
    keywords: ['kit'],
    commands: ['./commands/setup.md', './more'],
    agents: './experts/tester.md',
    skills: ['./extra-skills', './lone'],
    hooks: './config/hooks.json',
    mcpServers: {
      calc: {
        ...scriptedServer({
          tools: [
            {name: 'add', description: 'Adds', does: 'environment'},
            {name: 'echo', description: 'Echoes', does: 'arguments'},
          ],
        }),
        env: {DATA: '${CLAUDE_PLUGIN_ROOT}/data'},
      },
    },
  }),
  'commands/setup.md': markdown('ignored', 'Set up: !`cat "${CLAUDE_PLUGIN_ROOT}/data/hello.txt"` for $ARGUMENTS'),
  'commands/left-out.md': 'The manifest does not name this one.',
  'more/git/pr.md': 'Review.',
  'experts/tester.md': markdown('tester', 'Test by ${CLAUDE_PLUGIN_ROOT}/data/rules.md.'),
  'agents/sub/left-out.md': markdown('left-out', 'Not named.'),
  'skills/pdf/SKILL.md': markdown('PDF-tools', 'Run ${CLAUDE_PLUGIN_ROOT}/data/pdf.py.'),
  'extra-skills/charts/SKILL.md': markdown('charts', 'Draw.'),
  'lone/SKILL.md': markdown('lone', 'Alone.'),
  'config/hooks.json': JSON.stringify({
    hooks: {
      SessionStart: [{hooks: [{type: 'command', command: 'cat "${CLAUDE_PLUGIN_ROOT}/data/hello.txt"'}]}],
    },
  }),
  'data/hello.txt': 'hello from the kit',
  'README.md': '# Kit',
};

const mcpTool = 'mcp__plugin_kit_calc__add';

test('a published plugin works as a whole: named paths, agent, skills, hooks and an MCP server that runs', async () => {
  await using scene = await openScene([
    call('ToolSearch', {query: 'adds'}),
    call(mcpTool, {}),
    call('Skill', {name: 'kit:pdf'}),
    say('Done.'),
    say('Tested.'),
  ]);
  const folder = join(scene.place.home, 'kit');
  writeAll(folder, published);
  const told = await readAll(
    ask(scene, '/kit:setup now', {
      plugins: [
        {type: 'local', path: folder},
        {type: 'local', path: join(scene.place.home, 'nothing-here')},
      ],
      allowedTools: ['mcp__plugin_kit_calc', 'Bash(cat:*)'],
    }),
  );
  expect(told.thrown).toBe(undefined);
  expect(told.messages[0]).toMatchObject({
    slash_commands: [
      'compact',
      'effort',
      'rename',
      'goal',
      'btw',
      'clear',
      'context',
      'cost',
      'kit:charts',
      'kit:git:pr',
      'kit:lone',
      'kit:pdf',
      'kit:setup',
    ],
    skills: ['kit:pdf', 'kit:charts', 'kit:lone'],
    agents: ['general', 'explore', 'plan', 'review', 'kit:tester'],
    plugins: [{name: 'kit', path: folder, version: '2.0.0'}],
    plugin_errors: [{plugin: 'inline[1]', type: 'path-not-found', path: join(scene.place.home, 'nothing-here')}],
  });
  expect(toldPrompt(scene.server.requests[0])).toContain('Set up: hello from the kit for now');
  expect(JSON.stringify(scene.server.requests[0]?.body)).toContain('hello from the kit');
  const [environment, pdf] = scene.server.requests.slice(2).map(request => toldResults(request).at(-1));
  expect(JSON.parse(environment ?? '')).toMatchObject({CLAUDE_PLUGIN_ROOT: folder, DATA: join(folder, 'data')});
  expect(pdf).toContain(`Run ${folder}/data/pdf.py.`);
  await scene.run(['-p', 'x', '--plugin-dir', folder, '--agent', 'kit:tester']);
  expect(toldSystem(scene.server.requests.at(-1))).toMatch(new RegExp(`^Test by ${folder}/data/rules.md\\.`, 'u'));
});

test('hooks, skills and agents of a plugin are listed, its hooks tested; what its manifest names wrongly is said', async () => {
  await using scene = await openScene([]);
  const folder = join(scene.place.home, 'kit');
  writeAll(folder, {
    ...published,
    '.claude-plugin/plugin.json': JSON.stringify({
      name: 'kit',
      commands: ['./none.md', '../outside', 7],
      hooks: './config/hooks.json',
    }),
  });
  const flags = ['--plugin-dir', folder, '--json'];
  const [listed, tested, skills, agents] = await Promise.all(
    [
      ['hooks', 'list'],
      ['hooks', 'test'],
      ['skills', 'list'],
      ['agents', 'list', '--agents', '{"own": {"description": "Of mine", "prompt": "Act."}}'],
    ].map(async command => scene.run([...command, ...flags])),
  );
  const path = join(folder, 'config', 'hooks.json');
  expect(JSON.parse(listed?.stdout ?? '')).toMatchObject([{event: 'SessionStart', source: 'plugin', path}]);
  expect(tested?.code).toBe(0);
  expect(JSON.parse(tested?.stdout ?? '')).toMatchObject([{event: 'SessionStart', source: path, last: 'no objection'}]);
  expect(JSON.parse(skills?.stdout ?? '')).toMatchObject([{name: 'kit:pdf', scope: 'plugin', offered: true}]);
  const kinds: readonly {readonly kind: string; readonly name: string}[] = JSON.parse(agents?.stdout ?? '');
  expect(kinds.filter(({kind}) => kind === 'agent').map(({name}) => name)).toEqual(['own', 'kit:sub:left-out']);
  expect(skills?.stderr.split('\n').filter(line => line.includes('plugin.json'))).toEqual([
    expect.stringContaining('"commands" in its plugin.json: "./none.md" does not exist.'),
    expect.stringContaining('"../outside" is outside the plugin.'),
    expect.stringContaining('7 is not a path.'),
  ]);
});

test('a plugin that is one skill, and the folder of a marketplace, which is no plugin', {tags: 'smoke'}, async () => {
  await using scene = await openScene([]);
  const [lone, market] = [join(scene.place.home, 'lone'), join(scene.place.home, 'market')];
  writeAll(lone, {'SKILL.md': markdown('only', 'Act.')});
  writeAll(market, {'.claude-plugin/marketplace.json': '{"name": "market", "plugins": []}'});
  const [listed, refused] = await Promise.all(
    [lone, market].map(async folder => scene.run(['skills', 'list', '--json', '--plugin-dir', folder])),
  );
  expect(JSON.parse(listed?.stdout ?? '')).toMatchObject([{name: 'lone:only', offered: true}]);
  expect([refused?.code, refused?.stderr]).toEqual([
    2,
    expect.stringContaining('it is a marketplace: name the folder of one of its plugins.'),
  ]);
});
