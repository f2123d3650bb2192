// @module-tag long
import {existsSync, mkdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {lookUntil} from '../support/look-until.ts';
import {call, say, type Answer} from '../support/model-script.ts';
import {openScenePty} from '../support/pty-terminal.ts';
import {openScene, type Scene} from '../support/scene.ts';
import {conditionsOf, leftovers, listing} from './support/shadow.ts';

const free = ['--permission-mode', 'bypassPermissions'] as const;

/** Two prompts of nine changes; the call `bad` breaks the command. */
const script: readonly Answer[] = [
  call('Write', {file_path: 'a', content: '1\n'}),
  call('Bash', {command: 'echo 1 >b'}),
  call('Bash', {command: 'cat a'}),
  call('Bash', {command: 'mkdir -p lib; echo 1 >lib/c'}),
  say('One.'),
  call('Write', {file_path: 'sum', content: 'good\n'}),
  [
    call('Write', {file_path: 'other', content: '2\n'}),
    call('Write', {file_path: 'value', content: 'bad\n'}, {id: 'toolu_bad'}),
  ],
  call('Bash', {command: 'echo 3 >other'}),
  call('Edit', {file_path: 'a', old_string: '1', new_string: '2'}),
  call('Bash', {command: 'rm b; echo 4 >lib/c'}),
  say('Two.'),
];

const command =
  'test -f node_modules/lib/index.js && ! grep -qs bad value && echo x >>a && echo x >node_modules/lib/index.js';

async function openBroken(): Promise<Scene> {
  const scene = await openScene(script);
  const {work} = scene.place;
  mkdirSync(join(work, 'node_modules/lib'), {recursive: true});
  writeFileSync(join(work, 'node_modules/lib/index.js'), '');
  await scene.run(['--prompt', 'first', ...free]);
  await scene.run(['--continue', '--prompt', 'second', ...free]);
  return scene;
}

describe.each(['view', 'copy'] as const)('in a %s', kind => {
  test('the call that broke the command is found in few runs, and the folder is untouched', async () => {
    await using scene = await openBroken();
    const {work} = scene.place;
    const conditions = conditionsOf(kind, scene);
    // What the user did since does not count.
    writeFileSync(join(work, 'a'), 'user\n');
    const before = listing(work);
    const {code, stdout, stderr} = await scene.run(['bisect', command, '--json'], conditions);
    expect(stderr).toMatch(/^weft: the states are in a copy/u);
    const found = JSON.parse(stdout);
    expect([code, found], stderr).toEqual([
      0,
      {
        bad: {prompt: 'second', call: 'toolu_bad', tool: 'Write', label: expect.stringContaining('value')},
        runs: expect.any(Number),
        step: 'toolu_bad',
        undo: expect.stringMatching(/^weft sessions rewind \S+ --step toolu_bad --yes$/u),
      },
    ]);
    expect(found.runs).toBeLessThanOrEqual(Math.ceil(Math.log2(9)) + 2);
    expect([listing(work), leftovers(scene)]).toEqual([before, []]);

    const [, ...undo] = String(found.undo).split(' ');
    expect((await scene.run(undo)).code).toBe(0);
    const {value: _broken, ...kept} = before;
    expect(listing(work)).toEqual(kept);
  });

  test.each(['SIGKILL', 'SIGINT'] as const)('after %s nothing of it is left', async signal => {
    await using scene = await openBroken();
    const {work, home} = scene.place;
    const before = listing(work);
    // In a view, only weft's own folder is the real one.
    const mark = join(home, 'weft/runs');
    const child = scene.start(['bisect', `echo x >${mark}; sleep 600`], {
      environment: {...conditionsOf(kind, scene).environment, WEFT_SANDBOX: 'native'},
    });
    await lookUntil(
      () => existsSync(mark),
      () => 'the command never ran',
    );
    child.kill(signal);
    await lookUntil(
      () => leftovers(scene).length === 0,
      () => leftovers(scene).join(' '),
    );
    expect(listing(work)).toEqual(before);
  });
});

test('a command that passes at the end or fails at the start names no call', async () => {
  await using scene = await openBroken();
  const passes = await scene.run(['bisect', 'true', '--json']);
  expect([passes.code, JSON.parse(passes.stdout)]).toEqual([1, {bad: null, reason: 'passes-at-end', runs: 1}]);
  const fails = await scene.run(['bisect', 'echo why; exit 3']);
  expect([fails.code, fails.stdout]).toEqual([1, '']);
  expect(fails.stderr).toMatch(/why\n/u);
  expect(fails.stderr).toMatch(/fails without the changes of the session, too/u);
  await using empty = await openScene([]);
  expect(await empty.run(['bisect', 'true'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('No session in this folder'),
  });
});

test.each([
  ['another file', 'other', call('Write', {file_path: 'b', content: '1\n'}), 'fails-at-start', 2],
  ['the file of the next call', 'a', call('Bash', {command: 'echo 2 >>a'}), 'broken-beside', 4],
] as const)(
  'a person who broke %s between two calls is not taken for the session',
  async (_, path, next, reason, runs) => {
    await using scene = await openScene([
      call('Write', {file_path: 'a', content: '1\n'}),
      say('One.'),
      next,
      say('Two.'),
    ]);
    await scene.run(['--prompt', 'first', ...free]);
    writeFileSync(join(scene.place.work, path), 'broken\n');
    await scene.run(['--continue', '--prompt', 'second', ...free]);
    const found = await scene.run(['bisect', '! grep -q broken a other 2>&1', '--json']);
    expect([found.code, JSON.parse(found.stdout)], found.stderr).toEqual([1, {bad: null, reason, runs}]);
  },
);

test('a step that later changes lie on is not undone; on a terminal one question undoes it', async () => {
  await using scene = await openBroken();
  const {work} = scene.place;
  writeFileSync(join(work, 'value'), 'worse\n');
  const before = listing(work);
  const found = JSON.parse((await scene.run(['bisect', '! grep -qs bad value', '--json'])).stdout);
  const later = expect.stringMatching(/Later changes are in the way.*value: it was changed since/u);
  expect(found).toMatchObject({undo: null, refused: later});
  const [{id: session}] = JSON.parse((await scene.run(['sessions', 'list', '--json'])).stdout);
  const told = await scene.run(['bisect', '! grep -qs bad value']);
  expect([told.code, told.stderr]).toEqual([0, later]);
  expect(told.stderr).not.toContain('to undo just this step');
  const refused = await scene.run(['sessions', 'rewind', session, '--step', found.step, '--yes']);
  expect([refused.code, refused.stderr]).toEqual([1, later]);
  expect(listing(work)).toEqual(before);
  writeFileSync(join(work, 'value'), 'bad\n');
  using terminal = openScenePty(scene, {args: ['bisect', '! grep -qs bad value']});
  await terminal.until(/Rewind\? \[y\/N\]/u);
  terminal.type('y\r');
  expect(await terminal.exited).toBe(0);
  expect('value' in listing(work)).toBe(false);
});

test('/bisect names the call in the terminal UI, and offers to undo it', async () => {
  await using scene = await openBroken();
  using terminal = openScenePty(scene, {args: ['--continue']});
  await terminal.until(/Two\./u);
  terminal.type('/bisect "! grep -qs bad value"\r');
  await terminal.until(/Broken by: .*value[^]*Undo only/u);
  terminal.type('\r');
  await lookUntil(
    () => !('value' in listing(scene.place.work)),
    async () => (await terminal.rows()).join('\n'),
  );
});
