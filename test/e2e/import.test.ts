// @module-tag long
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {say} from '../support/model-script.ts';
import {putFile} from '../support/put-file.ts';
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
  expect(all).toMatchObject({code: 0, stderr: ''});
  expect(all.stdout.split('\n')).toEqual([
    'claude    ~/.claude/settings.json  import: hooks, rules and variables: weft config import',
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
});
