import {readFileSync, rmSync, statSync, writeFileSync} from 'node:fs';
import {hostname} from 'node:os';
import {join} from 'node:path';
import {setTimeout as pause} from 'node:timers/promises';
import {makeFolders} from '../../config/make-folders.ts';
import {isRunning} from '../is-running.ts';
import {namesIn} from '../names-in.ts';

/*
 * Who works with the checkpoints of this user. Each process that does leaves its mark before it looks whether somebody prunes;
 * who prunes leaves the lock before it looks for marks: so at least one of two sees the other. Marks of dead processes count for
 * nothing, and those of other machines that share the folder for a week.
 */

const week = 7 * 24 * 60 * 60 * 1000;

/** Milliseconds somebody waits for a pruning to end, and after which a lock is nobody's. */
const longestPruning = 60_000;

/** Marks this process as one that works with the checkpoints, and waits for a pruning to end. */
export async function useStore(folder: string, signal: AbortSignal): Promise<void> {
  const marks = join(folder, 'users');
  makeFolders(marks);
  writeFileSync(join(marks, ownMark()), '', {mode: 0o600});
  const waitsUntil = Date.now() + longestPruning;
  while (isLocked(folder) && Date.now() < waitsUntil) await pause(20, undefined, {signal});
}

/** The right to remove things; `undefined` where somebody else works with the checkpoints. */
export function soleUse(folder: string): {end(): void} | undefined {
  const lock = lockOf(folder);
  try {
    makeFolders(folder);
    if (!isLocked(folder)) rmSync(lock, {force: true});
    writeFileSync(lock, ownMark(), {flag: 'wx', mode: 0o600});
  } catch {
    return undefined;
  }
  const end = (): void => rmSync(lock, {force: true});
  if (!othersIn(folder)) return {end};
  end();
  return undefined;
}

const lockOf = (folder: string): string => join(folder, 'pruning');

const ownMark = (): string => `${process.pid}@${hostname()}`;

function isLocked(folder: string): boolean {
  try {
    const mark = readFileSync(lockOf(folder), 'utf8');
    const age = Date.now() - statSync(lockOf(folder)).mtimeMs;
    return age < longestPruning && (mark === '' || isAlive(mark, age));
  } catch {
    return false;
  }
}

function othersIn(folder: string): boolean {
  const marks = join(folder, 'users');
  let others = false;
  for (const mark of namesIn(marks)) {
    const stats = statSync(join(marks, mark), {throwIfNoEntry: false});
    if (mark === ownMark() || stats === undefined) continue;
    if (isAlive(mark, Date.now() - stats.mtimeMs)) others = true;
    else rmSync(join(marks, mark), {force: true});
  }
  return others;
}

function isAlive(mark: string, age: number): boolean {
  const [pid = '', ...host] = mark.split('@');
  if (host.join('@') !== hostname()) return age < week;
  return isRunning(Number(pid));
}
