// @module-tag long
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {readByteLog} from '../support/byte-log.ts';
import {call, hang, say, until} from '../support/model-script.ts';
import {openScenePty, openPtyOf, type PtyTerminal} from '../support/pty-terminal.ts';
import {putFile} from '../support/put-file.ts';
import {weftBin} from '../support/run-weft.ts';
import {fileComes, openScene, pointedAt, type Scene} from '../support/scene.ts';

interface Conditions {
  readonly args?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

const open = (scene: Scene, {args = ['--fullscreen'], environment = {}}: Conditions = {}): PtyTerminal =>
  openScenePty(scene, {environment, size: [80, 24], args});

const numbered = (from: number, to: number): string =>
  Array.from({length: to - from}, (_, at) => `row number ${from + at} of it\n\n`).join('');

const screenOf = async (terminal: PtyTerminal): Promise<unknown> => (await terminal.modes())['screen'];

const pageUp = '\u001B[5~';
const home = '\u001B[H';
const end = '\u001B[F';

describe('a screen of its own', () => {
  test('shows the end, is scrolled by keys, and stays where it was scrolled to while lines come', async () => {
    const gate = Promise.withResolvers<void>();
    await using scene = await openScene([[say(numbered(0, 300)), until(gate.promise), say(numbered(300, 350))]]);
    using terminal = open(scene);
    await terminal.until(/Ask weft to do something/u);
    terminal.type('go on\r');
    await terminal.until(/row number 299/u);
    expect(await screenOf(terminal)).toBe('alternate');
    terminal.type(pageUp);
    await terminal.until(/── \d+ lines below/u);
    const before = (await terminal.rows()).filter(row => row.includes('row number'));
    gate.resolve();
    await terminal.until(/── \d+ new lines below · PgDn · Ctrl\+End for the end ──[^]*Ask weft to do something/u);
    expect((await terminal.rows()).filter(row => row.includes('row number'))).toEqual(before);
    terminal.type(end);
    await terminal.until(/row number 349[^]*Ask weft to do something/u);
    terminal.type(home);
    await terminal.until(/^\n ╭╮╭ {2}weft [^]*▌ go on[^]*row number 0 of it/u);
    terminal.type(end);
    await terminal.until(/row number 349/u);
    terminal.type('draft');
    await terminal.until(/› draft/u);
    terminal.type(`${home}x`);
    await terminal.until(/row number 349[^]*› xdraft/u);
    terminal.type('\u001B[1;5H');
    await terminal.until(/^\n ╭╮╭ {2}weft [^]*› xdraft/u);
  });

  test('leaves the answer behind, on the screen from before', async () => {
    await using scene = await openScene([say('The earlier one.'), say('The **answer** is 42.')]);
    using terminal = open(scene);
    await terminal.until(/Ask weft to do something/u);
    for (const [prompt, answer] of [
      ['What was it?', /The earlier one\./u],
      ['What is it?', /The answer is 42\./u],
    ] as const) {
      terminal.type(`${prompt}\r`);
      await terminal.until(answer);
    }
    terminal.type('\u0004');
    expect(await terminal.exited).toBe(0);
    expect(await terminal.modes()).toMatchObject({screen: 'normal', cursorShown: true, titles: 0});
    expect(await terminal.everything()).toEqual([
      '',
      expect.stringMatching(/^▌ What is it\? *$/u),
      '',
      '● The answer is 42.',
      '',
      expect.stringMatching(/^Resume this session: weft --resume [0-9a-f]{8}$/u),
    ]);
  });

  test('leaves nothing behind where nothing was asked for', async () => {
    await using scene = await openScene([]);
    using terminal = open(scene);
    await terminal.until(/Ask weft to do something/u);
    terminal.type('\u0004');
    expect(await terminal.exited).toBe(0);
    expect([await screenOf(terminal), await terminal.everything()]).toEqual(['normal', []]);
  });

  test('is repainted once for another size, with all that was on it', async () => {
    await using scene = await openScene([say(numbered(0, 60))]);
    using terminal = open(scene);
    await terminal.until(/Ask weft to do something/u);
    terminal.type('go on\r');
    await terminal.until(/row number 59[^]*Ask weft to do something/u);
    const {clearedScreens} = readByteLog(terminal.log());
    terminal.resize(100, 40);
    await terminal.until(
      /^ {2}row number 42 [^]*row number 59[^]*Ask weft to do something[^]*\n {2}asks first ⇧Tab · context 1 %/u,
    );
    terminal.resize(40, 12);
    await terminal.until(/^ {2}row number 56 [^]*row number 59[^]*Ask weft to do something[^]*\n {2}asks first/u);
    expect(await terminal.rows()).toHaveLength(12);
    expect(readByteLog(terminal.log()).clearedScreens).toBe(clearedScreens + 2);
  });

  test('a key writes only what it changes, and at rest nothing is written', async () => {
    await using scene = await openScene([say(numbered(0, 60))]);
    using terminal = open(scene);
    await terminal.until(/Ask weft to do something/u);
    terminal.type('go on\r');
    await terminal.until(/row number 59[^]*Ask weft to do something/u);
    // Its echo comes after all that the answer had to draw.
    terminal.type('p');
    await terminal.until(/› p/u);
    const before = terminal.log().length;
    terminal.type('q');
    await terminal.until(/› pq/u);
    await new Promise(resolve => setTimeout(resolve, 300));
    const written = terminal.log().slice(before);
    expect(written).not.toContain('row number');
    expect(written.length).toBeLessThan(400);
  });
});

describe('it stays a screen of its own', () => {
  test('after the setting alone', async () => {
    await using scene = await openScene([]);
    putFile(join(scene.place.home, 'weft', 'settings.json'), '{"tui": "fullscreen"}');
    using terminal = open(scene, {args: []});
    await terminal.until(/Ask weft to do something/u);
    expect(await screenOf(terminal)).toBe('alternate');
  });

  test('after an earlier session is opened', async () => {
    await using scene = await openScene([say('Said before.'), say('Said now.')]);
    await scene.run(['--prompt', 'Earlier']);
    using terminal = open(scene);
    await terminal.until(/Ask weft to do something/u);
    terminal.type('/resume\r');
    await terminal.until(/Resume a session/u);
    terminal.type('\r');
    await terminal.until(/Session resumed\.[^]*Said before\.[^]*Ask weft to do something/u);
    expect(await screenOf(terminal)).toBe('alternate');
    terminal.type('Now\r');
    await terminal.until(/Said now\./u);
  });

  test('after a visit to the editor and to the terminal of a command, with all that was said', async () => {
    const start = call('Bash', {command: 'echo $$ >pid.part; mv pid.part pid; exec cat', run_in_background: true});
    await using scene = await openScene([start, say('It waits.')]);
    const editor = join(scene.place.home, 'editor.sh');
    writeFileSync(editor, '#!/bin/sh\nprintf "from the editor" >"$1"\n', {mode: 0o755});
    using terminal = open(scene, {
      args: ['--fullscreen', '--permission-mode', 'bypassPermissions'],
      environment: {EDITOR: editor},
    });
    await terminal.until(/Ask weft to do something/u);
    terminal.type('Start it.\r');
    await fileComes(join(scene.place.work, 'pid'));
    await terminal.until(/It waits\.[^]*Ask weft to do something/u);
    terminal.type('\u0007');
    await terminal.until(/▌ Start it\.[^]*It waits\.[^]*› from the editor/u);
    expect(await screenOf(terminal)).toBe('alternate');
    terminal.type('\u0014');
    await terminal.until(/Ctrl\+\] back to weft/u);
    terminal.type('typed');
    await terminal.until(/typed/u);
    terminal.type('\u001D');
    await terminal.until(/▌ Start it\.[^]*It waits\.[^]*Back in weft; cat keeps running[^]*› from the editor/u);
    expect(await screenOf(terminal)).toBe('alternate');
    expect((await terminal.rows()).join('\n')).not.toMatch(/^typed/mu);
    terminal.type('\u0003\u0003');
    expect(await terminal.exited).toBe(0);
    expect(await screenOf(terminal)).toBe('normal');
  });

  test('in the demo and after it', async () => {
    await using scene = await openScene([]);
    using terminal = open(scene);
    await terminal.until(/Ask weft to do something, or \/demo/u);
    terminal.type('/demo\r');
    await terminal.until(/╭ Run this command\?/u);
    expect(await screenOf(terminal)).toBe('alternate');
    terminal.type('\u0003');
    terminal.type('\u0003');
    await terminal.until(/Ask weft to do something, or \/demo/u);
    expect(await screenOf(terminal)).toBe('alternate');
  });
});

test.each(['SIGKILL', 'SIGTERM'] as const)('%s gives the screen from before back', async signal => {
  await using scene = await openScene([hang()]);
  const script = `echo before; sh -c 'echo $$ >pid.part; mv pid.part pid; exec node "$0" --fullscreen' '${weftBin}'; sleep 0.5; echo "all is over"`;
  using terminal = openPtyOf('/bin/sh', ['-c', script], {
    cols: 80,
    rows: 24,
    cwd: scene.place.work,
    env: scene.place.environment({TERM: 'xterm-256color', ...pointedAt(scene.server)}),
    answers: 'all',
  });
  await terminal.until(/Ask weft to do something/u);
  terminal.type('draft');
  await terminal.until(/› draft/u);
  expect(await screenOf(terminal)).toBe('alternate');
  process.kill(Number(await fileComes(join(scene.place.work, 'pid'))), signal);
  await terminal.until(/^before\n[^]*all is over/u);
  expect(await terminal.modes()).toMatchObject({screen: 'normal', cursorShown: true, bracketedPasteMode: false});
});
