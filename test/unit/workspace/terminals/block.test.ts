import {expect, test} from 'vitest';
import {blockId} from '../../../../src/domain/ids.ts';
import {collectRawOutput} from '../../../../src/workspace/exec/command-output.ts';
import type {BlockEnd, BlockSource} from '../../../../src/workspace/terminals/block-source.ts';
import {makeRateLimit, openBlock} from '../../../../src/workspace/terminals/block.ts';
import {makeTerminalScreen} from '../../../../src/workspace/terminals/screen.ts';

test('a person who is attached sees the last words, also those that come while the screen is painted anew', async () => {
  const size = {columns: 80, rows: 24};
  const ended = Promise.withResolvers<BlockEnd>();
  const listeners: ((bytes: Uint8Array) => void)[] = [];
  const source: BlockSource = {
    terminal: 'pty',
    leader: 0,
    leaderStarted: '',
    input: 'open',
    ended: ended.promise,
    onData: listener => void listeners.push(listener),
    write: () => 'written',
    resize: () => {},
    pause: () => {},
    resume: () => {},
    descriptor: undefined,
    output: '',
    close: () => {},
  };
  const block = openBlock(
    {
      id: blockId('b1'),
      command: 'talk',
      directory: '/',
      runTag: '',
      source,
      screen: await makeTerminalScreen({size, lineEnds: 'raw'}),
      size,
      raw: collectRawOutput(() => ''),
      filter: {push: bytes => bytes, end: () => new Uint8Array()},
      observe: () => {},
    },
    () => {},
  );
  let shown = '';
  const attachment = block.attach({size, show: text => void (shown += text), ended: () => void (shown += '<ended>')});
  attachment.resize({columns: 90, rows: 24});
  for (const listener of listeners) listener(Buffer.from('last words'));
  ended.resolve({kind: 'exited', code: 0});
  await block.ended;
  expect(shown).toMatch(/last words[^]*<ended>$/u);
});

const megabyte = 1024 * 1024;

test('much at once is free, what comes on top has to wait, and a second earns a megabyte', () => {
  let now = 0;
  const allowance = makeRateLimit(() => now);
  const spend = (bytes: number): number => allowance.spend(bytes);
  expect(spend(8 * megabyte)).toBe(0);
  expect(spend(megabyte / 32)).toBe(31.25);
  expect(spend(8 * megabyte)).toBe(100);
  now = 60_000;
  expect([spend(8 * megabyte), spend(1) > 0]).toEqual([0, true]);
});
