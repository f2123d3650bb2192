import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {makeTerminalText} from '../../../../src/workspace/exec/terminal-text.ts';

function plain(...chunks: readonly string[]): {text: string; live: string} {
  const terminal = makeTerminalText();
  let text = '';
  let live = '';
  for (const chunk of chunks) {
    const step = terminal.push(chunk);
    text += step.settled;
    live += step.live;
  }
  return {text: text + terminal.end(), live};
}

test.each([
  ['plain lines', ['a\nb\n'], 'a\nb\n'],
  ['no end of line', ['a\nb'], 'a\nb'],
  ['tabs and CRLF', ['a\tb\r\nc'], 'a\tb\nc'],
  ['colours', ['\u001b[31mred\u001b[0m\n'], 'red\n'],
  ['a title', ['\u001b]0;title\u0007text\n'], 'text\n'],
  ['a link', ['\u001b]8;;http://x\u001b\\link\u001b]8;;\u001b\\\n'], 'link\n'],
  ['a charset', ['\u001b(Bx\n'], 'x\n'],
  ['a sequence in three chunks', ['a\u001b', '[3', '1mb\n'], 'ab\n'],
  ['a title that never ends', ['\u001b]0;title\ntext\n'], ']0;title\ntext\n'],
  ['a progress line', ['10%\r20%\r30%\ndone\n'], '30%\ndone\n'],
  ['a progress line that ends with a return', ['10%\r20%\r'], '20%'],
  ['a return at the border of two chunks', ['10%\r', '20%\r', '\n'], '20%\n'],
  ['returns before the end of a line', ['a\r\r\nb\n'], 'a\nb\n'],
  ['overstriking', ['_\bab\bb\n'], 'ab\n'],
  ['bells and zero bytes', ['a\u0007\u0000b\n'], 'ab\n'],
  ['an unfinished sequence at the end', ['a\u001b[3'], 'a'],
])('%s', (_name, chunks, expected) => {
  expect(plain(...chunks).text).toBe(expected);
});

test('who watches sees the unfinished line at once, and a line drawn anew after a carriage return', () => {
  expect(plain('..', '..', '\ndone').live).toBe('....\ndone');
  expect(plain('10%', '\r20%', '\n').live).toBe('10%\r20%\n');
});

test('where the chunks are cut does not matter', () => {
  const piece = fc.constantFrom(
    'a',
    'é',
    '\n',
    '\r',
    '\r\n',
    '\b',
    '\u001b[1m',
    '\u009b1m',
    '\u001b]0;t\u0007',
    '\u001b(B',
    '\u0000',
    '[',
    'm',
  );
  fc.assert(
    fc.property(fc.array(piece, {maxLength: 30}), fc.array(fc.nat(), {maxLength: 5}), (pieces, cuts) => {
      const whole = pieces.join('');
      const at = [0, ...cuts.map(cut => cut % (whole.length + 1)).toSorted((a, b) => a - b), whole.length];
      const chunks = at.slice(1).map((end, index) => whole.slice(at[index], end));
      expect(plain(...chunks).text).toBe(plain(whole).text);
    }),
  );
});

test('a line without end settles in parts', () => {
  const terminal = makeTerminalText();
  let longest = 0;
  for (let count = 0; count < 100; count += 1)
    longest = Math.max(longest, terminal.push('x'.repeat(5000)).settled.length);
  expect(longest).toBe(10_000);
  expect(terminal.end().length).toBeLessThan(8192);
});
