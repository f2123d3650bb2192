import {statSync} from 'node:fs';
import {dirname, join, resolve} from 'node:path';
import {readRegularFile} from '../files/read-regular-file.ts';

/**
 * Whether git can be asked about the repository that `folder` lies in: no pipe and no device stands in the place of a file that it
 * opens first. It would wait for that until its time is up, and so would all who need its answer.
 */
export function isGitReady(folder: string): boolean {
  for (let at = folder; ; at = dirname(at)) {
    if (isEndless(join(at, '.gitignore'))) return false;
    const state = stateOf(join(at, '.git'));
    if (state === 'endless') return false;
    if (state === 'there') return !foldersOf(at).some(git => openedFirst.some(name => isEndless(join(git, name))));
    if (dirname(at) === at) return true;
  }
}

/** What git opens whatever it is asked. */
const openedFirst =
  'HEAD config config.worktree commondir gitdir index packed-refs info/exclude info/attributes info/sparse-checkout'.split(
    ' ',
  );

/** The repository's own folder; of a worktree or a submodule the one that its file names, and the one shared with others. */
function foldersOf(top: string): readonly string[] {
  const git = join(top, '.git');
  const named = firstLineOf(git, /^gitdir: (.+)$/mu);
  const own = named === undefined ? git : resolve(top, named);
  const common = firstLineOf(join(own, 'commondir'), /^(.+)$/mu);
  return common === undefined ? [own] : [own, resolve(own, common)];
}

const firstLineOf = (path: string, line: RegExp): string | undefined =>
  line.exec(readRegularFile(path, longestName)?.toString('utf8') ?? '')?.[1]?.trim();

const longestName = 4096;

const isEndless = (path: string): boolean => stateOf(path) === 'endless';

function stateOf(path: string): 'missing' | 'there' | 'endless' {
  try {
    const stats = statSync(path, {throwIfNoEntry: false});
    if (stats === undefined) return 'missing';
    return stats.isFile() || stats.isDirectory() ? 'there' : 'endless';
  } catch {
    return 'missing';
  }
}
