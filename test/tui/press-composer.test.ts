import {afterEach, describe, expect, test} from 'vitest';
import {defaultPreferences} from '../../src/config/settings-schema.ts';
import {ok} from '../../src/base/outcome.ts';
import {accepted} from './support/events.ts';
import {leaveStages, start} from './support/stage.ts';

afterEach(leaveStages);

const sent = (ops: readonly unknown[]): readonly unknown[] =>
  ops.flatMap(op => (typeof op === 'object' && op !== null && 'text' in op ? [op.text] : []));

describe('the draft', () => {
  test.each<[string, readonly string[], string]>([
    ['Ctrl+W and Ctrl+Y', ['one two three', '\u0017', '\u0017', '\u0001', '\u0019'], 'two threeone '],
    ['Alt+D', ['one two', '\u0001', '\u001Bd'], ' two'],
    ['Alt+Backspace', ['one two', '\u001B\u007F'], 'one '],
    ['Ctrl+K and Ctrl+Y twice', ['ab', '\u0001', '\u000B', '\u0019', '\u0019'], 'abab'],
    ['Ctrl+_ takes a word back', ['one', ' two', '\u001F'], 'one'],
    ['Ctrl+_ twice, Alt+_', ['one', ' two', '\u001F', '\u001F', '\u001B_'], 'one'],
    ['what Ctrl+C cleared comes back', ['one two', '\u0003', '\u001F'], 'one two'],
    ['a change after undoing forgets what was undone', ['one', '\u001F', 'x', '\u001B_'], 'x'],
    ['Shift+Enter as xterm tells it', ['one', '\u001B[27;2;13~', 'two'], 'one\ntwo'],
    ['an edit inside wrapped text', ['a'.repeat(100), '\u001B[A', 'X'], `${'a'.repeat(25)}X${'a'.repeat(75)}`],
  ])('%s', async (_name, keys, text) => {
    const {screen, engine, time} = await start();
    for (const key of keys) {
      time.now += 100;
      await screen.type(key);
      if (/^[ -~]+$/u.test(key)) await screen.until(new RegExp(key.trim().slice(0, 20), 'u'));
    }
    await screen.type('\r');
    await expect.poll(() => sent(engine.ops)).toEqual([text]);
  });

  test('a paste without marks that comes in pieces is one draft and sends nothing', async () => {
    const {screen, engine} = await start();
    const lines = Array.from({length: 200}, (_, at) => `line ${at}`).join('\r');
    for (let at = 0; at < lines.length; at += 400) await screen.type(lines.slice(at, at + 400));
    await screen.until(/› \[pasted 200 lines\]/u);
    expect(engine.ops).toEqual([]);
    await screen.type('\u0018');
    await screen.until(/line 198\n {3}line 199/u);
    await screen.type('\r');
    await expect.poll(() => sent(engine.ops)).toEqual([lines.replaceAll('\r', '\n')]);
  });

  test('5 MB are one chip, sent whole, and keys stay quick', async () => {
    const {screen, engine} = await start();
    const text = `${'0123456789'.repeat(8)}\n`.repeat(65_000);
    await screen.paste(text);
    await screen.until(/\[pasted 65000 lines\]/u);
    await screen.type('!');
    await screen.until(/lines\]!/u);
    await screen.type('\r');
    await expect.poll(() => sent(engine.ops)).toEqual([`${text}!`]);
  });

  test('the editor gets the draft and gives it back, and it can be had back', async () => {
    const seen: string[] = [];
    const {screen} = await start([80, 24], {
      editor: {
        async edit({text}) {
          seen.push(text);
          return ok('from the editor\nand more');
        },
      },
    });
    await screen.type('a draft');
    await screen.until(/› a draft/u);
    await screen.type('\u0007');
    await screen.until(/› from the editor\n {3}and more/u);
    expect(seen).toEqual(['a draft']);
    await screen.type('\u001F');
    await screen.until(/› a draft\n/u);
  });

  test('without an editor it says so and keeps the draft', async () => {
    const {screen} = await start();
    await screen.type('a draft');
    await screen.until(/› a draft/u);
    await screen.type('\u0007');
    await screen.until(/No editor is set\.[^]*› a draft/u);
  });
});

describe('the search of earlier prompts', () => {
  const history = {load: () => ['fix the tests', 'write docs', 'fix the build', 'write docs'], add: () => {}};

  test('newest first, none twice, narrowed by what is typed; Enter takes it', async () => {
    const {screen} = await start([80, 24], {host: {history}});
    await screen.type('\u0012');
    await screen.until(/❯ 1 {2}write docs +│\n│ {3}2 {2}fix the build +│\n│ {3}3 {2}fix the tests/u);
    await screen.type('FIX te'.toLowerCase());
    await screen.until(/Earlier prompts: fix te ─+╮\n│ ❯ 1 {2}fix the tests +│\n╰/u);
    await screen.type('\r');
    await screen.until(/\n─+\n › fix the tests\n/u);
  });

  test('Esc leaves the draft as it was', async () => {
    const {screen} = await start([80, 24], {host: {history}});
    await screen.type('my fix');
    await screen.until(/› my fix/u);
    await screen.type('\u0012');
    await screen.until(/Earlier prompts: my fix ─/u);
    await screen.type('\u001B');
    await screen.until(/\n─+\n › my fix\n/u);
    expect((await screen.cursor()).x).toBe(9);
  });
});

describe('vim in the composer', () => {
  test('the mode is shown; Esc leads to normal mode first and stops what runs then', async () => {
    const {screen, engine} = await start([80, 24], {preferences: {...defaultPreferences, editorMode: 'vim'}});
    engine.emit(accepted('do it'));
    await screen.type('more');
    await screen.until(/› more\n─+\n {2}asks first ⇧Tab · -- INSERT --/u);
    await screen.type('\u001B');
    await screen.until(/-- NORMAL --/u);
    expect(engine.ops).toEqual([]);
    await screen.type('2d');
    await screen.until(/-- NORMAL -- {2}2d/u);
    await screen.type('\u001B');
    await screen.until(/-- NORMAL -- {3,}test-model\n/u);
    await screen.type('\u001B');
    await screen.until(/Stopping/u);
    expect(engine.ops).toEqual([{op: 'interrupt'}]);
  });

  test('/vim switches it', async () => {
    const {screen} = await start();
    await screen.type('/vim\r');
    await screen.until(/-- INSERT --/u);
    await screen.type('/vim\r');
    await screen.until(/Vim keys off\n/u);
  });
});
