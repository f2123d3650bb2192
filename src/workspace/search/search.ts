import {containsPath, limitToJudgedPaths, makePaths, type Paths} from '../files/resolve-path.ts';
import {lstatSync} from 'node:fs';
import {dirname, join, posix, resolve} from 'node:path';
import type {GlobReport, GrepReport, GrepRequest, SearchPort} from '../../actions/ports.ts';
import {clip} from '../../base/clip.ts';
import {compileGlob, expandBraces, type PathTest} from '../../base/glob.ts';
import {failed, ok, type Outcome, tryOr} from '../../base/outcome.ts';
import {unreachable} from '../../base/unreachable.ts';
import {type Fault, rejected, needsUser} from '../../domain/fault.ts';
import type {Environment} from '../exec/shell-environment.ts';
import {openRegular} from '../files/regular-files.ts';
import {type Exclusions, readExclusions} from './exclusions.ts';
import {resolveTarget, planWalks, type SearchTarget} from './search-targets.ts';
import {
  allIgnoreOffOptions,
  findSearchBinary,
  type IgnoreOffOption,
  ignoreOffOptionsAbove,
  runRipgrep,
  type SearchEnd,
  watchForStuckRun,
} from './ripgrep.ts';

/** The maximum number of paths to hold during a search for names. A pattern that matches more is too broad to be useful. */
const maxPaths = 200_000;

const maxPatterns = 50;

/** Options of every search: honor ignore files outside repositories too, include hidden files, don't read the user's ripgrep settings. */
export const commonOptions: readonly string[] =
  '--no-config --no-messages --color=never --hidden --no-require-git --glob=!.git'.split(' ');

/**
 * Searches file content and names with the packaged ripgrep, which follows no symbolic links. Globs are matched here,
 * because ripgrep's own option would bring back what ignore files leave out.
 */
export const makeSearch = (options: SearchOptions & {readonly roots: readonly string[]}): SearchPort =>
  makeSearchPort(makePaths(options), options);

interface SearchOptions {
  readonly home: string;
  readonly environment: Environment;
  /** Globs of files that no search may ever show; see `readExclusions`. */
  readonly excluded: () => readonly string[];
}

