import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {queryTerms, wordsOf} from '../../../../src/workspace/search/query-terms.ts';

const texts = (query: string): readonly string[] => queryTerms(query).map(({text}) => text);
const counted = (word: string, plain: string): number | undefined =>
  queryTerms(word)[0]?.count({plain, lower: plain.toLowerCase()});

test.each<[string, readonly string[]]>([
  ['How does the file watcher debounce its events?', ['watch', 'debounc', 'event']],
  ['parsing of parsed expressions', ['pars', 'express']],
  ['readHTTPHeader_v2', ['readhttpheader_v2', 'read', 'http', 'head']],
  ['class process string', ['class', 'process', 'string']],
  ['where is it', ['wher', 'is', 'it']],
  ['retry retry Retries', ['retry', 'retr']],
  ['設定ファイル', ['設定ファイル', '設定', '定フ', 'ファ', 'ァイ', 'イル']],
  ['señal İstanbul', ['señal', 'i̇stanbul']],
  ['!?… --', []],
  ['', []],
])('the words of %j', (query, words) => {
  expect(texts(query)).toEqual(words);
});

test('a long word is found inside of others, a short one at the beginning of a word alone', () => {
  expect(counted('parsing', 'parse() reparsed PARSER')).toBe(3);
  expect(counted('sse', 'sse sseStream startSse SSE_PORT passed assert essence')).toBe(4);
  expect(counted('設定', 'この設定は')).toBe(1);
});

const word = fc.stringMatching(/^[a-z]{2,9}$/u);
const joined = fc
  .tuple(
    fc.array(word, {minLength: 1, maxLength: 5}),
    fc.constantFrom('camel', 'Pascal', 'snake', 'kebab', 'SCREAMING'),
  )
  .map(([words, style]) => ({words, name: nameOf(words, style)}));

function nameOf(words: readonly string[], style: string): string {
  const capitals = words.map(each => each.slice(0, 1).toUpperCase() + each.slice(1));
  if (style === 'camel') return (words[0] ?? '') + capitals.slice(1).join('');
  if (style === 'Pascal') return capitals.join('');
  if (style === 'SCREAMING') return words.join('_').toUpperCase();
  return words.join(style === 'snake' ? '_' : '-');
}

test('a name gives the words that it was made of, however it is written', () => {
  fc.assert(
    fc.property(joined, ({words, name}) => {
      expect(wordsOf(name)).toEqual(words);
    }),
  );
});

test('any text gives a bounded number of different words, in lower case, that are found in themselves and change nothing as patterns', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({unit: 'grapheme'}), fc.string({unit: 'binary', maxLength: 5000})), query => {
      const terms = queryTerms(query);
      expect(terms.length).toBeLessThanOrEqual(24);
      expect(new Set(terms.map(({text}) => text)).size).toBe(terms.length);
      for (const {text, pattern, count} of terms) {
        expect(text).toMatch(/^[\p{L}\p{M}\p{N}_]+$/u);
        expect(text.toLowerCase()).toBe(text);
        expect(pattern).toContain(text);
        expect(count({plain: text, lower: text})).toBeGreaterThan(0);
      }
    }),
  );
});
