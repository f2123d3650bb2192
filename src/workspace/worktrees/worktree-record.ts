import {readFile, rename, writeFile} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import * as z from 'zod/mini';
import {gitFolderAt} from '../files/git-branch.ts';
import {seenFile} from './file-states.ts';

/** What weft keeps of a worktree that it has made. It lies with what git keeps of it, and goes with it. */
const worktreeRecord = z.object({
  name: z.string(),
  branch: z.string(),
  /** The outermost folder that the worktree was made for; absolute, links followed. */
  of: z.string(),
  /** The folder below both in which an agent works; empty for the outermost, otherwise with a slash at its end. */
  below: z.string(),
  /** The commit that the branch began with. */
  head: z.string(),
  /** When all files had been copied, in milliseconds since the epoch. */
  createdAt: z.number(),
  /** The weft process that works in it; 0 once it has ended. */
  pid: z.number(),
  /** What it began with, by paths below it. */
  files: z.record(z.string(), seenFile),
});

export type WorktreeRecord = z.infer<typeof worktreeRecord>;

const recordName = 'weft.json';

/** Where git keeps what it knows of the worktree; `undefined` where the folder is no worktree. */
function gitFolderOf(worktree: string): string | undefined {
  const folder = gitFolderAt(worktree);
  return folder === join(worktree, '.git') ? undefined : folder;
}

/** `undefined` where the folder is no worktree that weft has made. */
export async function readRecord(worktree: string): Promise<WorktreeRecord | undefined> {
  const folder = gitFolderOf(worktree);
  if (folder === undefined) return undefined;
  try {
    return worktreeRecord.parse(JSON.parse(await readFile(join(folder, recordName), 'utf8')));
  } catch {
    return undefined;
  }
}

/** Throws where it cannot be written. */
export async function writeRecord(worktree: string, record: WorktreeRecord): Promise<void> {
  const folder = gitFolderOf(worktree);
  if (folder === undefined) throw new Error(`${worktree} is no worktree of git`);
  const fresh = join(folder, `${recordName}.new`);
  await writeFile(fresh, JSON.stringify(record), {mode: 0o600});
  await rename(fresh, join(folder, recordName));
}

/** The folder of weft's worktrees of a repository; those of a worktree lie beside it. */
export function worktreesFolder(top: string): string {
  const within = /^(.*)[/\\]\.weft[/\\]worktrees[/\\][^/\\]+$/su.exec(top)?.[1];
  return join(within ?? top, '.weft', 'worktrees');
}

/** The folder that a worktree's folder lies in has an ignore file of its own, so that no tool takes worktrees for a part of the project. */
export const ignoreFileOf = (worktree: string): string => join(dirname(worktree), '.gitignore');
