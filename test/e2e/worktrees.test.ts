import {execFileSync} from 'node:child_process';
import {existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {expect, test} from 'vitest';
import {type Answer, call, fail, say} from '../support/model-script.ts';
import type {ReceivedRequest} from '../support/model-server.ts';
import {openScene, type Scene, toldResults} from '../support/scene.ts';

const put = (scene: Scene, path: string, text: string): void => {
  mkdirSync(dirname(join(scene.place.work, path)), {recursive: true});
  writeFileSync(join(scene.place.work, path), text);
};

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
    'It changed nothing in its worktree, which is removed.',
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
  expect(toldResults(requestsOf(scene, 'MAIN')[1])[0]).toMatch(/is in no git repository, so there can be no worktree/u);
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
  expect(told).not.toContain('Not heeded');
  expect(existsSync(join(scene.place.work, 'b.txt'))).toBe(false);
  expect(worktreesOf(scene)).toHaveLength(1);
});
