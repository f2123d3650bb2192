import type {FolderEntry} from '../actions/ports.ts';
import type {Ground} from './ground.ts';
import {fitsRun} from './wildcard.ts';

/** More paths than these, or folders looked into, and a pattern is not looked up to the end. */
const mostMatches = 20_000;
const mostFolders = 5000;

/** A path that a pattern comes to. */
export interface GlobMatch {
  /** Absolute. */
  readonly path: string;
  /** `unknown`: its last part stands in the pattern as it is, and may not be there. */
  readonly kind: FolderEntry['kind'] | 'unknown';
  /** Whether a link stands on the way to it. */
  readonly way: 'direct' | 'through a link';
}

/**
 * The paths that a pattern of the shell comes to below `start`, an absolute path; perhaps some more, since brackets count as more
 * characters than they stand for. `too many` when they are not all looked up.
 */
export function globMatches(pattern: string, start: string, {list}: Ground): readonly GlobMatch[] | 'too many' {
  let found: readonly GlobMatch[] = [{path: pattern.startsWith('/') ? '' : start, kind: 'folder', way: 'direct'}];
  let folders = 0;
  for (const part of pattern.split('/').filter(each => each !== '' && each !== '.')) {
    if (!/[*?[]/u.test(part)) {
      found = found.map(each => below(each, {name: part, kind: 'unknown'}));
      continue;
    }
    folders += found.length;
    if (folders > mostFolders) return 'too many';
    const fits = fitsName(part, 'as the shell does');
    found = found.flatMap(folder =>
      list(folder.path === '' ? '/' : folder.path)
        .filter(({name}) => fits(name))
        .map(entry => below(folder, entry)),
    );
    if (found.length > mostMatches) return 'too many';
  }
  return found;
}

const below = (
  {path, kind, way}: GlobMatch,
  entry: {readonly name: string; readonly kind: GlobMatch['kind']},
): GlobMatch => ({
  path: `${path}/${entry.name}`,
  kind: entry.kind,
  way: kind === 'link' || kind === 'unknown' ? 'through a link' : way,
});

/** Tells names that a pattern without slashes stands for. The shell leaves out those with a leading dot, programs do not. */
export function fitsName(
  pattern: string,
  dots: 'as the shell does' | 'like other characters',
): (name: string) => boolean {
  const elements = elementsOf(pattern);
  const passesDots = dots === 'as the shell does' && !pattern.startsWith('.');
  return name => !(passesDots && name.startsWith('.')) && fitsRun(elements, name, wildly);
}

/**
 * A star each as `*`, any one character as `?`, a plain set of letters and digits as `[`; what a backslash does to the pattern
 * depends on who reads it, and counts as a star.
 */
const elementsOf = (pattern: string): readonly string[] =>
  (pattern.match(/\*+|\\[\s\S]?|\[[!^]?\]?(?:\[([:.=])[^\]]*\1\]|[^\]])*\]|[\s\S]/gu) ?? []).map(sign =>
    sign.startsWith('*') || sign.startsWith('\\')
      ? '*'
      : /^\[(?:[A-Za-z]-[A-Za-z]|\d-\d|\w)+\]$/u.test(sign)
        ? '['
        : sign.startsWith('[') || sign === '?'
          ? '?'
          : sign,
  );

const wildly = {
  isStar: (wanted: string): boolean => wanted === '*',
  fits: (wanted: string, found: string): boolean =>
    wanted === '?' || wanted === found || (wanted === '[' && /[\w\u0080-\uFFFF]/u.test(found)),
};
