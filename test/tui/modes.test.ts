import {afterEach, describe, expect, test} from 'vitest';
import type {PermissionMode} from '../../src/domain/risk.ts';
import {nextMode, readMode} from '../../src/tui/commands/mode.ts';
import {leaveStages, start} from './support/stage.ts';

afterEach(leaveStages);

describe('modes', () => {
  test.each<[PermissionMode, PermissionMode]>([
    ['default', 'acceptEdits'],
    ['acceptEdits', 'plan'],
    ['plan', 'default'],
    ['dontAsk', 'default'],
    ['bypassPermissions', 'default'],
  ])('Shift+Tab leads from %s to %s', (from, to) => {
    expect(nextMode(from)).toBe(to);
  });

  test.each([
    ['plan', {kind: 'mode', mode: 'plan'}],
    ['ACCEPTEDITS', {kind: 'mode', mode: 'acceptEdits'}],
    ['plann', {kind: 'unknown', text: 'There is no mode plann. Did you mean plan?'}],
    [
      'bypasspermissions',
      {
        kind: 'unknown',
        text: 'bypassPermissions is chosen at the start only: weft --permission-mode bypassPermissions',
      },
    ],
  ])('/mode %s', (word, choice) => {
    expect(readMode(word, 'default')).toEqual(choice);
  });

  test('the key and the command reach the engine, the status line follows', async () => {
    const {screen, engine} = await start();
    await screen.type('\u001B[Z');
    await screen.type('/mode plan\r');
    expect(engine.ops).toEqual([
      {op: 'set-mode', mode: 'acceptEdits'},
      {op: 'set-mode', mode: 'plan'},
    ]);
    engine.emit({event: 'mode-changed', mode: 'bypassPermissions'});
    await screen.until(/ {3}! permissions bypassed !/u);
  });
});

describe('/hooks', () => {
  test('says when each is called, what it came to, and which are never called', async () => {
    const row = {event: 'Stop', matcher: '', text: 'lint', source: 'settings.json', standing: 'in-use'} as const;
    const {engine, screen} = await start([80, 24]);
    engine.answers.hooks = {
      tag: 'ok',
      value: [
        {...row, event: 'PreToolUse', matcher: 'Bash', text: 'a\u001B[2J', runs: 2, last: 'deny: not\u202E today'},
        {...row, runs: 0, last: ''},
        {...row, text: './theirs', standing: 'not-trusted', runs: 0, last: ''},
      ],
    };
    await screen.type('/hooks\r');
    await screen.until(/❯ 1 {2}PreToolUse\(Bash\) {2}a\S+\[2J +deny: not\S+ today/u);
    await screen.until(/2 {2}Stop {2}lint +never run/u);
    await screen.until(/3 {2}Stop {2}\.\/theirs +not trusted/u);
    await screen.type('\r');
    await screen.until(/From settings\.json\n +Called 2 times, last: deny/u);
  });
});

test('/hooks says where hooks would stand', async () => {
  const {screen} = await start([80, 24]);
  await screen.type('/hooks\r');
  await screen.until(/Hooks ─+╮\n│ +No hooks here\./u);
});

describe('/permissions and /trust', () => {
  test('the mode and the rules are listed', async () => {
    const {screen} = await start([80, 24], {
      host: {permissionRules: async () => [{list: 'deny', rule: 'Read(.env)', source: 'user', reason: ''}]},
    });
    await screen.type('/permissions\r');
    await screen.until(/Permission rules ─+╮\n│ ❯ 1 {2}Read\(\.env\) +deny +user/u);
  });

  test('what the folder asks for is shown, and granted with a yes alone', async () => {
    const accepted: string[] = [];
    const {screen} = await start([80, 24], {
      host: {
        trust: {
          show: async () => ({state: 'never', text: 'The settings of ~/project want to:\n  allow Bash(make)'}),
          untrustedFiles: async () => [],
          async accept() {
            accepted.push('yes');
            return 'It is trusted.';
          },
        },
      },
    });
    await screen.type('/trust\r');
    await screen.until(/want to:\n +allow Bash\(make\)\n[^]*Trust this project\? ─[^]*y trust · Esc cancel/u);
    expect(accepted).toEqual([]);
    await screen.type('y');
    await screen.until(/It is trusted\./u);
    expect(accepted).toEqual(['yes']);
  });
});
