import {appendFileSync, readFileSync, rmSync, statSync, writeFileSync} from 'node:fs';
import {hostname} from 'node:os';
import {join} from 'node:path';
import {setTimeout as pause} from 'node:timers/promises';
import * as z from 'zod/mini';
import {parseJson} from '../../base/json.ts';
import {tryOr} from '../../base/outcome.ts';
import {makeFolders} from '../../config/make-folders.ts';
import {isRunning} from '../exec/process-table.ts';
import {entryNames} from '../files/list-folder.ts';

/**
 * Keeps pruning apart from the use of checkpoints. A process that uses checkpoints registers (a file named after it) before it checks for
 * the pruning lock. A process that prunes takes the lock before it checks for registered processes. So at least one of two processes sees
 * the other. Registrations of dead processes are ignored and stay for a week; those of other machines that share the folder count for a week.
 */

const week = 7 * 24 * 60 * 60 * 1000;

/** Milliseconds that a process waits for pruning to end, and after which a lock counts as left behind. */
const maxPruningMs = 60_000;

/** Registers this process as a user of the checkpoints, and waits for pruning to end. */
export async function registerUse(folder: string, signal: AbortSignal): Promise<void> {
  makeFolders(join(folder, 'users'));
  if (!isInUse(folder)) forgetWrites(folder);
  const waitsUntil = Date.now() + maxPruningMs;
  while (isLocked(folder) && Date.now() < waitsUntil) await pause(20, undefined, {signal});
}

/** Takes the pruning lock. Returns `undefined` if another process is using the checkpoints, or is pruning. */
export function lockForPruning(folder: string): {release(): void} | undefined {
  const lock = lockFile(folder);
  try {
    makeFolders(folder);
    if (!isLocked(folder)) rmSync(lock, {force: true});
    writeFileSync(lock, processName(), {flag: 'wx', mode: 0o600});
  } catch {
    return undefined;
  }
  const release = (): void => rmSync(lock, {force: true});
  if (!hasOtherUsers(folder)) return {release};
  release();
  return undefined;
}

const lockFile = (folder: string): string => join(folder, 'pruning');

const processName = (pid = process.pid): string => `${pid}@${hostname()}`;

/**
 * Returns the file that registers a process. Its first line is when the process started. Its time is the last sign of life: a watchdog
 * touches it when the process is gone. Later lines are notes about files that the process was about to write.
 */
export const useFile = (folder: string, pid = process.pid): string => join(folder, 'users', processName(pid));

const ownStart = String(Math.floor(performance.timeOrigin));

/** True if this process has registered. */
export const isInUse = (folder: string): boolean =>
  tryOr(() => readFileSync(useFile(folder), 'utf8'), '').split('\n')[0] === ownStart;

/** Notes the content (its object, or `absent`) that this process is about to give to files, for the case that it is killed. */
export const noteWrites = (folder: string, writes: readonly (readonly [path: string, content: string])[]): void =>
  appendFileSync(useFile(folder), writes.map(write => `${JSON.stringify(write)}\n`).join(''));

/** Forgets what this process was about to write: states of the files tell now. */
export const forgetWrites = (folder: string): void => writeFileSync(useFile(folder), `${ownStart}\n`, {mode: 0o600});

/** The time at which a killed process was last known to live, in milliseconds since the epoch, and the content that it was about to write. */
export interface SignsOfLife {
  readonly lastAlive: number;
  readonly writes: ReadonlyMap<string, string>;
}

/** Returns the signs of life of a process of this machine that opened a session at the time `at`. It lived then. */
export function signsOfLife(folder: string, {pid, at}: {readonly pid: number; readonly at: number}): SignsOfLife {
  const file = useFile(folder, pid);
  const [start, ...notes] = tryOr(() => readFileSync(file, 'utf8'), '').split('\n');
  // Another process may have got the same number since.
  if (start === undefined || start === '' || Number(start) > at) return {lastAlive: at, writes: new Map()};
  const writes = notes.flatMap(note => {
    const json = parseJson(note);
    const write = json.tag === 'ok' ? noteSchema.safeParse(json.value) : undefined;
    return write?.success === true ? [write.data] : [];
  });
  return {lastAlive: Math.max(at, statSync(file).mtimeMs), writes: new Map(writes)};
}

const noteSchema = z.tuple([z.string(), z.string()]);

function isLocked(folder: string): boolean {
  try {
    const user = readFileSync(lockFile(folder), 'utf8');
    const age = Math.abs(Date.now() - statSync(lockFile(folder)).mtimeMs);
    return age < maxPruningMs && (user === '' || isAlive(user, age));
  } catch {
    return false;
  }
}

function hasOtherUsers(folder: string): boolean {
  const users = join(folder, 'users');
  let others = false;
  for (const user of entryNames(users)) {
    const stats = statSync(join(users, user), {throwIfNoEntry: false});
    if (user === processName() || stats === undefined) continue;
    const age = Math.abs(Date.now() - stats.mtimeMs);
    if (isAlive(user, age)) others = true;
    // The file of a killed process tells what it was about to write.
    else if (age > week) rmSync(join(users, user), {force: true});
  }
  return others;
}

function isAlive(user: string, age: number): boolean {
  const [pid = '', ...host] = user.split('@');
  if (host.join('@') !== hostname()) return age < week;
  return isRunning(Number(pid));
}
