import {
  type CheckpointsPort,
  type OpenTreeChange,
  type RevertReport,
  type TouchedFiles,
  treeId,
} from '../../domain/checkpoint.ts';
import type {ResolvedCommand} from '../../domain/risk.ts';
import {hash} from 'node:crypto';
import {constants, lstatSync} from 'node:fs';
import {basename, join, relative, sep} from 'node:path';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {openDatabases} from '../../config/open-databases.ts';
import {causeText, type Fault} from '../../domain/fault.ts';
import {byteSize} from '../../base/byte-size.ts';
import {canAccess} from '../files/regular-files.ts';
import {realPath} from '../files/resolve-path.ts';
import {expandPaths} from '../impact/command-words.ts';
import {carryOutRevert, planRevert, type RefusedPath, type RevertPlan} from './revert.ts';
import {openObjects} from './object-store.ts';
import {maxIgnoredFiles, type Scan, scanAhead, scanLeftOut, type ScanPlace, scanWorkspace} from './scan-workspace.ts';
import {emptyStatCache, loadStatCache, saveStatCache, type CachedFile, type StatCache} from './stat-cache.ts';
import {registerUse} from './store-lock.ts';
import {worktreesFolder} from '../worktrees/worktree-record.ts';
import {LostCheckpoint, makeTreeReader} from './tree.ts';

export interface CheckpointPlace {
  readonly roots: readonly string[];
  /** The folder of the checkpoints of all workspaces; need not exist. */
  readonly folder: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly now: () => number;
}

/** Milliseconds for which an approval request waits for the list of what undo does not cover. */
const questionWaitsMs = 400;

/** Checkpoints of the files below some folders, kept outside of them; no repository is needed, and none is written to. */
export function makeCheckpoints(place: CheckpointPlace): CheckpointsPort {
  const {folder, environment, now} = place;
  const roots = outermost(place.roots.map(realPath));
  const objects = openObjects(join(folder, 'objects'), environment);
  const reader = makeTreeReader(objects);
  const cacheFile = join(folder, `seen-${hash('sha256', roots.join('\0'), 'hex').slice(0, 16)}.json`);
  let cache: StatCache | undefined;
  // Remembered: finding it out again would take as long.
  let tooLarge: Fault | undefined;

  let ahead: StatCache = emptyStatCache;
  let looking: {readonly stop: AbortController; readonly done: Promise<void>} | undefined;

  const seenBefore = async (signal: AbortSignal): Promise<StatCache> => {
    if (cache === undefined) await registerUse(folder, signal);
    return (cache ??= loadStatCache(cacheFile));
  };
  const scanPlace = (): ScanPlace => ({
    roots,
    never: new Set([realPath(folder), ...roots.map(worktreesFolder), ...openDatabases()]),
    objects,
    environment,
  });
  const lookAhead = async (signal: AbortSignal): Promise<void> => {
    const known = {cache: await seenBefore(signal), ahead, now};
    const found = new Map<string, CachedFile>();
    // `found` is filled during the scan. A file that changes after this moment has other stats.
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
    changes: readonly OpenTreeChange[],
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
    async prefetch(signal) {
      if (looking !== undefined || tooLarge !== undefined) return;
      const stop = new AbortController();
      // An error occurs again in the scan of the checkpoint, and is reported then.
      const done = lookAhead(AbortSignal.any([stop.signal, signal])).catch(() => {});
      looking = {stop, done};
      await done;
      if (looking?.done === done) looking = undefined;
    },
    uncoveredFiles: (touched, signal) => notCovered(touched, {...scanPlace(), limitMs: questionWaitsMs}, signal),
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

/** The workspace folders of a checkpoint; `undefined` if the checkpoint no longer exists. */
export function checkpointRoots(folder: string, tree: string): readonly string[] | undefined {
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

/** The report of a revert. It names files; folders are not named. */
function reportOf(
  {scanned, plan}: {readonly scanned: Scan; readonly plan: RevertPlan},
  refused: readonly RefusedPath[],
): RevertReport {
  const failedAt = new Set(refused.map(({path}) => path));
  const files = plan.steps.filter(
    ({path, is, wanted}) => !failedAt.has(path) && (is ?? wanted)?.kind !== 'folder' && wanted?.kind !== 'folder',
  );
  return {
    files: files.map(({path, effect}) => ({path, effect})).toSorted((a, b) => (a.path < b.path ? -1 : 1)),
    conflicts: [...plan.conflicts, ...refused].toSorted((a, b) => (a.path < b.path ? -1 : 1)),
    excluded: scanned.leftOut,
  };
}

/** Without those that lie within another one. */
const outermost = (roots: readonly string[]): readonly string[] =>
  [...new Set(roots)].filter(
    root => !roots.some(other => other !== root && root.startsWith(other.endsWith(sep) ? other : other + sep)),
  );

const maxNamed = 3;

/**
 * Names the files that are about to be touched and that checkpoints leave out, such as `data.bin (1.2 GB)`. What is not found within
 * the time limit is not named.
 */
export async function notCovered(
  {paths, commands}: TouchedFiles,
  {limitMs, ...place}: Omit<ScanPlace, 'objects'> & {readonly limitMs: number},
  signal: AbortSignal,
): Promise<readonly string[]> {
  const named = commands.flatMap(command => operandsOf(command, place.environment['HOME'] ?? '/'));
  const touched = [...paths, ...named];
  if (touched.length === 0) return [];
  const found = await scanLeftOut(place, touched, AbortSignal.any([signal, AbortSignal.timeout(limitMs)]));
  const words = found.toSorted().map(path => describe(path, place.roots));
  return words.length > maxNamed ? [...words.slice(0, maxNamed), `${String(words.length - maxNamed)} more`] : words;
}

/** The paths that a destructive command names. */
function operandsOf({argv, directory: written, overwrites}: ResolvedCommand, home: string): readonly string[] {
  const directory = realPath(written);
  const [program, ...words] = argv;
  const end = words.indexOf('--');
  const operands = words.filter((word, at) => !/^-./u.test(word) || (end >= 0 && at > end));
  const cleansIgnored =
    basename(program) === 'git' && operands[0] === 'clean' && words.some(word => /^(?:-\w*x|--x)/u.test(word));
  const named = expandPaths([...operands, ...overwrites], {directory, home});
  return cleansIgnored && operands.length === 1 ? [directory] : named;
}

function describe(path: string, roots: readonly string[]): string {
  const name = roots.map(root => relative(root, path)).find(each => !each.startsWith('..')) ?? path;
  const stats = lstatSync(path, {throwIfNoEntry: false});
  if (stats?.isFile() === true) return `${name} (${byteSize(stats.size)})`;
  return stats?.isDirectory() === true && canAccess(path, constants.R_OK)
    ? `${name} (more than ${String(maxIgnoredFiles)} files)`
    : name;
}
