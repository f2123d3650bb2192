import {NotUnderstood, type Scan} from './shell-scan.ts';

/** Words one pair of braces may come to. */
const mostAlternatives = 64;

/**
 * Reads `{a,b}` or `{1..5}` with nothing but plain characters in it; `undefined` where a brace is only a brace, as in `HEAD@{1}`
 * or `{}`. Everything between the two, which bash might expand, is not understood.
 */
export function readBraces(scan: Scan): readonly string[] | undefined {
  const word = /^\{[^\s;&|()<>]*/u.exec(scan.text.slice(scan.at, scan.at + longestWord))?.[0] ?? '';
  const simple = /^\{([\w./@=+-]*(?:,[\w./@=+-]*)+)\}/u.exec(word);
  if (simple !== null && !simple[0].includes('..')) {
    scan.at += simple[0].length;
    return bounded((simple[1] ?? '').split(','), scan);
  }
  const range = /^\{(0|[1-9]\d{0,3})\.\.(0|[1-9]\d{0,3})\}/u.exec(word);
  if (range !== null) {
    scan.at += range[0].length;
    return bounded(numbers(Number(range[1]), Number(range[2])), scan);
  }
  if (!isOnlyBrace(word)) throw new NotUnderstood('braces that may expand', scan.at);
  scan.at += 1;
  return undefined;
}

/** Characters of a word that are looked at; in a longer one no brace is taken for only a brace. */
const longestWord = 2000;

function isOnlyBrace(word: string): boolean {
  if (word.length === longestWord) return false;
  const closings = word.split('}').length - 1;
  const divides = /,|\.\./u.test(word);
  if (/^\{[\w.@:^~/+-]*\}/u.test(word)) return !divides || (closings === 1 && !/^\{[^}]*\.\./u.test(word));
  return closings === 0 && !divides && !/["'\\$`{]/u.test(word.slice(1));
}

function bounded(alternatives: readonly string[], {at}: Scan): readonly string[] {
  if (alternatives.length > mostAlternatives) throw new NotUnderstood('braces that come to very many words', at);
  return alternatives;
}

function numbers(from: number, to: number): readonly string[] {
  const step = from <= to ? 1 : -1;
  return Array.from({length: Math.abs(to - from) + 1}, (_, index) => String(from + index * step));
}
