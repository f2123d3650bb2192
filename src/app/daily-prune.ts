import {execFile} from 'node:child_process';
import {statSync, utimesSync, writeFileSync} from 'node:fs';
import {constants, homedir, setPriority} from 'node:os';
import {setTimeout as delay} from 'node:timers/promises';
import {pluralize} from '../base/clip.ts';
import {listOf, parseJson} from '../base/json.ts';
import type {Places} from '../config/places.ts';

/** Milliseconds before the first look, so that nothing competes with the start of weft. */
const firstMs = 10_000;
const dayMs = 24 * 60 * 60 * 1000;

/**
 * Runs `weft sessions prune` once a day for all of the user's weft processes together, in a process of low priority, and yields a sentence
 * about what it deleted. Never ends, but does not keep the process alive. A database that several users share is never pruned.
 */
export async function* pruneDaily(places: Pick<Places, 'pruned' | 'database'>): AsyncGenerator<string> {
  if (places.database.kind !== 'sqlite') return;
  for (let waitMs = firstMs; ; waitMs = dayMs) {
    // oxlint-disable-next-line no-await-in-loop -- once a day
    await delay(waitMs, undefined, {ref: false});
    // oxlint-disable-next-line no-await-in-loop -- once a day
    const count = isDue(places.pruned) ? await prune() : 0;
    if (count > 0)
      yield `Deleted ${pluralize(count, 'old session')}, as the setting keepSessions says. To keep one, pin it: weft sessions pin ID`;
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

/** Returns the number of deleted sessions: 0 if the process fails, since a person can't do anything about it now. */
const prune = (): Promise<number> =>
  new Promise(resolve => {
    const args = [process.argv[1] ?? '', 'sessions', 'prune', '--json'];
    // In a project, its settings would be read too.
    const child = execFile(process.execPath, args, {cwd: homedir()}, (cause, stdout) => {
      const rows = parseJson(stdout);
      resolve(cause === null && rows.tag === 'ok' ? listOf(rows.value).length : 0);
    });
    child.unref();
    if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
  });
