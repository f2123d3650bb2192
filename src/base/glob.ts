import {failed, ok, type Outcome} from './outcome.ts';
import {unreachable} from './unreachable.ts';

/**
 * The only glob matcher of weft. Searches, ignore rules, permission rules and the judge of commands use it. They differ
 * in the folder that a pattern is relative to, in the part of a path that is compared, and in the options of
 * `compileName`. The time of a match is bounded by the length of the pattern times the length of the text. Patterns
 * come from models and repositories, and a regular expression made from one could run forever.
 */

/** Tests a path that is relative to the folder of the glob and has `/` between its parts. */
export type PathTest = (path: string) => boolean;

/**
 * Compiles a glob as ignore files read it: `*` and `?` stay within a part, `**` crosses parts, `[…]` and `{a,b}` as in
 * shells. A pattern without a slash names files at any depth. A pattern with a slash starts at the folder. A final
 * slash means everything below. The error says which bound the pattern exceeds.
 */
export function compileGlob(pattern: string): Outcome<PathTest, string> {
  const alternatives = expandBraces(pattern);
  if (alternatives.tag === 'failed') return alternatives;
  const wanted = alternatives.value.map(partsOf);
  return ok(path => {
    const names = path.split('/');
    return wanted.some(parts => matchStars(parts, names, pathWildcards));
  });
}

/** True if a part of a pattern is more than a name. */
export const hasWildcard = (part: string): boolean => /[*?[{\\]/u.test(part);

/** Splits a glob into the parts between its slashes. A glob without parts matches no path. */
function partsOf(pattern: string): readonly PathPart[] {
  const anchored = pattern.replace(/^(?:\.?\/)+/u, '');
  const below = anchored.endsWith('/') ? `${anchored}**` : anchored;
  const somewhere = !pattern.startsWith('/') && !pattern.startsWith('./') && !below.includes('/');
  const named = below.split('/').filter(text => text !== '');
  if (named.length === 0) return [];
  const texts = somewhere ? ['**', ...named] : named;
  // A final `**` matches everything below the folder, but not the folder itself.
  if (texts.at(-1) === '**') texts.push('*');
  return texts
    .filter((text, at) => text !== '**' || texts[at - 1] !== '**')
    .map(text => (text === '**' ? '**' : compileName(text, {sets: 'exact', hidden: 'like others'})));
}

type PathPart = '**' | NameTest;

const pathWildcards = {
  isStar: (part: PathPart): boolean => part === '**',
  fits: (part: PathPart, name: string): boolean => part !== '**' && part(name),
};

/** Tests a name: one part of a path, without slashes. */
export type NameTest = (name: string) => boolean;

export interface NameOptions {
  /**
   * `exact`: `[a-z]` is one character of a set, `[!a]` or `[^a]` one that is not in it, `\x` the character itself. `widened` is
   * for patterns whose reader is unknown, so that the test accepts every name that any program would accept. A set then matches
   * more characters than it names, and a backslash with the next character matches any text.
   */
  readonly sets: 'exact' | 'widened';
  /** True if a pattern without a leading dot skips names that begin with a dot, as in shells. */
  readonly hidden: 'as in shells' | 'like others';
}

/** Compiles one part of a glob: `*` matches any characters, `?` matches one. Characters are code points. */
export function compileName(pattern: string, {sets, hidden}: NameOptions): NameTest {
  const tokens = (pattern.match(signs[sets]) ?? []).map(sets === 'exact' ? exactToken : widenedToken);
  const skipsHidden = hidden === 'as in shells' && !pattern.startsWith('.');
  return name => !(skipsHidden && name.startsWith('.')) && matchStars(tokens, charactersOf(name), nameWildcards);
}

/** True if the text matches the pattern. `*` is any run of characters and `?` is one character. Nothing else is special. */
export const matchWildcards = (pattern: string, text: string): boolean =>
  matchStars(charactersOf(pattern), charactersOf(text), plainWildcards);

const plainWildcards = {
  isStar: (wanted: string): boolean => wanted === '*',
  fits: (wanted: string, found: string): boolean => wanted === '?' || wanted === found,
};

/** Returns the code points of a text, or the string itself if each code point is one UTF-16 unit. */
const charactersOf = (text: string): ArrayLike<string> =>
  /[\u{10000}-\u{10FFFF}]/u.test(text) ? Array.from(text) : text;

/** Matches the elements of a pattern. A `]` that comes first in a set is a member; a set that does not close is plain text. */
const signs: Readonly<Record<NameOptions['sets'], RegExp>> = {
  exact: /\*+|\\[\s\S]|\[(?=([!^]?\]?))\1[^\]]*\]|[\s\S]/gu,
  widened: /\*+|\\[\s\S]?|\[[!^]?\]?(?:\[([:.=])[^\]]*\1\]|[^\]])*\]|[\s\S]/gu,
};

type Token =
  | {readonly kind: 'star' | 'any' | 'word'}
  | {readonly kind: 'character'; readonly character: string}
  | {
      readonly kind: 'one-of' | 'none-of';
      readonly ranges: readonly (readonly [from: number, to: number])[];
    };

const star: Token = {kind: 'star'};
const any: Token = {kind: 'any'};
const word: Token = {kind: 'word'};

function exactToken(sign: string): Token {
  if (sign.startsWith('*')) return star;
  if (sign === '?') return any;
  if (sign.startsWith('[') && sign.length > 1) return setToken(Array.from(sign.slice(1, -1)));
  return {kind: 'character', character: sign.length > 1 && sign.startsWith('\\') ? sign.slice(1) : sign};
}

