import {failed, ok, type Outcome} from '../base/outcome.ts';
import {unreachable} from '../base/unreachable.ts';
import {foldedName, type LetterCase} from './letter-case.ts';
import type {PathParts} from './path-parts.ts';
import {fitsRun} from './wildcard.ts';

/**
 * A pattern for paths, as written: `src/**` starts at every workspace root, `/etc/*` at the root of the disk, `~/.ssh` at the
 * home folder.
 */
export interface PathPattern {
  readonly from: 'workspace' | 'disk' | 'home';
  readonly parts: readonly PatternPart[];
}

/** `wild` holds the characters of one part, where `*` stands for any run and `?` for one; `any-depth` is `**`. */
export type PatternPart =
  | {readonly kind: 'name'; readonly name: string}
  | {readonly kind: 'wild'; readonly characters: readonly string[]}
  | {readonly kind: 'any-depth'};

/** Reads a pattern. What could never fit, or would fit everything by accident, is refused with what to write instead. */
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
  // A closing `**` is everything in the folder, not the folder itself.
  const spelled = names.at(-1) === '**' ? [...names.slice(0, -1), '*', '**'] : names;
  return ok({from, parts: spelled.map(patternPart)});
}

/** Whether the pattern, here anchored at the root of the disk, names the path or a folder that holds it. */
export const fitsPath = (anchored: readonly PatternPart[], path: PathParts, letterCase: LetterCase): boolean =>
  fitsRun<PatternPart, string>([...anchored, anyDepth], path, {isStar: isAnyDepth, fits: partFits[letterCase]});

/** Whether the pattern names the folder, or everything that can lie in it: what a search of the folder would come upon. */
export const fitsFolder = (anchored: readonly PatternPart[], folder: PathParts, letterCase: LetterCase): boolean =>
  fitsPath(anchored, folder, letterCase) || fitsPath(anchored, [...folder, whateverName], letterCase);

/**
 * As `fitsPath`, for a path with wildcards of the shell in it: whether it may stand for a path that the pattern names. What
 * braces and brackets stand for counts as any text.
 */
export const mayFit = (anchored: readonly PatternPart[], path: PathParts, letterCase: LetterCase): boolean =>
  fitsRun<PatternPart, string>([...anchored, anyDepth], path, {
    isStar: isAnyDepth,
    fits: (part, name) => (/[*?[{]/u.test(name) ? mayMeet(part, name, letterCase) : partFits[letterCase](part, name)),
  });

/** Whether something in the folder, at any depth, may be named by the pattern, or the folder itself is. */
export function mayLieBelow(anchored: readonly PatternPart[], folder: PathParts, letterCase: LetterCase): boolean {
  for (const [at, name] of folder.entries()) {
    const part = anchored[at];
    if (part === undefined || part.kind === 'any-depth') return true;
    if (!partFits[letterCase](part, name)) return false;
  }
  return true;
}

/** Whether every path that the pattern names has a part that begins with a dot. */
export const namesHidden = ({parts}: PathPattern): boolean =>
  parts.some(
    part => (part.kind === 'name' && part.name.startsWith('.')) || (part.kind === 'wild' && part.characters[0] === '.'),
  );

export const isAnyDepth = (part: PatternPart): boolean => part.kind === 'any-depth';

export const nameParts = (path: PathParts): readonly PatternPart[] => path.map(name => ({kind: 'name', name}));

/** Whether the part is, or stands for, the name. */
function fitsPart(part: PatternPart, name: string): boolean {
  if (part.kind === 'name') return part.name === name;
  if (part.kind === 'any-depth') return true;
  return fitsRun(part.characters, Array.from(name), wildly);
}

const partFits: Readonly<Record<LetterCase, typeof fitsPart>> = {
  exactly: fitsPart,
  folded: (part, name) => fitsPart(folded(part), foldedName(name)),
};

function folded(part: PatternPart): PatternPart {
  switch (part.kind) {
    case 'name':
      return {kind: 'name', name: foldedName(part.name)};
    case 'wild':
      return {kind: 'wild', characters: part.characters.map(foldedName)};
    case 'any-depth':
      return part;
    default:
      return unreachable(part);
  }
}

/** Whether some name fits both; where both have wildcards, what stands before the first of each decides. */
function mayMeet(part: PatternPart, glob: string, letterCase: LetterCase): boolean {
  const simple = glob.replaceAll(/\[[^\]]*\]?|\{[^}]*\}?/gu, '*');
  const own = letterCase === 'folded' ? folded(part) : part;
  const seen = letterCase === 'folded' ? foldedName(simple) : simple;
  if (own.kind === 'any-depth') return true;
  if (own.kind === 'name') {
    // The shell's wildcards pass over a leading dot.
    if (own.name.startsWith('.') && !seen.startsWith('.')) return false;
    return fitsRun(Array.from(seen), Array.from(own.name), wildly);
  }
  const before = own.characters
    .slice(
      0,
      own.characters.findIndex(char => char === '*' || char === '?'),
    )
    .join('');
  const [beforeGlob = ''] = seen.split(/[*?]/u);
  return before.startsWith(beforeGlob) || beforeGlob.startsWith(before);
}

const wildly = {
  isStar: (wanted: string): boolean => wanted === '*',
  fits: (wanted: string, found: string): boolean => wanted === '?' || wanted === found,
};

const anyDepth: PatternPart = {kind: 'any-depth'};

/** No file has it; of all parts only `*` fits it, so what fits it fits every name. */
const whateverName = '';

const patternPart = (text: string): PatternPart =>
  text === '**'
    ? anyDepth
    : /[*?]/u.test(text)
      ? {kind: 'wild', characters: Array.from(text)}
      : {kind: 'name', name: text};
