import type {ResolvedPath, FolderEntry, ReadBytes} from '../../domain/disk.ts';
import type {FileEffect, ResolvedCommand} from '../../domain/risk.ts';
import {
  isAbsolutePath,
  type LetterCase,
  letterCaseOf,
  partsBelow,
  partsOf,
  pathOf,
  type PathParts,
} from './path-parts.ts';
import {resolveWeftFiles, type WeftFolders, type ResolvedWeftFiles} from './weft-files.ts';
import {nameParts, type PathPattern, patternsBelow, type PatternPart} from './path-pattern.ts';

export interface PathContextOptions {
  /** The workspace folders as absolute paths; the first is where relative paths start. */
  readonly roots: readonly string[];
  /** The user's home folder, an absolute path. */
  readonly home: string;
  /** Where a path leads, symbolic links followed. */
  readonly resolve: (path: string) => ResolvedPath;
  /** What lies in a folder, an absolute path; nothing when it cannot be read. */
  readonly list: (folder: string) => readonly FolderEntry[];
  /** Whether a command that puts files in place would lose what is there. */
  readonly effectOf: (command: ResolvedCommand) => FileEffect;
  /** A regular file, an absolute path. */
  readonly read: (path: string) => ReadBytes;
  /** The path of a program of that name in a folder of PATH that the workspace controls, or `undefined`. */
  readonly strayProgram: (name: string, directory: string) => string | undefined;
  /** Folders outside the workspace, links followed, that may be read unasked: those of the user's skills. */
  readonly alsoReadable?: () => readonly string[];
  readonly weftFolders: WeftFolders;
}

/** What paths are judged by. */
export interface PathContext extends Omit<PathContextOptions, 'roots' | 'home'> {
  /** The roots as named and where they lead; the first is where relative paths start. */
  readonly roots: () => readonly PathParts[];
  /** The home folder as named and where it leads. */
  readonly homes: () => readonly PathParts[];
  /** How names are compared in rules that forbid. */
  readonly letterCase: () => LetterCase;
  /** Where weft's own places lead just now. */
  readonly weftFiles: () => ResolvedWeftFiles;
}

/** Makes a context. The roots and the home folder are resolved once, when they are first needed. */
export function makePathContext({roots, home, weftFolders, resolve, ...disk}: PathContextOptions): PathContext {
  const asNamedAndReal = (paths: readonly string[]) => {
    let found: readonly PathParts[] | undefined;
    return () => (found ??= distinct([...paths, ...paths.map(path => resolve(path).path)].map(partsOf)));
  };
  let letterCase: LetterCase | undefined;
  const named = asNamedAndReal(roots);
  return {
    ...disk,
    resolve,
    weftFolders,
    weftFiles: () =>
      resolveWeftFiles(weftFolders, {roots: named(), list: disk.list, resolve: path => resolve(path).path}),
    roots: named,
    homes: asNamedAndReal([home]),
    letterCase: () => (letterCase ??= letterCaseOf(roots[0] ?? '/', resolve)),
  };
}

/** A context that looks up each path, folder and file once. It must not outlive one judgement. */
export function cachedPathContext(context: PathContext): PathContext {
  const found = new Map<string, ResolvedPath>();
  const listed = new Map<string, readonly FolderEntry[]>();
  const read = new Map<string, ReadBytes>();
  let weftFiles: ResolvedWeftFiles | undefined;
  return {
    ...context,
    weftFiles: () => (weftFiles ??= context.weftFiles()),
    list(folder) {
      const known = listed.get(folder) ?? context.list(folder);
      listed.set(folder, known);
      return known;
    },
    read(path) {
      const known = read.get(path) ?? context.read(path);
      read.set(path, known);
      return known;
    },
    resolve(path) {
      const written = pathOf(writtenParts(path, context));
      const known = found.get(written) ?? context.resolve(path);
      found.set(written, known);
      return known;
    },
  };
}

/** The parts of the path with links followed. */
export const realParts = (path: string, {resolve}: PathContext): PathParts => partsOf(resolve(path).path);

/** The parts of the absolute path, links not followed. */
export function writtenParts(path: string, {roots, homes}: PathContext): PathParts {
  if (/^~(?:\/|$)/u.test(path)) return partsOf(`${pathOf(homes()[0] ?? [])}/${path.slice(1)}`);
  return partsOf(isAbsolutePath(path) ? path : `${pathOf(roots()[0] ?? [])}/${path}`);
}

