// @module-tag long
import {chmodSync, mkdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {call, fail, say} from '../support/model-script.ts';
import {openScene, toldPrompt} from '../support/scene.ts';

const edit = call('Write', {file_path: 'a.ts', content: 'export {};\n'});
const allowed = ['--permission-mode', 'acceptEdits', '--allowed-tools', 'Bash'];
const claim = say('I wrote a.ts. All 41 tests pass.');
const doubt = 'The answer says "All 41 tests pass.", but no test has run.';

test('a claim without a run is marked, and the model may correct it once', async () => {
  await using scene = await openScene([edit, claim, say('I wrote a.ts. The tests pass, I am sure.')]);
  const {code, stdout, stderr} = await scene.run([...allowed, '--prompt', 'go']);
  expect([code, stdout]).toEqual([0, 'I wrote a.ts. The tests pass, I am sure.\n']);
  expect(stderr).toContain(`${doubt} Asked the agent to check.\n`);
  expect(stderr).toContain('The answer says "The tests pass, I am sure.", but no test has run.\n');
  expect(toldPrompt(scene.server.requests[2])).toContain(doubt);
  expect(scene.server.requests.length).toBe(3);
});

test('a command that weft does not know as a check backs a claim if it succeeded after the last edit', async () => {
  const run = call('Bash', {command: './run-my-tests.sh'});
  const said = say('`./run-my-tests.sh` passes.');
  const stale = 'The answer says "`./run-my-tests.sh` passes.", but ./run-my-tests.sh has not run.';
  for (const [script, marked] of [
    [[edit, run, said], false],
    [[run, edit, said, said], true],
    [[edit, call('Bash', {command: './run-my-tests.sh; exit 1'}), said, said], true],
  ] as const) {
    await using scene = await openScene(script);
    writeFileSync(join(scene.place.work, 'run-my-tests.sh'), '#!/bin/sh\necho ok\n');
    chmodSync(join(scene.place.work, 'run-my-tests.sh'), 0o755);
    const {code, stderr} = await scene.run([...allowed, '--prompt', 'go']);
    expect([code, stderr.includes(stale), scene.server.requests.length]).toEqual([0, marked, script.length]);
  }
});

test('an answer of a session that did no work is never marked', async () => {
  await using scene = await openScene([say('All 41 tests pass.')]);
  const {code, stderr} = await scene.run(['--prompt', 'what does "npm test passed" mean?']);
  expect([code, stderr]).toEqual([0, '']);

  const failing = call('Edit', {file_path: 'none.ts', old_string: 'a', new_string: 'b'});
  const blocked = call('Write', {file_path: 'package.json/a.ts', content: ''});
  await using failed = await openScene([failing, blocked, say('All 41 tests pass.')]);
  writeFileSync(join(failed.place.work, 'package.json'), '{}');
  const end = await failed.run([...allowed, '--prompt', 'go']);
  expect([end.code, end.stderr, failed.server.requests.length]).toEqual([0, '', 3]);
});

test.each(['No test fails any more.', 'Es gibt keine fehlschlagenden Tests mehr.', '- [x] All three tests pass'])(
  '%j is a claim',
  async said => {
    await using scene = await openScene([edit, say(said), say('Sorry.')]);
    const {stderr} = await scene.run([...allowed, '--prompt', 'go']);
    expect(stderr).toContain('but no test has run. Asked the agent to check.');
  },
);

test('within the limit of turns nothing is asked, and a refused question changes nothing', async () => {
  await using limited = await openScene([edit, claim]);
  const at = await limited.run([...allowed, '--max-turns', '2', '--prompt', 'go']);
  expect([at.code, at.stdout, at.stderr.includes(`${doubt}\n`)]).toEqual([
    0,
    'I wrote a.ts. All 41 tests pass.\n',
    true,
  ]);
  await using refused = await openScene([edit, claim, fail(400)]);
  const end = await refused.run([...allowed, '--prompt', 'go']);
  expect([end.code, end.stdout]).toEqual([0, 'I wrote a.ts. All 41 tests pass.\n']);
});

test('programs read the mark as a system message', async () => {
  await using scene = await openScene([edit, claim, say('The tests have not run.')]);
  const {stdout} = await scene.run([...allowed, '--output-format', 'stream-json', '--verbose', '--prompt', 'go']);
  expect(stdout).toContain(
    `"subtype":"informational","content":${JSON.stringify(`${doubt} Asked the agent to check.`)}`,
  );
});

test.each([
  ['a fresh receipt', [edit, call('Bash', {command: 'npm test'})], ''],
  ['a build after the run', [edit, call('Bash', {command: 'npm test'}), call('Bash', {command: 'npm run build'})], ''],
  [
    'a change by a command after the run',
    [edit, call('Bash', {command: 'npm test'}), call('Bash', {command: 'echo >> a.ts'})],
    'npm test has not run since the last edit',
  ],
  ['a run that checks nothing', [edit, call('Bash', {command: 'npm test --script-shell=true'})], 'no test has run'],
  [
    'counts that contradict the exit code',
    [edit, call('Bash', {command: 'BREAK=1 npm run test:lenient'})],
    'BREAK=1 npm run test:lenient exited with 0, but counts 1 failed',
  ],
  ['a run of no test', [edit, call('Bash', {command: 'npm run test:none'})], 'npm run test:none ran no test'],
  [
    'a replaced shell',
    [edit, call('Bash', {command: 'npm_config_script_shell=/bin/true npm test'})],
    'no test has run',
  ],
  ['a run that only lists', [edit, call('Bash', {command: 'node --test --dry-run || true'})], 'no test has run'],
  [
    'words about a run',
    [edit, call('Bash', {command: "echo 'npm test passed'; ls a.test.mjs # npm test"})],
    'no test has run',
  ],
  ['an alias', [edit, call('Bash', {command: 'alias npm=true\nnpm test'})], 'no test has run'],
  [
    'a function of a file that the shell reads',
    [edit, call('Bash', {command: 'echo "npm() { true; }" > be\n. ./be && npm test'})],
    'no test has run',
  ],
  [
    'another program of that name',
    [edit, call('Bash', {command: 'ln -s /bin/true npm && ./npm test'})],
    'no test has run',
  ],
  [
    'words for a program that runs nothing',
    [edit, call('Bash', {command: 'env -i /bin/true npm test'})],
    'no test has run',
  ],
  [
    'printed counts',
    [edit, call('Bash', {command: String.raw`bash -c "printf '# pass 3\n'"; node -e 'console.log("# pass 3")'`})],
    'no test has run',
  ],
  ['a script that is only read', [edit, call('Bash', {command: 'bash -n a.test.sh; true'})], 'no test has run'],
  [
    'a filter that selects nothing',
    [edit, call('Bash', {command: 'node --test --test-name-pattern=zzz'})],
    'node --test --test-name-pattern=zzz ran no test',
  ],
  ['a filter that selects a test', [edit, call('Bash', {command: 'node --test --test-name-pattern=a'})], ''],
  [
    'code before the check',
    [
      edit,
      call('Bash', {command: 'echo "process.exit(0)" > x.cjs'}),
      call('Bash', {command: 'node -r ./x.cjs --test'}),
    ],
    'node -r ./x.cjs --test may have checked nothing',
  ],
  [
    'a set-up of the tests',
    [edit, call('Bash', {command: 'echo > x.cjs'}), call('Bash', {command: 'node -r ./x.cjs --test'})],
    '',
  ],
  [
    'a run elsewhere after a failed one',
    [
      edit,
      call('Bash', {command: 'BREAK=1 npm test'}),
      call('Bash', {command: `mkdir -p ../zz && echo '{"scripts": {"test": "true"}}' > ../zz/package.json`}),
      call('Bash', {command: 'npm test --prefix ../zz'}),
    ],
    'BREAK=1 npm test failed',
  ],
  ['an own runner whose output counts tests', [edit, call('Bash', {command: 'node a.test.mjs'})], ''],
  ['a run in a substitution', [edit, call('Bash', {command: 'echo "$(npm test)"'})], ''],
  ['a run in a pipe', [edit, call('Bash', {command: 'npm test | tail -5'})], ''],
  [
    'a run before the last edit',
    [call('Bash', {command: 'npm test'}), edit],
    'npm test has not run since the last edit',
  ],
  ['a failed run', [edit, call('Bash', {command: 'BREAK=1 npm test'})], 'BREAK=1 npm test failed'],
  [
    'a number that the fresh receipt contradicts',
    [edit, call('Bash', {command: 'npm test'})],
    'the latest run of npm test says 1 passed, not 41',
  ],
] as const)('%s', async (_, work, why) => {
  const said = why.includes('41') ? 'All 41 tests pass.' : 'All tests pass.';
  await using scene = await openScene([...work, say(said), say('Sorry.')]);
  writeFileSync(
    join(scene.place.work, 'package.json'),
    '{"scripts": {"test": "node --test", "test:lenient": "node --test; true", "test:none": "echo ℹ pass 0", "build": "echo > out.js"}}\n',
  );
  writeFileSync(
    join(scene.place.work, 'a.test.mjs'),
    "import {test} from 'node:test';\ntest('a', () => {if (process.env.BREAK) throw new Error('no');});\n",
  );
  const {code, stderr} = await scene.run([...allowed, '--prompt', 'go']);
  const mark = `weft: The answer says "${said}", but ${why}. Asked the agent to check.\n`;
  expect([code, stderr, scene.server.requests.length]).toEqual([
    0,
    why === '' ? '' : mark,
    work.length + (why === '' ? 1 : 2),
  ]);
});

test.each([
  ['Everything is green now.', 'BREAK=1 npm test', true],
  ['The failing test now passes.', 'BREAK=1 npm test', true],
  ['npm test: OK', 'BREAK=1 npm test', true],
  ['Ran the test suite: 0 failures.', 'BREAK=1 npm test', true],
  ['Keine Fehler mehr in den Tests.', 'BREAK=1 npm test', true],
  ['Tous les tests passent.', 'BREAK=1 npm test', true],
  ['Everything is green now.', 'npm test', false],
  ['Everything is green now.', 'ls', false],
  ['Everything works now, but one test still fails.', 'BREAK=1 npm test', false],
])('%s after %s is marked: %s', async (said, command, isMarked) => {
  await using scene = await openScene([edit, call('Bash', {command}), say(said), say('Sorry.')]);
  writeFileSync(join(scene.place.work, 'package.json'), '{"scripts": {"test": "exit ${BREAK:-0}"}}\n');
  const {code, stderr} = await scene.run([...allowed, '--prompt', 'go']);
  const shown = said.replace('npm test', '`npm test`');
  const mark = `weft: The answer says "${shown}", but BREAK=1 npm test failed. Asked the agent to check.\n`;
  expect([code, stderr]).toEqual([0, isMarked ? mark : '']);
});

test.each([
  ['web fails after api passed', ['api', 'web'], 'All tests pass.', true],
  ['web failed before api passed', ['web', 'api'], 'All tests pass.', true],
  ['web failed, and an edit followed', ['web', 'edit', 'api'], 'All tests pass.', true],
  ['a claim that is only about api', ['web', 'api'], 'All tests in api pass.', false],
  ['a run of everything after the mending', ['web', 'edit', '.'], 'All tests pass.', false],
  ['a run of everything that contradicts', ['web', '.'], 'All tests pass.', true],
  ['both pass', ['api', 'lib'], 'All tests pass.', false],
] as const)('checks of several folders: %s', async (_, work, said, isMarked) => {
  const calls = work.map(place => (place === 'edit' ? edit : call('Bash', {command: `(cd ${place} && npm test)`})));
  await using scene = await openScene([...calls, say(said), say('Sorry.')]);
  const scripts = {web: 'exit 1', api: 'exit 0', lib: 'exit 0', '.': 'exit 0'};
  for (const [place, script] of Object.entries(scripts)) {
    mkdirSync(join(scene.place.work, place), {recursive: true});
    writeFileSync(join(scene.place.work, place, 'package.json'), JSON.stringify({scripts: {test: script}}));
  }
  const {code, stderr} = await scene.run([...allowed, '--prompt', 'go']);
  const mark = `weft: The answer says "${said}", but npm test in web failed. Asked the agent to check.\n`;
  expect([code, stderr]).toEqual([0, isMarked ? mark : '']);
});
