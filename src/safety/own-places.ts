import {foldedName} from './letter-case.ts';
import {partsBelow, partsOf, pathOf, type PathParts} from './path-parts.ts';
import {fitsRun} from './wildcard.ts';

/** Where weft keeps what it was granted and what happened: changing it changes what weft lets through. */
export interface OwnPlaces {
  /** The folders of configuration and data as absolute paths; they may be links, or lie in the workspace. */
  readonly folders: readonly string[];
  /** Variables of the environment by which a command may name a folder: HOME, XDG_DATA_HOME. */
  readonly variables: Readonly<Record<string, string>>;
}

/** The places with links followed, ready to be compared: names are folded, since some file systems compare them so. */
export interface ResolvedPlaces {
  /** Folders and files: what lies in one is weft's, too. */
  readonly within: readonly OwnPlace[];
  /** Folders whose loss, or the loss of a folder that holds them, is that of all grants. */
  readonly kept: readonly PathParts[];
}

/** What weft's places are looked up by. */
interface GroundOfPlaces {
  readonly resolve: (path: string) => string;
  readonly list: (folder: string) => readonly {readonly name: string; readonly kind: string}[];
}

interface OwnPlace {
  readonly parts: PathParts;
  /** In a folder that holds a workspace, or is one, only what weft itself puts there is its own. */
  readonly holds: 'only what is its own' | 'what weft names';
}

/** What weft keeps in its folders. */
const keptNames: readonly string[] = [
  'settings.json',
  'settings.local.json',
  'trust.json',
  'weft.db',
  'blocks',
  'checkpoints',
  'placeholder.key',
  'history.jsonl',
];

/** Where a workspace keeps settings. */
const projectFolder = '.weft';

/** Looks up where weft's places lead just now. `resolve` follows links, also of a path that is not there yet. */
export function resolvePlaces(
  {folders}: OwnPlaces,
  {roots, resolve, list}: GroundOfPlaces & {readonly roots: readonly PathParts[]},
): ResolvedPlaces {
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
      ...kept.map((parts): OwnPlace => {
        const isShared = foldedRoots.some(root => partsBelow(parts, root) !== undefined);
        return {parts, holds: isShared ? 'what weft names' : 'only what is its own'};
      }),
      ...[...files, ...ofProjects].map((parts): OwnPlace => ({parts, holds: 'only what is its own'})),
    ],
    kept: [...kept, ...files],
  };
}

/** The one of weft's own places that the path lies in, as a path; `undefined` when it lies in none. */
export function ownPlaceOf(path: PathParts, {within}: ResolvedPlaces): string | undefined {
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
export function holdsOwnPlace(folder: PathParts, {kept}: ResolvedPlaces): boolean {
  const folded = foldedParts(folder);
  return kept.some(parts => partsBelow(folded, parts) !== undefined);
}

/** Whether a pattern of the shell, read part by part, may come to a folder that is or holds one of weft's. */
export function mayHoldOwnPlace(pattern: PathParts, {kept}: ResolvedPlaces): boolean {
  const fits = pattern.map(part => fitter(foldedName(part)));
  return kept.some(parts => fits.length <= parts.length && fits.every((fit, at) => fit(parts[at] ?? '')));
}

/** Whether a search through the folder for names that fit one of the patterns may come upon one of weft's, or a folder that holds it. */
export function mayFindOwnPlace(folder: PathParts, names: readonly string[], {kept}: ResolvedPlaces): boolean {
  const folded = foldedParts(folder);
  const wanted = names.map(name => wildCharacters(foldedName(name)));
  return kept.some(parts =>
    (partsBelow(folded, parts) ?? []).some(part => wanted.some(wild => fitsRun(wild, Array.from(part), wildly))),
  );
}

/** Whether a pattern may come to something in weft's places. */
export function mayBeOwnPlace(pattern: PathParts, {within}: ResolvedPlaces): boolean {
  const fits = pattern.map(part => fitter(foldedName(part)));
  return within.some(
    ({parts, holds}) =>
      holds === 'only what is its own' &&
      parts.length <= fits.length &&
      parts.every((part, at) => fits[at]?.(part) === true),
  );
}

/** Whether the shell takes a part of a path for a pattern. */
export const isWild = (part: string): boolean => /[*?]|\[[^\]]+\]/u.test(part);

/** Brackets count as any text; a wildcard at the start passes over a leading dot. */
function fitter(part: string): (name: string) => boolean {
  if (!isWild(part)) return name => name === part;
  const wild = wildCharacters(part);
  const passesDots = wild[0] === '*' || wild[0] === '?';
  return name => !(passesDots && name.startsWith('.')) && fitsRun(wild, Array.from(name), wildly);
}

const wildCharacters = (pattern: string): string[] => Array.from(pattern.replaceAll(/\[[^\]]+\]/gu, '*'));

const wildly = {
  isStar: (wanted: string): boolean => wanted === '*',
  fits: (wanted: string, found: string): boolean => wanted === '?' || wanted === found,
};

const foldedParts = (parts: PathParts): PathParts =>
  parts.map(part => foldedName(part).replaceAll(/\p{Default_Ignorable_Code_Point}/gu, ''));
