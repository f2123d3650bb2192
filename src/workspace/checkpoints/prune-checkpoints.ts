import {rmSync, statSync, utimesSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {setImmediate as breathe} from 'node:timers/promises';
import type {SessionTrees} from '../../domain/checkpoint.ts';
import {openObjects, placeOf, type ObjectStore} from './object-store.ts';
import {soleUse} from './store-use.ts';
import {decodeRoot, decodeTree, type TreeNode} from './tree.ts';
import {namesIn} from '../names-in.ts';

const day = 24 * 60 * 60 * 1000;

/** How long the checkpoints of a session are kept after it was last written to, and bytes beyond which the oldest ones go. */
const keptDays = 30;
const mostBytes = 2 * 1024 * 1024 * 1024;

/** Milliseconds after which others get a turn. */
const stretchMs = 12;

export interface PruneRequest {
  /** Where checkpoints are kept. */
  readonly folder: string;
  /** All sessions that are kept, the newest first. */
  readonly sessions: readonly SessionTrees[];
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly mostBytes?: number;
}

/**
 * Removes what no checkpoint of a session needs that is kept long enough and fits; the newest session is always kept. `in-use`
 * where another process works with the checkpoints: then nothing is removed. Killed at any moment it has removed nothing that
 * is needed.
 */
export async function pruneCheckpoints(request: PruneRequest): Promise<'pruned' | 'in-use'> {
  const {folder, now} = request;
  const use = soleUse(folder);
  if (use === undefined) return 'in-use';
  try {
    // They promise that objects are there.
    for (const name of namesIn(folder)) if (/^seen-.*\.json/u.test(name)) rmSync(join(folder, name), {force: true});
    const objects = openObjects(join(folder, 'objects'), {});
    await objects.sweep(await placesToKeep(request, objects), pauses());
    stamp(folder, now);
    return 'pruned';
  } finally {
    use.end();
  }
}

/** Whether the last pruning is so long ago that another one is worth its time; where nothing is kept yet, the count begins. */
export function isPruningDue(folder: string, now: number): boolean {
  const last = statSync(join(folder, stampName), {throwIfNoEntry: false});
  if (last !== undefined) return now - last.mtimeMs > day;
  if (statSync(join(folder, 'objects'), {throwIfNoEntry: false}) !== undefined) return true;
  return false;
}

const stampName = 'pruned';

function stamp(folder: string, now: number): void {
  const path = join(folder, stampName);
  writeFileSync(path, '', {mode: 0o600});
  utimesSync(path, now / 1000, now / 1000);
}

async function placesToKeep(
  {sessions, now, mostBytes: most = mostBytes}: PruneRequest,
  objects: ObjectStore,
): Promise<ReadonlySet<string>> {
  const kept = new Map<string, number>();
  let total = 0;
  const [newest, ...others] = sessions;
  if (newest !== undefined) {
    await mark(newest, {objects, kept, fresh: kept});
    total = sum(kept);
  }
  for (const session of others) {
    if (session.trees.length === 0) continue;
    if (now - session.updatedAt > keptDays * day) break;
    const fresh = new Map<string, number>();
    await mark(session, {objects, kept, fresh});
    total += sum(fresh);
    if (total > most) break;
    for (const [place, bytes] of fresh) kept.set(place, bytes);
  }
  return new Set(kept.keys());
}

const sum = (sizes: ReadonlyMap<string, number>): number => [...sizes.values()].reduce((all, one) => all + one, 0);

/** Adds the places, with their sizes, of all that a session's trees need and that is not kept anyway. */
async function mark(
  {trees}: SessionTrees,
  to: {
    readonly objects: ObjectStore;
    readonly kept: ReadonlyMap<string, number>;
    readonly fresh: Map<string, number>;
  },
): Promise<void> {
  const {objects, kept, fresh} = to;
  const pause = pauses();
  const isNew = (name: string): boolean => {
    const place = placeOf(name);
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

/** What is missing or damaged holds nothing. */
function nodesIn(
  {name, kind}: {readonly name: string; readonly kind: 'root' | 'tree'},
  objects: ObjectStore,
): readonly TreeNode[] {
  const text = objects.get(name)?.toString() ?? '';
  const entries = kind === 'root' ? decodeRoot(text)?.folders : decodeTree(text);
  return [...(entries?.values() ?? [])];
}

function pauses(): () => Promise<void> {
  let ends = Date.now() + stretchMs;
  return async () => {
    if (Date.now() < ends) return;
    await breathe();
    ends = Date.now() + stretchMs;
  };
}
