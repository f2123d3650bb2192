// @module-tag long
import {execFileSync} from 'node:child_process';
import {existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {beforeEach, describe, expect, test} from 'vitest';
import {lookUntil} from '../support/look-until.ts';
import {needs} from '../support/programs.ts';
import {type Answer, call, fail, hang, type Part, say, until} from '../support/model-script.ts';
import type {ReceivedRequest} from '../support/model-server.ts';
import {finish} from '../support/run-weft.ts';
import {fileComes, openScene, pointedAt, processGone, type Scene, toldResults} from '../support/scene.ts';
import {openTerminal, type ShellTerminal} from '../support/shell-terminal.ts';
import {putFile} from '../support/put-file.ts';

const put = (scene: Scene, path: string, text: string): void => putFile(join(scene.place.work, path), text);

const git = (scene: Scene, ...words: readonly string[]): string =>
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...words], {
    cwd: scene.place.work,
    env: scene.place.environment(),
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });

/** A repository with a commit of `a.txt`, whose second line has changed since. */
function makeRepository(scene: Scene): void {
  git(scene, 'init', '-q', '-b', 'main');
  put(scene, 'a.txt', 'one\ntwo\nthree\n');
  git(scene, 'add', '.');
  git(scene, 'commit', '-q', '-m', 'first');
  put(scene, 'a.txt', 'one\nTWO\nthree\n');
}

/** What whoever asks was given to do: the text of the first message. */
const taskOf = ({body}: ReceivedRequest): string => JSON.stringify(body.messages[0]?.content);

const answered = ({body}: ReceivedRequest): number => body.messages.filter(({role}) => role === 'assistant').length;

/** A model for several agents at once: the first script whose word stands in the task answers. */
const scripts =
  (byTask: Readonly<Record<string, readonly Answer[]>>) =>
  (request: ReceivedRequest): Answer => {
    const script = Object.entries(byTask).find(([word]) => taskOf(request).includes(word))?.[1];
    return script?.[answered(request)] ?? fail(400, {message: `no answer for ${taskOf(request).slice(0, 200)}`});
  };

const requestsOf = (scene: Scene, word: string): readonly ReceivedRequest[] =>
  scene.server.requests.filter(request => taskOf(request).includes(word));

const worktreesOf = (scene: Scene): readonly string[] => {
  const folder = join(scene.place.work, '.weft/worktrees');
  return existsSync(folder) ? readdirSync(folder).filter(name => name !== '.gitignore') : [];
};

test('a sub-agent works in a worktree of its own, which begins with what is not committed; nobody to ask keeps it', async () => {
  await using scene = await openScene(
    scripts({
      'EDIT-IT': [
        [call('Grep', {pattern: 'TWO', output_mode: 'content'})],
        [call('Read', {file_path: 'a.txt'})],
        [call('Edit', {file_path: 'a.txt', old_string: 'TWO', new_string: 'zwei'})],
        [call('Bash', {command: 'pwd; cat a.txt untracked.txt; ls'})],
        say('I changed it.'),
      ],
      MAIN: [[call('Agent', {description: 'Edit it', prompt: 'EDIT-IT', isolation: 'worktree'})], say('Kept.')],
    }),
  );
  makeRepository(scene);
  put(scene, 'untracked.txt', 'untracked\n');
  put(scene, '.git/info/exclude', 'ignored.txt\n');
  put(scene, 'ignored.txt', 'ignored\n');
  const {stdout, stderr} = await scene.run(['--prompt', 'MAIN', '--permission-mode', 'acceptEdits']);
  expect({stdout, stderr}).toEqual({stdout: 'Kept.\n', stderr: ''});
  const [name = ''] = worktreesOf(scene);
  expect(name).toMatch(/^edit-it-[0-9a-f]{8}$/u);
  const folder = join(realpathSync(scene.place.work), '.weft/worktrees', name);
  const [, grepped, read, edited, ran] = requestsOf(scene, 'EDIT-IT').map(request => toldResults(request).join());
  expect(grepped).toContain('TWO');
  expect(read).toContain('TWO');
  expect(edited).toContain('a.txt');
  expect(ran).toContain(`${folder}\none\nzwei\nthree\nuntracked\na.txt\nuntracked.txt`);
  expect(scene.read('a.txt')).toBe('one\nTWO\nthree\n');
  expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe('one\nzwei\nthree\n');
  const [told = ''] = toldResults(requestsOf(scene, 'MAIN')[1]);
  expect(told).toContain('I changed it.');
  expect(told).toContain(`The worktree is kept: ${folder} (branch worktree-${name}).`);
  expect(told).toContain('Changed a.txt (+1 -1)\n@@ -1 +1 @@\n one\n-TWO\n+zwei\n three');
  expect(git(scene, 'status', '--porcelain')).toBe(' M a.txt\n?? untracked.txt\n');
});