function widenedToken(sign: string): Token {
  if (sign.startsWith('*') || sign.startsWith('\\')) return star;
  if (/^\[(?:[A-Za-z]-[A-Za-z]|\d-\d|\w)+\]$/u.test(sign)) return word;
  if (sign === '?' || sign.startsWith('[')) return any;
  return {kind: 'character', character: sign};
}

/** The token of a set. A range that runs backwards is empty, as in a shell. */
function setToken(inner: readonly string[]): Token {
  const negated = inner[0] === '!' || inner[0] === '^';
  const members = (negated ? inner.slice(1) : inner).map(pointOf);
  const ranges: (readonly [number, number])[] = [];
  for (let at = 0; at < members.length; at += 1) {
    const from = members[at] ?? 0;
    const to = members[at + 1] === hyphen ? members[at + 2] : undefined;
    ranges.push([from, to ?? from]);
    if (to !== undefined) at += 2;
  }
  return {kind: negated ? 'none-of' : 'one-of', ranges};
}

const pointOf = (character: string): number => character.codePointAt(0) ?? -1;
const hyphen = pointOf('-');

const nameWildcards = {
  isStar: (token: Token): boolean => token.kind === 'star',
  fits(token: Token, found: string): boolean {
    switch (token.kind) {
      case 'star':
      case 'any':
        return true;
      case 'word':
        return /[\w\u{80}-\u{10FFFF}]/u.test(found);
      case 'character':
        return token.character === found;
      case 'one-of':
      case 'none-of': {
        const point = pointOf(found);
        return token.ranges.some(([from, to]) => from <= point && point <= to) === (token.kind === 'one-of');
      }
      default:
        return unreachable(token);
    }
  },
};

/** Tells `matchStars` which elements of a pattern are stars (any run of elements, even an empty one) and what the others match. */
export interface Wildcards<P, T> {
  readonly isStar: (wanted: P) => boolean;
  readonly fits: (wanted: P, found: T) => boolean;
}

/**
 * True if a pattern with stars matches a whole run of characters, words or names. Only the last star is ever extended,
 * so the time is bounded by the product of the two lengths, whatever the pattern.
 */
export function matchStars<P extends string | object, T extends string | object>(
  pattern: ArrayLike<P>,
  run: ArrayLike<T>,
  {isStar, fits}: Wildcards<P, T>,
): boolean {
  let at = 0;
  let next = 0;
  let afterStar = -1;
  let stretched = 0;
  while (next < run.length) {
    const wanted = pattern[at];
    const found = run[next];
    if (wanted !== undefined && isStar(wanted)) {
      at += 1;
      afterStar = at;
      stretched = next;
    } else if (wanted !== undefined && found !== undefined && fits(wanted, found)) {
      at += 1;
      next += 1;
    } else if (afterStar >= 0) {
      at = afterStar;
      stretched += 1;
      next = stretched;
    } else return false;
  }
  for (; at < pattern.length; at += 1) {
    const wanted = pattern[at];
    if (wanted === undefined || !isStar(wanted)) return false;
  }
  return true;
}

/** The longest pattern in characters, and the maximum number of alternatives that its braces may expand to. */
const longestPattern = 1000;
const maxAlternatives = 100;

/**
 * Expands braces: `a{b,c}d` → `abd`, `acd`, even if nested. A pattern without braces expands to itself. Unclosed braces
 * are plain characters. The error says which bound the pattern exceeds.
 */
export function expandBraces(pattern: string): Outcome<readonly string[], string> {
  if (pattern.length > longestPattern) {
    return failed(`A glob pattern is ${pattern.length} characters long; at most ${longestPattern} are allowed.`);
  }
  const patterns = expand(pattern);
  return patterns === 'too-many'
    ? failed(`The glob pattern ${pattern} has more than ${maxAlternatives} alternatives; give fewer, or use *.`)
    : ok(patterns);
}

type Expansion = readonly string[] | 'too-many';

function expand(pattern: string): Expansion {
  let patterns: readonly string[] = [''];
  let plainFrom = 0;
  for (let at = 0; at < pattern.length; at += 1) {
    const char = pattern[at];
    if (char === '\\') at += 1;
    const braces = char === '{' ? bracesAt(pattern, at) : undefined;
    if (braces === undefined) continue;
    const alternatives = expandEach(braces.parts);
    if (alternatives === 'too-many' || patterns.length * alternatives.length > maxAlternatives) return 'too-many';
    const plain = pattern.slice(plainFrom, at);
    patterns = patterns.flatMap(before => alternatives.map(each => before + plain + each));
    at = braces.end;
    plainFrom = at + 1;
  }
  const rest = pattern.slice(plainFrom);
  return patterns.map(before => before + rest);
}

function expandEach(parts: readonly string[]): Expansion {
  const all: string[] = [];
  for (const part of parts) {
    const expanded = expand(part);
    if (expanded === 'too-many' || all.length + expanded.length > maxAlternatives) return 'too-many';
    all.push(...expanded);
  }
  return all;
}

/** Returns the content of the brace at `start`, split at its own commas, and the position of its end; `undefined` if it does not close. */
function bracesAt(
  pattern: string,
  start: number,
): {readonly parts: readonly string[]; readonly end: number} | undefined {
  let depth = 0;
  let from = start + 1;
  const parts: string[] = [];
  for (let at = start; at < pattern.length; at += 1) {
    const char = pattern[at];
    if (char === '\\') at += 1;
    else if (char === '{') depth += 1;
    else if (char === '}') {
      depth -= 1;
      if (depth === 0) return {parts: [...parts, pattern.slice(from, at)], end: at};
    } else if (char === ',' && depth === 1) {
      parts.push(pattern.slice(from, at));
      from = at + 1;
    }
  }
  return undefined;
}
