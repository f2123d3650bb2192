import {statSync} from 'node:fs';
import {readdir} from 'node:fs/promises';
import {dirname, join} from 'node:path';

/*
 * ripgrep opens the ignore files of each folder it comes to, and of the folders above. It would wait for ever for a pipe in the place
 * of one, and take up all memory on a device. Rules of that kind are then left alone.
 */

/** An option of ripgrep by which it reads no ignore files of one kind. */
export type RulesOff = '--no-ignore-vcs' | '--no-ignore-dot';

const kinds: readonly (readonly [string, RulesOff])[] = [
  ['.gitignore', '--no-ignore-vcs'],
  ['.git/info/exclude', '--no-ignore-vcs'],
  ['.ignore', '--no-ignore-dot'],
  ['.rgignore', '--no-ignore-dot'],
];

export const allRules: ReadonlySet<RulesOff> = new Set(kinds.map(([, option]) => option));

/** For a search in `folder`, because of its ignore files and those of the folders above it. */
export function rulesOffAbove(folder: string): ReadonlySet<RulesOff> {
  const off = new Set<RulesOff>();
  for (let at = folder; ; at = dirname(at)) {
    for (const option of rulesOffIn(at)) off.add(option);
    if (dirname(at) === at) return off;
  }
}

/** Because of ignore files below `folder`, as far as the bound reaches. Links are not followed, as searches do not. */
async function rulesOffBelow(folder: string, signal: AbortSignal): Promise<ReadonlySet<RulesOff>> {
  const off = new Set<RulesOff>();
  const left = [folder];
  for (let looked = 0; looked < mostFolders && !signal.aborted; looked += 1) {
    const at = left.pop();
    if (at === undefined) break;
    // oxlint-disable-next-line no-await-in-loop -- one folder after the other
    const entries = await readdir(at, {withFileTypes: true}).catch(() => []);
    const isDoubtful = entries.some(entry => (entry.isFile() ? false : entry.name === '.git' || names.has(entry.name)));
    if (isDoubtful) for (const option of rulesOffIn(at)) off.add(option);
    for (const entry of entries) if (entry.isDirectory() && entry.name !== '.git') left.push(join(at, entry.name));
  }
  return off;
}

/** Aborts where a run in `folder` takes longer than most and finds endless ignore files below, of rules that are not off. */
export function whenStuck(folder: string, off: ReadonlySet<RulesOff>): {readonly signal: AbortSignal} & Disposable {
  const ended = new AbortController();
  const stuck = new AbortController();
  const slow = setTimeout(() => {
    void look();
  }, slowMs);
  slow.unref();
  async function look(): Promise<void> {
    const below = await rulesOffBelow(folder, ended.signal);
    if ([...below].some(option => !off.has(option))) stuck.abort();
  }
  return {
    signal: stuck.signal,
    [Symbol.dispose]() {
      clearTimeout(slow);
      ended.abort();
    },
  };
}

/** Milliseconds that most listings take. */
const slowMs = 400;

const mostFolders = 20_000;

const names: ReadonlySet<string> = new Set(kinds.map(([name]) => name));

const rulesOffIn = (folder: string): readonly RulesOff[] =>
  kinds.flatMap(([name, option]) => (isEndless(join(folder, name)) ? [option] : []));

/** Whether something is there that is neither a file nor a folder, or a link to such a thing. */
function isEndless(path: string): boolean {
  try {
    const stats = statSync(path, {throwIfNoEntry: false});
    return stats !== undefined && !stats.isFile() && !stats.isDirectory();
  } catch {
    return false;
  }
}
