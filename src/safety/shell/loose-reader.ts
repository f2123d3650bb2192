/**
 * Reads the commands of any text, even one that the strict parser rejects. It knows quoting, substitution and redirection, but
 * not the whole grammar: a command that it finds may be an argument or a here-document line. Only ask and deny decisions use it,
 * for which a command too many is better than one too few. It never allows anything.
 *
 * The strict parser cannot replace it. About `f() { rm -rf a; }; f` the strict parser says only that it does not
 * understand the text. With a deny rule for `rm`, weft must deny this command, but must ask about `f() { ls; }; f`. A
 * parser without an answer could only deny both or ask about both. Similarly, `mv ~/.local/share{,.bak}` must be seen
 * to move the folder of weft's own files. tree-sitter cannot replace it either. It loads asynchronously (35 ms, with
 * every command), and drops what it does not understand.
 */
interface ShellReading {
  /** The words of every command. Substitutions come before the command around them. */
  readonly commands: readonly (readonly ShellWord[])[];
  /** The words after redirection operators, including those of here-documents. */
  readonly redirected: readonly ShellWord[];
  /** `partial`: the text is nested too deep to be read completely. */
  readonly extent: 'whole' | 'partial';
}

export interface ShellWord {
  readonly raw: string;
  /** The word without quotes and backslashes. A substitution becomes `$()`. Other expansions stay as they are. */
  readonly plain: string;
}

/** The maximum number of nested substitutions that are followed. */
const deepest = 20;

export function readShell(text: string): ShellReading {
  const scan: Scan = {text, at: 0, commands: [], redirected: [], extent: 'whole'};
  readList(scan, {depth: 0, until: 'end'});
  return {commands: scan.commands, redirected: scan.redirected, extent: scan.extent};
}

/** The text, the position in it, and the findings so far. */
interface Scan {
  readonly text: string;
  at: number;
  readonly commands: (readonly ShellWord[])[];
  readonly redirected: ShellWord[];
  extent: ShellReading['extent'];
}

/** Reads commands up to the end, or up to the `)` of the enclosing substitution. */
function readList(scan: Scan, {depth, until}: {readonly depth: number; readonly until: 'end' | 'closing'}): void {
  let words: ShellWord[] = [];
  let groups = 0;
  let next: 'word' | 'redirected' = 'word';
  const endCommand = (): void => {
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
      endCommand();
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
  endCommand();
}

const separators: ReadonlySet<string> = new Set([';', '|', '&', '(', ')']);

/** Returns the length of a redirection operator such as `2>&`, `<<` or `&>` at the start of a word, or 0 if there is none. */
function redirectionAt({text, at}: Scan): number {
  redirection.lastIndex = at;
  return redirection.exec(text)?.[0].length ?? 0;
}

/** Matches redirection operators, but not the `<(` and `>(` of process substitutions, which are words. */
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

/** Reads the character after a backslash. A line end there only joins the lines. */
function readEscape(scan: Scan): string {
  const escaped = scan.text.charAt(scan.at + 1);
  scan.at += 2;
  return escaped === '\n' ? '' : escaped;
}

/** Reads text between single quotes. In `$'…'` a backslash escapes. */
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

/** Reads the commands of a substitution. Beyond the maximum depth they are read as separate commands. */
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

/** Returns the text that an escape between `$'` and `'` means, and its length in characters. */
function ansiEscapeAt(text: string, at: number): {readonly length: number; readonly value: string} {
  escape.lastIndex = at;
  const [whole, byte, unit, point, octal, control] = escape.exec(text) ?? [];
  if (whole === undefined) return {length: 2, value: named[text.charAt(at + 1)] ?? text.charAt(at + 1)};
  const hex = byte ?? unit ?? point;
  const code =
    control === undefined
      ? Number.parseInt(hex ?? octal ?? '', hex === undefined ? 8 : 16)
      : (control.codePointAt(0) ?? 0) & 0x1f;
  return {length: whole.length, value: code <= 0x10_ffff ? String.fromCodePoint(code) : ''};
}

const escape = /\\(?:x([\da-fA-F]{1,2})|u([\da-fA-F]{1,4})|U([\da-fA-F]{1,8})|([0-7]{1,3})|c([\s\S]))/uy;

const named: Readonly<Partial<Record<string, string>>> = {
  a: '\u{7}',
  b: '\b',
  e: '\u{1b}',
  E: '\u{1b}',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};