function makeSearchPort(paths: Paths, options: SearchOptions): SearchPort {
  /** Resolves the target and the exclusions. Refuses every search while an exclusion glob is invalid. */
  async function prepare(path: string): Promise<Outcome<Prepared, Fault>> {
    const exclusions = readExclusions(options.excluded(), {paths, home: options.home});
    if (exclusions.tag === 'failed') return failed(exclusionFault(exclusions.error));
    const target = await resolveTarget(path, paths);
    if (target.tag === 'failed') return target;
    return exclusions.value.isExcluded(target.value.real)
      ? failed(rejected(`Can't search ${target.value.shown}: the user's rules exclude it.`))
      : ok({target: target.value, exclusions: exclusions.value});
  }

  async function runWithNoIgnore(
    off: ReadonlySet<IgnoreOffOption>,
    {binary, directory, ...search}: Search,
    signal: AbortSignal,
  ): Promise<SearchEnd> {
    const {environment} = options;
    const take = search.begin();
    const decoder = new TextDecoder();
    let rest = '';
    const onOutput = (bytes: Buffer): 'more' | 'enough' => {
      const lines = (rest + decoder.decode(bytes, {stream: true})).split('\n');
      rest = lines.pop() ?? '';
      return lines.some(line => take(line) === 'enough') ? 'enough' : 'more';
    };
    const end = await runRipgrep(
      {binary, directory, environment, options: [...off, ...search.options], limit: 'total', onOutput},
      signal,
    );
    return end.kind !== 'enough' && rest !== '' && take(rest) === 'enough' ? {kind: 'enough'} : end;
  }

  /** If a search blocks on a pipe or device that replaces an ignore file, restarts it without such rules. */
  async function runWithRestart(search: Search, signal: AbortSignal): Promise<SearchEnd> {
    const off = ignoreOffOptionsAbove(search.start);
    using stuck = watchForStuckRun(search.start, off);
    const end = await runWithNoIgnore(off, search, AbortSignal.any([signal, stuck.signal]));
    return end.kind === 'stopped' && !signal.aborted ? runWithNoIgnore(allIgnoreOffOptions, search, signal) : end;
  }

  async function run(search: Omit<Search, 'binary'>, signal: AbortSignal): Promise<Outcome<SearchEnd, Fault>> {
    const binary = findSearchBinary();
    if (binary.tag === 'failed') return binary;
    const end = await runWithRestart({...search, binary: binary.value.path}, signal);
    switch (end.kind) {
      case 'finished':
        return end.errorText === '' ? ok(end) : failed(rejected(`The search failed: ${end.errorText}`));
      case 'stopped':
        return failed(rejected('The search was stopped.'));
      case 'not-started':
        return failed(rejected(`The search couldn't start: ${end.reason}`));
      case 'enough':
      case 'too-slow':
        return ok(end);
      default:
        return unreachable(end);
    }
  }

  /** Runs ripgrep on the target itself, named relative to the root. */
  const runAt = (
    {target, exclusions}: Prepared,
    {options: own, begin}: Pick<Search, 'options' | 'begin'>,
    signal: AbortSignal,
  ): Promise<Outcome<SearchEnd, Fault>> =>
    run(
      {
        options: [
          ...commonOptions,
          ...exclusions.ripgrepOptions(paths.root),
          ...own,
          '--',
          target.shown === '.' ? './' : target.shown,
        ],
        directory: paths.root,
        start: target.kind === 'file' ? dirname(target.real) : target.real,
        begin,
      },
      signal,
    );
  const real = (shown: string): string => resolve(paths.root, shown);

  /** Turns an absolute glob below the workspace root into its relative form. */
  function relativeGlob(glob: string): string {
    const expanded = glob.startsWith('~/') ? join(options.home, glob.slice(2)) : glob;
    return expanded.startsWith(`${paths.root}/`) ? `.${expanded.slice(paths.root.length)}` : expanded;
  }

  return {
    limitedTo: judged => makeSearchPort(limitToJudgedPaths(paths, judged), options),

    async grep(request, signal) {
      const prepared = await prepare(request.path);
      if (prepared.tag === 'failed') return prepared;
      const {target, exclusions} = prepared.value;
      const globs = readGlobs(request.globs.map(relativeGlob));
      if (globs.tag === 'failed') return globs;
      const isShown = (shown: string): boolean => !exclusions.isExcluded(real(shown));
      const collect = () => collectMatches({limit: request.limit, tests: globs.value.tests, isShown, real}, target);
      let collector = collect();
      const check = startResultCheck(paths.roots);
      const begin = (): LineHandler => (collector = collect()).take;
      const end = await runAt(prepared.value, {options: grepOptions(request, globs.value), begin}, signal);
      if (end.tag === 'failed') return end;
      const report = await collector.report(end.value, check);
      return end.value.kind === 'too-slow' && report.lines.length === 0 ? failed(tooSlow) : ok(report);
    },

    async glob(request, signal) {
      const prepared = await prepare(request.path);
      if (prepared.tag === 'failed') return prepared;
      const {target, exclusions} = prepared.value;
      if (target.kind === 'file') return failed(rejected(`${request.path} is a file; name a folder to search.`));
      if (request.patterns.length > maxPatterns) return failed(tooMany(request.patterns.length));
      const walks = planWalks(request, {base: target.real, home: options.home, paths});
      if (walks.tag === 'failed') return failed(rejected(walks.error));
      const unwanted = request.patterns.filter(pattern => pattern.startsWith('!'));
      const found = new Set<string>();
      const check = startResultCheck(paths.roots);
      for (const {folder, depth, tests} of walks.value) {
        const bounds = depth === 0 ? [] : [`--max-depth=${depth}`];
        const end = await run(
          {
            options: [
              ...commonOptions,
              '--files',
              ...exclusions.ripgrepOptions(folder),
              ...bounds,
              ...negatedGlobs(unwanted),
              './',
            ],
            directory: folder,
            start: folder,
            begin: () => line => {
              const path = line.replace(/^\.\//u, '');
              const at = join(folder, path);
              if (tests.some(test => test(path)) && !exclusions.isExcluded(at)) found.add(paths.show(at));
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
      const check = startResultCheck(paths.roots);
      return searchCode(
        request,
        {
          find: (patterns, begin) => runAt(prepared.value, {options: patterns, begin}, signal),
          isShown: shown =>
            (request.filters.length === 0 || request.filters.some(part => shown.includes(part))) &&
            !exclusions.isExcluded(real(shown)),
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
  /** The folder that is searched first. */
  readonly start: string;
  /** Called before each run; returns the handler for the run's lines. */
  readonly begin: () => LineHandler;
}

type LineHandler = (line: string) => 'more' | 'enough';

interface Prepared {
  readonly target: SearchTarget;
  readonly exclusions: Exclusions;
}

const tooSlow = rejected('The search took longer than 10 seconds; try a deeper folder or a narrower pattern.');

const tooMany = (count: number): Fault =>
  rejected(`${count} patterns are too many for one search; use at most ${maxPatterns}.`);

const exclusionFault = (problem: string): Fault =>
  needsUser(`Can't search: an exclusion rule is invalid. ${problem}`, 'Fix the rule.');

/** The globs of a request: which files are wanted (all if there are none), and which are not. */
interface Globs {
  readonly tests: readonly PathTest[];
  /** The last parts of the wanted globs; empty if any of them is empty or `**`. */
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
      options.push('--null', '--line-number', `--max-columns=${maxLineLength}`, '--max-columns-preview');
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
  // Narrows by file name, which leaves ignore rules intact. The whole glob is tested on the results.
  if (request.fileType !== '') options.push(`--type=${request.fileType}`);
  else if (globs.names.length > 0) options.push(...globs.names.map(name => `--type-add=weft:${name}`), '--type=weft');
  options.push(...negatedGlobs(globs.unwanted));
  for (const query of request.queries) options.push('-e', query);
  return options;
}

/**
 * `auto` falls back to the engine with look-around, but that engine silently ignores a line end in a pattern. Only the
 * default engine reports it.
 */
const engineFor = (queries: readonly string[]): string =>
  queries.some(query => /\n|\\n/u.test(query)) ? '--engine=default' : '--engine=auto';

const negatedGlobs = (unwanted: readonly string[]): readonly string[] =>
  unwanted.map(glob => `--glob=!${glob.slice(1).replace(/^\.\//u, '/')}`);

/** Leaves out paths that are gone or reached through a link by now. */
async function globReport(
  found: ReadonlySet<string>,
  {limit, root, check}: {readonly limit: number; readonly root: string; readonly check: ResultCheck},
): Promise<GlobReport> {
  const sorted = [...found].toSorted((a, b) => compareByPart(a, b));
  const paths: string[] = [];
  for (const path of sorted.slice(0, limit)) {
    const real = resolve(root, path);
    if (check.isTrusted(real) || (await check.isFile(real))) paths.push(path);
  }
  return {paths, omitted: sorted.length - paths.length};
}

/** Compares by name, part by part, so that a folder's content stays together. */
function compareByPart(a: string, b: string): number {
  const left = a.replaceAll('/', '\0');
  const right = b.replaceAll('/', '\0');
  return left < right ? -1 : left > right ? 1 : 0;
}

/** The maximum number of characters of a matching line to show. */
export const maxLineLength = 500;

/** Turns ripgrep's output into a report of at most `limit` lines. Matches that `isShown` rejects aren't counted. */
export function collectMatches(
  wanted: {
    readonly limit: number;
    /** One of these tests must match the path as shown or relative to the target; an empty list matches all. */
    readonly tests: readonly PathTest[];
    /** Tested on the path as ripgrep prints it, without a leading `./`. */
    readonly isShown: PathTest;
    /** Returns the real path for one that ripgrep printed. */
    readonly real: (path: string) => string;
  },
  target: SearchTarget,
) {
  const lines: ShownMatch[] = [];
  let omitted = 0;
  const {tests} = wanted;
  const fits = (path: string): boolean =>
    tests.length === 0 ||
    target.kind === 'file' ||
    tests.some(test => test(path.replace(/^\//u, '')) || test(posix.relative(target.shown, path)));

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
    /** Builds the report; drops matches that `check` doesn't find in their files. */
    async report(end: SearchEnd, check: ResultCheck): Promise<GrepReport> {
      if (lines.at(-1)?.kind === 'gap') lines.pop();
      const verified = await verifyMatches(lines, {real: wanted.real, check});
      const count = (end.kind === 'too-slow' ? Math.max(1, omitted) : omitted) + lines.length - verified.length;
      return {
        lines: verified.map(({text}) => text),
        omitted: {count, exact: end.kind === 'finished' ? 'exact' : 'at-least'},
      };
    },
  };
}

/** A line of the report. `line` is the line number if the text is shown, or 0 if only the file is named. */
type ShownMatch =
  | {readonly kind: 'gap'; readonly text: string}
  | {
      readonly kind: 'match';
      readonly text: string;
      readonly path: string;
      readonly line: number;
      readonly found: string;
    };

/** The text that ripgrep prints instead of the end of a long line, and the characters of a line to compare. */
const ripgrepCutMark = / \[\.\.\. [^\]]*\]$/u;
const comparedCharacters = 400;

async function verifyMatches(
  lines: readonly ShownMatch[],
  {real, check}: {readonly real: (path: string) => string; readonly check: ResultCheck},
): Promise<readonly ShownMatch[]> {
  const present = new Map<string, readonly string[] | undefined>();
  const verified: ShownMatch[] = [];
  for (const shown of lines) {
    if (shown.kind === 'gap') {
      if (verified.length > 0 && verified.at(-1)?.kind !== 'gap') verified.push(shown);
      continue;
    }
    const path = real(shown.path);
    if (check.isTrusted(path)) verified.push(shown);
    else if (shown.line === 0) {
      if (await check.isFile(path)) verified.push(shown);
    } else {
      if (!present.has(path)) present.set(path, await check.lines(path));
      const there = present.get(path)?.[shown.line - 1]?.replace(/^\ufeff/u, '');
      const found = shown.found.replace(ripgrepCutMark, '').slice(0, comparedCharacters);
      if (there?.startsWith(found) === true) verified.push(shown);
    }
  }
  return verified;
}

/** Converts a line of ripgrep's output to the report's form. Returns `undefined` if its path doesn't match. */
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
    text: `${shown}${sign === '-' ? '-' : ':'}${clip(bare, maxLineLength + 100)}`,
    path: shown,
    line: Number(number),
    found: text.replace(/\r$/u, ''),
  };
}

/** Milliseconds by which file times may lag behind the clock. */
const clockTick = process.platform === 'linux' ? 20 : 1000;

/** A larger file, in bytes, is not read a second time. */
const maxComparedBytes = 16_000_000;

/** Checks results of a search program after it has ended, because a folder may have become a link while it ran. */
type ResultCheck = ReturnType<typeof startResultCheck>;

/**
 * A search program opens files by path, and a folder can become a link between two steps. Such a change shows in the times of the
 * parent folder. Start the check before the search. `roots` are resolved, and folders above them are trusted.
 */
export function startResultCheck(roots: readonly string[]) {
  const startedAt = Date.now() - clockTick;
  const folders = new Map<string, boolean>();

  function isUnchanged(folder: string, root: string): boolean {
    const known = folders.get(folder);
    if (known !== undefined) return known;
    const stats = lstatSync(folder, {throwIfNoEntry: false});
    const calm =
      stats?.isDirectory() === true &&
      Math.max(stats.ctimeMs, stats.mtimeMs) < startedAt &&
      (folder === root || isUnchanged(dirname(folder), root));
    folders.set(folder, calm);
    return calm;
  }

  return {
    /** True if no folder on the way to the path has changed since the search began, so that the result can only come from there. */
    isTrusted(real: string): boolean {
      const root = roots.find(each => containsPath(each, real)) ?? dirname(real);
      if (real === root) return true;
      return tryOr(() => !lstatSync(real).isSymbolicLink() && isUnchanged(dirname(real), root), false);
    },
    /** True if there is a regular file at the path, reached through no link. */
    async isFile(real: string): Promise<boolean> {
      const found = await openRegular(real);
      if (found.kind === 'file') await found.handle.close();
      return found.kind === 'file';
    },
    /** Returns the lines of the text file at the path, reached through no link, or `undefined` if there is none. */
    async lines(real: string): Promise<readonly string[] | undefined> {
      const found = await openRegular(real);
      if (found.kind !== 'file') return undefined;
      await using handle = found.handle;
      if (found.stats.size > maxComparedBytes) return undefined;
      const text = await handle.readFile('utf8').catch(() => undefined);
      return text?.split('\n');
    },
  };
}
