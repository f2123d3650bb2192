// @module-tag long
import {execFileSync} from 'node:child_process';
import {mkdirSync, readFileSync, renameSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {call, say, until} from '../support/model-script.ts';
import {openScene, type Scene} from '../support/scene.ts';

const free = ['--permission-mode', 'bypassPermissions'] as const;

interface Line {
  readonly line: number;
  readonly by: string;
  readonly prompt?: string;
  readonly tool?: string;
  readonly model?: string;
  readonly session?: string;
  readonly call?: string;
  readonly at?: string;
}

/** Returns who wrote each line: `person`, `unknown`, or the agent's prompt and tool. */
async function authors(scene: Scene, target: string): Promise<readonly string[]> {
  const {stdout, stderr, code} = await scene.run(['blame', target, '--json']);
  expect({code, stderr}).toEqual({code: 0, stderr: ''});
  const lines: readonly Line[] = JSON.parse(stdout);
  return lines.map(({by, prompt, tool}) => (by === 'agent' ? [prompt, tool].join(' ') : by));
}

test('each line of a file has its author: older than weft, a prompt, a command, or a person', async () => {
  await using scene = await openScene([
    call('Edit', {file_path: 'a.txt', old_string: 'two', new_string: 'TWO'}),
    say('1'),
    call('Bash', {command: "sed -i 's/four/FOUR/' a.txt && printf 'new\\n' >made.txt"}),
    say('2'),
    call('Bash', {command: 'git mv a.txt b.txt'}),
    say('3'),
  ]);
  const {work} = scene.place;
  const file = join(work, 'a.txt');
  execFileSync('git', ['init', '-q'], {cwd: work});
  writeFileSync(file, 'one\ntwo\nthree\nfour\n');
  expect(await authors(scene, 'a.txt')).toEqual(['person', 'person', 'person', 'person']);
  execFileSync('git', ['add', '.'], {cwd: work});
  await scene.run(['--prompt', 'first', ...free]);
  writeFileSync(file, readFileSync(file, 'utf8').replace('three', 'THREE'));
  await scene.run(['--continue', '--prompt', 'second', ...free]);
  expect(await authors(scene, 'a.txt')).toEqual(['person', 'first Edit', 'person', 'second Bash']);
  expect(await authors(scene, 'a.txt:2-3')).toEqual(['first Edit', 'person']);
  expect(await authors(scene, 'made.txt')).toEqual(['second Bash']);
  writeFileSync(file, `${readFileSync(file, 'utf8')}five\n`);
  await scene.run(['--prompt', 'third', ...free]);
  const all = ['person', 'first Edit', 'person', 'second Bash', 'person'];
  expect(await authors(scene, 'b.txt')).toEqual(all);
  mkdirSync(join(work, 'inner'));
  renameSync(join(work, 'b.txt'), join(work, 'inner', 'c.txt'));
  expect(await authors(scene, 'inner/c.txt')).toEqual(all);
});

test('git notes have the lines of the agent in the form of the Git AI Standard, and touch no other notes', async () => {
  await using scene = await openScene([
    call('Write', {file_path: 'src/my file.ts', content: '1\n2\n3\n'}),
    call('Write', {file_path: 'plain.ts', content: 'a\n'}),
    say('done'),
  ]);
  const {work} = scene.place;
  const git = (...words: readonly string[]): string =>
    execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...words], {
      cwd: work,
      encoding: 'utf8',
    });
  const none = await scene.run(['blame', '--git-notes']);
  expect(none).toMatchObject({code: 1, stderr: expect.stringContaining('not in a git repository')});
  git('init', '-q');
  git('config', 'user.name', 'Ada');
  git('config', 'user.email', 'ada@example.com');
  git('commit', '-q', '--allow-empty', '-m', 'first');
  git('notes', 'add', '-m', 'mine');
  await scene.run(['--prompt', 'write it', ...free]);
  writeFileSync(join(work, 'plain.ts'), 'a\nmine\n');
  writeFileSync(join(work, 'other.ts'), 'mine\n');
  git('add', '-A');
  git('commit', '-qm', 'second');
  const head = git('rev-parse', 'HEAD').trim();
  const mine = git('rev-parse', 'refs/notes/commits');
  writeFileSync(join(work, 'src/my file.ts'), '1\nlater\n3\n');
  const wrote = await scene.run(['blame', '--git-notes', '--json']);
  expect(JSON.parse(wrote.stdout)).toEqual([{commit: head, files: 2, lines: 4, sessions: 1}]);
  const note = git('notes', '--ref=ai', 'show', 'HEAD');
  const [attested = '', metadata = ''] = note.split('\n---\n');
  const {schema_version, base_commit_sha, prompts} = JSON.parse(metadata);
  const [key = ''] = Object.keys(prompts);
  expect(key).toMatch(/^[0-9a-f]{16}$/u);
  expect(attested).toBe(`plain.ts\n  ${key} 1\n"src/my file.ts"\n  ${key} 1-3`);
  expect({schema_version, base_commit_sha}).toEqual({schema_version: 'authorship/3.0.0', base_commit_sha: head});
  const timestamp = expect.stringMatching(/^\d{4}-.*Z$/u);
  const input = {file_path: 'src/my file.ts', content: '1\n2\n3\n'};
  expect(prompts[key]).toEqual({
    agent_id: {tool: 'weft', id: expect.any(String), model: expect.any(String)},
    human_author: 'Ada <ada@example.com>',
    messages: [
      {type: 'user', text: 'write it', timestamp},
      {type: 'tool_use', name: 'Write', input, timestamp},
      {type: 'tool_use', name: 'Write', input: {file_path: 'plain.ts', content: 'a\n'}, timestamp},
      {type: 'assistant', text: 'done', timestamp},
    ],
    total_additions: 4,
    total_deletions: 0,
    accepted_lines: 4,
    overridden_lines: 0,
    overriden_lines: 0,
  });
  expect(git('rev-parse', 'refs/notes/commits')).toBe(mine);
  const again = await scene.run(['blame', '--git-notes', 'HEAD']);
  expect(again).toMatchObject({code: 0, stderr: expect.stringContaining('nothing was written')});
  expect(git('notes', '--ref=ai', 'show', 'HEAD')).toBe(note);
});

