import {unreachable} from '../base/unreachable.ts';
import type {PathJudge} from './programs/judge-program.ts';
import {repositoryFinding} from './git-repository.ts';
import {belowRoots, type Ground} from './ground.ts';
import {whyNotFollowed, whyNotFoundFiles, whyOptionAmong, whySecretBelow, type Sought} from './found-files.ts';
import {globMatches, type GlobMatch} from './glob-matches.ts';
import {isAbsolutePath, partsOf, pathOf} from './path-parts.ts';
import {looksSecret, mayNameSecret} from './secret-paths.ts';
import type {Text} from './shell/argument.ts';

/** How paths are judged. `directories` are where a command may run; none when that is not known. */
export interface PathRules {
  readonly from: (directories: readonly string[]) => PathJudge;
  /** The folders a `cd` may lead to; a reason when one of them is outside. */
  readonly after: (target: string, directories: readonly string[]) => readonly string[] | string;
  /** Whether the folder is there, from wherever a command runs, and no link. */
  readonly exists: (folder: string, directories: readonly string[]) => boolean;
  /** Why git's reading there may run programs of somebody else's, if it may. */
  readonly repository: (directories: readonly string[]) => string | undefined;
  /**
   * What a bare pattern, or names that another program told, come to: why one of them could be taken for an option, if it could;
   * `nothing`, then the shell leaves the pattern as it is.
   */
  readonly names: (text: Text, directories: readonly string[]) => ComesTo;
  /** Why a program must not follow the links in a folder, or is not known to be kept from it. `depth` is how many folders deep it goes. */
  readonly follows: (
    folder: Text,
    use: 'read' | 'named',
    where: {readonly depth: number; readonly directories: readonly string[]},
  ) => string | undefined;
  /** Why what git kept of files may hold secrets: some may be gone from the folder. */
  readonly secretAnywhere: () => string | undefined;
  /** Why a search there may come upon files whose names say that they hold secrets. */
  readonly secretBelow: (place: Text, sought: Sought & {readonly directories: readonly string[]}) => string | undefined;
  /** One of these files, where it lies in the folder a command runs in or in one around it, up to the workspace's own. */
  readonly near: (names: ReadonlySet<string>, directories: readonly string[]) => string | undefined;
}

export type ComesTo = {readonly to: 'nothing' | 'names'} | {readonly to: 'options'; readonly reason: string};

/** Inside the workspace, links followed, and nothing that looks like a secret. */
export const workspacePaths = (ground: Ground): PathRules => ({
  from: directories => makePathJudge(directories, ground),
  after: (target, directories) => directoriesAfter(target, {directories, ground}),
  exists: (folder, directories) =>
    directories.every(directory => {
      const parts = partsOf(isAbsolutePath(folder) ? folder : `${directory}/${folder}`);
      return ground.list(pathOf(parts.slice(0, -1))).some(({name, kind}) => name === parts.at(-1) && kind === 'folder');
    }),
  repository: directories =>
    directories.length === 0
      ? 'reads a repository, and which one is not known'
      : directories.map(each => repositoryFinding(each, ground).reason).find(isSaid),
  names: (text, directories) => comesTo(text, {directories, ground}),
  follows: (folder, use, {depth, directories}) => whyNotTree(folder, use, {depth, directories, ground}),
  secretAnywhere: () => 'may show secrets that were in any file, in a form in which they are not recognised',
  secretBelow: (place, sought) => whySecretBelow(place, sought, ground),
  near: (names, directories) =>
    directories
      .flatMap(foldersUpFrom)
      .filter(folder => belowRoots(partsOf(folder), ground).length > 0)
      .flatMap(folder => ground.list(folder))
      .find(({name}) => names.has(name))?.name,
});

/** Whatever the path: to tell what only reads, but in the wrong place, from what may do more. */
export const anyPaths: PathRules = {
  from: () => () => undefined,
  after: target => [target],
  exists: () => false,
  repository: () => undefined,
  names: () => ({to: 'nothing'}),
  follows: () => undefined,
  secretAnywhere: () => undefined,
  secretBelow: () => undefined,
  near: () => undefined,
};

