// @module-tag long
import {existsSync, readdirSync, readFileSync, symlinkSync} from 'node:fs';
import {join, relative} from 'node:path';
import {expect, test} from 'vitest';
import {say} from '../support/model-script.ts';
import {putFile} from '../support/put-file.ts';
import {openScenePty} from '../support/pty-terminal.ts';
import {openScene} from '../support/scene.ts';

const id = '0f9a1a34-1111-4222-8333-444455556666';

test('a session of Claude Code goes on in weft, and what is left out is counted', async () => {
  await using scene = await openScene([say('Four.')]);
  const line = (uuid: string, parentUuid: string | null, fields: object): string =>
    `${JSON.stringify({uuid, parentUuid, sessionId: id, cwd: scene.place.work, ...fields})}\n`;
  const use = {type: 'tool_use', id: 'toolu_1', name: 'Bash', input: {command: 'ls'}};
  const thinking = {type: 'thinking', thinking: 'hm', signature: 'foreign'};
  putFile(
    join(scene.place.home, '.claude', 'projects', '-w', `${id}.jsonl`),
    [
      line('a', null, {type: 'user', message: {role: 'user', content: 'How many files?'}}),
      line('b', 'a', {type: 'assistant', message: {id: 'msg_1', model: 'm', content: [thinking, use]}}),
      `${JSON.stringify({type: 'newer-record'})}\n{"type":"assist`,
    ].join(''),
  );
  const listed = await scene.run(['import', 'session', 'claude']);
  expect(listed.stdout).toContain(`1  ${id}`);
  const {code, stderr} = await scene.run(['import', 'session', 'claude', '0f9a']);
  expect(code).toBe(0);
  expect(stderr).toContain('left out: thinking (1)');
  expect(stderr).toContain('left out: record "newer-record" (1)');
  expect(stderr).toContain('left out: line that is not JSON (1)');
  expect((await scene.run(['--resume', id, '--prompt', 'And now?'])).stdout).toBe('Four.\n');
  const [request] = scene.server.requests;
  expect(request?.body.messages.map(({role}) => role)).toEqual(['user', 'assistant', 'user', 'user']);
  expect(JSON.stringify(request?.body)).not.toContain('foreign');
  const again = await scene.run(['import', 'session', 'claude', id]);
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining(`Session ${id} already exists.`)]);
  const exported = await scene.run(['sessions', 'export', id, '--format', 'codex']);
  expect(exported.stdout).toContain('"type":"function_call"');
  expect(exported.stderr).toContain(`codex resume ${id}`);
});

test('the overview says what becomes of each file, and never shows a key', async () => {
  await using scene = await openScene([]);
  const {home} = scene.place;
  putFile(join(home, '.codex', 'auth.json'), '{"OPENAI_API_KEY": "sk-very-secret"}');
  putFile(join(home, '.claude', 'settings.json'), '{}');
  putFile(join(home, '.claude', 'CLAUDE.md'), 'Be brief.');
  const all = await scene.run(['import']);
  expect(all.code).toBe(0);
  expect(all.stdout.split('\n')).toEqual([
    'claude    ~/.claude/settings.json  import: hooks, rules and variables',
    'claude    ~/.claude/CLAUDE.md  weft reads it: if you have no AGENTS.md for weft',
    'codex     ~/.codex/auth.json  not imported: it has keys, which weft does not copy: weft login',
    '',
  ]);
  const one = await scene.run(['import', '--from', 'codex', '--json']);
  expect(JSON.parse(one.stdout)).toMatchObject([{agent: 'codex', state: 'left-out'}]);
});

test('servers of Cursor come without the values of their variables and headers', async () => {
  await using scene = await openScene([]);
  const path = join(scene.place.home, '.cursor', 'mcp.json');
  putFile(
    path,
    JSON.stringify({
      mcpServers: {
        local: {command: 'run', args: ['${userHome}/a'], env: {TOKEN: 'very-secret', OTHER: '${env:MINE}'}},
        far: {url: 'https://mcp.example.com/', headers: {'X-Key': 'very-secret'}},
        words: {command: 'run', args: ['--api-key', 'very-secret', '--token=very-secret', '--port', '80', 'token']},
        base: {command: 'run', args: ['postgresql://me:Tr0ub4dor-very-secret@db.test/shop']},
        address: {url: 'https://mcp.example.com/?key=very-secret'},
      },
    }),
  );
  const {code, stdout} = await scene.run(['mcp', 'import', 'cursor']);
  expect(code).toBe(0);
  expect(stdout).toContain(`not copied from ${path}: env.TOKEN. Set TOKEN in the environment of weft`);
  expect(stdout).toContain(`not copied from ${path}: headers.X-Key. Set FAR_X_KEY in the environment of weft`);
  const {stdout: settings} = await scene.run(['config', 'get', 'mcpServers']);
  expect(settings).not.toContain('very-secret');
  for (const text of ['${HOME}/a', '${TOKEN}', '${MINE}', '${FAR_X_KEY}']) expect(settings).toContain(text);
  expect(JSON.parse(settings)).toMatchObject({
    words: {args: ['--api-key', '${WORDS_ARG_1}', '--token=${WORDS_ARG_2}', '--port', '80', 'token']},
    base: {args: ['${BASE_ARG_0}']},
    address: {url: '${ADDRESS_URL}'},
  });
  const listed = await scene.run(['mcp', 'list']);
  expect(listed.stdout).toContain('ADDRESS_URL is not set');
});

