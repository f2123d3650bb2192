import * as fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import * as buffer from '../../src/tui/editor/text-buffer.ts';
import {boundaryAfter, boundaryBefore, boundaryFrom} from '../../src/tui/editor/text-buffer.ts';

/** `|` marks the cursor. */
const read = (marked: string): buffer.TextBuffer => ({text: marked.replace('|', ''), cursor: marked.indexOf('|')});
const show = ({text, cursor}: buffer.TextBuffer): string => `${text.slice(0, cursor)}|${text.slice(cursor)}`;

type Edit = (from: buffer.TextBuffer) => buffer.TextBuffer;

describe('text buffer', () => {
  test.each<[string, Edit, string, string]>([
    ['left', buffer.moveLeft, 'ab|', 'a|b'],
    ['left over a family', buffer.moveLeft, 'a👩‍👩‍👧|', 'a|👩‍👩‍👧'],
    ['left over a combined letter', buffer.moveLeft, 'e\u0301|', '|e\u0301'],
    ['left over a line feed', buffer.moveLeft, 'a\n|b', 'a|\nb'],
    ['right at the end', buffer.moveRight, 'ab|', 'ab|'],
    ['word left', buffer.moveWordLeft, 'one two-three|', 'one two-|three'],
    ['word left over spaces', buffer.moveWordLeft, 'one  |', '|one  '],
    ['word right', buffer.moveWordRight, '|one two', 'one| two'],
    ['word right over signs', buffer.moveWordRight, 'a| -- b', 'a -- b|'],
    ['line start', buffer.moveLineStart, 'a\nbc|', 'a\n|bc'],
    ['line end', buffer.moveLineEnd, '|a\nb', 'a|\nb'],
    ['backspace', buffer.deleteLeft, 'a日|b', 'a|b'],
    ['delete', buffer.deleteRight, 'a|日b', 'a|b'],
    ['delete word', buffer.deleteWord, 'one two |x', 'one |x'],
    ['delete word to the right', buffer.deleteWordRight, 'a |two three', 'a | three'],
    ['to start', buffer.deleteToStart, 'a\nbc|d', 'a\n|d'],
    ['to start at the start', buffer.deleteToStart, 'a\n|b', 'a|b'],
    ['to end', buffer.deleteToEnd, 'a|bc\nd', 'a|\nd'],
    ['to end at the end', buffer.deleteToEnd, 'a|\nb', 'a|b'],
  ])('%s', (_name, edit, from, to) => {
    expect(show(edit(read(from)))).toBe(to);
  });

  test('after any edits the cursor is in the text and between graphemes', () => {
    const edits: readonly Edit[] = [
      buffer.moveLeft,
      buffer.moveRight,
      buffer.moveWordLeft,
      buffer.moveWordRight,
      buffer.moveLineStart,
      buffer.moveLineEnd,
      buffer.deleteLeft,
      buffer.deleteRight,
      buffer.deleteWord,
      buffer.deleteWordRight,
      buffer.deleteToStart,
      buffer.deleteToEnd,
      ...['a', ' ', '\n', '日', '👩‍👩‍👧', '\u0301', '\u200D', '🇩🇪'].map(
        (text): Edit =>
          from =>
            buffer.insert(from, text),
      ),
    ];
    const segmenter = new Intl.Segmenter(undefined, {granularity: 'grapheme'});
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...edits), {maxLength: 60}), steps => {
        const {text, cursor} = steps.reduce((from, edit) => edit(from), buffer.emptyBuffer);
        const borders = new Set([...segmenter.segment(text)].map(({index}) => index));
        expect(cursor === text.length || borders.has(cursor)).toBe(true);
      }),
    );
  });
});

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
        expect(boundaryBefore(text, at)).toBe(isStart(at) ? at : borders.findLast(border => border < at));
        expect(boundaryAfter(text, at)).toBe(isEnd(at) ? at : borders.find(border => border > at));
      }
      for (let at = 0; at <= text.length; at++) {
        expect(boundaryFrom(text, at)).toBe(borders.find(border => border >= at));
      }
    }),
    {numRuns: 1000},
  );
});
