import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {readHereDocuments} from './read-here-document.ts';
import {readRedirection} from './read-redirection.ts';
import {readWord} from './read-word.ts';
import {nested, NotUnderstood, skipBlanks, type Scan} from './shell-scan.ts';
import type {AndOr, Command, Redirection, Script, SimpleWords, Step, Word} from './shell-tree.ts';

/** Why a text is not understood, and where. */
export interface Unread {
  readonly what: string;
  readonly at: number;
}

/**
 * Reads a text as bash does. It is strict where bash is lenient: whatever is rare, hidden or open to two readings fails, and
 * is asked about. A result stands for exactly what bash would run, which the tests prove against bash itself.
 */
export function parseShell(text: string): Outcome<Script, Unread> {
  if (text.length > longestText) return failed({what: 'it is very long', at: 0});
  const hidden = hiddenCharacter.exec(text);
  if (hidden !== null) return failed({what: 'it has characters that cannot be seen', at: hidden.index});
  const scan: Scan = {text, at: 0, depth: 0, awaited: [], readScript: readSubstituted};
  try {
    const script = readList(scan, []);
    if (scan.at < text.length) throw new NotUnderstood(`an unexpected ${text.charAt(scan.at)}`, scan.at);
    if (scan.awaited.length > 0) throw new NotUnderstood('a here-document without its text', text.length);
    return ok(script);
  } catch (cause) {
    if (cause instanceof NotUnderstood) return failed({what: cause.what, at: cause.at});
    throw cause;
  }
}

/** Characters of a text that is read whole; some ten times what 5,000 commands in a row come to. */
const longestText = 200_000;

/** Control and formatting characters, blanks other than space, tab and line end, halves of characters, ones without a meaning. */
const hiddenCharacter = /(?![\t\n ])[\p{Cc}\p{Cf}\p{Z}\p{Cs}\p{Co}\p{Cn}\u115F\u1160\u2800\u3164\uFFA0]/u;

/** The commands of a substitution, up to its closing sign or, where the text was cut there, to the end. */
function readSubstituted(scan: Scan, closing: ')' | 'end'): Script {
  // Where a here-document and a substitution lie across each other, shells differ.
  if (scan.awaited.length > 0) throw new NotUnderstood('a substitution beside a here-document', scan.at);
  const script = readList(scan, closing === ')' ? [')'] : []);
  if (scan.awaited.length > 0 || (closing === 'end' && scan.at < scan.text.length)) {
    throw new NotUnderstood('a substitution', scan.at);
  }
  return script;
}

/** Commands until one of the closing signs or words, which is left in place; to the end where there is none. */
function readList(scan: Scan, closing: readonly string[]): Script {
  const list: AndOr[] = [];
  for (;;) {
    skipLines(scan);
    if (scan.at >= scan.text.length || isClosing(scan, closing)) break;
    list.push(readAndOr(scan));
  }
  const [sign] = closing;
  if (sign !== undefined && !isClosing(scan, closing)) throw new NotUnderstood(`a missing ${sign}`, scan.at);
  if (list.length === 0 && sign !== undefined && sign !== ')' && sign !== ';;')
    throw new NotUnderstood('nothing to run', scan.at);
  return list;
}

const isClosing = (scan: Scan, closing: readonly string[]): boolean =>
  closing.includes(
    scan.text.charAt(scan.at) === ')' ? ')' : scan.text.startsWith(';;', scan.at) ? ';;' : keywordAt(scan),
  );

function readAndOr(scan: Scan): AndOr {
  const steps: Step[] = [];
  let when: Step['when'] = 'always';
  for (;;) {
    steps.push({when, pipeline: readPipeline(scan)});
    skipBlanks(scan);
    if (takes(scan, '&&')) when = 'after-success';
    else if (takes(scan, '||')) when = 'after-failure';
    else break;
    skipLines(scan);
  }
  const char = scan.text.charAt(scan.at);
  if (char === '&') {
    scan.at += 1;
    return {steps, runs: 'in-background'};
  }
  if (char === ';') scan.at += scan.text.charAt(scan.at + 1) === ';' ? 0 : 1;
  else if (char !== '\n' && char !== '' && char !== ')') {
    throw new NotUnderstood(`an unexpected ${char}`, scan.at);
  }
  return {steps, runs: 'here'};
}

