import type {Ground} from './ground.ts';
import {fitsRun} from './wildcard.ts';

/** More paths than these, or folders looked into, and a pattern is judged by itself. */
const mostMatches = 500;
const mostFolders = 200;

/**
 * The paths that a pattern of the shell comes to below `start`, an absolute path; perhaps some more, since brackets count as any
 * character. `too many` when they are not all looked up.
 */
export function globMatches(pattern: string, start: string, {list}: Ground): readonly string[] | 'too many' {
  let found: readonly string[] = [pattern.startsWith('/') ? '' : start];
  let folders = 0;
  for (const part of pattern.split('/').filter(each => each !== '' && each !== '.')) {
    if (!/[*?[]/u.test(part)) {
      found = found.map(each => `${each}/${part}`);
      continue;
    }
    folders += found.length;
    if (folders > mostFolders) return 'too many';
    const fits = fitsName(part, 'as the shell does');
    found = found.flatMap(folder =>
      list(folder === '' ? '/' : folder)
        .filter(({name}) => fits(name))
        .map(({name}) => `${folder}/${name}`),
    );
    if (found.length > mostMatches) return 'too many';
  }
  return found;
}

/** Tells names that a pattern without slashes stands for. The shell leaves out those with a leading dot, programs do not. */
export function fitsName(
  pattern: string,
  dots: 'as the shell does' | 'like other characters',
): (name: string) => boolean {
  const elements = elementsOf(pattern);
  const passesDots = dots === 'as the shell does' && !pattern.startsWith('.');
  return name => !(passesDots && name.startsWith('.')) && fitsRun(elements, name, wildly);
}

/** A star each as `*`, any one character as `?`. */
const elementsOf = (pattern: string): readonly string[] =>
  (pattern.match(/\*+|\[!?\]?[^\]]*\]?|[\s\S]/gu) ?? []).map(sign =>
    sign.startsWith('*') ? '*' : sign.startsWith('[') || sign === '?' ? '?' : sign,
  );

const wildly = {
  isStar: (wanted: string): boolean => wanted === '*',
  fits: (wanted: string, found: string): boolean => wanted === '?' || wanted === found,
};
