import type {WorkspaceChanges} from '../../actions/changes-port.ts';
import type {FileDiff} from '../../actions/preview.ts';
import type {TreeChange} from '../../domain/checkpoint.ts';
import {diffHunks} from '../files/diff-hunks.ts';
import {shownText} from '../files/plan-edits.ts';
import {relative} from 'node:path';
import {holds} from '../files/resolve-path.ts';
import type {ObjectStore} from './object-store.ts';
import {type Difference, liesIn, type TreeNode, type TreeReader} from './tree.ts';

/** Files whose lines are compared, bytes of the largest of them, and lines that go or come of one that are shown. */
const mostFiles = 50;
const largestFile = 1024 * 1024;
const mostLines = 2000;

/**
 * What changed between two checkpoints, as diffs of files and links; folders are not named. Paths below `root` are relative to it.
 * Throws a `LostCheckpoint` where one is gone.
 */
export async function treeDiffs(
  {before, after}: TreeChange,
  {root, reader, objects}: {readonly root: string; readonly reader: TreeReader; readonly objects: ObjectStore},
): Promise<WorkspaceChanges> {
  if (before === after) return {files: [], more: 0};
  const leftOut = new Set([before, after].flatMap(tree => reader.root(tree).leftOut));
  const changed = reader
    .differences(before, after)
    .filter(({path, from, to}) => (isFile(from) || isFile(to)) && !liesIn(path, leftOut))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const compared = changed.slice(0, mostFiles);
  objects.fetch(
    compared.flatMap(({from, to}) => [from, to].flatMap(node => (node?.kind === 'file' ? [node.hash] : []))),
  );
  const files: FileDiff[] = [];
  for (const difference of compared) {
    // oxlint-disable-next-line no-await-in-loop -- one file after the other bounds what is in memory
    const diff = await diffOf(difference, objects);
    if (diff !== undefined) files.push(holds(root, diff.path) ? {...diff, path: relative(root, diff.path)} : diff);
  }
  return {files, more: changed.length - compared.length};
}

const isFile = (node: TreeNode | undefined): boolean => node !== undefined && node.kind !== 'folder';

/** `undefined` where the content is the same, by whatever name it is stored. */
async function diffOf({path, from, to}: Difference, objects: ObjectStore): Promise<FileDiff | undefined> {
  const states = {before: stateOf(from), after: stateOf(to)};
  const named = {path, ...states, movedFrom: undefined};
  const uncounted = {added: 0, removed: 0, hunks: []};
  if ([from, to].some(node => node?.kind === 'file' && objects.sizeOf(node.hash) > largestFile))
    return {...named, ...uncounted, notes: ['it is too large to be shown']};
  const [old, now] = [contentOf(from, objects), contentOf(to, objects)];
  const notes = noteOf(from, to);
  if (old !== undefined && now !== undefined && old.equals(now))
    return notes.length === 0 ? undefined : {...named, ...uncounted, notes};
  return {...named, ...(await diffHunks(shownText(old), shownText(now), mostLines)), notes};
}

function stateOf(node: TreeNode | undefined): string {
  if (!isFile(node)) return 'absent';
  return node?.kind === 'file' ? node.hash : 'link';
}

/** A link is where it leads. */
function contentOf(node: TreeNode | undefined, objects: ObjectStore): Buffer | undefined {
  if (node?.kind === 'link') return Buffer.from(node.target);
  return node?.kind === 'file' ? objects.get(node.hash) : undefined;
}

function noteOf(from: TreeNode | undefined, to: TreeNode | undefined): readonly string[] {
  if (from?.kind === 'file' && to?.kind === 'file' && from.mode !== to.mode)
    return [`its permissions are ${to.mode.toString(8)} now, they were ${from.mode.toString(8)}`];
  return to?.kind === 'link' ? ['it is a symbolic link'] : [];
}
