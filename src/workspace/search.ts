import {dirname, join, resolve} from 'node:path';
import type {GlobReport, GrepRequest, SearchPort} from '../actions/ports.ts';
import {failed, ok, type Outcome} from '../base/outcome.ts';
import {unreachable} from '../base/unreachable.ts';
import {rejected, type Fault} from '../domain/fault.ts';
import {collectMatches, longestLine, type MatchCollector} from './collect-matches.ts';
import {readExclusions, type Exclusions} from './exclusions.ts';
import {expandBraces} from './expand-braces.ts';
import {judgedPaths, makePaths, type Paths} from './files/resolve-path.ts';
import {globTest, type PathTest} from './glob-pattern.ts';
import {planWalks} from './glob-walks.ts';
import {allRules, rulesOffAbove, whenStuck, type RulesOff} from './ignore-files.ts';
import type {SearchEnd, SearchRun} from './run-ripgrep.ts';
import {findSearchBinary} from './search-binary.ts';
import {findPlace, type SearchPlace} from './search-place.ts';
import {checkPlaces, type PlaceCheck} from './still-there.ts';
import type {Environment} from './shell-environment.ts';

/** Paths held while names are searched; a pattern that fits more is too wide to be of use. */
const mostPaths = 200_000;

/** Patterns in one request. */
const mostPatterns = 50;

/** What every search obeys: ignore files also outside a repository, hidden files included, nothing from the user's own settings. */
export const searchManners: readonly string[] = [
  '--no-config',
  '--no-messages',
  '--color=never',
  '--hidden',
  '--no-require-git',
  '--glob=!.git',
];

/**
 * Searches contents and names with the packaged ripgrep, which follows no symbolic links. Globs are matched here and not by
 * ripgrep's own option, which would bring back what the ignore files leave out.
 */
export const makeSearch = (options: SearchOptions & {readonly roots: readonly string[]}): SearchPort =>
  searchOn(makePaths(options), options);

interface SearchOptions {
  readonly home: string;
  readonly environment: Environment;
  /** Globs of what no search may ever show, whatever it asks for; `readExclusions` says how they are read. */
  readonly excluded: () => readonly string[];
}