test('a file that must not be read is as little read in a worktree, by the agent there and by its parent', async () => {
  const script: Record<string, readonly Answer[]> = {
    THERE: [call('Read', {file_path: 'a.txt'}), call('Bash', {command: 'touch new.txt'}), say('Done.')],
  };
  await using scene = await openScene(scripts(script));
  makeRepository(scene);
  const copies = join(scene.place.work, '.weft/worktrees');
  script['MAIN'] = [
    call('Agent', {description: 'Look', prompt: 'THERE', isolation: 'worktree'}),
    call('Bash', {command: 'cat .weft/worktrees/*/a.txt'}),
    call('Grep', {pattern: 'TWO', path: copies}),
    say('So be it.'),
  ];
  const rules = [
    '--allowed-tools',
    'Bash(touch:*)',
    '--disallowed-tools',
    `Read(${realpathSync(scene.place.work)}/a.txt)`,
  ];
  await scene.run(['--prompt', 'MAIN', ...rules]);
  expect(toldResults(requestsOf(scene, 'THERE')[1])[0]).toMatch(/Denied by the rule Read/u);
  const [, , cat, search] = requestsOf(scene, 'MAIN').map(request => toldResults(request).at(-1) ?? '');
  expect(cat).toMatch(/Denied by the rule Read/u);
  expect(search).toMatch(/^No matches/u);
  // The parent searched a worktree that has the file.
  expect(readFileSync(join(copies, worktreesOf(scene)[0] ?? '', 'a.txt'), 'utf8')).toContain('TWO');
});

test('a worktree in which nothing has changed is removed by itself', async () => {
  await using scene = await openScene(
    scripts({
      LOOK: [[call('Read', {file_path: 'a.txt'})], say('I looked.')],
      MAIN: [[call('Agent', {description: 'look', prompt: 'LOOK', isolation: 'worktree'})], say('Good.')],
    }),
  );
  makeRepository(scene);
  expect((await scene.run(['--prompt', 'MAIN'])).stdout).toBe('Good.\n');
  expect(toldResults(requestsOf(scene, 'MAIN')[1])[0]).toContain(
    'It changed nothing in its worktree, which was removed.',
  );
  expect(worktreesOf(scene)).toEqual([]);
  expect(git(scene, 'branch', '--format=%(refname:short)')).toBe('main\n');
});

test('outside of a repository an agent with a worktree does not start, and the model reads why', async () => {
  await using scene = await openScene(
    scripts({
      MAIN: [[call('Agent', {description: 'look', prompt: 'LOOK', isolation: 'worktree'})], say('So be it.')],
    }),
  );
  expect((await scene.run(['--prompt', 'MAIN'])).stdout).toBe('So be it.\n');
  expect(toldResults(requestsOf(scene, 'MAIN')[1])[0]).toMatch(
    /is not in a git repository, so it can't have a worktree/u,
  );
});

test('an agent file asks for a worktree', async () => {
  await using scene = await openScene(
    scripts({
      CHANGE: [[call('Write', {file_path: 'b.txt', content: 'b\n'})], say('Written.')],
      MAIN: [[call('Agent', {description: 'change', prompt: 'CHANGE', subagent_type: 'writer'})], say('Good.')],
    }),
  );
  makeRepository(scene);
  const agents = join(scene.place.home, 'weft/agents');
  mkdirSync(agents, {recursive: true});
  writeFileSync(
    join(agents, 'writer.md'),
    '---\nname: writer\ndescription: writes\nisolation: worktree\n---\nYou write.\n',
  );
  expect((await scene.run(['--prompt', 'MAIN', '--permission-mode', 'acceptEdits'])).stdout).toBe('Good.\n');
  const [told = ''] = toldResults(requestsOf(scene, 'MAIN')[1]);
  expect(told).toContain('Created b.txt (+1 -0)');
  expect(told).not.toContain('Ignored fields');
  expect(existsSync(join(scene.place.work, 'b.txt'))).toBe(false);
  expect(worktreesOf(scene)).toHaveLength(1);
});

