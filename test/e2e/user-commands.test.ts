// @module-tag long
import {chmodSync, existsSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {call, say} from '../support/model-script.ts';
import {needs} from '../support/programs.ts';
import {openPtyOf, type PtyTerminal} from '../support/pty-terminal.ts';
import {weftBin} from '../support/run-weft.ts';
import {openScene, pointedAt, type Scene} from '../support/scene.ts';

/** weft in a real terminal, and a line when it has ended. */
const open = (scene: Scene, ...args: readonly string[]): PtyTerminal =>
  openPtyOf('/bin/sh', ['-c', 'node "$@"; echo "left with $?"; sleep 0.1', 'sh', weftBin, ...args], {
    cols: 100,
    rows: 30,
    cwd: scene.place.work,
    env: scene.place.environment({TERM: 'xterm-256color', ...pointedAt(scene.server)}),
    answers: 'all',
  });

/** A full-screen program: the alternate screen, raw mode, and an end by the key q. */
const fullScreen = `
process.stdout.write('printed before\\n\\u001B[?1049h\\u001B[2J\\u001B[4;4HEDITING ' + process.argv[2]);
process.stdin.setRawMode(true);
process.stdin.on('data', keys => {
  if (String(keys) !== 'q') return process.stdout.write('\\u001B[6;4Hkey ' + JSON.stringify(String(keys)));
  process.stdout.write('\\u001B[?1049l');
  console.log('printed after');
  process.exit(7);
});
`;

const enter = (terminal: PtyTerminal, line: string): void => {
  terminal.type(line);
  terminal.type('\r');
};

describe('a command of the user', () => {
  test('that fills the screen has the terminal, and its end gives it back; the agent reads what it printed', async () => {
    await using scene = await openScene([say('I have seen it.')]);
    writeFileSync(join(scene.place.work, 'editor.mjs'), fullScreen);
    using terminal = open(scene);
    await terminal.until(/Ask /u);
    enter(terminal, '!node editor.mjs README.md');
    await terminal.until(/EDITING README\.md[^]*Ctrl\+\] back to weft · node editor\.mjs README\.md/u);
    terminal.type('x');
    await terminal.until(/key "x"/u);
    terminal.type('q');
    await terminal.until(/printed before\n[^]*printed after[^]*exit 7|exit 7[^]*printed before\n[^]*printed after/u);
    enter(terminal, 'what was it?');
    await terminal.until(/I have seen it\./u);
    const asked = JSON.stringify(scene.server.requests.at(-1)?.body);
    expect(asked).toContain('printed before');
    expect(asked).toContain('printed after');
    expect(asked).toContain('exit code 7');
    expect(asked).not.toContain('EDITING');
    enter(terminal, '/exit');
    await terminal.until(/Resume this session: weft --resume [0-9a-f]{8}\nleft with 0/u);
  });

  test('that asks has the terminal; Ctrl+] leaves it to run in the background', async () => {
    await using scene = await openScene([]);
    using terminal = open(scene);
    await terminal.until(/Ask /u);
    enter(terminal, '!printf "Name: "; read name; echo "hello $name"; sleep 600');
    await terminal.until(/Name:[^]*Ctrl\+\] back to weft/u);
    enter(terminal, 'you');
    await terminal.until(/hello you/u);
    terminal.type('\u001D');
    await terminal.until(/in background as b1/u);
    await terminal.until(/asks first ⇧Tab · 1 in background {3,}/u);
    enter(terminal, '/exit');
    await terminal.until(/Stopped: printf "Name: "; read name; echo/u);
  });

  test('shows its output while it runs, and Esc stops it and keeps what it has printed', async () => {
    await using scene = await openScene([say('I have seen it.')]);
    using terminal = open(scene);
    await terminal.until(/Ask /u);
    enter(terminal, '!printf "\\033[32mone\\033[0m\\ntwo\\n"; exec sleep 600');
    await terminal.until(/one\n[^]*two/u);
    terminal.type('\u001B');
    await terminal.until(/one\n[^]*two\n[^]*Ask weft to do something/u);
    enter(terminal, 'what was it?');
    await terminal.until(/I have seen it\./u);
    expect(JSON.stringify(scene.server.requests.at(-1)?.body)).toContain('Output before it was stopped');
  });

  test('vim edits a file', async context => {
    needs('vim')(context);
    await using scene = await openScene([]);
    using terminal = open(scene);
    await terminal.until(/Ask /u);
    enter(terminal, '!vim -u NONE -N notes.txt');
    await terminal.until(/Ctrl\+\] back to weft · vim/u);
    terminal.type('ihello');
    await terminal.until(/hello[^]*-- INSERT --/u);
    terminal.type('\u001B');
    await terminal.until(/hello(?![^]*INSERT)/u);
    enter(terminal, ':wq');
    await terminal.until(/! vim [^]*Ask /u);
    expect(existsSync(join(scene.place.work, 'notes.txt'))).toBe(true);
  });
});

test('Ctrl+B moves a command of the agent to the background: the agent goes on, and reads it there', async () => {
  await using scene = await openScene([
    [say('I start it.'), call('Bash', {command: './serve'})],
    [call('BashOutput', {block_id: 'b1', delay: 'completion'})],
    say('All seen.'),
  ]);
  const serve = join(scene.place.work, 'serve');
  writeFileSync(serve, '#!/bin/sh\necho serving\nwhile [ ! -e go ]; do sleep 0.05; done\necho over\nexit 5\n');
  chmodSync(serve, 0o755);
  using terminal = open(scene, '--permission-mode', 'bypassPermissions', 'Serve.');
  await terminal.until(/serving/u);
  terminal.type('\u0002');
  await terminal.until(/in background as b1/u);
  writeFileSync(join(scene.place.work, 'go'), '');
  await terminal.until(/All seen\./u);
  const asked = JSON.stringify(scene.server.requests.at(-1)?.body);
  expect(asked).toContain('the user moved it to the background');
  expect(asked).toContain('exit code 5');
});
