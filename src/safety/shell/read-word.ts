import {readBraces} from './read-braces.ts';
import {nested, NotUnderstood, type Scan} from './shell-scan.ts';
import type {Piece, Style, Word} from './shell-tree.ts';

/**
 * Reads the word that begins here, as bash does with its usual settings; `undefined` when none does. What is rare and easily
 * misread (arrays, patterns of ksh, changes of parameters beyond the plain ones, translated strings) is not understood.
 */
export function readWord(scan: Scan): Word | undefined {
  const from = scan.at;
  const pieces: Piece[] = [];
  const tilde = readTilde(scan);
  if (tilde) pieces.push({kind: 'home'});
  while (scan.at < scan.text.length && readPiece(scan, pieces));
  if (scan.at === from) return undefined;
  refuseRare(pieces, from);
  return {pieces: joined(pieces), range: {from, to: scan.at}};
}

/** What the shell works out in an order that is easily mistaken: homes after braces or signs, the files of processes. */
function refuseRare(pieces: readonly Piece[], at: number): void {
  const hasBraces = pieces.some(({kind}) => kind === 'braces');
  if (hasBraces && pieces.some(({kind}) => kind !== 'braces' && kind !== 'text')) {
    throw new NotUnderstood('braces beside an expansion', at);
  }
  const home = hasBraces ? /~/u : /[=:]~/u;
  const bare = pieces.map(piece => (piece.kind === 'text' && piece.style === 'bare' ? piece.text : '')).join('');
  if (home.test(bare)) throw new NotUnderstood("somebody's home folder", at);
  if (pieces.length > 1 && pieces.some(({kind}) => kind === 'process')) {
    throw new NotUnderstood('a process substitution in a word', at);
  }
}

/** The body of a here-document, or what stands between double quotes: quotes and blanks are text there. */
export function readQuotedText(scan: Scan, {end}: {readonly end: number | '"'}): readonly Piece[] {
  const pieces: Piece[] = [];
  const special = end === '"' ? /["$`\\]/gu : /[$`\\]/gu;
  for (;;) {
    special.lastIndex = scan.at;
    const found = special.exec(scan.text)?.index ?? scan.text.length;
    const stop = end === '"' ? found : Math.min(found, end);
    if (stop > scan.at) pieces.push(text(scan.text.slice(scan.at, stop), 'quoted'));
    scan.at = stop;
    if (stop === end || scan.text.charAt(stop) === end) return pieces;
    if (stop >= scan.text.length) throw new NotUnderstood('a quote is not closed', stop);
    if (scan.text.charAt(stop) === '\\') {
      const char = scan.text.charAt(stop + 1);
      scan.at += 2;
      const isSpecial = char !== '' && ('$`\\'.includes(char) || (end === '"' && char === '"'));
      if (char !== '\n') pieces.push(text(isSpecial ? char : `\\${char}`, 'quoted'));
    } else readExpansion(scan, pieces, 'quoted');
    if (typeof end === 'number' && scan.at > end)
      throw new NotUnderstood('a here-document ends inside an expansion', end);
  }
}

function readPiece(scan: Scan, pieces: Piece[]): boolean {
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
      if (char === '>' || pieces.length > 0) return notUnderstood('a process substitution for output', scan);
      scan.at += 2;
      pieces.push({kind: 'process', script: nested(scan, () => scan.readScript(scan, ')'))});
      scan.at += 1;
      return true;
    case '\\':
      if (following === '') return notUnderstood('a backslash at the end', scan);
      scan.at += 2;
      if (following !== '\n') pieces.push(text(following, 'quoted'));
      return true;
    case "'": {
      const end = scan.text.indexOf("'", scan.at + 1);
      if (end < 0) return notUnderstood('a quote is not closed', scan);
      pieces.push(text(scan.text.slice(scan.at + 1, end), 'quoted'));
      scan.at = end + 1;
      return true;
    }
    case '"':
      scan.at += 1;
      // An empty string is a word all the same.
      pieces.push(text('', 'quoted'), ...readQuotedText(scan, {end: '"'}));
      scan.at += 1;
      return true;
    case '$':
    case '`':
      readExpansion(scan, pieces, 'bare');
      return true;
    case '{': {
      const alternatives = readBraces(scan);
      pieces.push(alternatives === undefined ? text('{', 'bare') : {kind: 'braces', alternatives});
      return true;
    }
    default: {
      plain.lastIndex = scan.at;
      const run = plain.exec(scan.text)?.[0] ?? char;
      pieces.push(text(run, 'bare'));
      scan.at += run.length;
      return true;
    }
  }
}

