import {basename, dirname, join, posix} from 'node:path';
import * as z from 'zod/mini';
import {parseJson} from '../../base/json.ts';
import {FaultError} from '../../domain/fault.ts';
import type {ObjectStore} from './object-store.ts';

/** A path in a checkpoint. Modes are permission bits; `hash` and `tree` are names of objects. */
export type TreeNode =
  | {readonly kind: 'file'; readonly mode: number; readonly hash: string}
  | {readonly kind: 'link'; readonly target: string}
  | {readonly kind: 'folder'; readonly mode: number; readonly tree: string};

export type TreeEntries = ReadonlyMap<string, TreeNode>;

/** A whole checkpoint: the workspace folders by absolute path, and the paths below them that it leaves out. */
export interface RootTree {
  readonly folders: TreeEntries;
  readonly leftOut: readonly string[];
}

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

export const encodeRoot = ({folders, leftOut}: RootTree): string =>
  JSON.stringify({folders: [...folders].map(([name, node]) => rowOf(name, node)), leftOut: leftOut.toSorted()});

export function decodeRoot(text: string): RootTree | undefined {
  const json = parseJson(text);
  const parsed = json.tag === 'ok' ? rootSchema.safeParse(json.value) : undefined;
  return parsed?.success === true ? {folders: entriesOf(parsed.data.folders), leftOut: parsed.data.leftOut} : undefined;
}

/** True if two nodes are equal. Folder contents aren't compared, because they have their own paths. */
export function sameNode(a: TreeNode | undefined, b: TreeNode | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  if (a.kind === 'file') return b.kind === 'file' && a.mode === b.mode && a.hash === b.hash;
  if (a.kind === 'link') return b.kind === 'link' && a.target === b.target;
  return b.kind === 'folder' && a.mode === b.mode;
}

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
      return ['f', name, node.mode, node.hash];
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
          return [row[1], {kind: 'file', mode: row[2], hash: row[3]}];
        case 'l':
          return [row[1], {kind: 'link', target: row[2]}];
        default:
          return [row[1], {kind: 'folder', mode: row[2], tree: row[3]}];
      }
    }),
  );
}

const rowSchema = z.union([
  z.tuple([z.literal('f'), z.string(), z.int(), z.string()]),
  z.tuple([z.literal('l'), z.string(), z.string()]),
  z.tuple([z.literal('d'), z.string(), z.int(), z.string()]),
]);
const rowsSchema = z.array(rowSchema);
const rootSchema = z.object({folders: rowsSchema, leftOut: z.array(z.string())});

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
export function makeTreeReader(objects: ObjectStore) {
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

  /** Returns the paths that differ, folders before their content. */
  const differences = (from: string, to: string): readonly Difference[] =>
    compare('', {from: root(from).folders, to: root(to).folders});
  return {root, at, differences};
}

const lostCheckpoint = (tree: string): LostCheckpoint =>
  new LostCheckpoint(
    {
      kind: 'needs-user',
      message: `The checkpoint was deleted or is damaged (${tree.slice(0, 12)}).`,
      fix: 'Try an earlier or later one: /rewind lists them.',
    },
    undefined,
  );
