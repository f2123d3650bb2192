// @module-tag long
import {setTimeout as pause} from 'node:timers/promises';
import {beforeEach, describe, expect, test} from 'vitest';
import {readByteLog} from '../support/byte-log.ts';
import {lookUntil} from '../support/look-until.ts';
import {call, say, until, type Part} from '../support/model-script.ts';
import {openScenePty, type PtyTerminal} from '../support/pty-terminal.ts';
import {openScene, pointedAt, processGone, type Scene} from '../support/scene.ts';
import {wrapText} from '../../src/tui/text/wrap.ts';
import {themeOf} from '../../src/tui/theme/theme.ts';
import {needs} from '../support/programs.ts';
import {openTerminal, type ShellTerminal} from '../support/shell-terminal.ts';
import {openTmux} from '../support/tmux-terminal.ts';

const numbered = (count: number): readonly string[] => Array.from({length: count}, (_, at) => `row number ${at} of it`);

const open = (scene: Scene, answers: 'all' | 'none', args: readonly string[] = []): PtyTerminal =>
  openScenePty(scene, {size: [80, 24], args, answers});

const rowsOf = (all: readonly string[]): readonly string[] =>
  all.filter(row => row.includes('row number')).map(row => row.slice(2));

/** Lines as they come over two seconds and more, in pieces. */
function slowly(lines: readonly string[]): readonly Part[] {
  const piece = Math.ceil(lines.length / 40);
  return Array.from({length: 40}, (_, at) => [
    say(
      lines
        .slice(at * piece, (at + 1) * piece)
        .map(line => `${line}\n\n`)
        .join(''),
    ),
    // oxlint-disable-next-line unicorn/no-thenable -- the wait begins when it is waited for
    until({then: (...done) => pause(60).then(...done)}),
  ]).flat();
}

describe('5,000 streamed lines', () => {
  test.each([
    ['a terminal that shows frames at once', 'all'],
    ['a terminal that answers nothing', 'none'],
  ] as const)('in %s stand there once and in order, and nothing is cleared', async (_title, answers) => {
    const lines = numbered(5000);
    await using scene = await openScene([say(`${lines.join('\n\n')}\n\nThat is all.`)]);
    using terminal = open(scene, answers);
    await terminal.until(/Ask weft to do something/u);
    terminal.type('go on\r');
    await terminal.until(/That is all\.[^]*Ask weft to do something/u);
    let log = readByteLog(terminal.log());
    // A frame may be on its way.
    await lookUntil(
      () => {
        log = readByteLog(terminal.log());
        return log.updates.begun === log.updates.ended;
      },
      () => `${log.updates.begun} frames began and ${log.updates.ended} ended`,
    );
    expect(log).toMatchObject({clearedScreens: 0, clearedScrollbacks: 0, absoluteMoves: 0});
    expect(log.highest).toBeLessThan(24);
    expect(log.updates.begun > 0).toBe(answers === 'all');
    const all = await terminal.everything();
    expect(rowsOf(all)).toEqual(lines);
    expect(all.filter(row => row.startsWith(' ╭╮╭  weft '))).toHaveLength(1);
    expect(all.filter(row => row.includes('Ask weft to do something'))).toHaveLength(1);
  });

  test('at most about twenty frames a second', async () => {
    await using scene = await openScene([slowly(numbered(400)), say('Never said.')]);
    using terminal = open(scene, 'all');
    await terminal.until(/Ask weft to do something/u);
    const before = readByteLog(terminal.log()).updates.begun;
    const begun = performance.now();
    terminal.type('go on\r');
    await terminal.until(/row number 399[^]*Ask weft to do something/u);
    const seconds = (performance.now() - begun) / 1000;
    expect(seconds).toBeGreaterThan(2);
    // The keys typed are shown at once, each a frame.
    expect((readByteLog(terminal.log()).updates.begun - before - 8) / seconds).toBeLessThan(21);
  });
});

const floods = (): readonly Part[] => slowly(numbered(2000));

describe('a terminal that takes nothing', () => {
  test('does not keep Esc from stopping the answer', async () => {
    await using scene = await openScene([floods()]);
    using terminal = open(scene, 'all');
    await terminal.until(/Ask weft to do something/u);
    terminal.type('go on\r');
    await terminal.until(/row number \d/u);
    terminal.pause();
    await pause(600);
    terminal.type('\u001B');
    await pause(2500);
    terminal.resume();
    await terminal.until(/Interrupted[^]*Ask weft to do something/u);
    const rows = rowsOf(await terminal.everything());
    expect(rows).toEqual(numbered(rows.length));
    expect(rows.length).toBeLessThan(1500);
  });

  test('does not keep a signal from ending it', async () => {
    await using scene = await openScene([floods()]);
    using terminal = open(scene, 'all');
    await terminal.until(/Ask weft to do something/u);
    terminal.type('go on\r');
    await terminal.until(/row number \d/u);
    terminal.pause();
    await pause(1500);
    process.kill(terminal.pid, 'SIGTERM');
    await processGone(terminal.pid);
  });
});

