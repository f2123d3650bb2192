import {firstFound} from '../../base/first-found.ts';
import type {FolderEntry} from '../../domain/disk.ts';
import {clip} from '../../base/clip.ts';
import {compileName} from '../../base/glob.ts';
import {longestPath} from '../../base/invalid-path.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {unreachable} from '../../base/unreachable.ts';
import type {PartEffect} from '../../domain/reason.ts';
import type {PathJudge} from '../commands/only-reads.ts';
import type {ExpandedText} from '../shell/expansion.ts';
import {repositoryFinding} from './git-repository.ts';
import {
  type FileSearch,
  listedOptionProblem,
  followedLinksProblem,
  listedFilesProblem,
  searchedSecretsProblem,
} from './listed-file-risks.ts';
import {belowRoots, type PathContext, pathInWorkspace} from './path-context.ts';
import {foldersUpFrom, isAbsolutePath, joinPath, partsOf, pathOf} from './path-parts.ts';
import {looksSecret, mayNameSecret} from './secret-paths.ts';

/** Judges the paths of a command. `directories` are the folders in which the command may run. It is empty if they are not known. */
export interface PathRules {
  readonly from: (directories: readonly string[]) => PathJudge;
  /** Returns the folders to which a `cd` may lead. Fails with the reason if one of them is outside the workspace or unknown. */
  readonly after: (target: string, directories: readonly string[]) => Outcome<readonly string[], PartEffect>;
  /** True if the folder exists, from every possible directory of the command, and is not a link. */
  readonly exists: (folder: string, directories: readonly string[]) => boolean;
  /**
   * Explains why git may run a program that the repository names, or read outside the repository. Returns `undefined`
   * if git may do neither.
   */
  readonly repository: (directories: readonly string[]) => PartEffect | undefined;
  /**
   * Returns what a pattern, or the names that another program has printed, expand to. `options`: a program could read a name as an
   * option. `nothing`: no file matches, so the shell passes the pattern on as written.
   */
  readonly names: (text: ExpandedText, directories: readonly string[]) => WildcardResult;
  /**
   * Explains why a program must not follow the links in a folder. Returns `undefined` if the program may follow them.
   * `depth` is how many levels deep the program goes.
   */
  readonly follows: (
    folder: ExpandedText,
    use: 'read' | 'named',
    where: {readonly depth: number; readonly directories: readonly string[]},
  ) => string | undefined;
  /** Explains why the versions of files that git stores may contain secrets, even from files that no longer exist. */
  readonly historyProblem: () => string | undefined;
  /** Explains why a search may find files whose names say that they contain secrets. Returns `undefined` if there are none. */
  readonly secretSearchProblem: (
    place: ExpandedText,
    search: FileSearch & {readonly directories: readonly string[]},
  ) => string | undefined;
  /** Returns one of these names that exists in a folder in which a command runs, or in a parent folder up to the workspace root. */
  readonly near: (names: ReadonlySet<string>, directories: readonly string[]) => string | undefined;
}

type WildcardResult = {readonly to: 'nothing' | 'names'} | {readonly to: 'options'; readonly reason: string};

/** Allows paths that are inside the workspace after following links, and that do not look like secrets. */
export const workspacePaths = (context: PathContext): PathRules => ({
  from: directories => makePathJudge(directories, context),
  after: (target, directories) => directoriesAfter(target, {directories, context}),
  exists: (folder, directories) =>
    directories.every(directory => {
      const parts = partsOf(joinPath(directory, folder));
      return context
        .list(pathOf(parts.slice(0, -1)))
        .some(({name, kind}) => name === parts.at(-1) && kind === 'folder');
    }),
  repository: directories =>
    directories.length === 0
      ? 'reads an unknown git repository'
      : firstFound(directories, each => repositoryFinding(each, context).reason),
  names: (text, directories) => wildcardResult(text, {directories, context}),
  follows: (folder, use, {depth, directories}) => linkedTreeProblem(folder, use, {depth, directories, context}),
  historyProblem: () => 'may show secrets that weft cannot recognize',
  secretSearchProblem: (place, search) => searchedSecretsProblem(place, search, context),
  near: (names, directories) =>
    directories
      .flatMap(foldersUpFrom)
      .filter(folder => belowRoots(partsOf(folder), context).length > 0)
      .flatMap(folder => context.list(folder))
      .find(({name}) => names.has(name))?.name,
});

/** Accepts every path. This distinguishes a command that only reads, but in the wrong folder, from one that may do more. */
export const anyPaths: PathRules = {
  from: () => () => undefined,
  after: target => ok([target]),
  exists: () => false,
  repository: () => undefined,
  names: () => ({to: 'nothing'}),
  follows: () => undefined,
  historyProblem: () => undefined,
  secretSearchProblem: () => undefined,
  near: () => undefined,
};

