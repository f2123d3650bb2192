import {failed, ok, type Outcome} from '../base/outcome.ts';

/** Characters of a pattern, and the alternatives its braces may stand for. */
const longestPattern = 1000;
const mostAlternatives = 100;

/**
 * `a{b,c}d` → `abd`, `acd`; nested braces too. A pattern without alternatives is the only one of its list; braces that are not
 * closed are plain characters. The error says which bound is exceeded.
 */
export function expandBraces(pattern: string): Outcome<readonly string[], string> {
  if (pattern.length > longestPattern) {
    return failed(`A glob pattern is ${pattern.length} characters long; at most ${longestPattern} are taken.`);
  }
  const patterns = expand(pattern);
  return patterns === 'too-many'
    ? failed(`The glob pattern ${pattern} has more than ${mostAlternatives} alternatives; give fewer, or use *.`)
    : ok(patterns);
}

type Expansion = readonly string[] | 'too-many';

function expand(pattern: string): Expansion {
  let patterns: readonly string[] = [''];
  let plainFrom = 0;
  for (let at = 0; at < pattern.length; at += 1) {
    const char = pattern[at];
    if (char === '\\') at += 1;
    const braces = char === '{' ? bracesAt(pattern, at) : undefined;
    if (braces === undefined) continue;
    const alternatives = expandEach(braces.parts);
    if (alternatives === 'too-many' || patterns.length * alternatives.length > mostAlternatives) return 'too-many';
    const plain = pattern.slice(plainFrom, at);
    patterns = patterns.flatMap(before => alternatives.map(each => before + plain + each));
    at = braces.end;
    plainFrom = at + 1;
  }
  const rest = pattern.slice(plainFrom);
  return patterns.map(before => before + rest);
}

function expandEach(parts: readonly string[]): Expansion {
  const all: string[] = [];
  for (const part of parts) {
    const expanded = expand(part);
    if (expanded === 'too-many' || all.length + expanded.length > mostAlternatives) return 'too-many';
    all.push(...expanded);
  }
  return all;
}

/** What the brace at `start` holds, divided at its own commas, and where it closes; `undefined` when it does not. */
function bracesAt(
  pattern: string,
  start: number,
): {readonly parts: readonly string[]; readonly end: number} | undefined {
  let depth = 0;
  let from = start + 1;
  const parts: string[] = [];
  for (let at = start; at < pattern.length; at += 1) {
    const char = pattern[at];
    if (char === '\\') at += 1;
    else if (char === '{') depth += 1;
    else if (char === '}') {
      depth -= 1;
      if (depth === 0) return {parts: [...parts, pattern.slice(from, at)], end: at};
    } else if (char === ',' && depth === 1) {
      parts.push(pattern.slice(from, at));
      from = at + 1;
    }
  }
  return undefined;
}
