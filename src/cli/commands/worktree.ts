import type {Command} from 'commander';
import {exiting, exitCode, type ExitCode, unwrap, UsageError} from '../../app/exit-code.ts';
import type {FolderOption} from '../../app/main-options.ts';
import {addSubcommands, folderFlag, jsonFlag, type JsonOption} from '../flags.ts';
import {changeCounts, type WorktreeChanges} from '../../actions/worktrees-port.ts';
import {pluralize} from '../../base/clip.ts';
import {visibleLine} from '../../base/visible.ts';
import type {ListedWorktree} from '../../workspace/worktrees/make-worktrees.ts';
import {existingFolder} from '../../app/run-context.ts';
import {note} from '../../app/output.ts';
import {printRows} from '../rows.ts';

interface ListOptions extends FolderOption, JsonOption {}

interface WorktreeOptions extends FolderOption {
  readonly force?: true;
}

/** `weft worktree list|merge|remove`: the worktrees that agents and sessions have left. */
export function add(worktree: Command): void {
  const name = ['<name>', 'Name of the worktree'] as const;
  addSubcommands(worktree, [
    [
      'list',
      'List the worktrees of this repository with their changes',
      [folderFlag, jsonFlag],
      exiting(listWorktrees),
    ],
    [
      'merge',
      'Merge the changes of a worktree into its original folder, all or none, and remove it',
      [name, ['--force', 'Even if weft is running in it'], folderFlag],
      exiting(mergeWorktree),
    ],
    [
      'remove',
      'Remove a worktree and its branch',
      [name, ['--force', 'Even if it has changes or weft is running in it'], folderFlag],
      exiting(removeWorktree),
    ],
  ]);
}

const {signal} = new AbortController();

const userWorktrees = async () => (await import('../../app/session-worktree.ts')).userWorktrees();

async function listWorktrees({json, ...place}: ListOptions): Promise<ExitCode> {
  const listed = await listIn(place);
  const rows = await Promise.all(
    listed.map(async worktree => ({...worktree, changes: await (await userWorktrees()).changes(worktree, signal)})),
  );
  return printRows({
    rows,
    json,
    toJson: ({changes, ...row}) => ({
      ...row,
      createdAt: new Date(row.createdAt).toISOString(),
      files: changes.tag === 'ok' ? changes.value.files.map(({path}) => path) : [],
      conflicts: changes.tag === 'ok' ? changes.value.conflicts : [],
      commits: changes.tag === 'ok' ? changes.value.commits : 0,
    }),
    line({name, folder, branch, usedBy, changes}) {
      const state = changes.tag === 'ok' ? changesText(changes.value) : 'not readable';
      const use = usedBy === 0 ? '' : `, in use (process ${usedBy})`;
      return `${name}  ${state}\n    ${visibleLine(folder)}, branch ${branch}${use}`;
    },
    none: 'no weft worktrees in this repository',
  });
}

async function mergeWorktree(name: string, {force, ...place}: WorktreeOptions): Promise<ExitCode> {
  const worktree = await worktreeNamed(name, place);
  if (force === undefined) refuseInUse(worktree);
  const merged = unwrap(await (await userWorktrees()).merge(worktree, signal));
  unwrap(await (await userWorktrees()).drop(worktree, 'keep'));
  const count = merged.files.length + merged.more;
  note(`merged ${pluralize(count, 'file')} (${changeCounts(merged)}) into ${visibleLine(worktree.of)}, not committed`);
  return exitCode.done;
}

async function removeWorktree(name: string, {force, ...place}: WorktreeOptions): Promise<ExitCode> {
  const worktree = await worktreeNamed(name, place);
  if (force === undefined) {
    refuseInUse(worktree);
    const changes = unwrap(await (await userWorktrees()).changes(worktree, signal));
    if (changes.files.length > 0 || changes.commits > 0) {
      throw new Error(`${name} has ${changesText(changes)}. To remove it anyway: weft worktree remove --force ${name}`);
    }
  }
  unwrap(await (await userWorktrees()).drop(worktree, 'drop'));
  note(`removed ${visibleLine(worktree.folder)}`);
  return exitCode.done;
}

const listIn = async ({cwd}: FolderOption): Promise<readonly ListedWorktree[]> =>
  unwrap(await (await userWorktrees()).list(existingFolder(cwd ?? '.'), signal));

async function worktreeNamed(name: string, place: FolderOption): Promise<ListedWorktree> {
  const listed = await listIn(place);
  const found = listed.find(each => each.name === name);
  if (found !== undefined) return found;
  const known = listed.length === 0 ? 'There are none.' : `There are ${listed.map(each => each.name).join(', ')}.`;
  throw new UsageError(`This repository has no worktree ${JSON.stringify(name)}. ${known}`);
}

function refuseInUse({name, usedBy}: ListedWorktree): void {
  if (usedBy === 0) return;
  throw new Error(`weft is running in ${name} (process ${usedBy}). Exit it first, or use --force.`);
}

function changesText(changes: WorktreeChanges): string {
  const {files, more, conflicts, commits} = changes;
  const count = files.length + more;
  return [
    count === 0 ? 'no changes' : `${pluralize(count, 'changed file')} (${changeCounts(changes)})`,
    ...(commits === 0 ? [] : [pluralize(commits, 'commit')]),
    ...(conflicts.length === 0
      ? []
      : [`conflicts: ${conflicts.map(({path, reason}) => `${visibleLine(path)} (${reason})`).join(', ')}`]),
  ].join(', ');
}
