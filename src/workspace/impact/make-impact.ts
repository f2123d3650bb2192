import {unreachable} from '../../base/unreachable.ts';
import type {FileChange, ResolvedCommand} from '../../domain/risk.ts';
import {isFolder} from '../files/list-folder.ts';
import {existsSync, readdirSync, statSync} from 'node:fs';
import {basename, join, resolve} from 'node:path';
import {type ImpactPort, type ImpactReport, emptyImpactReport} from '../../actions/ports.ts';
import {makePaths, realPath} from '../files/resolve-path.ts';
import {expandPaths, type PathWrite, writesOf} from './command-writes.ts';
import {deletionImpact, kindOf, maxCounted} from './deletion-impact.ts';
import {gitImpact} from './git-impact.ts';
import {
  formatCount,
  type Impact,
  type ImpactContext,
  type ImpactFinder,
  maxNamed,
  listPaths,
  emptyImpact,
  captureOutput,
} from './impact.ts';
import {collisions, type OverwrittenFile, overwriteImpact, unknownContent} from './overwrite-impact.ts';

export interface ImpactOptions extends Omit<ImpactContext, 'signal'> {
  readonly roots: readonly string[];
}

/** The longest time that the approval card waits, in milliseconds. */
const limitMs = 2000;

/** The maximum number of commands to examine. */
const maxCommands = 30;

/**
 * Finds what destructive commands would destroy, from the files on the disk and git's dry runs. Runs none of the commands. Leaves out what
 * isn't known within two seconds.
 */
export function makeImpact(options: ImpactOptions): ImpactPort {
  const paths = makePaths(options);
  return {
    async find(commands, signal) {
      if (signal.aborted) return emptyImpactReport;
      const limit = AbortSignal.any([signal, AbortSignal.timeout(limitMs)]);
      const context: ImpactContext = {...options, signal: limit};
      const found: Impact[] = [];
      for (const command of commands.slice(0, maxCommands)) {
        if (limit.aborted) break;
        found.push(...(await impactOf(command, context)));
      }
      return report(found, paths.show);
    },
  };
}

async function impactOf(command: ResolvedCommand, context: ImpactContext): Promise<readonly Impact[]> {
  const directory = realPath(command.directory);
  const [program, ...words] = command.argv;
  const here = {...command, directory};
  const finder = specialFinders.get(basename(program));
  const {changes = []} = context.readCommand([basename(program), ...words]);
  const own = finder === undefined ? await impactOfChanges(changes, here, context) : await finder(here, context);
  const targets = expandPaths(command.overwrites, {directory, home: context.home});
  return [own, await overwriteImpact(targets.map(path => ({path, content: command.content})))];
}

function report(found: readonly Impact[], show: (path: string) => string): ImpactReport {
  const summaries = [...new Set(found.map(({summary}) => summary).filter(summary => summary !== ''))];
  const paths = [...new Set(found.flatMap(one => one.paths.map(path => (path.startsWith('/') ? show(path) : path))))];
  const shown = paths.slice(0, maxNamed);
  const more = found.reduce((sum, one) => sum + one.more, 0) + paths.length - shown.length;
  const diffs = found.flatMap(one => one.diffs.map(diff => ({...diff, path: show(diff.path)})));
  return summaries.length === 0 ? emptyImpactReport : {summary: summaries.join('; '), paths: shown, more, diffs};
}

/** Programs whose words don't show everything that is lost. */
const specialFinders: ReadonlyMap<string, ImpactFinder> = new Map<string, ImpactFinder>([
  ['rsync', rsyncImpact],
  ['find', findImpact],
  ['git', gitImpact],
]);

/** Returns the loss from the changes of one command, which are all of one kind. */
async function impactOfChanges(
  changes: readonly FileChange[],
  {directory}: ResolvedCommand,
  context: ImpactContext,
): Promise<Impact> {
  const base = {directory, home: context.home};
  const [first] = changes;
  const paths = changes.flatMap(({word}) => expandPaths([word], base));
  switch (first?.does) {
    case undefined:
    case 'creates':
    case 'renames':
      return emptyImpact;
    case 'removes':
      return first.extent === 'empty folders'
        ? emptyFolders(paths)
        : deletionImpact(removedPaths(changes, base), context);
    case 'edits':
    case 'shreds':
      return overwriteImpact(withUnknownContent(paths), first.does === 'edits' ? 'changes' : 'overwrites');
    case 'writes':
    case 'truncates':
    case 'moves':
    case 'copies':
    case 'links':
      return overwriteImpact(
        (writesOf(changes, base) ?? [])
          .filter(({loses}) => loses !== 'nothing')
          .flatMap(({path, placed}) =>
            placed === undefined ? withUnknownContent([path]) : replacedFiles(path, placed),
          ),
        first.does === 'truncates' ? 'truncates' : first.does === 'links' ? 'replaces' : 'overwrites',
      );
    default:
      return unreachable(first);
  }
}

function replacedFiles(path: string, {from, folders}: NonNullable<PathWrite['placed']>): readonly OverwrittenFile[] {
  if (!existsSync(from)) return [];
  return isFolder(from) || isFolder(path)
    ? withUnknownContent(collisions(from, path, folders))
    : [{path, content: {kind: 'file', path: from}}];
}