/** The parent's `Agent` calls that have two agents edit the same line at the same time, and what each of them does. */
const twoEditors = (isolation: Readonly<Record<string, string>>) =>
  scripts({
    'FIRST-EDIT': [
      [call('Read', {file_path: 'a.txt'})],
      [call('Edit', {file_path: 'a.txt', old_string: 'TWO', new_string: 'first'})],
      say('First is done.'),
    ],
    'SECOND-EDIT': [
      [call('Read', {file_path: 'a.txt'})],
      [call('Edit', {file_path: 'a.txt', old_string: 'TWO', new_string: 'second'})],
      say('Second is done.'),
    ],
    MAIN: [
      [
        call('Agent', {description: 'first', prompt: 'FIRST-EDIT', ...isolation}),
        call('Agent', {description: 'second', prompt: 'SECOND-EDIT', ...isolation}),
      ],
      say('Both came back.'),
    ],
  });

test('two agents edit one file in worktrees: both succeed, the first is merged, and the second merge names the conflict', async () => {
  await using scene = await openScene(twoEditors({isolation: 'worktree'}));
  makeRepository(scene);
  expect((await scene.run(['--prompt', 'MAIN', '--permission-mode', 'acceptEdits'])).code).toBe(0);
  const list = JSON.parse((await scene.run(['worktree', 'list', '--json'])).stdout);
  const names = new Map<string, string>(
    list.map(({name}: {readonly name: string}) => [name.replace(/-[0-9a-f]{8}$/u, ''), name]),
  );
  expect(list).toMatchObject([
    {files: ['a.txt'], conflicts: [], usedBy: 0},
    {files: ['a.txt'], conflicts: [], usedBy: 0},
  ]);
  const [first = '', second = ''] = [names.get('first'), names.get('second')];
  expect(await scene.run(['worktree', 'merge', first])).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('merged 1 file (+1 -1) into'),
  });
  expect(scene.read('a.txt')).toBe('one\nfirst\nthree\n');
  expect(await scene.run(['worktree', 'merge', second])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(
      'Nothing was merged because these conflict with the current files: a.txt (it was changed since).',
    ),
  });
  expect(scene.read('a.txt')).toBe('one\nfirst\nthree\n');
  expect((await scene.run(['worktree', 'list'])).stdout).toContain(
    `${second}  1 changed file (+1 -1), conflicts: a.txt (it was changed since)\n`,
  );
  expect((await scene.run(['worktree', 'remove', second])).stderr).toContain(`weft worktree remove --force ${second}`);
  expect((await scene.run(['worktree', 'remove', '--force', second])).code).toBe(0);
  expect(worktreesOf(scene)).toEqual([]);
  expect(git(scene, 'branch', '--format=%(refname:short)')).toBe('main\n');
});

test.each<[how: string, edit: Part]>([
  ['edits the same line', call('Edit', {file_path: 'a.txt', old_string: 'TWO', new_string: 'second'})],
  ['writes it as a whole', call('Write', {file_path: 'a.txt', content: 'second\n'})],
])('two agents and one file without worktrees: the second one %s and is refused', async (_, secondEdit) => {
  const bothHaveRead = Promise.withResolvers<void>();
  const firstHasWritten = Promise.withResolvers<void>();
  const reads = new Set<string>();
  const hasRead = (who: string): void => {
    reads.add(who);
    if (reads.size === 2) bothHaveRead.resolve();
  };
  const read = call('Read', {file_path: 'a.txt'});
  const firstEdit = call('Edit', {file_path: 'a.txt', old_string: 'TWO', new_string: 'first'});
  await using scene = await openScene(request => {
    const task = taskOf(request);
    const step = answered(request);
    if (task.includes('FIRST-EDIT')) {
      if (step === 1) hasRead('first');
      if (step === 2) firstHasWritten.resolve();
      return [[read], [until(bothHaveRead.promise), firstEdit], say('First is done.')][step] ?? fail(400);
    }
    if (task.includes('SECOND-EDIT')) {
      if (step === 1) hasRead('second');
      return [[read], [until(firstHasWritten.promise), secondEdit], say('Second is done.')][step] ?? fail(400);
    }
    const both = ['FIRST-EDIT', 'SECOND-EDIT'].map(prompt => call('Agent', {description: prompt, prompt}));
    return step === 0 ? both : say('Both came back.');
  });
  makeRepository(scene);
  expect((await scene.run(['--prompt', 'MAIN', '--permission-mode', 'acceptEdits'])).code).toBe(0);
  expect(toldResults(requestsOf(scene, 'SECOND-EDIT')[2])[0]).toMatch(/^a\.txt: it changed since it was read/u);
  expect(scene.read('a.txt')).toBe('one\nfirst\nthree\n');
});

