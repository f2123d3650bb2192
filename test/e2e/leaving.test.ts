// @module-tag long
import {join} from 'node:path';
import {closeSync, constants, openSync, readFileSync, writeSync} from 'node:fs';
import {describe, expect, test} from 'vitest';
import {hang} from '../support/model-script.ts';
import {openPtyOf, type PtyTerminal} from '../support/pty-terminal.ts';
import {weftBin} from '../support/run-weft.ts';
import {fileComes, openScene, pointedAt, processGone, type Scene} from '../support/scene.ts';

/** A shell that runs weft between two looks at the terminal's settings, and waits for the second to be as the first. */
const script = `stty -g >before
sh -c 'echo $$ >pid.part; mv pid.part pid; exec node "$0"' '${weftBin}'
echo "left with $?"
tries=0
until [ "$(stty -g)" = "$(cat before)" ] || [ "$tries" -gt 1000 ]; do sleep 0.02; tries=$((tries + 1)); done
stty -g >after
echo "all is over"`;

/** Lets a signal stand for an error that nobody expected. */
const breakable =
  "process.on('SIGUSR2', () => setImmediate(() => { throw new Error('it broke') })); " +
  "process.on('SIGWINCH', () => process.env.WEFT_REJECT && Promise.reject(new Error('it was rejected')));";

const open = (scene: Scene, more: Readonly<Record<string, string>> = {}): PtyTerminal =>
  openPtyOf('/bin/sh', ['-c', script], {
    cols: 80,
    rows: 24,
    cwd: scene.place.work,
    env: scene.place.environment({TERM: 'xterm-256color', ...pointedAt(scene.server), ...more}),
    answers: 'all',
  });

async function leftAsItWas(scene: Scene, terminal: PtyTerminal, before: Readonly<Record<string, unknown>>) {
  await terminal.until(/all is over/u);
  expect(readFileSync(join(scene.place.work, 'after'), 'utf8')).toBe(
    readFileSync(join(scene.place.work, 'before'), 'utf8'),
  );
  // The shell may say so before the watchdog of a killed weft has undone the modes.
  await expect.poll(() => terminal.modes()).toEqual(before);
}

/** Writes to a terminal that nobody reads until it takes no more. */
function fill(name: string): void {
  const terminal = openSync(name, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  const more = Buffer.alloc(512, '. ');
  try {
    for (;;) writeSync(terminal, more);
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause && cause.code === 'EAGAIN')) throw cause;
  } finally {
    closeSync(terminal);
  }
}

/** Waits for the composer. */
async function started(scene: Scene, terminal: PtyTerminal): Promise<number> {
  await terminal.until(/Ask weft to do something/u);
  terminal.type('draft');
  await terminal.until(/› draft/u);
  expect((await terminal.modes())['bracketedPasteMode']).toBe(true);
  return Number(await fileComes(join(scene.place.work, 'pid')));
}

const asBefore = async (terminal: PtyTerminal) => ({...(await terminal.modes()), keyboards: 0});

describe('the terminal is as it was before', () => {
  test.each([
    ['Ctrl+C twice', '\u0003\u0003', 0],
    ['/exit', `${'\u007F'.repeat(5)}/exit\r`, 0],
    ['Ctrl+D', `${'\u007F'.repeat(5)}\u0004`, 0],
  ])('after %s', async (_title, keys, code) => {
    await using scene = await openScene([hang()]);
    using terminal = open(scene);
    const before = await asBefore(terminal);
    await started(scene, terminal);
    for (const key of keys) terminal.type(key);
    await terminal.until(new RegExp(`left with ${code}`, 'u'));
    await leftAsItWas(scene, terminal, before);
  });

  test.each([
    ['SIGTERM', 143],
    ['SIGHUP', 143],
    ['SIGINT', 130],
    ['SIGKILL', 137],
    ['SIGABRT', 134],
    ['SIGSEGV', 139],
  ] as const)('after %s', async (signal, code) => {
    await using scene = await openScene([hang()]);
    using terminal = open(scene);
    const before = await asBefore(terminal);
    process.kill(await started(scene, terminal), signal);
    await terminal.until(new RegExp(`left with ${code}`, 'u'));
    await leftAsItWas(scene, terminal, before);
  });

  test('after SIGKILL while an answer is streamed', {tags: 'smoke'}, async () => {
    await using scene = await openScene([hang()]);
    using terminal = open(scene);
    const before = await asBefore(terminal);
    const pid = await started(scene, terminal);
    terminal.type('\r');
    await terminal.until(/Working/u);
    process.kill(pid, 'SIGKILL');
    await terminal.until(/left with 137/u);
    await leftAsItWas(scene, terminal, before);
  });

  test.runIf(process.platform === 'linux')('after SIGTERM while the terminal takes nothing', async () => {
    await using scene = await openScene([hang()]);
    using terminal = open(scene);
    const before = await asBefore(terminal);
    const pid = await started(scene, terminal);
    terminal.pause();
    fill(`/proc/${pid}/fd/1`);
    process.kill(pid, 'SIGTERM');
    await processGone(pid);
    terminal.resume();
    await leftAsItWas(scene, terminal, before);
  });

  test('after an error that nobody expected, which is told in one sentence', async () => {
    await using scene = await openScene([hang()]);
    using terminal = open(scene, {NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(breakable)}`});
    const before = await asBefore(terminal);
    process.kill(await started(scene, terminal), 'SIGUSR2');
    await terminal.until(
      /weft:\s+internal\s+error:\s+it\s+broke\.\s+Please\s+report\s+it\s+with\s+the\s+file\s+of:\s+weft\s+doctor\s+--report\s+report\.md\s+left with 1\s/u,
    );
    await leftAsItWas(scene, terminal, before);
    expect(terminal.log()).not.toContain('    at ');
  });

  test('after a rejection that nobody handled', async () => {
    await using scene = await openScene([hang()]);
    using terminal = open(scene, {
      NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(breakable)}`,
      WEFT_REJECT: 'yes',
    });
    const before = await asBefore(terminal);
    await started(scene, terminal);
    terminal.resize(90, 24);
    // The shell may get the terminal's answers to what weft asked after the resize.
    await terminal.until(
      /weft:\s+internal\s+error:\s+it\s+was\s+rejected\.\s+Please\s+report\s+it\s+with\s+the\s+file\s+of:\s+weft\s+doctor\s+--report\s+report\.md\s+(?:\^\[\[\d+;\d+R)*left with 1\s/u,
    );
    await leftAsItWas(scene, terminal, before);
  });
});
