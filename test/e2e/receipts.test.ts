// @module-tag long
import {execFileSync} from 'node:child_process';
import {existsSync, mkdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {call, say, type Answer} from '../support/model-script.ts';
import {openScene, type Scene} from '../support/scene.ts';
import {resultOf} from './support/messages.ts';

/**
 * A project whose tests pass as long as `src/a.txt` says so. They write a report that git ignores, and with `SNAP=1` a file that it does not
 * ignore. `npm run slow` is the same after `coverage/go` is there.
 */
async function project(...steps: readonly Answer[]): Promise<Scene> {
  const scene = await openScene((_, number) => steps[number - 1] ?? say('Done.'));
  const {work} = scene.place;
  mkdirSync(join(work, 'src'));
  writeFileSync(join(work, 'src/a.txt'), 'good\n');
  writeFileSync(join(work, 'notes.md'), 'none\n');
  writeFileSync(join(work, '.gitignore'), 'coverage/\n');
  const run = [
    "const fs = require('fs');",
    "const good = fs.readFileSync('src/a.txt', 'utf8').startsWith('good');",
    "fs.mkdirSync('coverage', {recursive: true});",
    "fs.writeFileSync('coverage/report.txt', String(Date.now()));",
    "if (process.env.SNAP) fs.writeFileSync('runs.snap', String(Date.now()));",
    "console.log(`\\u001b[1mTests:\\u001b[22m       ${good ? '2 passed, 2 total' : '1 failed, 1 passed, 2 total'}`);",
    'process.exit(good ? 0 : 1);',
  ];
  writeFileSync(join(work, 'run.js'), run.join('\n'));
  writeFileSync(
    join(work, 'package.json'),
    '{"scripts": {"test": "node run.js", "lint": "node -e 0", "test:slow": "while [ ! -e coverage/go ]; do sleep 0.02; done; node run.js"}}\n',
  );
  execFileSync('git', ['init', '-q'], {cwd: work});
  return scene;
}

const bash = (command: string, more: object = {}): Answer => call('Bash', {command, ...more});
const slow = bash('npm run test:slow', {run_in_background: true});
const read = call('BashOutput', {block_id: 'b1', delay: 20});
const json = ['--prompt', 'x', '--output-format', 'json', '--permission-mode', 'bypassPermissions'];

interface Wire {
  readonly name: string;
  readonly exit_code: number | null;
  readonly fresh: boolean;
  readonly passed?: number;
  readonly failed?: number;
}

async function checksOf(scene: Scene, ...more: readonly string[]): Promise<unknown> {
  const {stdout} = await scene.run([...json, ...more]);
  return resultOf(stdout)['checks'];
}

const short = (checks: unknown): readonly string[] =>
  Array.isArray(checks)
    ? checks.map(({name, exit_code: code, fresh, passed, failed}: Wire) =>
        [name, code ?? 'hidden', fresh ? 'fresh' : 'stale', passed ?? '-', failed ?? '-'].join(' '),
      )
    : ['no list'];

test('a result carries the receipts of its checks', {tags: 'smoke'}, async () => {
  await using scene = await project(bash('npm test --silent'), bash('npm run lint --silent'));
  const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/u);
  const tree = expect.stringMatching(/^[0-9a-f]{20,}$/u);
  const directory = scene.place.work;
  expect(await checksOf(scene)).toEqual([
    {name: 'npm test', command: 'npm test --silent', directory, exit_code: 0, fresh: true, passed: 2, at, tree},
    {name: 'npm run lint', command: 'npm run lint --silent', directory, exit_code: 0, fresh: true, at, tree},
  ]);
});

test('a session without a check has none', async () => {
  await using scene = await project(bash('ls'));
  expect(await checksOf(scene)).toEqual([]);
});

test.each<readonly [string, readonly Answer[], readonly string[]]>([
  ['an edit after it makes it stale', [bash('npm test'), bash('echo bad > src/a.txt')], ['npm test 0 stale 2 -']],
  [
    'an edit that is taken back does not',
    [bash('npm test'), bash('echo bad > src/a.txt'), bash('echo good > src/a.txt')],
    ['npm test 0 fresh 2 -'],
  ],
  ['an ignored file does not', [bash('npm test'), bash('echo x > coverage/other.txt')], ['npm test 0 fresh 2 -']],
  ['a failure is one', [bash('echo bad > src/a.txt'), bash('npm test')], ['npm test 1 fresh 1 1']],
  [
    'the latest run counts',
    [bash('echo bad > src/a.txt'), bash('npm test'), bash('echo good > src/a.txt'), bash('npm test')],
    ['npm test 0 fresh 2 -'],
  ],
  ['a pipe hides the exit code', [bash('npm test | cat')], ['npm test hidden fresh 2 -']],
  [
    'a later change in the same command makes it stale',
    [bash('npm test && sed -i s/good/bad/ src/a.txt')],
    ['npm test 0 stale 2 -'],
  ],
  [
    'a changed shell hides what ran',
    [bash('npm_config_script_shell=/bin/true; export npm_config_script_shell; npm test')],
    ['npm test hidden fresh - -'],
  ],
  ['a check that may still run is never fresh', [bash('npm test > coverage/log &')], ['npm test hidden stale - -']],
  ['so does a list', [bash('npm test; true')], ['npm test hidden fresh 2 -']],
  [
    'a hidden run does not replace a fresh one',
    [bash('npm run lint'), bash('npm run lint || true')],
    ['npm run lint 0 fresh - -'],
  ],
  ['files that the check writes do not make it stale', [bash('CI=1 SNAP=1 npm test')], ['SNAP=1 npm test 0 fresh 2 -']],
  [
    '&& hides nothing',
    [bash('true && npm run lint && npm test')],
    ['npm run lint 0 fresh - -', 'npm test 0 fresh 2 -'],
  ],
  [
    'a list that fails tells by the counts',
    [bash('echo bad > src/a.txt; npm run lint && npm test')],
    ['npm run lint hidden fresh - -', 'npm test 1 fresh 1 1'],
  ],
  [
    'a check in the background that ends at once',
    [bash('npm test', {run_in_background: true})],
    ['npm test 0 fresh 2 -'],
  ],
  [
    'a check in the background that is read',
    [slow, bash('mkdir coverage && touch coverage/go'), read],
    ['npm run test:slow 0 fresh 2 -'],
  ],
  [
    'a check in the background during an edit',
    [slow, bash('echo x > notes.md && mkdir coverage && touch coverage/go'), read],
    ['npm run test:slow 0 stale 2 -'],
  ],
])('%s', async (_, steps, found) => {
  await using scene = await project(...steps);
  expect(short(await checksOf(scene))).toEqual(found);
});

