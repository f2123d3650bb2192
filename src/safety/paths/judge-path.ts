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
  whyListedAsOption,
  whyNotFollowingLinks,
  whyNotListedFiles,
  whySecretBelow,
} from './listed-files.ts';
import {belowRoots, type PathContext, pathInWorkspace} from './path-context.ts';
import {foldersUpFrom, isAbsolutePath, joinedPath, partsOf, pathOf} from './path-parts.ts';
import {looksSecret, mayNameSecret} from './secret-paths.ts';

/** How the paths of a command are judged. `directories` are the folders in which it may run; none when they are not known. */
export interface PathRules {
  readonly from: (directories: readonly string[]) => PathJudge;
  /** The folders to which a `cd` may lead, or why it must not run: one of them is outside the workspace or unknown. */
  readonly after: (target: string, directories: readonly string[]) => Outcome<readonly string[], PartEffect>;
  /** Whether the folder is there, from wherever a command runs, and no link. */
  readonly exists: (folder: string, directories: readonly string[]) => boolean;
  /** Why git may run a program that the repository there names, or read outside it; `undefined` if it may not. */
  readonly repository: (directories: readonly string[]) => PartEffect | undefined;
  /**
   * What a pattern, or the names that another program has printed, expand to. `options`: a name could be taken for an option.
   * `nothing`: no file matches, so the shell passes the pattern on as it is written.
   */
  readonly names: (text: ExpandedText, directories: readonly string[]) => WildcardResult;
  /** Why a program must not follow the links in a folder; `undefined` if it may. `depth` is how many folders deep the program goes. */
  readonly follows: (
    folder: ExpandedText,
    use: 'read' | 'named',
    where: {readonly depth: number; readonly directories: readonly string[]},
  ) => string | undefined;
  /** Why the versions of files that git keeps may contain secrets, also of files that the folder no longer has. */
  readonly secretAnywhere: () => string | undefined;
  /** Why a search there may find files whose names say that they hold secrets; `undefined` if there are none. */
  readonly secretBelow: (
    place: ExpandedText,
    search: FileSearch & {readonly directories: readonly string[]},
  ) => string | undefined;
  /** The path of one of these files in the folder where a command runs, or in a parent folder up to the workspace's root. */
  readonly near: (names: ReadonlySet<string>, directories: readonly string[]) => string | undefined;
}

type WildcardResult = {readonly to: 'nothing' | 'names'} | {readonly to: 'options'; readonly reason: string};

/** Inside the workspace, links followed, and nothing that looks like a secret. */
export const workspacePaths = (context: PathContext): PathRules => ({
  from: directories => makePathJudge(directories, context),
  after: (target, directories) => directoriesAfter(target, {directories, context}),
  exists: (folder, directories) =>
    directories.every(directory => {
      const parts = partsOf(joinedPath(directory, folder));
      return context
        .list(pathOf(parts.slice(0, -1)))
        .some(({name, kind}) => name === parts.at(-1) && kind === 'folder');
    }),
  repository: directories =>
    directories.length === 0
      ? 'reads a git repository that is not known'
      : firstFound(directories, each => repositoryFinding(each, context).reason),
  names: (text, directories) => wildcardResult(text, {directories, context}),
  follows: (folder, use, {depth, directories}) => whyNotTree(folder, use, {depth, directories, context}),
  secretAnywhere: () => 'may show secrets that weft cannot recognise',
  secretBelow: (place, search) => whySecretBelow(place, search, context),
  near: (names, directories) =>
    directories
      .flatMap(foldersUpFrom)
      .filter(folder => belowRoots(partsOf(folder), context).length > 0)
      .flatMap(folder => context.list(folder))
      .find(({name}) => names.has(name))?.name,
});

