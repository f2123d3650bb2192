import type {WordPart, Redirection, Script, Quoting, Word} from './syntax-tree.ts';

/**
 * Reads the word that begins here as bash does with default settings, or returns `undefined` if there is none. Rare syntax that
 * is easily misread is not understood: arrays, ksh patterns, unusual parameter expansions, translated strings.
 */
export function readWord(scan: ParserState): Word | undefined {
  const from = scan.at;
  const parts: WordPart[] = [];
  const tilde = readTilde(scan);
  if (tilde) parts.push({kind: 'home'});
  while (scan.at < scan.text.length && readPart(scan, parts));
  if (scan.at === from) return undefined;
  rejectAmbiguousExpansion(parts, from);
  return {parts: joined(parts), range: {from, to: scan.at}};
}

/** Rejects text whose order of expansion is easily mistaken: `~` after braces, `=` or `:`, and process substitutions in words. */
function rejectAmbiguousExpansion(parts: readonly WordPart[], at: number): void {
  const hasBraces = parts.some(({kind}) => kind === 'braces');
  if (hasBraces && parts.some(({kind}) => kind !== 'braces' && kind !== 'text')) {
    throw new NotUnderstood('braces beside an expansion', at);
  }
  const home = hasBraces ? /~/u : /[=:]~/u;
  const bare = parts.map(part => (part.kind === 'text' && part.style === 'bare' ? part.text : '')).join('');
  if (home.test(bare)) throw new NotUnderstood("somebody's home folder", at);
  if (parts.length > 1 && parts.some(({kind}) => kind === 'process')) {
    throw new NotUnderstood('a process substitution in a word', at);
  }
}

