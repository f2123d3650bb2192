import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {makeBoundedText} from '../../../src/workspace/bounded-text.ts';

function bounded(bound: number, parts: readonly string[]): string {
  const text = makeBoundedText(bound);
  for (const part of parts) text.add(part);
  return text.text('');
}

test('what fits is kept as it is', () => {
  fc.assert(
    fc.property(fc.array(fc.string({unit: 'binary', maxLength: 20}), {maxLength: 10}), parts => {
      expect(bounded(200, parts)).toBe(parts.join(''));
    }),
  );
});

test('beyond the bound it is a start of the whole, the bytes missing, and an end of the whole', () => {
  const part = fc.oneof(fc.string({unit: 'grapheme', maxLength: 60}), fc.constant('line\n'));
  fc.assert(
    fc.property(fc.integer({min: 5, max: 80}), fc.array(part, {maxLength: 40}), (bound, parts) => {
      const whole = parts.join('');
      fc.pre(whole.length > bound);
      const found = /^(.*?)\n?\[… (\d+) bytes left out …\]\n(.*)$/su.exec(bounded(bound, parts));
      const [, head = '', missing = '', tail = ''] = found ?? [];
      expect(found).not.toBeNull();
      expect(whole.startsWith(head)).toBe(true);
      expect(whole.endsWith(tail)).toBe(true);
      expect(head.length + tail.length).toBeLessThanOrEqual(bound);
      expect(head.isWellFormed() && tail.isWellFormed()).toBe(true);
      const line = head !== '' && whole.startsWith(`${head}\n`) && head.length < Math.floor((bound * 2) / 5) ? 1 : 0;
      expect(Number(missing)).toBe(Buffer.byteLength(whole) - Buffer.byteLength(head) - Buffer.byteLength(tail) - line);
    }),
  );
});

test('it cuts at lines where one ends nearby, and gives the reason', () => {
  const text = makeBoundedText(100);
  for (let line = 10; line < 60; line += 1) text.add(`line ${line}\n`);
  expect(text.text('the disk is full')).toBe(
    'line 10\nline 11\nline 12\nline 13\nline 14\n[… 304 bytes left out; the disk is full …]\n' +
      'line 53\nline 54\nline 55\nline 56\nline 57\nline 58\nline 59\n',
  );
});

test.each([
  [100, 40],
  [30_000, 200_000],
])('with room for %i it counts the lines that are missing of %i', (bound, count) => {
  const text = makeBoundedText(bound);
  for (let line = 1; line <= count; line += 1) text.add(`${line}\n`);
  const shown = text.text('').split('\n').length - 2;
  expect(text.leftOutLines()).toBe(count - shown);
});

test('nothing is missing of what fits', () => {
  const text = makeBoundedText(100);
  text.add('one\ntwo\n');
  expect(text.leftOutLines()).toBe(0);
});