/** The rule above the status line, of the width that it has in so many columns. */
const drawnFor = (columns: number): RegExp => new RegExp(`(?<!─)─{${columns - 1}}\\n[^─]*$`, 'u');

describe('a storm of resizes', () => {
  test('while lines are streamed loses none, repeats no banner and leaves the live region whole', async () => {
    const lines = numbered(800);
    await using scene = await openScene([[...slowly(lines), say('That is all.')]]);
    using terminal = open(scene, 'all');
    await terminal.until(/Ask weft to do something/u);
    terminal.type('go on\r');
    await terminal.until(/row number \d/u);
    // In storms of ten sizes at once, as in tmux below.
    for (let at = 0; at < 100; at++) {
      const columns = 20 + ((at * 77) % 181);
      terminal.resize(columns, 10 + ((at * 7) % 30));
      if (at % 10 === 9) await terminal.until(drawnFor(columns));
    }
    terminal.resize(80, 24);
    // Where the stream was over before the storm was, all of it is in the scrollback by now.
    await terminal.until(/Ask weft to do something[^\n]*\n─{79}\n {2}asks first/u);
    await expect.poll(async () => (await terminal.everything()).join('\n')).toContain('That is all.');
    await terminal.until(/Ask weft to do something[^\n]*\n─{79}\n {2}asks first/u);
    const all = await terminal.everything();
    expect(rowsOf(all)).toEqual(lines);
    expect(all.filter(row => row.startsWith(' ╭╮╭  weft '))).toHaveLength(1);
    expect(all.at(-1)).toMatch(/asks first/u);
    expect(readByteLog(terminal.log())).toMatchObject({clearedScreens: 0, clearedScrollbacks: 0});
  });
});

test('a terminal made narrower and wider again, step by step, has one composer and every line', async () => {
  const lines = numbered(60);
  await using scene = await openScene([say(`${lines.join('\n')}\n\nThat is all.`)]);
  using terminal = open(scene, 'all');
  await terminal.until(/Ask weft to do something/u);
  terminal.type('go on\r');
  await terminal.until(/That is all\.[^]*Ask weft to do something/u);
  // A terminal of this kind moves its cursor up with every narrowing of full-width rows. One more, and what it pushes into its
  // scrollback cannot be reached: a composer of before stays there.
  for (const columns of [30, 80, 20, 80]) {
    terminal.resize(columns, 24);
    await terminal.until(drawnFor(columns));
  }
  const all = await terminal.everything();
  expect(rowsOf(all)).toEqual(lines);
  expect(all.filter(row => row.includes('Ask weft to do something'))).toHaveLength(1);
  expect(all.filter(row => row.startsWith('  asks first'))).toHaveLength(1);
});

const opened = {tmux: openTmux, 'xterm.js': openTerminal} as const;

