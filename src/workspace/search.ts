import {statSync} from 'node:fs';
import {dirname, join, posix, resolve} from 'node:path';
import type {GlobRequest, GlobReport, GrepReport, GrepRequest, SearchPort} from '../actions/ports.ts';
import {clip} from '../base/clip.ts';
import {failed, ok, type Outcome} from '../base/outcome.ts';
import {unreachable} from '../base/unreachable.ts';
import {rejected, type Fault} from '../domain/fault.ts';
import {holds, makePaths, type Paths} from './files/resolve-path.ts';
import {missingText} from './files/file-snapshot.ts';
import {expandBraces, globTest, isGlob, type PathTest} from './glob-pattern.ts';
import type {SearchEnd, SearchRun} from './run-ripgrep.ts';
import {findSearchBinary} from './search-binary.ts';
import type {Environment} from './shell-environment.ts';

/** Characters of a matching line that are shown. */
const longestLine = 500;

/** Paths held while names are searched; a pattern that fits more is too wide to be of use. */
const mostPaths = 200_000;

/** What every search obeys: ignore files also outside a repository, hidden files included, nothing from the user's own settings. */
const manners: readonly string[] = [
  '--no-config',
  '--no-messages',
  '--color=never',
  '--hidden',
  '--no-require-git',
  '--glob=!.git',
];

/**
 * Searches contents and names with the packaged ripgrep. Globs are matched here and not by ripgrep's own option, which would
 * bring back what the ignore files leave out.
 */
