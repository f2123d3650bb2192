import {randomBytes} from 'node:crypto';
import {existsSync, readdirSync, statSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import type {HeldSet} from './held-set.ts';
import {loadSet, removeStored, storeSet} from './stored-sets.ts';

/** Change sets that are kept, and milliseconds for which they are. */
const mostKept = 20;
const mostMs = 7 * 24 * 60 * 60 * 1000;

const form = /^[0-9a-f]{8}$/u;

const keptIn = (folder: string): string => join(folder, 'kept');

/** Keeps a set under a new ID. The upper folders are moved. The oldest sets go. */
export async function keepSet(set: HeldSet, folder: string): Promise<string> {
  const id = randomBytes(4).toString('hex');
  try {
    storeSet(set, join(keptIn(folder), id), 'copy');
  } catch (cause) {
    // Part of a set on a full disk.
    await removeStored(join(keptIn(folder), id));
    throw cause;
  }
  const beyond = keptSets(folder).slice(mostKept);
  const old = entriesIn(folder).filter(({at}) => Date.now() - at > mostMs);
  await Promise.all([...beyond, ...old].map(async each => removeStored(join(keptIn(folder), each.id))));
  return id;
}

interface Kept {
  readonly id: string;
  /** When it was kept, in milliseconds since the epoch. */
  readonly at: number;
}

/** Lists the kept sets, the newest first. */
export const keptSets = (folder: string): readonly Kept[] => entriesIn(folder).filter(({id}) => form.test(id));

/** The sets, and the marks of those that were applied. */
function entriesIn(folder: string): readonly Kept[] {
  let names: readonly string[] = [];
  try {
    names = readdirSync(keptIn(folder));
  } catch {
    return [];
  }
  return names
    .map(id => ({id, at: statSync(join(keptIn(folder), id), {throwIfNoEntry: false})?.mtimeMs ?? 0}))
    .toSorted((a, b) => b.at - a.at);
}

/** Returns the kept set of an ID; `undefined` if there is none. */
export const loadKept = (id: string, folder: string): HeldSet | undefined =>
  form.test(id) ? loadSet(join(keptIn(folder), id)) : undefined;

/** Removes a kept set that was applied. A mark of that stays. */
export async function retireKept(id: string, folder: string): Promise<void> {
  if (!form.test(id)) return;
  await removeStored(join(keptIn(folder), id));
  writeFileSync(markOf(id, folder), '', {mode: 0o600});
}

/** Whether the set of this ID was applied. */
export const wasApplied = (id: string, folder: string): boolean => form.test(id) && existsSync(markOf(id, folder));

const markOf = (id: string, folder: string): string => join(keptIn(folder), `${id}.applied`);
