import {hash} from 'node:crypto';
import {realpathSync} from 'node:fs';
import {join, sep} from 'node:path';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {treeId, type CheckpointsPort, type OpenFileChange, type RevertReport} from '../../domain/checkpoint.ts';
import {causeText, type Fault} from '../../domain/fault.ts';
import {carryOutRevert, type Refused} from './carry-out-revert.ts';
import {openObjects} from './object-store.ts';
import {notCovered} from './not-covered.ts';
import {planRevert, type RevertPlan} from './plan-revert.ts';
import {scanAhead, scanWorkspace, type Scan, type ScanPlace} from './scan-workspace.ts';
import {emptyStatCache, loadStatCache, saveStatCache, type SeenFile, type StatCache} from './stat-cache.ts';
import {useStore} from './store-use.ts';
import {LostCheckpoint, makeTreeReader} from './tree-reader.ts';

export interface CheckpointPlace {
  /** The workspace folders. */
  readonly roots: readonly string[];
  /** Where checkpoints are kept, of all workspaces; need not exist. */
  readonly folder: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly now: () => number;
}

/** Milliseconds for which a question waits to be told what undo does not cover. */
const questionWaitsMs = 400;

/** Checkpoints of the files below some folders, kept outside of them; no repository is needed, and none is written to. */
export function makeCheckpoints(place: CheckpointPlace): CheckpointsPort {
  const {folder, environment, now} = place;
  const roots = outermost(place.roots.map(realPath));
  const objects = openObjects(join(folder, 'objects'), environment);
  const reader = makeTreeReader(objects);
  const cacheFile = join(folder, `seen-${hash('sha256', roots.join('\0'), 'hex').slice(0, 16)}.json`);
  let cache: StatCache | undefined;
  // Found out once: walking through it again would cost as much.
  let tooLarge: Fault | undefined;

  let ahead: StatCache = emptyStatCache;
  let looking: {readonly stop: AbortController; readonly done: Promise<void>} | undefined;

  const seenBefore = async (signal: AbortSignal): Promise<StatCache> => {
    if (cache === undefined) await useStore(folder, signal);
    return (cache ??= loadStatCache(cacheFile));
  };
  const scanPlace = (): ScanPlace => ({roots, never: new Set([realPath(folder)]), objects, environment});
  const lookAhead = async (signal: AbortSignal): Promise<void> => {
    const known = {cache: await seenBefore(signal), ahead, now};
    const found = new Map<string, SeenFile>();
    // Filled while it is looked; a file that changes after this moment looks different by then.
    ahead = {files: found, folders: new Map(), since: now()};
    await scanAhead(scanPlace(), {...known, found}, signal);
  };
  const scan = async (signal: AbortSignal): Promise<Outcome<Scan, Fault>> => {
    looking?.stop.abort();
    await looking?.done;
    looking = undefined;
    if (tooLarge !== undefined) return failed(tooLarge);
    const scanned = await scanWorkspace(scanPlace(), {cache: await seenBefore(signal), ahead, now}, signal);
    ahead = emptyStatCache;
    if (scanned.tag === 'ok') cache = scanned.value.cache;
    else tooLarge = scanned.error;
    objects.flush();
    return scanned;
  };
  const plan = async (
    changes: readonly OpenFileChange[],
    signal: AbortSignal,
  ): Promise<Outcome<{readonly scanned: Scan; readonly plan: RevertPlan}, Fault>> => {
    const scanned = await scan(signal);
    if (scanned.tag === 'failed') return scanned;
    const {tree} = scanned.value;
    const known = changes.map(({before, after}) => ({before, after: after === 'now' ? tree : after}));
    const planned = await planRevert(known, {now: tree, reader, objects});
    signal.throwIfAborted();
    return ok({scanned: scanned.value, plan: planned});
  };
  let kept = '';
  const keepSeen = (scanned: Scan): void => {
    if (scanned.tree !== kept) saveStatCache(cacheFile, scanned.cache);
    kept = scanned.tree;
  };

  return {
    async lookAhead(signal) {
      if (looking !== undefined || tooLarge !== undefined) return;
      const stop = new AbortController();
      // What could not be looked at is looked at when it is kept, and told then.
      const done = lookAhead(AbortSignal.any([stop.signal, signal])).catch(() => {});
      looking = {stop, done};
      await done;
      if (looking?.done === done) looking = undefined;
    },
    notCovered: (touched, signal) => notCovered(touched, {...scanPlace(), limitMs: questionWaitsMs}, signal),
    take: signal =>
      attempt(async () => {
        const scanned = await scan(signal);
        if (scanned.tag === 'failed') return scanned;
        keepSeen(scanned.value);
        return ok(treeId(scanned.value.tree));
      }),
    preview: (changes, signal) =>
      attempt(async () => {
        const planned = await plan(changes, signal);
        return planned.tag === 'ok' ? ok(reportOf(planned.value, [])) : planned;
      }),
    revert: (changes, signal) =>
      attempt(async () => {
        const planned = await plan(changes, signal);
        if (planned.tag === 'failed') return planned;
        const {scanned} = planned.value;
        objects.fetch(planned.value.plan.steps.flatMap(({wanted}) => (wanted?.kind === 'file' ? [wanted.hash] : [])));
        const refused = carryOutRevert(planned.value.plan.steps, {objects, seen: scanned.cache.files});
        const after = await scan(new AbortController().signal);
        if (after.tag === 'failed') return after;
        keepSeen(after.value);
        const change = {before: treeId(scanned.tree), after: treeId(after.value.tree)};
        return ok({report: reportOf(planned.value, refused), change});
      }),
  };
}

/** The workspace folders a checkpoint is of; `undefined` where it is not kept any more. */
export function keptRoots(folder: string, tree: string): readonly string[] | undefined {
  try {
    return [
      ...makeTreeReader(openObjects(join(folder, 'objects'), {}))
        .root(tree)
        .folders.keys(),
    ];
  } catch (cause) {
    if (cause instanceof LostCheckpoint) return undefined;
    throw cause;
  }
}

async function attempt<T>(work: () => Promise<Outcome<T, Fault>>): Promise<Outcome<T, Fault>> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof LostCheckpoint) return failed(cause.fault);
    const message = `A checkpoint of the files failed: ${causeText(cause)}`;
    return failed({
      kind: 'needs-user',
      message,
      fix: 'Look at the folder that is named, and at the space on the disk.',
    });
  }
}

/** Folders are told of only by what is in them. */
function reportOf(
  {scanned, plan}: {readonly scanned: Scan; readonly plan: RevertPlan},
  refused: readonly Refused[],
): RevertReport {
  const failedAt = new Set(refused.map(({path}) => path));
  const files = plan.steps.filter(
    ({path, is, wanted}) => !failedAt.has(path) && (is ?? wanted)?.kind !== 'folder' && wanted?.kind !== 'folder',
  );
  return {
    files: files.map(({path, effect}) => ({path, effect})).toSorted((a, b) => (a.path < b.path ? -1 : 1)),
    conflicts: [...plan.conflicts, ...refused].toSorted((a, b) => (a.path < b.path ? -1 : 1)),
    leftOut: scanned.leftOut,
  };
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** Without those that lie within another one. */
const outermost = (roots: readonly string[]): readonly string[] =>
  [...new Set(roots)].filter(
    root => !roots.some(other => other !== root && root.startsWith(other.endsWith(sep) ? other : other + sep)),
  );
