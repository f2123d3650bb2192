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
    fc.property(
      fc.string({
        unit: fc.oneof(
          fc.integer({min: 0, max: 0x10ffff}).map(code => String.fromCodePoint(code)),
          fc.constantFrom('a', 'Z', '_', 'é', ' ', '9', 'İ', 'ß', '定'),
        ),
        maxLength: 200,
      }),
      query => {
        const terms = queryTerms(query.repeat(20));
        const found = terms.map(({text}) => text);
        expect({
          tooMany: found.length > 24,
          twice: found.length - new Set(found).size,
          odd: found.filter(text => !/^[\p{L}\p{M}\p{N}_]+$/u.test(text) || text.toLowerCase() !== text),
          notInThemselves: terms.filter(({text, count}) => count({plain: text, lower: text}) === 0),
          otherwisePatterned: terms.filter(({text, pattern}) => !pattern.includes(text)),
        }).toEqual({tooMany: false, twice: 0, odd: [], notInThemselves: [], otherwisePatterned: []});
      },
    ),
  );
});
