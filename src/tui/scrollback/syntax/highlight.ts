import type {Emitter, HLJSApi, Language} from 'highlight.js';
import QuickLRU from 'quick-lru';
import type {DiffHunk, DiffLine, FileDiff} from '../../../actions/preview.ts';
import type {StyledSpan} from '../../text/wrap.ts';
import type {Role, SyntaxRole} from '../../theme/palette.ts';
import {embeddedGrammars, type GrammarName, grammarOfFile, importGrammar} from './grammars.ts';

/** A code block that is written piece by piece. All pieces share this object. */
export interface Fence {
  readonly grammar: GrammarName | undefined;
}

/** The state after the part of a code block read so far. `plain` if its first lines were already written without colors. */
type Progress = CodeState | 'plain';

const progress = new WeakMap<Fence, Progress>();

/** Highlights the next lines of a block. `kept` lines are final; `glimpsed` lines will be passed again. */
export function highlightFence(
  lines: readonly string[],
  {fence, extent}: {readonly fence: Fence; readonly extent: 'kept' | 'glimpsed'},
): readonly (readonly StyledSpan[])[] {
  const {grammar} = fence;
  if (grammar === undefined) return lines.map(plainLine);
  const known = progress.get(fence) ?? (isGrammarLoaded(grammar) ? codeStart : 'plain');
  if (known === 'plain') {
    if (extent === 'kept') progress.set(fence, known);
    return lines.map(plainLine);
  }
  const read = readLines(lines, grammar, known);
  if (extent === 'kept') progress.set(fence, read.at(-1)?.after ?? known);
  return read.map(({spans}) => spans);
}

/** Highlights a whole code block. Caches the lines until other code replaces them. */
export function highlightCode(
  lines: readonly string[],
  grammar: GrammarName | undefined,
): readonly (readonly StyledSpan[])[] {
  if (grammar === undefined || !isGrammarLoaded(grammar)) return lines.map(plainLine);
  const key = `${grammar}\n${lines[0] ?? ''}`;
  const kept = drawn.get(key) ?? [];
  let same = 0;
  while (same < kept.length && kept[same]?.line === lines[same]) same++;
  const known = kept.slice(0, same);
  const read = [...known, ...readLines(lines.slice(same), grammar, known.at(-1)?.after ?? codeStart)];
  drawn.set(key, read);
  return read.map(({spans}) => spans);
}

interface DrawnLine {
  readonly line: string;
  readonly spans: readonly StyledSpan[];
  readonly after: CodeState;
}

const drawn = new QuickLRU<string, readonly DrawnLine[]>({maxSize: 8});

function readLines(lines: readonly string[], grammar: GrammarName, start: CodeState): readonly DrawnLine[] {
  let after = start;
  return lines.map(line => {
    const found = readCodeLine(line, grammar, after);
    after = found?.next ?? after;
    return {line, spans: found === undefined ? plainLine(line) : spansOf(found.tokens), after};
  });
}

function spansOf(tokens: readonly CodeToken[]): readonly StyledSpan[] {
  const spans: {text: string; readonly roles: readonly Role[]}[] = [];
  for (const [at, {text, role}] of tokens.entries()) {
    const last = spans.at(-1);
    if (last !== undefined && tokens[at - 1]?.role === role) last.text += text;
    else spans.push({text, roles: role === 'plain' ? plainRoles : [role]});
  }
  return spans;
}

const plainLine = (line: string): readonly StyledSpan[] => (line === '' ? [] : [{text: line, roles: plainRoles}]);

const plainRoles: readonly Role[] = ['code-block'];
const maxLines = 1500;

const coloured = new WeakSet<DiffHunk>();
const tokensOf = new WeakMap<DiffLine, readonly CodeToken[]>();

export const grammarOfDiff = ({path}: FileDiff): GrammarName | undefined => grammarOfFile(path);

export function hasDiffColours(file: FileDiff): boolean {
  const grammar = grammarOfDiff(file);
  return grammar !== undefined && isGrammarLoaded(grammar);
}

