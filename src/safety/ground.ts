import type {ResolvedPath} from '../actions/files-port.ts';
import type {FolderEntry, ReadBytes} from '../actions/ports.ts';
import type {FileEffect, SimpleCommand} from '../domain/risk.ts';
import {letterCaseOf, type LetterCase} from './letter-case.ts';
import {resolvePlaces, type OwnPlaces, type ResolvedPlaces} from './own-places.ts';
import {isAbsolutePath, partsBelow, partsOf, pathOf, type PathParts} from './path-parts.ts';
import {nameParts, type PathPattern, type PatternPart} from './path-pattern.ts';

/** What rules about paths stand on: the workspace roots, the home folder, and where paths lead. */
export interface Ground {
  /** Where a path leads, symbolic links followed. */
  readonly resolve: (path: string) => ResolvedPath;
  /** The roots as named and where they lead; the first is where relative paths start. */
  readonly roots: () => readonly PathParts[];
  /** The home folder as named and where it leads. */
  readonly homes: () => readonly PathParts[];
  /** What lies in a folder, an absolute path; nothing when it cannot be read. */
  readonly list: (folder: string) => readonly FolderEntry[];
  /** Whether a command that puts files in place would lose what is there. */
  readonly effectOf: (command: SimpleCommand) => FileEffect;
  /** A regular file, an absolute path. */
  readonly read: (path: string) => ReadBytes;
  /** Where, in a folder of PATH that the workspace decides on, a program of that name lies; `undefined` for nowhere. */
  readonly strayProgram: (name: string, directory: string) => string | undefined;
  /** How names are compared in rules that forbid. */
  readonly letterCase: () => LetterCase;
  readonly own: OwnPlaces;
  /** Where weft's own places lead just now. */
  readonly ownPlaces: () => ResolvedPlaces;
}

export interface GroundOptions {
  /** The workspace folders as absolute paths; the first is where relative paths start. */
  readonly roots: readonly string[];
  /** The user's home folder, an absolute path. */
  readonly home: string;
  /** Where a path leads, symbolic links followed. */
  readonly resolve: (path: string) => ResolvedPath;
  /** What lies in a folder, an absolute path; nothing when it cannot be read. */
  readonly list: (folder: string) => readonly FolderEntry[];
  /** Whether a command that puts files in place would lose what is there. */
  readonly effectOf: (command: SimpleCommand) => FileEffect;
  /** A regular file, an absolute path. */
  readonly read: (path: string) => ReadBytes;
  /** Where, in a folder of PATH that the workspace decides on, a program of that name lies; `undefined` for nowhere. */
  readonly strayProgram: (name: string, directory: string) => string | undefined;
  readonly own: OwnPlaces;
}

/** Where the roots and the home folder lead is looked up once, when first needed. */
export function makeGround({roots, home, own, resolve, ...disk}: GroundOptions): Ground {
  const asNamedAndReal = (paths: readonly string[]) => {
    let found: readonly PathParts[] | undefined;
    return () => (found ??= distinct([...paths, ...paths.map(path => resolve(path).path)].map(partsOf)));
  };
  let letterCase: LetterCase | undefined;
  const named = asNamedAndReal(roots);
  return {
    ...disk,
    resolve,
    own,
    ownPlaces: () => resolvePlaces(own, {roots: named(), list: disk.list, resolve: path => resolve(path).path}),
    roots: named,
    homes: asNamedAndReal([home]),
    letterCase: () => (letterCase ??= letterCaseOf(roots[0] ?? '/', resolve)),
  };
}

/** The same ground for as long as one judgement takes: what is on the disk is looked up once. */
export function groundOfOneMoment(ground: Ground): Ground {
  const found = new Map<string, ResolvedPath>();
  const listed = new Map<string, readonly FolderEntry[]>();
  const read = new Map<string, ReadBytes>();
  let ownPlaces: ResolvedPlaces | undefined;
  return {
    ...ground,
    ownPlaces: () => (ownPlaces ??= ground.ownPlaces()),
    list(folder) {
      const known = listed.get(folder) ?? ground.list(folder);
      listed.set(folder, known);
      return known;
    },
    read(path) {
      const known = read.get(path) ?? ground.read(path);
      read.set(path, known);
      return known;
    },
    resolve(path) {
      const written = pathOf(writtenParts(path, ground));
      const known = found.get(written) ?? ground.resolve(path);
      found.set(written, known);
      return known;
    },
  };
}

/** Where the path leads. */
export const realParts = (path: string, {resolve}: Ground): PathParts => partsOf(resolve(path).path);

/** The path as it was written, from the root of the disk, links not followed. */
export function writtenParts(path: string, {roots, homes}: Ground): PathParts {
  if (/^~(?:\/|$)/u.test(path)) return partsOf(`${pathOf(homes()[0] ?? [])}/${path.slice(1)}`);
  return partsOf(isAbsolutePath(path) ? path : `${pathOf(roots()[0] ?? [])}/${path}`);
}

/** The parts below each root that holds the path; none when it lies outside all of them. */
export const belowRoots = (
  path: PathParts,
  {roots}: Ground,
): readonly {readonly root: PathParts; readonly below: PathParts}[] =>
  roots().flatMap(root => {
    const below = partsBelow(root, path);
    return below === undefined ? [] : [{root, below}];
  });

/** The pattern from the root of the disk: once for each place it starts at. */
export function anchor({from, parts}: PathPattern, {roots, homes}: Ground): readonly (readonly PatternPart[])[] {
  const starts = from === 'workspace' ? roots() : from === 'home' ? homes() : [[]];
  return starts.map(start => [...nameParts(start), ...parts]);
}

/**
 * As `anchor`, and also where the plain beginning of the pattern leads: what a rule forbids stays forbidden by its other name.
 * Not for rules that allow: a link put there later would widen them.
 */
export function anchorWide(pattern: PathPattern, ground: Ground): readonly (readonly PatternPart[])[] {
  const anchored = anchor(pattern, ground);
  return [...anchored, ...anchored.flatMap(parts => followed(parts, ground))];
}

function followed(parts: readonly PatternPart[], ground: Ground): readonly (readonly PatternPart[])[] {
  const names: string[] = [];
  for (const part of parts) {
    if (part.kind !== 'name') break;
    names.push(part.name);
  }
  const real = realParts(pathOf(names), ground);
  return pathOf(real) === pathOf(names) ? [] : [[...nameParts(real), ...parts.slice(names.length)]];
}

const distinct = (paths: readonly PathParts[]): readonly PathParts[] =>
  paths.filter((path, at) => paths.findIndex(other => pathOf(other) === pathOf(path)) === at);