/** Files whose new content isn't known. */
const withUnknownContent = (paths: readonly string[]): readonly OverwrittenFile[] =>
  paths.map(path => ({path, content: unknownContent}));

const removedPaths = (
  changes: readonly FileChange[],
  base: {readonly directory: string; readonly home: string},
): readonly string[] =>
  changes
    // rm refuses to delete `.` and `..`.
    .filter(({word}) => !/^(?:.*\/)?\.{1,2}\/*$/u.test(word))
    .flatMap(change =>
      expandPaths([change.word], base)
        // For a link with a trailing slash, rm empties the folder that the link leads to.
        .map(path => (change.word.endsWith('/') ? realPath(path) : path))
        .filter(path => (change.does === 'removes' && change.extent !== 'files') || kindOf(path) === 'other'),
    );

function emptyFolders(paths: readonly string[]): Impact {
  const empty = paths.filter(path => kindOf(path) === 'folder' && readdirSync(path).length === 0);
  return empty.length === 0
    ? emptyImpact
    : {summary: `deletes ${formatCount(empty.length, 'empty folder')}`, ...listPaths(empty)};
}

/** `rsync --delete` between folders of this machine: what is in the target but not in the source. */
async function rsyncImpact({argv, directory}: ResolvedCommand, context: ImpactContext) {
  const {options, operands} = context.readCommand(argv);
  const isDry = options.some(({name}) => name === '-n' || name.startsWith('--dry'));
  if (isDry || !options.some(({name}) => /^--del(?:ete)?/u.test(name))) return emptyImpact;
  if (operands.length < 2 || operands.some(operand => /^[^/]*:/u.test(operand))) return emptyImpact;
  const [target = '', ...sources] = operands.toReversed();
  const [at = ''] = expandPaths([target], {directory, home: context.home});
  const extra: string[] = [];
  for (const source of sources) {
    const [from = ''] = expandPaths([source], {directory, home: context.home});
    extra.push(...extraEntries(from, source.endsWith('/') ? at : join(at, basename(from))));
  }
  const deleted = await deletionImpact(extra, context);
  return options.some(({name}) => /^--(?:exclude|include|filter)/u.test(name)) && deleted.summary !== ''
    ? {...deleted, summary: deleted.summary.replace(/^deletes /u, 'deletes up to ')}
    : deleted;
}

const maxFolders = 5000;

/** Returns the entries of the folder `target` that are not in `source`. */
function extraEntries(source: string, target: string): readonly string[] {
  const found: string[] = [];
  const waiting: [string, string][] = [[source, target]];
  let folders = 0;
  for (let pair = waiting.pop(); pair !== undefined && folders < maxFolders; pair = waiting.pop()) {
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

/** The options of `find` that only select files, so that `find` can run with them. */
const selectingOptions: ReadonlySet<string> = new Set(
  (
    '-name -iname -path -ipath -wholename -regex -iregex -regextype -type -xtype -maxdepth -mindepth -size -empty -mtime -mmin ' +
    '-atime -amin -ctime -cmin -newer -anewer -cnewer -user -group -uid -gid -nouser -nogroup -perm -links -inum -samefile ' +
    '-not -a -and -o -or -depth -d -xdev -mount -prune -true -false -daystart -readable -writable -executable -lname -print'
  ).split(' '),
);

/**
 * Handles `find … -delete` and `find … -exec rm …`: runs the same search but prints the files. Doesn't run a search with any other action.
 */
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
      const end = words.findIndex((each, base) => base > at && (each === ';' || each === '\\;' || each === '+'));
      const run = words.slice(at + 1, end < 0 ? words.length : end);
      const {changes = []} = context.readCommand([basename(run[0] ?? ''), ...run.slice(1)]);
      const [change] = changes;
      if (end < 0 || (change?.does !== 'removes' && change?.does !== 'shreds')) return emptyImpact;
      deletes = change.does === 'removes' && change.extent === 'trees' ? 'trees' : 'entries';
      search.push('-print0');
      at = end;
    } else if (word.startsWith('-') && !selectingOptions.has(word) && !/^-(?:[HLP]|O?\d+)$/u.test(word))
      return emptyImpact;
    else search.push(word);
  }
  if (deletes === 'nothing') return emptyImpact;
  const first = search.findIndex(word => /^[-(!]/u.test(word) && !/^-[HLP]$/u.test(word));
  const starts = expandPaths(
    search.slice(0, first).filter(word => !word.startsWith('-')),
    {directory, home: context.home},
  );
  const flags = search.slice(0, first).filter(word => word.startsWith('-'));
  const order = deletes === 'entries' && !search.includes('-depth') ? ['-depth'] : [];
  const run = [...flags, ...(starts.length === 0 ? ['.'] : starts), ...order, ...search.slice(first)];
  const found = ((await captureOutput({program: 'find', words: run, directory}, context)) ?? '')
    .split('\0', maxCounted)
    .filter(path => path !== '')
    .map(path => resolve(directory, path));
  // `find -delete` deletes only empty folders, whose loss doesn't matter.
  const lost = deletes === 'trees' ? found : found.filter(path => kindOf(path) === 'other');
  return deletionImpact(lost, context);
}
