import {unreachable} from '../../base/unreachable.ts';
import type {Tree, TreeCursor} from '@vscode/tree-sitter-wasm';
import {bashGrammar} from './grammar.ts';
import type {Command, Redirection, Script, Word} from './shell-tree.ts';

/**
 * Whether tree-sitter's grammar reads the text without a doubt and finds the very same words in the very same commands. It is
 * a second, independent reading: a fault in one parser alone lets nothing through.
 */
export async function agreesWithGrammar(text: string, script: Script): Promise<boolean> {
  const parser = await bashGrammar();
  // The grammar stumbles over `-` right before a here-document, which is a word like any other.
  const tree = parser.parse(text.replaceAll(/(?<=\s)-(?=\s+<<)/gu, '_'));
  if (tree === null) return false;
  try {
    if (tree.rootNode.hasError) return false;
    const theirs = wordsOfTree(tree);
    if (theirs === undefined) return false;
    const ours = wordsOfScript(script);
    return ours.size === theirs.size && [...ours].every(word => theirs.has(word));
  } finally {
    tree.delete();
  }
}

/** The kinds of nodes that may stand in a command that is let through; any other kind means that it is asked about. */
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

/** What a stretch of the text is taken for. */
const kinds = {name: 0, word: 1, target: 2, test: 3} as const;
type Kind = keyof typeof kinds;

/** A stretch and its kind as one number: texts are shorter than this. */
const span = 2 ** 20;
const keyOf = (kind: Kind, from: number, to: number): number => (kinds[kind] * span + from) * span + to;

/** Words of commands and targets of redirections one by one, tests whole; `undefined` at an unknown node. */
function wordsOfTree(tree: Tree): ReadonlySet<number> | undefined {
  const words = new Set<number>();
  const cursor: TreeCursor = tree.walk();
  try {
    // What the nodes around the present one are; deep trees are walked without recursion.
    const around: string[] = [];
    for (;;) {
      const type = cursor.nodeType;
      if (cursor.nodeIsNamed && !knownNodes.has(type)) return undefined;
      if (cursor.nodeIsNamed) noteWord(words, {cursor, type, parent: around.at(-1) ?? ''});
      if (cursor.gotoFirstChild()) {
        around.push(type);
        continue;
      }
      while (!cursor.gotoNextSibling()) {
        if (!cursor.gotoParent()) return words;
        around.pop();
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
  if (type === 'command_name') return 'name';
  if (type === 'variable_assignment') return 'word';
  if (parent === 'command' && !isRedirect(type)) return 'word';
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
  const ofWord = ({pieces}: Word): void => {
    for (const piece of pieces) if (piece.kind === 'substitution' || piece.kind === 'process') ofScript(piece.script);
  };
  const ofRedirection = ({sign, target}: Redirection): void => {
    if (sign !== '<<' && !isClosed(target)) note('target', target.range.from, target.range.to);
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

const isBracket = ({pieces: [first], range}: Word): boolean =>
  range.to - range.from === 1 && first?.kind === 'text' && first.text === '[';

/** `>&-` has no word for its target. */
const isClosed = ({pieces: [first]}: Word): boolean => first?.kind === 'text' && first.text === '-';