/** Rules that accept every path. They tell a command that only reads, but in the wrong place, from one that may do more. */
export const anyPaths: PathRules = {
  from: () => () => undefined,
  after: target => ok([target]),
  exists: () => false,
  repository: () => undefined,
  names: () => ({to: 'nothing'}),
  follows: () => undefined,
  secretAnywhere: () => undefined,
  secretBelow: () => undefined,
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
        return whyNotPlain(path, use, {directories, context});
      case 'wild':
        return whyNotWild(path, use, {directories, context});
      case 'found':
      case 'searched':
        return whyNotListedFiles(path, {use, directories, context});
      default:
        return unreachable(path);
    }
  };
}

/** Files that describe the operating system and hold nothing private. */
const describesSystem =
  /^(?:\/etc\/(?:os-release|lsb-release|debian_version|alpine-release|redhat-release|fedora-release|arch-release|timezone|shells)|\/usr\/lib\/os-release|\/proc\/(?:cpuinfo|meminfo|version|loadavg|uptime))$/u;

type Use = Parameters<PathJudge>[1];

interface Where {
  readonly directories: readonly string[];
  readonly context: PathContext;
}

function whyNotPlain({text}: ExpandedText, use: Use, {directories, context}: Where): PartEffect | undefined {
  if (text.length > longestPath) return `names a path that is too long: ${clip(text, 60)}`;
  if (use === 'read' && looksSecret(text)) return `reads a file that may hold secrets: ${text}`;
  const starts = isAbsolutePath(text) ? [''] : directories;
  if (starts.length === 0) return `reads ${text} in a folder that is not known`;
  return firstFound(starts, start =>
    whyNotResolved(start === '' ? text : `${start}/${text}`, use, {written: text, context}),
  );
}

