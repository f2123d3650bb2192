// @module-tag long
import {execFileSync} from 'node:child_process';
import {existsSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {call, say, think} from '../support/model-script.ts';
import {finish, runWeft, startWeft, TempPlace} from '../support/run-weft.ts';
import {openScene} from '../support/scene.ts';

test('--record, then --replay without a model: the same answer, and the actions really run again', async () => {
  await using scene = await openScene([
    [think('Hm.'), say('I write.'), call('Write', {file_path: 'note.txt', content: 'ü and $& and $HOME\n'})],
    say('Written.'),
  ]);
  const recording = join(scene.place.home, 'recording.jsonl');
  const flags = ['--prompt', 'Write a note.', '--permission-mode', 'acceptEdits'];
  const recorded = await scene.run([...flags, '--record', recording]);
  expect(recorded).toEqual({code: 0, signal: null, stdout: 'Written.\n', stderr: ''});
  expect(readFileSync(recording, 'utf8')).toMatch(
    /^\{"weft":"recording","version":1\}\n\{"prompt":"Write a note\."\}\n\{"answer":\[/u,
  );

  using place = new TempPlace();
  expect(await runWeft([...flags, '--replay', recording], {place})).toEqual(recorded);
  expect(readFileSync(join(place.work, 'note.txt'), 'utf8')).toBe(scene.read('note.txt'));
});

test('what the model wrote is played as it was, also where it looks like a variable of a recording', async () => {
  await using scene = await openScene([call('Write', {file_path: 'note.txt', content: '${directory}'}), say('done')]);
  const recording = join(scene.place.home, 'recording.jsonl');
  const flags = ['--prompt', 'x', '--permission-mode', 'acceptEdits'];
  await scene.run([...flags, '--record', recording]);
  using place = new TempPlace();
  await runWeft([...flags, '--replay', recording], {place});
  expect(readFileSync(join(place.work, 'note.txt'), 'utf8')).toBe('${directory}');
});

test('a recording that ends too early, and one that is none', async () => {
  using place = new TempPlace();
  const file = join(place.work, 'recording.jsonl');
  writeFileSync(file, '{"weft":"recording","version":1}\n{"answer":[{"tool":"Glob","input":{"pattern":"*"}}]}\n');
  const short = await runWeft(['--prompt', 'x', '--replay', file], {place});
  expect([short.code, short.stdout]).toEqual([1, '']);
  expect(short.stderr).toMatch(/^weft: [^\n]*recording[^\n]*\n$/u);
  writeFileSync(file, 'hello\n');
  const none = await runWeft(['--prompt', 'x', '--replay', file], {place});
  expect([none.code, none.stdout]).toEqual([2, '']);
  expect(none.stderr).toMatch(/^weft: [^\n]*recording\.jsonl: Line 1 [^\n]*\n$/u);
});

const played = (stdout: string): void => {
  expect(stdout).toMatch(/# fail 1\n[^]*# fail 0\n|fail 1\n[^]*fail 0\n|exit code 1[^]*exit code 0/u);
  expect(stdout).toContain('All tests pass now.');
  expect(stdout.match(/Tasks \d\/\d/gu)?.at(-1)).toBe('Tasks 4/4');
  expect(stdout.slice(stdout.lastIndexOf('Tasks 4/4')).match(/✓/gu)).toHaveLength(4);
};

describe('the demo, without a terminal', () => {
  test.each([
    ['weft demo', ['demo']],
    ['weft, with no model and nobody there', []],
  ] as const)('%s', async (_title, args) => {
    using place = new TempPlace();
    const {code, stdout, stderr} = await runWeft(args, {place, environment: {TMPDIR: place.home}});
    expect(code).toBe(0);
    // Only who did not ask for the demo is told why it plays.
    expect(stderr).toMatch(
      args.length > 0 ? /^$/u : /^weft: No model is configured\. .*, run: weft demo\.\nweft: Playing the demo …\n$/u,
    );
    played(stdout);
    expect(stdout).not.toContain('\u001B');
    expect(readdirSync(place.home).filter(name => name.startsWith('weft-demo'))).toEqual([]);
    expect(existsSync(join(place.home, 'weft', 'weft.db'))).toBe(false);
  });

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('%s ends it and clears it away', async (signal, code) => {
    using place = new TempPlace();
    const child = startWeft(['demo'], {place, environment: {TMPDIR: place.home}});
    const finished = finish(child);
    await new Promise<void>(resolve => {
      child.stdout.once('data', () => resolve());
    });
    child.kill(signal);
    expect(await finished).toMatchObject({code, signal: null});
    expect(readdirSync(place.home).filter(name => name.startsWith('weft-demo'))).toEqual([]);
  });

  test('| head -1 is no failure', async () => {
    await using scene = await openScene([]);
    const {stdout, stderr} = await scene.shell('weft demo | head -1; echo "${PIPESTATUS[*]}"');
    expect([stdout.split('\n').slice(1), stderr]).toEqual([['0 0', ''], '']);
    expect(readdirSync(scene.place.home).filter(name => name.startsWith('weft-demo'))).toEqual([]);
  });

  test('the demo tests with the Node.js of weft if PATH has none', async () => {
    using place = new TempPlace();
    const programs = join(place.home, 'programs');
    mkdirSync(programs);
    for (const name of ['bash', 'cat', 'mkfifo', 'rm', 'sh', 'tty'])
      symlinkSync(execFileSync('sh', ['-c', `command -v ${name}`], {encoding: 'utf8'}).trim(), join(programs, name));
    const {stdout, stderr} = await runWeft(['demo', '--dir', 'shop'], {place, environment: {PATH: programs}});
    expect(stdout).toMatch(/node --test · exit code 0/u);
    expect(stderr).toBe('');
  });

  test('--dir lays the project out to stay', async () => {
    using place = new TempPlace();
    const {code, stdout} = await runWeft(['demo', '--dir', 'shop'], {place});
    expect(code).toBe(0);
    played(stdout);
    expect(readFileSync(join(place.work, 'shop/src/discount.js'), 'utf8')).toContain('item.quantity >= bulkFrom');
    const again = await runWeft(['demo', '--dir', 'shop'], {place});
    expect([again.code, again.stdout]).toEqual([2, '']);
    expect(again.stderr).toMatch(/^weft: [^\n]*shop is not empty\.[^\n]*\n$/u);
  });
});
