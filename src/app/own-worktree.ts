import type {Worktree, WorktreesPort} from '../actions/worktrees-port.ts';
import {changeCounts} from '../actions/worktrees-port.ts';
import {pluralize} from '../base/clip.ts';
import {faultText} from '../domain/fault.ts';
import {makeWorktrees, type OwnWorktrees} from '../workspace/worktrees/make-worktrees.ts';
import {unwrap, UsageError} from './exit-code.ts';
import type {RunContext} from './run-context.ts';
import {randomUuid} from './random-uuid.ts';

export const userWorktrees = (): OwnWorktrees =>
  makeWorktrees({environment: process.env, now: () => Date.now(), pid: process.pid});

/** Names that git takes for a branch, and every file system for a folder. */
const isName = (name: string): boolean => /^[a-z0-9](?:[\w-]|\.(?!\.|lock$))*$/iu.test(name) && name.length <= 64;

/**
 * The same run in a worktree of its folder (`--worktree`), which is made, or gone on with where there is one of that name. Settings, hooks,
 * skills and servers stay those of the folder itself. `leave` is to be called when the session has ended: it removes a worktree in which
 * nothing has changed, and answers with lines about one that is kept.
 */
export async function inWorktree(
  context: RunContext,
  wanted: string | true,
): Promise<{readonly context: RunContext; readonly leave: () => Promise<readonly string[]>}> {
  if (wanted !== true && !isName(wanted)) {
    throw new UsageError(
      `--worktree: ${JSON.stringify(wanted)} is no name of a worktree. Use letters, digits, - and _; a prompt stands ahead of the flag.`,
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
    `Merge it: weft worktree merge ${name} · Go on in it: weft --worktree ${name} --continue · Remove it: weft worktree remove --force ${name}`,
  ];
}
