import {countTree, kindOf, outermost, type TreeCount} from './count-tree.ts';
import {filesAtRisk} from './git-state.ts';
import {count, named, untouched, type Victim, type VictimGround} from './victim.ts';

/** What is lost with the files and folders at `targets` (absolute), folders with all that is in them. */
export async function deletedFiles(targets: readonly string[], ground: VictimGround): Promise<Victim> {
  const present = outermost(targets.filter(path => kindOf(path) !== 'missing'));
  if (present.length === 0) return untouched;
  const tree = await countTree(present, ground.signal);
  if (tree.files === 0) {
    return {summary: `deletes ${count(tree.folders, 'empty folder')}`, ...named(present)};
  }
  const risk = tree.exact === 'exact' ? await filesAtRisk(present, {files: tree.files, ground}) : undefined;
  const notes = [
    [risk?.untracked ?? 0, 'untracked'],
    [risk?.changed ?? 0, 'with uncommitted changes'],
    [risk?.ignored ?? 0, 'ignored by git'],
  ] as const;
  const said = notes
    .filter(([number]) => number > 0)
    .map(([number, words]) => `${number.toLocaleString('en-US')} ${words}`);
  if (risk?.history === 'goes') said.push('the git history among them');
  return {
    summary: `deletes ${fileCount(tree)}${said.length === 0 ? '' : ` (${said.join(', ')})`}`,
    ...named(tree.paths, tree.files),
  };
}

/** `37 files`, `more than 100,000 files`. */
export const fileCount = ({files, exact}: Pick<TreeCount, 'files' | 'exact'>): string =>
  exact === 'exact' ? count(files, 'file') : `more than ${count(files - 1, 'file')}`;
