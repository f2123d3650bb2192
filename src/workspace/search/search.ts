import {holds, limitToJudgedPaths, makePaths, type Paths} from '../files/resolve-path.ts';
import {lstatSync} from 'node:fs';
import {dirname, join, posix, resolve} from 'node:path';
import type {GlobReport, GrepReport, GrepRequest, SearchPort} from '../../actions/ports.ts';
import {clip} from '../../base/clip.ts';
import {compileGlob, expandBraces, type PathTest} from '../../base/glob.ts';
import {failed, ok, type Outcome, tryOr} from '../../base/outcome.ts';
import {unreachable} from '../../base/unreachable.ts';
import {type Fault, rejected} from '../../domain/fault.ts';
import type {Environment} from '../exec/shell-environment.ts';
import {openRegular} from '../files/regular-files.ts';
import {type Exclusions, readExclusions} from './exclusions.ts';
import {findPlace, planWalks, type SearchPlace} from './search-places.ts';
import {
  allRules,
  findSearchBinary,
  type RulesOff,
  rulesOffAbove,
  runRipgrep,
  type SearchEnd,
  whenStuck,
} from './ripgrep.ts';

/** Paths held while names are searched; a pattern that fits more is too wide to be of use. */
const maxPaths = 200_000;

const maxPatterns = 50;

/** Options of every search: ignore files count outside repositories too, hidden files are included, the user's own settings are not read. */
export const commonOptions: readonly string[] =
  '--no-config --no-messages --color=never --hidden --no-require-git --glob=!.git'.split(' ');

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

  async function runWithout(
    off: ReadonlySet<RulesOff>,
    {binary, directory, ...search}: Search,
    signal: AbortSignal,
  ): Promise<SearchEnd> {
    const {environment} = options;
    const take = search.begin();
    const decoder = new TextDecoder();
    let rest = '';
    const onPiece = (bytes: Buffer): 'more' | 'enough' => {
      const lines = (rest + decoder.decode(bytes, {stream: true})).split('\n');
      rest = lines.pop() ?? '';
      return lines.some(line => take(line) === 'enough') ? 'enough' : 'more';
    };
    const end = await runRipgrep(
      {binary, directory, environment, options: [...off, ...search.options], limit: 'total', onPiece},
      signal,
    );
    return end.kind !== 'enough' && rest !== '' && take(rest) === 'enough' ? {kind: 'enough'} : end;
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
    const end = await endOf({...search, binary: binary.value.path}, signal);
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

  /** A run over the place itself, named as the root sees it. */
  const runAt = (
    {place, exclusions}: Prepared,
    {options: own, begin}: Pick<Search, 'options' | 'begin'>,
    signal: AbortSignal,
  ): Promise<Outcome<SearchEnd, Fault>> =>
    run(
      {
        options: [
          ...commonOptions,
          ...exclusions.options(paths.root),
          ...own,
          '--',
          place.shown === '.' ? './' : place.shown,
        ],
        directory: paths.root,
        start: place.kind === 'file' ? dirname(place.real) : place.real,
        begin,
      },
      signal,
    );
  const real = (shown: string): string => resolve(paths.root, shown);

  /** An absolute glob below the workspace root means the same as its relative form. */
  function relativeGlob(glob: string): string {
    const expanded = glob.startsWith('~/') ? join(options.home, glob.slice(2)) : glob;
    return expanded.startsWith(`${paths.root}/`) ? `.${expanded.slice(paths.root.length)}` : expanded;
  }

  return {
    limitedTo: judged => searchOn(limitToJudgedPaths(paths, judged), options),

    async grep(request, signal) {
      const prepared = await prepare(request.path);
      if (prepared.tag === 'failed') return prepared;
      const {place, exclusions} = prepared.value;
      const globs = readGlobs(request.globs.map(relativeGlob));
      if (globs.tag === 'failed') return globs;
      const isShown = (shown: string): boolean => !exclusions.leavesOut(real(shown));
      const collect = () => collectMatches({limit: request.limit, tests: globs.value.tests, isShown, real}, place);
      let collector = collect();
      const check = checkPlaces(paths.roots);
      const begin = (): Take => (collector = collect()).take;
      const end = await runAt(prepared.value, {options: grepOptions(request, globs.value), begin}, signal);
      if (end.tag === 'failed') return end;
      const report = await collector.report(end.value, check);
      return end.value.kind === 'too-slow' && report.lines.length === 0 ? failed(tooSlow) : ok(report);
    },

    async glob(request, signal) {
      const prepared = await prepare(request.path);
      if (prepared.tag === 'failed') return prepared;
      const {place, exclusions} = prepared.value;
      if (place.kind === 'file') return failed(rejected(`${request.path} is a file; give a folder to search in.`));
      if (request.patterns.length > maxPatterns) return failed(tooMany(request.patterns.length));
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
              ...commonOptions,
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
              const at = join(folder, path);
              if (tests.some(test => test(path)) && !exclusions.leavesOut(at)) found.add(paths.show(at));
              return found.size < maxPaths ? 'more' : 'enough';
            },
          },
          signal,
        );
        if (end.tag === 'failed') return end;
        if (end.value.kind === 'too-slow' && found.size === 0) return failed(tooSlow);
      }
      return ok(await globReport(found, {limit: request.limit, root: paths.root, check}));
    },

    async codebase(request, signal) {
      const prepared = await prepare(request.path);
      if (prepared.tag === 'failed') return prepared;
      const {exclusions} = prepared.value;
      const {searchCode} = await import('./search-code.ts');
      const check = checkPlaces(paths.roots);
      return searchCode(
        request,
        {
          find: (patterns, begin) => runAt(prepared.value, {options: patterns, begin}, signal),
          isShown: shown =>
            (request.filters.length === 0 || request.filters.some(part => shown.includes(part))) &&
            !exclusions.leavesOut(real(shown)),
          size: shown => lstatSync(real(shown), {throwIfNoEntry: false})?.size ?? 0,
          lines: shown => check.lines(real(shown)),
        },
        signal,
      );
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
  readonly begin: () => Take;
}

