import {unknownEffect} from '../domain/risk.ts';
import {anchorWide, makeGround, type GroundOptions} from './ground.ts';
import {pathOf} from './path-parts.ts';
import {isAnyDepth, type PathPattern, type PatternPart} from './path-pattern.ts';
import {toolNamesOf, type PermissionRules} from './rules.ts';

/**
 * What no search may show, because a deny rule with a pattern for Read, Grep or Glob names it: one glob or more for each, as
 * ignore files have them, without a leading `!`. `./secret/*` starts at every workspace root, `/etc/*` at the root of the disk; all
 * begin with one of the two. A folder stands for all that is in it. Characters of globs in plain names are escaped by backslashes.
 */
export function deniedReads({
  rules,
  ...options
}: Pick<GroundOptions, 'roots' | 'home' | 'resolve'> & {readonly rules: PermissionRules}): readonly string[] {
  const ground = makeGround({
    ...options,
    list: () => [],
    read: () => ({kind: 'missing'}),
    strayProgram: () => undefined,
    effectOf: () => unknownEffect,
    own: {folders: [], variables: {}},
  });
  const globs = rules.deny.flatMap(({tool, about}) => {
    if (about.kind !== 'paths' || !searched.has(tool)) return [];
    const absolute = anchorWide(about.pattern, ground).map(parts => pathOf(shortened(parts).map(partText)));
    return about.pattern.from === 'workspace' ? [relativeGlob(about.pattern), ...absolute] : absolute;
  });
  return [...new Set(globs)];
}

const searched: ReadonlySet<string> = new Set([
  ...toolNamesOf('read-files'),
  ...toolNamesOf('grep'),
  ...toolNamesOf('file-glob'),
]);

const relativeGlob = ({parts}: PathPattern): string =>
  `./${parts.length === 0 ? '**' : shortened(parts).map(partText).join('/')}`;

/** Without a closing `**`: what stands before it stands for all below. */
const shortened = (parts: readonly PatternPart[]): readonly PatternPart[] => {
  const last = parts.at(-1);
  return last !== undefined && isAnyDepth(last) ? parts.slice(0, -1) : parts;
};

function partText(part: PatternPart): string {
  if (part.kind === 'any-depth') return '**';
  return part.kind === 'name'
    ? part.name.replaceAll(/[\\*?[\]{}]/gu, '\\$&')
    : part.characters.map(char => (/[\\[\]{}]/u.test(char) ? `\\${char}` : char)).join('');
}
