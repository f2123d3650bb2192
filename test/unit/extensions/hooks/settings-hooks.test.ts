import {expect, test} from 'vitest';
import type {HookSetting} from '../../../../src/config/hook-settings.ts';
import type {ScriptStanding} from '../../../../src/config/project-files.ts';
import {makeSettingsHooks, type HookRunner} from '../../../../src/extensions/hooks/settings-hooks.ts';

const hook: HookSetting = {
  event: 'PreToolUse',
  matcher: '',
  work: {type: 'command', command: './check.sh', args: 'shell', environment: {}, rights: 'unconfined'},
  timeoutMs: 1000,
  wait: 'for-answer',
  onFailure: 'block',
  condition: '',
};

async function run(...standings: readonly ScriptStanding[]) {
  const ran: string[] = [];
  const runner: HookRunner = {
    async command({command}) {
      ran.push(command);
      return {end: {kind: 'exited', code: 0}, stdout: '{"decision": "approve"}', stderr: ''};
    },
    post: async () => ({end: {kind: 'aborted'}, stdout: '', stderr: ''}),
  };
  let asked = 0;
  const standing = async (): Promise<ScriptStanding> =>
    standings[asked++] ?? {refusalReason: 'asked too often', mark: ''};
  const [made] = makeSettingsHooks([{hook, source: 'settings', standing}], runner);
  const {outcome} = (await made?.run({}, new AbortController().signal)) ?? {outcome: undefined};
  return {ran, outcome};
}

test('a hook whose files stay as they were trusted answers', async () => {
  const still = {refusalReason: '', mark: '1'};
  expect(await run(still, still)).toEqual({
    ran: ['./check.sh'],
    outcome: {kind: 'json', value: {decision: 'approve'}},
  });
});

test('one whose files are not trusted does not run', async () => {
  expect(await run({refusalReason: 'it changed', mark: ''})).toEqual({
    ran: [],
    outcome: {kind: 'failed', how: 'not-started', why: 'it changed'},
  });
});

test('one whose file was written to between the look at it and its end has said nothing', async () => {
  for (const after of [
    {refusalReason: '', mark: '2'},
    {refusalReason: 'it changed', mark: ''},
  ]) {
    const {outcome} = await run({refusalReason: '', mark: '1'}, after);
    expect(outcome).toMatchObject({kind: 'failed', how: 'crashed', why: expect.stringContaining('was changed')});
  }
});

test.each([
  [126, 'not-started'],
  [127, 'not-started'],
  [1, 'crashed'],
])('exit code %i: the hook has %s', async (code, how) => {
  const runner: HookRunner = {
    command: async () => ({end: {kind: 'exited', code}, stdout: '', stderr: 'no\nmore'}),
    post: async () => ({end: {kind: 'aborted'}, stdout: '', stderr: ''}),
  };
  const [made] = makeSettingsHooks(
    [{hook, source: 'settings', standing: async () => ({refusalReason: '', mark: ''})}],
    runner,
  );
  expect(await made?.run({}, new AbortController().signal)).toEqual({
    outcome: {kind: 'failed', how, why: `exit code ${code}, no`},
    exitCode: code,
    stdout: '',
    stderr: 'no\nmore',
  });
});