test('weft --worktree works in a worktree that begins with what is not committed, and says at the end what is kept', async () => {
  await using scene = await openScene(
    scripts({
      CHANGE: [
        [call('Read', {file_path: 'a.txt'})],
        [call('Edit', {file_path: 'a.txt', old_string: 'TWO', new_string: 'zwei'})],
        say('Changed.'),
        say('I go on.'),
      ],
    }),
  );
  makeRepository(scene);
  const {code, stdout, stderr} = await scene.run([
    '--prompt',
    'CHANGE',
    '--worktree',
    'mine',
    '--permission-mode',
    'acceptEdits',
  ]);
  const folder = join(realpathSync(scene.place.work), '.weft/worktrees/mine');
  expect({code, stdout, stderr}).toEqual({
    code: 0,
    stdout: 'Changed.\n',
    stderr: [
      `weft: Worktree kept: ${folder} (branch worktree-mine): 1 file changed (+1 -1)\n`,
      'weft: Merge it: weft worktree merge mine · Continue in it: weft --worktree mine --continue · Remove it: weft worktree remove --force mine\n',
    ].join(''),
  });
  expect(scene.read('a.txt')).toBe('one\nTWO\nthree\n');
  expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe('one\nzwei\nthree\n');
  const again = await scene.run(['--worktree', 'mine', '--continue', '--prompt', 'go on']);
  expect(again.stdout).toBe('I go on.\n');
  expect((await scene.run(['worktree', 'merge', 'mine'])).code).toBe(0);
  expect(scene.read('a.txt')).toBe('one\nzwei\nthree\n');
  expect(worktreesOf(scene)).toEqual([]);
});

test('a session in a worktree that changes nothing leaves nothing, and one outside of a repository does not begin', async () => {
  await using scene = await openScene(scripts({LOOK: [say('Looked.')]}));
  const refused = await scene.run(['--worktree', '--prompt', 'LOOK']);
  expect(refused).toMatchObject({code: 1, stderr: expect.stringContaining('is not in a git repository')});
  expect(await scene.run(['--worktree', 'fix the tests', '--prompt', 'LOOK'])).toMatchObject({code: 2});
  expect(scene.server.requests).toEqual([]);
  makeRepository(scene);
  const {code, stdout, stderr} = await scene.run(['--worktree', '--prompt', 'LOOK']);
  expect({code, stdout, stderr}).toEqual({code: 0, stdout: 'Looked.\n', stderr: ''});
  expect(worktreesOf(scene)).toEqual([]);
});

test('a weft that is killed leaves its worktree, which can be listed and removed', async () => {
  const asked = Promise.withResolvers<void>();
  await using scene = await openScene(request => {
    if (answered(request) === 0) return call('Write', {file_path: 'b.txt', content: 'b\n'});
    asked.resolve();
    return hang();
  });
  makeRepository(scene);
  const child = scene.start(['--worktree', 'left', '--prompt', 'WRITE', '--permission-mode', 'acceptEdits']);
  await asked.promise;
  const during = await scene.run(['worktree', 'remove', 'left']);
  expect(during).toMatchObject({code: 1, stderr: expect.stringContaining(`process ${child.pid}`)});
  child.kill('SIGKILL');
  await finish(child);
  expect(JSON.parse((await scene.run(['worktree', 'list', '--json'])).stdout)).toMatchObject([
    {name: 'left', branch: 'worktree-left', files: ['b.txt'], usedBy: 0},
  ]);
  expect((await scene.run(['worktree', 'remove', '--force', 'left'])).code).toBe(0);
  expect(worktreesOf(scene)).toEqual([]);
});

