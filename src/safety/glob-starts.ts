import type {GlobRequest} from '../actions/ports.ts';
import {isAbsolutePath} from './path-parts.ts';

/** The folders that the patterns of a search start in, besides the folder it names. */
export interface GlobStarts {
  readonly folders: readonly string[];
  /** Patterns of which this cannot be told. */
  readonly unclear: readonly string[];
}

/** Alternatives in braces beyond which a pattern counts as unclear. */
const mostAlternatives = 64;

/** A pattern starts where its plain beginning leads, up to the first wildcard: `/etc/*` in `/etc`, `../*` above the folder. */
export function globStarts({path, patterns}: Pick<GlobRequest, 'path' | 'patterns'>): GlobStarts {
  const folders = new Set<string>();
  const unclear: string[] = [];
  for (const pattern of patterns) {
    if (pattern.startsWith('!')) continue;
    const starts = alternativesOf(pattern)?.map(plainBeginning);
    if (starts === undefined || starts.includes('unclear')) unclear.push(pattern);
    for (const start of starts ?? []) {
      if (start === 'here' || start === 'unclear') continue;
      if (startsElsewhere(start.folder)) folders.add(start.folder);
      // With a leading slash too: it may be meant as in ignore files, from the folder.
      if (!isFromHome(start.folder)) folders.add(`${path}/${start.folder}`);
    }
  }
  return {folders: [...folders], unclear};
}

const startsElsewhere = (folder: string): boolean => isAbsolutePath(folder) || isFromHome(folder);

const isFromHome = (folder: string): boolean => /^~(?:\/|$)/u.test(folder);

function plainBeginning(pattern: string): 'here' | 'unclear' | {readonly folder: string} {
  const parts = pattern.split('/');
  const wild = parts.findIndex(part => /[*?[\\{}]/u.test(part));
  if (wild >= 0 && parts.slice(wild).some(part => part.replaceAll('\\', '') === '..')) return 'unclear';
  // A pattern without wildcards names something in the folder before its last part.
  const end = wild >= 0 ? wild : parts.at(-1) === '..' ? parts.length : parts.length - 1;
  const plain = parts.slice(0, end).join('/');
  if (plain !== '') return {folder: plain};
  return pattern.startsWith('/') ? {folder: '/'} : 'here';
}

/** `{a,b}c` → `ac`, `bc`; `undefined` when there are too many. */
function alternativesOf(pattern: string): readonly string[] | undefined {
  if (pattern.split('{').length > mostAlternatives) return undefined;
  let patterns: readonly string[] = [pattern];
  while (patterns.some(each => innerBraces.test(each))) {
    patterns = patterns.flatMap(each => {
      const braces = innerBraces.exec(each);
      if (braces === null) return [each];
      const before = each.slice(0, braces.index);
      const after = each.slice(braces.index + braces[0].length);
      return (braces[1] ?? '').split(',').map(alternative => before + alternative + after);
    });
    if (patterns.length > mostAlternatives) return undefined;
  }
  return patterns;
}

const innerBraces = /\{([^{}]*)\}/u;
