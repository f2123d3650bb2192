import {runAccessible, type AccessibleOptions} from '../../../src/tui/accessible/run-accessible.ts';
import type {TuiExit} from '../../../src/tui/options.ts';
import {lookUntil} from '../../support/look-until.ts';
import {openVirtualScreen, type VirtualScreen} from '../../support/virtual-screen.ts';
import {blankOptions} from '../support/blank-options.ts';
import {scriptedEngine, type ScriptedEngine, type TestHost} from '../support/scripted-engine.ts';

/** The line-based UI on a terminal in memory, with a clock that only the test moves. */
export interface Speaker {
  readonly screen: VirtualScreen;
  readonly engine: ScriptedEngine;
  readonly exit: Promise<TuiExit>;
  readonly remembered: readonly string[];
  /** Types after a pause in which what is due is said. */
  type(keys: string): Promise<void>;
  /** Types on, as somebody who has not stopped typing. */
  typeOn(keys: string): Promise<void>;
  /** Lets the time pass in which nobody types. */
  pass(): void;
  /** Resolves when everything written so far matches. */
  heard(pattern: RegExp): Promise<void>;
}

const open: Speaker[] = [];

/** For `afterEach`. */
export async function leaveSpeakers(): Promise<void> {
  for (const {screen, exit} of open.splice(0)) {
    screen.hangUp();
    await exit;
  }
}

export async function speak({
  host = {},
  ...options
}: Partial<AccessibleOptions> & {readonly host?: TestHost} = {}): Promise<Speaker> {
  const screen = openVirtualScreen(80, 24);
  const remembered: string[] = [];
  const history = {load: () => ['an earlier prompt'], add: (prompt: string) => void remembered.push(prompt)};
  const engine = scriptedEngine({history, ...host});
  let now = 1_000_000;
  const exit = runAccessible(
    {
      ...blankOptions({engine, stdin: screen.stdin, stdout: screen.stdout}),
      clock: {now: () => now, date: () => 0},
      echo: 'own',
      ...options,
    },
    new AbortController().signal,
  );
  const speaker: Speaker = {
    screen,
    engine,
    exit,
    remembered,
    type(keys) {
      now += 1000;
      return screen.type(keys);
    },
    typeOn: keys => screen.type(keys),
    pass() {
      now += 1000;
    },
    heard: pattern =>
      lookUntil(
        () => pattern.test(screen.written()),
        () => `never heard ${String(pattern)} in:\n${screen.written()}`,
      ),
  };
  open.push(speaker);
  await speaker.heard(/Ctrl\+D exits\.\n/u);
  return speaker;
}
