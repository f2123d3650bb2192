import {unknownFileEffect} from '../../domain/risk.ts';
import {anchorDenyPattern, makePathContext, type PathContextOptions} from '../paths/path-context.ts';
import {pathOf} from '../paths/path-parts.ts';
import {isAnyDepth, type PathPattern, type PatternPart} from '../paths/path-pattern.ts';
import type {PermissionRules} from './permission-rule.ts';

/**
 * Returns globs for the files that a search must not show, because a deny rule with a pattern for Read, Grep or Glob
 * names them. Each rule gives one or more globs in the syntax of ignore files, without a leading `!`. `./secret/*`
 * starts at every workspace root, and `/etc/*` at the root of the disk. Every glob begins with one of the two. A folder
 * means everything in it. Backslashes escape glob characters in plain names.
 */
export function deniedReadGlobs({
  rules,
  ...options
}: Pick<PathContextOptions, 'roots' | 'home' | 'resolve'> & {readonly rules: PermissionRules}): readonly string[] {
  const context = makePathContext({
    ...options,
    list: () => [],
    read: () => ({kind: 'missing'}),
    findWorkspaceProgram: () => undefined,
    effectOf: () => unknownFileEffect,
    weftFolders: {folders: [], variables: {}, grantingSettings: new Set()},
  });
  const globs = rules.deny.flatMap(({ruleKind, about}) => {
    if (about.kind !== 'paths' || ruleKind === 'editing') return [];
    const absolute = anchorDenyPattern(about.pattern, context).map(parts => pathOf(shortened(parts).map(partText)));
    return about.pattern.from === 'workspace' ? [relativeGlob(about.pattern), ...absolute] : absolute;
  });
  return [...new Set(globs)];
}

const relativeGlob = ({parts}: PathPattern): string =>
  `./${parts.length === 0 ? '**' : shortened(parts).map(partText).join('/')}`;

/** Returns the parts without a final `**`: the folder before it already means everything below. */
const shortened = (parts: readonly PatternPart[]): readonly PatternPart[] => {
  const last = parts.at(-1);
  return last !== undefined && isAnyDepth(last) ? parts.slice(0, -1) : parts;
};

function partText(part: PatternPart): string {
  if (part.kind === 'any-depth') return '**';
  return part.kind === 'name'
    ? part.name.replaceAll(/[\\*?[\]{}]/gu, '\\$&')
    : part.pattern.replaceAll(/[\\[\]{}]/gu, String.raw`\$&`);
}
