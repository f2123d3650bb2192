import type {Command} from 'commander';
import {exiting} from '../../app/exit-code.ts';
import {type InFolder} from '../../app/main-options.ts';
import {folderFlag, jsonFlag, type JsonOption} from '../flags.ts';

export interface ListOptions extends InFolder, JsonOption {}

export interface WorktreeOptions extends InFolder {
  readonly force?: true;
}

/** Loaded when one of the commands is called. */
const actions = () => import('./worktree/run-worktree.ts');

/** `weft worktree list|merge|remove`: what agents have left in worktrees of their own. */
export function add(worktree: Command): void {
  worktree
    .command('list')
    .description('List the worktrees of this repository, with what has changed in them')
    .option(...folderFlag)
    .option(...jsonFlag)
    .action(exiting(async (options: ListOptions) => (await actions()).listWorktrees(options)));
  worktree
    .command('merge')
    .description('Bring the changes of a worktree into the folder that it was made for, all or none, and remove it')
    .argument('<name>', 'Name of the worktree')
    .option('--force', 'Even if a weft works in it')
    .option(...folderFlag)
    .action(exiting(async (name: string, options: WorktreeOptions) => (await actions()).mergeWorktree(name, options)));
  worktree
    .command('remove')
    .description('Remove a worktree and its branch')
    .argument('<name>', 'Name of the worktree')
    .option('--force', 'Even if it has changes, or a weft works in it')
    .option(...folderFlag)
    .action(exiting(async (name: string, options: WorktreeOptions) => (await actions()).removeWorktree(name, options)));
}
