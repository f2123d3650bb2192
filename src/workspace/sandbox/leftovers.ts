import {lstatSync} from 'node:fs';
import {readdir} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {readTextFile} from '../exec/process-table.ts';
import {sharedUpperFolders} from './overlay.ts';
import {isOwnerGone, ownerFile, removeOwned} from './session.ts';

/** Milliseconds after which a folder that names no owner counts as left behind. */
const maxAgeMs = 7 * 24 * 60 * 60 * 1000;

/** Removes the sandbox folders of weft processes that were killed together with their watchdogs. Returns their number. Never rejects. */
export async function removeLeftSessions(data: string): Promise<number> {
  const places = [...new Set([data, tmpdir(), ...sharedUpperFolders])];
  const found = await Promise.all(places.map(leftSessionsIn));
  await Promise.all(found.flat().map(removeOwned));
  return found.flat().length;
}

async function leftSessionsIn(place: string): Promise<readonly string[]> {
  const names = await readdir(place).catch(() => []);
  return names
    .filter(name => /^weft-sandbox-\w{6}$/u.test(name))
    .flatMap(name => {
      const folder = join(place, name);
      return isLeftover(folder) ? [folder] : [];
    });
}

function isLeftover(folder: string): boolean {
  const stats = lstatSync(folder, {throwIfNoEntry: false});
  if (stats?.isDirectory() !== true || stats.uid !== process.getuid?.()) return false;
  const owner = readTextFile(join(folder, ownerFile));
  return owner === undefined ? Date.now() - stats.mtimeMs > maxAgeMs : isOwnerGone(owner);
}
