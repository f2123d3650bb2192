import {existsSync, lstatSync} from 'node:fs';
import {copyFile, mkdir, realpath, rm, writeFile} from 'node:fs/promises';
import {basename, dirname, join, relative, resolve, sep} from 'node:path';
import type {WorkspaceChanges} from '../../actions/changes-port.ts';
import type {Worktree, WorktreesPort} from '../../actions/worktrees-port.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {causeText, rejected, type Fault, needsUser} from '../../domain/fault.ts';
import {repositoryTop} from '../checkpoints/git-query.ts';
import {isRunning} from '../exec/process-table.ts';
import {makeAndOpenFolder} from '../files/folder-handle.ts';
import {copyEntry, forEach, forEachFolder, type Place, type SeenFile} from './file-states.ts';
import {runGit} from './run-git.ts';
import {type ChangedPath, changedPaths, conflictsOf, diffsOf, listFiles, mergeChanges} from './worktree-changes.ts';
import {ignoreFileOf, readRecord, type WorktreeRecord, worktreesFolder, writeRecord} from './worktree-record.ts';

/** An existing worktree. */
export interface ListedWorktree extends Worktree {
  /** The top folder of the repository that the worktree was made for. */
  readonly of: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** The process that works in the worktree; 0 for none. */
  readonly usedBy: number;
}

export interface OwnWorktrees extends WorktreesPort {
  /** Lists the worktrees that weft made of a repository, including those that a killed weft process left. */
  list(from: string, signal: AbortSignal): Promise<Outcome<readonly ListedWorktree[], Fault>>;
}

export interface WorktreeDeps {
  readonly environment: NodeJS.ProcessEnv;
  readonly now: () => number;
  readonly pid: number;
}

/** The maximum number of files that weft copies into a worktree. */
const maxFiles = 200_000;

/**
 * Makes git worktrees below `.weft/worktrees` of a repository. There programs find what is installed in a parent folder
 * (`node_modules`), although git ignores it. weft's own folders stay closed to agents.
 */
