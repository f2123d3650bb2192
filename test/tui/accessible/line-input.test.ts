import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {LineKeyReader, type LineKey} from '../../../src/tui/accessible/line-input.ts';

const read = (...chunks: readonly string[]): readonly LineKey[] => {
  const reader = new LineKeyReader();
  return chunks.flatMap(chunk => reader.read(chunk));
};

test.each<readonly [keys: string, read: readonly LineKey[]]>([
  ['ab', [{key: 'text', text: 'ab'}]],
  [
    'a\r',
    [
      {key: 'text', text: 'a'},
      {key: 'enter', followedBy: 'nothing'},
    ],
  ],
  [
    'a\r\n',
    [
      {key: 'text', text: 'a'},
      {key: 'enter', followedBy: 'nothing'},
    ],
  ],
  [
    'a\nb',
    [
      {key: 'text', text: 'a'},
      {key: 'enter', followedBy: 'more'},
      {key: 'text', text: 'b'},
    ],
  ],
  ['\u001B', [{key: 'escape'}]],
  ['\u001B[A\u001BOB', [{key: 'earlier'}, {key: 'later'}]],
  ['\u001B[1;5C\u001Bx\u001B[200~日\u001B[201~', [{key: 'text', text: '日'}]],
  [
    '\u0003\u0004\u007F\u0008\u0017\u0015\t',
    [
      {key: 'interrupt'},
      {key: 'end-of-input'},
      {key: 'delete-left'},
      {key: 'delete-left'},
      {key: 'delete-word'},
      {key: 'delete-all'},
      {key: 'complete'},
    ],
  ],
  ['\u0001\u0002', []],
  ['\u001A', [{key: 'suspend'}]],
])('%j', (keys, keysRead) => {
  expect(read(keys)).toEqual(keysRead);
});

test('a sequence that comes in two pieces is dropped as one', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^\[[0-9;]{1,6}[CDEGHZ~]$/u), fc.nat(), (rest, at) => {
      const sequence = `\u001B${rest}`;
      const cut = 2 + (at % (sequence.length - 2));
      expect(read(`x${sequence.slice(0, cut)}`, `${sequence.slice(cut)}y`)).toEqual([
        {key: 'text', text: 'x'},
        {key: 'text', text: 'y'},
      ]);
    }),
  );
});

test('Ctrl+P and Ctrl+N recall prompts, and a name of every object is a text', () => {
  expect(read('\u0010\u000E', 'constructor')).toEqual([
    {key: 'earlier'},
    {key: 'later'},
    {key: 'text', text: 'constructor'},
  ]);
});
