import {dirname} from 'node:path';
import type {RevertedFile} from '../../domain/checkpoint.ts';
import {blobOf, gitName, isGitName} from './git-blobs.ts';
import {mergeText} from './merge-text.ts';
import type {ObjectStore} from './object-store.ts';
import {liesIn, sameNode, type RootTree, type TreeNode} from './tree.ts';
import type {Difference, TreeReader} from './tree-reader.ts';

/** What has to happen to the files, and what is left as it is. */
export interface RevertPlan {
  readonly steps: readonly RevertStep[];
  readonly conflicts: readonly {readonly path: string; readonly reason: string}[];
}

export interface RevertStep {
  readonly path: string;
  readonly is: TreeNode | undefined;
  readonly wanted: TreeNode | undefined;
  readonly effect: RevertedFile['effect'];
}

type FileNode = Extract<TreeNode, {kind: 'file'}>;

/**
 * Takes changes back one after the other, in thought, starting from the files as they are (`now`): what stands as a change left
 * it becomes what it was before; what somebody else has changed since is merged where it can be, else left and named. Paths that
 * any of the trees has not kept are left alone.
 */
export async function planRevert(
  changes: readonly {readonly before: string; readonly after: string}[],
  {now, reader, objects}: {readonly now: string; readonly reader: TreeReader; readonly objects: ObjectStore},
): Promise<RevertPlan> {
  const current = reader.root(now);
  const roots = new Set(current.folders.keys());
  const wanted = new Map<string, TreeNode | undefined>();
  const merged = new Set<string>();
  const conflicts = new Map<string, string>();
  const stateOf = (path: string): TreeNode | undefined =>
    wanted.has(path) ? wanted.get(path) : reader.at(current, path);

  for (const {before, after} of changes) {
    const leftOut = new Set([before, after, now].flatMap(tree => reader.root(tree).leftOut));
    for (const {path, from, to} of reader.differences(before, after)) {
      if (liesIn(path, leftOut)) continue;
      // A workspace folder neither comes nor goes; it may have got other permissions.
      const ofRoot = isRoot(path, reader.root(before)) || isRoot(path, current);
      if (ofRoot && (from === undefined || to === undefined || reader.at(current, path) === undefined)) continue;
      if (!liesIn(path, roots)) {
        conflicts.set(path, 'it lies outside of the workspace folders');
        continue;
      }
      const had = to;
      const is = stateOf(path);
      // oxlint-disable-next-line no-await-in-loop -- one path after the other bounds what is in memory
      const next = await mergeNode({had, want: from, is}, objects);
      if (next.kind === 'conflict') conflicts.set(path, next.reason);
      else wanted.set(path, next.node);
      if (next.kind === 'merged') merged.add(path);
    }
  }
  const steps = [...wanted]
    .map(([path, node]): RevertStep => {
      const is = reader.at(current, path);
      return {path, is, wanted: node, effect: effectOf({is, wanted: node}, merged.has(path))};
    })
    .filter(({is, wanted: node}) => !sameNode(is, node));
  const possible = steps.filter(({path, wanted: node}) => {
    if (node === undefined || isRoot(path, current) || stateOf(dirname(path))?.kind === 'folder') return true;
    conflicts.set(path, 'its folder is not there any more');
    return false;
  });
  return {steps: possible, conflicts: [...conflicts].map(([path, reason]) => ({path, reason}))};
}

const isRoot = (path: string, {folders}: RootTree): boolean => folders.has(path);

function effectOf(
  {is, wanted}: {readonly is: TreeNode | undefined; readonly wanted: TreeNode | undefined},
  isMerged: boolean,
): RevertedFile['effect'] {
  if (wanted === undefined) return 'deleted';
  if (is === undefined) return 'restored';
  return isMerged ? 'merged' : 'changed';
}

type Merged =
  | {readonly kind: 'clean' | 'merged'; readonly node: TreeNode | undefined}
  | {readonly kind: 'conflict'; readonly reason: string};

/** `had`: as the change left it; `want`: as it was before; `is`: as it is. */
async function mergeNode(
  {had, want, is}: Record<'had' | 'want' | 'is', Difference['to']>,
  objects: ObjectStore,
): Promise<Merged> {
  const same = sameAs(objects, [had, want, is]);
  if (same(is, want) || same(had, want)) return {kind: 'clean', node: is};
  if (same(is, had)) return {kind: 'clean', node: want};
  if (is === undefined) return {kind: 'conflict', reason: 'it was deleted since'};
  if (had?.kind === 'folder' && is.kind === 'folder') {
    if (want === undefined) return {kind: 'clean', node: undefined};
    if (want.kind === 'folder') return {kind: 'clean', node: {...is, mode: mergeMode(had.mode, want.mode, is.mode)}};
  }
  if (had?.kind !== 'file' || want?.kind !== 'file' || is.kind !== 'file') {
    return {kind: 'conflict', reason: had === undefined ? 'it was made anew since' : 'it was changed since'};
  }
  const hash = await mergeContent({had, want, is}, objects);
  if (hash === undefined) return {kind: 'conflict', reason: 'it was changed since in the same place'};
  return {
    kind: hash === want.hash ? 'clean' : 'merged',
    node: {kind: 'file', mode: mergeMode(had.mode, want.mode, is.mode), hash},
  };
}

/** A content may be named by its hash in one tree and as git names it in another: then what is kept of it tells. */
function sameAs(
  objects: ObjectStore,
  nodes: readonly (TreeNode | undefined)[],
): (a: TreeNode | undefined, b: TreeNode | undefined) => boolean {
  const names = nodes.flatMap(node => (node?.kind === 'file' ? [node.hash] : []));
  if (!names.some(isGitName) || names.every(isGitName)) return sameNode;
  const named = (node: TreeNode | undefined): TreeNode | undefined => {
    if (node?.kind !== 'file' || isGitName(node.hash)) return node;
    const bytes = objects.get(node.hash);
    const name = bytes === undefined ? '' : gitName({blob: blobOf(bytes), size: bytes.length});
    return names.includes(name) ? {...node, hash: name} : node;
  };
  return (a, b) => sameNode(a, b) || sameNode(named(a), named(b));
}

const mergeMode = (had: number, want: number, is: number): number => (is === had ? want : is);

async function mergeContent(
  {had, want, is}: Record<'had' | 'want' | 'is', FileNode>,
  objects: ObjectStore,
): Promise<string | undefined> {
  if (is.hash === want.hash || is.hash === had.hash) return want.hash;
  if (had.hash === want.hash) return is.hash;
  const [common, ours, theirs] = [had, is, want].map(({hash}) => objects.get(hash));
  if (common === undefined || ours === undefined || theirs === undefined) return undefined;
  const merged = await mergeText({common, ours, theirs});
  return merged === undefined ? undefined : objects.put(merged);
}
