import type {Stats} from 'node:fs';
import {basename, dirname, join, posix} from 'node:path';
import * as z from 'zod/mini';
import {parseJson} from '../../base/json.ts';
import {FaultError, needsUser} from '../../domain/fault.ts';
import type {ObjectStore} from './object-store.ts';

/**
 * A path in a checkpoint. Modes are permission bits; `hash` and `tree` are names of objects. A file with several names (hard links) also has
 * its inode.
 */
export type TreeNode =
  | {readonly kind: 'file'; readonly mode: number; readonly hash: string; readonly inode?: number | undefined}
  | {readonly kind: 'link'; readonly target: string}
  | {readonly kind: 'folder'; readonly mode: number; readonly tree: string};

export type FileNode = Extract<TreeNode, {kind: 'file'}>;

export type TreeEntries = ReadonlyMap<string, TreeNode>;

/** A whole checkpoint: the workspace folders by absolute path, and the paths below them that it leaves out. */
export interface RootTree {
  readonly folders: TreeEntries;
  readonly leftOut: readonly string[];
  /** The only paths that the checkpoint covers, with what is below them; `undefined` if it covers everything. */
  readonly covered?: readonly string[];
}

/** Returns the node of a file with this content. */
export const fileNode = ({mode, nlink, ino}: Stats, content: string): FileNode => ({
  kind: 'file',
  mode: mode & 0o7777,
  hash: content,
  inode: nlink > 1 ? ino : undefined,
});

/** Returns the names of the content of the files among these nodes. */
export const contentNames = (nodes: readonly (TreeNode | undefined)[]): readonly string[] =>
  nodes.flatMap(node => (node?.kind === 'file' ? [node.hash] : []));

/** Encodes the entries of a folder, sorted by name, so that equal entries give equal text. */
export function encodeEntries(entries: TreeEntries): string {
  const rows = [...entries].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, node]) => rowOf(name, node));
  return JSON.stringify(rows);
}

/** Returns `undefined` if the text is not a tree. */
export function decodeEntries(text: string): TreeEntries | undefined {
  const json = parseJson(text);
  const parsed = json.tag === 'ok' ? rowsSchema.safeParse(json.value) : undefined;
  return parsed?.success === true ? entriesOf(parsed.data) : undefined;
}

export const encodeRoot = ({folders, leftOut, covered}: RootTree): string =>
  JSON.stringify({
    folders: [...folders].map(([name, node]) => rowOf(name, node)),
    leftOut: leftOut.toSorted(),
    ...(covered === undefined ? {} : {covered: covered.toSorted()}),
  });

export function decodeRoot(text: string): RootTree | undefined {
  const json = parseJson(text);
  const parsed = json.tag === 'ok' ? rootSchema.safeParse(json.value) : undefined;
  if (parsed?.success !== true) return undefined;
  const {folders, leftOut, covered} = parsed.data;
  return {folders: entriesOf(folders), leftOut, ...(covered === undefined ? {} : {covered})};
}

/** True if two nodes are equal. Folder contents aren't compared, because they have their own paths, nor inodes. */
export function sameNode(a: TreeNode | undefined, b: TreeNode | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  if (a.kind === 'file') return b.kind === 'file' && a.mode === b.mode && a.hash === b.hash;
  if (a.kind === 'link') return b.kind === 'link' && a.target === b.target;
  return b.kind === 'folder' && a.mode === b.mode;
}

/** True if two nodes are equal, and files also have the same inode if they have several names. */
export const sameNamedNode: typeof sameNode = (a, b) =>
  sameNode(a, b) && (a?.kind !== 'file' || b?.kind !== 'file' || a.inode === b.inode);

/** True if the path is one of `places`, or below one. */
export function isInside(path: string, places: ReadonlySet<string>): boolean {
  if (places.size === 0) return false;
  for (let at = path; ; at = posix.dirname(at)) {
    if (places.has(at)) return true;
    if (posix.dirname(at) === at) return false;
  }
}

type Row = z.infer<typeof rowSchema>;

function rowOf(name: string, node: TreeNode): Row {
  switch (node.kind) {
    case 'file':
      return node.inode === undefined
        ? ['f', name, node.mode, node.hash]
        : ['f', name, node.mode, node.hash, node.inode];
    case 'link':
      return ['l', name, node.target];
    default:
      return ['d', name, node.mode, node.tree];
  }
}

function entriesOf(rows: readonly Row[]): TreeEntries {
  return new Map(
    rows.map((row): [string, TreeNode] => {
      switch (row[0]) {
        case 'f':
          return [row[1], {kind: 'file', mode: row[2], hash: row[3], inode: row[4]}];
        case 'l':
          return [row[1], {kind: 'link', target: row[2]}];
        default:
          return [row[1], {kind: 'folder', mode: row[2], tree: row[3]}];
      }
    }),
  );
}

const rowSchema = z.union([
  z.tuple([z.literal('f'), z.string(), z.int(), z.string(), z.optional(z.int())]),
  z.tuple([z.literal('l'), z.string(), z.string()]),
  z.tuple([z.literal('d'), z.string(), z.int(), z.string()]),
]);
const rowsSchema = z.array(rowSchema);
const rootSchema = z.object({
  folders: rowsSchema,
  leftOut: z.array(z.string()),
  covered: z.optional(z.array(z.string())),
});

/** Some paths with all folders above them, as sets: thousands of files may be deleted at once. */
export interface RelatedPaths {
  readonly paths: ReadonlySet<string>;
  readonly above: ReadonlySet<string>;
  /** The names in each folder above that lead to the paths. */
  readonly below: ReadonlyMap<string, readonly string[]>;
}

