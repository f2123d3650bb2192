import {assert, nat, property} from 'fast-check';
import {describe, expect, test} from 'vitest';
import {typedBytes, splitReplies} from '../../src/tui/terminal/terminal-probes.ts';

const colour = '\u001B]11;rgb:1e1e/1e1e/1e1e\u001B\\';

describe('splitReplies', () => {
  test.each([
    ['\u001B[?2026;2$y', [{reply: 'synchronized-output', supported: 'yes'}]],
    ['\u001B[?2026;0$y', [{reply: 'synchronized-output', supported: 'no'}]],
    ['\u001B[?1004;1$y', [{reply: 'focus-reporting', supported: 'yes'}]],
    ['\u001B[?7;1$y', []],
    [colour, [{reply: 'background', colour: 'rgb:1e1e/1e1e/1e1e'}]],
    ['\u001B]11;#fff\u0007', [{reply: 'background', colour: '#fff'}]],
    ['\u001B]10;rgb:0/0/0\u0007', []],
    ['\u001B[>0;276;0c', [{reply: 'kind', reflow: 'adrift', erasing: 'plain', is: 'other'}]],
    ['\u001B[>41;390;0c', [{reply: 'kind', reflow: 'cut', erasing: 'plain', is: 'other'}]],
    ['\u001B[>84;0;0c', [{reply: 'kind', reflow: 'wrapped', erasing: 'keeping', is: 'tmux'}]],
    // Asked by a program that has gone before the reply came; the bell would be Ctrl+G.
    ['\u001B]4;1;rgb:0000/0000/0000\u0007', []],
    ['\u001B]52;c;aGVsbG8=\u001B\\', []],
    ['\u001BP>|xterm(370)\u001B\\', []],
    ['\u001BP1$r0m\u001B\\', []],
    ['\u001B_Gi=31;OK\u001B\\', []],
    ['\u001B[I', [{reply: 'focus', focused: 'yes'}]],
    ['\u001B[O', [{reply: 'focus', focused: 'no'}]],
  ] as const)('takes %j out of the keys around it', (answer, replies) => {
    expect(splitReplies(`ab${answer}c`)).toEqual({keys: 'abc', replies, held: ''});
  });

  test.each([
    '\u001BPx',
    '\u001B]x',
    '\u001B_x',
    '\u001B[A',
    '\u001B[13;2u',
    '\u001B[1;5R',
    '\u001Bb',
    '\u001B[200~x\u001B[201~',
    'é日本',
  ])('leaves the keys %j alone', keys => {
    expect(splitReplies(keys)).toEqual({keys, replies: [], held: ''});
  });

  test('cut anywhere, an answer is found and no letter of it becomes a key', () => {
    const answers = `${colour}\u001BP>|xterm(370)\u001B\\\u001B]52;c;aGVsbG8=\u0007\u001B[>65;7600;1c\u001B[?1u\u001B[?2026;2$y`;
    assert(
      property(nat(answers.length), nat(answers.length), (one, other) => {
        const [from, to] = [Math.min(one, other), Math.max(one, other)];
        let held = '';
        let keys = '';
        const found: string[] = [];
        for (const piece of ['x', answers.slice(0, from), answers.slice(from, to), answers.slice(to), 'y']) {
          const sorted = splitReplies(held + piece);
          held = sorted.held;
          keys += sorted.keys;
          found.push(...sorted.replies.map(({reply}) => reply));
        }
        expect({keys, held, found}).toEqual({
          keys: 'xy',
          held: '',
          found: ['background', 'kind', 'kitty-keyboard', 'synchronized-output'],
        });
      }),
    );
  });

  test('of a beginning without an end only what can be typed is given back', () => {
    expect(['\u001B', '\u001B[', '\u001B]', '\u001B]11;rgb:1e', '\u001B[?2026'].map(typedBytes)).toEqual([
      '\u001B',
      '\u001B[',
      '\u001B]',
      '',
      '',
    ]);
  });
});