/** Characters that mean nothing to the reader of words. */
const plain = /[^\s;&|()<>\\'"$`{]+/uy;

/** What `$` or a backtick begins, bare or between double quotes. */
function readExpansion(scan: Scan, pieces: Piece[], style: Style): void {
  const {text: all, at} = scan;
  if (all.charAt(at) === '`') {
    const end = all.indexOf('`', at + 1);
    // Inside backticks a backslash is read twice.
    if (end < 0 || all.slice(at, end).includes('\\')) notUnderstood('backticks with backslashes', scan);
    const inner: Scan = {...scan, text: all.slice(0, end), at: at + 1};
    pieces.push({kind: 'substitution', script: nested(inner, () => scan.readScript(inner, 'end')), style});
    scan.at = end + 1;
    return;
  }
  const rest = all.slice(at, at + 200);
  const name = /^\$(?:([A-Za-z_]\w*)|([@*#?$!0-9-]))/u.exec(rest);
  if (name !== null) {
    scan.at += name[0].length;
    pieces.push({kind: 'parameter', name: name[1] ?? name[2] ?? '', form: 'plain', style});
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
    pieces.push({kind: 'parameter', name: found[1] ?? '', form, style});
    return;
  }
  if (rest.startsWith('$((')) {
    // Names in arithmetic are worked out as expressions themselves, and may run commands: numbers alone are understood.
    const sum = /^\$\(\([\d\s+*/%()<>=-]*?\)\)/u.exec(rest);
    if (sum === null) return notUnderstood('arithmetic on more than numbers', scan);
    scan.at += sum[0].length;
    pieces.push({kind: 'number'});
    return;
  }
  if (rest.startsWith('$(')) {
    scan.at += 2;
    pieces.push({kind: 'substitution', script: nested(scan, () => scan.readScript(scan, ')')), style});
    scan.at += 1;
    return;
  }
  if (rest.startsWith("$'") && style === 'bare') {
    pieces.push(text(readEscapes(scan), 'quoted'));
    return;
  }
  if (/^\$(?:$|[\s"',.:;%^=/\\|)&\]}~+])/u.test(rest) && !(style === 'bare' && /^\$["']/u.test(rest))) {
    scan.at += 1;
    pieces.push(text('$', 'quoted'));
    return;
  }
  notUnderstood('an expansion', scan);
}

/** `$'…'` with the common escapes. */
function readEscapes(scan: Scan): string {
  escaped.lastIndex = scan.at;
  const match = escaped.exec(scan.text);
  if (match === null) return notUnderstood("escapes in $'…'", scan);
  scan.at += match[0].length;
  return (match[1] ?? '').replaceAll(/\\(.)/gu, (_, char: string) => escapes[char] ?? char);
}

const escaped = /\$'((?:[^'\\]|\\[ntr\\'"])*)'/uy;

const escapes: Readonly<Record<string, string>> = {n: '\n', t: '\t', r: '\r'};

/** `~` and `~/…` are the home folder; other words that begin so may be anybody's. */
function readTilde(scan: Scan): boolean {
  if (scan.text.charAt(scan.at) !== '~') return false;
  if (!/^~(?:$|[\s/;&|)])/u.test(scan.text.slice(scan.at, scan.at + 2))) notUnderstood("somebody's home folder", scan);
  scan.at += 1;
  return true;
}

/** Neighbouring texts of one style as one; a tilde after `=` or `:` may be expanded too. */
function joined(pieces: readonly Piece[]): readonly Piece[] {
  const result: Piece[] = [];
  for (const piece of pieces) {
    const last = result.at(-1);
    if (piece.kind === 'text' && last?.kind === 'text' && last.style === piece.style) {
      result[result.length - 1] = text(last.text + piece.text, piece.style);
    } else result.push(piece);
  }
  return result;
}

const text = (value: string, style: Style): Piece & {readonly kind: 'text'} => ({kind: 'text', text: value, style});

function notUnderstood(what: string, {at}: Scan): never {
  throw new NotUnderstood(what, at);
}