function readPipeline(scan: Scan): readonly Command[] {
  skipBlanks(scan);
  if (keywordAt(scan) === '!') {
    scan.at += 1;
    skipBlanks(scan);
    if (keywordAt(scan) === '!') throw new NotUnderstood('two negations', scan.at);
  }
  const commands = [readCommand(scan)];
  for (;;) {
    skipBlanks(scan);
    if (scan.text.charAt(scan.at) !== '|' || scan.text.charAt(scan.at + 1) === '|') return commands;
    scan.at += scan.text.charAt(scan.at + 1) === '&' ? 2 : 1;
    skipLines(scan);
    commands.push(readCommand(scan));
  }
}

function readCommand(scan: Scan): Command {
  return nested(scan, () => {
    const from = scan.at;
    const compound = readCompound(scan);
    if (compound === undefined) return readSimple(scan);
    const redirections: Redirection[] = [];
    for (;;) {
      skipBlanks(scan);
      const redirection = readRedirection(scan);
      if (redirection === undefined) break;
      redirections.push(redirection);
    }
    if (!/^(?:$|[\s;&|)])/u.test(scan.text.charAt(scan.at))) {
      throw new NotUnderstood('words after a closed command', scan.at);
    }
    return {...compound, redirections, range: {from, to: scan.at}};
  });
}

type Compound = Command extends infer C ? (C extends SimpleWords ? never : Omit<C, 'redirections' | 'range'>) : never;

function readCompound(scan: Scan): Compound | undefined {
  if (scan.text.charAt(scan.at) === '(') {
    // `((` is arithmetic to bash.
    if (scan.text.charAt(scan.at + 1) === '(') throw new NotUnderstood('arithmetic', scan.at);
    scan.at += 1;
    const body = readList(scan, [')']);
    if (body.length === 0) throw new NotUnderstood('nothing to run', scan.at);
    scan.at += 1;
    return {kind: 'group', scope: 'own', body};
  }
  const keyword = keywordAt(scan);
  switch (keyword) {
    case '{': {
      scan.at += 1;
      const body = readList(scan, ['}']);
      scan.at += 1;
      return {kind: 'group', scope: 'shared', body};
    }
    case 'if':
      return readIf(scan);
    case 'while':
    case 'until': {
      scan.at += keyword.length;
      const condition = readList(scan, ['do']);
      return {kind: 'branches', scripts: [condition, readDo(scan)], words: [], runs: 'again'};
    }
    case 'for':
      return readFor(scan);
    case 'case':
      return readCase(scan);
    case 'select':
    case 'function':
    case 'coproc':
      throw new NotUnderstood(`\`${keyword}\``, scan.at);
    case '[[':
      return readTest(scan);
    default:
      if (reserved.has(keyword)) throw new NotUnderstood(`an unexpected \`${keyword}\``, scan.at);
      return undefined;
  }
}

const reserved: ReadonlySet<string> = new Set(['then', 'elif', 'else', 'fi', 'do', 'done', 'esac', '}', 'in', '!']);

function readIf(scan: Scan): Compound {
  const scripts: Script[] = [];
  for (;;) {
    // `if` or `elif`.
    scan.at += keywordAt(scan).length;
    scripts.push(readList(scan, ['then']));
    scan.at += 'then'.length;
    scripts.push(readList(scan, ['elif', 'else', 'fi']));
    if (keywordAt(scan) !== 'elif') break;
  }
  if (keywordAt(scan) === 'else') {
    scan.at += 'else'.length;
    scripts.push(readList(scan, ['fi']));
  }
  scan.at += 'fi'.length;
  return {kind: 'branches', scripts, words: [], runs: 'once'};
}

/** `case $x in a | 'b*') …;; *) …;; esac`; not the rare ends `;&` and `;;&`. */
function readCase(scan: Scan): Compound {
  const scripts: Script[] = [];
  scan.at += 'case'.length;
  const words = [readOneWord(scan)];
  skipLines(scan);
  if (keywordAt(scan) !== 'in') throw new NotUnderstood('a `case` without `in`', scan.at);
  scan.at += 'in'.length;
  for (;;) {
    skipLines(scan);
    if (keywordAt(scan) === 'esac') break;
    if (takes(scan, '(')) skipBlanks(scan);
    do words.push(readOneWord(scan));
    while (takes(scan, '|'));
    if (!takes(scan, ')')) throw new NotUnderstood('a pattern in `case`', scan.at);
    scripts.push(readList(scan, [';;', 'esac']));
    if (!takes(scan, ';;')) skipLines(scan);
    else if (scan.text.charAt(scan.at) === '&') throw new NotUnderstood('an unexpected &', scan.at);
  }
  scan.at += 'esac'.length;
  return {kind: 'branches', scripts, words, runs: 'once'};
}

function readOneWord(scan: Scan): Word {
  skipBlanks(scan);
  const word = readWord(scan);
  if (word === undefined) throw new NotUnderstood('a pattern in `case`', scan.at);
  skipBlanks(scan);
  return word;
}