function searchOn(paths: Paths, options: SearchOptions): SearchPort {
  /** The place, and what is left out there. Nothing is searched while a glob of what to leave out cannot be used. */
  async function prepare(path: string): Promise<Outcome<Prepared, Fault>> {
    const exclusions = readExclusions(options.excluded(), {paths, home: options.home});
    if (exclusions.tag === 'failed') return failed(badExclusion(exclusions.error));
    const place = await findPlace(path, paths);
    if (place.tag === 'failed') return place;
    return exclusions.value.leavesOut(place.value.real)
      ? failed(rejected(`${place.value.shown} is not searched: the user's rules leave it out.`))
      : ok({place: place.value, exclusions: exclusions.value});
  }

  async function runWithout(off: ReadonlySet<RulesOff>, search: Search, signal: AbortSignal): Promise<SearchEnd> {
    const {runRipgrep} = await import('./run-ripgrep.ts');
    const {binary, directory} = search;
    const {environment} = options;
    return runRipgrep(
      {binary, directory, environment, options: [...off, ...search.options], onLine: search.begin()},
      signal,
    );
  }

  /** A search that waits for what stands in the place of an ignore file is begun anew without such rules. */
  async function endOf(search: Search, signal: AbortSignal): Promise<SearchEnd> {
    const off = rulesOffAbove(search.start);
    using stuck = whenStuck(search.start, off);
    const end = await runWithout(off, search, AbortSignal.any([signal, stuck.signal]));
    return end.kind === 'stopped' && !signal.aborted ? runWithout(allRules, search, signal) : end;
  }

  async function run(search: Omit<Search, 'binary'>, signal: AbortSignal): Promise<Outcome<SearchEnd, Fault>> {
    const binary = findSearchBinary();
    if (binary.tag === 'failed') return binary;
    const end = await endOf({...search, binary: binary.value}, signal);
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
    judged: places => searchOn(judgedPaths(paths, places), options),

    async grep(request, signal) {
      const prepared = await prepare(request.path);
      if (prepared.tag === 'failed') return prepared;
      const {place, exclusions} = prepared.value;
      const globs = readGlobs(request.globs.map(relativeGlob));
      if (globs.tag === 'failed') return globs;
      const real = (shown: string): string => resolve(paths.root, shown);
      const isShown = (shown: string): boolean => !exclusions.leavesOut(real(shown));
      const collect = (): MatchCollector =>
        collectMatches({limit: request.limit, tests: globs.value.tests, isShown, real}, place);
      let collector = collect();
      const check = checkPlaces(paths.roots);
      const end = await run(
        {
          options: [...searchManners, ...exclusions.options(paths.root), ...grepOptions(request, globs.value, place)],
          directory: paths.root,
          start: place.kind === 'file' ? dirname(place.real) : place.real,
          begin() {
            collector = collect();
            return collector.take;
          },
        },
        signal,
      );
      if (end.tag === 'failed') return end;
      const report = await collector.report(end.value, check);
      return end.value.kind === 'too-slow' && report.lines.length === 0 ? failed(tooSlow) : ok(report);
    },

    async glob(request, signal) {
      const prepared = await prepare(request.path);
      if (prepared.tag === 'failed') return prepared;
      const {place, exclusions} = prepared.value;
      if (place.kind === 'file') return failed(rejected(`${request.path} is a file; give a folder to search in.`));
      if (request.patterns.length > mostPatterns) return failed(tooMany(request.patterns.length));
      const walks = planWalks(request, {base: place.real, home: options.home, paths});
      if (walks.tag === 'failed') return failed(rejected(walks.error));
      const unwanted = request.patterns.filter(pattern => pattern.startsWith('!'));
      const found = new Set<string>();
      const check = checkPlaces(paths.roots);
      for (const {folder, depth, tests} of walks.value) {
        const bounds = depth === 0 ? [] : [`--max-depth=${depth}`];
        const end = await run(
          {
            options: [
              ...searchManners,
              '--files',
              ...exclusions.options(folder),
              ...bounds,
              ...excluding(unwanted),
              './',
            ],
            directory: folder,
            start: folder,
            begin: () => line => {
              const path = line.replace(/^\.\//u, '');
              const real = join(folder, path);
              if (tests.some(test => test(path)) && !exclusions.leavesOut(real)) found.add(paths.show(real));
              return found.size < mostPaths ? 'more' : 'enough';
            },
          },
          signal,
        );
        if (end.tag === 'failed') return end;
        if (end.value.kind === 'too-slow' && found.size === 0) return failed(tooSlow);
      }
      return ok(await globReport(found, {limit: request.limit, root: paths.root, check}));
    },
  };
}

interface Search {
  readonly binary: string;
  readonly options: readonly string[];
  readonly directory: string;
  /** The folder whose files are searched first of all. */
  readonly start: string;
  /** Answers with what takes the lines of a run from its first one on. */
  readonly begin: () => SearchRun['onLine'];
}

interface Prepared {
  readonly place: SearchPlace;
  readonly exclusions: Exclusions;
}

const tooSlow = rejected('The search took longer than 10 seconds; name a folder further down or a narrower pattern.');

const tooMany = (count: number): Fault =>
  rejected(`${count} patterns are too many for one search; give at most ${mostPatterns}.`);

const badExclusion = (trouble: string): Fault => ({
  kind: 'needs-user',
  message: `Nothing is searched while a rule of what to leave out cannot be used. ${trouble}`,
  fix: 'Write the rule in another way.',
});

/** The globs of a request: which files are wanted (all when there are none), and which are not. */
interface Globs {
  readonly tests: readonly PathTest[];
  /** File names that the wanted ones end in; empty when they do not tell. */
  readonly names: readonly string[];
  readonly unwanted: readonly string[];
}

function readGlobs(globs: readonly string[]): Outcome<Globs, Fault> {
  if (globs.length > mostPatterns) return failed(tooMany(globs.length));
  const tests: PathTest[] = [];
  const names: string[] = [];
  for (const glob of globs.filter(each => !each.startsWith('!'))) {
    const test = globTest(glob);
    if (test.tag === 'failed') return failed(rejected(test.error));
    tests.push(test.value);
    const alternatives = expandBraces(glob);
    if (alternatives.tag === 'ok') names.push(...alternatives.value.map(each => each.slice(each.lastIndexOf('/') + 1)));
  }
  return ok({
    tests,
    names: names.every(name => name !== '' && name !== '**') ? names : [],
    unwanted: globs.filter(glob => glob.startsWith('!')),
  });
}

function grepOptions(request: GrepRequest, globs: Globs, place: SearchPlace): readonly string[] {
  const options = ['--sort=path', engineFor(request.queries), '--no-heading', '--with-filename'];
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
  // Narrows by file name, which leaves ignore rules as they are; the whole glob is tested on what is found.
  if (globs.names.length > 0) options.push(...globs.names.map(name => `--type-add=weft:${name}`), '--type=weft');
  options.push(...excluding(globs.unwanted));
  for (const query of request.queries) options.push('-e', query);
  return [...options, '--', place.shown === '.' ? './' : place.shown];
}

/**
 * The engine that knows look-around helps where the other gives up, but is silent about a line end, which no line holds: the
 * default one says so.
 */
const engineFor = (queries: readonly string[]): string =>
  queries.some(query => /\n|\\n/u.test(query)) ? '--engine=default' : '--engine=auto';

const excluding = (unwanted: readonly string[]): readonly string[] =>
  unwanted.map(glob => `--glob=!${glob.slice(1).replace(/^\.\//u, '/')}`);

/** What is not at its place, or reached through a link by now, is left out. */
async function globReport(
  found: ReadonlySet<string>,
  {limit, root, check}: {readonly limit: number; readonly root: string; readonly check: PlaceCheck},
): Promise<GlobReport> {
  const sorted = [...found].toSorted((a, b) => compareByPart(a, b));
  const paths: string[] = [];
  for (const path of sorted.slice(0, limit)) {
    const real = resolve(root, path);
    if (check.isSure(real) || (await check.isFile(real))) paths.push(path);
  }
  return {paths, omitted: sorted.length - paths.length};
}

/** By name, part for part: a folder's content stays together. */
function compareByPart(a: string, b: string): number {
  const left = a.replaceAll('/', '\0');
  const right = b.replaceAll('/', '\0');
  return left < right ? -1 : left > right ? 1 : 0;
}
