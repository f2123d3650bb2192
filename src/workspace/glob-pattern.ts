/** A glob as a test on paths relative to the folder it is anchored in, `/` between parts. */
export type PathTest = (path: string) => boolean;

/** Alternatives beyond which braces are taken literally. */
const mostAlternatives = 256;

/**
 * Reads a glob as ignore files do: `*` and `?` stay within a part, `**` crosses parts, `[…]` and `{a,b}` as in shells. A
 * pattern without a slash names files at any depth, one with a slash starts at the folder; a closing slash means everything
 * below.
 */
export function globTest(pattern: string): PathTest {
  const tests = expandBraces(pattern).map(alternative => new RegExp(`^${source(alternative)}$`, 'su'));
  return path => tests.some(test => test.test(path));
}

/** `a{b,c}d` → `abd`, `acd`; nested braces too. A pattern without alternatives is the only one of its list. */
export function expandBraces(pattern: string): readonly string[] {
  let patterns: readonly string[] = [pattern];
  while (patterns.some(each => firstAlternatives(each) !== undefined)) {
    patterns = patterns.flatMap(each => firstAlternatives(each) ?? [each]);
    if (patterns.length > mostAlternatives) return [pattern];
  }
  return patterns;
}

/** Whether a part of a pattern is more than a name. */
export const isGlob = (part: string): boolean => /[*?[{\\]/u.test(part);

function firstAlternatives(pattern: string): readonly string[] | undefined {
  let depth = 0;
  let start = -1;
  let from = -1;
  const parts: string[] = [];
  for (let at = 0; at < pattern.length; at += 1) {
    const char = pattern[at];
    if (char === '\\') at += 1;
    else if (char === '{') {
      if (depth === 0) {
        start = at;
        from = at + 1;
      }
      depth += 1;
    } else if (char === ',' && depth === 1) {
      parts.push(pattern.slice(from, at));
      from = at + 1;
    } else if (char === '}' && depth > 0) {
      depth -= 1;
      if (depth > 0) continue;
      parts.push(pattern.slice(from, at));
      return parts.map(part => pattern.slice(0, start) + part + pattern.slice(at + 1));
    }
  }
  return undefined;
}

function source(pattern: string): string {
  const anchored = pattern.replace(/^(?:\.?\/)+/u, '');
  const below = anchored.endsWith('/') ? `${anchored}**` : anchored;
  const somewhere = !pattern.startsWith('/') && !pattern.startsWith('./') && !below.includes('/');
  return (somewhere ? '(?:.*/)?' : '') + below.split('/').map(partSource).join('');
}

/** A part with the slash that follows it: `**` stands for any number of parts, none included. */
function partSource(part: string, at: number, all: readonly string[]): string {
  const last = at === all.length - 1;
  if (part === '**') return last ? '.+' : '(?:[^/]+/)*';
  return charsSource(part) + (last ? '' : '/');
}

function charsSource(part: string): string {
  let out = '';
  for (let at = 0; at < part.length; at += 1) {
    const char = part.charAt(at);
    const set = char === '[' ? /^\[[!^]?\]?[^\]]*\]/u.exec(part.slice(at)) : null;
    if (set !== null) {
      out += setSource(set[0]);
      at += set[0].length - 1;
    } else if (char === '*') out += '[^/]*';
    else if (char === '?') out += '[^/]';
    else if (char === '\\' && at + 1 < part.length) {
      at += 1;
      out += literal(part.charAt(at));
    } else out += literal(char);
  }
  return out;
}

function setSource(set: string): string {
  const negated = /^\[[!^]/u.test(set);
  const inner = set.slice(negated ? 2 : 1, -1).replace(/[\\\][^]/gu, '\\$&');
  const candidate = `[${negated ? '^/' : ''}${inner}]`;
  try {
    // A range that runs backwards matches nothing, as in a shell.
    return new RegExp(candidate, 'u').source;
  } catch {
    return '(?!)';
  }
}

const literal = (char: string): string => char.replace(/[\\^$.*+?()[\]{}|/]/gu, '\\$&');
