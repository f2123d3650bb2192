import {existsSync} from 'node:fs';
import {createRequire} from 'node:module';
import {readFile} from 'node:fs/promises';
import {fileURLToPath} from 'node:url';
import {setFlagsFromString} from 'node:v8';
import {brotliDecompressSync} from 'node:zlib';
import type {Parser, Tree, TreeCursor} from '@vscode/tree-sitter-wasm';
import {unreachable} from '../../base/unreachable.ts';
import {parseShell} from './parser.ts';
import type {AndOr, Command, Redirection, Script, Word} from './syntax-tree.ts';

/**
 * Returns true if a second, independent reading of the text finds the same words in the same commands, so that a bug in one
 * parser alone allows nothing. The second reader is tree-sitter's bash grammar. It is not loaded (35 ms) for texts of plain words
 * between `|`, `&&`, `||`, `;` and line ends: these have only one reading, which splitting the text finds.
 */
export async function confirmsReading(text: string, script: Script): Promise<boolean> {
  if (isPlainScript(text, script)) return true;
  const short = withoutRepeats(text, script);
  if (short.length === text.length) return agreesWithGrammar(text, script);
  const parsed = parseShell(short);
  return parsed.tag === 'ok' && agreesWithGrammar(short, parsed.value);
}

/** True if the text contains only plain words and operators between them, and the parser found exactly these words. */
function isPlainScript(text: string, script: Script): boolean {
  if (!plainScript.test(text)) return false;
  const words: string[] = [];
  for (const {steps} of script) {
    for (const {pipeline} of steps) {
      for (const command of pipeline) {
        if (command.kind !== 'simple' || command.assignments.length > 0) return false;
        words.push(...command.words.map(({range}) => text.slice(range.from, range.to)));
      }
      words.push(operatorPlace);
    }
  }
  return (
    words.join(' ') ===
    text
      .split(/&&|\|\||[;\n]/u)
      .flatMap(each => [...(each.match(/[^ |]+/gu) ?? []), operatorPlace])
      .join(' ')
  );
}

/** Separates the commands when two readings are compared. */
const operatorPlace = ';';

const plainScript = /^[\w./:,@%+-]+(?: [\w./:,@%+-]+)*(?: ?(?:\|\|?|&&|[;\n]) ?[\w./:,@%+-]+(?: [\w./:,@%+-]+)*)*$/u;

/** Returns true if tree-sitter reads the text without an error and finds the parser's words. */
async function agreesWithGrammar(text: string, script: Script): Promise<boolean> {
  const parser = await bashGrammar();
  // The grammar rejects a `-` directly before a here-document, although this `-` is an ordinary word.
  const tree = parser.parse(text.replaceAll(/(?<=\s)-(?=\s+<<)/gu, '_'));
  if (tree === null) return false;
  try {
    if (tree.rootNode.hasError) return false;
    const grammarWords = wordsOfTree(tree);
    if (grammarWords === undefined) return false;
    const parserWords = wordsOfScript(script);
    return parserWords.size === grammarWords.size && [...parserWords].every(word => grammarWords.has(word));
  } finally {
    tree.delete();
  }
}

/** The node types of commands that weft may allow. weft asks about a command with any other node type. */
const knownNodes: ReadonlySet<string> = new Set([
  'program',
  'list',
  'pipeline',
  'command',
  'command_name',
  'word',
  'number',
  'string',
  'string_content',
  'raw_string',
  'ansi_c_string',
  'concatenation',
  'brace_expression',
  'simple_expansion',
  'expansion',
  'variable_name',
  'special_variable_name',
  'regex',
  'extglob_pattern',
  'arithmetic_expansion',
  'binary_expression',
  'unary_expression',
  'parenthesized_expression',
  'test_operator',
  'command_substitution',
  'process_substitution',
  'subshell',
  'compound_statement',
  'negated_command',
  'test_command',
  'for_statement',
  'while_statement',
  'if_statement',
  'case_statement',
  'case_item',
  'variable_assignment',
  'variable_assignments',
  'declaration_command',
  'elif_clause',
  'else_clause',
  'do_group',
  'redirected_statement',
  'file_redirect',
  'file_descriptor',
  'herestring_redirect',
  'heredoc_redirect',
  'heredoc_start',
  'heredoc_body',
  'heredoc_content',
  'heredoc_end',
  'comment',
]);

