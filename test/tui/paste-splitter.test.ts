import * as fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {pasteSplitter, type InputPiece} from '../../src/tui/terminal/paste-splitter.ts';

/** `…` stands for a while without input. */
function read(...chunks: readonly string[]): readonly string[] {
  const splitter = pasteSplitter();
  const pieces = chunks.flatMap(chunk => (chunk === '…' ? splitter.quiet() : splitter.push(chunk)));
  while (splitter.wait !== 'never') pieces.push(...splitter.quiet());
  return pieces.map(shown);
}
const shown = (piece: InputPiece): string =>
  piece.kind === 'keys' ? `keys ${piece.bytes}` : `${piece.part} ${piece.text}`;

const start = '\u001B[200~';
const end = '\u001B[201~';

describe('what was pasted and what was typed', () => {
  test.each<[string, readonly string[], readonly string[]]>([
    ['letters one by one', ['a', '…', 'b', '…', '\r'], ['keys a', 'keys b', 'keys \r']],
    ['text and Enter in one piece', ['go on\r'], ['keys go on\r']],
    ['text and Enter right behind it', ['go on', '\r'], ['keys go on', 'keys \r']],
    ['marked', [`a${start}b\rc${end}d`], ['keys a', 'first b\rc', 'keys d']],
    ['a mark in pieces', ['\u001B', '[20', '0~x', '\u001B[2', '01~'], ['first x']],
    ['keys in what is marked', [`${start}\u0003\u001B[A\u001B${end}`], ['first \u0003\u001B[A\u001B']],
    ['an end that never comes', [`${start}a\rb`, '…', '…', 'c', '…'], ['first a\rb', 'keys c']],
    ['an end that comes too late', [`${start}a`, '…', `b\rc${end}`, '…'], ['first a', 'more b\rc']],
    ['Esc alone', ['\u001B', '…'], ['keys \u001B']],
    ['unmarked lines in one piece', ['a\rb'], ['first a\rb']],
    ['unmarked lines byte by byte', ['a', 'b', '\r', 'c'], ['keys a', 'first b\rc']],
    ['unmarked in pieces with pauses', ['a\rb\r', '…', 'c\rd', '…', '…', 'e'], ['first a\rb\r', 'more c\rd', 'keys e']],
    ['Enter after an unmarked paste', ['a\rb', '…', '\r'], ['first a\rb', 'keys \r']],
    ['sequences in unmarked lines', ['a\rb\r\u001B[31mc\rd\re'], ['first a\rb\r\u001B[31mc\rd\re']],
    ['one long line', ['x'.repeat(1001)], [`first ${'x'.repeat(1001)}`]],
    [
      'keys right behind each other',
      ['wrong', '\r', 'n', '\t', 'y'],
      ['keys wrong', 'keys \r', 'keys n', 'keys \t', 'keys y'],
    ],
    ['a key after letters', ['ab', '\u001B[A'], ['keys ab', 'keys \u001B[A']],
  ])('%s', (_name, chunks, pieces) => {
    expect(read(...chunks)).toEqual(pieces);
  });

  test('a marked paste is one, however it is cut', () => {
    const text = fc.string({unit: fc.constantFrom('a', '\r', '\n', '\u001B', '[', '日', '\u0003')});
    fc.assert(
      fc.property(text, fc.array(fc.integer({min: 1, max: 7}), {minLength: 1}), (pasted, sizes) => {
        fc.pre(!pasted.includes(end));
        const all = `${start}${pasted}${end}`;
        const chunks: string[] = [];
        for (let at = 0, turn = 0; at < all.length; turn++) {
          const size = sizes[turn % sizes.length] ?? 1;
          chunks.push(all.slice(at, at + size));
          at += size;
        }
        expect(read(...chunks)).toEqual([`first ${pasted}`]);
      }),
    );
  });
});
