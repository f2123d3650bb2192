import {constants, lstatSync, type Stats} from 'node:fs';
import {join} from 'node:path';
import {hasCode} from '../../domain/fault.ts';
import {isTemporaryName} from '../files/folder-handle.ts';
import {canAccess} from '../files/regular-files.ts';
import {
  type CachedFile,
  type FolderTable,
  lstatOf,
  readLinkNode,
  rowsByName,
  sortedNames,
  toCachedFile,
} from './folder-table.ts';
import {
  goneCodes,
  maxFileBytes,
  type Scan,
  type ScanContext,
  unreadableCodes,
  versionControlFolders,
} from './scan-workspace.ts';
import {encodeEntries, encodeRoot, fileNode, type RelatedPaths, relatedTo, type TreeNode} from './tree.ts';

export interface PathScan extends Scan {
  readonly files: ReadonlyMap<string, CachedFile>;
}

/**
 * Stores the state of named paths and of what is below them. Neither git nor the rest of the workspace is looked at, so
 * that the cost does not depend on the size of the workspace. Files that the table knows aren't read.
 */
export function scanPaths(
  context: Omit<ScanContext, 'environment'>,
  {paths, table}: {readonly paths: readonly string[]; readonly table: FolderTable},
  signal: AbortSignal,
): PathScan {
  const related = relatedTo(paths);
  const walk: Walk = {...context, related, table, signal, leftOut: [], files: new Map()};
  const folders = new Map<string, TreeNode>();
  for (const root of context.roots) {
    const stats = lstatSync(root, {throwIfNoEntry: false});
    const node = stats?.isDirectory() === true ? folderNode(root, stats, walk) : undefined;
    if (node !== undefined) folders.set(root, node);
  }
  const {leftOut, files} = walk;
  const tree = context.objects.put(encodeRoot({folders, leftOut, covered: [...related.paths]}));
  return {tree, leftOut, files};
}

interface Walk extends Omit<ScanContext, 'environment'> {
  readonly related: RelatedPaths;
  readonly table: FolderTable;
  readonly signal: AbortSignal;
  readonly leftOut: string[];
  readonly files: Map<string, CachedFile>;
}

function folderNode(
  path: string,
  stats: Stats,
  walk: Walk,
  isWhole = walk.related.paths.has(path),
): TreeNode | undefined {
  walk.signal.throwIfAborted();
  const names = isWhole ? sortedNames(path) : (walk.related.below.get(path) ?? []);
  if (names === undefined) return leaveOut(path, walk);
  const record = walk.table.folders.get(path);
  const rowOf = rowsByName(record, names);
  const nodes = new Map<string, TreeNode>();
  for (const [at, name] of names.entries()) {
    const below = join(path, name);
    if (versionControlFolders.has(name) || isTemporaryName(name) || walk.excluded.has(below)) continue;
    const own = rowOf(at);
    const node = nodeAt(
      below,
      {
        isWhole: isWhole || walk.related.paths.has(below),
        lastHash: now => (own >= 0 && record?.isUnchanged(own, now) === true ? record.fileAt(own)?.hash : undefined),
      },
      walk,
    );
    if (node !== undefined) nodes.set(name, node);
  }
  return {kind: 'folder', mode: stats.mode & 0o7777, tree: walk.objects.put(encodeEntries(nodes))};
}

function nodeAt(
  path: string,
  {isWhole, lastHash}: {readonly isWhole: boolean; readonly lastHash: (stats: Stats) => string | undefined},
  walk: Walk,
): TreeNode | undefined {
  // A name that is not UTF-8 can't be turned back into the path of the file.
  const stats = path.includes('\uFFFD') ? 'unreadable' : lstatOf(path);
  if (stats === 'gone') return undefined;
  if (stats === 'unreadable') return leaveOut(path, walk);
  if (stats.isSymbolicLink()) return readLinkNode(path);
  if (stats.isDirectory()) return folderNode(path, stats, walk, isWhole);
  if (!stats.isFile()) return undefined;
  if (stats.size > maxFileBytes) return leaveOut(path, walk);
  try {
    const hash = lastHash(stats) ?? walk.objects.putFile(path);
    walk.files.set(path, toCachedFile(stats, hash));
    return fileNode(stats, hash);
  } catch (cause) {
    if (hasCode(cause, ...unreadableCodes)) return leaveOut(path, walk);
    if (hasCode(cause, ...goneCodes)) return undefined;
    throw cause;
  }
}

function leaveOut(path: string, {leftOut}: Walk): undefined {
  leftOut.push(path);
}

/** True if checkpoints leave out a file even if it is named. */
export function isLeftOutByName(path: string): boolean {
  const stats = lstatOf(path);
  if (typeof stats === 'string' || !stats.isFile()) return stats === 'unreadable';
  return stats.size > maxFileBytes || !canAccess(path, constants.R_OK);
}
