import {expect, test, vi} from 'vitest';
import type {OutputFilter} from '../../../../src/actions/ports.ts';
import {blockId} from '../../../../src/domain/ids.ts';
import {collectRawOutput} from '../../../../src/workspace/exec/command-output.ts';
import type {BlockEnd, BlockSource} from '../../../../src/workspace/terminals/block-source.ts';
import {makeRateLimit, openBlock} from '../../../../src/workspace/terminals/block.ts';
import {makeTerminalScreen} from '../../../../src/workspace/terminals/screen.ts';

const size = {columns: 80, rows: 24};

/** A block whose command the test plays. */
async function playedBlock(filter: OutputFilter = noFilter) {
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
      filter,
      observe: () => {},
      isHeld: false,
    },
    () => {},
  );
  const print = (text: string): void => {
    for (const listener of listeners) listener(Buffer.from(text));
  };
  return {block, print, ended};
}

const noFilter: OutputFilter = {push: bytes => bytes, pause: () => new Uint8Array(), end: () => new Uint8Array()};

test('a person who is attached sees the last words, also those that come while the screen is painted anew', async () => {
  const {block, print, ended} = await playedBlock();
  let shown = '';
  const attachment = block.attach({size, show: text => void (shown += text), ended: () => void (shown += '<ended>')});
  attachment.resize({columns: 90, rows: 24});
  print('last words');
  ended.resolve({kind: 'exited', code: 0});
  await block.ended;
  expect(shown).toMatch(/last words[^]*<ended>$/u);
});

test('a silent block has shown what its filter held back', async () => {
  // The timers of the block stay real, so none of them passes it on before the look.
  vi.useFakeTimers({toFake: ['performance']});
  try {
    const filter = {...noFilter, push: () => new Uint8Array(), pause: () => Buffer.from('Name a')};
    const {block, print, ended} = await playedBlock(filter);
    print('Name a');
    vi.advanceTimersByTime(200);
    await block.look();
    expect((await block.snapshot([])).output.text).toBe('Name a');
    ended.resolve({kind: 'exited', code: 0});
    await block.ended;
    block.release();
  } finally {
    vi.useRealTimers();
  }
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
