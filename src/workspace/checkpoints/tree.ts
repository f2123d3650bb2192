import {posix} from 'node:path';
import * as z from 'zod/mini';
import {parseJson} from '../../base/json.ts';

/** What is kept of one path. Modes are permission bits; `hash` and `tree` name objects. */
export type TreeNode =
  | {readonly kind: 'file'; readonly mode: number; readonly hash: string}
  | {readonly kind: 'link'; readonly target: string}
  | {readonly kind: 'folder'; readonly mode: number; readonly tree: string};

export type TreeEntries = ReadonlyMap<string, TreeNode>;

/** A whole checkpoint: the roots of the workspace by absolute path, and what below them is not kept. */
export interface RootTree {
  readonly folders: TreeEntries;
  readonly leftOut: readonly string[];
}

/** The same entries make the same text, whatever their order was. */
export function encodeTree(entries: TreeEntries): string {
  const rows = [...entries].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, node]) => rowOf(name, node));
  return JSON.stringify(rows);
}

/** `undefined` for what is no tree. */
export function decodeTree(text: string): TreeEntries | undefined {
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

/** Whether two nodes are the same to whoever looks at that path alone: what is in a folder has paths of its own. */
export function sameNode(a: TreeNode | undefined, b: TreeNode | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  if (a.kind === 'file') return b.kind === 'file' && a.mode === b.mode && a.hash === b.hash;
  if (a.kind === 'link') return b.kind === 'link' && a.target === b.target;
  return b.kind === 'folder' && a.mode === b.mode;
}

/** Whether the path is one of `places` or lies below one. */
export function liesIn(path: string, places: ReadonlySet<string>): boolean {
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
