// @module-tag long
import {existsSync, mkdirSync, readFileSync, statSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {say} from '../support/model-script.ts';
import {openScenePty} from '../support/pty-terminal.ts';
import {openScene} from '../support/scene.ts';

const secret = 'ghp_0123456789abcdefghijABCDEFGHIJ012345';

/** Throws when the process gets SIGUSR2. */
const breakable = `data:text/javascript,${encodeURIComponent(
  `process.on('SIGUSR2', () => setImmediate(() => { throw new Error('it broke with ${secret}'); }))`,
)}`;

test('a crash is in the log, and a report has it with the settings and without secrets', async () => {
  await using scene = await openScene([say('The answer.')]);
  const {place} = scene;
  const log = join(place.home, 'weft/logs/weft.log');
  mkdirSync(join(place.home, 'weft'), {recursive: true});
  const settings = {env: {INNER: 'value-of-a-variable'}, headers: {'x-inner': 'value-of-a-header'}, theme: 'dark'};
  writeFileSync(join(place.home, 'weft/settings.json'), JSON.stringify(settings));
  const environment = {NODE_OPTIONS: `--import ${breakable}`, GITHUB_TOKEN: secret};
  using terminal = openScenePty(scene, {environment});
  await terminal.until(/Ask weft/u);
  expect(existsSync(log)).toBe(false);
  process.kill(terminal.pid, 'SIGUSR2');
  await terminal.until(/internal error: it broke/u);
  expect(statSync(log).mode & 0o777).toBe(0o600);

  const made = await scene.run(['doctor', '--report', 'report.md'], {environment: {GITHUB_TOKEN: secret}});
  expect(made).toMatchObject({code: 0, stdout: '', stderr: 'weft: wrote report.md: read it before you share it\n'});
  const report = scene.read('report.md');
  expect(report).toMatch(/## Checks\n\n~~~\n✓ weft [^]*## Environment[^]*ANTHROPIC_API_KEY is set[^]*## Settings/u);
  expect(report).toMatch(
    /"INNER"[^]*"x-inner"[^]*"theme": "dark"[^]*## Log[^]*crashed: Error: it broke with \[\[secret:/u,
  );
  expect(report).not.toMatch(/value-of|ghp_|sk-scripted/u);
  const again = await scene.run(['doctor', '--report', 'report.md']);
  expect(again).toMatchObject({code: 1, stderr: 'weft: file already exists: report.md\n'});
  expect(readFileSync(join(place.work, 'report.md'), 'utf8')).toBe(report);
});

test.each([
  [['--debug=events.jsonl'], {}],
  [[], {WEFT_LOG: 'events.jsonl'}],
])('%j and %j log events to a file', async (words, environment) => {
  await using scene = await openScene([say('The answer.')]);
  const {code, stdout, stderr} = await scene.run([...words, '--prompt', 'x'], {environment});
  expect({code, stdout, stderr}).toEqual({code: 0, stdout: 'The answer.\n', stderr: ''});
  const lines = scene.read('events.jsonl').trimEnd().split('\n');
  expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({event: 'prompt-finished'});
});
