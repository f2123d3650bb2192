import {expect, test} from 'vitest';
import {runTerminal, type TerminalEnd} from '../../../src/cli/run-terminal.ts';
import {FaultError} from '../../../src/domain/fault.ts';
import {blankOptions} from '../../tui/support/blank-options.ts';
import {scriptedEngine} from '../../tui/support/scripted-engine.ts';

/** Runs a UI that fails with `cause`, and tells how its engine was closed. */
async function runFailing(cause: unknown): Promise<{
  readonly closed: readonly string[];
  readonly logged: readonly string[];
  readonly end: TerminalEnd | Error;
}> {
  const closed: string[] = [];
  const logged: string[] = [];
  const engine = {...scriptedEngine(), close: async (reason: string) => void closed.push(reason)};
  const end = await runTerminal({
    ...blankOptions({engine, stdin: process.stdin, stdout: process.stdout}),
    engine,
    directory: '/home/user/project',
    log: line => void logged.push(line),
    watchdog: {setUndo: () => {}, release: () => {}},
    ui: {
      run: async () => {
        throw cause;
      },
      keeper: () => ({keep: () => {}, release: () => {}}),
      notices: [],
    },
  }).catch((error: unknown) => (error instanceof Error ? error : new Error('no error')));
  return {closed, logged, end};
}

test('a UI that fails: the engine is closed, and the error names itself as a bug', async () => {
  const before = process.listenerCount('uncaughtException');
  const cause = new TypeError('no such todo');
  expect(await runFailing(cause)).toEqual({
    closed: ['shutdown'],
    logged: [`crashed: ${cause.stack}`],
    end: new Error('internal error: no such todo. Please report it with the file of: weft doctor --report report.md', {
      cause,
    }),
  });
  expect(process.listenerCount('uncaughtException')).toBe(before);
});

test('one that fails for what the user can mend says just that', async () => {
  const cause = new FaultError({kind: 'needs-user', message: 'The disk is full.', fix: 'Free some space.'}, 'ENOSPC');
  expect(await runFailing(cause)).toMatchObject({closed: ['shutdown'], end: cause});
});
