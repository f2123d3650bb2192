import {expect, test} from 'vitest';
import {blockId} from '../../../../src/domain/ids.ts';
import {openBlock} from '../../../../src/workspace/blocks/block.ts';
import type {BlockEnd, BlockSource} from '../../../../src/workspace/blocks/block-source.ts';
import {makeScreen} from '../../../../src/workspace/blocks/screen.ts';
import {keepRawOutput} from '../../../../src/workspace/raw-output.ts';

test('a person who is attached sees the last words, also those that come while the screen is painted anew', async () => {
  const size = {columns: 80, rows: 24};
  const ended = Promise.withResolvers<BlockEnd>();
  const listeners: ((bytes: Uint8Array) => void)[] = [];
  const source: BlockSource = {
    terminal: 'pty',
    leader: 0,
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
      mark: '',
      source,
      screen: await makeScreen({size, lineEnds: 'raw'}),
      size,
      raw: keepRawOutput(() => ''),
      filter: {push: bytes => bytes, end: () => new Uint8Array()},
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
