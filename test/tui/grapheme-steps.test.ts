import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {borderAfter, borderBefore, borderFrom} from '../../src/tui/text/grapheme-steps.ts';

const units = ['a', '1', ' ', '\n', '\t', 'é', '\u0301', '日', 'が', '\u3099', '한', '\u1112', '\u1161', '\u11AB'];
const more = ['👩', '\u200D', '👧', '🏽', '🇩', '🇪', '\uFE0F', '\u20E3', 'ก', '\u0E33', 'क', '\u094D', '\u0600', 'ש'];

test('each step goes to the next border of the whole line', () => {
  const segmenter = new Intl.Segmenter(undefined, {granularity: 'grapheme'});
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...units, ...more), {maxLength: 30}), parts => {
      const text = parts.join('');
      const borders: number[] = [];
      let from = 0;
      for (const line of text.split('\n')) {
        for (const {index} of segmenter.segment(line)) borders.push(from + index);
        from += line.length;
        borders.push(from);
        from++;
      }
      const isStart = (at: number): boolean => at === 0 || text[at - 1] === '\n';
      const isEnd = (at: number): boolean => at === text.length || text[at] === '\n';
      for (const at of borders) {
        expect(borderBefore(text, at)).toBe(isStart(at) ? at : borders.findLast(border => border < at));
        expect(borderAfter(text, at)).toBe(isEnd(at) ? at : borders.find(border => border > at));
      }
      for (let at = 0; at <= text.length; at++) {
        expect(borderFrom(text, at)).toBe(borders.find(border => border >= at));
      }
    }),
    {numRuns: 1000},
  );
});
