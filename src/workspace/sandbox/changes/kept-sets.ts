import {randomBytes} from 'node:crypto';
import {existsSync, readdirSync, statSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import type {HeldSet} from './held-set.ts';
import {loadSet, removeStored, storeSet} from './stored-sets.ts';

/** Change sets that are kept, and days for which they are. */
const mostKept = 20;
const mostDays = 7;

const form = /^[0-9a-f]{8}$/u;

const keptIn = (folder: string): string => join(folder, 'kept');

/** Keeps a set under a new ID. The upper folders are moved. The oldest sets go. */
export async function keepSet(set: HeldSet, folder: string): Promise<string> {
  const id = randomBytes(4).toString('hex');
  storeSet(set, join(keptIn(folder), id), 'copy');
  const others = keptSets(folder).filter(each => each.id !== id);
  const old = others.filter(({at}, index) => index >= mostKept - 1 || Date.now() - at > mostDays * 24 * 60 * 60 * 1000);
  await Promise.all(old.map(async each => removeKept(each.id, folder)));
  return id;
}

/** Lists the kept sets with the times at which they were made, the newest first. */
export function keptSets(folder: string): readonly {readonly id: string; readonly at: number}[] {
  let names: readonly string[] = [];
  try {
    names = readdirSync(keptIn(folder));
  } catch {
    return [];
  }
  return names
    .filter(name => form.test(name))
    .map(id => ({id, at: statSync(join(keptIn(folder), id), {throwIfNoEntry: false})?.mtimeMs ?? 0}))
    .toSorted((a, b) => b.at - a.at);
}

/** Returns the kept set of an ID; `undefined` if there is none. */
export const loadKept = (id: string, folder: string): HeldSet | undefined =>
  form.test(id) ? loadSet(join(keptIn(folder), id)) : undefined;

/** Removes a kept set with all its files. Never rejects. */
async function removeKept(id: string, folder: string): Promise<void> {
  if (form.test(id)) await removeStored(join(keptIn(folder), id));
}

/** Removes a kept set that was applied. A mark of that stays. */
export async function retireKept(id: string, folder: string): Promise<void> {
  if (!form.test(id)) return;
  await removeKept(id, folder);
  writeFileSync(markOf(id, folder), '', {mode: 0o600});
}

/** Whether the set of this ID was applied. */
export const wasApplied = (id: string, folder: string): boolean => form.test(id) && existsSync(markOf(id, folder));

const markOf = (id: string, folder: string): string => join(keptIn(folder), `${id}.applied`);
