import {existsSync} from 'node:fs';
import {describe, expect, test} from 'vitest';
import {openScene} from '../support/scene.ts';
import {runWeft, TempPlace} from '../support/run-weft.ts';

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

  test('a home that cannot be made ends weft at once', async () => {
    if (!existsSync('/proc/self')) return;
    using place = new TempPlace();
    const environment = {ANTHROPIC_API_KEY: 'k', WEFT_HOME: '/proc/x/weft'};
    const {code, stderr} = await runWeft(['--prompt', 'x'], {place, environment});
    expect([code, stderr]).toEqual([1, expect.stringContaining('no such file or directory: /proc/x')]);
  });

  test('a slip in the name of a command is not sent', async () => {
    await using scene = await openScene([]);
    expect(await scene.run(['sesions', 'list'])).toMatchObject({
      code: 2,
      stdout: '',
      stderr:
        'weft: Unknown command "sesions". Did you mean "weft sessions list"? To send it as a prompt: weft --prompt "sesions list"\n',
    });
    expect(scene.server.requests).toEqual([]);
  });
});
