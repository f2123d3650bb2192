import {existsSync, lstatSync} from 'node:fs';
import {opendir} from 'node:fs/promises';
import {basename, dirname, join} from 'node:path';
import {tryOr} from '../../base/outcome.ts';
import {outermost} from '../files/resolve-path.ts';
import {formatCount, type Impact, type ImpactContext, maxNamed, listPaths, emptyImpact, runGit} from './impact.ts';

/** Returns what is lost if the files and folders at `targets` (absolute) are deleted, folders with all their content. */
export async function deletionImpact(targets: readonly string[], context: ImpactContext): Promise<Impact> {
  const present = outermost(targets.filter(path => kindOf(path) !== 'missing')).toSorted();
  if (present.length === 0) return emptyImpact;
  const tree = await countTree(present, context.signal);
  if (tree.files === 0) {
    return {summary: `deletes ${formatCount(tree.folders, 'empty folder')}`, ...listPaths(present)};
  }
  const risk = tree.exact === 'exact' ? await filesAtRisk(present, {files: tree.files, context}) : undefined;
  const notes = [
    [risk?.untracked ?? 0, 'untracked'],
    [risk?.changed ?? 0, 'with uncommitted changes'],
    [risk?.ignored ?? 0, 'ignored by git'],
  ] as const;
  const details = notes
    .filter(([number]) => number > 0)
    .map(([number, words]) => `${number.toLocaleString('en-US')} ${words}`);
  if (risk?.history === 'goes') details.push('the git history among them');
  return {
    summary: `deletes ${fileCount(tree)}${details.length === 0 ? '' : ` (${details.join(', ')})`}`,
    ...listPaths(tree.paths, tree.files),
  };
}

/** Formats a count: `37 files`, `more than 100,000 files`. */
export const fileCount = ({files, exact}: Pick<TreeCount, 'files' | 'exact'>): string =>
  exact === 'exact' ? formatCount(files, 'file') : `more than ${formatCount(files - 1, 'file')}`;

/** The number of files and folders at some paths, links not followed. */
interface TreeCount {
  /** Files, links and the like; not folders. */
  readonly files: number;
  readonly folders: number;
  /** The first files, absolute. */
  readonly paths: readonly string[];
  /** `at-least`: counting stopped early. */
  readonly exact: 'exact' | 'at-least';
}

/** The number of files at which counting stops. */
export const maxCounted = 100_000;

/** Counts what a recursive deletion of the paths would delete. A folder that can't be read counts as one folder. */
export async function countTree(paths: readonly string[], signal: AbortSignal): Promise<TreeCount> {
  let files = 0;
  let folders = 0;
  const first: string[] = [];
  const waiting = paths.toReversed();
  const take = (path: string): void => {
    files += 1;
    if (first.length < maxNamed) first.push(path);
  };
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (signal.aborted || files > maxCounted) return {files, folders, paths: first, exact: 'at-least'};
    const kind = kindOf(path);
    if (kind === 'missing') continue;
    if (kind === 'other') {
      take(path);
      continue;
    }
    folders += 1;
    try {
      const inside: string[] = [];
      const here: string[] = [];
      for await (const entry of await opendir(path, {bufferSize: 256})) {
        if (entry.isDirectory()) inside.push(join(path, entry.name));
        else here.push(join(path, entry.name));
        if (signal.aborted || files + here.length > maxCounted) break;
      }
      here.toSorted().forEach(take);
      waiting.push(...inside.toSorted().toReversed());
    } catch {
      continue;
    }
  }
  return {files, folders, paths: first, exact: 'exact'};
}

/** Returns the kind of entry at a path, links not followed. */
export const kindOf = (path: string): 'missing' | 'folder' | 'other' =>
  tryOr(() => (lstatSync(path).isDirectory() ? 'folder' : 'other'), 'missing');

/** A path that differs from the last commit, as git reports it. */
export interface StatusEntry {
  /** Letters of `git status --porcelain`: the index, then the working tree. */
  readonly index: string;
  readonly tree: string;
  /** The path relative to the top of the repository. */
  readonly path: string;
}