/** The parts below each root that holds the path; none when it lies outside all of them. */
export const belowRoots = (
  path: PathParts,
  {roots}: PathContext,
): readonly {readonly root: PathParts; readonly below: PathParts}[] =>
  roots().flatMap(root => {
    const below = partsBelow(root, path);
    return below === undefined ? [] : [{root, below}];
  });

/** The path in the workspace: the names of folders above it do not make its files secrets. Outside, the whole path. */
export const pathInWorkspace = (path: string, context: PathContext): string =>
  belowRoots(partsOf(path), context)[0]?.below.join('/') ?? path;

/** The pattern as absolute patterns, one for each place that it starts at. */
export const anchorPattern = (pattern: PathPattern, context: PathContext): readonly (readonly PatternPart[])[] =>
  anchoredAt(context.roots(), pattern, context);

const anchoredAt = (
  roots: readonly PathParts[],
  {from, parts}: PathPattern,
  {homes}: PathContext,
): readonly (readonly PatternPart[])[] => {
  const starts = from === 'workspace' ? roots : from === 'home' ? homes() : [[]];
  return starts.map(start => [...nameParts(start), ...parts]);
};

/**
 * The pattern of a rule that forbids, anchored also where its plain beginning leads. It holds for the same files in weft's worktrees,
 * and in the folder that a worktree was made of. A rule that allows gets none of this: a link or a copy would widen it.
 */
export function anchorForbidding(pattern: PathPattern, context: PathContext): readonly (readonly PatternPart[])[] {
  const sources = distinct(context.roots().map(withoutWorktree));
  // A worktree lies in the folder of weft in its source: a rule on that folder does not speak of the worktree.
  const starts = isAboutWeft(pattern) ? context.roots() : distinct([...context.roots(), ...sources]);
  const anchored = anchoredAt(starts, pattern, context);
  const originals = [...anchored, ...anchored.flatMap(parts => followed(parts, context))];
  const holders = distinct(sources.flatMap(source => worktreeHolders(source, context)));
  const copies = originals.flatMap(parts =>
    holders.flatMap(holder =>
      patternsBelow(parts, holder, context.letterCase()).map(rest => [
        ...nameParts([...holder, ...ofWorktrees]),
        anyName,
        ...rest,
      ]),
    ),
  );
  return [...originals, ...copies];
}

/** The folder of weft's worktrees in a repository. */
const ofWorktrees = ['.weft', 'worktrees'];

const isAboutWeft = ({parts: [first]}: PathPattern): boolean =>
  (first?.kind === 'name' && first.name === ofWorktrees[0]) ||
  (first?.kind === 'wild' && first.pattern.startsWith('.'));

const anyName: PatternPart = {kind: 'wild', pattern: '*'};

/** The place in the repository of a path in one of its worktrees; any other path as it is. */
function withoutWorktree(path: PathParts): PathParts {
  const at = path.findIndex((name, index) => name === ofWorktrees[0] && path[index + 1] === ofWorktrees[1]);
  return at < 0 || path.length < at + 3 ? path : [...path.slice(0, at), ...path.slice(at + 3)];
}

/** The folders whose worktrees may hold copies of a root: the root, and each folder above it that has a folder of weft's. */
const worktreeHolders = (root: PathParts, {list}: PathContext): readonly PathParts[] =>
  root
    .map((_, at) => root.slice(0, at + 1))
    .filter(each => each.length === root.length || list(pathOf(each)).some(({name}) => name === ofWorktrees[0]));

function followed(parts: readonly PatternPart[], context: PathContext): readonly (readonly PatternPart[])[] {
  const names: string[] = [];
  for (const part of parts) {
    if (part.kind !== 'name') break;
    names.push(part.name);
  }
  const real = realParts(pathOf(names), context);
  return pathOf(real) === pathOf(names) ? [] : [[...nameParts(real), ...parts.slice(names.length)]];
}

const distinct = (paths: readonly PathParts[]): readonly PathParts[] =>
  paths.filter((path, at) => paths.findIndex(other => pathOf(other) === pathOf(path)) === at);