/** A scene whose agent `maker` changes `a.txt` in a worktree. */
async function makerScene(): Promise<Scene> {
  const scene = await openScene(
    scripts({
      'MAKE-IT': [
        [call('Read', {file_path: 'a.txt'})],
        [call('Edit', {file_path: 'a.txt', old_string: 'TWO', new_string: 'zwei'})],
        say('Made.'),
      ],
      Go: [[call('Agent', {description: 'maker', prompt: 'MAKE-IT', isolation: 'worktree'})], say('So it is.')],
    }),
  );
  makeRepository(scene);
  return scene;
}

/** A terminal in which weft waits for what becomes of the worktree, with the change as a diff. */
async function askingTerminal({place, server}: Scene): Promise<ShellTerminal> {
  const terminal = await openTerminal(place, pointedAt(server));
  await terminal.type('weft --permission-mode acceptEdits Go.');
  await terminal.press('Enter');
  await terminal.onScreen(/Worktree[^]*maker: It changed 1 file[^]*TWO[^]*zwei[^]*1[^]*Merge[^]*Keep[^]*Drop/u);
  return terminal;
}

const told = (scene: Scene): string => toldResults(requestsOf(scene, 'Go')[1]).join();

test('the user sees the change as a diff and has it merged; undo takes the merge back', async () => {
  await using scene = await makerScene();
  await using terminal = await askingTerminal(scene);
  expect(scene.read('a.txt')).toBe('one\nTWO\nthree\n');
  await terminal.type('1');
  // Until the prompt is over there is nothing to go back from.
  await terminal.until(/So it is\.[^]*Ask weft to do something/u);
  expect(scene.read('a.txt')).toBe('one\nzwei\nthree\n');
  expect(told(scene)).toContain('uncommitted, and the worktree was removed.\nChanged a.txt (+1 -1)');
  expect(worktreesOf(scene)).toEqual([]);
  await terminal.type('/undo');
  await terminal.press('Enter');
  await terminal.onScreen(/restores 1 file[^]*a\.txt[^]*Enter undo/u);
  await terminal.press('Enter');
  await terminal.until(/Undid "Go\."/u);
  expect(scene.read('a.txt')).toBe('one\nTWO\nthree\n');
});

test('undo takes back a merge, too, of one in the background that ended after the prompt', async () => {
  const answeredMain = Promise.withResolvers<void>();
  const script = scripts({
    'MAKE-IT': [[call('Write', {file_path: 'b.txt', content: 'b\n'})], [until(answeredMain.promise), say('Made.')]],
    Go: [
      [call('Agent', {description: 'maker', prompt: 'MAKE-IT', isolation: 'worktree', run_in_background: true})],
      say('I go on.'),
      say('It is there.'),
    ],
  });
  await using scene = await openScene(script);
  makeRepository(scene);
  await using terminal = await openTerminal(scene.place, pointedAt(scene.server));
  await terminal.type('weft --permission-mode acceptEdits Go.');
  await terminal.press('Enter');
  await terminal.until(/I go on\.[^]*Ask weft to do something/u);
  answeredMain.resolve();
  await terminal.onScreen(/Worktree[^]*maker: It changed 1 file/u);
  await terminal.type('1');
  await lookUntil(
    () => worktreesOf(scene).length === 0,
    () => 'the worktree is still there',
  );
  expect(scene.read('b.txt')).toBe('b\n');
  // The agent is told of the end, which is a prompt of its own.
  await terminal.onScreen(/It is there\.[^]*Ask weft to do something/u);
  await terminal.type('/undo 2');
  await terminal.press('Enter');
  await terminal.onScreen(/restores 1 file[^]*b\.txt[^]*Enter undo/u);
  await terminal.press('Enter');
  await terminal.until(/Undid /u);
  expect(existsSync(join(scene.place.work, 'b.txt'))).toBe(false);
});