test('receipts hold for the next run of the session, and a person is noticed', async () => {
  await using scene = await project(bash('npm test'), say('1'), say('2'), say('3'));
  expect(short(await checksOf(scene))).toEqual(['npm test 0 fresh 2 -']);
  expect(short(await checksOf(scene, '--continue'))).toEqual(['npm test 0 fresh 2 -']);
  writeFileSync(join(scene.place.work, 'src/a.txt'), 'good too\n');
  expect(short(await checksOf(scene, '--continue'))).toEqual(['npm test 0 stale 2 -']);
});

test('the settings name checks, and the files that they depend on', async () => {
  const named = {checks: [{name: 'unit', command: 'node run.js', paths: ['src/**']}]};
  await using scene = await project(
    bash('node run.js'),
    bash('echo x > notes.md'),
    say('1'),
    bash('echo good. > src/a.txt'),
  );
  const settings = ['--settings', JSON.stringify(named)];
  expect(short(await checksOf(scene, ...settings))).toEqual(['unit 0 fresh 2 -']);
  expect(short(await checksOf(scene, ...settings, '--continue'))).toEqual(['unit 0 stale 2 -']);
});

test('a check of the settings runs in its folder when it is required, and has a receipt of its own', async () => {
  const named = {
    checks: ['src', 'lib'].map(directory => ({
      name: directory,
      command: 'node run.js',
      directory,
      paths: [`${directory}/**`],
    })),
  };
  await using scene = await project(bash('(cd src && node run.js)'), bash('echo x > src/b.txt'));
  const {work} = scene.place;
  for (const folder of ['src', 'lib']) {
    mkdirSync(join(work, folder), {recursive: true});
    writeFileSync(join(work, folder, 'run.js'), "require('fs').appendFileSync('../coverage', 'x')");
  }
  writeFileSync(join(work, '.gitignore'), 'coverage\n');
  const checks = await checksOf(scene, '--settings', JSON.stringify(named), '--require-check', 'lib');
  expect(checks).toMatchObject([
    {name: 'src', directory: join(work, 'src'), exit_code: 0, fresh: false},
    {name: 'lib', directory: join(work, 'lib'), exit_code: 0, fresh: true},
  ]);
});

test('receipts of a session that is not saved are fresh until an edit, and no file is copied', async () => {
  await using scene = await project(
    bash('npm test'),
    bash('npm run lint; sed -i s/good/bad/ src/a.txt; sed -i s/bad/good/ src/a.txt'),
    say('1'),
    bash('npm test'),
    bash('touch src/a.txt; echo x > notes.md'),
  );
  const {work, home} = scene.place;
  const git = (...words: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a', ...words], {cwd: work});
  git('add', '.');
  git('commit', '-qm', 'x');
  expect(short(await checksOf(scene, '--no-session-persistence'))).toEqual([
    'npm test 0 fresh 2 -',
    'npm run lint hidden stale - -',
  ]);
  expect(short(await checksOf(scene, '--no-session-persistence'))).toEqual(['npm test 0 stale 2 -']);
  expect(existsSync(join(home, 'weft/checkpoints'))).toBe(false);
});

test('a check of files that weft does not watch is never fresh', async () => {
  await using scene = await project(bash('npm --prefix ../other test'), bash('npm test'));
  mkdirSync(join(scene.place.work, '../other'));
  writeFileSync(join(scene.place.work, '../other/package.json'), '{"scripts": {"test": "node -e 0"}}');
  expect(short(await checksOf(scene))).toEqual(['npm --prefix ../other test 0 stale - -', 'npm test 0 fresh 2 -']);
});

test('an edit above the folder of a check makes it stale', async () => {
  await using scene = await project(
    bash('npm --prefix src run lint'),
    bash('(cd src && npm test)'),
    bash('echo x > notes.md'),
  );
  writeFileSync(join(scene.place.work, 'src/package.json'), '{"scripts": {"test": "node -e 0", "lint": "node -e 0"}}');
  expect(short(await checksOf(scene))).toEqual(['npm --prefix src run lint 0 stale - -', 'npm test 0 stale - -']);
});

test('checks of sub-agents are those of the session', async () => {
  await using scene = await project(
    call('Agent', {description: 'test', prompt: 'Run the tests.', subagent_type: 'general-purpose'}),
    bash('npm test'),
  );
  expect(short(await checksOf(scene))).toEqual(['npm test 0 fresh 2 -']);
});