/** How a part of the text is read. */
const kinds = {name: 0, word: 1, target: 2, test: 3} as const;
type Kind = keyof typeof kinds;

/** The factor with which a range and its kind become one number. Texts are shorter. */
const span = 2 ** 20;
const keyOf = (kind: Kind, from: number, to: number): number => (kinds[kind] * span + from) * span + to;

/** Returns the ranges of command words, redirection targets, and whole tests, or `undefined` if there is an unknown node. */
function wordsOfTree(tree: Tree): ReadonlySet<number> | undefined {
  const words = new Set<number>();
  const cursor: TreeCursor = tree.walk();
  try {
    // The types of the ancestor nodes. Deep trees are walked without recursion.
    const ancestors: string[] = [];
    for (;;) {
      const type = cursor.nodeType;
      // The grammar reads several commands as declarations, but only `export` runs without an approval.
      const isKeyword = ancestors.at(-1) === 'declaration_command' && !cursor.nodeIsNamed;
      if (isKeyword ? type !== 'export' : cursor.nodeIsNamed && !knownNodes.has(type)) return undefined;
      if (cursor.nodeIsNamed || isKeyword) noteWord(words, {cursor, type, parent: ancestors.at(-1) ?? ''});
      if (cursor.gotoFirstChild()) {
        ancestors.push(type);
        continue;
      }
      while (!cursor.gotoNextSibling()) {
        if (!cursor.gotoParent()) return words;
        ancestors.pop();
      }
    }
  } finally {
    cursor.delete();
  }
}

function noteWord(
  words: Set<number>,
  {cursor, type, parent}: {readonly cursor: TreeCursor; readonly type: string; readonly parent: string},
): void {
  const kind = kindOf(type, parent);
  if (kind !== undefined) words.add(keyOf(kind, cursor.startIndex, cursor.endIndex));
}

function kindOf(type: string, parent: string): Kind | undefined {
  if (type === 'test_command') return 'test';
  if (type === 'command_name' || type === 'export') return 'name';
  if (type === 'variable_assignment') return 'word';
  if ((parent === 'command' || parent === 'declaration_command') && !isRedirect(type)) return 'word';
  const isTarget = (parent === 'file_redirect' || parent === 'herestring_redirect') && type !== 'file_descriptor';
  return isTarget ? 'target' : undefined;
}

const isRedirect = (type: string): boolean => type.endsWith('_redirect');

function wordsOfScript(script: Script): ReadonlySet<number> {
  const words = new Set<number>();
  const note = (kind: Kind, from: number, to: number): void => void words.add(keyOf(kind, from, to));
  const ofScript = (each: Script): void => {
    for (const {steps} of each) for (const {pipeline} of steps) pipeline.forEach(ofCommand);
  };
  const ofWord = ({parts}: Word): void => {
    for (const part of parts) if (part.kind === 'substitution' || part.kind === 'process') ofScript(part.script);
  };
  const ofRedirection = ({operator, target}: Redirection): void => {
    if (operator !== '<<' && !isClosed(target)) note('target', target.range.from, target.range.to);
    ofWord(target);
  };
  const ofCommand = (command: Command): void => {
    command.redirections.forEach(ofRedirection);
    switch (command.kind) {
      case 'simple': {
        const [first, ...rest] = command.words;
        command.assignments.forEach(ofWord);
        for (const {range} of command.assignments) note('word', range.from, range.to);
        command.words.forEach(ofWord);
        const last = command.words.at(-1);
        if (first === undefined || last === undefined) return;
        if (isBracket(first)) {
          note('test', first.range.from, last.range.to);
          return;
        }
        note('name', first.range.from, first.range.to);
        for (const {range} of rest) note('word', range.from, range.to);
        return;
      }
      case 'group':
        ofScript(command.body);
        return;
      case 'branches':
        command.words.forEach(ofWord);
        command.scripts.forEach(ofScript);
        return;
      case 'for':
        command.values.forEach(ofWord);
        ofScript(command.body);
        return;
      case 'test':
        command.words.forEach(ofWord);
        note('test', command.span.from, command.span.to);
        return;
      default:
        unreachable(command);
    }
  };
  ofScript(script);
  return words;
}

