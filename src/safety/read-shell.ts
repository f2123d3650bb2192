import {ansiEscapeAt} from './ansi-escape.ts';

/**
 * A first reading of shell text: which simple commands are in it, and what their words are once quotes and backslashes are gone.
 * It knows quoting, substitution and redirection, not the whole grammar: what it takes for a command may be an argument or part
 * of a here-document. It serves rules that ask or deny, for which a command too many is better than one too few.
 */
export interface ShellReading {
  /** The words of every command, those of substitutions before those of the command around them. */
  readonly commands: readonly (readonly ShellWord[])[];
  /** The words after signs of redirection; those of here-documents among them. */
  readonly redirected: readonly ShellWord[];
  /** `partial`: nested too deep to be read to the end. */
  readonly extent: 'whole' | 'partial';
}

export interface ShellWord {
  /** As written. */
  readonly raw: string;
  /** Without quotes and backslashes; every substitution as `$()`, other expansions left as they are. */
  readonly plain: string;
}

/** Substitutions inside one another that are followed. */
const deepest = 20;

export function readShell(text: string): ShellReading {
  const scan: Scan = {text, at: 0, commands: [], redirected: [], extent: 'whole'};
  readList(scan, {depth: 0, until: 'end'});
  return {commands: scan.commands, redirected: scan.redirected, extent: scan.extent};
}

/** The text, how far it has been read, and what was found so far. */
interface Scan {
  readonly text: string;
  at: number;
  readonly commands: (readonly ShellWord[])[];
  readonly redirected: ShellWord[];
  extent: ShellReading['extent'];
}

/** Commands up to the end, or up to the `)` that closes the substitution they are in. */
function readList(scan: Scan, {depth, until}: {readonly depth: number; readonly until: 'end' | 'closing'}): void {
  let words: ShellWord[] = [];
  let groups = 0;
  let next: 'word' | 'redirected' = 'word';
  const cut = (): void => {
    if (words.length > 0) scan.commands.push(words);
    words = [];
    next = 'word';
  };
  while (scan.at < scan.text.length) {
    const char = scan.text.charAt(scan.at);
    const redirection = redirectionAt(scan);
    if (redirection > 0) {
      scan.at += redirection;
      next = 'redirected';
    } else if (char === '\n' || separators.has(char)) {
      scan.at += 1;
      cut();
      if (char === '(') groups += 1;
      if (char !== ')') continue;
      if (groups === 0 && until === 'closing') return;
      groups = Math.max(0, groups - 1);
    } else if (/\s/u.test(char)) scan.at += 1;
    else {
      const word = readWord(scan, depth);
      (next === 'word' ? words : scan.redirected).push(word);
      next = 'word';
    }
  }
  cut();
}

const separators: ReadonlySet<string> = new Set([';', '|', '&', '(', ')']);

/** The length of a redirection's sign, `2>&`, `<<`, `&>`, at the start of a word; 0 when there is none. */
function redirectionAt({text, at}: Scan): number {
  redirection.lastIndex = at;
  return redirection.exec(text)?.[0].length ?? 0;
}

/** Not the `<(` and `>(` of process substitution, which are words. */
const redirection = /(?:\d{1,9}|\{\w{1,99}\})?(?:&>>?|<<<|<<-?|<>|[<>]&|>>|>\||[<>](?!\())/uy;

function readWord(scan: Scan, depth: number): ShellWord {
  const {text} = scan;
  const start = scan.at;
  let plain = '';
  while (scan.at < text.length) {
    const char = text.charAt(scan.at);
    const following = text.charAt(scan.at + 1);
    if (char === '\\') plain += readEscape(scan);
    else if (char === "'") plain += readQuoted(scan, 'as-is');
    else if (char === '$' && following === "'") {
      scan.at += 1;
      plain += readQuoted(scan, 'escapes');
    } else if (char === '"') plain += readDoubleQuoted(scan, depth);
    else if (char === '$' && following === '"') scan.at += 1;
    else if (isSubstitution(char, following)) plain += readSubstitution(scan, depth);
    else if (/[\s;&|()<>]/u.test(char)) break;
    else {
      plain += char;
      scan.at += 1;
    }
  }
  return {raw: text.slice(start, scan.at), plain};
}

const isSubstitution = (char: string, following: string): boolean =>
  char === '`' || (following === '(' && (char === '$' || char === '<' || char === '>'));

/** The character after a backslash; a line end there only joins the lines. */
function readEscape(scan: Scan): string {
  const escaped = scan.text.charAt(scan.at + 1);
  scan.at += 2;
  return escaped === '\n' ? '' : escaped;
}

/** What stands between single quotes; in `$'…'` a backslash escapes. */
function readQuoted(scan: Scan, backslash: 'as-is' | 'escapes'): string {
  scan.at += 1;
  let plain = '';
  while (scan.at < scan.text.length) {
    const char = scan.text.charAt(scan.at);
    if (char === '\\' && backslash === 'escapes') {
      const {length, value} = ansiEscapeAt(scan.text, scan.at);
      scan.at += length;
      plain += value;
    } else {
      scan.at += 1;
      if (char === "'") return plain;
      plain += char;
    }
  }
  return plain;
}

function readDoubleQuoted(scan: Scan, depth: number): string {
  scan.at += 1;
  let plain = '';
  while (scan.at < scan.text.length) {
    const char = scan.text.charAt(scan.at);
    const following = scan.text.charAt(scan.at + 1);
    if (char === '\\' && /[$`"\\\n]/u.test(following)) plain += readEscape(scan);
    else if (char === '`' || (char === '$' && following === '(')) plain += readSubstitution(scan, depth);
    else {
      scan.at += 1;
      if (char === '"') return plain;
      plain += char;
    }
  }
  return plain;
}

/** Reads the commands of a substitution. One too deep is left to be read as separate commands. */
function readSubstitution(scan: Scan, depth: number): string {
  if (depth >= deepest) {
    scan.extent = 'partial';
    scan.at += 1;
  } else if (scan.text.charAt(scan.at) === '`') {
    readBackticks(scan, depth);
  } else {
    scan.at += 2;
    readList(scan, {depth: depth + 1, until: 'closing'});
  }
  return '$()';
}

function readBackticks(scan: Scan, depth: number): void {
  const start = scan.at + 1;
  let end = start;
  while (end < scan.text.length && scan.text.charAt(end) !== '`') end += scan.text.charAt(end) === '\\' ? 2 : 1;
  const inner: Scan = {
    text: scan.text.slice(start, end).replaceAll(/\\([$`\\])/gu, '$1'),
    at: 0,
    commands: scan.commands,
    redirected: scan.redirected,
    extent: 'whole',
  };
  readList(inner, {depth: depth + 1, until: 'end'});
  if (inner.extent === 'partial') scan.extent = 'partial';
  scan.at = end + 1;
}