/** Tokenizes the hunks of a file once. Afterwards `diffTokens` returns the tokens. */
export function highlightDiff(file: FileDiff): void {
  const grammar = grammarOfDiff(file);
  if (grammar === undefined || !isGrammarLoaded(grammar)) return;
  for (const hunk of file.hunks) {
    if (coloured.has(hunk)) continue;
    coloured.add(hunk);
    // Tokenize each side of the diff separately. Context lines get the tokens of the new side.
    readSide(hunk, 'removed', grammar);
    readSide(hunk, 'added', grammar);
  }
}

export const diffTokens = (line: DiffLine): readonly CodeToken[] | undefined => tokensOf.get(line);

function readSide(hunk: DiffHunk, side: 'added' | 'removed', grammar: GrammarName): void {
  let state: CodeState = codeStart;
  for (const line of hunk.lines.slice(0, maxLines)) {
    if (line.kind !== 'context' && line.kind !== side) continue;
    const read = readCodeLine(line.text, grammar, state);
    if (read === undefined) return;
    state = read.next;
    tokensOf.set(line, read.tokens);
  }
}

/**
 * The highlighter's state between two lines. A line's look depends only on this state and the line itself.
 * Therefore each streamed line costs the same, and the result does not depend on how the text was split.
 * highlight.js reads only whole texts, but it reports the mode in which it stopped. That mode works as a language that begins there.
 */
export interface CodeState {
  readonly mode: Language | 'start';
  /** Names of the scopes that are open, outermost first. */
  readonly scopes: readonly string[];
  /** UTF-16 units read so far. */
  readonly length: number;
}

export const codeStart: CodeState = {mode: 'start', scopes: [], length: 0};

/** Longer lines, words and texts (in UTF-16 units) have no colors: people don't read them, and grammars are slow on them. */
const maxLineLength = 1000;
const longWord = /[\w$-]{200}/u;
const maxCodeLength = 200_000;

/** Returns the tokens of a line and the state after it, or `undefined` if its grammar is not loaded. */
export function readCodeLine(
  line: string,
  grammar: GrammarName,
  state: CodeState,
): {readonly tokens: readonly CodeToken[]; readonly next: CodeState} | undefined {
  const {hljs} = loaded;
  const root = hljs?.getLanguage(grammar);
  if (hljs === undefined || root === undefined) return undefined;
  const length = state.length + line.length + 1;
  const plain = {tokens: [{text: line, role: 'plain'}], next: {mode: 'start', scopes: [], length}} as const;
  if (line.length > maxLineLength || length > maxCodeLength || longWord.test(line)) return plain;
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

interface KnownLine {
  readonly line: string;
  readonly tokens: readonly CodeToken[];
  readonly after: Pick<CodeState, 'mode' | 'scopes'>;
}

/** The latest lines of each grammar. Lines recur in each frame and in later quotes. */
const knownLines = new Map<GrammarName, QuickLRU<string, KnownLine>>();
const maxKnown = 500;

function remember(grammar: GrammarName, known: KnownLine): void {
  const lines = knownLines.get(grammar) ?? new QuickLRU<string, KnownLine>({maxSize: maxKnown});
  knownLines.set(grammar, lines.set(known.line, known));
}

export const isGrammarLoaded = (grammar: GrammarName): boolean => loaded.hljs?.getLanguage(grammar) !== undefined;

export function loadGrammar(grammar: GrammarName): Promise<void> {
  const known = loaded.reading.get(grammar);
  if (known !== undefined) return known;
  const reading = fetchGrammar(grammar);
  loaded.reading.set(grammar, reading);
  return reading;
}

/** The loaded grammars. Global, because a grammar never changes. */
const loaded: {hljs: HLJSApi | undefined; readonly reading: Map<GrammarName, Promise<void>>} = {
  hljs: undefined,
  reading: new Map(),
};

async function fetchGrammar(grammar: GrammarName): Promise<void> {
  const [core, ...definitions] = await Promise.all([
    import('highlight.js/lib/core'),
    ...[...(embeddedGrammars[grammar] ?? []), grammar].map(async name => [name, await importGrammar(name)] as const),
  ]);
  if (loaded.hljs === undefined) {
    loaded.hljs = core.default;
    loaded.hljs.configure({__emitter: TokenEmitter});
  }
  for (const [name, definition] of definitions) {
    if (loaded.hljs.getLanguage(name) === undefined) loaded.hljs.registerLanguage(name, definition);
  }
}

const resumedName = 'resumed';

function resume(hljs: HLJSApi, mode: Language, root: Language): string {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the object inherits all members of the mode
  const language = Object.create(mode) as Language;
  if (root.case_insensitive !== undefined) language.case_insensitive = root.case_insensitive;
  language.classNameAliases = root.classNameAliases ?? {};
  hljs.registerLanguage(resumedName, () => language);
  return resumedName;
}

/** Closes modes that must end with the line, so that a stray quote does not color everything after it. */
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
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the parent of a highlight.js mode is a mode
  return typeof parent === 'object' && parent !== null ? (parent as Language) : undefined;
}

