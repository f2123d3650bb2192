import type {DiffHunk, DiffLine, FileDiff} from '../../actions/preview.ts';
import {codeStart, isGrammarRead, readCodeLine, type CodeState} from './code-reader.ts';
import {grammarOfFile, type GrammarName} from './grammars.ts';
import type {CodeToken} from './token-emitter.ts';

/** Lines of one hunk that are coloured; a longer one goes on without. */
const mostLines = 1500;

const coloured = new WeakSet<DiffHunk>();
const tokensOf = new WeakMap<DiffLine, readonly CodeToken[]>();

/** The grammar a file's lines are read with. */
export const grammarOfDiff = ({path}: FileDiff): GrammarName | undefined => grammarOfFile(path);

/** Whether the code of the file's lines can be told apart by now. */
export function hasDiffColours(file: FileDiff): boolean {
  const grammar = grammarOfDiff(file);
  return grammar !== undefined && isGrammarRead(grammar);
}

/** Reads the hunks of a file once; what is drawn again finds its colours by `diffTokens`. */
export function readDiff(file: FileDiff): void {
  const grammar = grammarOfDiff(file);
  if (grammar === undefined || !isGrammarRead(grammar)) return;
  for (const hunk of file.hunks) {
    if (coloured.has(hunk)) continue;
    coloured.add(hunk);
    // Each side is a text of its own; a line of both is read on the new side.
    readSide(hunk, 'removed', grammar);
    readSide(hunk, 'added', grammar);
  }
}

/** The tokens of a line, or `undefined` where its code has no colours. */
export const diffTokens = (line: DiffLine): readonly CodeToken[] | undefined => tokensOf.get(line);

function readSide(hunk: DiffHunk, side: 'added' | 'removed', grammar: GrammarName): void {
  let state: CodeState = codeStart;
  for (const line of hunk.lines.slice(0, mostLines)) {
    if (line.kind !== 'context' && line.kind !== side) continue;
    const read = readCodeLine(line.text, grammar, state);
    if (read === undefined) return;
    state = read.next;
    tokensOf.set(line, read.tokens);
  }
}