function makePathJudge(directories: readonly string[], context: PathContext): PathJudge {
  return (path, use) => {
    const {text} = path;
    if (text === '/dev/null' || text === '/dev/stdin' || text === '/dev/fd/63') return undefined;
    if (path.style === 'plain' && describesSystem.test(text)) return undefined;
    if (/^(?:[A-Za-z]:[\\/]|\\\\)/u.test(text)) return {kind: 'may-lie-outside', path: text};
    switch (path.style) {
      case 'plain':
        return plainPathProblem(path, use, {directories, context});
      case 'wild':
        return wildcardProblem(path, use, {directories, context});
      case 'found':
      case 'searched':
        return listedFilesProblem(path, {use, directories, context});
      default:
        return unreachable(path);
    }
  };
}

/** Matches files that describe the operating system and contain nothing private. */
const describesSystem =
  /^(?:\/etc\/(?:os-release|lsb-release|debian_version|alpine-release|redhat-release|fedora-release|arch-release|timezone|shells)|\/usr\/lib\/os-release|\/proc\/(?:cpuinfo|meminfo|version|loadavg|uptime))$/u;

type Use = Parameters<PathJudge>[1];

interface PathScope {
  readonly directories: readonly string[];
  readonly context: PathContext;
}

function plainPathProblem({text}: ExpandedText, use: Use, {directories, context}: PathScope): PartEffect | undefined {
  if (text.length > longestPath) return `names a path that is too long: ${clip(text, 60)}`;
  if (use === 'read' && looksSecret(text)) return `reads a file that may hold secrets: ${text}`;
  const starts = isAbsolutePath(text) ? [''] : directories;
  if (starts.length === 0) return `reads ${text} in an unknown folder`;
  return firstFound(starts, start =>
    resolvedPathProblem(start === '' ? text : `${start}/${text}`, use, {written: text, context}),
  );
}

