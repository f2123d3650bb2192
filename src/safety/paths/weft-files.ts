import {matchWildcards} from '../../base/glob.ts';
import {foldedName, partsBelow, partsOf, pathOf, type PathParts} from './path-parts.ts';

/** Where weft keeps what it was granted and what happened: changing it changes what weft lets through. */
export interface WeftFolders {
  /** The folders of configuration and data as absolute paths; they may be links, or lie in the workspace. */
  readonly folders: readonly string[];
  /** Variables of the environment by which a command may name a folder: HOME, XDG_DATA_HOME. */
  readonly variables: Readonly<Record<string, string>>;
  /** The settings that may grant something. */
  readonly grantingSettings: ReadonlySet<string>;
}

/** The places with links followed, ready to be compared: names are folded, since some file systems compare them so. */
export interface ResolvedWeftFiles {
  /** Folders and files: what lies in one is weft's, too. */
  readonly within: readonly WeftPath[];
  /** Folders whose loss, or the loss of a folder that holds them, is that of all grants. */
  readonly kept: readonly PathParts[];
}

/** The disk, as far as weft's files are looked up on it. */
interface WeftFileLookup {
  readonly resolve: (path: string) => string;
  readonly list: (folder: string) => readonly {readonly name: string; readonly kind: string}[];
}

interface WeftPath {
  readonly parts: PathParts;
  /** In a folder that holds a workspace, or is one, only what weft itself puts there is its own. */
  readonly holds: 'only what is its own' | 'what weft names';
}

/** The names of the files and folders that weft keeps in its folders. */
const keptNames: readonly string[] = (
  'settings.json settings.local.json trust.json weft.db blocks cache checkpoints placeholder.key credentials.json ' +
  'history.jsonl mcp memory'
).split(' ');

/** The folder of a workspace with weft's settings. */
const projectFolder = '.weft';

/** Resolves weft's folders as they are on the disk now. `resolve` follows links, also of a path that does not exist yet. */
export function resolveWeftFiles(
  {folders}: WeftFolders,
  {roots, resolve, list}: WeftFileLookup & {readonly roots: readonly PathParts[]},
): ResolvedWeftFiles {
  const ways = (path: string): readonly PathParts[] => [partsOf(path), partsOf(resolve(path))].map(foldedParts);
  const linkedFrom = (folder: string): readonly PathParts[] => {
    const real = resolve(folder);
    // What is no link lies in the folder, and the folder is weft's.
    return list(real)
      .filter(({name, kind}) => kind === 'link' && keptNames.includes(name))
      .flatMap(({name}) => ways(`${real}/${name}`));
  };
  const foldedRoots = roots.map(foldedParts);
  const kept = folders.flatMap(ways);
  const linked = folders.flatMap(linkedFrom);
  const named = folders.flatMap(folder => keptNames.map(name => foldedParts(partsOf(`${folder}/${name}`))));
  const files = [...named, ...linked];
  const ofProjects = roots
    .map(root => pathOf([...root, projectFolder]))
    .flatMap(folder => [...ways(folder), ...linkedFrom(folder)]);
  return {
    within: [
      ...kept.map((parts): WeftPath => {
        const isShared = foldedRoots.some(root => partsBelow(parts, root) !== undefined);
        return {parts, holds: isShared ? 'what weft names' : 'only what is its own'};
      }),
      ...[...files, ...ofProjects].map((parts): WeftPath => ({parts, holds: 'only what is its own'})),
    ],
    kept: [...kept, ...files],
  };
}

/** The path of weft's file or folder that the path lies in; `undefined` when it lies in none. */
export function enclosingWeftFile(path: PathParts, {within}: ResolvedWeftFiles): string | undefined {
  const folded = foldedParts(path);
  const found = within.find(({parts, holds}) => {
    const below = partsBelow(parts, folded);
    if (below === undefined) return false;
    if (holds === 'only what is its own') return true;
    const [name = ''] = below;
    // The database has files beside it, and what is being written has a lock.
    return keptNames.some(kept => name === kept || name.startsWith(`${kept}-`) || name.startsWith(`${kept}.`));
  });
  return found === undefined ? undefined : pathOf(found.parts);
}

/** Whether one of weft's folders or files lies in the folder, or is it. */
export function containsWeftFile(folder: PathParts, {kept}: ResolvedWeftFiles): boolean {
  const folded = foldedParts(folder);
  return kept.some(parts => partsBelow(folded, parts) !== undefined);
}

/** Whether a shell pattern, given in parts, may match a folder that is one of weft's or contains one. */
export function patternMayContainWeftFile(pattern: PathParts, {kept}: ResolvedWeftFiles): boolean {
  const matchers = pattern.map(part => nameMatcher(foldedName(part)));
  return kept.some(
    parts => matchers.length <= parts.length && matchers.every((matcher, at) => matcher(parts[at] ?? '')),
  );
}

/** Whether a search through the folder for names that fit one of the patterns may come upon one of weft's, or a folder that holds it. */
export function searchMayFindWeftFile(folder: PathParts, names: readonly string[], {kept}: ResolvedWeftFiles): boolean {
  const folded = foldedParts(folder);
  const wanted = names.map(name => withoutSets(foldedName(name)));
  return kept.some(parts =>
    (partsBelow(folded, parts) ?? []).some(part => wanted.some(wild => matchWildcards(wild, part))),
  );
}

/** Whether a pattern may match a path in weft's folders. */
export function patternMayMatchWeftFile(pattern: PathParts, {within}: ResolvedWeftFiles): boolean {
  const matchers = pattern.map(part => nameMatcher(foldedName(part)));
  return within.some(
    ({parts, holds}) =>
      holds === 'only what is its own' &&
      parts.length <= matchers.length &&
      parts.every((part, at) => matchers[at]?.(part) === true),
  );
}

/** Whether the shell takes a part of a path for a pattern. */
export const hasShellWildcard = (part: string): boolean => /[*?]|\[[^\]]+\]/u.test(part);

/** Brackets count as any text; a wildcard at the start passes over a leading dot. */
function nameMatcher(part: string): (name: string) => boolean {
  if (!hasShellWildcard(part)) return name => name === part;
  const wild = withoutSets(part);
  const passesDots = /^[*?]/u.test(wild);
  return name => !(passesDots && name.startsWith('.')) && matchWildcards(wild, name);
}

const withoutSets = (pattern: string): string => pattern.replaceAll(/\[[^\]]+\]/gu, '*');

const foldedParts = (parts: PathParts): PathParts =>
  parts.map(part => foldedName(part).replaceAll(/\p{Default_Ignorable_Code_Point}/gu, ''));
