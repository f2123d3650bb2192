import {failed, ok, type Outcome} from '../../base/outcome.ts';
import type {AndOr, Command, Redirection, Script, SimpleCommand, AndOrStep, Word} from './syntax-tree.ts';
import {
  type AwaitedDocument,
  endOfLine,
  readNested,
  NotUnderstood,
  readQuotedText,
  readWord,
  type ParserState,
  skipBlanks,
} from './word-parser.ts';

/** Why a text is not understood, and the position of the character. */
interface Unread {
  readonly what: string;
  readonly at: number;
}

/**
 * Reads a text as bash does. It is stricter than bash: rare, hidden or ambiguous syntax fails, and then weft asks. A result means
 * exactly what bash would run, which the tests prove with bash itself.
 */
export function parseShell(text: string): Outcome<Script, Unread> {
  if (text.length > longestText) return failed({what: 'very long text', at: 0});
  const hidden = hiddenCharacter.exec(text);
  if (hidden !== null) return failed({what: 'invisible characters', at: hidden.index});
  const scan: ParserState = {text, at: 0, depth: 0, awaited: [], readScript: readSubstituted};
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

/** The maximum number of characters in a text, about ten times as many as in 5,000 commands. */
const longestText = 200_000;

/**
 * Matches control and formatting characters, blanks other than space, tab and line end, lone surrogates, private and unassigned
 * characters.
 */
const hiddenCharacter = /(?![\t\n ])[\p{Cc}\p{Cf}\p{Z}\p{Cs}\p{Co}\p{Cn}\u115F\u1160\u2800\u3164\uFFA0]/u;

/** Reads the commands of a substitution up to its closing sign, or to the end of the text for backticks. */
function readSubstituted(scan: ParserState, closing: ')' | 'end'): Script {
  // Shells differ if a here-document and a substitution overlap.
  if (scan.awaited.length > 0) throw new NotUnderstood('a substitution beside a here-document', scan.at);
  const script = readList(scan, closing === ')' ? [')'] : []);
  if (scan.awaited.length > 0 || (closing === 'end' && scan.at < scan.text.length)) {
    throw new NotUnderstood('a substitution', scan.at);
  }
  return script;
}

/** Reads commands up to one of the closing signs or words, which stays unread. Without any, reads to the end of the text. */
function readList(scan: ParserState, closing: readonly string[]): Script {
  const list: AndOr[] = [];
  for (;;) {
    skipLines(scan);
    if (scan.at >= scan.text.length || isClosing(scan, closing)) break;
    list.push(readAndOr(scan));
  }
  const [operator] = closing;
  if (operator !== undefined && !isClosing(scan, closing)) throw new NotUnderstood(`a missing ${operator}`, scan.at);
  if (list.length === 0 && operator !== undefined && operator !== ')' && operator !== ';;')
    throw new NotUnderstood('nothing to run', scan.at);
  return list;
}

const isClosing = (scan: ParserState, closing: readonly string[]): boolean =>
  closing.includes(
    scan.text.charAt(scan.at) === ')' ? ')' : scan.text.startsWith(';;', scan.at) ? ';;' : keywordAt(scan),
  );

function readAndOr(scan: ParserState): AndOr {
  const steps: AndOrStep[] = [];
  let when: AndOrStep['when'] = 'always';
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

function readPipeline(scan: ParserState): readonly Command[] {
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

function readCommand(scan: ParserState): Command {
  return readNested(scan, () => {
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

type Compound = Command extends infer C ? (C extends SimpleCommand ? never : Omit<C, 'redirections' | 'range'>) : never;

function readCompound(scan: ParserState): Compound | undefined {
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
      throw new NotUnderstood(`the keyword ${keyword}`, scan.at);
    case '[[':
      return readTest(scan);
    default:
      if (reserved.has(keyword)) throw new NotUnderstood(`an unexpected ${keyword}`, scan.at);
      return undefined;
  }
}

const reserved: ReadonlySet<string> = new Set(['then', 'elif', 'else', 'fi', 'do', 'done', 'esac', '}', 'in', '!']);

function readIf(scan: ParserState): Compound {
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

/** Reads `case $x in a | 'b*') …;; *) …;; esac`. The rare terminators `;&` and `;;&` are not understood. */
function readCase(scan: ParserState): Compound {
  const scripts: Script[] = [];
  scan.at += 'case'.length;
  const words = [readOneWord(scan)];
  skipLines(scan);
  if (keywordAt(scan) !== 'in') throw new NotUnderstood('a case without in', scan.at);
  scan.at += 'in'.length;
  for (;;) {
    skipLines(scan);
    if (keywordAt(scan) === 'esac') break;
    if (takes(scan, '(')) skipBlanks(scan);
    do words.push(readOneWord(scan));
    while (takes(scan, '|'));
    if (!takes(scan, ')')) throw new NotUnderstood('a pattern in case', scan.at);
    scripts.push(readList(scan, [';;', 'esac']));
    if (!takes(scan, ';;')) skipLines(scan);
    else if (scan.text.charAt(scan.at) === '&') throw new NotUnderstood('an unexpected &', scan.at);
  }
  scan.at += 'esac'.length;
  return {kind: 'branches', scripts, words, runs: 'once'};
}

function readOneWord(scan: ParserState): Word {
  skipBlanks(scan);
  const word = readWord(scan);
  if (word === undefined) throw new NotUnderstood('a pattern in case', scan.at);
  skipBlanks(scan);
  return word;
}

function readDo(scan: ParserState): Script {
  scan.at += 'do'.length;
  const body = readList(scan, ['done']);
  scan.at += 'done'.length;
  return body;
}

function readFor(scan: ParserState): Compound {
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
  if (keywordAt(scan) !== 'do') throw new NotUnderstood('a loop without do', scan.at);
  return {kind: 'for', variable, values, body: readDo(scan)};
}

/** Reads `[[ … ]]` with plain words. Its operators `&&`, `||`, `(`, `)`, `<` and `>` count as words. */
function readTest(scan: ParserState): Compound {
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
    const operator = /^(?:&&|\|\||[()<>])/u.exec(scan.text.slice(from, from + 2))?.[0];
    if (operator !== undefined) {
      scan.at += operator.length;
      words.push({parts: [{kind: 'text', text: operator, style: 'bare'}], range: {from, to: scan.at}});
      continue;
    }
    const word = scan.text.charAt(scan.at - 1) === '\n' || scan.text.charAt(from) === '#' ? undefined : readWord(scan);
    if (word === undefined) throw new NotUnderstood('a test', from);
    if (scan.text.slice(word.range.from, word.range.to) === '=~') {
      // The shell has its own rules for a pattern.
      if (!/^\s+[\w.^$*+/"':@=-]+\s/u.test(scan.text.slice(scan.at, scan.at + 500))) {
        throw new NotUnderstood('a regular expression in a test', from);
      }
    }
    words.push(word);
  }
}

function readSimple(scan: ParserState): SimpleCommand {
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

function readWords(scan: ParserState): readonly Word[] {
  const words: Word[] = [];
  for (;;) {
    skipBlanks(scan);
    const word = readWord(scan);
    if (word === undefined) return words;
    words.push(word);
  }
}

function isAssignment({parts: [first]}: Word): boolean {
  return first?.kind === 'text' && first.style === 'bare' && /^[A-Za-z_]\w*(?:\[[\s\S]*\])?\+?=/u.test(first.text);
}

/** Returns the bare word that begins here and could be a keyword, or an empty text if there is none. */
function keywordAt({text, at}: ParserState): string {
  keyword.lastIndex = at;
  return keyword.exec(text)?.[0] ?? '';
}

const keyword = /(?:[a-z]{2,8}|[{}!]|\[\[|\]\])(?=$|[\s;&|()<>`])/uy;

function takes(scan: ParserState, operator: string): boolean {
  if (!scan.text.startsWith(operator, scan.at)) return false;
  scan.at += operator.length;
  return true;
}

/** Skips blanks, comments and line ends, and reads here-document bodies after a line end. */
function skipLines(scan: ParserState): void {
  for (;;) {
    skipBlanks(scan);
    if (scan.text.charAt(scan.at) !== '\n') return;
    scan.at += 1;
    readHereDocuments(scan);
  }
}

/** Reads the redirection that begins here, such as `2>/dev/null` or `<<EOF`. Returns `undefined` if there is none. */
function readRedirection(scan: ParserState): Redirection | undefined {
  const from = scan.at;
  beginning.lastIndex = from;
  const match = beginning.exec(scan.text);
  const operator = match?.[1];
  if (match === null || operator === undefined) return undefined;
  scan.at += match[0].length;
  skipBlanks(scan);
  const target = readWord(scan);
  if (target === undefined) throw new NotUnderstood('a redirection to nothing', scan.at);
  const range = {from, to: scan.at};
  if (operator !== '<<' && operator !== '<<-') return {operator, target, range};
  const document: {word: Word} = {word: {parts: [], range: target.range}};
  scan.awaited.push(awaited(scan, {sign: operator, target, place: body => (document.word = body)}));
  return {
    operator: '<<',
    get target() {
      return document.word;
    },
    range,
  };
}

/** Matches redirection operators, but not the `<(` and `>(` of process substitutions. */
const beginning = /(?:\d{1,3}|\{[A-Za-z_]\w*\})?(&>>|&>|<<<|<<-|<<|<>|[<>]&|>>|>\||[<>](?!\())/uy;

function awaited(
  scan: ParserState,
  document: {readonly sign: string; readonly target: Word; readonly place: AwaitedDocument['place']},
): AwaitedDocument {
  const {range, parts} = document.target;
  const written = scan.text.slice(range.from, range.to);
  const [part] = parts;
  const wellKnown = /^(?:[A-Za-z_]\w*|'[A-Za-z_]\w*'|"[A-Za-z_]\w*"|\\[A-Za-z_]\w*)$/u.test(written);
  if (!wellKnown || part === undefined) throw new NotUnderstood('the end of a here-document', range.from);
  return {
    delimiter: written.replaceAll(/['"\\]/gu, ''),
    tabs: document.sign === '<<-' ? 'stripped' : 'kept',
    expands: /['"\\]/u.test(written) ? 'as-is' : 'expands',
    place: document.place,
  };
}

/** Reads the bodies of the here-documents that began before the line end just passed. */
function readHereDocuments(scan: ParserState): void {
  for (const document of scan.awaited.splice(0)) readBody(scan, document);
}

function readBody(scan: ParserState, {delimiter, tabs, expands, place}: AwaitedDocument): void {
  const from = scan.at;
  let at = from;
  for (;;) {
    if (at >= scan.text.length) throw new NotUnderstood('a here-document without its end', from);
    const end = endOfLine(scan.text, at);
    const line = scan.text.slice(at, end);
    if ((tabs === 'stripped' ? line.replace(/^\t+/u, '') : line) === delimiter) break;
    // A final backslash joins the line with the next, even the last one.
    if (expands === 'expands' && line.endsWith('\\')) throw new NotUnderstood('a joined line in a here-document', end);
    at = end + 1;
  }
  const range = {from, to: at};
  if (expands === 'as-is') {
    place({parts: [{kind: 'text', text: scan.text.slice(from, at), style: 'quoted'}], range});
  } else place({parts: readQuotedText(scan, {end: at}), range});
  scan.at = Math.min(at + delimiterLength(scan.text, at), scan.text.length);
}

const delimiterLength = (text: string, at: number): number => endOfLine(text, at) - at;
