import type {HLJSApi, Language} from 'highlight.js';
import {loadGrammar, withinGrammar, type GrammarName} from './grammars.ts';
import {TokenEmitter, type CodeToken} from './token-emitter.ts';

/**
 * Reads code line by line: what a line looks like depends on the lines before it alone, through a state that is handed from
 * line to line. So a line that streams in costs the same wherever it stands, and however the text is cut up it comes out
 * the same. highlight.js reads whole texts only; but it says in which of its modes it stopped, and a mode works as a
 * language that begins there.
 */
export interface CodeState {
  readonly mode: Language | 'start';
  /** Names of the scopes that are open, outermost first. */
  readonly scopes: readonly string[];
  /** UTF-16 units read so far. */
  readonly length: number;
}

export const codeStart: CodeState = {mode: 'start', scopes: [], length: 0};

/** Longer lines, words and texts (UTF-16 units) have no colours: no person reads them, and grammars take long over them. */
const longestLine = 1000;
const longWord = /[\w$-]{200}/u;
const longestCode = 200_000;

/** The line's tokens and the state after it, or `undefined` while its grammar has not been read. */
export function readCodeLine(
  line: string,
  grammar: GrammarName,
  state: CodeState,
): {readonly tokens: readonly CodeToken[]; readonly next: CodeState} | undefined {
  const {hljs} = shelf;
  const root = hljs?.getLanguage(grammar);
  if (hljs === undefined || root === undefined) return undefined;
  const length = state.length + line.length + 1;
  const plain = {tokens: [{text: line, role: 'plain'}], next: {mode: 'start', scopes: [], length}} as const;
  if (line.length > longestLine || length > longestCode || longWord.test(line)) return plain;
  if (line.trim() === '') return {tokens: line === '' ? [] : plain.tokens, next: {...state, length}};
  const isFresh = state.mode === 'start' && state.scopes.length === 0;
  const known = isFresh ? knownLines.get(grammar)?.get(line) : undefined;
  if (known !== undefined) return {tokens: known.tokens, next: {...known.after, length}};
  const resumed = state.mode === 'start' ? undefined : resume(hljs, state.mode, root);
  const {_emitter: emitter, _top: top} = hljs.highlight(`${line}\n`, {
    language: resumed ?? grammar,
    ignoreIllegals: true,
  });
  if (!(emitter instanceof TokenEmitter)) return plain;
  const tokens = withoutLineFeed(emitter.tokens(state.scopes));
  const mode = top === undefined || top === root ? 'start' : top;
  const after = closedAtLineEnd(mode, emitter.open(state.scopes), root);
  if (isFresh) remember(grammar, {line, tokens, after});
  return {tokens, next: {...after, length}};
}

/** What a line is where nothing before it reaches into it. */
interface KnownLine {
  readonly line: string;
  readonly tokens: readonly CodeToken[];
  readonly after: Pick<CodeState, 'mode' | 'scopes'>;
}

/**
 * Lines come again: an unfinished block with each frame, code that is quoted, then changed, then quoted anew, a bracket of its own
 * everywhere. The latest of each grammar are kept.
 */
const knownLines = new Map<GrammarName, Map<string, KnownLine>>();
const mostKnown = 500;

function remember(grammar: GrammarName, known: KnownLine): void {
  const lines = knownLines.get(grammar) ?? new Map<string, KnownLine>();
  knownLines.set(grammar, lines.set(known.line, known));
  const [oldest] = lines.keys();
  if (lines.size > mostKnown && oldest !== undefined) lines.delete(oldest);
}

/** Whether code of this grammar can be coloured now. */
export const isGrammarRead = (grammar: GrammarName): boolean => shelf.hljs?.getLanguage(grammar) !== undefined;

/** Reads a grammar and what it needs; asking again costs nothing. */
export function readGrammar(grammar: GrammarName): Promise<void> {
  const known = shelf.reading.get(grammar);
  if (known !== undefined) return known;
  const reading = fetchGrammar(grammar);
  shelf.reading.set(grammar, reading);
  return reading;
}

/** What has been read, for the whole program as modules are: a grammar does not change. */
const shelf: {hljs: HLJSApi | undefined; readonly reading: Map<GrammarName, Promise<void>>} = {
  hljs: undefined,
  reading: new Map(),
};

async function fetchGrammar(grammar: GrammarName): Promise<void> {
  const [core, ...definitions] = await Promise.all([
    import('highlight.js/lib/core'),
    ...[...(withinGrammar[grammar] ?? []), grammar].map(async name => [name, await loadGrammar(name)] as const),
  ]);
  if (shelf.hljs === undefined) {
    shelf.hljs = core.default;
    shelf.hljs.configure({__emitter: TokenEmitter});
  }
  for (const [name, definition] of definitions) {
    if (shelf.hljs.getLanguage(name) === undefined) shelf.hljs.registerLanguage(name, definition);
  }
}

const resumedName = 'resumed';

/** Makes a mode a language of its own, below the name that is answered. */
function resume(hljs: HLJSApi, mode: Language, root: Language): string {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an object over a mode has all that the mode has
  const language = Object.create(mode) as Language;
  if (root.case_insensitive !== undefined) language.case_insensitive = root.case_insensitive;
  language.classNameAliases = root.classNameAliases ?? {};
  hljs.registerLanguage(resumedName, () => language);
  return resumedName;
}

/** What must not go over the end of a line, such as most strings, ends there: one stray quote does not turn all that follows. */
function closedAtLineEnd(
  mode: Language | 'start',
  scopes: readonly string[],
  root: Language,
): Pick<CodeState, 'mode' | 'scopes'> {
  if (mode === 'start' || !forbidsLineFeed(mode)) return {mode, scopes};
  const parent = parentOf(mode);
  const left = mode.scope === undefined ? scopes : scopes.slice(0, -1);
  return parent === undefined || parent === root ? {mode: 'start', scopes: []} : closedAtLineEnd(parent, left, root);
}

function forbidsLineFeed({illegal}: Language): boolean {
  if (illegal === undefined || illegal === null) return false;
  return [illegal].flat().some(one => (typeof one === 'string' ? one === '\\n' : one.source === '\\n'));
}

function parentOf(mode: Language): Language | undefined {
  const parent: unknown = Reflect.get(mode, 'parent');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what stands around a mode of highlight.js is a mode
  return typeof parent === 'object' && parent !== null ? (parent as Language) : undefined;
}

function withoutLineFeed(tokens: readonly CodeToken[]): readonly CodeToken[] {
  const last = tokens.at(-1);
  if (last === undefined || !last.text.endsWith('\n')) return tokens;
  const text = last.text.slice(0, -1);
  return text === '' ? tokens.slice(0, -1) : [...tokens.slice(0, -1), {...last, text}];
}
