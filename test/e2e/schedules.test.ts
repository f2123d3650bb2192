// @module-tag long
import {realpathSync} from 'node:fs';
import {expect, test} from 'vitest';
import {lookUntil} from '../support/look-until.ts';
import {call, hang, say} from '../support/model-script.ts';
import {openPtyOf} from '../support/pty-terminal.ts';
import {weftBin} from '../support/run-weft.ts';
import {openScene, pointedAt, toldPrompt} from '../support/scene.ts';
import {WeftServer} from '../support/weft-server.ts';

const id = expect.stringMatching(/^schedule_[0-9a-f]{8}$/u);
const uuid = expect.stringMatching(/^[0-9a-f-]{36}$/u);
const moment = expect.stringMatching(/^\d{4}-\d\d-\d\dT/u);

test('a schedule is added, run now, listed with what became of it, and removed', async () => {
  await using scene = await openScene([say('All is well.')]);
  const schedule = (...args: readonly string[]) => scene.run(['schedule', ...args]);
  const added = await schedule('add', '0 9 * * 1-5', 'Look', 'at it', '--json');
  expect([added.code, added.stderr]).toEqual([0, '']);
  const kept = {
    id,
    cron: '0 9 * * 1-5',
    prompt: 'Look at it',
    directory: realpathSync(scene.place.work),
    mode: 'default',
    createdAt: moment,
    nextAt: moment,
    last: null,
  };
  expect(JSON.parse(added.stdout)).toEqual(kept);
  const name: string = JSON.parse(added.stdout).id;
  const ran = await schedule('run', name);
  expect([ran.code, ran.stdout, ran.stderr]).toEqual([0, 'All is well.\n', '']);
  expect(toldPrompt(scene.server.requests[0])).toContain('Look at it');
  const [after] = JSON.parse((await schedule('list', '--json')).stdout);
  expect(after).toEqual({...kept, last: {state: 'completed', at: moment, sessionId: uuid, trouble: ''}});
  const shown = await schedule('list');
  expect(shown.stdout).toMatch(
    /^schedule_\w+ {2}0 9 \* \* 1-5 {2}next [-\d]+ 09:00 {2}default {2}.*\n {2}Look at it\n {2}completed at .* {2}weft --resume [-\da-f]{36}\n$/u,
  );
  expect((await scene.run(['sessions', 'show', after.last.sessionId])).stdout).toContain('All is well.');
  expect((await schedule('remove', name)).code).toBe(0);
  const gone = [await schedule('remove', name), await schedule('run', name)];
  const unknown = `weft: unknown schedule ${name}. List them: weft schedule list\n`;
  expect(gone.map(({code, stderr}) => [code, stderr])).toEqual([
    [1, unknown],
    [1, unknown],
  ]);
  expect((await schedule('list', '--json')).stdout).toBe('[]\n');
});

test('a schedule runs in no wider mode than the settings of its folder', async () => {
  await using scene = await openScene([call('Write', {file_path: 'a', content: 'x'}), say('I may not.')]);
  const add = () => scene.run(['schedule', 'add', '0 9 * * *', 'Write', '--permission-mode', 'acceptEdits']);
  const refused = await add();
  expect([refused.code, refused.stdout]).toEqual([2, '']);
  expect(refused.stderr).toContain(
    "Your settings allow default in that folder, so a schedule can't run with acceptEdits.",
  );
  expect((await scene.run(['config', 'set', 'permissionMode', 'acceptEdits'])).code).toBe(0);
  const name = (await add()).stdout.trim();
  expect((await scene.run(['config', 'set', 'permissionMode', 'default'])).code).toBe(0);
  const ran = await scene.run(['schedule', 'run', name]);
  expect([ran.code, ran.stdout]).toEqual([3, 'I may not.\n']);
  expect(JSON.parse((await scene.run(['schedule', 'list', '--json'])).stdout)).toMatchObject([
    {mode: 'acceptEdits', last: {state: 'failed'}},
  ]);
});

test.each([['soon'], ['0 0 30 2 *']])('what is no cron expression is wrong usage: %s', async cron => {
  await using scene = await openScene([]);
  const added = await scene.run(['schedule', 'add', cron, 'x']);
  expect([added.code, added.stdout]).toEqual([2, '']);
  expect(added.stderr).toContain(`${cron} is not a cron expression: `);
});

test('weft serve sends it at its times, one run at a time; one that was cut off is stopped', async () => {
  await using scene = await openScene([say('Looked.'), hang()]);
  // Every second: the first run ends, the second one never does.
  const name = (await scene.run(['schedule', 'add', '* * * * * *', 'Look'])).stdout.trim();
  const last = async () => JSON.parse((await scene.run(['schedule', 'list', '--json'])).stdout)[0].last;
  await using server = await WeftServer.start({place: scene.place, environment: pointedAt(scene.server)});
  await lookUntil(
    () => scene.server.requests.length === 2,
    () => `requests: ${String(scene.server.requests.length)}\n${server.stderr}`,
  );
  expect(scene.server.requests.map(toldPrompt)).toEqual([
    expect.stringContaining('Look'),
    expect.stringContaining('Look'),
  ]);
  const running = await last();
  expect(running).toEqual({state: 'running', at: moment, sessionId: uuid, trouble: '', waiting: []});
  const sessions = await server.ask('GET', '/agent/sessions');
  expect(sessions.body).toMatchObject([
    {id: running.sessionId, running: true},
    {id: uuid, running: false, messages: 2},
  ]);
  expect(await scene.run(['schedule', 'run', name])).toMatchObject({
    code: 1,
    stderr: `weft: ${name} is already running\n`,
  });
  await server.end('SIGKILL');
  const {at, sessionId} = running;
  expect(await last()).toEqual({state: 'stopped', at, sessionId, trouble: 'weft was cut off'});
  expect(scene.server.requests.length).toBe(2);

  using terminal = openPtyOf(process.execPath, [weftBin, '--accessible'], {
    cols: 300,
    rows: 60,
    cwd: scene.place.work,
    env: scene.place.environment({TERM: 'xterm-256color', ...pointedAt(scene.server)}),
    answers: 'all',
  });
  await terminal.until(
    new RegExp(
      `Schedule "Look" was stopped \\(.*\\): weft was cut off\\. See it: weft --resume ${running.sessionId}`,
      'u',
    ),
  );
});
