import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {collapseSpaces} from '../../base/clip.ts';
import type {CommandForms} from '../commands/command-forms.ts';
import {matchStars} from '../../base/glob.ts';

/**
 * A pattern for commands. Its words are read as the shell reads them. A `*` without quotes or backslash matches any text,
 * including several words. `beginning` (written `git status:*`) allows any arguments to follow.
 */
export interface CommandPattern {
  /** The pattern as written, without the final `:*`. */
  readonly text: string;
  readonly reach: 'whole' | 'beginning';
  /** The characters without quotes. `wordGap` separates words, and `anyText` represents a star. */
  readonly elements: readonly string[];
}

/** Reads a pattern such as `git status:*` or `npm run *`. A pattern without a command is an error. */
export function parseCommandPattern(written: string): Outcome<CommandPattern, string> {
  const trimmed = written.trim();
  const beginning = trimmed.endsWith(':*') ? trimmed.slice(0, -2).trim() : undefined;
  const text = beginning ?? trimmed;
  if (text === '') return failed('the pattern names no command; leave the parentheses out to mean every command');
  return ok({text, reach: beginning === undefined ? 'whole' : 'beginning', elements: elementsOf(text)});
}

/**
 * For allow rules: true if the pattern matches a simple command with these literal words, the program first.
 *
 * An argument that contains a space is one word. `./a` equals `a`, and a path in `home`, the user's home folder, equals `~/…`.
 * The caller judges redirections, assignments and wrappers.
 */
export function coversWords(
  {elements, reach}: CommandPattern,
  {words, home}: {readonly words: readonly string[]; readonly home: string},
): boolean {
  if (words.some(word => word.includes(wordGap))) return false;
  const covers = (pattern: readonly string[], run: string): boolean =>
    matchStars(pattern, run, starMatching) ||
    (reach === 'beginning' && matchStars([...pattern, wordGap, anyText], run, starMatching));
  const written = words.join(wordGap);
  if (covers(elements, written)) return true;
  const shortened = words.map((word, at) => shortSpelling(word, {at, home})).join(wordGap);
  return covers(shortElements(elements), shortened);
}

/** Returns the words that every matching command begins with, and whether more words may follow (`open`). */
export function fixedWords({elements, reach}: CommandPattern): {
  readonly words: readonly string[];
  readonly open: boolean;
} {
  const star = elements.indexOf(anyText);
  const fixed = star < 0 ? elements : elements.slice(0, Math.max(0, elements.lastIndexOf(wordGap, star)));
  return {words: fixed.length === 0 ? [] : fixed.join('').split(wordGap), open: star >= 0 || reach === 'beginning'};
}

/** For allow rules: true if the command is exactly the text that was allowed. See `exactPattern`. */
export const matchesExactText = ({text, reach, elements}: CommandPattern, command: string): boolean =>
  reach === 'whole' && !elements.includes(anyText) && text === exactPattern(command);

/** Returns the pattern that matches only this text. */
export function exactPattern(command: string): string {
  const text = command.trim();
  let pattern = '';
  for (const {from, to, value} of readPieces(text)) {
    pattern += value === anyText ? '\\*' : text.slice(from, to);
  }
  return pattern;
}

