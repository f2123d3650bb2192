import {matchWildcards} from '../../base/glob.ts';
import {foldedName, partsBelow, partsOf, pathOf, type PathParts} from './path-parts.ts';

/** The folders in which weft keeps its permissions and history. Changing them changes what weft allows. */
export interface WeftFolders {
  /** Configuration and data folders, as absolute paths. They may be links, or be in the workspace. */
  readonly folders: readonly string[];
  /** Environment variables with which a command may name a folder: HOME, XDG_DATA_HOME. */
  readonly variables: Readonly<Record<string, string>>;
  /** Settings that may grant permissions. */
  readonly grantingSettings: ReadonlySet<string>;
}

/** weft's files with links followed. Names are folded, because some file systems ignore case. */
export interface ResolvedWeftFiles {
  /** Folders and files. Everything in one of them is weft's too. */
  readonly within: readonly WeftPath[];
  /** Folders and files whose removal, or the removal of a folder above them, removes permissions. */
  readonly kept: readonly PathParts[];
}

/** The disk access that is needed to find weft's files. */
interface WeftFileLookup {
  readonly resolve: (path: string) => string;
  readonly list: (folder: string) => readonly {readonly name: string; readonly kind: string}[];
}

interface WeftPath {
  readonly parts: PathParts;
  /** In a folder that is or contains a workspace, only the names that weft itself uses are weft's. */
  readonly holds: 'weft files only' | 'other files too';
}

const weftFileNames: readonly string[] = (
  'settings.json settings.local.json trust.json weft.db blocks cache checkpoints placeholder.key credentials.json ' +
  'history.jsonl mcp memory earlier'
).split(' ');

/** The folder in a workspace with weft's settings. */
const projectFolder = '.weft';

/** Resolves weft's folders as they are on disk now. `resolve` follows links, even for a path that does not exist yet. */
export function resolveWeftFiles(
  {folders}: WeftFolders,
  {roots, resolve, list}: WeftFileLookup & {readonly roots: readonly PathParts[]},
): ResolvedWeftFiles {
  const ways = (path: string): readonly PathParts[] => [partsOf(path), partsOf(resolve(path))].map(foldedParts);
  const linkedFrom = (folder: string): readonly PathParts[] => {
    const real = resolve(folder);
    // Entries that are not links are in the folder itself, which is already weft's.
    return list(real)
      .filter(({name, kind}) => kind === 'link' && weftFileNames.includes(name))
      .flatMap(({name}) => ways(`${real}/${name}`));
  };
  const foldedRoots = roots.map(foldedParts);
  const kept = folders.flatMap(ways);
  const linked = folders.flatMap(linkedFrom);
  const named = folders.flatMap(folder => weftFileNames.map(name => foldedParts(partsOf(`${folder}/${name}`))));
  const files = [...named, ...linked];
  const ofProjects = roots
    .map(root => pathOf([...root, projectFolder]))
    .flatMap(folder => [...ways(folder), ...linkedFrom(folder)]);
  return {
    within: [
      ...kept.map((parts): WeftPath => {
        const isShared = foldedRoots.some(root => partsBelow(parts, root) !== undefined);
        return {parts, holds: isShared ? 'other files too' : 'weft files only'};
      }),
      ...[...files, ...ofProjects].map((parts): WeftPath => ({parts, holds: 'weft files only'})),
    ],
    kept: [...kept, ...files],
  };
}

/** Returns weft's file or folder that contains the path, or `undefined` if none does. */
export function enclosingWeftFile(path: PathParts, {within}: ResolvedWeftFiles): string | undefined {
  const folded = foldedParts(path);
  const found = within.find(({parts, holds}) => {
    const below = partsBelow(parts, folded);
    if (below === undefined) return false;
    if (holds === 'weft files only') return true;
    const [name = ''] = below;
    // The database has companion files, and a file that is being written has a lock.
    return weftFileNames.some(kept => name === kept || name.startsWith(`${kept}-`) || name.startsWith(`${kept}.`));
  });
  return found === undefined ? undefined : pathOf(found.parts);
}

/** True if the folder is, or contains, one of weft's folders or files. */
export function containsWeftFile(folder: PathParts, {kept}: ResolvedWeftFiles): boolean {
  const folded = foldedParts(folder);
  return kept.some(parts => partsBelow(folded, parts) !== undefined);
}

/**
 * Whether a program or the shell expands a pattern. One that is only `possible` must have letters for a name of weft's, because
 * `.*` is more often part of a regular expression.
 */
export type PatternUse = 'expanded' | 'possible';

/** True if a shell pattern, given in parts, may match a folder that is or contains one of weft's. */
export function patternMayContainWeftFile(pattern: PathParts, {kept}: ResolvedWeftFiles, use: PatternUse): boolean {
  if (use === 'possible' && !hasLetters(pattern.at(-1))) return false;
  const matchers = pattern.map(part => nameMatcher(foldedName(part)));
  return kept.some(
    parts => matchers.length <= parts.length && matchers.every((matcher, at) => matcher(parts[at] ?? '')),
  );
}

/** True if a search of the folder for names that match one of the patterns may find one of weft's files, or a folder that contains one. */
export function searchMayFindWeftFile(folder: PathParts, names: readonly string[], {kept}: ResolvedWeftFiles): boolean {
  const folded = foldedParts(folder);
  const wanted = names.map(name => withoutBrackets(foldedName(name)));
  return kept.some(parts =>
    (partsBelow(folded, parts) ?? []).some(part => wanted.some(wild => matchWildcards(wild, part))),
  );
}

/** True if a pattern may match a path in weft's folders. */
export function patternMayMatchWeftFile(pattern: PathParts, {within}: ResolvedWeftFiles, use: PatternUse): boolean {
  const matchers = pattern.map(part => nameMatcher(foldedName(part)));
  return within.some(
    ({parts, parts: {length}, holds}) =>
      holds === 'weft files only' &&
      length <= matchers.length &&
      parts.every((part, at) => matchers[at]?.(part) === true) &&
      (use === 'expanded' ||
        hasLetters(pattern[length - 1]) ||
        (hasLetters(pattern[length]) && weftFileNames.some(name => matchers[length]?.(name) === true))),
  );
}

const hasLetters = (part = ''): boolean => /\p{L}.*\p{L}/u.test(withoutBrackets(part));

/** True if the shell treats a part of a path as a pattern. */
export const hasShellWildcard = (part: string): boolean => /[*?]|\[[^\]]+\]/u.test(part);

/** Compiles one part of a shell pattern. Brackets match any text. A wildcard at the start does not match a leading dot. */
function nameMatcher(part: string): (name: string) => boolean {
  if (!hasShellWildcard(part)) return name => name === part;
  const wild = withoutBrackets(part);
  const passesDots = /^[*?]/u.test(wild);
  return name => !(passesDots && name.startsWith('.')) && matchWildcards(wild, name);
}

const withoutBrackets = (pattern: string): string => pattern.replaceAll(/\[[^\]]+\]/gu, '*');

const foldedParts = (parts: PathParts): PathParts =>
  parts.map(part => foldedName(part).replaceAll(/\p{Default_Ignorable_Code_Point}/gu, ''));