const isBracket = ({parts: [first], range}: Word): boolean =>
  range.to - range.from === 1 && first?.kind === 'text' && first.text === '[';

/** True for `>&-`, whose target is not a word. */
const isClosed = ({parts: [first]}: Word): boolean => first?.kind === 'text' && first.text === '-';

/**
 * Returns the text without commands that resemble an earlier one. Only plain commands are removed: words without characters that
 * have a meaning to the shell, between `&&`, `||`, `;` and line ends. However long a chain is, one command of each kind shows
 * whether the two readings agree.
 */
export function withoutRepeats(text: string, script: Script): string {
  const seen = new Set<string>();
  const kept: string[] = [];
  let from = 0;
  let copied = 0;
  for (const {steps} of script) {
    for (const step of steps) {
      const range = rangeOf(step);
      if (range === undefined) continue;
      const isPlain = step.pipeline.every(command => command.kind === 'simple' && command.assignments.length === 0);
      const written = isPlain ? text.slice(range.from, range.to) : '';
      if (plainWords.test(written)) {
        const shape = written.replaceAll(/(?<=[ |])[a-z]+/giu, 'a').replaceAll(/\d+/gu, '0');
        if (seen.has(shape) && plainGap.test(text.slice(from, range.from))) {
          kept.push(text.slice(copied, from));
          copied = range.to;
        }
        seen.add(shape);
      }
      from = range.to;
    }
  }
  return copied === 0 ? text : kept.join('') + text.slice(copied);
}

/** Matches plain commands, with `|` between them. */
const plainWords = /^[\w./:,@%+-]+(?: \|? ?[\w./:,@%+-]+)*$/u;

const plainGap = /^[ \n]*(?:&&|\|\||;|\n)[ \n]*$/u;

function rangeOf({pipeline}: AndOr['steps'][number]): {readonly from: number; readonly to: number} | undefined {
  const [first] = pipeline;
  const last = pipeline.at(-1);
  return first === undefined || last === undefined ? undefined : {from: first.range.from, to: last.range.to};
}

let loading: Promise<Parser> | undefined;

/** Returns tree-sitter's bash grammar, which the first command loads (about 35 ms). */
const bashGrammar = (): Promise<Parser> => (loading ??= load());

async function load(): Promise<Parser> {
  const [{default: treeSitter}, runtime, grammar] = await Promise.all([
    import('@vscode/tree-sitter-wasm'),
    binary('tree-sitter.wasm'),
    binary('tree-sitter-bash.wasm'),
  ]);
  const options = {wasmBinary: runtime, locateFile: (file: string) => file};
  return withoutOptimising(async () => {
    await treeSitter.Parser.init(options);
    const parser = new treeSitter.Parser();
    parser.setLanguage(await treeSitter.Language.load(grammar));
    // The first call of a function compiles it.
    parser.parse('ls')?.delete();
    return parser;
  });
}

/**
 * Compiles WebAssembly with only V8's fast baseline compiler. The optimizing one takes 500 MB and most of a second for the
 * grammar's tables, without making commands faster.
 */
async function withoutOptimising<T>(compile: () => Promise<T>): Promise<T> {
  const flags = ['wasm-tier-up', 'wasm-dynamic-tiering'];
  for (const flag of flags) setFlagsFromString(`--no-${flag}`);
  try {
    return await compile();
  } finally {
    for (const flag of flags) setFlagsFromString(`--${flag}`);
  }
}

/** Reads a file of the grammar. It is compressed, next to the chunks of the built program. Unbuilt, weft finds it in the package. */
async function binary(name: string): Promise<Uint8Array> {
  const beside = fileURLToPath(new URL(`../grammar/${name}.br`, import.meta.url));
  return existsSync(beside)
    ? brotliDecompressSync(await readFile(beside))
    : readFile(createRequire(import.meta.url).resolve(`@vscode/tree-sitter-wasm/wasm/${name}`));
}