/** For ask and deny rules: true if the pattern matches some part of the command in some form, or if some of the command was not parsed. */
export const matchesSomeForm = (pattern: CommandPattern, {forms, run, extent}: CommandForms): boolean => {
  if (extent === 'partial') return true;
  const spellings = [Array.from(collapseSpaces(pattern.text), toElement), pattern.elements.map(toSpacedElement)];
  const wanted = spellings.flatMap(spelling =>
    pattern.reach === 'beginning' ? [spelling, [...spelling, ' ', anyText]] : [spelling],
  );
  const isIn = (read: readonly string[]): boolean =>
    read.some(form => wanted.some(each => matchStars(each, form, starMatching)));
  // A pattern with an operator describes more than one command, so it is compared with all forms.
  return isIn(forms) && (/[|&;<>()`\n]/u.test(pattern.text) || isIn(run()));
};

const anyText = '';

/** The element between words. No word of a command can contain it. */
const wordGap = '\0';

const starMatching = {
  isStar: (wanted: string): boolean => wanted === anyText,
  fits: (wanted: string, found: string): boolean => wanted === found,
};

/** In ask and deny rules every star is a wildcard, quoted or not: a rule that is too wide allows nothing. */
const toElement = (character: string): string => (character === '*' ? anyText : character);

const toSpacedElement = (element: string): string => (element === wordGap ? ' ' : toElement(element));

const elementsOf = (text: string): readonly string[] => {
  const elements: string[] = [];
  for (const {value} of readPieces(text)) {
    if (value === anyText || value === wordGap) elements.push(value);
    else for (let at = 0; at < value.length; at += 1) elements.push(value.charAt(at));
  }
  return elements;
};

/** A piece of the pattern and its meaning: `anyText`, `wordGap`, or characters without quotes. */
interface Read {
  readonly from: number;
  readonly to: number;
  readonly value: string;
}

/** Splits a pattern into its pieces. An unclosed quote and a final backslash are literal. */
function* readPieces(text: string): Generator<Read> {
  for (let from = 0; from < text.length;) {
    const char = text.charAt(from);
    const read = /\s/u.test(char) ? gapAt(text, from) : char === '\\' ? escapeAt(text, from) : quoteAt(text, from);
    const {to, value} = read ?? {to: from + 1, value: toElement(char)};
    if (to > from) yield {from, to, value};
    from = to;
  }
}

function gapAt(text: string, from: number): Omit<Read, 'from'> {
  let to = from;
  while (to < text.length && /\s/u.test(text.charAt(to))) to += 1;
  return {to, value: wordGap};
}

const escapeAt = (text: string, from: number): Omit<Read, 'from'> | undefined =>
  from + 1 < text.length ? {to: from + 2, value: text.charAt(from + 1)} : undefined;

function quoteAt(text: string, from: number): Omit<Read, 'from'> | undefined {
  const quote = text.charAt(from);
  if (quote === "'") {
    const end = text.indexOf("'", from + 1);
    return end < 0 ? undefined : {to: end + 1, value: text.slice(from + 1, end)};
  }
  if (quote !== '"') return undefined;
  const found = /"((?:[^"\\]|\\[\s\S])*)"/uy;
  found.lastIndex = from;
  const match = found.exec(text);
  return match === null
    ? undefined
    : {to: from + match[0].length, value: (match[1] ?? '').replaceAll(/\\(["\\$`])/gu, '$1')};
}

/**
 * Returns the word without leading `./`. A program name without a folder keeps its `./`, because the shell would look for it in
 * PATH without it.
 */
function shortSpelling(word: string, {at, home}: {readonly at: number; readonly home: string}): string {
  if (home !== '' && home !== '/' && word.startsWith(`${home}/`)) return `~${word.slice(home.length)}`;
  return word.slice(leadingDots(word, at));
}

/** Returns the elements of a pattern without leading `./`. A `./` before a star stays, because the star could otherwise match an option. */
function shortElements(elements: readonly string[]): readonly string[] {
  const short: string[] = [];
  let from = 0;
  for (let word = 0; from <= elements.length; word += 1) {
    const gap = elements.indexOf(wordGap, from);
    const to = gap < 0 ? elements.length : gap;
    const written = elements.slice(from, to);
    const skipped = leadingDots(written.map(element => (element === anyText ? '*' : element)).join(''), word);
    if (word > 0) short.push(wordGap);
    short.push(...(written[skipped] === anyText ? written : written.slice(skipped)));
    from = to + 1;
  }
  return short;
}

function leadingDots(word: string, at: number): number {
  const dots = /^(?:\.\/+)+(?=[^-/])/u.exec(word)?.[0].length ?? 0;
  return at === 0 && !word.slice(dots).includes('/') ? 0 : dots;
}
