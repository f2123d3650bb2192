import {readFile, rename, writeFile} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import * as z from 'zod/mini';
import {gitFolderAt} from '../files/git-branch.ts';
import {seenFile} from './file-states.ts';

/** weft's record of a worktree that it made. It is in git's folder for the worktree, and is deleted with it. */
const worktreeRecord = z.object({
  name: z.string(),
  branch: z.string(),
  /** The top folder of the repository that the worktree was made for; absolute, links resolved. */
  of: z.string(),
  /** The folder in which an agent works, relative to both; empty for the top folder, otherwise with a trailing slash. */
  below: z.string(),
  /** The commit that the branch started from. */
  head: z.string(),
  /** When all files had been copied, in milliseconds since the epoch. */
  createdAt: z.number(),
  /** The weft process that works in the worktree; 0 once the process has ended. */
  pid: z.number(),
  /** The initial files, by path relative to the worktree. */
  files: z.record(z.string(), seenFile),
});

export type WorktreeRecord = z.infer<typeof worktreeRecord>;

const recordName = 'weft.json';

/** Returns git's folder for the worktree, or `undefined` if the folder is not a worktree. */
function gitFolderOf(worktree: string): string | undefined {
  const folder = gitFolderAt(worktree);
  return folder === join(worktree, '.git') ? undefined : folder;
}

/** Reads the record. `undefined` if the folder is not a worktree made by weft. */
export async function readRecord(worktree: string): Promise<WorktreeRecord | undefined> {
  const folder = gitFolderOf(worktree);
  if (folder === undefined) return undefined;
  try {
    return worktreeRecord.parse(JSON.parse(await readFile(join(folder, recordName), 'utf8')));
  } catch {
    return undefined;
  }
}

/** Writes the record. Throws if it can't. */
export async function writeRecord(worktree: string, record: WorktreeRecord): Promise<void> {
  const folder = gitFolderOf(worktree);
  if (folder === undefined) throw new Error(`${worktree} is not a git worktree`);
  const fresh = join(folder, `${recordName}.new`);
  await writeFile(fresh, JSON.stringify(record), {mode: 0o600});
  await rename(fresh, join(folder, recordName));
}

/** Returns the folder of a repository's worktrees. Worktrees of a worktree are beside it. */
export function worktreesFolder(top: string): string {
  const within = /^(.*)[/\\]\.weft[/\\]worktrees[/\\][^/\\]+$/su.exec(top)?.[1];
  return join(within ?? top, '.weft', 'worktrees');
}

/** Returns the ignore file of the folder that contains the worktree, so that tools don't treat worktrees as part of the project. */
export const ignoreFileOf = (worktree: string): string => join(dirname(worktree), '.gitignore');
