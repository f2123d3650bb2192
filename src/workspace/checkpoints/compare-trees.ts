import type {FileDiff} from '../../actions/preview.ts';
import type {ChangedFiles} from '../../actions/review-port.ts';
import {byteSize} from '../../base/byte-size.ts';
import {diffHunks} from '../files/diff-hunks.ts';
import {textForDiff, withTruncationNote} from '../files/plan-edits.ts';
import type {ObjectStore} from './object-store.ts';
import {makeNodeComparison} from './merge-node.ts';
import {contentNames, type Difference, type TreeNode, type TreeReader} from './tree.ts';

/** The maximum number of files that are compared line by line, and of bytes of each. */
const maxFiles = 300;
const maxBytes = 2 * 1024 * 1024;
/** The maximum number of added, and of removed, lines of a change that is too large to match line by line. */
const maxShown = 5000;

/** The trees before and after a change, each list in order. */
export interface ComparedTrees {
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/**
 * Returns the files that differ before the first and after the last of these changes, oldest first, sorted by path. A file that is the
 * same again is left out, and so is what happened between two changes to files that none of them touched.
 */
export function changedNodes(
  changes: readonly ComparedTrees[],
  {reader, objects}: {readonly reader: TreeReader; readonly objects: Pick<ObjectStore, 'get'>},
): readonly Difference[] {
  const found = new Map<string, Difference>();
  for (const {before, after} of changes) {
    for (const each of reader.differences(before, after)) {
      const known = found.get(each.path);
      found.set(each.path, known === undefined ? each : {...each, from: known.from});
    }
  }
  return [...found.values()]
    .map(({path, from, to}) => ({path, from: unlessFolder(from), to: unlessFolder(to)}))
    .filter(({from, to}) => !makeNodeComparison(objects, [from, to])(from, to))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

/** A file in place of a folder is a created one, because the files of the folder are deleted by themselves. */
const unlessFolder = (node: TreeNode | undefined): TreeNode | undefined => (node?.kind === 'folder' ? undefined : node);

/** Compares the files before the first and after the last of these changes line by line. */
export async function compareTrees(
  changes: readonly ComparedTrees[],
  {reader, objects}: {readonly reader: TreeReader; readonly objects: ObjectStore},
): Promise<ChangedFiles> {
  const files = changedNodes(changes, {reader, objects});
  const shown = files.slice(0, maxFiles);
  objects.fetch(contentNames(shown.flatMap(({from, to}) => [from, to])));
  const diffs: FileDiff[] = [];
  for (const each of shown) diffs.push(await diffOf(each, objects));
  return {files: diffs, more: files.length - shown.length};
}

async function diffOf({path, from, to}: Difference, objects: ObjectStore): Promise<FileDiff> {
  const [before, after] = [contentOf(from, objects), contentOf(to, objects)];
  const [modeBefore, modeAfter] = [modeOf(from), modeOf(to)];
  const notes = [
    ...new Set([before.note, after.note].filter(note => note !== '')),
    ...(modeBefore === '' || modeAfter === '' || modeBefore === modeAfter ? [] : [`mode ${modeBefore} → ${modeAfter}`]),
  ];
  return withTruncationNote({
    path,
    before: from === undefined ? 'absent' : 'present',
    after: to === undefined ? 'absent' : 'present',
    movedFrom: undefined,
    notes,
    ...(await diffHunks(before.text, after.text, maxShown)),
  });
}

const modeOf = (node: TreeNode | undefined): string => (node?.kind === 'file' ? node.mode.toString(8) : '');

/** Returns the text of a file, or a note why there is none to compare. */
function contentOf(node: TreeNode | undefined, objects: ObjectStore): {readonly text: string; readonly note: string} {
  if (node?.kind === 'link') return {text: node.target, note: 'link'};
  if (node?.kind !== 'file') return {text: '', note: ''};
  const size = objects.sizeOf(node.hash);
  if (size > maxBytes) return {text: '', note: `too large to compare (${byteSize(size)})`};
  const bytes = objects.get(node.hash);
  if (bytes === undefined) return {text: '', note: 'the checkpoint no longer has this file'};
  return bytes.includes(0) ? {text: '', note: 'binary file'} : {text: textForDiff(bytes), note: ''};
}
