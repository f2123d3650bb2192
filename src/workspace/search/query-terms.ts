/**
 * One word of a query, as it is looked for in files: without its ending where it is long enough to be told by its beginning, so that
 * `parsing` finds `parse`, `parser` and `reparsed`. A short one counts at the beginning of a word alone, also in `camelCase`.
 */
export interface QueryTerm {
  /** Letters, digits and underscores in lower case. */
  readonly text: string;
  /** A regular expression of ripgrep's, which reads it without regard to case. */
  readonly pattern: string;
  /** How often it stands in a text. */
  readonly count: (text: SearchedText) => number;
}

export interface SearchedText {
  readonly plain: string;
  readonly lower: string;
}

const maxTerms = 24;

/** Units of a query that are read. */
const longestQuery = 2000;

/**
 * The words of a query that say something, each once, in their order: names of code are split into their words and looked for as a
 * whole, too. Only words that most questions have (`how`, `the`, `file`) are left out, unless there are no others. Empty when the
 * query holds no letter and no digit.
 */
export function queryTerms(query: string): readonly QueryTerm[] {
  const tokens =
    query
      .slice(0, longestQuery)
      .normalize()
      .match(/[\p{L}\p{M}\p{N}_]+/gu) ?? [];
  const parts = tokens.flatMap(token => {
    const words = wordsOf(token);
    return words.length > 1 ? [token.toLowerCase(), ...words] : words;
  });
  const telling = parts.filter(word => word.length > 1 && !emptyWords.has(word));
  const chosen = telling.length > 0 ? telling : parts;
  return [...new Set(chosen.map(stem))].slice(0, maxTerms).map(termOf);
}

/**
 * The words that a name of code is made of, in lower case: `readHTTPHeader_v2` is `read`, `http`, `header`, `v` and `2`. Scripts that
 * write no spaces are split into pairs of letters.
 */
export const wordsOf = (name: string): readonly string[] =>
  (
    name
      .replaceAll(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1 $2')
      .replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
      .toLowerCase()
      .match(/[\p{L}\p{M}]+|\p{N}+/gu) ?? []
  ).flatMap(word => (unspaced.test(word) ? pairsOf(word) : [word]));

const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

function pairsOf(word: string): readonly string[] {
  const letters = Array.from(word);
  return letters.length < 3 ? [word] : letters.slice(1).map((letter, at) => `${letters[at] ?? ''}${letter}`);
}

/** Cuts a common ending off, as long as four letters and more are left to tell the word by. */
function stem(word: string): string {
  const ending = endings.find(each => word.endsWith(each) && word.length - each.length >= shortestStem);
  return ending === undefined || word.endsWith('ss') ? word : word.slice(0, -ending.length);
}

const shortestStem = 4;

/** Longest first, but for what has another ending in it. */
const endings =
  'ational izations ization ations ation ements ement ingly ities ings ing ers ions ion ies ied ed es er ly s e'.split(
    ' ',
  );

function termOf(text: string): QueryTerm {
  if (text.length > longestShort || unspaced.test(text)) {
    return {text, pattern: text, count: ({lower}) => placesOf(text, lower).length};
  }
  const capital = text.slice(0, 1).toUpperCase() + text.slice(1);
  return {
    text,
    pattern: `(?:\\b|_)${text}|(?-i:[\\p{Ll}\\p{N}]${capital})`,
    count: searched => placesOf(text, searched.lower).filter(at => beginsWord(searched, at)).length,
  };
}

/** Letters up to which a word counts at the beginning of a word alone: `sse` is in `passed`. */
const longestShort = 3;

/** Whether a word of a name begins at a place of a text: behind what is no letter, or with a capital behind a small letter. */
function beginsWord({plain, lower}: SearchedText, at: number): boolean {
  if (!letterOrDigit.test(lower.charAt(at - 1))) return true;
  return plain.charAt(at) !== lower.charAt(at) && plain.charAt(at - 1) === lower.charAt(at - 1);
}

const letterOrDigit = /[\p{L}\p{N}]/u;

function placesOf(word: string, text: string): readonly number[] {
  const places: number[] = [];
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) places.push(at);
  return places;
}

/** Words that say nothing of the code that is looked for. */
const emptyWords = new Set(
  (
    'a about after all also an and any are as at be because been before between both but by can could decided defined did do does ' +
    'done determined each every for from had handled happens has have how i if implemented in inside instead into is it its logic ' +
    'me my not of off on or our out over own place show so some such tell than that the their them then there these they this ' +
    'those to too up use used uses using was we were what when where which while who why will with would you your ' +
    'code file files find function'
  ).split(' '),
);
