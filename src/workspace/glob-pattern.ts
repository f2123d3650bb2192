import {failed, ok, type Outcome} from '../base/outcome.ts';
import {expandBraces} from './expand-braces.ts';
import {readNamePattern, type NamePattern} from './name-pattern.ts';

/** A glob as a test on paths relative to the folder it is anchored in, `/` between parts. */
export type PathTest = (path: string) => boolean;

/**
 * Reads a glob as ignore files do: `*` and `?` stay within a part, `**` crosses parts, `[…]` and `{a,b}` as in shells. A
 * pattern without a slash names files at any depth, one with a slash starts at the folder; a closing slash means everything
 * below. A test takes time in proportion to pattern times path at worst. The error says which bound the pattern exceeds.
 */
export function globTest(pattern: string): Outcome<PathTest, string> {
  const alternatives = expandBraces(pattern);
  if (alternatives.tag === 'failed') return failed(alternatives.error);
  const wanted = alternatives.value.map(partsOf);
  return ok(path => {
    const names = path.split('/');
    return wanted.some(parts => partsFit(parts, names));
  });
}

/** Whether a part of a pattern is more than a name. */
export const isGlob = (part: string): boolean => /[*?[{\\]/u.test(part);

/** `any`: any number of parts, none included. */
type Part = 'any' | NamePattern;

/** No parts fit no path. */
function partsOf(pattern: string): readonly Part[] {
  const anchored = pattern.replace(/^(?:\.?\/)+/u, '');
  const below = anchored.endsWith('/') ? `${anchored}**` : anchored;
  const somewhere = !pattern.startsWith('/') && !pattern.startsWith('./') && !below.includes('/');
  const named = below.split('/').filter(text => text !== '');
  if (named.length === 0) return [];
  const texts = somewhere ? ['**', ...named] : named;
  // At the end `**` is everything below, not the folder itself.
  if (texts.at(-1) === '**') texts.push('*');
  return texts
    .filter((text, at) => text !== '**' || texts[at - 1] !== '**')
    .map(text => (text === '**' ? 'any' : readNamePattern(text)));
}

/** Goes on from the last `any` where a part does not fit: only the last one ever needs to take more names. */
function partsFit(parts: readonly Part[], names: readonly string[]): boolean {
  let part = 0;
  let name = 0;
  let afterAny = -1;
  let taken = 0;
  while (name < names.length) {
    const wanted = parts[part];
    if (wanted === 'any') {
      part += 1;
      afterAny = part;
      taken = name;
    } else if (wanted?.(names[name] ?? '') === true) {
      part += 1;
      name += 1;
    } else if (afterAny >= 0) {
      taken += 1;
      part = afterAny;
      name = taken;
    } else return false;
  }
  while (parts[part] === 'any') part += 1;
  return part === parts.length;
}
