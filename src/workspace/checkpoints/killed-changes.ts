import {dirname, join} from 'node:path';
import {lstatOf} from './folder-table.ts';
import {makeNodeComparison, mergeNode} from './merge-node.ts';
import type {ObjectStore} from './object-store.ts';
import type {SignsOfLife} from './store-lock.ts';
import {
  type Difference,
  encodeEntries,
  encodeRoot,
  isInside,
  relatedTo,
  type TreeNode,
  type TreeReader,
} from './tree.ts';

/** The state of a path when a process was killed, if it is known. */
type StateThen = {readonly node: TreeNode | undefined} | 'unknown';

interface Stored {
  readonly reader: TreeReader;
  readonly objects: ObjectStore;
}

/**
 * Returns the state of the files when a process was killed, from the states that it stored, the latest first, and from the state now. A
 * path that changed after the last sign of life may have been changed by anyone. So the result leaves it out, unless the process noted
 * what it was about to write there.
 */
export async function stateWhenKilled(
  {known, now, signs}: {readonly known: readonly string[]; readonly now: string; readonly signs: SignsOfLife},
  {reader, objects}: Stored,
): Promise<string> {
  const root = reader.root(now);
  const changed = new Map<string, TreeNode | undefined>();
  const unknown = new Set<string>();
  const isLater = makeTimeCheck(new Set(root.folders.keys()), signs.lastAlive);
  for (const each of reader.differences(known, [now])) {
    const {path, from, to} = each;
    if (isInside(path, unknown)) continue;
    const then =
      (await stateWritten(each, signs.writes.get(path), objects)) ?? (isLater(each) ? 'unknown' : {node: to});
    if (then !== 'unknown') changed.set(path, then.node);
    else if (from?.kind === 'folder' && to?.kind === 'folder') changed.set(path, {...to, mode: from.mode});
    else {
      unknown.add(path);
      changed.set(path, from);
    }
  }
  const {below} = relatedTo([...changed.keys()]);
  const withChanges = (path: string, node: TreeNode | undefined): TreeNode | undefined => {
    const own = changed.has(path) ? changed.get(path) : node;
    const names = isInside(path, unknown) || own?.kind !== 'folder' ? [] : (below.get(path) ?? []);
    if (own?.kind !== 'folder' || names.length === 0) return own;
    const entries = new Map(reader.below(own));
    for (const name of names) {
      const next = withChanges(join(path, name), entries.get(name));
      if (next === undefined) entries.delete(name);
      else entries.set(name, next);
    }
    return {...own, tree: objects.put(encodeEntries(entries))};
  };
  const folders = new Map([...root.folders].map(([path, node]) => [path, withChanges(path, node) ?? node]));
  return objects.put(encodeRoot({...root, folders, leftOut: [...root.leftOut, ...unknown]}));
}

/** Returns the state of a file that the process wrote, or was about to write. `undefined` if its note tells nothing new. */
async function stateWritten(
  {from, to}: Difference,
  written: string | undefined,
  objects: ObjectStore,
): Promise<StateThen | undefined> {
  if (written === undefined) return undefined;
  const like = [to, from].find(node => node?.kind === 'file');
  const mode = like?.kind === 'file' ? like.mode : 0o644;
  const node: TreeNode | undefined = written === 'absent' ? undefined : {kind: 'file', mode, hash: written};
  const isSame = makeNodeComparison(objects, [from, to, node]);
  if (isSame(node, from)) return undefined;
  if (isSame(node, to)) return {node: to};
  // If taking the write back changes nothing, the process was killed before it wrote.
  const merged = await mergeNode({had: node, want: from, is: to}, objects);
  if (merged.kind === 'conflict') return 'unknown';
  return {node: makeNodeComparison(objects, [merged.node, to])(merged.node, to) ? from : node};
}

/** Returns whether a path may have changed after a time. A file that is moved or replaced changes, too. One that is gone counts as before. */
function makeTimeCheck(roots: ReadonlySet<string>, time: number): (change: Difference) => boolean {
  const changedAfter = (path: string, which: 'ctimeMs' | 'mtimeMs'): boolean => {
    const stats = lstatOf(path);
    return typeof stats === 'string' || stats[which] > time;
  };
  /** True if the folder may have come to its place later: its last change wasn't one of its entries. */
  const mayBeMoved = (path: string): boolean => {
    if (roots.has(path) || dirname(path) === path) return false;
    const stats = lstatOf(path);
    if (typeof stats === 'string') return true;
    const isTouched = stats.ctimeMs > time && stats.ctimeMs !== stats.mtimeMs && changedAfter(dirname(path), 'mtimeMs');
    return isTouched || mayBeMoved(dirname(path));
  };
  return ({path, from, to}) => {
    // Putting a file back loses nothing. Half of a move would be lost if its other half is taken back.
    if (to === undefined) return false;
    let above = dirname(path);
    while (lstatOf(above) === 'gone' && dirname(above) !== above) above = dirname(above);
    if (mayBeMoved(above)) return true;
    const isNewFolder = to.kind === 'folder' && from?.kind !== 'folder';
    return changedAfter(path, 'ctimeMs') && (!isNewFolder || changedAfter(above, 'mtimeMs'));
  };
}
