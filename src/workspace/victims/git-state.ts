import {existsSync} from 'node:fs';
import {basename, dirname, join} from 'node:path';
import {runGit} from './run-quietly.ts';
import type {VictimGround} from './victim.ts';

/** What git says of one path that is not as in the last commit. */
export interface StatusEntry {
  /** Letters of `git status --porcelain`: the index, then the working tree. */
  readonly index: string;
  readonly tree: string;
  /** From the top of the repository. */
  readonly path: string;
}

/** Reads `git status --porcelain -z`. */
export function parseStatus(output: string): readonly StatusEntry[] {
  const entries: StatusEntry[] = [];
  const parts = output.split('\0');
  for (let at = 0; at < parts.length; at += 1) {
    const part = parts[at] ?? '';
    if (part.length < 4) continue;
    const entry = {index: part.charAt(0), tree: part.charAt(1), path: part.slice(3)};
    entries.push(entry);
    // The old name follows.
    if ('RC'.includes(entry.index) || 'RC'.includes(entry.tree)) at += 1;
  }
  return entries;
}

/** Files that git could not bring back, among those at some paths. */
export interface AtRisk {
  readonly untracked: number;
  readonly changed: number;
  readonly ignored: number;
  /** Whether the repository's own folder is among them. */
  readonly history: 'stays' | 'goes';
}

/** Folders whose repositories are asked, and paths that are named to them. */
const mostFolders = 8;
const mostNames = 200;

/** What of the files at `targets` (`files` of them in all) git has no copy of; `undefined` outside of repositories. */
export async function filesAtRisk(
  targets: readonly string[],
  {files, ground}: {readonly files: number; readonly ground: VictimGround},
): Promise<AtRisk | undefined> {
  const wanted = new Set(targets);
  const byFolder = new Map<string, string[]>();
  for (const target of targets) {
    // A repository is asked itself.
    const own = existsSync(join(target, '.git'));
    const folder = own ? target : dirname(target);
    byFolder.set(folder, [...(byFolder.get(folder) ?? []), own ? '.' : `:(literal)${basename(target)}`]);
  }
  let untracked = 0;
  let changed = 0;
  let tracked = 0;
  let known = 0;
  for (const [directory, names] of [...byFolder].slice(0, mostFolders)) {
    const found = await statesBelow(directory, {names: names.length > mostNames ? ['.'] : names, ground});
    if (found === undefined) continue;
    known += 1;
    const here = found.entries.filter(({path, tree}) => tree !== 'D' && lies(path, wanted));
    untracked += here.filter(({index}) => index === '?').length;
    changed += here.filter(({index}) => index !== '?').length;
    const gone = new Set(found.entries.filter(({tree}) => tree === 'D').map(({path}) => path));
    tracked += found.tracked.filter(path => !gone.has(path) && lies(path, wanted)).length;
  }
  if (known === 0) return undefined;
  const history = targets.some(path => basename(path) === '.git' || existsSync(join(path, '.git'))) ? 'goes' : 'stays';
  const sure = history === 'stays' && byFolder.size <= mostFolders;
  return {untracked, changed, history, ignored: sure ? Math.max(0, files - tracked - untracked) : 0};
}

/** What git knows of the paths `names` in a folder, by absolute path; `undefined` where there is no repository. */
async function statesBelow(
  directory: string,
  {names, ground}: {readonly names: readonly string[]; readonly ground: VictimGround},
): Promise<{readonly entries: readonly StatusEntry[]; readonly tracked: readonly string[]} | undefined> {
  const at = {directory, ground};
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

/** Whether a path is one of the wanted ones or lies below one. */
function lies(path: string, wanted: ReadonlySet<string>): boolean {
  for (let at = path; ; at = dirname(at)) {
    if (wanted.has(at)) return true;
    if (dirname(at) === at) return false;
  }
}
