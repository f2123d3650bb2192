import {matchStars, matchWildcards} from '../../base/glob.ts';
import {foldedName, type LetterCase, type PathParts} from './path-parts.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {unreachable} from '../../base/unreachable.ts';

/**
 * A path pattern as written. `src/**` starts at every workspace root, `/etc/*` at the root of the disk, and `~/.ssh` at the home
 * folder.
 */
export interface PathPattern {
  readonly from: 'workspace' | 'disk' | 'home';
  readonly parts: readonly PatternPart[];
}

/** One part of a pattern. In `wild`, `*` matches any characters and `?` matches one. `any-depth` is `**`. */
export type PatternPart =
  | {readonly kind: 'name'; readonly name: string}
  | {readonly kind: 'wild'; readonly pattern: string}
  | {readonly kind: 'any-depth'};

/** Reads a pattern. A pattern that matches nothing, or that matches everything by accident, is an error that says what to write instead. */
export function parsePathPattern(text: string): Outcome<PathPattern, string> {
  const trimmed = text.trim();
  if (trimmed === '') return failed('the pattern is empty; leave the parentheses out to mean every path');
  if (/^\/+$/u.test(trimmed)) return failed('"/" alone is not a pattern; write "/**" to mean the whole disk');
  const from = trimmed.startsWith('/') ? 'disk' : /^~(?:\/|$)/u.test(trimmed) ? 'home' : 'workspace';
  const names = (from === 'home' ? trimmed.slice(1) : trimmed).split('/').filter(part => part !== '' && part !== '.');
  if (names.includes('..')) return failed('".." cannot be used; write the path from / or ~/');
  if (names.some(name => name !== '**' && name.includes('**'))) {
    return failed('"**" stands for whole folders and must be a part of its own, as in src/**/*.ts');
  }
  // A final `**` matches everything in the folder, but not the folder itself.
  const spelled = names.at(-1) === '**' ? [...names.slice(0, -1), '*', '**'] : names;
  return ok({from, parts: spelled.map(patternPart)});
}

/** True if the pattern matches the path or a folder that contains it. The pattern is anchored at the root of the disk. */
export const patternMatches = (anchored: readonly PatternPart[], path: PathParts, letterCase: LetterCase): boolean =>
  matchStars<PatternPart, string>([...anchored, anyDepth], path, {isStar: isAnyDepth, fits: partMatchers[letterCase]});

/** True if the pattern matches the folder, or every possible file in it: a search of the folder finds these files. */
export const patternMatchesFolder = (
  anchored: readonly PatternPart[],
  folder: PathParts,
  letterCase: LetterCase,
): boolean =>
  patternMatches(anchored, folder, letterCase) || patternMatches(anchored, [...folder, anyName], letterCase);

/** True if the pattern matches one of the possible expansions of a path with shell wildcards. Braces and brackets match any text. */
export const patternMayMatch = (anchored: readonly PatternPart[], path: PathParts, letterCase: LetterCase): boolean =>
  matchStars<PatternPart, string>([...anchored, anyDepth], path, {
    isStar: isAnyDepth,
    fits: (part, name) =>
      /[*?[{]/u.test(name) ? partMayMatchGlob(part, name, letterCase) : partMatchers[letterCase](part, name),
  });

/** True if `patternMayMatch` returns true, or if the pattern matches every possible file in one of the expansions. */
export const patternMayMatchInside = (
  anchored: readonly PatternPart[],
  path: PathParts,
  letterCase: LetterCase,
): boolean => patternMayMatch(anchored, path, letterCase) || patternMayMatch(anchored, [...path, anyName], letterCase);

/** True if the pattern may match the folder, or a path at any depth in it. */
export function patternMayMatchBelow(
  anchored: readonly PatternPart[],
  folder: PathParts,
  letterCase: LetterCase,
): boolean {
  for (const [at, name] of folder.entries()) {
    const part = anchored[at];
    if (part === undefined || part.kind === 'any-depth') return true;
    if (!partMatchers[letterCase](part, name)) return false;
  }
  return true;
}

/** Returns the patterns for paths below a folder: the rest of the pattern after its beginning has matched the folder. */
export function patternsBelow(
  [first, ...rest]: readonly PatternPart[],
  folder: PathParts,
  letterCase: LetterCase,
): readonly (readonly PatternPart[])[] {
  const [name, ...deeper] = folder;
  if (first === undefined) return [];
  if (name === undefined) return [[first, ...rest]];
  if (first.kind === 'any-depth')
    return [...patternsBelow(rest, folder, letterCase), ...patternsBelow([first, ...rest], deeper, letterCase)];
  return partMatchers[letterCase](first, name) ? patternsBelow(rest, deeper, letterCase) : [];
}

/** True if the pattern matches only paths with a part that begins with a dot. */
export const needsHiddenPart = ({parts}: PathPattern): boolean =>
  parts.some(
    part =>
      (part.kind === 'name' && part.name.startsWith('.')) || (part.kind === 'wild' && part.pattern.startsWith('.')),
  );

export const isAnyDepth = (part: PatternPart): boolean => part.kind === 'any-depth';

export const nameParts = (path: PathParts): readonly PatternPart[] => path.map(name => ({kind: 'name', name}));

function partMatches(part: PatternPart, name: string): boolean {
  if (part.kind === 'name') return part.name === name;
  if (part.kind === 'any-depth') return true;
  return matchWildcards(part.pattern, name);
}

const partMatchers: Readonly<Record<LetterCase, typeof partMatches>> = {
  exactly: partMatches,
  folded: (part, name) => partMatches(folded(part), foldedName(name)),
};

function folded(part: PatternPart): PatternPart {
  switch (part.kind) {
    case 'name':
      return {kind: 'name', name: foldedName(part.name)};
    case 'wild':
      return {kind: 'wild', pattern: foldedName(part.pattern)};
    case 'any-depth':
      return part;
    default:
      return unreachable(part);
  }
}

/** True if some name matches both. If both have wildcards, the texts before their first wildcards are compared. */
function partMayMatchGlob(part: PatternPart, glob: string, letterCase: LetterCase): boolean {
  const simple = glob.replaceAll(/\[[^\]]*\]?|\{[^}]*\}?/gu, '*');
  const comparedPart = letterCase === 'folded' ? folded(part) : part;
  const comparedGlob = letterCase === 'folded' ? foldedName(simple) : simple;
  if (comparedPart.kind === 'any-depth') return true;
  if (comparedPart.kind === 'name') {
    // Shell wildcards do not match a leading dot.
    if (comparedPart.name.startsWith('.') && !comparedGlob.startsWith('.')) return false;
    return matchWildcards(comparedGlob, comparedPart.name);
  }
  const [before = ''] = comparedPart.pattern.split(/[*?]/u);
  const [beforeGlob = ''] = comparedGlob.split(/[*?]/u);
  return before.startsWith(beforeGlob) || beforeGlob.startsWith(before);
}

const anyDepth: PatternPart = {kind: 'any-depth'};

/** The empty name, which no file has. Only the part `*` matches it, so a pattern that matches it matches every name. */
const anyName = '';

const patternPart = (text: string): PatternPart =>
  text === '**' ? anyDepth : /[*?]/u.test(text) ? {kind: 'wild', pattern: text} : {kind: 'name', name: text};
