import type {ResolvedCommand} from '../../domain/risk.ts';
import {isFolder} from '../files/list-folder.ts';
import {existsSync, readdirSync, statSync} from 'node:fs';
import {basename, join, resolve} from 'node:path';
import {type ImpactPort, type ImpactReport, noImpact} from '../../actions/ports.ts';
import {makePaths, realPath} from '../files/resolve-path.ts';
import {expandPaths, hasOption, optionOutputs, outputsOfDd, placements, sortWords} from './command-words.ts';
import {deletionImpact, kindOf, mostCounted} from './deletion-impact.ts';
import {gitImpact} from './git-impact.ts';
import {count, type Impact, type ImpactContext, type ImpactFinder, mostNamed, named, noLoss} from './impact.ts';
import {collisions, overwriteImpact, unknownNow} from './overwrite-impact.ts';
import {runQuietly} from './read-only-run.ts';

export interface ImpactOptions {
  readonly roots: readonly string[];
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Whether git can be asked in a folder without running or reading what the repository chooses. */
  readonly mayAskGit: ImpactContext['mayAskGit'];
}

/** Milliseconds that the approval card waits at most. */
const limitMs = 2000;

/** Commands looked at. */
const mostCommands = 30;

/**
 * Finds what destructive commands would destroy, by looking at the files and by asking git for a dry run. None of the commands is
 * run. What is not known within two seconds is left out.
 */
export function makeImpact(options: ImpactOptions): ImpactPort {
  const paths = makePaths(options);
  return {
    async find(commands, signal) {
      if (signal.aborted) return noImpact;
      const limit = AbortSignal.any([signal, AbortSignal.timeout(limitMs)]);
      const context: ImpactContext = {...options, signal: limit};
      const found: Impact[] = [];
      for (const command of commands.slice(0, mostCommands)) {
        if (limit.aborted) break;
        found.push(...(await impactOf(command, context)));
      }
      return report(found, paths.show);
    },
  };
}

async function impactOf(command: ResolvedCommand, context: ImpactContext): Promise<readonly Impact[]> {
  const directory = realPath(command.directory);
  const finder = programImpacts.get(basename(command.argv[0]));
  const own = finder === undefined ? noLoss : await finder({...command, directory}, context);
  const targets = expandPaths(command.overwrites, {directory, home: context.home});
  return [own, await overwriteImpact(targets.map(path => ({path, content: command.content})))];
}

function report(found: readonly Impact[], show: (path: string) => string): ImpactReport {
  const said = [...new Set(found.map(({summary}) => summary).filter(summary => summary !== ''))];
  const paths = [...new Set(found.flatMap(one => one.paths.map(path => (path.startsWith('/') ? show(path) : path))))];
  const shown = paths.slice(0, mostNamed);
  const more = found.reduce((sum, one) => sum + one.more, 0) + paths.length - shown.length;
  const diffs = found.flatMap(one => one.diffs.map(diff => ({...diff, path: show(diff.path)})));
  return said.length === 0 ? noImpact : {summary: said.join('; '), paths: shown, more, diffs};
}

/** The programs whose impact is known, by name. */
const programImpacts: ReadonlyMap<string, ImpactFinder> = new Map<string, ImpactFinder>([
  ['rm', removed],
  ['rmdir', removedFolders],
  ['unlink', (command, context) => deletionImpact(pathsOf(command, context), context)],
  ['shred', shredded],
  ['mv', (command, context) => replaced(command, context)],
  ['cp', (command, context) => replaced(command, context)],
  ['install', (command, context) => replaced(command, context)],
  ['ln', linked],
  ['truncate', (command, context) => overwriteImpact(written(pathsOf(command, context, sizeOptions)), 'truncates')],
  ['tee', tee],
  ['dd', ({argv, directory}) => overwriteImpact(written(outputsOfDd(argv).map(path => resolve(directory, path))))],
  ...['curl', 'wget', 'sort'].map((name): [string, ImpactFinder] => [
    name,
    ({argv, directory}, {home}) => overwriteImpact(written(expandPaths(optionOutputs(argv), {directory, home}))),
  ]),
  ['sed', edited],
  ['perl', edited],
  ['rsync', mirrored],
  ['find', findImpact],
  ['git', gitImpact],
]);

/** Overwritten files whose new content is not known. */
const written = (paths: readonly string[]) => paths.map(path => ({path, content: unknownNow}));

