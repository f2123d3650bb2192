/** Whether a name (a path's part, without slashes) fits. */
export type NamePattern = (name: string) => boolean;

/**
 * One part of a glob: `*` any characters, `?` one, `[a-z]` one of a set, `[!a]` or `[^a]` one that is not in it, `\x` the
 * character itself. Characters are code points.
 */
export function readNamePattern(pattern: string): NamePattern {
  const tokens = tokensOf(pattern);
  return name => tokensFit(tokens, Array.from(name));
}

type Token = '*' | '?' | {readonly is: string} | CharacterSet;

interface CharacterSet {
  readonly ranges: readonly (readonly [from: string, to: string])[];
  readonly meaning: 'one-of' | 'none-of';
}

function tokensOf(pattern: string): readonly Token[] {
  const tokens: Token[] = [];
  const chars = Array.from(pattern);
  for (let at = 0; at < chars.length; at += 1) {
    const char = chars[at] ?? '';
    const close = char === '[' ? closeOf(chars, at) : -1;
    if (close > 0) {
      tokens.push(setOf(chars.slice(at + 1, close)));
      at = close;
    } else if (char === '*') {
      if (tokens.at(-1) !== '*') tokens.push('*');
    } else if (char === '?') tokens.push('?');
    else if (char === '\\' && at + 1 < chars.length) {
      at += 1;
      tokens.push({is: chars[at] ?? ''});
    } else tokens.push({is: char});
  }
  return tokens;
}

/** Where the set that begins at `open` ends; -1 when it does not. A `]` that comes first is a member. */
function closeOf(chars: readonly string[], open: number): number {
  const first = isNegation(chars[open + 1]) ? open + 2 : open + 1;
  return chars.indexOf(']', chars[first] === ']' ? first + 1 : first);
}

const isNegation = (char: string | undefined): boolean => char === '!' || char === '^';

function setOf(inner: readonly string[]): CharacterSet {
  const negated = isNegation(inner[0]);
  const members = negated ? inner.slice(1) : inner;
  const ranges: (readonly [string, string])[] = [];
  for (let at = 0; at < members.length; at += 1) {
    const from = members[at] ?? '';
    const to = members[at + 1] === '-' ? members[at + 2] : undefined;
    ranges.push([from, to ?? from]);
    if (to !== undefined) at += 2;
  }
  return {ranges, meaning: negated ? 'none-of' : 'one-of'};
}

/** Goes on from the last `*` where a character does not fit: only the last one ever needs to take more. */
function tokensFit(tokens: readonly Token[], chars: readonly string[]): boolean {
  let token = 0;
  let char = 0;
  let afterStar = -1;
  let taken = 0;
  while (char < chars.length) {
    const wanted = tokens[token];
    if (wanted === '*') {
      token += 1;
      afterStar = token;
      taken = char;
    } else if (wanted !== undefined && tokenFits(wanted, chars[char] ?? '')) {
      token += 1;
      char += 1;
    } else if (afterStar >= 0) {
      taken += 1;
      token = afterStar;
      char = taken;
    } else return false;
  }
  while (tokens[token] === '*') token += 1;
  return token === tokens.length;
}

function tokenFits(token: Exclude<Token, '*'>, char: string): boolean {
  if (token === '?') return true;
  if ('is' in token) return token.is === char;
  const point = pointOf(char);
  // A range that runs backwards holds nothing, as in a shell.
  const found = token.ranges.some(([from, to]) => pointOf(from) <= point && point <= pointOf(to));
  return found === (token.meaning === 'one-of');
}

const pointOf = (char: string): number => char.codePointAt(0) ?? -1;