test('what cannot be blamed is refused in a sentence', async () => {
  await using scene = await openScene([]);
  const {work, home} = scene.place;
  writeFileSync(join(work, 'short'), 'one\r\ntwo');
  writeFileSync(join(work, 'empty'), '');
  writeFileSync(join(work, 'binary'), 'a\0b');
  writeFileSync(join(work, 'a:1'), 'x\n');
  mkdirSync(join(work, 'folder'));
  writeFileSync(join(home, 'outside'), 'x\n');
  expect(await authors(scene, 'short')).toEqual(['person', 'person']);
  expect(await authors(scene, 'short:2')).toEqual(['person']);
  expect(await authors(scene, 'empty')).toEqual([]);
  expect(await authors(scene, 'a:1')).toEqual(['person']);
  for (const [target, why] of [
    ['gone', 'there is no such file'],
    ['binary', 'binary'],
    ['folder', 'folder'],
    ['short:3', 'there is no line 3. It has 2 lines'],
    ['short:0', 'there is no line 0'],
    ['short:2-1', 'there is no line 2-1'],
    ['empty:1', 'there is no line 1'],
    [join(home, 'outside'), 'not in this workspace'],
  ] as const) {
    const {code, stderr, stdout} = await scene.run(['blame', target]);
    expect({target, code, stdout}).toEqual({target, code: 1, stdout: ''});
    expect(stderr).toContain(why);
  }
  expect((await scene.run(['blame'])).code).toBe(2);
});

