import {relative, sep} from 'node:path';
import {compileGlob} from '../../base/glob.ts';
import type {TreeId} from '../../domain/checkpoint.ts';
import type {Receipt} from '../../domain/receipt.ts';
import {changedNodes} from './compare-trees.ts';
import {ignoredAmong} from './git-query.ts';
import type {ObjectStore} from './object-store.ts';
import {toolFolders} from './scan-workspace.ts';
import {LostCheckpoint, type TreeReader} from './tree.ts';

interface Workspace {
  readonly now: string;
  readonly reader: TreeReader;
  readonly objects: Pick<ObjectStore, 'get'>;
  readonly roots: readonly string[];
  readonly environment: NodeJS.ProcessEnv;
}

/** Returns for each receipt whether the files under its paths are now as they are in its tree. Files that git ignores don't count. */
export async function areUnchanged(
  receipts: readonly Pick<Receipt, 'tree' | 'paths'>[],
  workspace: Workspace,
  signal: AbortSignal,
): Promise<readonly boolean[]> {
  const changed = new Map<TreeId, readonly string[] | 'unknown'>();
  for (const {tree} of receipts) {
    if (tree !== 'unknown' && !changed.has(tree)) changed.set(tree, await changedFiles(tree, workspace, signal));
  }
  return receipts.map(({tree, paths}) => {
    const files = tree === 'unknown' ? 'unknown' : (changed.get(tree) ?? 'unknown');
    if (files === 'unknown' || paths === 'all') return files !== 'unknown' && files.length === 0;
    const globs = paths.map(compileGlob);
    // A glob that can't be read may match anything.
    return !files.some(file => globs.some(glob => glob.tag === 'failed' || glob.value(file)));
  });
}

/** Returns the files that differ from a tree, relative to their folders. `unknown` if the tree is gone. */
async function changedFiles(
  tree: TreeId,
  {now, reader, objects, roots, environment}: Workspace,
  signal: AbortSignal,
): Promise<readonly string[] | 'unknown'> {
  if (tree === now) return [];
  try {
    const paths = changedNodes([{before: [tree], after: [now]}], {reader, objects}).map(({path}) => path);
    const files = roots.map(async folder => {
      const own = paths.flatMap(path => (path.startsWith(folder + sep) ? [relative(folder, path)] : []));
      const named = own.filter(path => !path.split(sep).some(part => toolFolders.has(part)));
      const ignored = await ignoredAmong(named, {folder, environment, signal});
      return named.filter(path => !ignored.has(path));
    });
    return (await Promise.all(files)).flat();
  } catch (cause) {
    if (cause instanceof LostCheckpoint) return 'unknown';
    throw cause;
  }
}