/** Judges the files that a pattern matches now. If it matches none, judges the files that it could match. */
function wildcardProblem({text}: ExpandedText, use: Use, {directories, context}: PathScope): PartEffect | undefined {
  const fixed = beginningOf(text);
  if (/(?:^|\/)\.\.(?:\/|$)/u.test(text.slice(fixed.length))) return `may reach outside the workspace: ${text}`;
  // `.*` also matches the parent folder.
  if (/(?:^|\/)\.[*?[]/u.test(text)) return `may reach secrets or the folder above: ${text}`;
  if (use === 'read' && looksSecret(text)) return `reads a file that may hold secrets: ${text}`;
  const starts = isAbsolutePath(fixed) ? [''] : directories;
  if (starts.length === 0) return `reads ${text} in an unknown folder`;
  for (const start of starts) {
    const reason = resolvedPathProblem(start === '' ? fixed : `${start}/${fixed}`, use, {written: text, context});
    if (reason !== undefined) return reason;
    const matches = expandGlob(text, start, context);
    if (matches === 'too many') return `matches more files than weft checks: ${text}`;
    if (matches.length === 0) {
      if (use === 'read' && mayNameSecret(text, 'as in shells')) return `reads a file that may hold secrets: ${text}`;
      continue;
    }
    const isDirect = hasNoLinks(start, fixed, context);
    for (const match of matches) {
      const written = match.path.slice(start.length + 1);
      const found =
        isDirect && isDirectMatch(match)
          ? secretFileProblem(written, [match.path], use, context)
          : resolvedPathProblem(match.path, use, {written, context});
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

/** True if the path from a folder to one below it contains no link. */
const hasNoLinks = (start: string, fixed: string, {resolve}: PathContext): boolean =>
  pathOf(partsOf(`${resolve(start === '' ? '/' : start).path}/${fixed}`)) === resolve(`${start}/${fixed}`).path;

/** True if the match is not a link and is not reached through one. It then needs no resolving. */
const isDirectMatch = ({kind, way}: GlobMatch): boolean => way === 'direct' && (kind === 'file' || kind === 'folder');

function wildcardResult(text: ExpandedText, {directories, context}: PathScope): WildcardResult {
  if (text.style === 'found' || text.style === 'searched') {
    const reason = listedOptionProblem(text, {directories, context});
    return reason === undefined ? {to: 'names'} : {to: 'options', reason};
  }
  if (directories.length === 0 && !isAbsolutePath(text.text))
    return {to: 'options', reason: `matches ${text.text} in an unknown folder`};
  let found = false;
  for (const start of directories) {
    const matches = expandGlob(text.text, start, context);
    if (matches === 'too many') return {to: 'options', reason: `matches more files than weft checks: ${text.text}`};
    found ||= matches.length > 0;
    const option = matches.find(({path}) => path.startsWith('-', start.length + 1));
    if (option !== undefined && !/^[./]/u.test(text.text))
      return {
        to: 'options',
        reason: `may take the file ${option.path.slice(start.length + 1)} for an option (matched by ${text.text})`,
      };
  }
  return {to: found ? 'names' : 'nothing'};
}

function linkedTreeProblem(
  folder: ExpandedText,
  use: Use,
  {depth, directories, context}: PathScope & {readonly depth: number},
): string | undefined {
  switch (folder.style) {
    case 'found':
    case 'searched':
      return 'may follow links in unknown folders';
    case 'plain':
    case 'wild': {
      const {text} = folder;
      const starts = isAbsolutePath(text) ? [''] : directories;
      if (starts.length === 0) return 'may follow links in unknown folders';
      const paths = starts.flatMap(start =>
        folder.style === 'plain' ? [`${start}/${text}`] : toPaths(expandGlob(text, start, context)),
      );
      if (paths.includes('too many')) return `matches more files than weft checks: ${text}`;
      return firstFound(
        paths.flatMap(path => resolvePath(path, context)),
        ({path}) => followedLinksProblem(path, {use, depth, context}),
      );
    }
    default:
      return unreachable(folder);
  }
}

const toPaths = (matches: readonly GlobMatch[] | 'too many'): readonly string[] =>
  matches === 'too many' ? ['too many'] : matches.map(({path}) => path);

function resolvedPathProblem(
  path: string,
  use: Use,
  {written, context}: {readonly written: string; readonly context: PathContext},
): PartEffect | undefined {
  const targets = resolvePath(path, context);
  const outside = targets.find(({place}) => place === 'outside-workspace');
  if (outside !== undefined) return {kind: 'reads-outside', path: outside.path};
  return secretFileProblem(
    written,
    targets.map(lead => lead.path),
    use,
    context,
  );
}

function secretFileProblem(
  written: string,
  targets: readonly string[],
  use: Use,
  context: PathContext,
): string | undefined {
  const isSecret =
    use === 'read' && (looksSecret(written) || targets.some(lead => looksSecret(pathInWorkspace(lead, context))));
  return isSecret ? `reads a file that may hold secrets: ${written}` : undefined;
}

function directoriesAfter(
  target: string,
  {directories, context}: {readonly directories: readonly string[]; readonly context: PathContext},
): Outcome<readonly string[], PartEffect> {
  const starts = isAbsolutePath(target) ? [''] : directories;
  if (starts.length === 0) return failed('starts in an unknown folder');
  const found = starts.flatMap(start => resolvePath(start === '' ? target : `${start}/${target}`, context));
  const outside = found.find(({place}) => place === 'outside-workspace');
  if (outside !== undefined) return failed({kind: 'leaves-workspace', path: outside.path});
  // For the next `..` the shell goes up in the written path, and programs go up in the path without links. Both are kept.
  const written = starts.map(start => pathOf(partsOf(start === '' ? target : `${start}/${target}`)));
  return ok([...new Set([...found.map(({path}) => path), ...written])]);
}

/**
 * Resolves an absolute path in two ways: textually, as the shell resolves `..` in `cd`, and as the system does: it follows
 * links before it applies `..`.
 */
export function resolvePath(path: string, {resolve}: PathContext): readonly ReturnType<PathContext['resolve']>[] {
  if (!/(?:^|\/)\.\.(?:\/|$)/u.test(path)) return [resolve(path)];
  let real = '';
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    real = part === '..' ? parent(resolve(real === '' ? '/' : real).path) : `${real}/${part}`;
  }
  return [resolve(`/${partsOf(path).join('/')}`), resolve(real === '' ? '/' : real)];
}

const parent = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));

/** Returns the folders of a pattern before its first wildcard. */
const beginningOf = (pattern: string): string => {
  const [plain = ''] = pattern.split(/[*?[]/u, 1);
  const folder = plain.slice(0, plain.lastIndexOf('/') + 1);
  return folder === '' ? '.' : folder;
};

/** The maximum number of paths that a pattern may match, and the maximum number of folders that weft lists for it. */
const maxMatches = 20_000;
const maxFolders = 5000;

/** A path that a pattern matches. */
interface GlobMatch {
  /** The absolute path. */
  readonly path: string;
  /** `unknown`: the last part has no wildcard, and weft did not check whether the file exists. */
  readonly kind: FolderEntry['kind'] | 'unknown';
  /** Whether one of the path's folders is a symbolic link. */
  readonly way: 'direct' | 'through a link';
}

/**
 * Returns the paths below `start`, an absolute path, that a shell pattern matches. It may return more paths than the shell finds,
 * because brackets match any character. Returns `too many` if it reaches a limit.
 */
function expandGlob(pattern: string, start: string, {list}: PathContext): readonly GlobMatch[] | 'too many' {
  let found: readonly GlobMatch[] = [{path: pattern.startsWith('/') ? '' : start, kind: 'folder', way: 'direct'}];
  let folders = 0;
  for (const part of pattern.split('/').filter(each => each !== '' && each !== '.')) {
    if (!/[*?[]/u.test(part)) {
      found = found.map(each => below(each, {name: part, kind: 'unknown'}));
      continue;
    }
    folders += found.length;
    if (folders > maxFolders) return 'too many';
    const fits = compileName(part, {sets: 'widened', hidden: 'as in shells'});
    found = found.flatMap(folder =>
      list(folder.path === '' ? '/' : folder.path)
        .filter(({name}) => fits(name))
        .map(entry => below(folder, entry)),
    );
    if (found.length > maxMatches) return 'too many';
  }
  return found;
}

const below = (
  {path, kind, way}: GlobMatch,
  entry: {readonly name: string; readonly kind: GlobMatch['kind']},
): GlobMatch => ({
  path: `${path}/${entry.name}`,
  kind: entry.kind,
  way: kind === 'link' || kind === 'unknown' ? 'through a link' : way,
});