test('the user drops a change', async () => {
  await using scene = await makerScene();
  await using terminal = await askingTerminal(scene);
  await terminal.type('3');
  await terminal.until(/So it is\./u);
  expect(told(scene)).toContain('The user dropped its changes, and the worktree was removed.');
  expect(worktreesOf(scene)).toEqual([]);
  expect(git(scene, 'branch', '--format=%(refname:short)')).toBe('main\n');
});

test('the user says in words of his own what should be, which keeps it', async () => {
  await using scene = await makerScene();
  await using terminal = await askingTerminal(scene);
  await terminal.type('4');
  await terminal.onScreen(/Your answer/u);
  await terminal.type('use deux');
  await terminal.onScreen(/use deux/u);
  await terminal.press('Enter');
  await terminal.until(/So it is\./u);
  expect(told(scene)).toContain('The user says about it: use deux');
  expect(worktreesOf(scene)).toHaveLength(1);
  expect(scene.read('a.txt')).toBe('one\nTWO\nthree\n');
});

test('a harness works in a worktree, too, and a message sets it to work there again', async () => {
  await using scene = await openScene(
    scripts({
      MAIN: [
        [call('Agent', {description: 'x', prompt: 'RUN it', harness: 'own', isolation: 'worktree'})],
        [call('SendMessage', {to: 'x', message: 'And again.'})],
        say('Good.'),
      ],
    }),
  );
  makeRepository(scene);
  const agent = fileURLToPath(new URL('support/acp-agent.mjs', import.meta.url));
  mkdirSync(join(scene.place.home, 'weft'), {recursive: true});
  writeFileSync(
    join(scene.place.home, 'weft/settings.json'),
    JSON.stringify({harnesses: {own: {command: process.execPath, args: [agent]}}}),
  );
  const {code, stdout} = await scene.run(['--prompt', 'MAIN', '--allowed-tools', 'Bash(touch:*)']);
  expect({code, stdout}).toEqual({code: 0, stdout: 'Good.\n'});
  expect(existsSync(join(scene.place.work, 'made.txt'))).toBe(false);
  const [name = ''] = worktreesOf(scene);
  expect(existsSync(join(scene.place.work, '.weft/worktrees', name, 'made.txt'))).toBe(true);
  const [first, second] = requestsOf(scene, 'MAIN')
    .slice(1)
    .map(request => toldResults(request).join());
  expect(first).toContain('Created made.txt (+0 -0)');
  expect(second).toContain('Prompt 1 of acp-session, loaded.');
  expect(second).toContain('Created made.txt (+0 -0)');
  expect(worktreesOf(scene)).toEqual([name]);
});

test('a program that drives weft may have it work in a worktree', async () => {
  await using scene = await openScene(
    scripts({CHANGE: [[call('Write', {file_path: 'b.txt', content: 'b\n'})], say('Changed.')]}),
  );
  makeRepository(scene);
  const message = {type: 'user', message: {role: 'user', content: 'CHANGE'}};
  const flags = ['--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'];
  const {code, stdout, stderr} = await scene.run([...flags, '--worktree', 'mine', '--permission-mode', 'acceptEdits'], {
    stdin: {text: `${JSON.stringify(message)}\n`},
  });
  expect({code, stderr}).toEqual({code: 0, stderr: expect.stringContaining('Worktree kept: ')});
  const folder = join(realpathSync(scene.place.work), '.weft/worktrees/mine');
  expect(stdout).toContain(`"cwd":${JSON.stringify(folder)}`);
  expect(readFileSync(join(folder, 'b.txt'), 'utf8')).toBe('b\n');
  expect(existsSync(join(scene.place.work, 'b.txt'))).toBe(false);
});

test('whoever leaves the terminal UI reads where the worktree is', async () => {
  await using scene = await openScene(
    scripts({CHANGE: [[call('Write', {file_path: 'b.txt', content: 'b\n'})], say('Changed.')]}),
  );
  makeRepository(scene);
  await using terminal = await openTerminal(scene.place, pointedAt(scene.server));
  await terminal.type('weft --permission-mode acceptEdits --worktree mine -- CHANGE');
  await terminal.press('Enter');
  await terminal.until(/Changed\.[^]*Ask weft to do something/u);
  await terminal.type('/exit');
  await terminal.press('Enter');
  await terminal.until(/Worktree kept: [^]*weft worktree merge mine/u);
  expect(existsSync(join(scene.place.work, '.weft/worktrees/mine/b.txt'))).toBe(true);
});

