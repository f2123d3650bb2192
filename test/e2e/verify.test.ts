// @module-tag long
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {call, say} from '../support/model-script.ts';
import {openScene, type Scene} from '../support/scene.ts';

const allowed = ['--permission-mode', 'acceptEdits', '--allowed-tools', 'Bash'];
const passing = "import {test} from 'node:test';\ntest('a', () => {});\ntest('b', () => {});\n";
const failing = passing.replace("'b', () => {}", "'b', () => {throw new Error('no');}");

/** A project whose `npm test` passed in a session, and other checks after it. */
async function checkedProject(...others: readonly string[]): Promise<Scene> {
  const calls = ['npm test', ...others].map(command => call('Bash', {command}));
  const scene = await openScene([...calls, say('Ran it.')]);
  write(scene, 'package.json', '{"scripts": {"test": "node --test"}}\n');
  write(scene, 'a.test.mjs', passing);
  const {code} = await scene.run([...allowed, '--prompt', 'go']);
  expect(code).toBe(0);
  return scene;
}

const write = (scene: Scene, name: string, text: string): void => writeFileSync(join(scene.place.work, name), text);

test('verify runs the checks again, and says what differs', async () => {
  await using scene = await checkedProject();
  const same = await scene.run(['verify']);
  expect(same).toEqual({
    code: 0,
    signal: null,
    stdout: '✓ npm test 2 passed 0 failed: exit code 0, as its receipt says\n',
    stderr: '',
  });
  write(scene, 'a.test.mjs', failing);
  const other = await scene.run(['verify', '--json']);
  expect(other.code).toBe(1);
  const [row] = JSON.parse(other.stdout);
  expect(row).toEqual({
    name: 'npm test',
    command: 'npm test',
    directory: scene.place.work,
    exit_code: 1,
    passed: 1,
    failed: 1,
    receipt: {exit_code: 0, passed: 2, failed: 0, fresh: false, at: expect.any(String), tree: expect.any(String)},
    differences: ['exit code 1, not 0', '1 passed, not 2', '1 failed, not 0'],
  });
  // The receipts stay those of the session.
  write(scene, 'a.test.mjs', passing);
  expect((await scene.run(['verify'])).code).toBe(0);
  expect(scene.server.requests.length).toBe(2);
});

test('verify runs what ran, except what a rule denies, and needs a check', async () => {
  await using scene = await checkedProject('node --test a.test.mjs');
  const {code, stdout} = await scene.run(['verify', '--disallowed-tools', 'Bash(npm *)']);
  expect(code).toBe(1);
  expect(stdout).toBe(
    '! npm test: did not run: a rule denies it\n' +
      '✓ node --test a.test.mjs 2 passed 0 failed: exit code 0, as its receipt says\n',
  );
  await using empty = await openScene([say('Hello.')]);
  await empty.run(['--prompt', 'hi']);
  const none = await empty.run(['verify']);
  expect([none.code, none.stderr]).toEqual([
    2,
    expect.stringMatching(/^weft: No check ran in a session of this folder/u),
  ]);
});

test('verify takes the latest session in which a check ran, or the one that is named', async () => {
  await using scene = await checkedProject();
  await scene.run(['--prompt', 'hi']);
  expect((await scene.run(['verify'])).stdout).toMatch(/^✓ npm test 2 passed/u);
  const [latest, checked] = JSON.parse((await scene.run(['sessions', 'list', '--json'])).stdout);
  expect((await scene.run(['verify', checked.id])).code).toBe(0);
  const other = await scene.run(['verify', latest.id]);
  expect([other.code, other.stderr]).toEqual([1, `weft: No check ran in session ${latest.id}.\n`]);
});

test('verify finds a check that only the settings of the session named', async () => {
  await using scene = await openScene([call('Bash', {command: 'node run.js'}), say('Ran it.')]);
  write(scene, 'run.js', '');
  const settings = JSON.stringify({checks: [{name: 'unit', command: 'node run.js'}]});
  await scene.run([...allowed, '--settings', settings, '--prompt', 'go']);
  const {code, stdout} = await scene.run(['verify']);
  expect([code, stdout]).toEqual([0, '✓ unit: exit code 0, as its receipt says\n']);
});

test('export --receipts names the tree, and the commit if nothing changed', async () => {
  await using scene = await checkedProject();
  const id = JSON.parse((await scene.run(['sessions', 'list', '--json'])).stdout)[0].id;
  const before = await scene.run(['sessions', 'export', '--receipts', id]);
  expect(JSON.parse(before.stdout)).toMatchObject({
    _type: 'https://in-toto.io/Statement/v1',
    subject: [{digest: {weftTree: expect.stringMatching(/^[0-9a-f]{64}$/u)}}],
    predicate: {result: 'PASSED', passedTests: ['npm test'], warnedTests: [], failedTests: []},
  });
  expect((await scene.run(['sessions', 'export', '--receipts', id])).stdout).toBe(before.stdout);
  const git = 'git -c user.name=a -c user.email=a@b.c';
  await scene.shell(`git init -q . && ${git} add -A && ${git} commit -qm one`);
  const {stdout: head} = await scene.shell('git rev-parse HEAD HEAD^{tree}');
  const [gitCommit, gitTree] = head.trim().split('\n');
  const clean = JSON.parse((await scene.run(['sessions', 'export', '--receipts', id])).stdout);
  expect(clean.subject[0].digest).toMatchObject({gitCommit, gitTree});
  write(scene, 'a.test.mjs', failing);
  expect((await scene.run(['sessions', 'export', '--receipts', id])).stdout).not.toContain('gitCommit');
});