export function makeWorktrees(place: WorktreeDeps): OwnWorktrees {
  const git = (folder: string, words: readonly string[], signal: AbortSignal): Promise<Outcome<string, string>> =>
    runGit(words, {folder, environment: place.environment, signal});
  const commitsOf = async ({folder}: Worktree, {head}: WorktreeRecord, signal: AbortSignal): Promise<number> => {
    const counted = await git(folder, ['rev-list', '--count', `${head}..HEAD`], signal);
    return counted.tag === 'ok' ? Number(counted.value.trim()) : 1;
  };

  async function open(
    {from, name}: {readonly from: string; readonly name: string},
    signal: AbortSignal,
  ): Promise<Outcome<Worktree, Fault>> {
    const top = await topOf(from, signal);
    if (top.tag === 'failed') return top;
    const folder = join(worktreesFolder(top.value), name);
    if (existsSync(folder)) {
      const record = await readRecord(folder);
      if (record?.of !== top.value) {
        return failed(
          rejected(`${folder} already exists and is not a worktree of this repository. Choose another name.`),
        );
      }
      const user = liveProcess(record.pid);
      if (user !== 0 && user !== place.pid) {
        return failed(rejected(`Another weft (process ${user}) is using ${folder}. Choose another name.`));
      }
      await writeRecord(folder, {...record, pid: place.pid});
      return ok(worktreeOf(folder, record));
    }
    const prepared = await prepareFolder(folder);
    if (prepared.tag === 'failed') return prepared;
    const names = await listFiles(top.value, {environment: place.environment, signal});
    if (names.tag === 'failed') return failed(rejected(`The worktree was not created: ${names.error}.`));
    if (names.value.length > maxFiles) {
      return failed(rejected(`The worktree was not created: the repository has more than ${maxFiles} files.`));
    }
    const branch = `worktree-${name}`;
    // The branch and the worktree are made in two steps, each of which can be tried again.
    const branched = await git(top.value, ['branch', '--no-track', branch], signal);
    const add = ['worktree', 'add', '--quiet', '--no-checkout', folder, branch];
    const added = branched.tag === 'failed' ? branched : await git(top.value, add, signal);
    if (added.tag === 'failed') {
      if (branched.tag === 'ok') await remove(folder, {of: top.value, branch: {drop: branch}});
      const unborn = (await git(top.value, ['rev-parse', '--verify', '--quiet', 'HEAD'], signal)).tag === 'failed';
      return failed(
        rejected(
          unborn
            ? `${top.value} has no commit yet, and git can only make worktrees from commits. Commit something first.`
            : `git could not create the worktree: ${added.error}`,
        ),
      );
    }
    try {
      const record = await fill(folder, {of: top.value, names: names.value, name, branch, from}, signal);
      return ok(worktreeOf(folder, record));
    } catch (cause) {
      await remove(folder, {of: top.value, branch: {drop: branch}});
      if (signal.aborted) return failed(rejected('The worktree was not created: it was stopped.'));
      return failed(rejected(`The worktree could not be created: ${causeText(cause)}`));
    }
  }

  async function topOf(from: string, signal: AbortSignal): Promise<Outcome<string, Fault>> {
    const top = await git(from, ['rev-parse', '--show-toplevel'], signal);
    const found = top.tag === 'ok' ? repositoryTop(top.value) : undefined;
    if (found !== undefined) return ok(await realpath(found));
    const reason = top.tag === 'ok' ? 'its settings point to another folder' : top.error;
    const detail = reason.startsWith('not a git repository') ? '' : ` (${reason})`;
    return failed(
      needsUser(
        `${from} is not in a git repository, so it can't have a worktree${detail}`,
        'Create one with git init and a first commit, or work without a worktree.',
      ),
    );
  }

  /** Copies the current files and git's index, so staged changes stay staged. */
  async function fill(
    folder: string,
    {
      names,
      from,
      ...made
    }: Pick<WorktreeRecord, 'of' | 'name' | 'branch'> & {
      readonly names: readonly string[];
      readonly from: string;
    },
    signal: AbortSignal,
  ): Promise<WorktreeRecord> {
    const {of} = made;
    const entries: [string, SeenFile][] = [];
    const copyFolder = async (paths: readonly [string, ...string[]], source: Place): Promise<void> => {
      if (typeof source === 'string') return;
      await using to = (await makeAndOpenFolder(dirname(join(folder, paths[0])))).folder;
      const copy = async (path: string): Promise<void> => {
        const copied = await copyEntry(source, join(of, path), to.at(basename(path)));
        if (copied !== undefined) entries.push([path, copied]);
      };
      await forEach(paths, copy, signal);
    };
    await forEachFolder({top: of, paths: names}, copyFolder, signal);
    const [head, index, ownIndex, shared] = await Promise.all([
      git(folder, ['rev-parse', 'HEAD'], signal),
      git(of, ['rev-parse', '--git-path', 'index'], signal),
      git(folder, ['rev-parse', '--git-path', 'index'], signal),
      git(of, ['rev-parse', '--shared-index-path'], signal),
    ]);
    if (head.tag === 'failed' || index.tag === 'failed' || ownIndex.tag === 'failed') {
      throw new Error('git does not work in it');
    }
    const isSplit = shared.tag === 'ok' && shared.value.trim() !== '';
    const file = resolve(of, index.value.replace(/\n$/u, ''));
    if (!isSplit && existsSync(file)) await copyFile(file, resolve(folder, ownIndex.value.replace(/\n$/u, '')));
    else await git(folder, ['read-tree', 'HEAD'], signal);
    const inside = relative(of, await realpath(from));
    const record: WorktreeRecord = {
      ...made,
      below: inside === '' ? '' : `${inside.replaceAll(sep, '/')}/`,
      head: head.value.trim(),
      createdAt: place.now(),
      pid: place.pid,
      files: Object.fromEntries(entries),
    };
    // An ignored folder is not copied, but an agent may work in it.
    await mkdir(join(folder, record.below), {recursive: true});
    await writeRecord(folder, record);
    return record;
  }

  async function remove(
    folder: string,
    {of, branch}: Pick<WorktreeRecord, 'of'> & {readonly branch: {readonly drop: string} | 'keep'},
  ): Promise<void> {
    const {signal} = new AbortController();
    const removed = await git(of, ['worktree', 'remove', '--force', '--force', folder], signal);
    if (removed.tag === 'failed') {
      await rm(folder, {recursive: true, force: true});
      await git(of, ['worktree', 'prune'], signal);
    }
    if (branch !== 'keep') await git(of, ['branch', '--quiet', '-D', branch.drop], signal);
  }

  async function inspect(worktree: Worktree, signal: AbortSignal): Promise<Outcome<Inspection, Fault>> {
    const read = await recordOf(worktree);
    if (read.tag === 'failed') return read;
    const record = read.value;
    const changed = await changedPaths(worktree, record, {environment: place.environment, signal});
    if (changed.tag === 'failed') return changed;
    return ok({record, changed: changed.value, diffs: await diffsOf(changed.value, {worktree, record})});
  }

  return {
    async list(from, signal) {
      const listed = await git(from, ['worktree', 'list', '--porcelain'], signal);
      if (listed.tag === 'failed') return failed(rejected(`git can't list the worktrees of ${from}: ${listed.error}`));
      const folders = listed.value.split('\n').flatMap(line => /^worktree (.+)$/u.exec(line)?.[1] ?? []);
      const found = await Promise.all(folders.map(async folder => ({folder, record: await readRecord(folder)})));
      return ok(
        found.flatMap(({folder, record}) => {
          if (record === undefined) return [];
          const {of, createdAt, pid} = record;
          return [{...worktreeOf(folder, record), of, createdAt, usedBy: liveProcess(pid)}];
        }),
      );
    },
    async release(worktree) {
      const record = await readRecord(worktree.folder);
      if (record !== undefined) await writeRecord(worktree.folder, {...record, pid: 0});
    },
    open: (request, signal) => attempt('The worktree could not be created', () => open(request, signal)),
    changes: (worktree, signal) =>
      attempt(`The worktree ${worktree.folder} could not be read`, async () => {
        const looked = await inspect(worktree, signal);
        if (looked.tag === 'failed') return looked;
        const {record, changed, diffs} = looked.value;
        const conflicts = await conflictsOf(changed, record);
        return ok({...diffs, conflicts, commits: await commitsOf(worktree, record, signal)});
      }),
    merge: (worktree, signal) =>
      attempt('Nothing was merged', async () => {
        const looked = await inspect(worktree, signal);
        if (looked.tag === 'failed') return looked;
        signal.throwIfAborted();
        const {record, changed, diffs} = looked.value;
        const merged = await mergeChanges(changed, {worktree, record});
        return merged.tag === 'ok' ? ok(diffs) : merged;
      }),
    drop: (worktree, commits) =>
      attempt(`The worktree ${worktree.folder} could not be removed`, async () => {
        const record = await recordOf(worktree);
        if (record.tag === 'failed') return record;
        const own = commits === 'keep' ? await commitsOf(worktree, record.value, new AbortController().signal) : 0;
        await remove(worktree.folder, {of: record.value.of, branch: own === 0 ? {drop: record.value.branch} : 'keep'});
        return ok(undefined);
      }),
  };
}

