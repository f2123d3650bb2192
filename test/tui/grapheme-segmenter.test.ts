import {expect, test} from 'vitest';
import {graphemeWidth} from '../../src/tui/text/cell-width.ts';
import {graphemeSegmenter, plainTextPattern} from '../../src/tui/text/grapheme-segmenter.ts';

const real = new Intl.Segmenter(undefined, {granularity: 'grapheme'});
const all = Array.from({length: 0x1_00_00}, (_, code) => String.fromCharCode(code));

test('every plain character takes one cell and joins with no other', () => {
  const found = all.filter(character => plainTextPattern.test(character));
  expect(found.length).toBeGreaterThan(1000);
  const text = found.flatMap(character => [character, character, 'a', character, '─']).join('');
  expect(Array.from(graphemeSegmenter.segment(text))).toEqual(Array.from(real.segment(text)));
  expect(found.filter(character => graphemeWidth(character) !== 1)).toEqual([]);
});

test.each(['', 'plain', '\u001B[1m❯\u001B[22m → b\n', 'a\nb\u0000', 'e\u0301', '👩‍👩‍👧', '한국', 'a\r\nb', '→\uFE0F'])(
  'divides %j as Intl does',
  text => {
    const segments = graphemeSegmenter.segment(text);
    expect(Array.from(segments)).toEqual(Array.from(real.segment(text)));
    for (let at = -1; at <= text.length; at++)
      expect(segments.containing(at)).toEqual(real.segment(text).containing(at));
  },
);