/** Reads the body of a here-document, or text between double quotes. Other quotes and blanks in it are text. */
export function readQuotedText(scan: ParserState, {end}: {readonly end: number | '"'}): readonly WordPart[] {
  const parts: WordPart[] = [];
  const special = end === '"' ? /["$`\\]/gu : /[$`\\]/gu;
  for (;;) {
    special.lastIndex = scan.at;
    const found = special.exec(scan.text)?.index ?? scan.text.length;
    const stop = end === '"' ? found : Math.min(found, end);
    if (stop > scan.at) parts.push(textPart(scan.text.slice(scan.at, stop), 'quoted'));
    scan.at = stop;
    if (stop === end || scan.text.charAt(stop) === end) return parts;
    if (stop >= scan.text.length) throw new NotUnderstood('a quote is not closed', stop);
    if (scan.text.charAt(stop) === '\\') {
      const char = scan.text.charAt(stop + 1);
      scan.at += 2;
      const isSpecial = char !== '' && ('$`\\'.includes(char) || (end === '"' && char === '"'));
      if (char !== '\n') parts.push(textPart(isSpecial ? char : `\\${char}`, 'quoted'));
    } else readExpansion(scan, parts, 'quoted');
    if (typeof end === 'number' && scan.at > end)
      throw new NotUnderstood('a here-document ends inside an expansion', end);
  }
}

function readPart(scan: ParserState, parts: WordPart[]): boolean {
  const char = scan.text.charAt(scan.at);
  const following = scan.text.charAt(scan.at + 1);
  switch (char) {
    case ' ':
    case '\t':
    case '\n':
    case ';':
    case '&':
    case '|':
    case ')':
      return false;
    case '(':
      return notUnderstood('a parenthesis in a word', scan);
    case '<':
    case '>':
      if (following !== '(') return false;
      if (char === '>' || parts.length > 0) return notUnderstood('a process substitution for output', scan);
      scan.at += 2;
      parts.push({kind: 'process', script: readNested(scan, () => scan.readScript(scan, ')'))});
      scan.at += 1;
      return true;
    case '\\':
      if (following === '') return notUnderstood('a backslash at the end', scan);
      scan.at += 2;
      if (following !== '\n') parts.push(textPart(following, 'quoted'));
      return true;
    case "'": {
      const end = scan.text.indexOf("'", scan.at + 1);
      if (end < 0) return notUnderstood('a quote is not closed', scan);
      parts.push(textPart(scan.text.slice(scan.at + 1, end), 'quoted'));
      scan.at = end + 1;
      return true;
    }
    case '"':
      scan.at += 1;
      // An empty string is also a word.
      parts.push(textPart('', 'quoted'), ...readQuotedText(scan, {end: '"'}));
      scan.at += 1;
      return true;
    case '$':
    case '`':
      readExpansion(scan, parts, 'bare');
      return true;
    case '{': {
      const alternatives = readBraces(scan);
      parts.push(alternatives === undefined ? textPart('{', 'bare') : {kind: 'braces', alternatives});
      return true;
    }
    default: {
      plain.lastIndex = scan.at;
      const run = plain.exec(scan.text)?.[0] ?? char;
      parts.push(textPart(run, 'bare'));
      scan.at += run.length;
      return true;
    }
  }
}

/** Matches characters without a meaning to the shell. */
const plain = /[^\s;&|()<>\\'"$`{]+/uy;

/** Reads the expansion that `$` or a backtick begins, bare or between double quotes. */
function readExpansion(scan: ParserState, parts: WordPart[], style: Quoting): void {
  const {text: all, at} = scan;
  if (all.charAt(at) === '`') {
    const end = all.indexOf('`', at + 1);
    // Inside backticks a backslash is read twice.
    if (end < 0 || all.slice(at, end).includes('\\')) notUnderstood('backticks with backslashes', scan);
    const inner: ParserState = {...scan, text: all.slice(0, end), at: at + 1};
    parts.push({kind: 'substitution', script: readNested(inner, () => scan.readScript(inner, 'end')), style});
    scan.at = end + 1;
    return;
  }
  const rest = all.slice(at, at + 200);
  const name = /^\$(?:([A-Za-z_]\w*)|([@*#?$!0-9-]))/u.exec(rest);
  if (name !== null) {
    scan.at += name[0].length;
    parts.push({kind: 'parameter', name: name[1] ?? name[2] ?? '', form: 'plain', style});
    return;
  }
  const braced = /^\$\{([A-Za-z_]\w*)((?:(?:##?|%%?|\/\/?|:[-+]|[-+])[\w.*/ :-]*|\^\^?|,,?|:\d+(?::\d+)?)?)\}/u.exec(
    rest,
  );
  const counted = /^\$\{#([A-Za-z_]\w*)\}/u.exec(rest);
  const found = braced ?? counted;
  if (found !== null) {
    scan.at += found[0].length;
    const form = braced !== null && braced[2] === '' ? 'plain' : 'changed';
    parts.push({kind: 'parameter', name: found[1] ?? '', form, style});
    return;
  }
  if (rest.startsWith('$((')) {
    // Names in arithmetic are evaluated as expressions and may run commands, so only numbers are understood.
    const sum = /^\$\(\([\d\s+*/%()<>=-]*?\)\)/u.exec(rest);
    if (sum === null) return notUnderstood('arithmetic on more than numbers', scan);
    scan.at += sum[0].length;
    parts.push({kind: 'number'});
    return;
  }
  if (rest.startsWith('$(')) {
    scan.at += 2;
    parts.push({kind: 'substitution', script: readNested(scan, () => scan.readScript(scan, ')')), style});
    scan.at += 1;
    return;
  }
  if (rest.startsWith("$'") && style === 'bare') {
    parts.push(textPart(readEscapes(scan), 'quoted'));
    return;
  }
  if (/^\$(?:$|[\s"',.:;%^=/\\|)&\]}~+])/u.test(rest) && !(style === 'bare' && /^\$["']/u.test(rest))) {
    scan.at += 1;
    parts.push(textPart('$', 'quoted'));
    return;
  }
  notUnderstood('an expansion', scan);
}

/** Reads `$'…'` with the common escapes. */
function readEscapes(scan: ParserState): string {
  escaped.lastIndex = scan.at;
  const match = escaped.exec(scan.text);
  if (match === null) return notUnderstood("escapes in $'…'", scan);
  scan.at += match[0].length;
  return (match[1] ?? '').replaceAll(/\\(.)/gu, (_, char: string) => escapes[char] ?? char);
}

const escaped = /\$'((?:[^'\\]|\\[ntr\\'"])*)'/uy;

const escapes: Readonly<Record<string, string>> = {n: '\n', t: '\t', r: '\r'};

/** Reads the `~` of `~` and `~/…`, the user's home folder. Other words that begin with `~` may name another user's home folder. */
function readTilde(scan: ParserState): boolean {
  if (scan.text.charAt(scan.at) !== '~') return false;
  if (!/^~(?:$|[\s/;&|)])/u.test(scan.text.slice(scan.at, scan.at + 2))) notUnderstood("somebody's home folder", scan);
  scan.at += 1;
  return true;
}

/** Joins adjacent texts with the same quoting. */
function joined(parts: readonly WordPart[]): readonly WordPart[] {
  const result: WordPart[] = [];
  for (const part of parts) {
    const last = result.at(-1);
    if (part.kind === 'text' && last?.kind === 'text' && last.style === part.style) {
      result[result.length - 1] = textPart(last.text + part.text, part.style);
    } else result.push(part);
  }
  return result;
}

const textPart = (value: string, style: Quoting): WordPart & {readonly kind: 'text'} => ({
  kind: 'text',
  text: value,
  style,
});

function notUnderstood(what: string, {at}: ParserState): never {
  throw new NotUnderstood(what, at);
}

/** The maximum number of words that one pair of braces may expand to. */
const maxAlternatives = 64;

/**
 * Reads `{a,b}` or `{1..5}` with only plain characters in it. Returns `undefined` if a brace is literal, as in `HEAD@{1}` or
 * `{}`. Text between these cases, which bash might expand, is not understood.
 */
function readBraces(scan: ParserState): readonly string[] | undefined {
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

/** The maximum number of characters of a word that are examined. In a longer word no brace counts as literal. */
const longestWord = 2000;

function isOnlyBrace(word: string): boolean {
  if (word.length === longestWord) return false;
  const closings = word.split('}').length - 1;
  const divides = /,|\.\./u.test(word);
  if (/^\{[\w.@:^~/+-]*\}/u.test(word)) return !divides || (closings === 1 && !/^\{[^}]*\.\./u.test(word));
  return closings === 0 && !divides && !/["'\\$`{]/u.test(word.slice(1));
}

function bounded(alternatives: readonly string[], {at}: ParserState): readonly string[] {
  if (alternatives.length > maxAlternatives) throw new NotUnderstood('braces that come to very many words', at);
  return alternatives;
}

function numbers(from: number, to: number): readonly string[] {
  const step = from <= to ? 1 : -1;
  return Array.from({length: Math.abs(to - from) + 1}, (_, index) => String(from + index * step));
}

/** Thrown only inside the parser, if it does not understand the text with certainty. */
export class NotUnderstood extends Error {
  readonly what: string;
  readonly at: number;

  constructor(what: string, at: number) {
    super(what);
    this.what = what;
    this.at = at;
  }
}

/** The text, the position in it, and the here-documents whose bodies begin after the next line end. */
export interface ParserState {
  readonly text: string;
  at: number;
  depth: number;
  readonly awaited: AwaitedDocument[];
  /** Reads the commands of a substitution, up to but not including its closing sign. The parser passes it to the word reader. */
  readonly readScript: (scan: ParserState, closing: ')' | 'end') => Script;
}

export interface AwaitedDocument {
  readonly delimiter: string;
  readonly tabs: 'kept' | 'stripped';
  readonly expands: 'expands' | 'as-is';
  readonly place: (document: Redirection['target']) => void;
}

/** How deep commands and substitutions may be nested. */
const deepest = 60;

export function readNested<T>(scan: ParserState, read: () => T): T {
  scan.depth += 1;
  if (scan.depth > deepest) throw new NotUnderstood('nested too deep', scan.at);
  const result = read();
  scan.depth -= 1;
  return result;
}

/** Skips blanks, comments and escaped line ends, but not line ends. */
export function skipBlanks(scan: ParserState): void {
  const {text} = scan;
  for (;;) {
    const char = text.charAt(scan.at);
    if (char === ' ' || char === '\t') scan.at += 1;
    else if (char === '\\' && text.charAt(scan.at + 1) === '\n') scan.at += 2;
    else if (char === '#') scan.at = endOfLine(text, scan.at);
    else return;
  }
}

export function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end;
}