interface Inspection {
  readonly record: WorktreeRecord;
  readonly changed: readonly ChangedPath[];
  readonly diffs: WorkspaceChanges;
}

const recordOf = async ({folder}: Worktree): Promise<Outcome<WorktreeRecord, Fault>> => {
  const record = await readRecord(folder);
  return record === undefined ? failed(rejected(`${folder} is no longer a worktree of weft.`)) : ok(record);
};

const attempt = async <T>(what: string, work: () => Promise<Outcome<T, Fault>>): Promise<Outcome<T, Fault>> => {
  try {
    return await work();
  } catch (cause) {
    return failed(rejected(`${what}: ${causeText(cause)}`));
  }
};

/** Returns the process if it still runs, otherwise 0. */
const liveProcess = (pid: number): number => (pid !== 0 && isRunning(pid) ? pid : 0);

const worktreeOf = (folder: string, {name, branch, below}: WorktreeRecord): Worktree => ({
  name,
  folder,
  directory: resolve(folder, below),
  branch,
});

/** Creates the folder of the worktrees. Fails if a link leads to it, because the target may belong to something else. */
async function prepareFolder(folder: string): Promise<Outcome<undefined, Fault>> {
  const parent = resolve(folder, '..');
  for (const each of [resolve(parent, '..'), parent]) {
    const stats = lstatSync(each, {throwIfNoEntry: false});
    if (stats !== undefined && !stats.isDirectory()) return failed(rejected(`${each} is not a folder.`));
  }
  await mkdir(parent, {recursive: true});
  // `/*` ignores the worktrees but not their files: ripgrep also reads the ignore files of parent folders.
  // Don't rewrite an existing file: git could read it while it is empty, for an agent that starts at the same time.
  if (!existsSync(ignoreFileOf(folder))) await writeFile(ignoreFileOf(folder), '/*\n');
  return ok(undefined);
}
