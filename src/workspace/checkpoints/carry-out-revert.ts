import {
  accessSync,
  chmodSync,
  constants,
  lstatSync,
  mkdirSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  unlinkSync,
} from 'node:fs';
import {dirname, join} from 'node:path';
import {causeText} from '../../domain/fault.ts';
import {temporaryName} from '../files/temporary-name.ts';
import type {ObjectStore} from './object-store.ts';
import type {RevertStep} from './plan-revert.ts';
import {looksAsSeen, type SeenFile} from './stat-cache.ts';

/** What could not be done, and why; what it names is as it was. */
export type Refused = {readonly path: string; readonly reason: string};

/**
 * Carries a plan out. What has changed since the plan was made is left as it is; a file has its old or its new content, never
 * anything between. Never throws.
 */
export function carryOutRevert(
  steps: readonly RevertStep[],
  {objects, seen}: {readonly objects: ObjectStore; readonly seen: ReadonlyMap<string, SeenFile>},
): readonly Refused[] {
  const refused: Refused[] = [];
  const locked = makeUnlocker();
  const attempt = (step: RevertStep, work: () => void): void => {
    try {
      const reason = whyNot(step, seen);
      if (reason !== undefined) {
        refused.push({path: step.path, reason});
        return;
      }
      locked.open(dirname(step.path));
      work();
    } catch (cause) {
      refused.push({path: step.path, reason: causeText(cause)});
    }
  };
  const deepestFirst = steps.toSorted((a, b) => b.path.length - a.path.length);

  for (const step of deepestFirst) {
    if (goes(step) && step.is?.kind !== 'folder') attempt(step, () => unlinkSync(step.path));
  }
  for (const step of deepestFirst) if (goes(step) && step.is?.kind === 'folder') attempt(step, () => removeEmpty(step));
  const isRefused = (path: string): boolean => refused.some(one => one.path === path);
  const ready = steps.filter(({path}) => !isRefused(path)).map(step => (goes(step) ? {...step, is: undefined} : step));

  const folders = ready.filter(({wanted}) => wanted?.kind === 'folder');
  for (const step of folders.toSorted((a, b) => a.path.length - b.path.length)) {
    attempt(step, () => {
      if (step.is === undefined) mkdirSync(step.path, {mode: 0o700, recursive: true});
    });
  }
  for (const step of ready) {
    const {wanted} = step;
    if (wanted?.kind === 'link') attempt(step, () => putLink(step.path, wanted.target));
    if (wanted?.kind === 'file') attempt(step, () => putFile(step, {wanted, objects}));
  }
  // Last: a folder that nobody may write to must be filled before.
  const modes = new Map(locked.modes);
  for (const {path, wanted} of folders) if (wanted?.kind === 'folder' && !isRefused(path)) modes.set(path, wanted.mode);
  for (const [path, mode] of [...modes].toSorted(([a], [b]) => b.length - a.length)) changeMode(path, mode, refused);
  return refused;
}

/** Folders that even their owner may not write to are opened for the time being; `modes` is what they had. */
function makeUnlocker(): {readonly modes: ReadonlyMap<string, number>; open(folder: string): void} {
  const modes = new Map<string, number>();
  return {
    modes,
    open(folder) {
      if (modes.has(folder) || isOpen(folder)) return;
      const mode = lstatSync(folder).mode & 0o7777;
      try {
        chmodSync(folder, mode | 0o300);
        modes.set(folder, mode);
      } catch {
        // It is somebody else's: what is to be done in it says what is wrong.
      }
    },
  };
}

function isOpen(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Whether what is there has to go before anything else can take its place. */
const goes = ({is, wanted}: RevertStep): boolean => is !== undefined && is.kind !== wanted?.kind;

/** Why a path must not be touched: it is not as it was when the plan was made, or is reached through a link. */
function whyNot({path, is, wanted}: RevertStep, seen: ReadonlyMap<string, SeenFile>): string | undefined {
  if (realpathSync(dirname(path)) !== dirname(path)) return 'its folder is a link now';
  const stats = lstatSync(path, {throwIfNoEntry: false});
  const isThere = wanted?.kind === 'folder' && stats?.isDirectory() === true;
  if (is === undefined) return stats === undefined || isThere ? undefined : changedNow;
  if (stats === undefined) return changedNow;
  switch (is.kind) {
    case 'folder':
      return stats.isDirectory() ? undefined : changedNow;
    case 'link':
      return stats.isSymbolicLink() ? undefined : changedNow;
    default: {
      const file = seen.get(path);
      return file !== undefined && looksAsSeen(file, stats) ? undefined : changedNow;
    }
  }
}

const changedNow = 'it changed at this very moment';

/** A folder in which something else lies stays. */
function removeEmpty({path, wanted}: RevertStep): void {
  try {
    rmdirSync(path);
  } catch (cause) {
    if (wanted !== undefined) throw cause;
  }
}

function putLink(path: string, target: string): void {
  const fresh = freshName(path);
  symlinkSync(target, fresh);
  replace(path, fresh);
}

function putFile(
  {path, is}: RevertStep,
  {wanted, objects}: {readonly wanted: {readonly mode: number; readonly hash: string}; readonly objects: ObjectStore},
): void {
  if (is?.kind === 'file' && is.hash === wanted.hash) {
    chmodSync(path, wanted.mode);
    return;
  }
  const fresh = freshName(path);
  try {
    if (!objects.copyTo(wanted.hash, fresh)) throw new Error('its content is not kept any more');
    chmodSync(fresh, wanted.mode);
    replace(path, fresh);
  } catch (cause) {
    rmSync(fresh, {force: true});
    throw cause;
  }
}

const freshName = (path: string): string => join(dirname(path), temporaryName());

function replace(path: string, fresh: string): void {
  try {
    renameSync(fresh, path);
  } catch (cause) {
    rmSync(fresh, {force: true});
    throw cause;
  }
}

/** Of a folder that is not there any more there is nothing to say. */
function changeMode(path: string, mode: number, refused: Refused[]): void {
  try {
    if (lstatSync(path, {throwIfNoEntry: false})?.isDirectory() === true) chmodSync(path, mode);
  } catch (cause) {
    refused.push({path, reason: causeText(cause)});
  }
}