/** Judges the files that a pattern matches now. Where it matches none, the files that it could match decide. */
function whyNotWild({text}: ExpandedText, use: Use, {directories, context}: Where): PartEffect | undefined {
  const fixed = beginningOf(text);
  if (/(?:^|\/)\.\.(?:\/|$)/u.test(text.slice(fixed.length))) return `may reach outside the workspace: ${text}`;
  // `.*` stands for the folder above, too.
  if (/(?:^|\/)\.[*?[]/u.test(text)) return `may reach secrets or the folder above: ${text}`;
  if (use === 'read' && looksSecret(text)) return `reads a file that may hold secrets: ${text}`;
  const starts = isAbsolutePath(fixed) ? [''] : directories;
  if (starts.length === 0) return `reads ${text} in a folder that is not known`;
  for (const start of starts) {
    const reason = whyNotResolved(start === '' ? fixed : `${start}/${fixed}`, use, {written: text, context});
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
          ? whyNotSecret(written, [match.path], use, context)
          : whyNotResolved(match.path, use, {written, context});
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

/** Whether the path from a folder to one below it contains no link. */
const hasNoLinks = (start: string, fixed: string, {resolve}: PathContext): boolean =>
  pathOf(partsOf(`${resolve(start === '' ? '/' : start).path}/${fixed}`)) === resolve(`${start}/${fixed}`).path;

/** Whether the match is no link and not reached through one, so that it needs no resolving of its own. */
const isDirectMatch = ({kind, way}: GlobMatch): boolean => way === 'direct' && (kind === 'file' || kind === 'folder');

function wildcardResult(text: ExpandedText, {directories, context}: Where): WildcardResult {
  if (text.style === 'found' || text.style === 'searched') {
    const reason = whyListedAsOption(text, {directories, context});
    return reason === undefined ? {to: 'names'} : {to: 'options', reason};
  }
  if (directories.length === 0 && !isAbsolutePath(text.text))
    return {to: 'options', reason: `matches ${text.text} in a folder that is not known`};
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

function whyNotTree(
  folder: ExpandedText,
  use: Use,
  {depth, directories, context}: Where & {readonly depth: number},
): string | undefined {
  switch (folder.style) {
    case 'found':
    case 'searched':
      return 'may follow links in folders that are not known';
    case 'plain':
    case 'wild': {
      const {text} = folder;
      const starts = isAbsolutePath(text) ? [''] : directories;
      if (starts.length === 0) return 'may follow links in folders that are not known';
      const paths = starts.flatMap(start =>
        folder.style === 'plain' ? [`${start}/${text}`] : asPaths(expandGlob(text, start, context)),
      );
      if (paths.includes('too many')) return `matches more files than weft checks: ${text}`;
      return firstFound(
        paths.flatMap(path => resolvedPlaces(path, context)),
        ({path}) => whyNotFollowingLinks(path, {use, depth, context}),
      );
    }
    default:
      return unreachable(folder);
  }
}

const asPaths = (matches: readonly GlobMatch[] | 'too many'): readonly string[] =>
  matches === 'too many' ? ['too many'] : matches.map(({path}) => path);

function whyNotResolved(
  path: string,
  use: Use,
  {written, context}: {readonly written: string; readonly context: PathContext},
): PartEffect | undefined {
  const targets = resolvedPlaces(path, context);
  const outside = targets.find(({place}) => place === 'outside-workspace');
  if (outside !== undefined) return {kind: 'reads-outside', path: outside.path};
  return whyNotSecret(
    written,
    targets.map(lead => lead.path),
    use,
    context,
  );
}

function whyNotSecret(written: string, targets: readonly string[], use: Use, context: PathContext): string | undefined {
  const isSecret =
    use === 'read' && (looksSecret(written) || targets.some(lead => looksSecret(pathInWorkspace(lead, context))));
  return isSecret ? `reads a file that may hold secrets: ${written}` : undefined;
}

function directoriesAfter(
  target: string,
  {directories, context}: {readonly directories: readonly string[]; readonly context: PathContext},
): Outcome<readonly string[], PartEffect> {
  const starts = isAbsolutePath(target) ? [''] : directories;
  if (starts.length === 0) return failed('starts in a folder that is not known');
  const found = starts.flatMap(start => resolvedPlaces(start === '' ? target : `${start}/${target}`, context));
  const outside = found.find(({place}) => place === 'outside-workspace');
  if (outside !== undefined) return failed({kind: 'leaves-workspace', path: outside.path});
  // For the next `..` the shell goes up in the path as it was written, programs in the path without links. So both are kept.
  const written = starts.map(start => pathOf(partsOf(start === '' ? target : `${start}/${target}`)));
  return ok([...new Set([...found.map(({path}) => path), ...written])]);
}

/**
 * Where an absolute path leads: by the letter, as the shell takes `..` in `cd`, and as the system does, which follows links
 * before it goes up.
 */
export function resolvedPlaces(path: string, {resolve}: PathContext): readonly ReturnType<PathContext['resolve']>[] {
  if (!/(?:^|\/)\.\.(?:\/|$)/u.test(path)) return [resolve(path)];
  let real = '';
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    real = part === '..' ? parent(resolve(real === '' ? '/' : real).path) : `${real}/${part}`;
  }
  return [resolve(`/${partsOf(path).join('/')}`), resolve(real === '' ? '/' : real)];
}

const parent = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));

/** The folders of a pattern before its first wildcard. */
const beginningOf = (pattern: string): string => {
  const [plain = ''] = pattern.split(/[*?[]/u, 1);
  const folder = plain.slice(0, plain.lastIndexOf('/') + 1);
  return folder === '' ? '.' : folder;
};

/** The most paths that a pattern may match, and the most folders that are listed for it. */
const maxMatches = 20_000;
const maxFolders = 5000;

/** A path that a pattern matches. */
interface GlobMatch {
  /** Absolute. */
  readonly path: string;
  /** `unknown`: the last part has no wildcard, and whether the file exists was not examined. */
  readonly kind: FolderEntry['kind'] | 'unknown';
  /** Whether a symbolic link is among the folders of the path. */
  readonly way: 'direct' | 'through a link';
}

/**
 * The paths below `start`, an absolute path, that a pattern of the shell matches. There may be more of them than the shell finds,
 * because brackets count as any character. `too many` when a bound was reached.
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
