import {readFileSync, rmSync, statSync, writeFileSync} from 'node:fs';
import {hostname} from 'node:os';
import {join} from 'node:path';
import {setTimeout as pause} from 'node:timers/promises';
import {makeFolders} from '../../config/make-folders.ts';
import {isRunning} from '../exec/process-table.ts';
import {entryNames} from '../files/list-folder.ts';

/*
 * Keeps pruning apart from the use of checkpoints. A process that uses checkpoints registers (a file named after it) before it checks
 * for the pruning lock; a process that prunes takes the lock before it checks for registered processes. So of two processes at least
 * one sees the other. Registrations of dead processes are ignored, those of other machines that share the folder count for a week.
 */

const week = 7 * 24 * 60 * 60 * 1000;

/** Milliseconds for which a process waits for pruning to end, and after which a lock counts as left behind. */
const longestPruning = 60_000;

/** Registers this process as a user of the checkpoints, and waits for pruning to end. */
export async function registerUse(folder: string, signal: AbortSignal): Promise<void> {
  const users = join(folder, 'users');
  makeFolders(users);
  writeFileSync(join(users, ownName()), '', {mode: 0o600});
  const waitsUntil = Date.now() + longestPruning;
  while (isLocked(folder) && Date.now() < waitsUntil) await pause(20, undefined, {signal});
}

/** Takes the pruning lock; `undefined` if another process uses the checkpoints. */
export function lockForPruning(folder: string): {end(): void} | undefined {
  const lock = lockOf(folder);
  try {
    makeFolders(folder);
    if (!isLocked(folder)) rmSync(lock, {force: true});
    writeFileSync(lock, ownName(), {flag: 'wx', mode: 0o600});
  } catch {
    return undefined;
  }
  const end = (): void => rmSync(lock, {force: true});
  if (!othersIn(folder)) return {end};
  end();
  return undefined;
}

const lockOf = (folder: string): string => join(folder, 'pruning');

const ownName = (): string => `${process.pid}@${hostname()}`;

function isLocked(folder: string): boolean {
  try {
    const user = readFileSync(lockOf(folder), 'utf8');
    const age = Date.now() - statSync(lockOf(folder)).mtimeMs;
    return age < longestPruning && (user === '' || isAlive(user, age));
  } catch {
    return false;
  }
}

function othersIn(folder: string): boolean {
  const users = join(folder, 'users');
  let others = false;
  for (const user of entryNames(users)) {
    const stats = statSync(join(users, user), {throwIfNoEntry: false});
    if (user === ownName() || stats === undefined) continue;
    if (isAlive(user, Date.now() - stats.mtimeMs)) others = true;
    else rmSync(join(users, user), {force: true});
  }
  return others;
}

function isAlive(user: string, age: number): boolean {
  const [pid = '', ...host] = user.split('@');
  if (host.join('@') !== hostname()) return age < week;
  return isRunning(Number(pid));
}