export function makeSearch(options: {
  readonly roots: readonly string[];
  readonly home: string;
  readonly environment: Environment;
}): SearchPort {
  const paths = makePaths(options);

  async function run(
    search: Pick<SearchRun, 'options' | 'directory' | 'onLine'>,
    signal: AbortSignal,
  ): Promise<Outcome<SearchEnd, Fault>> {
    const binary = findSearchBinary();
    if (binary.tag === 'failed') return binary;
    const {runRipgrep} = await import('./run-ripgrep.ts');
    const end = await runRipgrep({...search, binary: binary.value, environment: options.environment}, signal);
    switch (end.kind) {
      case 'finished':
        return end.complaint === '' ? ok(end) : failed(rejected(`The search failed: ${end.complaint}`));
      case 'stopped':
        return failed(rejected('The search was stopped.'));
      case 'not-started':
        return failed(rejected(`The search could not be started: ${end.reason}`));
      case 'enough':
      case 'too-slow':
        return ok(end);
      default:
        return unreachable(end);
    }
  }

  /** An absolute glob below the workspace root means the same as its relative form. */
  function relativeGlob(glob: string): string {
    const expanded = glob.startsWith('~/') ? join(options.home, glob.slice(2)) : glob;
    return expanded.startsWith(`${paths.root}/`) ? `.${expanded.slice(paths.root.length)}` : expanded;
  }

  return {
    async grep(request, signal) {
      const place = await findPlace(request.path, paths);
      if (place.tag === 'failed') return place;
      const collector = collectMatches({...request, globs: request.globs.map(relativeGlob)}, place.value);
      const end = await run(
        {options: grepOptions(request, place.value), directory: paths.root, onLine: collector.take},
        signal,
      );
      if (end.tag === 'failed') return end;
      const report = collector.report(end.value);
      return end.value.kind === 'too-slow' && report.lines.length === 0 ? failed(tooSlow) : ok(report);
    },

    async glob(request, signal) {
      const place = await findPlace(request.path, paths);
      if (place.tag === 'failed') return place;
      if (place.value.kind === 'file')
        return failed(rejected(`${request.path} is a file; give a folder to search in.`));
      const found = new Set<string>();
      for (const walk of planWalks(request, {base: place.value.real, home: options.home})) {
        const end = await run(
          {
            options: [...manners, '--files', ...walk.options, './'],
            directory: walk.folder,
            onLine(line) {
              const path = line.replace(/^\.\//u, '');
              if (walk.tests.some(test => test(path))) found.add(paths.show(join(walk.folder, path)));
              return found.size < mostPaths ? 'more' : 'enough';
            },
          },
          signal,
        );
        if (end.tag === 'failed') return end;
        if (end.value.kind === 'too-slow' && found.size === 0) return failed(tooSlow);
      }
      return ok(globReport(found, request.limit));
    },
  };
}

const tooSlow = rejected('The search took longer than 10 seconds; name a folder further down or a narrower pattern.');

/** Where a search starts: the real path, and the form in which ripgrep is given it. */
interface Place {
  readonly kind: 'file' | 'folder';
  readonly real: string;
  readonly shown: string;
}

async function findPlace(path: string, paths: Paths): Promise<Outcome<Place, Fault>> {
  if (path.includes('\0')) return failed(rejected('A path cannot hold a NUL character.'));
  const real = paths.resolve(path).path;
  const kind = kindOf(real);
  const shown = paths.show(real);
  if (kind === 'neither') return failed(rejected(`${shown}: ${await missingText(real, paths.show)}`));
  return ok({kind, real, shown});
}

function kindOf(path: string): 'file' | 'folder' | 'neither' {
  try {
    const stats = statSync(path);
    return stats.isDirectory() ? 'folder' : stats.isFile() ? 'file' : 'neither';
  } catch {
    return 'neither';
  }
}

function grepOptions(request: GrepRequest, place: Place): readonly string[] {
  const options = [...manners, '--sort=path', engineFor(request.queries), '--no-heading', '--with-filename'];
  options.push(request.letterCase === 'insensitive' ? '--ignore-case' : '--case-sensitive');
  switch (request.mode) {
    case 'content':
      options.push('--null', '--line-number', `--max-columns=${longestLine}`, '--max-columns-preview');
      if (request.context > 0) options.push(`--context=${request.context}`);
      break;
    case 'files':
      options.push('--files-with-matches');
      break;
    case 'count':
      options.push('--null', '--count');
      break;
    default:
      return unreachable(request.mode);
  }
  const wanted = request.globs.filter(glob => !glob.startsWith('!'));
  const names = wanted.flatMap(expandBraces).map(glob => glob.slice(glob.lastIndexOf('/') + 1));
  // Narrows by file name, which leaves ignore rules as they are; the whole glob is tested on what is found.
  if (names.length > 0 && names.every(name => name !== '' && name !== '**')) {
    options.push(...names.map(name => `--type-add=weft:${name}`), '--type=weft');
  }
  options.push(...excluding(request.globs));
  for (const query of request.queries) options.push('-e', query);
  return [...options, '--', place.shown === '.' ? './' : place.shown];
}

/**
 * The engine that knows look-around helps where the other gives up, but is silent about a line end, which no line holds: the
 * default one says so.
 */
const engineFor = (queries: readonly string[]): string =>
  queries.some(query => /\n|\\n/u.test(query)) ? '--engine=default' : '--engine=auto';

const excluding = (globs: readonly string[]): readonly string[] =>
  globs.filter(glob => glob.startsWith('!')).map(glob => `--glob=!${glob.slice(1).replace(/^\.\//u, '/')}`);

interface MatchCollector {
  take(this: void, line: string): 'more' | 'enough';
  report(end: SearchEnd): GrepReport;
}

function collectMatches(request: GrepRequest, place: Place): MatchCollector {
  const lines: string[] = [];
  let omitted = 0;
  const tests = request.globs.filter(glob => !glob.startsWith('!')).map(glob => globTest(glob));
  const fits = (path: string): boolean =>
    tests.length === 0 ||
    place.kind === 'file' ||
    tests.some(test => test(path.replace(/^\//u, '')) || test(posix.relative(place.shown, path)));

  return {
    take(line) {
      const shown = showMatch(line, fits);
      if (shown === undefined || (shown === '--' && (lines.length === 0 || lines.at(-1) === '--'))) return 'more';
      if (lines.length < request.limit) {
        lines.push(shown);
        return 'more';
      }
      omitted += 1;
      return 'enough';
    },
    report(end) {
      if (lines.at(-1) === '--') lines.pop();
      const count = end.kind === 'too-slow' ? Math.max(1, omitted) : omitted;
      return {lines, omitted: {count, exact: end.kind === 'finished' ? 'exact' : 'at-least'}};
    },
  };
}

/** A line of ripgrep's output in the form of the report; `undefined` when its path does not fit. */
function showMatch(line: string, fits: PathTest): string | undefined {
  if (line === '--') return line;
  const [, path = line, found = ''] = /^([^\0]*)\0(.*)$/su.exec(line) ?? [];
  const shown = path.replace(/^\.\//u, '');
  if (found === '') {
    const binary = /^(.*): binary file matches/u.exec(shown);
    return fits(binary?.[1] ?? shown) ? shown : undefined;
  }
  if (!fits(shown)) return undefined;
  const between = /^\d+(-)/u.exec(found) === null ? ':' : '-';
  return `${shown}${between}${clip(found.replace(/\r$/u, ''), longestLine + 100)}`;
}

/** One run over the names below a folder. */
interface Walk {
  readonly folder: string;
  readonly options: readonly string[];
  readonly tests: readonly PathTest[];
}

/** The folders to walk, one for each place the patterns start at. */
function planWalks(request: GlobRequest, from: {readonly base: string; readonly home: string}): readonly Walk[] {
  const wanted = request.patterns.filter(pattern => !pattern.startsWith('!'));
  const walks = new Map<string, PathTest[]>();
  for (const pattern of wanted.length === 0 ? ['**'] : wanted) {
    const {folder, rest} = anchor(pattern, from);
    if (kindOf(folder) !== 'folder') continue;
    walks.set(folder, [...(walks.get(folder) ?? []), globTest(rest)]);
  }
  return [...walks].flatMap(([folder, tests]): Walk[] => {
    const below = holds(from.base, folder) ? posix.relative(from.base, folder) : '';
    const depth = request.maxDepth - (below === '' ? 0 : below.split('/').length);
    if (request.maxDepth > 0 && depth <= 0) return [];
    const bound = request.maxDepth > 0 ? [`--max-depth=${depth}`] : [];
    return [{folder, tests, options: [...bound, ...excluding(request.patterns)]}];
  });
}

/** Splits a pattern into the folder its leading plain parts name and the rest. */
function anchor(
  pattern: string,
  from: {readonly base: string; readonly home: string},
): {readonly folder: string; readonly rest: string} {
  const expanded = pattern.startsWith('~/') ? join(from.home, pattern.slice(2)) : pattern;
  if (!expanded.includes('/')) return {folder: from.base, rest: expanded};
  const parts = expanded.split('/');
  const firstGlob = parts.findIndex(isGlob);
  const plain = parts.slice(0, firstGlob < 0 ? parts.length - 1 : Math.min(firstGlob, parts.length - 1));
  const rest = `./${parts.slice(plain.length).join('/')}`;
  return {folder: plainFolder(plain.join('/'), {...from, absolute: expanded.startsWith('/')}), rest};
}

/** A leading slash means the folder searched in, as in ignore files, unless there is no such folder in it. */
function plainFolder(plain: string, from: {readonly base: string; readonly absolute: boolean}): string {
  const inside = resolve(from.base, `./${plain}`);
  if (!from.absolute || plain === '') return inside;
  const outside = resolve(plain);
  return holds(from.base, outside) || (kindOf(inside) !== 'folder' && dirname(outside) !== outside) ? outside : inside;
}

function globReport(found: ReadonlySet<string>, limit: number): GlobReport {
  const sorted = [...found].toSorted((a, b) => compareByPart(a, b));
  return {paths: sorted.slice(0, limit), omitted: Math.max(0, sorted.length - limit)};
}

/** By name, part for part: a folder's content stays together. */
function compareByPart(a: string, b: string): number {
  const left = a.replaceAll('/', '\0');
  const right = b.replaceAll('/', '\0');
  return left < right ? -1 : left > right ? 1 : 0;
}
