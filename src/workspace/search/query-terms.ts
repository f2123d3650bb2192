/**
 * One word of a query in the form that the search looks for. A long word loses its ending, so that `parsing` finds
 * `parse`, `parser` and `reparsed`. A short word matches only at the beginning of a word, or of a part of a `camelCase`
 * word.
 */
export interface QueryTerm {
  /** The word in lower case: letters, digits and underscores. */
  readonly text: string;
  /** A regular expression for ripgrep, which ignores case. */
  readonly pattern: string;
  /** Returns how often the term occurs in a text. */
  readonly count: (text: SearchedText) => number;
}

export interface SearchedText {
  readonly plain: string;
  readonly lower: string;
}

const maxTerms = 24;

/** The maximum number of UTF-16 units of a query to read. */
const maxQueryLength = 2000;

/**
 * Returns the significant words of a query, each once, in order. Names from code count whole and split into their words. Stop words, which
 * most questions contain (`how`, `the`, `file`), are dropped unless there is nothing else. Returns nothing if the query has no letter and
 * no digit.
 */
export function queryTerms(query: string): readonly QueryTerm[] {
  const tokens =
    query
      .slice(0, maxQueryLength)
      .normalize()
      .match(/[\p{L}\p{M}\p{N}_]+/gu) ?? [];
  const parts = tokens.flatMap(token => {
    const words = wordsOf(token);
    return words.length > 1 ? [token.toLowerCase(), ...words] : words;
  });
  const significant = parts.filter(word => word.length > 1 && !stopWords.has(word));
  const chosen = significant.length > 0 ? significant : parts;
  return [...new Set(chosen.map(stem))].slice(0, maxTerms).map(termOf);
}

/**
 * Splits a name from code into its words, in lower case: `readHTTPHeader_v2` becomes `read`, `http`, `header`, `v` and `2`. Scripts without
 * spaces are split into pairs of letters.
 */
export const wordsOf = (name: string): readonly string[] =>
  (
    name
      .replaceAll(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1 $2')
      .replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
      .toLowerCase()
      .match(/[\p{L}\p{M}]+|\p{N}+/gu) ?? []
  ).flatMap(word => (unspacedScripts.test(word) ? bigramsOf(word) : [word]));

const unspacedScripts = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

function bigramsOf(word: string): readonly string[] {
  const letters = Array.from(word);
  return letters.length < 3 ? [word] : letters.slice(1).map((letter, at) => `${letters[at] ?? ''}${letter}`);
}

/** Removes a common ending if at least four letters remain. */
function stem(word: string): string {
  const ending = endings.find(each => word.endsWith(each) && word.length - each.length >= minStemLength);
  return ending === undefined || word.endsWith('ss') ? word : word.slice(0, -ending.length);
}

const minStemLength = 4;

/** Longest first, except endings that contain another one. */
const endings =
  'ational izations ization ations ation ements ement ingly ities ings ing ers ions ion ies ied ed es er ly s e'.split(
    ' ',
  );

function termOf(text: string): QueryTerm {
  if (text.length > maxShortTerm || unspacedScripts.test(text)) {
    return {text, pattern: text, count: ({lower}) => occurrencesOf(text, lower).length};
  }
  const capital = text.slice(0, 1).toUpperCase() + text.slice(1);
  return {
    text,
    pattern: `(?:\\b|_)${text}|(?-i:[\\p{Ll}\\p{N}]${capital})`,
    count: searched => occurrencesOf(text, searched.lower).filter(at => beginsWord(searched, at)).length,
  };
}

/** The length up to which a word matches only at the beginning of a word: `passed` contains `sse`. */
const maxShortTerm = 3;

/** True if a word of a name begins at an offset: after a non-letter, or with a capital after a small letter. */
function beginsWord({plain, lower}: SearchedText, at: number): boolean {
  if (!letterOrDigit.test(lower.charAt(at - 1))) return true;
  return plain.charAt(at) !== lower.charAt(at) && plain.charAt(at - 1) === lower.charAt(at - 1);
}

const letterOrDigit = /[\p{L}\p{N}]/u;

function occurrencesOf(word: string, text: string): readonly number[] {
  const places: number[] = [];
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) places.push(at);
  return places;
}

/** Words that say nothing about the code to find. */
const stopWords = new Set(
  (
    'a about after all also an and any are as at be because been before between both but by can could decided defined did do does ' +
    'done determined each every for from had handled happens has have how i if implemented in inside instead into is it its logic ' +
    'me my not of off on or our out over own place show so some such tell than that the their them then there these they this ' +
    'those to too up use used uses using was we were what when where which while who why will with would you your ' +
    'code file files find function'
  ).split(' '),
);
