import {afterEach, describe, expect, test} from 'vitest';
import type {PermissionMode} from '../../src/domain/risk.ts';
import {nextMode, readMode} from '../../src/tui/input/modes.ts';
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
    ['plann', {kind: 'told', level: 'warning', text: 'There is no mode plann. Did you mean plan?'}],
    [
      'bypasspermissions',
      {
        kind: 'told',
        level: 'warning',
        text: 'bypassPermissions can only be chosen at the start: weft --permission-mode bypassPermissions.',
      },
    ],
    [
      '',
      {
        kind: 'told',
        level: 'info',
        text: 'The mode is default (asks first). /mode NAME changes it:\n  default      asks first\n  acceptEdits  accepts edits\n  plan         plan only\n  dontAsk      never asks',
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
    await screen.until(/ ! PERMISSIONS BYPASSED ! {2}test-model/u);
  });
});

describe('/permissions and /trust', () => {
  test('the mode and the rules are listed', async () => {
    const {screen} = await start([80, 24], {permissions: () => ['deny   Read(.env)  (user: /home/u/settings.json)']});
    await screen.type('/permissions\r');
    await screen.until(
      /The mode is default \(asks first\)\.\ndeny {3}Read\(\.env\) {2}\(user: \/home\/u\/settings\.json\)\n/u,
    );
  });

  test('what the folder asks for is shown, and granted with a yes alone', async () => {
    const accepted: string[] = [];
    const {screen} = await start([80, 24], {
      trust: {
        state: 'never',
        text: () => 'The settings of ~/project want to:\n  allow Bash(make)',
        async accept() {
          accepted.push('yes');
          return 'It is trusted.';
        },
      },
    });
    await screen.type('/trust\r');
    await screen.until(/want to:\nallow Bash\(make\)\n\/trust yes allows it\./u);
    expect(accepted).toEqual([]);
    await screen.type('/trust yes\r');
    await screen.until(/It is trusted\./u);
    expect(accepted).toEqual(['yes']);
  });
});