describe.each(['tmux', 'xterm.js'] as const)('in %s', emulator => {
  beforeEach(emulator === 'tmux' ? needs('tmux') : needs());

  test('after each resize the paragraphs on the screen are as if written at that width', async () => {
    const paragraphs = numbered(30).map(row => `${row}, ${'some more words '.repeat(9)}that end it.`);
    await using scene = await openScene([say(`${paragraphs.join('\n\n')}\n\nThat is all.`)]);
    await using terminal = await opened[emulator](scene.place, pointedAt(scene.server));
    await goOn(terminal);
    await terminal.onScreen(/That is all\.[^]*Ask weft to do something/u);
    for (let at = 0; at < 20; at++) {
      const [columns, rows] = [40 + ((at * 37) % 80), 18 + ((at * 11) % 30)];
      await terminal.resize(columns, rows);
      await terminal.onScreen(drawnFor(columns));
      const written = paragraphs.flatMap(text => wrapText(text, [], {theme: themeOf('plain'), width: columns - 3}));
      let shown: readonly string[] = [];
      await lookUntil(
        async () => {
          // The rows above the first empty one may be the rest of a paragraph that begins in the scrollback.
          const [top = '', ...blocks] = (await terminal.screen()).split('\n\n');
          shown = blocks.flatMap(block => block.split('\n')).filter(row => /row number|some more/u.test(row));
          const isWhole = emulator === 'tmux' || !/^\w/u.test(top);
          return isWhole && shown.every(row => written.includes(row.slice(2)));
        },
        () => `not as written for ${columns} columns:\n${shown.join('\n')}`,
      );
    }
    expect(rowsOf((await terminal.text()).split('\n')).map(row => row.slice(0, row.indexOf(',')))).toEqual(
      numbered(30),
    );
  });

  test('what a resize broke while the agent worked is laid out again once it is done', async () => {
    const text = `The paragraph has ${'some more words '.repeat(9)}that end it.`;
    const {promise: gate, resolve: goOnWriting} = Promise.withResolvers<void>();
    await using scene = await openScene([[say(`${text}\n\nThe next one`), until(gate), say(' ends.')]]);
    await using terminal = await opened[emulator](scene.place, pointedAt(scene.server));
    await terminal.resize(100, 30);
    await goOn(terminal);
    await terminal.onScreen(/end it\.\n\n {2}The next one/u);
    await terminal.resize(60, 30);
    await terminal.onScreen(drawnFor(60));
    await terminal.onScreen(/ing · [3-9] s/u);
    goOnWriting();
    const [first = '', ...others] = wrapText(text, [], {theme: themeOf('plain'), width: 57});
    const laidOut = [`● ${first}`, ...others.map(line => `  ${line}`), '', '  The next one ends.'].join('\n');
    await terminal.onScreen(new RegExp(laidOut.replaceAll('.', String.raw`\.`), 'u'));
    expect((await terminal.text()).match(/The paragraph/gu)).toHaveLength(1);
  });

  test('sizes that alternate leave every line and the card once', async () => {
    const paragraphs = numbered(12).map((row, at) => `${row}, ${'some more words '.repeat(at)}that end it.`);
    const command = 'npm run build -- --with-one-option --and-another && npm test -- --reporter verbose --run src/';
    await using scene = await openScene([[say(`${paragraphs.join('\n\n')}\n\n`), call('Bash', {command})]]);
    await using terminal = await opened[emulator](scene.place, pointedAt(scene.server));
    await terminal.resize(100, 30);
    await goOn(terminal);
    await terminal.onScreen(/╰ Ctrl\+E/u);
    for (let at = 0; at < 20; at++) {
      const [columns, rows] = at % 2 === 0 ? [60, 15] : [100, 30];
      await terminal.resize(columns, rows);
      await terminal.onScreen(new RegExp(String.raw`(?<!─)╰ Ctrl\+E [^\n]{${columns - 11}}╯\n`, 'u'));
    }
    const all = (await terminal.text()).split('\n');
    expect(rowsOf(all).map(row => row.slice(0, row.indexOf(',')))).toEqual(numbered(12));
    const count = (pattern: RegExp): number => all.filter(row => pattern.test(row)).length;
    expect([count(/^ ╭╮╭ {2}weft /u), count(/^╰ Ctrl/u), count(/asks first/u)]).toEqual([1, 1, 1]);
    // xterm.js keeps what it pushed into its scrollback.
    if (emulator === 'tmux') expect(count(/^╭ Run this/u)).toBe(1);
  });

  test('heights that alternate leave the first lines of weft once', async () => {
    await using scene = await openScene([say('That is all.')]);
    await using terminal = await opened[emulator](scene.place, pointedAt(scene.server));
    await terminal.resize(100, 24);
    await terminal.type('weft');
    await terminal.press('Enter');
    await terminal.onScreen(/asks before changes[^]*Ask weft to do something/u);
    for (let at = 0; at < 20; at++) {
      const rows = at % 2 === 0 ? 5 : 24;
      await terminal.resize(100, rows);
      // With five rows there is no room for the lines around the composer.
      await terminal.onScreen(rows === 5 ? /^[^─]*Ask weft to do[^─]*$/u : /Ask weft to do[^\n]*\n─{99}\n/u);
    }
    await terminal.type('go on');
    await terminal.press('Enter');
    await terminal.onScreen(/That is all\.[^]*Ask weft to do something/u);
    const all = (await terminal.text()).split('\n');
    expect(all.filter(row => /^ ╭╮╭ {2}weft /u.test(row))).toHaveLength(1);
    expect(all.filter(row => row.includes('Ask weft to do something'))).toHaveLength(1);
  });
});