/** Parses `git status --porcelain -z`. */
export function parseStatus(output: string): readonly StatusEntry[] {
  const entries: StatusEntry[] = [];
  const parts = output.split('\0');
  for (let at = 0; at < parts.length; at += 1) {
    const part = parts[at] ?? '';
    if (part.length < 4) continue;
    const entry = {index: part.charAt(0), tree: part.charAt(1), path: part.slice(3)};
    entries.push(entry);
    // For a rename or copy the old name follows.
    if ('RC'.includes(entry.index) || 'RC'.includes(entry.tree)) at += 1;
  }
  return entries;
}

/** Counts of files that git couldn't restore. */
interface AtRisk {
  readonly untracked: number;
  readonly changed: number;
  readonly ignored: number;
  /** Whether the deletion includes the repository's own folder, and with it the history. */
  readonly history: 'stays' | 'goes';
}

/** The maximum number of folders whose repositories are queried, and the maximum number of paths in one query. */
const maxFolders = 8;
const maxNames = 200;

/** Counts the files at `targets` (`files` files in all) that git has no copy of. Returns `undefined` outside repositories. */
async function filesAtRisk(
  targets: readonly string[],
  {files, context}: {readonly files: number; readonly context: ImpactContext},
): Promise<AtRisk | undefined> {
  const wanted = new Set(targets);
  const byFolder = new Map<string, string[]>();
  for (const target of targets) {
    // A target that is a repository is queried itself.
    const own = existsSync(join(target, '.git'));
    const folder = own ? target : dirname(target);
    byFolder.set(folder, [...(byFolder.get(folder) ?? []), own ? '.' : `:(literal)${basename(target)}`]);
  }
  let untracked = 0;
  let changed = 0;
  let tracked = 0;
  let known = 0;
  for (const [directory, names] of [...byFolder].slice(0, maxFolders)) {
    const found = await readGitStates(directory, {names: names.length > maxNames ? ['.'] : names, context});
    if (found === undefined) continue;
    known += 1;
    const here = found.entries.filter(({path, tree}) => tree !== 'D' && isInside(path, wanted));
    untracked += here.filter(({index}) => index === '?').length;
    changed += here.filter(({index}) => index !== '?').length;
    const gone = new Set(found.entries.filter(({tree}) => tree === 'D').map(({path}) => path));
    tracked += found.tracked.filter(path => !gone.has(path) && isInside(path, wanted)).length;
  }
  if (known === 0) return undefined;
  const history = targets.some(path => basename(path) === '.git' || existsSync(join(path, '.git'))) ? 'goes' : 'stays';
  const sure = history === 'stays' && known === byFolder.size;
  return {untracked, changed, history, ignored: sure ? Math.max(0, files - tracked - untracked) : 0};
}

/** Returns git's status of the paths `names` in a folder, by absolute path, or `undefined` outside repositories. */
async function readGitStates(
  directory: string,
  {names, context}: {readonly names: readonly string[]; readonly context: ImpactContext},
): Promise<{readonly entries: readonly StatusEntry[]; readonly tracked: readonly string[]} | undefined> {
  const at = {directory, context};
  const [prefix, status, listed] = await Promise.all([
    runGit(['rev-parse', '--show-prefix'], at),
    runGit(['status', '--porcelain=v1', '-z', '--untracked-files=all', '--', ...names], at),
    runGit(['ls-files', '-z', '--', ...names], at),
  ]);
  if (prefix === undefined || status === undefined || listed === undefined) return undefined;
  const start = prefix.replace(/\n$/u, '').length;
  return {
    entries: parseStatus(status).map(entry => ({...entry, path: join(directory, entry.path.slice(start))})),
    tracked: listed
      .split('\0')
      .filter(path => path !== '')
      .map(path => join(directory, path)),
  };
}

/** True if a path is one of the wanted ones or below one. */
function isInside(path: string, wanted: ReadonlySet<string>): boolean {
  for (let at = path; ; at = dirname(at)) {
    if (wanted.has(at)) return true;
    if (dirname(at) === at) return false;
  }
}
