import type {Worktree, WorktreesPort} from '../actions/worktrees-port.ts';
import {changeCounts} from '../actions/worktrees-port.ts';
import {pluralize} from '../base/clip.ts';
import {faultText} from '../domain/fault.ts';
import {makeWorktrees, type OwnWorktrees} from '../workspace/worktrees/make-worktrees.ts';
import {unwrap, UsageError} from './exit-code.ts';
import type {RunContext} from './run-context.ts';
import {randomUuid} from './clock-and-ids.ts';

export const userWorktrees = (): OwnWorktrees =>
  makeWorktrees({environment: process.env, now: () => Date.now(), pid: process.pid});

/** True for a name that git accepts for a branch and every file system for a folder. */
const isName = (name: string): boolean => /^[a-z0-9](?:[\w-]|\.(?!\.|lock$))*$/iu.test(name) && name.length <= 64;

/**
 * Moves the run into a worktree of its folder (`--worktree`), which is created, or reused if one with that name exists.
 * Settings, hooks, skills and servers stay those of the folder itself. Call `leave` when the session has ended: it
 * removes a worktree without changes, and returns lines about a worktree that is kept.
 */
export async function inWorktree(
  context: RunContext,
  wanted: string | true,
): Promise<{readonly context: RunContext; readonly leave: () => Promise<readonly string[]>}> {
  if (wanted !== true && !isName(wanted)) {
    throw new UsageError(
      `--worktree: ${JSON.stringify(wanted)} is not a valid worktree name. Use letters, digits, - and _. Put a prompt before the flag.`,
    );
  }
  const name = wanted === true ? `session-${randomUuid().slice(0, 8)}` : wanted;
  const worktrees = userWorktrees();
  const worktree = unwrap(await worktrees.open({from: context.directory, name}, new AbortController().signal));
  const [, ...added] = context.roots;
  return {
    context: {...context, directory: worktree.directory, roots: [worktree.directory, ...added]},
    leave: () => leave(worktree, worktrees),
  };
}

async function leave(worktree: Worktree, worktrees: WorktreesPort): Promise<readonly string[]> {
  const {name, folder, branch} = worktree;
  const found = await worktrees.changes(worktree, new AbortController().signal);
  const place = `${folder} (branch ${branch})`;
  if (found.tag === 'failed') return [`Worktree kept: ${place}. ${faultText(found.error)}`];
  const {files, more, commits} = found.value;
  if (files.length === 0 && commits === 0) {
    const dropped = await worktrees.drop(worktree, 'keep');
    return dropped.tag === 'ok' ? [] : [faultText(dropped.error)];
  }
  await worktrees.release(worktree);
  const facts = [
    `${pluralize(files.length + more, 'file')} changed (${changeCounts(found.value)})`,
    ...(commits === 0 ? [] : [pluralize(commits, 'commit')]),
  ];
  return [
    `Worktree kept: ${place}: ${facts.join(', ')}`,
    `Merge it: weft worktree merge ${name} · Continue in it: weft --worktree ${name} --continue · Remove it: weft worktree remove --force ${name}`,
  ];
}