function makePathJudge(directories: readonly string[], ground: Ground): PathJudge {
  return (path, use) => {
    const {text} = path;
    if (text === '/dev/null' || text === '/dev/stdin' || text === '/dev/fd/63') return undefined;
    if (path.style === 'plain' && saysTheSystem.test(text)) return undefined;
    if (/^(?:[A-Za-z]:[\\/]|\\\\)/u.test(text)) return `is given \`${text}\`, which may lie outside the workspace`;
    switch (path.style) {
      case 'plain':
        return whyNotPlain(path, use, {directories, ground});
      case 'wild':
        return whyNotWild(path, use, {directories, ground});
      case 'found':
      case 'searched':
        return whyNotFoundFiles(path, {use, directories, ground});
      default:
        return unreachable(path);
    }
  };
}

/** Files of the system that tell which one it is, and nothing of anybody. */
const saysTheSystem =
  /^(?:\/etc\/(?:os-release|lsb-release|debian_version|alpine-release|redhat-release|fedora-release|arch-release|timezone|shells)|\/usr\/lib\/os-release|\/proc\/(?:cpuinfo|meminfo|version|loadavg|uptime))$/u;

type Use = Parameters<PathJudge>[1];

interface Where {
  readonly directories: readonly string[];
  readonly ground: Ground;
}

function whyNotPlain({text}: Text, use: Use, {directories, ground}: Where): string | undefined {
  if (use === 'read' && looksSecret(text)) return `reads \`${text}\`, which may hold secrets`;
  const starts = isAbsolutePath(text) ? [''] : directories;
  if (starts.length === 0) return `reads \`${text}\`, and from where is not known`;
  return starts
    .map(start => whyNotPlace(start === '' ? text : `${start}/${text}`, use, {written: text, ground}))
    .find(isSaid);
}

