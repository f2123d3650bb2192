import {execFile} from 'node:child_process';
import {statSync, utimesSync, writeFileSync} from 'node:fs';
import {constants, homedir, setPriority} from 'node:os';
import {setTimeout as delay} from 'node:timers/promises';
import {pluralize} from '../base/clip.ts';
import {listOf, parseJson} from '../base/json.ts';
import type {Places} from '../config/places.ts';
import {programPath, userPath} from '../workspace/exec/trusted-path.ts';
import {packageName, version} from './version.ts';

/** Milliseconds before the first look, so that nothing competes with the start of weft. */
const firstMs = 10_000;
const dayMs = 24 * 60 * 60 * 1000;

/** Work that weft does by itself, once a day for all of the user's weft processes together. */
export interface DailyWork {
  /** An empty file. Its time is when the work was last done. */
  readonly stamp: string;
  /** Does the work and returns a sentence about the result; empty if there is nothing to say. */
  readonly run: () => Promise<string>;
}

/** Does each work once a day, and yields what it says. Never ends, but does not keep the process alive. */
export async function* doDaily(works: readonly DailyWork[]): AsyncGenerator<string> {
  for (let waitMs = firstMs; ; waitMs = dayMs) {
    await delay(waitMs, undefined, {ref: false});
    for (const {stamp, run} of works) {
      const text = isDue(stamp) ? await run() : '';
      if (text !== '') yield text;
    }
  }
}

/** True once a day. The first call only starts the day, and so does one whose file can't be written. */
function isDue(stamp: string): boolean {
  try {
    const stats = statSync(stamp, {throwIfNoEntry: false});
    if (stats === undefined) writeFileSync(stamp, '', {mode: 0o600});
    if (stats === undefined || Date.now() - stats.mtimeMs < dayMs) return false;
    utimesSync(stamp, new Date(), new Date());
    return true;
  } catch {
    return false;
  }
}

/** Returns the work that deletes old sessions. A database that several users share is never pruned. */
export const dailyPrune = ({pruned, database}: Pick<Places, 'pruned' | 'database'>): readonly DailyWork[] =>
  database.kind === 'sqlite' ? [{stamp: pruned, run: pruneSessions}] : [];

async function pruneSessions(): Promise<string> {
  const args = [process.argv[1] ?? '', 'sessions', 'prune', '--json'];
  const rows = parseJson(await outputOf(process.execPath, args, 'in-background'));
  const count = rows.tag === 'ok' ? listOf(rows.value).length : 0;
  if (count === 0) return '';
  return `Deleted ${pluralize(count, 'old session')}, as the setting keepSessions says. To keep one, pin it: weft sessions pin ID`;
}

/** Returns the work that looks for a newer version. The variables that switch this off in other programs do so here. */
export const dailyUpdateCheck = ({updateCheck}: Pick<Places, 'updateCheck'>): readonly DailyWork[] =>
  ['CI', 'DO_NOT_TRACK', 'NO_UPDATE_NOTIFIER'].every(name => /^(?:0|false)?$/u.test(process.env[name] ?? ''))
    ? [{stamp: updateCheck, run: checkForUpdate}]
    : [];

async function checkForUpdate(): Promise<string> {
  const latest = await latestVersion('in-background');
  return isNewer(latest, version) ? `weft ${latest} is there. This is ${version}. Update it: weft update` : '';
}

/** Returns the newest released version, or an empty text. npm asks the registry, because it knows the user's registry and proxy. */
export async function latestVersion(run: 'in-background' | 'awaited'): Promise<string> {
  const npm = programPath('npm', userPath());
  if (npm === undefined) return '';
  return (await outputOf(npm, ['view', `${packageName}@latest`, 'version'], run)).trim();
}

/** True if the candidate comes after another one, in the order of Semantic Versioning 2.0.0. False if one can't be read. */
export function isNewer(candidate: string, than: string): boolean {
  const [a, b] = [partsOf(candidate), partsOf(than)];
  if (a === undefined || b === undefined) return false;
  for (let at = 0; at < Math.max(a.length, b.length); at += 1) {
    const order = orderOf(a[at] ?? '', b[at] ?? '');
    if (order !== 0) return order > 0;
  }
  return false;
}

/** Returns the three numbers and the parts of a pre-release. A release comes after its pre-releases, so it ends with a mark. */
function partsOf(text: string): readonly string[] | undefined {
  const [, release = '', before] = /^(\d+\.\d+\.\d+)(?:-([\w.-]+))?(?:\+[\w.-]+)?$/u.exec(text) ?? [];
  return release === '' ? undefined : [...release.split('.'), ...(before?.split('.') ?? ['~'])];
}

function orderOf(a: string, b: string): number {
  const areNumbers = [a, b].every(part => /^\d+$/u.test(part));
  if (areNumbers) return Number(a) - Number(b);
  return a === b ? 0 : a < b ? -1 : 1;
}

/**
 * Returns the output of a program; empty if it fails, since a person can't do anything about it now. weft may end before a program
 * that runs in the background.
 */
const outputOf = (program: string, args: readonly string[], run: 'in-background' | 'awaited'): Promise<string> =>
  new Promise(resolve => {
    // In a project, its settings would be read too.
    const child = execFile(program, args, {cwd: homedir()}, (cause, stdout) => resolve(cause === null ? stdout : ''));
    if (run === 'awaited') return;
    child.unref();
    if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
  });
