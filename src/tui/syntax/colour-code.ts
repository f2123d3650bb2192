import type {Span} from '../text/wrap.ts';
import type {Role} from '../theme/palette.ts';
import {codeStart, isGrammarRead, readCodeLine, type CodeState} from './code-reader.ts';
import type {GrammarName} from './grammars.ts';
import type {CodeToken} from './token-emitter.ts';

/** A block of code that is written piece by piece; the object itself is what the pieces have in common. */
export interface Fence {
  readonly grammar: GrammarName | undefined;
}

/** Where the reading of a block stands. One whose first lines had to go out without colours stays without. */
type Progress = CodeState | 'plain';

const progress = new WeakMap<Fence, Progress>();

/**
 * The next lines of a block as spans. `kept` lines are written for good, and the block goes on after them; `glimpsed` ones
 * will be seen again.
 */
export function colourFence(
  lines: readonly string[],
  {fence, extent}: {readonly fence: Fence; readonly extent: 'kept' | 'glimpsed'},
): readonly (readonly Span[])[] {
  const {grammar} = fence;
  if (grammar === undefined) return lines.map(plainLine);
  const known = progress.get(fence) ?? (isGrammarRead(grammar) ? codeStart : 'plain');
  const {spans, state} =
    known === 'plain' ? {spans: lines.map(plainLine), state: known} : readLines(lines, grammar, known);
  if (extent === 'kept') progress.set(fence, state);
  return spans;
}

/**
 * Whole code as spans. What is drawn again and again while it grows or stays is read once: its lines are kept until
 * other code takes their place.
 */
export function colourWhole(lines: readonly string[], grammar: GrammarName | undefined): readonly (readonly Span[])[] {
  if (grammar === undefined || !isGrammarRead(grammar)) return lines.map(plainLine);
  const key = `${grammar}\n${lines[0] ?? ''}`;
  const kept = drawn.get(key) ?? [];
  let same = 0;
  while (same < kept.length && kept[same]?.line === lines[same]) same++;
  const read = kept.slice(0, same);
  let state = read.at(-1)?.after ?? codeStart;
  for (const line of lines.slice(same)) {
    const found = readCodeLine(line, grammar, state);
    state = found?.next ?? state;
    read.push({line, spans: found === undefined ? plainLine(line) : spansOf(found.tokens), after: state});
  }
  drawn.delete(key);
  drawn.set(key, read);
  const [oldest] = drawn.keys();
  if (drawn.size > mostDrawn && oldest !== undefined) drawn.delete(oldest);
  return read.map(({spans}) => spans);
}

interface DrawnLine {
  readonly line: string;
  readonly spans: readonly Span[];
  readonly after: CodeState;
}

const drawn = new Map<string, readonly DrawnLine[]>();
const mostDrawn = 8;

function readLines(lines: readonly string[], grammar: GrammarName, start: CodeState) {
  let state = start;
  const spans = lines.map(line => {
    const found = readCodeLine(line, grammar, state);
    if (found === undefined) return plainLine(line);
    state = found.next;
    return spansOf(found.tokens);
  });
  return {spans, state};
}

function spansOf(tokens: readonly CodeToken[]): readonly Span[] {
  const spans: {text: string; readonly roles: readonly Role[]}[] = [];
  for (const {text, role} of tokens) {
    const roles = rolesOf(role);
    const last = spans.at(-1);
    if (last?.roles === roles) last.text += text;
    else spans.push({text, roles});
  }
  return spans;
}

const plainLine = (line: string): readonly Span[] => (line === '' ? [] : [{text: line, roles: plainRoles}]);

const plainRoles: readonly Role[] = ['code-block'];
const rolesMade = new Map<CodeToken['role'], readonly Role[]>([['plain', plainRoles]]);

function rolesOf(role: CodeToken['role']): readonly Role[] {
  const known = rolesMade.get(role);
  if (known !== undefined) return known;
  const roles: readonly Role[] = role === 'plain' ? plainRoles : [role];
  rolesMade.set(role, roles);
  return roles;
}