/** A pattern is what it comes to just now; where that is nothing, or too much to look at, what it could come to decides. */
function whyNotWild({text}: Text, use: Use, {directories, ground}: Where): string | undefined {
  const fixed = beginningOf(text);
  if (/(?:^|\/)\.\.(?:\/|$)/u.test(text.slice(fixed.length))) return `is given \`${text}\`, which may lead anywhere`;
  // `.*` stands for the folder above, too.
  if (/(?:^|\/)\.[*?[]/u.test(text)) return `is given \`${text}\`, which may name secrets or the folder above`;
  if (use === 'read' && looksSecret(text)) return `reads \`${text}\`, which may hold secrets`;
  const starts = isAbsolutePath(fixed) ? [''] : directories;
  if (starts.length === 0) return `reads \`${text}\`, and from where is not known`;
  for (const start of starts) {
    const reason = whyNotPlace(start === '' ? fixed : `${start}/${fixed}`, use, {written: text, ground});
    if (reason !== undefined) return reason;
    const matches = globMatches(text, start, ground);
    if (matches === 'too many') return `is given \`${text}\`, which comes to more files than weft looks at`;
    if (matches.length === 0) {
      if (use === 'read' && mayNameSecret(text, 'as the shell does'))
        return `reads \`${text}\`, which may hold secrets`;
      continue;
    }
    const isDirect = leadsStraight(start, fixed, ground);
    for (const match of matches) {
      const written = match.path.slice(start.length + 1);
      const found =
        isDirect && isOwnFile(match)
          ? whyNotSecret(written, [match.path], use, ground)
          : whyNotPlace(match.path, use, {written, ground});
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

/** Whether no link stands between a folder and one below it. */
const leadsStraight = (start: string, fixed: string, {resolve}: Ground): boolean =>
  pathOf(partsOf(`${resolve(start === '' ? '/' : start).path}/${fixed}`)) === resolve(`${start}/${fixed}`).path;

/** What lies where it seems to need not be followed, given that the folder the pattern starts in was. */
const isOwnFile = ({kind, way}: GlobMatch): boolean => way === 'direct' && (kind === 'file' || kind === 'folder');

function comesTo(text: Text, {directories, ground}: Where): ComesTo {
  if (text.style === 'found' || text.style === 'searched') {
    const reason = whyOptionAmong(text, {directories, ground});
    return reason === undefined ? {to: 'names'} : {to: 'options', reason};
  }
  if (directories.length === 0 && !isAbsolutePath(text.text))
    return {to: 'options', reason: `is given \`${text.text}\`, and from where is not known`};
  let found = false;
  for (const start of directories) {
    const matches = globMatches(text.text, start, ground);
    if (matches === 'too many')
      return {to: 'options', reason: `is given \`${text.text}\`, which comes to more files than weft looks at`};
    found ||= matches.length > 0;
    const option = matches.find(({path}) => path.startsWith('-', start.length + 1));
    if (option !== undefined && !/^[./]/u.test(text.text))
      return {
        to: 'options',
        reason: `is given \`${text.text}\`, which comes to \`${option.path.slice(start.length + 1)}\` and may be taken for an option`,
      };
  }
  return {to: found ? 'names' : 'nothing'};
}

function whyNotTree(
  folder: Text,
  use: Use,
  {depth, directories, ground}: Where & {readonly depth: number},
): string | undefined {
  switch (folder.style) {
    case 'found':
    case 'searched':
      return 'may follow links in folders that are not known';
    case 'plain':
    case 'wild': {
      const {text} = folder;
      const starts = isAbsolutePath(text) ? [''] : directories;
      if (starts.length === 0) return 'may follow links, and from where is not known';
      const paths = starts.flatMap(start =>
        folder.style === 'plain' ? [`${start}/${text}`] : asPaths(globMatches(text, start, ground)),
      );
      if (paths.includes('too many')) return `is given \`${text}\`, which comes to more files than weft looks at`;
      return paths
        .flatMap(path => placesOf(path, ground))
        .map(({path}) => whyNotFollowed(path, {use, depth, ground}))
        .find(isSaid);
    }
    default:
      return unreachable(folder);
  }
}

const asPaths = (matches: readonly GlobMatch[] | 'too many'): readonly string[] =>
  matches === 'too many' ? ['too many'] : matches.map(({path}) => path);

function whyNotPlace(
  path: string,
  use: Use,
  {written, ground}: {readonly written: string; readonly ground: Ground},
): string | undefined {
  const leads = placesOf(path, ground);
  const outside = leads.find(({place}) => place === 'outside-workspace');
  if (outside !== undefined) return `reads outside the workspace: ${outside.path}`;
  return whyNotSecret(
    written,
    leads.map(lead => lead.path),
    use,
    ground,
  );
}

function whyNotSecret(written: string, leads: readonly string[], use: Use, ground: Ground): string | undefined {
  const isSecret = use === 'read' && (looksSecret(written) || leads.some(lead => looksSecret(belowRoot(lead, ground))));
  return isSecret ? `reads \`${written}\`, which may hold secrets` : undefined;
}

/** The folder and those around it, the innermost first. */
function foldersUpFrom(directory: string): readonly string[] {
  const parts = partsOf(directory);
  return Array.from({length: parts.length + 1}, (_, at) => pathOf(parts.slice(0, parts.length - at)));
}

const isSaid = (reason: string | undefined): reason is string => reason !== undefined;

function directoriesAfter(
  target: string,
  {directories, ground}: {readonly directories: readonly string[]; readonly ground: Ground},
): readonly string[] | string {
  const starts = isAbsolutePath(target) ? [''] : directories;
  if (starts.length === 0) return 'goes on from a folder that is not known';
  const found = starts.flatMap(start => placesOf(start === '' ? target : `${start}/${target}`, ground));
  const outside = found.find(({place}) => place === 'outside-workspace');
  if (outside !== undefined) return `leaves the workspace: ${outside.path}`;
  // The shell keeps the way it came for its next `..`, the system the place where that leads.
  const ways = starts.map(start => pathOf(partsOf(start === '' ? target : `${start}/${target}`)));
  return [...new Set([...found.map(({path}) => path), ...ways])];
}

/**
 * Where an absolute path leads: by the letter, as the shell takes `..` in `cd`, and as the system does, which follows links
 * before it goes up.
 */
export function placesOf(path: string, {resolve}: Ground): readonly ReturnType<Ground['resolve']>[] {
  if (!/(?:^|\/)\.\.(?:\/|$)/u.test(path)) return [resolve(path)];
  let real = '';
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    real = part === '..' ? parent(resolve(real === '' ? '/' : real).path) : `${real}/${part}`;
  }
  return [resolve(`/${partsOf(path).join('/')}`), resolve(real === '' ? '/' : real)];
}

const parent = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));

/** What of a pattern comes before its first wildcard, up to a slash. */
const beginningOf = (pattern: string): string => {
  const [plain = ''] = pattern.split(/[*?[]/u, 1);
  const folder = plain.slice(0, plain.lastIndexOf('/') + 1);
  return folder === '' ? '.' : folder;
};

/** Names above a workspace do not make its files secrets. */
const belowRoot = (path: string, ground: Ground): string => {
  const [first] = belowRoots(partsOf(path), ground);
  return first === undefined ? path : first.below.join('/');
};