function withoutLineFeed(tokens: readonly CodeToken[]): readonly CodeToken[] {
  const last = tokens.at(-1);
  if (last === undefined || !last.text.endsWith('\n')) return tokens;
  const text = last.text.slice(0, -1);
  return text === '' ? tokens.slice(0, -1) : [...tokens.slice(0, -1), {...last, text}];
}

/** A part of a line in one color. `plain` is the color of the code block. */
interface CodeToken {
  readonly text: string;
  readonly role: SyntaxRole | 'plain';
}

interface Emitted {
  readonly text: string;
  /** `outer` means the scope that was open before this line. */
  readonly role: SyntaxRole | 'plain' | 'outer';
  /** The number of outer scopes that ended before this text. */
  readonly ended: number;
}

/** Collects the tokens that highlight.js emits for one line. Scopes that began on an earlier line may end in this one. */
class TokenEmitter implements Emitter {
  readonly #emitted: Emitted[] = [];
  readonly #scopes: string[] = [];
  #ended = 0;

  startScope(name: string): void {
    this.#scopes.push(name);
  }

  endScope(): void {
    if (this.#scopes.pop() === undefined) this.#ended++;
  }

  /** highlight.js also calls `startScope` by this name. */
  openNode(name: string): void {
    this.startScope(name);
  }

  closeNode(): void {
    this.endScope();
  }

  addText(text: string): void {
    if (text !== '') this.#emitted.push({text, role: innermost(this.#scopes), ended: this.#ended});
  }

  __addSublanguage(emitter: Emitter): void {
    if (!(emitter instanceof TokenEmitter)) return;
    for (const {text, role} of emitter.#emitted) {
      this.#emitted.push({text, role: role === 'outer' ? 'plain' : role, ended: this.#ended});
    }
  }

  finalize(): void {}

  toHTML(): string {
    return '';
  }

  /** Returns the tokens of the line. `before` lists the scopes that were open at the start of the line. */
  tokens(before: readonly string[]): readonly CodeToken[] {
    return this.#emitted.map(({text, role, ended}) => {
      if (role !== 'outer') return {text, role};
      const found = innermost(before.slice(0, Math.max(0, before.length - ended)));
      return {text, role: found === 'outer' ? 'plain' : found};
    });
  }

  open(before: readonly string[]): readonly string[] {
    return [...before.slice(0, Math.max(0, before.length - this.#ended)), ...this.#scopes];
  }
}

function innermost(scopes: readonly string[]): Emitted['role'] {
  for (let at = scopes.length - 1; at >= 0; at--) {
    const scope = scopes[at] ?? '';
    const role = roleOf.get(scope) ?? roleOf.get(scope.split('.')[0] ?? '');
    if (role !== undefined) return role;
  }
  return 'outer';
}

const scopes: readonly (readonly [SyntaxRole | 'plain', string])[] = [
  ['syntax-keyword', 'keyword name selector-tag'],
  ['syntax-type', 'built_in type title.class'],
  ['syntax-number', 'literal number symbol bullet deletion'],
  ['syntax-string', 'string regexp char code addition link'],
  ['syntax-comment', 'comment quote'],
  ['syntax-name', 'attr attribute property title section selector-id selector-class'],
  ['syntax-meta', 'doctag meta selector-attr selector-pseudo variable template-variable template-tag'],
  ['plain', 'subst'],
];
const roleOf = new Map(scopes.flatMap(([role, names]) => names.split(' ').map(name => [name, role] as const)));
