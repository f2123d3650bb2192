// @module-tag long
import {chmodSync, existsSync, mkdirSync, readdirSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {beforeEach, expect, test} from 'vitest';
import {call, say} from '../support/model-script.ts';
import {needs} from '../support/programs.ts';
import {putFile} from '../support/put-file.ts';
import {finish, weftBin} from '../support/run-weft.ts';
import {openScene, toldResults} from '../support/scene.ts';
import {serve} from '../support/agent-server.ts';
import {
  auto,
  byPrompt,
  filesOf,
  git,
  makeRepository,
  skipWithoutOverlay,
  treeOf,
  waitingPoint,
  writeFiles,
} from './support/overlay.ts';

beforeEach(needs('bwrap', 'unshare', 'git', 'make', 'setpriv'));

/** What the user makes in another terminal meanwhile: much of it has protected names. */
function workMeanwhile(work: string): void {
  writeFiles(work, {
    '.cursor/rules': 'mine',
    '.devcontainer/devcontainer.json': '{"name": "mine"}\n',
    'lefthook.yml': 'pre-commit: {}\n',
    '.envrc': 'export A=1\n',
    '.github/workflows/own.yml': 'on: push\n',
    '.mcp.json': '{"mcpServers": {}}\n',
    'dist/own': 'mine, in a folder of the build\n',
    'src/own.ts': 'export const mine = 1;\n',
  });
  mkdirSync(join(work, 'nested'));
  makeRepository(join(work, 'nested'), {'own.txt': 'mine\n'});
}

const build = (wait: string): string => `
mkdir -p dist
ls -A >dist/names
echo changed >src/a.ts
echo made >src/made.ts
mkdir -p .cursor dist/sub
echo theirs >.cursor/rules
echo theirs >lefthook.yml
${wait}
echo out >dist/sub/out
`;

const weftsOwn = (path: string): boolean => path === '.git' || path === '.weft';

const changes = (...all: readonly string[]): readonly object[] =>
  all.map(each => ({kind: each.split(' ')[0], path: each.split(' ')[1]}));

const session = '0f9a1a34-1111-4222-8333-444455557777';

test.for([
  {by: 'sh', command: 'sh build.sh'},
  {by: 'npm', command: 'npm run build'},
  {by: 'make', command: 'make'},
])(
  'while an unasked command runs ($by), the workspace shows nothing of it: not to git, not to a second weft',
  async ({command}, {skip}) => {
    const {line, reached, goOn} = waitingPoint();
    await using scene = await openScene(
      byPrompt({
        BUILD: [call('Bash', {command})],
        SECOND: [call('Write', {file_path: 'second.txt', content: 'second\n'})],
      }),
    );
    await skipWithoutOverlay(scene, skip);
    const {work} = scene.place;
    makeRepository(work, {
      'build.sh': build(line),
      'package.json': '{"scripts": {"build": "sh build.sh"}}\n',
      Makefile: 'all:\n\tsh build.sh\n',
      'src/a.ts': 'old\n',
      '.gitignore': 'dist\n',
    });
    const before = treeOf(work);
    const building = finish(scene.start(['--prompt', 'BUILD', '--output-format', 'json'], auto));
    await reached;
    expect(treeOf(work)).toEqual(before);
    expect([git(work, 'status', '--porcelain', '--ignored'), git(work, 'add', '-An')]).toEqual(['', '']);

    const second = ['--prompt', 'SECOND', '--permission-mode', 'acceptEdits', '--session-id', session];
    expect(await scene.run(second, auto)).toMatchObject({code: 0, stderr: ''});
    expect((await scene.run(['sessions', 'rewind', session, '--yes', '--files'])).code).toBe(0);
    expect(await scene.run(['--worktree', '--prompt', 'THIRD'], auto)).toMatchObject({code: 0, stderr: ''});
    const files = Object.fromEntries(Object.entries(before).filter(([path]) => !/^\.git(?:\/|$)/u.test(path)));
    expect(treeOf(work, weftsOwn)).toEqual(files);
    expect(git(work, 'status', '--porcelain')).toBe('');

    goOn();
    const {code, stdout} = await building;
    const names = [...Object.keys(before).filter(path => !path.includes('/')), 'dist'].toSorted();
    expect([code, scene.read('dist/sub/out'), scene.read('dist/names').trim().split('\n').toSorted()]).toEqual([
      3,
      'out\n',
      names,
    ]);
    expect(treeOf(work, path => weftsOwn(path) || path === 'dist')).toEqual(files);
    expect(JSON.parse(stdout).permission_denials).toMatchObject([
      {tool_name: 'Bash', tool_input: {command}, changes: changes('changed src/a.ts', 'created src/made.ts')},
      {tool_name: 'Bash', tool_input: {command}, changes: changes('created .cursor/rules', 'created lefthook.yml')},
    ]);
  },
);

test.for([
  {where: 'in a repository', repository: true},
  {where: 'where no repository is', repository: false},
])("the user's own files made during an unasked command stay, byte for byte, $where", async ({repository}, {skip}) => {
  const {line, reached, goOn} = waitingPoint();
  await using scene = await openScene([call('Bash', {command: 'sh build.sh'}), say('Done.')]);
  await skipWithoutOverlay(scene, skip);
  const {work, home} = scene.place;
  const files = {'build.sh': build(line), 'src/a.ts': 'old\n', '.gitignore': 'dist\n'};
  if (repository) makeRepository(work, files);
  else writeFiles(work, files);
  const building = finish(scene.start(['--prompt', 'x', '--permission-mode', 'acceptEdits'], auto));
  await reached;
  workMeanwhile(work);
  if (!repository) {
    git(work, 'init', '-q', '-b', 'main');
    git(work, 'add', 'lefthook.yml');
    git(work, 'commit', '-q', '-m', 'mine');
  }
  const mine = treeOf(work);
  goOn();
  await building;
  expect(treeOf(work)).toEqual({
    ...mine,
    'src/a.ts': '644 changed\n',
    'src/made.ts': '644 made\n',
    'dist/names': expect.any(String),
    'dist/sub': '755 folder',
    'dist/sub/out': '644 out\n',
  });
  // And nothing is kept of them elsewhere, as if they had been moved away.
  expect(readdirSync(home, {recursive: true}).filter(path => String(path).endsWith('lefthook.yml'))).toEqual([]);
});

test("whatever runs a command in the overlay leaves the user's work and shows nothing", async ({skip}) => {
  await using scene = await openScene([]);
  await skipWithoutOverlay(scene, skip);
  await using served = await serve([]);
  const runs = [
    (work: string) => scene.run(['sandbox', 'run', '--dry', '--cwd', work, '--', 'sh', 'build.sh']),
    (work: string) =>
      served.server.ask('POST', '/sandbox/exec', {body: {cwd: work, command: 'sh build.sh', provider: 'bwrap'}}),
    (work: string) =>
      served.server.ask('POST', '/sandbox/run/file', {body: {path: join(work, 'build.sh'), provider: 'bwrap'}}),
  ];
  for (const [at, run] of runs.entries()) {
    const {line, reached, goOn} = waitingPoint();
    const work = join(at === 0 ? scene.place.work : served.place.work, String(at));
    putFile(join(work, 'build.sh'), build(line));
    mkdirSync(join(work, 'src'));
    const before = treeOf(work);
    const ended = run(work);
    await reached;
    expect([at, treeOf(work)]).toEqual([at, before]);
    workMeanwhile(work);
    const mine = treeOf(work);
    goOn();
    await ended;
    expect([at, treeOf(work)]).toEqual([at, mine]);
  }
});

test('a command that a person allowed runs in the workspace itself, and nothing is taken away after it', async ({
  skip,
}) => {
  await using scene = await openScene([call('Bash', {command: 'sh build.sh'}), say('Done.')]);
  await skipWithoutOverlay(scene, skip);
  const {work} = scene.place;
  const {line, reached, goOn} = waitingPoint();
  makeRepository(work, {'build.sh': build(line), 'src/a.ts': 'old\n', '.gitignore': 'dist\n'});
  const before = Object.keys(treeOf(work));
  const run = ['--prompt', 'x', '--permission-mode', 'bypassPermissions', '--sandbox', 'bwrap'];
  const building = finish(scene.start(run));
  await reached;
  expect(Object.keys(filesOf(work)).filter(path => !before.includes(path))).toEqual([
    '.cursor',
    '.cursor/rules',
    'dist',
    'dist/names',
    'dist/sub',
    'lefthook.yml',
    'src/made.ts',
  ]);
  writeFiles(work, {'.envrc': 'mine\n'});
  const mine = filesOf(work);
  goOn();
  await building;
  expect(filesOf(work)).toEqual({...mine, 'dist/sub/out': '644 out\n'});
});

test('plan mode: the workspace is read-only, and no output is applied', {tags: 'smoke'}, async ({skip}) => {
  await using scene = await openScene([call('Bash', {command: 'sh build.sh; echo ended'}), say('Done.')]);
  await skipWithoutOverlay(scene, skip);
  const {work} = scene.place;
  makeRepository(work, {'build.sh': 'mkdir -p dist && echo x >dist/out; echo y >a.ts', '.gitignore': 'dist\n'});
  const before = filesOf(work);
  await scene.run(['--prompt', 'x', '--permission-mode', 'plan'], auto);
  expect([filesOf(work), existsSync(join(work, 'dist'))]).toEqual([before, false]);
  expect(toldResults(scene.server.requests[1])).toHaveLength(1);
});

test('a plain user has it as well as root', async ({skip}) => {
  skip(process.getuid?.() !== 0, 'all tests run as a plain user');
  await using scene = await openScene([call('Bash', {command: 'sh build.sh'}), say('Done.')]);
  await skipWithoutOverlay(scene, skip);
  const {work, home} = scene.place;
  const user = 65_534;
  makeRepository(work, {'build.sh': build('true'), 'src/a.ts': 'old\n', '.gitignore': 'dist\n'});
  chmodSync(dirname(home), 0o711);
  const asUser = `setpriv --reuid ${user} --regid ${user} --clear-groups`;
  const ran = await scene.shell(
    `chown -R ${user}:${user} '${work}' '${home}'; ${asUser} test -r '${weftBin}' || exit 77
WEFT_SANDBOX=auto ${asUser} '${process.execPath}' '${weftBin}' --prompt x --permission-mode acceptEdits`,
  );
  skip(ran.code === 77, 'another user cannot read the built program');
  expect(ran).toMatchObject({code: 0, stdout: 'Done.\n'});
  expect([scene.read('src/a.ts'), scene.read('dist/sub/out'), existsSync(join(work, 'lefthook.yml'))]).toEqual([
    'changed\n',
    'out\n',
    false,
  ]);
});