test('lines of sub-agents, of background commands, and of undo and redo have their authors', async () => {
  await using scene = await openScene([
    call('Agent', {description: 'helper', prompt: 'write the helper file', subagent_type: 'general-purpose'}),
    call('Write', {file_path: 'helped.txt', content: 'by the helper\n2\n3\n4\n'}),
    say('helped'),
    say('1'),
    call('Edit', {file_path: 'helped.txt', old_string: 'by', new_string: 'BY'}),
    say('2'),
    call('Bash', {command: 'sleep 0.2; echo from the background >>late.txt', run_in_background: true}),
    call('Bash', {command: 'sleep 1'}),
    say('3'),
  ]);
  const {work} = scene.place;
  const helped = Array.from({length: 4}, () => 'first Write');
  await scene.run(['--prompt', 'first', ...free]);
  expect(await authors(scene, 'helped.txt')).toEqual(helped);
  await scene.run(['--continue', '--prompt', 'second', ...free]);
  expect(await authors(scene, 'helped.txt')).toEqual(['second Edit', ...helped.slice(1)]);
  const id = JSON.parse((await scene.run(['sessions', 'list', '--json'])).stdout)[0].id;
  writeFileSync(join(work, 'helped.txt'), `${readFileSync(join(work, 'helped.txt'), 'utf8')}mine\n`);
  await scene.run(['sessions', 'rewind', id, '--yes']);
  expect(readFileSync(join(work, 'helped.txt'), 'utf8')).toBe('by the helper\n2\n3\n4\nmine\n');
  expect(await authors(scene, 'helped.txt')).toEqual([...helped, 'person']);
  await scene.run(['sessions', 'rewind', id, '--redo', '--yes']);
  expect(await authors(scene, 'helped.txt')).toEqual(['second Edit', ...helped.slice(1), 'person']);
  writeFileSync(join(work, 'late.txt'), 'before\n');
  await scene.run(['--continue', '--prompt', 'third', ...free]);
  expect(await authors(scene, 'late.txt')).toEqual(['person', 'third Bash']);
});

test('lines that come from a worktree belong to the calls there, whoever merges them', async () => {
  await using scene = await openScene([
    call('Agent', {description: 'helper', prompt: 'help', subagent_type: 'general-purpose', isolation: 'worktree'}),
    call('Bash', {command: 'printf "two\\n" >>file.txt'}),
    call('Write', {file_path: 'made.txt', content: 'made there\n'}),
    say('helped'),
    say('1'),
  ]);
  const {work} = scene.place;
  const git = (...words: readonly string[]): string =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...words], {cwd: work, encoding: 'utf8'});
  git('init', '-q');
  writeFileSync(join(work, 'file.txt'), 'one\n');
  git('add', '-A');
  git('commit', '-qm', 'first');
  await scene.run(['--prompt', 'first', ...free]);
  const [worktree] = JSON.parse((await scene.run(['worktree', 'list', '--json'])).stdout);
  expect(await scene.run(['worktree', 'merge', worktree.name])).toMatchObject({code: 0});
  expect(await authors(scene, 'file.txt')).toEqual(['person', 'first Bash']);
  expect(await authors(scene, 'made.txt')).toEqual(['first Write']);
});

test('a person and another session that write while a prompt runs are told apart from its calls', async () => {
  const go = Promise.withResolvers<void>();
  const second = [until(go.promise), call('Bash', {command: "sed -i 's/c/C/' file.txt"})];
  await using scene = await openScene([
    call('Edit', {file_path: 'file.txt', old_string: 'a', new_string: 'A'}),
    second,
    say('1'),
  ]);
  await using other = await openScene([
    call('Edit', {file_path: 'file.txt', old_string: 'e', new_string: 'E'}),
    say('2'),
  ]);
  const {work} = scene.place;
  const file = join(work, 'file.txt');
  writeFileSync(file, 'a\nb\nc\nd\ne\n');
  const first = scene.run(['--prompt', 'first', ...free]);
  // The second request is sent after the first call.
  await scene.server.received(2);
  writeFileSync(file, readFileSync(file, 'utf8').replace('b', 'B'));
  const environment = {ANTHROPIC_BASE_URL: other.server.baseUrl.anthropic};
  await scene.run(['--prompt', 'beside', ...free], {environment});
  go.resolve();
  await first;
  expect(await authors(scene, 'file.txt')).toEqual(['first Edit', 'person', 'first Bash', 'person', 'beside Edit']);
});
