import {array, assert, constantFrom, property, uint8Array} from 'fast-check';
import {expect, test} from 'vitest';
import {ByteLineSplitter} from '../../../src/base/byte-line-splitter.ts';
import {randomInputs} from '../../support/random-inputs.ts';

test('lines are the same however the bytes are cut', () => {
  const piece = constantFrom('\n', '\r\n', 'a', 'é', '👍', '', 'line');
  assert(
    property(array(piece), uint8Array({min: 1, max: 7}), (pieces, cuts) => {
      const text = pieces.join('');
      const bytes = Buffer.from(text);
      const splitter = new ByteLineSplitter(bytes.length);
      const found: string[] = [];
      for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
        const step = cuts[turn % Math.max(1, cuts.length)] ?? 3;
        const lines = splitter.push(bytes.subarray(at, at + step));
        found.push(...(lines === 'too-long' ? ['too long'] : lines));
        at += step;
      }
      expect([...found, splitter.rest()].filter(line => line !== '')).toEqual(
        text
          .split(/\r?\n/u)
          .map(line => line.replace(/\r$/u, ''))
          .filter(line => line !== ''),
      );
    }),
    {numRuns: randomInputs(1000)},
  );
});

test('a line that is longer than the bound ends the reading, whether it ends or not', () => {
  expect(new ByteLineSplitter(3).push(Buffer.from('abc\nabcd'))).toBe('too-long');
  expect(new ByteLineSplitter(3).push(Buffer.from('abcd\n'))).toBe('too-long');
  expect(new ByteLineSplitter(3).push(Buffer.from('abc\nabc'))).toEqual(['abc']);
});
