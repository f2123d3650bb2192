import {existsSync, mkdirSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {beforeEach, describe, expect, test} from 'vitest';
import {call, say} from '../support/model-script.ts';
import {needs} from '../support/programs.ts';
import {openScene, toldResults} from '../support/scene.ts';

const auto = {environment: {WEFT_SANDBOX: 'auto'}} as const;

describe('with bubblewrap', () => {
  beforeEach(needs('bwrap'));

  test('tests of the project run unasked and confined, where nobody could be asked', async ({skip}) => {
    await using scene = await openScene([call('Bash', {command: 'node --test own.test.mjs'}), say('Done.')]);
    const {work, home} = scene.place;
    const proof = await scene.run(['sandbox', 'test', '--provider', 'bwrap', '--json']);
    const {works, proven, reason} = JSON.parse(proof.stdout);
    skip(!works, reason);
    expect([proof.code, proven.files, proven.network]).toEqual([0, true, true]);
    const escape = join(home, 'escaped');
    writeFileSync(
      join(work, 'own.test.mjs'),
      `import {writeFileSync} from 'node:fs';
      writeFileSync('made', 'x');
      try { writeFileSync(${JSON.stringify(escape)}, 'x'); } catch {}
      try { writeFileSync('.mcp.json', 'x'); } catch {}`,
    );
    const {code, stdout} = await scene.run(['--prompt', 'Test it.', '--output-format', 'json'], auto);
    expect([code, JSON.parse(stdout).permission_denials]).toEqual([0, []]);
    expect(['made', '.mcp.json'].map(name => existsSync(join(work, name)))).toEqual([true, false]);
    expect(existsSync(escape)).toBe(false);
  });

  test('a command that runs inside has the exit code and the folder of any other', async ({skip}) => {
    await using scene = await openScene([]);
    const {code, stderr} = await scene.run(['sandbox', 'run', '--', 'pwd >where; exit 7']);
    skip(code === 1, stderr);
    expect([code, scene.read('where')]).toEqual([7, `${scene.place.work}\n`]);
  });
});

test('without a sandbox the same tests need an approval', async () => {
  await using scene = await openScene([call('Bash', {command: 'node --test own.test.mjs'}), say('Done.')]);
  writeFileSync(join(scene.place.work, 'own.test.mjs'), '');
  const {stdout} = await scene.run(['--prompt', 'Test it.', '--output-format', 'json']);
  expect(JSON.parse(stdout).permission_denials).toHaveLength(1);
  expect(toldResults(scene.server.requests[1])).toEqual([expect.stringContaining('Not permitted')]);
});

test('where the system forbids the sandbox the run goes on without it, and that is said once', async () => {
  const runTests = call('Bash', {command: 'node --test own.test.mjs'});
  await using scene = await openScene([runTests, runTests, say('Done.')]);
  writeFileSync(join(scene.place.work, 'own.test.mjs'), '');
  const bwrap = join(scene.place.home, 'bin', 'bwrap');
  mkdirSync(dirname(bwrap));
  const refuses = 'echo "bwrap: No permissions to create new namespace" >&2; exit 1';
  writeFileSync(bwrap, `#!/bin/sh\n[ "$1" != --version ] || exec echo bubblewrap 0.8.0\n${refuses}\n`, {mode: 0o755});
  const path = `${dirname(bwrap)}:${process.env['PATH'] ?? ''}`;
  const {code, stderr} = await scene.run(['--prompt', 'Test it.'], {environment: {WEFT_SANDBOX: 'auto', PATH: path}});
  expect(toldResults(scene.server.requests[1])).toEqual([expect.stringContaining('Not permitted')]);
  expect([code, stderr.match(/No sandbox: .*/gu)]).toEqual([
    3,
    [
      expect.stringMatching(
        /commands run as you, and builds and tests ask first \(bwrap: namespaces are not permitted/u,
      ),
    ],
  ]);
});

test('a named sandbox that cannot prove itself ends the run before the first request', async () => {
  await using scene = await openScene([say('Never.')]);
  const {code, stderr} = await scene.run(['--prompt', 'x', '--sandbox', 'codex']);
  expect([code, scene.server.requests]).toEqual([1, []]);
  expect(stderr).toMatch(/the sandbox codex does not confine commands here: .*weft sandbox test/u);
});