type Take = (line: string) => 'more' | 'enough';

interface Prepared {
  readonly place: SearchPlace;
  readonly exclusions: Exclusions;
}

const tooSlow = rejected('The search took longer than 10 seconds; name a folder further down or a narrower pattern.');

const tooMany = (count: number): Fault =>
  rejected(`${count} patterns are too many for one search; give at most ${maxPatterns}.`);

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
  if (globs.length > maxPatterns) return failed(tooMany(globs.length));
  const tests: PathTest[] = [];
  const names: string[] = [];
  for (const glob of globs.filter(each => !each.startsWith('!'))) {
    const test = compileGlob(glob);
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

function grepOptions(request: GrepRequest, globs: Globs): readonly string[] {
  const options = ['--sort=path', engineFor(request.queries), '--no-heading', '--with-filename'];
  if (request.span === 'lines') options.push('--multiline', '--multiline-dotall');
  options.push(request.letterCase === 'insensitive' ? '--ignore-case' : '--case-sensitive');
  switch (request.mode) {
    case 'content':
      options.push('--null', '--line-number', `--max-columns=${longestLine}`, '--max-columns-preview');
      options.push(`--before-context=${request.before}`, `--after-context=${request.after}`);
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
  if (request.fileType !== '') options.push(`--type=${request.fileType}`);
  else if (globs.names.length > 0) options.push(...globs.names.map(name => `--type-add=weft:${name}`), '--type=weft');
  options.push(...excluding(globs.unwanted));
  for (const query of request.queries) options.push('-e', query);
  return options;
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

/** Characters of a matching line that are shown. */
export const longestLine = 500;

/** Turns ripgrep's output into a report of at most `limit` lines. What `isShown` turns down is not even counted. */
export function collectMatches(
  wanted: {
    readonly limit: number;
    /** One of them must hold, on the path as shown or relative to the place; none means all. */
    readonly tests: readonly PathTest[];
    /** On the path as ripgrep gives it, without a leading `./`. */
    readonly isShown: PathTest;
    /** The real path of one that ripgrep gives. */
    readonly real: (path: string) => string;
  },
  place: SearchPlace,
) {
  const lines: ShownMatch[] = [];
  let omitted = 0;
  const {tests} = wanted;
  const fits = (path: string): boolean =>
    tests.length === 0 ||
    place.kind === 'file' ||
    tests.some(test => test(path.replace(/^\//u, '')) || test(posix.relative(place.shown, path)));

  return {
    take: (line: string): 'more' | 'enough' => {
      const shown = showMatch(line, path => fits(path) && wanted.isShown(path));
      if (shown === undefined || (shown.kind === 'gap' && (lines.at(-1)?.kind ?? 'gap') === 'gap')) return 'more';
      if (lines.length < wanted.limit) {
        lines.push(shown);
        return 'more';
      }
      if (shown.kind === 'gap') return 'more';
      omitted += 1;
      return 'enough';
    },
    /** Builds the report; a match that `check` does not find in its file is left out. */
    async report(end: SearchEnd, check: PlaceCheck): Promise<GrepReport> {
      if (lines.at(-1)?.kind === 'gap') lines.pop();
      const kept = await inPlace(lines, {real: wanted.real, check});
      const count = (end.kind === 'too-slow' ? Math.max(1, omitted) : omitted) + lines.length - kept.length;
      return {
        lines: kept.map(({text}) => text),
        omitted: {count, exact: end.kind === 'finished' ? 'exact' : 'at-least'},
      };
    },
  };
}

/** A line of the report. `line` is the number of one whose text is shown; 0 where only the file is named. */
type ShownMatch =
  | {readonly kind: 'gap'; readonly text: string}
  | {
      readonly kind: 'match';
      readonly text: string;
      readonly path: string;
      readonly line: number;
      readonly found: string;
    };

/** What ripgrep puts in the place of the end of a long line, and characters of a line that are compared. */
const cutByRipgrep = / \[\.\.\. [^\]]*\]$/u;
const comparedCharacters = 400;

async function inPlace(
  lines: readonly ShownMatch[],
  {real, check}: {readonly real: (path: string) => string; readonly check: PlaceCheck},
): Promise<readonly ShownMatch[]> {
  const present = new Map<string, readonly string[] | undefined>();
  const kept: ShownMatch[] = [];
  for (const shown of lines) {
    if (shown.kind === 'gap') {
      if (kept.length > 0 && kept.at(-1)?.kind !== 'gap') kept.push(shown);
      continue;
    }
    const path = real(shown.path);
    if (check.isSure(path)) kept.push(shown);
    else if (shown.line === 0) {
      if (await check.isFile(path)) kept.push(shown);
    } else {
      if (!present.has(path)) present.set(path, await check.lines(path));
      const there = present.get(path)?.[shown.line - 1]?.replace(/^\ufeff/u, '');
      const found = shown.found.replace(cutByRipgrep, '').slice(0, comparedCharacters);
      if (there?.startsWith(found) === true) kept.push(shown);
    }
  }
  return kept;
}

/** A line of ripgrep's output in the form of the report; `undefined` when its path does not fit. */
function showMatch(line: string, fits: PathTest): ShownMatch | undefined {
  if (line === '--') return {kind: 'gap', text: line};
  const [, path = line, found = ''] = /^([^\0]*)\0(.*)$/su.exec(line) ?? [];
  const shown = path.replace(/^\.\//u, '');
  if (found === '') {
    const binary = /^(.*): binary file matches/u.exec(shown);
    const name = binary?.[1] ?? shown;
    return fits(name) ? {kind: 'match', text: shown, path: name, line: 0, found: ''} : undefined;
  }
  if (!fits(shown)) return undefined;
  const [, number = '', sign = '', text = ''] = /^(\d+)([:-])(.*)$/su.exec(found) ?? [];
  const bare = found.replace(/\r$/u, '');
  return {
    kind: 'match',
    text: `${shown}${sign === '-' ? '-' : ':'}${clip(bare, longestLine + 100)}`,
    path: shown,
    line: Number(number),
    found: text.replace(/\r$/u, ''),
  };
}

/** Milliseconds by which the times of files may lag behind the clock. */
const clockTick = process.platform === 'linux' ? 20 : 1000;

/** A file beyond this size, in bytes, is not read a second time. */
const largestCompared = 16_000_000;

/** Checks results of a search program after it has ended: a folder may have become a link while it ran. */
type PlaceCheck = ReturnType<typeof checkPlaces>;

/**
 * A search program opens files by their paths, and a folder can become a link between two of its steps. To do so its parent must
 * change, and the times of folders tell that. To be made before the search begins; `roots` are resolved, and what lies above them
 * is taken as it is.
 */
export function checkPlaces(roots: readonly string[]) {
  const begun = Date.now() - clockTick;
  const folders = new Map<string, boolean>();

  function isCalm(folder: string, root: string): boolean {
    const known = folders.get(folder);
    if (known !== undefined) return known;
    const stats = lstatSync(folder, {throwIfNoEntry: false});
    const calm =
      stats?.isDirectory() === true &&
      Math.max(stats.ctimeMs, stats.mtimeMs) < begun &&
      (folder === root || isCalm(dirname(folder), root));
    folders.set(folder, calm);
    return calm;
  }

  return {
    /** Whether what was found at a path can only be from there: no folder on the way to it changed since the search began. */
    isSure(real: string): boolean {
      const root = roots.find(each => holds(each, real)) ?? dirname(real);
      if (real === root) return true;
      return tryOr(() => !lstatSync(real).isSymbolicLink() && isCalm(dirname(real), root), false);
    },
    /** Whether there is a regular file at the path, reached through no link. */
    async isFile(real: string): Promise<boolean> {
      const found = await openRegular(real);
      if (found.kind === 'file') await found.handle.close();
      return found.kind === 'file';
    },
    /** The lines of the text file at the path, reached through no link; `undefined` where there is none. */
    async lines(real: string): Promise<readonly string[] | undefined> {
      const found = await openRegular(real);
      if (found.kind !== 'file') return undefined;
      await using handle = found.handle;
      if (found.stats.size > largestCompared) return undefined;
      const text = await handle.readFile('utf8').catch(() => undefined);
      return text?.split('\n');
    },
  };
}