test('one in the background: its change is kept, and the note that the model gets says so', async () => {
  await using scene = await openScene(
    scripts({
      'MAKE-IT': [[call('Write', {file_path: 'b.txt', content: 'b\n'})], say('Made.')],
      MAIN: [
        [
          call('Agent', {
            description: 'maker',
            prompt: 'MAKE-IT',
            isolation: 'worktree',
            run_in_background: true,
          }),
        ],
        say('I wait.'),
        say('Heard.'),
      ],
    }),
  );
  makeRepository(scene);
  const {stdout} = await scene.run(['--prompt', 'MAIN', '--permission-mode', 'acceptEdits']);
  expect(stdout).toContain('Heard.');
  expect(JSON.stringify(requestsOf(scene, 'MAIN').at(-1)?.body.messages.at(-1))).toContain('The worktree is kept: ');
  expect(worktreesOf(scene)).toHaveLength(1);
});

describe('in a sandbox', () => {
  beforeEach(needs('bwrap'));

  test('commands of an agent in a worktree write there and not in the folder of the user', async ({skip}) => {
    const command =
      'echo a > inside; (echo b > ../../../outside) 2>/dev/null; git status --porcelain; cat ../../../node_modules/x/y';
    await using scene = await openScene(
      scripts({
        RUN: [[call('Bash', {command})], say('Ran.')],
        MAIN: [[call('Agent', {description: 'runner', prompt: 'RUN', isolation: 'worktree'})], say('Good.')],
      }),
    );
    const proof = await scene.run(['sandbox', 'test', '--provider', 'bwrap', '--json']);
    const {works, reason} = JSON.parse(proof.stdout);
    skip(!works, reason);
    makeRepository(scene);
    put(scene, '.git/info/exclude', 'node_modules/\n');
    put(scene, 'node_modules/x/y', 'installed\n');
    await scene.run(['--prompt', 'MAIN', '--permission-mode', 'bypassPermissions', '--sandbox', 'bwrap']);
    const [name = ''] = worktreesOf(scene);
    expect(toldResults(requestsOf(scene, 'RUN')[1])[0]).toMatch(/ M a\.txt\n\?\? inside\ninstalled/u);
    expect(readFileSync(join(scene.place.work, '.weft/worktrees', name, 'inside'), 'utf8')).toBe('a\n');
    expect(existsSync(join(scene.place.work, 'outside'))).toBe(false);
  });
});

/** A command in the background that writes its process into a file. */
const runs = (file: string): Part =>
  call('Bash', {command: `echo $$ > ${file}; exec sleep 7411`, run_in_background: true});

test('what a sub-agent runs in its worktree is in the list of background commands, and is stopped there', async () => {
  const left = {prompt: 'MAKE-IT', isolation: 'worktree', run_in_background: true};
  await using scene = await openScene(
    scripts({
      'MAKE-IT': [[runs('its-pid')], hang()],
      Go: [[runs('own-pid')], [call('Agent', {description: 'maker', ...left})], say('I go on.')],
    }),
  );
  makeRepository(scene);
  await using terminal = await openTerminal(scene.place, pointedAt(scene.server));
  await terminal.type('weft Go. --allowed-tools Bash');
  await terminal.press('Enter');
  await terminal.until(/I go on\.[^]*Ask weft to do something/u);
  const own = Number(await fileComes(join(scene.place.work, 'own-pid')));
  const [worktree = ''] = worktreesOf(scene);
  const its = Number(await fileComes(join(scene.place.work, '.weft/worktrees', worktree, 'its-pid')));
  await terminal.type('/ps');
  await terminal.press('Enter');
  await terminal.onScreen(/1 +echo \$\$ > own-pid[^]*2 +echo \$\$ > its-pid/u);
  await terminal.press('Down');
  await terminal.onScreen(/❯ 2/u);
  await terminal.type('s');
  await processGone(its);
  await terminal.onScreen(/1 +echo \$\$ > own-pid[^]*running[^]*2 +echo \$\$ > its-pid[^]*killed by SIGTERM/u);
  // The other one goes on: nothing is thrown.
  process.kill(own, 0);
});
