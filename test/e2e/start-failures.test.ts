// @module-tag long
import {spawn} from 'node:child_process';
import {existsSync, realpathSync, symlinkSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {openScene} from '../support/scene.ts';
import {finish, runWeft, TempPlace, weftBin} from '../support/run-weft.ts';

describe('a run that cannot begin', () => {
  const unknown = '00000000-0000-4000-8000-000000000000';
  test.each([
    ['json', ['--resume', unknown], 1, `No such session: "${unknown}". List them: weft sessions list`],
    ['stream-json', ['--settings', '{"permissionMode":"bold"}'], 2, expect.stringContaining('permissionMode')],
  ])('%s: a result says why, on stdout too', async (format, flags, code, why) => {
    using place = new TempPlace();
    const environment = {ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: 'http://127.0.0.1:1'};
    const run = await runWeft(['--prompt', 'x', '--output-format', format, ...flags], {place, environment});
    expect(run.code).toBe(code);
    const result: unknown = JSON.parse(run.stdout);
    expect(result).toMatchObject({type: 'result', subtype: 'error_during_execution', is_error: true, errors: [why]});
    expect(run.stderr).toMatch(/^weft: .+\n$/u);
  });

  test('a home that cannot be made ends weft at once', {tags: 'smoke'}, async () => {
    if (!existsSync('/proc/self')) return;
    using place = new TempPlace();
    const environment = {ANTHROPIC_API_KEY: 'k', WEFT_HOME: '/proc/x/weft'};
    const {code, stderr} = await runWeft(['--prompt', 'x'], {place, environment});
    expect([code, stderr]).toEqual([1, expect.stringContaining('no such file or directory: /proc/x')]);
  });

  test.runIf(process.getuid?.() === 0)('a user without a home folder reads what to set', async () => {
    const user = {cwd: '/', env: {PATH: process.env['PATH'] ?? ''}, uid: 54_321, gid: 54_321};
    const told = {
      code: 2,
      stderr: 'weft: this user has no home folder. Set HOME to a folder that weft may write to.\n',
    };
    expect(await finish(spawn(process.execPath, [weftBin, 'serve'], user))).toMatchObject(told);
    expect(await finish(spawn(process.execPath, [weftBin, '--prompt', 'x'], user))).toMatchObject(told);
    // Otherwise the folder in which weft starts would be the home, with settings that are the user's own.
    for (const HOME of ['', 'here']) {
      const env = {...user.env, HOME};
      expect(await finish(spawn(process.execPath, [weftBin, 'config', 'path'], {...user, env}))).toMatchObject(told);
    }
    expect(await finish(spawn(process.execPath, [weftBin, '--version'], user))).toMatchObject({code: 0});
  });

  test('without Node on PATH, and under the functions for files of Yarn, weft says what to install', async () => {
    using place = new TempPlace();
    const environment = place.environment();
    const alone = spawn(weftBin, ['doctor'], {cwd: place.work, env: {...environment, PATH: place.work}});
    expect(await finish(alone)).toMatchObject({
      code: 2,
      stderr: 'weft needs Node.js 22.13 or newer, and PATH has no node. Install Node.js and try again.\n',
    });
    const hook = join(place.work, '.pnp.cjs');
    writeFileSync(hook, "Object.defineProperty(process.versions, 'pnp', {value: '3'});");
    const env = {...environment, NODE_OPTIONS: `--require ${hook}`};
    expect(await finish(spawn(weftBin, ['doctor'], {cwd: place.work, env}))).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Install weft with npm'),
    });
  });

  test('a folder in a loop of links is no folder', async () => {
    using place = new TempPlace();
    symlinkSync('loop', join(place.work, 'loop'));
    const {code, stderr} = await runWeft(['--cwd', 'loop', '--prompt', 'x'], {place});
    expect([code, stderr]).toEqual([2, `weft: ${realpathSync(place.work)}/loop is not a folder.\n`]);
  });

  test('a slip in the name of a command is not sent', async () => {
    await using scene = await openScene([]);
    expect(await scene.run(['sesions', 'list'])).toMatchObject({
      code: 2,
      stdout: '',
      stderr:
        'weft: Unknown command "sesions". Did you mean "weft sessions list"? To send it as a prompt: weft --prompt "sesions list"\n(see weft --help)\n',
    });
    expect(scene.server.requests).toEqual([]);
  });
});
