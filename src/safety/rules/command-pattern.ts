import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {collapseSpaces} from '../../base/clip.ts';
import type {CommandForms} from '../commands/command-forms.ts';
import {matchStars} from '../../base/glob.ts';

/**
 * A pattern for commands: words as the shell reads them, in which a `*` without quotes or backslash stands for any text, of
 * several words too; `beginning` (written `git status:*`) lets any arguments follow.
 */
export interface CommandPattern {
  /** As it was written, without the closing `:*`. */
  readonly text: string;
  readonly reach: 'whole' | 'beginning';
  /** Its characters without quotes, words apart by `wordGap`, each star as `anyText`. */
  readonly elements: readonly string[];
}

/** Reads `git status:*` or `npm run *`; one without a command is refused. */
export function parseCommandPattern(written: string): Outcome<CommandPattern, string> {
  const trimmed = written.trim();
  const beginning = trimmed.endsWith(':*') ? trimmed.slice(0, -2).trim() : undefined;
  const text = beginning ?? trimmed;
  if (text === '') return failed('the pattern names no command; leave the parentheses out to mean every command');
  return ok({text, reach: beginning === undefined ? 'whole' : 'beginning', elements: elementsOf(text)});
}

/**
 * For rules that allow: whether the pattern covers a simple command of these literal words, the program first. An argument with a
 * space in it is one word; `./a` is the same as `a`, and a path in `home`, the user's home folder, the same as `~/…`. Redirections,
 * assignments and wrappers of the command have to be judged elsewhere.
 */
export function coversWords(
  {elements, reach}: CommandPattern,
  {words, home}: {readonly words: readonly string[]; readonly home: string},
): boolean {
  if (words.some(word => word.includes(wordGap))) return false;
  const covers = (pattern: readonly string[], run: string): boolean =>
    matchStars(pattern, run, wildly) ||
    (reach === 'beginning' && matchStars([...pattern, wordGap, anyText], run, wildly));
  const written = words.join(wordGap);
  if (covers(elements, written)) return true;
  const shortened = words.map((word, at) => shortSpelling(word, {at, home})).join(wordGap);
  return covers(shortElements(elements), shortened);
}

/** The words that every command has that the pattern covers, and whether more words may follow them. */
export function fixedWords({elements, reach}: CommandPattern): {
  readonly words: readonly string[];
  readonly open: boolean;
} {
  const star = elements.indexOf(anyText);
  const fixed = star < 0 ? elements : elements.slice(0, Math.max(0, elements.lastIndexOf(wordGap, star)));
  return {words: fixed.length === 0 ? [] : fixed.join('').split(wordGap), open: star >= 0 || reach === 'beginning'};
}

/** For rules that allow: whether the command is the very text that was allowed. See `exactPattern`. */
export const isTextOf = ({text, reach, elements}: CommandPattern, command: string): boolean =>
  reach === 'whole' && !elements.includes(anyText) && text === exactPattern(command);

/** The pattern for this text and no other. */
export function exactPattern(command: string): string {
  const text = command.trim();
  let pattern = '';
  for (const {from, to, value} of charactersOf(text)) {
    pattern += value === anyText ? '\\*' : text.slice(from, to);
  }
  return pattern;
}

/** For rules that ask or deny: whether the pattern fits some part of the command in some form, or some of the command is unparsed. */
export const fitsSomeForm = (pattern: CommandPattern, {forms, run, extent}: CommandForms): boolean => {
  if (extent === 'partial') return true;
  const spellings = [Array.from(collapseSpaces(pattern.text), starred), pattern.elements.map(spaced)];
  const wanted = spellings.flatMap(spelling =>
    pattern.reach === 'beginning' ? [spelling, [...spelling, ' ', anyText]] : [spelling],
  );
  const isIn = (read: readonly string[]): boolean =>
    read.some(form => wanted.some(each => matchStars(each, form, wildly)));
  // A pattern with an operator speaks of more than one command, and is compared with all forms.
  return isIn(forms) && (/[|&;<>()`\n]/u.test(pattern.text) || isIn(run()));
};

/** The element that stands for any text. */
const anyText = '';

/** The element between words; no word of a command can have it. */
const wordGap = '\0';

const wildly = {
  isStar: (wanted: string): boolean => wanted === anyText,
  fits: (wanted: string, found: string): boolean => wanted === found,
};

/** In rules that ask or deny every star is a wildcard, quoted or not: a rule that is too wide lets nothing through. */
const starred = (character: string): string => (character === '*' ? anyText : character);

const spaced = (element: string): string => (element === wordGap ? ' ' : starred(element));

const elementsOf = (text: string): readonly string[] => {
  const elements: string[] = [];
  for (const {value} of charactersOf(text)) {
    if (value === anyText || value === wordGap) elements.push(value);
    else for (let at = 0; at < value.length; at += 1) elements.push(value.charAt(at));
  }
  return elements;
};

/** A part of the pattern and what it stands for: `anyText`, `wordGap`, or characters without quotes. */
interface Read {
  readonly from: number;
  readonly to: number;
  readonly value: string;
}

/** Quotes that are not closed, and a backslash at the end, stand for themselves. */
function* charactersOf(text: string): Generator<Read> {
  for (let from = 0; from < text.length;) {
    const char = text.charAt(from);
    const read = /\s/u.test(char) ? gapAt(text, from) : char === '\\' ? escapeAt(text, from) : quoteAt(text, from);
    const {to, value} = read ?? {to: from + 1, value: starred(char)};
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

/** The word without leading `./`. A program without a folder behind its `./` keeps it: without it the shell would look for it in PATH. */
function shortSpelling(word: string, {at, home}: {readonly at: number; readonly home: string}): string {
  if (home !== '' && home !== '/' && word.startsWith(`${home}/`)) return `~${word.slice(home.length)}`;
  return word.slice(leadingDots(word, at));
}

/** The elements of a pattern without leading `./`. Before a star it stays, since what the star stands for could be an option. */
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
