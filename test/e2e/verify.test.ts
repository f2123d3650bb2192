// @module-tag long
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {call, say} from '../support/model-script.ts';
import {openScenePty} from '../support/pty-terminal.ts';
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
  const same = await scene.run(['verify', '--allowed-tools', 'Bash']);
  expect([same.code, same.stdout]).toEqual([0, '✓ npm test 2 passed 0 failed: exit code 0, as its receipt says\n']);
  write(scene, 'a.test.mjs', failing);
  const other = await scene.run(['verify', '--json', '--allowed-tools', 'Bash']);
  expect(other.code).toBe(1);
  const [row] = JSON.parse(other.stdout);
  expect(row).toEqual({
    name: 'npm test',
    command: 'npm test',
    exit_code: 1,
    passed: 1,
    failed: 1,
    receipt: {exit_code: 0, passed: 2, failed: 0, fresh: false, at: expect.any(String), tree: expect.any(String)},
    differences: ['exit code 1, not 0', '1 passed, not 2', '1 failed, not 0'],
  });
  // The new run is the latest receipt now.
  const again = await scene.run(['verify', '--allowed-tools', 'Bash']);
  expect([again.code, again.stdout]).toEqual([0, '✓ npm test 1 passed 1 failed: exit code 1, as its receipt says\n']);
  expect(scene.server.requests.length).toBe(2);
});

test('verify runs nothing that would ask, and needs a check', async () => {
  await using scene = await checkedProject();
  const {code, stdout} = await scene.run(['--sandbox', 'native', 'verify']);
  expect(code).toBe(1);
  expect(stdout).toMatch(
    /^! npm test: did not run: it needs approval\. Allow it with --allowed-tools "Bash\(npm test\)"/u,
  );
  await using empty = await openScene([say('Hello.')]);
  await empty.run(['--prompt', 'hi']);
  const none = await empty.run(['verify']);
  expect([none.code, none.stderr]).toEqual([1, expect.stringMatching(/^weft: No check ran in session /u)]);
});

test('at a terminal, verify asks about each command', async () => {
  await using scene = await checkedProject('node --test a.test.mjs');
  using pty = openScenePty(scene, {args: ['verify', '--sandbox', 'native']});
  await pty.until(/^Run npm test\? .*\[y\/N\]/mu);
  pty.type('y\r');
  await pty.until(/^Run node --test a\.test\.mjs\? .*\[y\/N\]/mu);
  pty.type('n\r');
  expect(await pty.exited).toBe(1);
  expect((await pty.everything()).slice(-2)).toEqual([
    '✓ npm test 2 passed 0 failed: exit code 0, as its receipt says',
    '! node --test a.test.mjs: did not run: it was refused',
  ]);
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
