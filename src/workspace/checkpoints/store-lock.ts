import {readFileSync, rmSync, statSync, writeFileSync} from 'node:fs';
import {hostname} from 'node:os';
import {join} from 'node:path';
import {setTimeout as pause} from 'node:timers/promises';
import {makeFolders} from '../../config/make-folders.ts';
import {isRunning} from '../exec/process-table.ts';
import {entryNames} from '../files/list-folder.ts';

/**
 * Keeps pruning apart from the use of checkpoints. A process that uses checkpoints registers (a file named after it) before it checks for
 * the pruning lock. A process that prunes takes the lock before it checks for registered processes. So at least one of two processes sees
 * the other. Registrations of dead processes are ignored; those of other machines that share the folder count for a week.
 */

const week = 7 * 24 * 60 * 60 * 1000;

/** Milliseconds that a process waits for pruning to end, and after which a lock counts as left behind. */
const maxPruningMs = 60_000;

/** Registers this process as a user of the checkpoints, and waits for pruning to end. */
export async function registerUse(folder: string, signal: AbortSignal): Promise<void> {
  const users = join(folder, 'users');
  makeFolders(users);
  writeFileSync(join(users, processName()), '', {mode: 0o600});
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

const processName = (): string => `${process.pid}@${hostname()}`;

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
    if (isAlive(user, Math.abs(Date.now() - stats.mtimeMs))) others = true;
    else rmSync(join(users, user), {force: true});
  }
  return others;
}

function isAlive(user: string, age: number): boolean {
  const [pid = '', ...host] = user.split('@');
  if (host.join('@') !== hostname()) return age < week;
  return isRunning(Number(pid));
}
