import {type SessionCheckpoints, treeId} from '../../domain/checkpoint.ts';
import {rmSync, statSync, utimesSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {setImmediate as yieldToEventLoop} from 'node:timers/promises';
import {treesOfKilledReverts} from './killed-reverts.ts';
import {openObjects, objectFileName, type ObjectStore} from './object-store.ts';
import {lockForPruning, registerUse} from './store-lock.ts';
import {decodeRoot, decodeEntries, type TreeNode} from './tree.ts';
import {entryNames} from '../files/list-folder.ts';

const hour = 60 * 60 * 1000;
const day = 24 * hour;

/** How long a session's checkpoints are kept after its last write, and the total bytes beyond which the oldest are deleted. */
const maxAgeDays = 30;
const maxBytes = 2 * 1024 * 1024 * 1024;

/** Milliseconds of work before yielding to the event loop. */
const sliceMs = 12;

export interface PruneRequest {
  readonly folder: string;
  /** All sessions that are kept, newest first. */
  readonly sessions: readonly SessionCheckpoints[];
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly maxBytes?: number;
}

/**
 * Deletes the checkpoints of sessions that are too old or beyond the size limit, and joins the rest into packs. The newest session always
 * stays. Returns `in-use`, and deletes nothing, if another process is using the checkpoints. If weft is killed at any moment, everything
 * needed is still there.
 */
export async function pruneCheckpoints(request: PruneRequest): Promise<'pruned' | 'in-use'> {
  const {folder, now} = request;
  const use = lockForPruning(folder);
  const objects = openObjects(join(folder, 'objects'), {});
  if (use === undefined) {
    // This reads what all sessions stored, so the next session must not do it again.
    writeStamp(folder, triedName, now);
    // A sweep by another process may delete packs that it does not know, so neither runs during the other.
    await registerUse(folder, new AbortController().signal);
    await objects.join(makePause());
    return 'in-use';
  }
  try {
    // The tables of folders refer to objects that may be deleted now.
    for (const name of entryNames(folder)) if (name.startsWith('seen-')) rmSync(join(folder, name), {force: true});
    const [newest = {updatedAt: now, trees: []}, ...others] = request.sessions;
    const {treesOfDryRuns} = await import('./dry-runs.ts');
    const trees = [...newest.trees, ...[...treesOfKilledReverts(folder), ...treesOfDryRuns(folder)].map(treeId)];
    const sessions = [{...newest, trees}, ...others];
    await objects.sweep(await objectsToKeep({...request, sessions}, objects), makePause());
    await objects.join(makePause());
    writeStamp(folder, stampName, now);
    return 'pruned';
  } finally {
    use.release();
  }
}

/**
 * True if the last pruning was over a day ago, and the last attempt during another process's use over an hour ago. Without checkpoints
 * there is nothing to prune.
 */
export function isPruningDue(folder: string, now: number): boolean {
  // A stamp in the future is of a clock that was wrong.
  const isOlder = (name: string, age: number): boolean => {
    const stamp = statSync(join(folder, name), {throwIfNoEntry: false});
    return stamp === undefined || Math.abs(now - stamp.mtimeMs) > age;
  };
  const hasObjects = statSync(join(folder, 'objects'), {throwIfNoEntry: false}) !== undefined;
  return hasObjects && isOlder(stampName, day) && isOlder(triedName, hour);
}

const stampName = 'pruned';
const triedName = 'tried';

/** Returns a text that differs after objects have been deleted. */
export function pruneStamp(folder: string): string {
  const stats = statSync(join(folder, stampName), {throwIfNoEntry: false});
  return stats === undefined ? '' : `${String(stats.ino)} ${String(stats.ctimeMs)}`;
}

function writeStamp(folder: string, name: string, now: number): void {
  const path = join(folder, name);
  writeFileSync(path, '', {mode: 0o600});
  utimesSync(path, now / 1000, now / 1000);
}

async function objectsToKeep(
  {sessions, now, maxBytes: most = maxBytes}: PruneRequest,
  objects: ObjectStore,
): Promise<ReadonlySet<string>> {
  const kept = new Map<string, number>();
  let total = 0;
  const [newest, ...others] = sessions;
  if (newest !== undefined) {
    await addNeeded(newest, {objects, kept, fresh: kept});
    total = sum(kept);
  }
  for (const session of others) {
    if (session.trees.length === 0) continue;
    if (now - session.updatedAt > maxAgeDays * day) break;
    const fresh = new Map<string, number>();
    await addNeeded(session, {objects, kept, fresh});
    total += sum(fresh);
    if (total > most) break;
    for (const [place, bytes] of fresh) kept.set(place, bytes);
  }
  return new Set(kept.keys());
}

const sum = (sizes: ReadonlyMap<string, number>): number => [...sizes.values()].reduce((all, one) => all + one, 0);

/** Adds the file names and sizes of all objects that the session's trees need and that are not in `kept` to `fresh`. */
async function addNeeded(
  {trees}: SessionCheckpoints,
  to: {
    readonly objects: ObjectStore;
    readonly kept: ReadonlyMap<string, number>;
    readonly fresh: Map<string, number>;
  },
): Promise<void> {
  const {objects, kept, fresh} = to;
  const pause = makePause();
  const isNew = (name: string): boolean => {
    const place = objectFileName(name);
    if (kept.has(place) || fresh.has(place)) return false;
    fresh.set(place, objects.sizeOf(name));
    return true;
  };
  const waiting: {readonly name: string; readonly kind: 'root' | 'tree'}[] = [];
  for (const name of trees) if (isNew(name)) waiting.push({name, kind: 'root'});
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    await pause();
    for (const node of nodesIn(next, objects)) {
      if (node.kind === 'file') isNew(node.hash);
      if (node.kind === 'folder' && isNew(node.tree)) waiting.push({name: node.tree, kind: 'tree'});
    }
  }
}

/** Returns the nodes of a tree; none if it is missing or damaged. */
function nodesIn(
  {name, kind}: {readonly name: string; readonly kind: 'root' | 'tree'},
  objects: ObjectStore,
): readonly TreeNode[] {
  const text = objects.get(name)?.toString() ?? '';
  const entries = kind === 'root' ? decodeRoot(text)?.folders : decodeEntries(text);
  return [...(entries?.values() ?? [])];
}

function makePause(): () => Promise<void> {
  let ends = Date.now() + sliceMs;
  return async () => {
    if (Date.now() < ends) return;
    await yieldToEventLoop();
    ends = Date.now() + sliceMs;
  };
}