export function relatedTo(paths: readonly string[]): RelatedPaths {
  const below = new Map<string, string[]>();
  for (const path of new Set(paths)) {
    for (let at = path, folder = dirname(at); folder !== at; at = folder, folder = dirname(at)) {
      const names = below.get(folder);
      if (names === undefined) below.set(folder, [basename(at)]);
      else {
        if (!names.includes(basename(at))) names.push(basename(at));
        break;
      }
    }
  }
  return {paths: new Set(paths), above: new Set(below.keys()), below};
}

/** True if a path is one of these, or above or below one. */
export function isRelated(path: string, {paths, above}: RelatedPaths): boolean {
  if (paths.has(path) || above.has(path)) return true;
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
    if (paths.has(folder)) return true;
  }
  return false;
}

/** The difference at one path between two trees. */
export interface Difference {
  readonly path: string;
  readonly from: TreeNode | undefined;
  readonly to: TreeNode | undefined;
}

export class LostCheckpoint extends FaultError {
  override readonly name = 'LostCheckpoint';
}

export type TreeReader = ReturnType<typeof makeTreeReader>;

/** Reads the trees of checkpoints. Every method throws a `LostCheckpoint` if an object is missing or damaged. */
export function makeTreeReader(objects: Pick<ObjectStore, 'get'>) {
  const cache = new Map<string, TreeEntries>();

  const read = <T>(tree: string, decode: (text: string) => T | undefined): T => {
    const decoded = decode(objects.get(tree)?.toString() ?? '');
    if (decoded === undefined) throw lostCheckpoint(tree);
    return decoded;
  };
  const entries = (tree: string): TreeEntries => {
    const known = cache.get(tree) ?? read(tree, decodeEntries);
    cache.set(tree, known);
    return known;
  };
  const root = (tree: string): RootTree => read(tree, decodeRoot);
  /** Returns what a folder holds; nothing for other nodes. */
  const below = (node: TreeNode | undefined): TreeEntries =>
    node?.kind === 'folder' ? entries(node.tree) : new Map<string, TreeNode>();

  const compare = (
    folder: string,
    trees: {readonly from: TreeEntries; readonly to: TreeEntries},
    {isCovered, isSame}: {readonly isCovered: (path: string) => boolean; readonly isSame: typeof sameNode},
  ): Difference[] =>
    [...new Set([...trees.from.keys(), ...trees.to.keys()])].flatMap(name => {
      const path = folder === '' ? name : join(folder, name);
      if (!isCovered(path)) return [];
      const from = trees.from.get(name);
      const to = trees.to.get(name);
      const here = isSame(from, to) ? [] : [{path, from, to}];
      const isSameBelow = from?.kind === 'folder' && to?.kind === 'folder' && from.tree === to.tree;
      return isSameBelow ? here : [...here, ...compare(path, {from: below(from), to: below(to)}, {isCovered, isSame})];
    });

  const at = (tree: RootTree, path: string): TreeNode | undefined => {
    const found = tree.folders.get(path);
    if (found !== undefined || dirname(path) === path) return found;
    return below(at(tree, dirname(path))).get(basename(path));
  };

  /** Returns whether one of these trees covers only named paths, and the path is among them. */
  const namedBy = (trees: readonly string[]): ((path: string) => boolean) => {
    const covers = trees.filter(tree => root(tree).covered !== undefined).map(cover);
    return path => covers.some(each => each(path));
  };

  /** Adds the paths of files with several names to `found`, by inode. */
  const addNames = (folder: string, nodes: TreeEntries, found: Map<number, string[]>): void => {
    for (const [name, node] of nodes) {
      const path = folder === '' ? name : join(folder, name);
      if (node.kind === 'folder') addNames(path, below(node), found);
      else if (node.kind === 'file' && node.inode !== undefined) {
        found.set(node.inode, [...(found.get(node.inode) ?? []), path]);
      }
    }
  };

  const cover = (tree: string): ((path: string) => boolean) => {
    const {covered} = root(tree);
    if (covered === undefined) return () => true;
    const related = relatedTo(covered);
    return path => isRelated(path, related);
  };

  /**
   * Returns the paths that differ, folders before their content. Each path is in the state of the first tree of its list
   * that covers it. A path that no tree of a list covers is left out.
   */
  const differences = (
    from: readonly string[],
    to: readonly string[],
    isSame: typeof sameNode = sameNode,
  ): readonly Difference[] => {
    const [covers, laterCovers] = [from.map(cover), to.map(cover)];
    const found: Difference[] = [];
    for (const [index, before] of from.entries()) {
      for (const [laterIndex, after] of to.entries()) {
        const isCovered = (path: string): boolean =>
          covers[index]?.(path) === true && laterCovers[laterIndex]?.(path) === true;
        const isFirst = ({path}: Difference): boolean =>
          !covers.slice(0, index).some(each => each(path)) &&
          !laterCovers.slice(0, laterIndex).some(each => each(path));
        const trees = {from: root(before).folders, to: root(after).folders};
        found.push(...compare('', trees, {isCovered, isSame}).filter(isFirst));
        if (root(after).covered === undefined) break;
      }
      if (root(before).covered === undefined) break;
    }
    return found;
  };
  /** Returns the names of files that have several (hard links) in these trees, by inode. */
  const namesByInode = (trees: readonly string[]): ReadonlyMap<number, readonly string[]> => {
    const found = new Map<number, string[]>();
    for (const tree of trees) addNames('', root(tree).folders, found);
    return found;
  };
  return {root, at, below, differences, namedBy, namesByInode};
}

const lostCheckpoint = (tree: string): LostCheckpoint =>
  new LostCheckpoint(
    needsUser(
      `The checkpoint was deleted or is damaged (${tree.slice(0, 12)}).`,
      'Try an earlier or later one: /rewind lists them.',
    ),
    undefined,
  );