test('weft import takes the files of seven agents once, and neither secrets nor wide permissions', async () => {
  await using scene = await openScene([]);
  const {home, work} = scene.place;
  const settings = {
    permissions: {allow: ['Bash(npm test)'], defaultMode: 'bypassPermissions'},
    env: {EDITOR: 'vi', API_TOKEN: 'very-secret'},
  };
  const files = {
    '.claude/settings.json': JSON.stringify(settings),
    '.claude.json': JSON.stringify({mcpServers: server('one'), projects: {[work]: {mcpServers: server('of-project')}}}),
    '.claude/commands/same.md': 'Claude',
    '.codex/config.toml': '[mcp_servers.two]\ncommand = "two"\n',
    '.codex/AGENTS.md': 'Be brief.',
    '.codex/prompts/same.md': 'Codex',
    '.codex/prompts/fix.md': 'Fix $1',
    '.codex/skills/.system/SKILL.md': 'Hidden',
    '.codex/auth.json': '{"key": "very-secret"}',
    '.gemini/settings.json': JSON.stringify({mcpServers: server('three')}),
    '.gemini/GEMINI.md': 'Be long.',
    '.config/opencode/opencode.json': '{"mcp": {"four": {"type": "local", "command": ["four"]}}}',
    '.config/opencode/skills/pdf/SKILL.md': '---\nname: pdf\ndescription: PDF\n---\nRead it',
    '.config/opencode/skills/pdf/a/b.txt': 'b',
    '.pi/agent/prompts/wide.md': '---\nallowed-tools: Bash\n---\nRun it',
    '.pi/agent/settings.json': '{}',
    '.cursor/mcp.json': JSON.stringify({mcpServers: server('five')}),
    '.aider.conf.yml': 'model: x',
  };
  for (const [path, text] of Object.entries(files)) putFile(join(home, path), text);
  putFile(join(work, '.cursor', 'mcp.json'), JSON.stringify({mcpServers: server('of-project')}));
  symlinkSync(join(work, '.cursor', 'mcp.json'), join(home, '.codex', 'prompts', 'link.md'));
  const preview = await scene.run(['import']);
  expect(preview.stdout).toContain('rule  allow Bash(npm test)  would be imported');
  expect(preview.stdout).toContain('mode  bypassPermissions  left out');
  expect(preview.stdout).toContain('not copied from');
  expect((await scene.run(['import', '--yes', '--dry-run'])).stdout).toBe(preview.stdout);
  expect(filesBelow(join(home, 'weft'))).toEqual({});
  const done = await scene.run(['import', '--yes']);
  expect(done.code).toBe(0);
  const config = join(home, 'weft');
  const after = filesBelow(config);
  expect(Object.keys(after).filter(path => !path.startsWith('settings'))).toEqual([
    'AGENTS.md',
    'commands/fix.md',
    'skills/pdf/SKILL.md',
    'skills/pdf/a/b.txt',
  ]);
  expect(after['AGENTS.md']).toBe('Be brief.');
  const written: unknown = JSON.parse(after['settings.json'] ?? '');
  expect(written).toMatchObject({permissions: {allow: ['Bash(npm test)']}, env: {EDITOR: 'vi'}});
  expect(written).not.toHaveProperty('permissionMode');
  expect(written).toHaveProperty('mcpServers.one.env.TOKEN', '${TOKEN}');
  expect(written).toHaveProperty('mcpServers.five');
  expect(JSON.stringify(after)).not.toMatch(/very-secret|of-project/u);
  expect((await scene.run(['import', '--yes'])).code).toBe(0);
  expect(filesBelow(config)).toEqual(after);
});

test('existing values win, unless --replace', async () => {
  await using scene = await openScene([]);
  const {home} = scene.place;
  const config = join(home, 'weft');
  putFile(join(config, 'settings.json'), '{"env": {"EDITOR": "mine"}, "mcpServers": {"one": {"command": "mine"}}}');
  putFile(join(config, 'AGENTS.md'), 'mine');
  putFile(join(home, '.claude', 'settings.json'), '{"env": {"EDITOR": "theirs"}}');
  putFile(join(home, '.codex', 'config.toml'), '[mcp_servers.one]\ncommand = "theirs"\n');
  putFile(join(home, '.codex', 'AGENTS.md'), 'theirs');
  const before = filesBelow(config);
  await scene.run(['import', '--yes']);
  expect(filesBelow(config)).toEqual(before);
  await scene.run(['import', '--yes', '--replace']);
  expect(JSON.stringify(filesBelow(config))).not.toContain('mine');
});

const filesBelow = (folder: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    (existsSync(folder) ? readdirSync(folder, {recursive: true, withFileTypes: true}) : [])
      .filter(entry => entry.isFile())
      .map(entry => relative(folder, join(entry.parentPath, entry.name)))
      .filter(path => /^(?:settings\.json|AGENTS\.md|(?:commands|skills)\/)/u.test(path))
      .toSorted()
      .map(path => [path, readFileSync(join(folder, path), 'utf8')]),
  );

const server = (name: string) => ({[name]: {command: name, env: {TOKEN: 'very-secret'}}});

test('on a narrow terminal, the rows of weft import break at spaces', async () => {
  await using scene = await openScene([]);
  const {home} = scene.place;
  putFile(join(home, '.claude', 'settings.json'), '{"permissions": {"allow": ["Bash(npm run build)"]}}');
  putFile(join(home, '.codex', 'config.toml'), '[mcp_servers.documents]\ncommand = "npx"\n');
  using terminal = openScenePty(scene, {args: ['import', '--dry-run'], size: [40, 24]});
  expect(await terminal.exited).toBe(0);
  expect((await terminal.rows()).join('\n')).toContain(
    [
      'claude    ~/.claude/settings.json',
      '    import: hooks, rules and variables',
      'codex     ~/.codex/config.toml  import:',
      '    servers',
      '',
      'rule  allow Bash(npm run build)  would',
      '    be imported',
    ].join('\n'),
  );
});