const sizeOptions = ['-s', '--size', '-r', '--reference'];

const pathsOf = (
  {argv, directory}: ResolvedCommand,
  {home}: ImpactContext,
  withValue: readonly string[] = [],
): readonly string[] => expandPaths(sortWords(argv.slice(1), withValue).operands, {directory, home});

async function removed(command: ResolvedCommand, context: ImpactContext) {
  const {options, operands} = sortWords(command.argv.slice(1));
  const whole = hasOption(options, 'r', '--recursive') || hasOption(options, 'R', '--recursive');
  const folders = whole || hasOption(options, 'd', '--dir');
  const place = {directory: command.directory, home: context.home};
  const paths = operands
    // rm refuses to delete `.` and `..`.
    .filter(word => !/^(?:.*\/)?\.{1,2}\/*$/u.test(word))
    // For a link with a slash at its end rm empties the folder that the link leads to.
    .flatMap(word => expandPaths([word], place).map(path => (word.endsWith('/') ? realPath(path) : path)));
  return deletionImpact(
    paths.filter(path => folders || kindOf(path) === 'other'),
    context,
  );
}

async function removedFolders(command: ResolvedCommand, context: ImpactContext) {
  const empty = pathsOf(command, context).filter(path => kindOf(path) === 'folder' && readdirSync(path).length === 0);
  return empty.length === 0 ? noLoss : {summary: `deletes ${count(empty.length, 'empty folder')}`, ...named(empty)};
}

async function shredded(command: ResolvedCommand, context: ImpactContext) {
  const {options} = sortWords(command.argv.slice(1));
  const paths = pathsOf(command, context, ['-n', '--iterations', '-s', '--size', '--random-source']);
  return hasOption(options, 'u', '--remove') || options.some(option => option.startsWith('--remove='))
    ? deletionImpact(paths, context)
    : overwriteImpact(written(paths));
}

/** `mv`, `cp` and `install`: the files that they replace. */
async function replaced(command: ResolvedCommand, {home}: ImpactContext) {
  const {pairs, recursive} = placements(command, home);
  return overwriteImpact(
    pairs
      .filter(({from}) => existsSync(from))
      .flatMap(({from, to}) =>
        isFolder(from) || isFolder(to)
          ? collisions(from, to, recursive ? 'laid-over' : 'left-out').map(path => ({path, content: unknownNow}))
          : [{path: to, content: {kind: 'file', path: from} as const}],
      ),
  );
}

async function linked({argv, directory}: ResolvedCommand, {home}: ImpactContext) {
  const {options, operands} = sortWords(argv.slice(1));
  if (!hasOption(options, 'f', '--force') || operands.length < 2) return noLoss;
  const [at = '', ...sources] = expandPaths(operands, {directory, home}).toReversed();
  const into = isFolder(at) && !hasOption(options, 'T', '--no-target-directory');
  return overwriteImpact(written(into ? sources.map(source => join(at, basename(source))) : [at]), 'replaces');
}

async function tee(command: ResolvedCommand, context: ImpactContext) {
  const {options} = sortWords(command.argv.slice(1));
  return hasOption(options, 'a', '--append') ? noLoss : overwriteImpact(written(pathsOf(command, context)));
}

/** `sed -i` and `perl -i`: those of their words that are files are changed. */
async function edited(command: ResolvedCommand, context: ImpactContext) {
  const {options} = sortWords(command.argv.slice(1));
  const inPlace = options.some(option => /^-[a-zA-Z]*i|^--in?(?:$|-)/u.test(option));
  return inPlace
    ? overwriteImpact(written(pathsOf(command, context, ['-e', '-f', '--expression'])), 'changes')
    : noLoss;
}

/** `rsync --delete` between folders of this machine: what is at the target and not at the source. */
async function mirrored({argv, directory}: ResolvedCommand, context: ImpactContext) {
  const {options, operands} = sortWords(argv.slice(1), ['-e', '--rsh', '-f', '--filter', '--exclude', '--include']);
  const isDry = hasOption(options, 'n', '--dry-run');
  if (isDry || !options.some(option => /^--del(?:ete)?/u.test(option))) return noLoss;
  if (operands.length < 2 || operands.some(operand => /^[^/]*:/u.test(operand))) return noLoss;
  const [target = '', ...sources] = operands.toReversed();
  const [at = ''] = expandPaths([target], {directory, home: context.home});
  const extra: string[] = [];
  for (const source of sources) {
    const [from = ''] = expandPaths([source], {directory, home: context.home});
    extra.push(...beyond(from, source.endsWith('/') ? at : join(at, basename(from))));
  }
  const deleted = await deletionImpact(extra, context);
  return options.some(option => /^--(?:exclude|include|filter)/u.test(option)) && deleted.summary !== ''
    ? {...deleted, summary: deleted.summary.replace(/^deletes /u, 'deletes up to ')}
    : deleted;
}

const mostFolders = 5000;

/** The entries of the folder `target` that are not in `source`. */
function beyond(source: string, target: string): readonly string[] {
  const found: string[] = [];
  const waiting: [string, string][] = [[source, target]];
  let folders = 0;
  for (let pair = waiting.pop(); pair !== undefined && folders < mostFolders; pair = waiting.pop()) {
    folders += 1;
    const [from, to] = pair;
    if (!isFolder(to)) continue;
    for (const name of readdirSync(to)) {
      if (!existsSync(join(from, name))) found.push(join(to, name));
      else if (statSync(join(to, name), {throwIfNoEntry: false})?.isDirectory())
        waiting.push([join(from, name), join(to, name)]);
    }
  }
  return found;
}

/** The options of `find` that only select files, so that `find` can be run with them. */
const choosing: ReadonlySet<string> = new Set(
  (
    '-name -iname -path -ipath -wholename -regex -iregex -regextype -type -xtype -maxdepth -mindepth -size -empty -mtime -mmin ' +
    '-atime -amin -ctime -cmin -newer -anewer -cnewer -user -group -uid -gid -nouser -nogroup -perm -links -inum -samefile ' +
    '-not -a -and -o -or -depth -d -xdev -mount -prune -true -false -daystart -readable -writable -executable -lname -print'
  ).split(' '),
);

/** `find … -delete` and `find … -exec rm …`: runs the same search and prints the files instead. A search with any other action is not run. */
async function findImpact({argv, directory}: ResolvedCommand, context: ImpactContext): Promise<Impact> {
  const words = argv.slice(1);
  const search: string[] = [];
  let deletes: 'nothing' | 'entries' | 'trees' = 'nothing';
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (word === '-delete') {
      deletes = 'entries';
      search.push('-print0');
    } else if (/^-(?:exec|execdir|ok|okdir)$/u.test(word)) {
      const end = words.findIndex((each, place) => place > at && (each === ';' || each === '\\;' || each === '+'));
      const run = words.slice(at + 1, end < 0 ? words.length : end);
      if (end < 0 || !/^(?:rm|unlink|shred|rmdir)$/u.test(basename(run[0] ?? ''))) return noLoss;
      deletes = run.some(each => /^-\w*[rR]|^--recursive$/u.test(each)) ? 'trees' : 'entries';
      search.push('-print0');
      at = end;
    } else if (word.startsWith('-') && search.length > 0 && !choosing.has(word) && !/^-\d+$/u.test(word)) {
      return noLoss;
    } else {
      search.push(word);
    }
  }
  if (deletes === 'nothing' || !search.every(isPlain)) return noLoss;
  const first = search.findIndex(word => /^[-(!]/u.test(word) && !/^-[HLP]$/u.test(word));
  const starts = expandPaths(
    search.slice(0, first).filter(word => !word.startsWith('-')),
    {directory, home: context.home},
  );
  const flags = search.slice(0, first).filter(word => word.startsWith('-'));
  const order = deletes === 'entries' && !search.includes('-depth') ? ['-depth'] : [];
  const output = await runQuietly(
    {
      program: 'find',
      words: [...flags, ...(starts.length === 0 ? ['.'] : starts), ...order, ...search.slice(first)],
      directory,
    },
    context,
  );
  if (output === undefined) return noLoss;
  const found = output
    .split('\0', mostCounted)
    .filter(path => path !== '')
    .map(path => resolve(directory, path));
  if (deletes === 'trees') return deletionImpact(found, context);
  // `find -delete` removes only empty folders, which are no loss.
  return deletionImpact(
    found.filter(path => kindOf(path) === 'other'),
    context,
  );
}

const isPlain = (word: string): boolean => !/^-(?:fprint|fls|ls|printf|fprintf|quit)/u.test(word);
