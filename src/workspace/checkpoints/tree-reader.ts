import {basename, dirname, join} from 'node:path';
import {FaultError} from '../../domain/fault.ts';
import type {ObjectStore} from './object-store.ts';
import {decodeRoot, decodeTree, sameNode, type RootTree, type TreeEntries, type TreeNode} from './tree.ts';

/** What differs at one path between two trees. */
export interface Difference {
  readonly path: string;
  readonly from: TreeNode | undefined;
  readonly to: TreeNode | undefined;
}

/** Reads kept trees. All of it throws a `LostCheckpoint` where something is missing or damaged. */
export interface TreeReader {
  root(tree: string): RootTree;
  /** What differs, folders before what is in them. */
  differences(from: string, to: string): readonly Difference[];
  /** What is at a path. */
  at(root: RootTree, path: string): TreeNode | undefined;
}

export class LostCheckpoint extends FaultError {
  override readonly name = 'LostCheckpoint';
}

export function makeTreeReader(objects: ObjectStore): TreeReader {
  const cache = new Map<string, TreeEntries>();

  const entries = (tree: string): TreeEntries => {
    const known = cache.get(tree);
    if (known !== undefined) return known;
    const bytes = objects.get(tree);
    const decoded = bytes === undefined ? undefined : decodeTree(bytes.toString());
    if (decoded === undefined) throw lost(tree);
    cache.set(tree, decoded);
    return decoded;
  };
  const root = (tree: string): RootTree => {
    const bytes = objects.get(tree);
    const decoded = bytes === undefined ? undefined : decodeRoot(bytes.toString());
    if (decoded === undefined) throw lost(tree);
    return decoded;
  };
  const below = (node: TreeNode | undefined): TreeEntries =>
    node?.kind === 'folder' ? entries(node.tree) : new Map<string, TreeNode>();

  const compare = (folder: string, trees: {readonly from: TreeEntries; readonly to: TreeEntries}): Difference[] =>
    [...new Set([...trees.from.keys(), ...trees.to.keys()])].flatMap(name => {
      const path = folder === '' ? name : join(folder, name);
      const from = trees.from.get(name);
      const to = trees.to.get(name);
      const here = sameNode(from, to) ? [] : [{path, from, to}];
      const isSameBelow = from?.kind === 'folder' && to?.kind === 'folder' && from.tree === to.tree;
      return isSameBelow ? here : [...here, ...compare(path, {from: below(from), to: below(to)})];
    });

  const at = (tree: RootTree, path: string): TreeNode | undefined => {
    const found = tree.folders.get(path);
    if (found !== undefined || dirname(path) === path) return found;
    return below(at(tree, dirname(path))).get(basename(path));
  };

  return {root, at, differences: (from, to) => compare('', {from: root(from).folders, to: root(to).folders})};
}

const lost = (tree: string): LostCheckpoint =>
  new LostCheckpoint(
    {
      kind: 'needs-user',
      message: `The checkpoint is not kept any more, or damaged (${tree.slice(0, 12)}).`,
      fix: 'An earlier or later one may still be there: /rewind lists them.',
    },
    undefined,
  );