function readDo(scan: Scan): Script {
  scan.at += 'do'.length;
  const body = readList(scan, ['done']);
  scan.at += 'done'.length;
  return body;
}

function readFor(scan: Scan): Compound {
  scan.at += 'for'.length;
  skipBlanks(scan);
  const variable = /^[A-Za-z_]\w*(?=[\s;])/u.exec(scan.text.slice(scan.at, scan.at + 100))?.[0];
  if (variable === undefined) throw new NotUnderstood('a loop over no name', scan.at);
  scan.at += variable.length;
  skipLines(scan);
  if (keywordAt(scan) !== 'in') throw new NotUnderstood('a loop over arguments', scan.at);
  scan.at += 'in'.length;
  const values = readWords(scan);
  if (scan.text.charAt(scan.at) !== ';' && scan.text.charAt(scan.at) !== '\n') {
    throw new NotUnderstood('an unexpected sign in a loop', scan.at);
  }
  scan.at += 1;
  skipLines(scan);
  if (keywordAt(scan) !== 'do') throw new NotUnderstood('a loop without `do`', scan.at);
  return {kind: 'for', variable, values, body: readDo(scan)};
}

/** `[[ … ]]` of plain words; its operators `&&`, `||`, `(`, `)`, `<` and `>` stand for themselves. */
function readTest(scan: Scan): Compound {
  const start = scan.at;
  scan.at += 2;
  const words: Word[] = [];
  for (;;) {
    skipLines(scan);
    const from = scan.at;
    if (keywordAt(scan) === ']]') {
      scan.at += 2;
      return {kind: 'test', words, span: {from: start, to: scan.at}};
    }
    const sign = /^(?:&&|\|\||[()<>])/u.exec(scan.text.slice(from, from + 2))?.[0];
    if (sign !== undefined) {
      scan.at += sign.length;
      words.push({pieces: [{kind: 'text', text: sign, style: 'bare'}], range: {from, to: scan.at}});
      continue;
    }
    const word = scan.text.charAt(scan.at - 1) === '\n' || scan.text.charAt(from) === '#' ? undefined : readWord(scan);
    if (word === undefined) throw new NotUnderstood('a test', from);
    if (scan.text.slice(word.range.from, word.range.to) === '=~') {
      // The shell reads a pattern by rules of its own.
      if (!/^\s+[\w.^$*+/"':@=-]+\s/u.test(scan.text.slice(scan.at, scan.at + 500))) {
        throw new NotUnderstood('a regular expression in a test', from);
      }
    }
    words.push(word);
  }
}

function readSimple(scan: Scan): SimpleWords {
  const from = scan.at;
  const words: Word[] = [];
  const assignments: Word[] = [];
  const redirections: Redirection[] = [];
  let to = from;
  for (;;) {
    skipBlanks(scan);
    const redirection = readRedirection(scan);
    if (redirection !== undefined) redirections.push(redirection);
    else {
      const word = readWord(scan);
      if (word === undefined) break;
      (words.length === 0 && isAssignment(word) ? assignments : words).push(word);
    }
    to = scan.at;
  }
  if (to === from) throw new NotUnderstood('a command is missing', from);
  return {kind: 'simple', words, assignments, redirections, range: {from, to}};
}

function readWords(scan: Scan): readonly Word[] {
  const words: Word[] = [];
  for (;;) {
    skipBlanks(scan);
    const word = readWord(scan);
    if (word === undefined) return words;
    words.push(word);
  }
}

function isAssignment({pieces: [first]}: Word): boolean {
  return first?.kind === 'text' && first.style === 'bare' && /^[A-Za-z_]\w*(?:\[[\s\S]*\])?\+?=/u.test(first.text);
}

/** The bare word here, where it could be a keyword: up to a blank or a sign. */
function keywordAt({text, at}: Scan): string {
  keyword.lastIndex = at;
  return keyword.exec(text)?.[0] ?? '';
}

const keyword = /(?:[a-z]{2,8}|[{}!]|\[\[|\]\])(?=$|[\s;&|()<>`])/uy;

function takes(scan: Scan, sign: string): boolean {
  if (!scan.text.startsWith(sign, scan.at)) return false;
  scan.at += sign.length;
  return true;
}

/** Blanks, comments and line ends; bodies of here-documents begin behind a line end. */
function skipLines(scan: Scan): void {
  for (;;) {
    skipBlanks(scan);
    if (scan.text.charAt(scan.at) !== '\n') return;
    scan.at += 1;
    readHereDocuments(scan);
  }
}
