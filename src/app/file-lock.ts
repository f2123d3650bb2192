import {readFileSync, rmSync, statSync, writeFileSync} from 'node:fs';
import {dirname} from 'node:path';
import {setTimeout as pause} from 'node:timers/promises';
import {makeFolders} from '../config/make-folders.ts';
import {hasCode} from '../domain/fault.ts';
import {isRunning} from '../workspace/exec/process-table.ts';

/** Runs `work` while no other weft process on this machine holds the lock. Rejects when `signal` aborts while it waits. */
export async function withLock<T>(lock: string, work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  const until = Date.now() + longestWaitMs;
  while (!takeLock(lock) && Date.now() < until) await pause(50, undefined, {signal});
  try {
    return await work();
  } finally {
    rmSync(lock, {force: true});
  }
}

/** Milliseconds after which a lock of another process counts as abandoned. Each token request takes at most half of that. */
const longestWaitMs = 60_000;

/** Takes a lock unless another running process holds it. Returns true if this process may continue, even if it can't write a lock. */
function takeLock(lock: string): boolean {
  try {
    makeFolders(dirname(lock));
    writeFileSync(lock, String(process.pid), {flag: 'wx', mode: 0o600});
    return true;
  } catch (cause) {
    if (!hasCode(cause, 'EEXIST')) return true;
    if (!isHeld(lock)) rmSync(lock, {force: true});
    return false;
  }
}

function isHeld(lock: string): boolean {
  try {
    const holder = readFileSync(lock, 'utf8');
    const age = Date.now() - statSync(lock).mtimeMs;
    return age < longestWaitMs && (holder === '' || isRunning(Number(holder)));
  } catch {
    return false;
  }
}
