import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {InputLines, type InputLine} from '../../../../src/protocol/rpc/input-lines.ts';

function read(chunks: readonly Uint8Array[], maxBytes = 1000): readonly InputLine[] {
  const lines = new InputLines(maxBytes);
  return [...chunks.flatMap(chunk => lines.push(chunk)), ...lines.end()];
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const texts = (lines: readonly InputLine[]) => lines.map(line => (line.kind === 'line' ? line.text : line));

test.each([
  ['one line', 'a\n', ['a']],
  ['no end of line', 'a\nb', ['a', 'b']],
  ['CRLF', 'a\r\nb\r\n', ['a', 'b']],
  ['a CR inside is data', 'a\rb\n', ['a\rb']],
  ['other line breaks are data', 'a\u2028b\u0085c\n', ['a\u2028b\u0085c']],
  ['empty lines', '\n\n  \na\n\n', ['a']],
  ['a byte order mark', '\u{feff}a\n', ['a']],
  ['nothing', '', []],
])('%s', (_name, text, lines) => {
  expect(texts(read([bytes(text)]))).toEqual(lines);
});

test('any chunking gives the same lines', () => {
  const line = fc.string({unit: 'grapheme'}).map(text => text.replaceAll(/[\n\r]/gu, '.'));
  fc.assert(
    fc.property(fc.array(line), fc.array(fc.nat({max: 400})), (lines, cuts) => {
      const whole = bytes(lines.map(text => `${text}\n`).join(''));
      const places = [0, ...cuts.map(cut => cut % (whole.length + 1)), whole.length].toSorted((a, b) => a - b);
      const chunks = places.slice(1).map((to, at) => whole.subarray(places[at], to));
      expect(read(chunks, 100_000)).toEqual(read([whole], 100_000));
    }),
  );
});

test('bytes that are no UTF-8 spoil only themselves', () => {
  expect(texts(read([Uint8Array.of(0x61, 0xff, 0x62, 0x0a, 0x63, 0x0a)]))).toEqual(['a\ufffdb', 'c']);
});

test('a line that is too long is told with its beginning, and the next one is read', () => {
  const long = 'x'.repeat(30);
  for (const size of [1, 3, 7, 100]) {
    const whole = bytes(`${long}\nshort\n`);
    const chunks = Array.from({length: Math.ceil(whole.length / size)}, (_none, at) =>
      whole.subarray(at * size, (at + 1) * size),
    );
    const [first, second] = read(chunks, 20);
    expect([first, second]).toMatchObject([
      {kind: 'too-long', bytes: 30, head: expect.stringMatching(/^x{20,30}$/u)},
      {kind: 'line', text: 'short'},
    ]);
  }
});

test('a line of exactly the bound is read; a chunk that is used again changes nothing', () => {
  const lines = new InputLines(4);
  const chunk = bytes('ab');
  expect(lines.push(chunk)).toEqual([]);
  chunk.fill(0x78);
  expect(texts(lines.push(bytes('cd\n')))).toEqual(['abcd']);
});

test('the beginning of a line that is too long ends with the piece that passes the bound', () => {
  const lines = new InputLines(4);
  const pieces = ['abc', 'def', 'ghi', 'jkl\n'];
  expect(pieces.flatMap(piece => lines.push(bytes(piece)))).toEqual([{kind: 'too-long', bytes: 12, head: 'abcdef'}]);
});
