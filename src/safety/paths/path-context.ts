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
  /** The workspace folders as absolute paths. Relative paths start in the first. */
  readonly roots: readonly string[];
  /** The user's home folder, an absolute path. */
  readonly home: string;
  /** Resolves a path, following symbolic links. */
  readonly resolve: (path: string) => ResolvedPath;
  /** Lists a folder, given as an absolute path. Returns nothing if the folder can't be read. */
  readonly list: (folder: string) => readonly FolderEntry[];
  /** Returns whether a command that creates files would overwrite existing ones. */
  readonly effectOf: (command: ResolvedCommand) => FileEffect;
  /** Reads a regular file, given as an absolute path. */
  readonly read: (path: string) => ReadBytes;
  /** Finds a program with that name in a PATH folder that the workspace controls. Returns its path, or `undefined`. */
  readonly findWorkspaceProgram: (name: string, directory: string) => string | undefined;
  /** Folders outside the workspace that weft reads without asking, with links followed: those of the user's skills. */
  readonly alsoReadable?: () => readonly string[];
  readonly weftFolders: WeftFolders;
}

/** The settings and disk access with which paths are judged. */
export interface PathContext extends Omit<PathContextOptions, 'roots' | 'home'> {
  /** The roots as named and with links followed. Relative paths start in the first. */
  readonly roots: () => readonly PathParts[];
  /** The home folder as named and with links followed. */
  readonly homes: () => readonly PathParts[];
  /** How deny and ask rules compare names. */
  readonly letterCase: () => LetterCase;
  /** weft's own files, resolved now. */
  readonly weftFiles: () => ResolvedWeftFiles;
}

/** Makes a context. It resolves the roots and the home folder once, at first use. */
export function makePathContext({roots, home, weftFolders, resolve, ...disk}: PathContextOptions): PathContext {
  const namedAndReal = (paths: readonly string[]) => {
    let found: readonly PathParts[] | undefined;
    return () => (found ??= distinct([...paths, ...paths.map(path => resolve(path).path)].map(partsOf)));
  };
  let letterCase: LetterCase | undefined;
  const named = namedAndReal(roots);
  return {
    ...disk,
    resolve,
    weftFolders,
    weftFiles: () =>
      resolveWeftFiles(weftFolders, {roots: named(), list: disk.list, resolve: path => resolve(path).path}),
    roots: named,
    homes: namedAndReal([home]),
    letterCase: () => (letterCase ??= letterCaseOf(roots[0] ?? '/', resolve)),
  };
}

/** Returns a context that looks up each path, folder and file once. It must not outlive one judgment. */
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

/** Returns the parts of the path with links followed. */
export const realParts = (path: string, {resolve}: PathContext): PathParts => partsOf(resolve(path).path);

/** Returns the parts of the absolute path, without following links. */
export function writtenParts(path: string, {roots, homes}: PathContext): PathParts {
  if (/^~(?:\/|$)/u.test(path)) return partsOf(`${pathOf(homes()[0] ?? [])}/${path.slice(1)}`);
  return partsOf(isAbsolutePath(path) ? path : `${pathOf(roots()[0] ?? [])}/${path}`);
}

/** Returns the parts below each root that contains the path. Empty if the path is outside all roots. */
export const belowRoots = (
  path: PathParts,
  {roots}: PathContext,
): readonly {readonly root: PathParts; readonly below: PathParts}[] =>
  roots().flatMap(root => {
    const below = partsBelow(root, path);
    return below === undefined ? [] : [{root, below}];
  });

/**
 * Returns the path relative to the workspace, because the names of folders above it do not make its files secret. A path outside
 * stays whole.
 */
export const pathInWorkspace = (path: string, context: PathContext): string =>
  belowRoots(partsOf(path), context)[0]?.below.join('/') ?? path;

/** Returns absolute patterns, one for each root or folder in which the pattern starts. */
export const anchorPattern = (pattern: PathPattern, context: PathContext): readonly (readonly PatternPart[])[] =>
  anchorAt(context.roots(), pattern, context);

const anchorAt = (
  roots: readonly PathParts[],
  {from, parts}: PathPattern,
  {homes}: PathContext,
): readonly (readonly PatternPart[])[] => {
  const starts = from === 'workspace' ? roots : from === 'home' ? homes() : [[]];
  return starts.map(start => [...nameParts(start), ...parts]);
};

/**
 * Anchors the pattern of a deny or ask rule. If the plain beginning of the pattern is a link, also anchors the pattern
 * at the link's target. The rule also covers the same files in weft's worktrees, and in the folder from which a
 * worktree was made. Allow rules get none of this: a link or a copy would widen them.
 */
export function anchorDenyPattern(pattern: PathPattern, context: PathContext): readonly (readonly PatternPart[])[] {
  const sources = distinct(context.roots().map(toSourcePath));
  // Worktrees are in the source's `.weft` folder. A rule about that folder does not cover the worktree.
  const starts = isAboutWeft(pattern) ? context.roots() : distinct([...context.roots(), ...sources]);
  const anchored = anchorAt(starts, pattern, context);
  const originals = [...anchored, ...anchored.flatMap(parts => followLinks(parts, context))];
  const holders = distinct(sources.flatMap(source => worktreeHolders(source, context)));
  const copies = originals.flatMap(parts =>
    holders.flatMap(holder =>
      patternsBelow(parts, holder, context.letterCase()).map(rest => [
        ...nameParts([...holder, ...worktreesFolder]),
        anyName,
        ...rest,
      ]),
    ),
  );
  return [...originals, ...copies];
}

const worktreesFolder = ['.weft', 'worktrees'];

const isAboutWeft = ({parts: [first]}: PathPattern): boolean =>
  (first?.kind === 'name' && first.name === worktreesFolder[0]) ||
  (first?.kind === 'wild' && first.pattern.startsWith('.'));

const anyName: PatternPart = {kind: 'wild', pattern: '*'};

/** Converts a path in a worktree to the path in its source repository. Returns any other path unchanged. */
function toSourcePath(path: PathParts): PathParts {
  const at = path.findIndex((name, index) => name === worktreesFolder[0] && path[index + 1] === worktreesFolder[1]);
  return at < 0 || path.length < at + 3 ? path : [...path.slice(0, at), ...path.slice(at + 3)];
}

/** Returns the folders whose worktrees may contain copies of a root: the root, and each folder above it that contains a `.weft` folder. */
const worktreeHolders = (root: PathParts, {list}: PathContext): readonly PathParts[] =>
  root
    .map((_, at) => root.slice(0, at + 1))
    .filter(each => each.length === root.length || list(pathOf(each)).some(({name}) => name === worktreesFolder[0]));

function followLinks(parts: readonly PatternPart[], context: PathContext): readonly (readonly PatternPart[])[] {
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