describe('in tmux', () => {
  beforeEach(needs('tmux'));

  test('1,500 streamed lines are in the scrollback once and in order', async () => {
    const lines = numbered(1500);
    await using scene = await openScene([say(`${lines.join('\n\n')}\n\nThat is all.`)]);
    await using terminal = await openTmux(scene.place, pointedAt(scene.server));
    await goOn(terminal);
    await terminal.onScreen(/That is all\.[^]*Ask weft to do something/u);
    const all = (await terminal.text()).split('\n');
    expect(rowsOf(all)).toEqual(lines.slice(-rowsOf(all).length));
    expect(rowsOf(all).length).toBeGreaterThan(900);
  });

  test('a storm of resizes while one long paragraph is streamed loses none of its lines and repeats none', async () => {
    const lines = numbered(400);
    const parts = slowly(lines).map(part =>
      part.part === 'text' ? {...part, pieces: part.pieces.map(piece => piece.replaceAll('\n\n', '\n'))} : part,
    );
    await using scene = await openScene([[...parts, say('\nThat is all.')]]);
    await using terminal = await openTmux(scene.place, pointedAt(scene.server));
    await goOn(terminal);
    await expectWholeAfterStorm(terminal, {lines, heightAt: () => 24});
  });

  test('a paragraph of one line that is longer than the screen has each word once, whatever the sizes', async () => {
    const words = Array.from({length: 600}, (_, at) => `word${at}.`);
    const steps = [40, 100, 40, 100, 60, 100].map(columns => ({columns, gate: Promise.withResolvers<undefined>()}));
    const parts = steps.flatMap(({gate}, at) => [
      say(`${words.slice(at * 100, (at + 1) * 100).join(' ')} `),
      until(gate.promise),
    ]);
    await using scene = await openScene([[...parts, say('\n\nThat is all.')]]);
    await using terminal = await openTmux(scene.place, pointedAt(scene.server));
    await terminal.resize(100, 30);
    await goOn(terminal);
    for (const [at, {columns, gate}] of steps.entries()) {
      await terminal.onScreen(new RegExp(`word${at * 100 + 99}\\.`, 'u'));
      await terminal.resize(columns, 30);
      await terminal.onScreen(drawnFor(columns));
      // The transcript takes the terminal while the text stands above the live region.
      if (at % 2 === 0) {
        await terminal.type('/transcript');
        await terminal.press('Enter');
        await terminal.onScreen(/q close/u);
        await terminal.press('q');
        await terminal.onScreen(drawnFor(columns));
      }
      gate.resolve(undefined);
    }
    await terminal.onScreen(/That is all\.[^]*Ask weft to do something/u);
    expect((await terminal.text()).match(/word\d+\./gu)).toEqual(words);
  });

  test('a storm of resizes loses no line and leaves the live region whole', async () => {
    const lines = numbered(400);
    await using scene = await openScene([[...slowly(lines), say('That is all.')]]);
    await using terminal = await openTmux(scene.place, pointedAt(scene.server));
    await goOn(terminal);
    const all = await expectWholeAfterStorm(terminal, {lines, heightAt: at => 10 + ((at * 7) % 30)});
    expect(all.at(-1)).toMatch(/asks first/u);
  });
});

/** Starts weft in the shell of the terminal, and sends a prompt. */
async function goOn(terminal: ShellTerminal): Promise<void> {
  await terminal.type('weft');
  await terminal.press('Enter');
  await terminal.onScreen(/Ask weft to do something/u);
  await terminal.type('go on');
  await terminal.press('Enter');
}

/** A hundred sizes while the lines are streamed: each stands there once, in order, and so does the first line of weft. Answers with all rows. */
async function expectWholeAfterStorm(
  terminal: ShellTerminal,
  {lines, heightAt}: {readonly lines: readonly string[]; readonly heightAt: (at: number) => number},
): Promise<readonly string[]> {
  await terminal.onScreen(/row number \d/u);
  // In storms of ten sizes that tmux goes through at once: how far apart they come must not depend on how busy the machine is.
  for (let at = 0; at < 100; at += 10) {
    const sizes = Array.from(
      {length: 10},
      (_, each) => [20 + (((at + each) * 77) % 181), heightAt(at + each)] as const,
    );
    await terminal.resizeAll(sizes);
    await terminal.onScreen(drawnFor(sizes.at(-1)?.[0] ?? 0));
  }
  await terminal.resize(100, 40);
  let text = '';
  await lookUntil(
    async () => {
      text = (await terminal.text()).trimEnd();
      return /That is all\.[^]*Ask weft to do something[^\n]*\n─+\n *asks first[^\n]*$/u.test(text);
    },
    () => `no whole screen at the end: ${text}`,
  );
  const all = text.split('\n');
  expect(rowsOf(all)).toEqual(lines);
  expect(all.filter(row => row.startsWith(' ╭╮╭  weft '))).toHaveLength(1);
  return all;
}
