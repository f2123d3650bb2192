import {gitBlobNameOf, isGitBlobName} from './git-blobs.ts';
import type {ObjectStore} from './object-store.ts';
import {contentNames, type Difference, type FileNode, sameNode, type TreeNode} from './tree.ts';

/** The result of a merge: a node, or why there is none. */
export type Merged =
  | {readonly kind: 'clean' | 'merged'; readonly node: TreeNode | undefined}
  | {readonly kind: 'conflict'; readonly reason: string};

/** Merges one path three ways. `had`: the state after the change. `want`: the state before it. `is`: the current state. */
export async function mergeNode(
  {had, want, is}: Record<'had' | 'want' | 'is', Difference['to']>,
  objects: ObjectStore,
): Promise<Merged> {
  const same = makeNodeComparison(objects, [had, want, is]);
  if (same(is, want) || same(had, want)) return {kind: 'clean', node: is};
  if (same(is, had)) return {kind: 'clean', node: want};
  if (is === undefined) return {kind: 'conflict', reason: 'it has been deleted since'};
  if (had?.kind === 'folder' && is.kind === 'folder') {
    if (want === undefined) return {kind: 'clean', node: undefined};
    if (want.kind === 'folder') {
      const mode = mergeMode(had.mode, want.mode, is.mode);
      return mode === undefined ? modeConflict : {kind: 'clean', node: {...is, mode}};
    }
  }
  if (had?.kind !== 'file' || want?.kind !== 'file' || is.kind !== 'file') {
    return {kind: 'conflict', reason: had === undefined ? 'it was created again since' : 'it was changed since'};
  }
  const hash = await mergeContent({had, want, is}, objects);
  if (hash === undefined) return {kind: 'conflict', reason: 'it was changed since in the same place'};
  const mode = mergeMode(had.mode, want.mode, is.mode);
  if (mode === undefined && hash === is.hash) return modeConflict;
  return {kind: hash === want.hash ? 'clean' : 'merged', node: {...want, mode: mode ?? is.mode, hash}};
}

/**
 * Returns a comparison of nodes. If one tree names file content by its hash and another names it by its git blob, the
 * stored content decides.
 */
export function makeNodeComparison(
  objects: Pick<ObjectStore, 'get'>,
  nodes: readonly (TreeNode | undefined)[],
): (a: TreeNode | undefined, b: TreeNode | undefined) => boolean {
  const names = contentNames(nodes);
  if (!names.some(isGitBlobName) || names.every(isGitBlobName)) return sameNode;
  const named = (node: TreeNode | undefined): TreeNode | undefined => {
    if (node?.kind !== 'file' || isGitBlobName(node.hash)) return node;
    const bytes = objects.get(node.hash);
    const name = bytes === undefined ? '' : gitBlobNameOf(bytes);
    return names.includes(name) ? {...node, hash: name} : node;
  };
  return (a, b) => sameNode(a, b) || sameNode(named(a), named(b));
}

const modeConflict = {kind: 'conflict', reason: 'its permissions were changed since'} as const;

/** Returns the merged permissions, or `undefined` if two changes contradict each other. */
const mergeMode = (had: number, want: number, is: number): number | undefined =>
  is === had ? want : had === want || is === want ? is : undefined;

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

/** The size of a file in bytes, and the changed lines in it, beyond which changes aren't merged. */
const maxBytes = 4 * 1024 * 1024;
const maxEdits = 2000;

/** Replaces lines `from` to `to` (half open) of the common text with `lines`. */
interface Replacement {
  readonly from: number;
  readonly to: number;
  readonly lines: readonly string[];
}

/**
 * Merges two changes of a text; all other bytes stay. Returns `undefined` for binary content, and if the changes touch the same or adjacent
 * lines.
 */
async function mergeText(texts: {
  readonly common: Uint8Array;
  readonly ours: Uint8Array;
  readonly theirs: Uint8Array;
}): Promise<Uint8Array | undefined> {
  const all = [texts.common, texts.ours, texts.theirs];
  if (all.some(bytes => bytes.length > maxBytes || bytes.includes(0))) return undefined;
  const common = splitLines(texts.common);
  const ours = await replacements(common, splitLines(texts.ours));
  const theirs = await replacements(common, splitLines(texts.theirs));
  if (ours === undefined || theirs === undefined) return undefined;
  const merged: string[] = [];
  let at = 0;
  let last: Replacement | undefined;
  for (const next of [...ours, ...theirs].toSorted((a, b) => a.from - b.from || a.to - b.to)) {
    // A replacement that both changes made counts once.
    if (last !== undefined && isSame(last, next)) continue;
    if (last !== undefined && next.from <= last.to) return undefined;
    merged.push(...common.slice(at, next.from), ...next.lines);
    at = next.to;
    last = next;
  }
  return Buffer.from([...merged, ...common.slice(at)].join(''), 'latin1');
}

/** Splits a text into lines with their line feeds. Latin-1 has a character for every byte, so no byte is lost. */
export function splitLines(bytes: Uint8Array): readonly string[] {
  const lines = Buffer.from(bytes).toString('latin1').split('\n');
  const last = lines.pop() ?? '';
  return [...lines.map(line => `${line}\n`), ...(last === '' ? [] : [last])];
}

async function replacements(
  before: readonly string[],
  after: readonly string[],
): Promise<readonly Replacement[] | undefined> {
  const {diffArrays} = await import('diff');
  const parts = diffArrays([...before], [...after], {maxEditLength: maxEdits});
  if (parts === undefined) return undefined;
  const found: Replacement[] = [];
  let at = 0;
  let open: {from: number; to: number; lines: string[]} | undefined;
  for (const part of parts) {
    if (!part.added && !part.removed) {
      if (open !== undefined) found.push(open);
      open = undefined;
      at += part.value.length;
      continue;
    }
    open ??= {from: at, to: at, lines: []};
    if (part.added) open.lines.push(...part.value);
    else {
      at += part.value.length;
      open.to = at;
    }
  }
  if (open !== undefined) found.push(open);
  return found;
}

const isSame = (a: Replacement, b: Replacement): boolean =>
  a.from === b.from && a.to === b.to && a.lines.join('') === b.lines.join('');
