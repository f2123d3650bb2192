import {mkdirSync, mkdtempSync, writeFileSync} from 'node:fs';
import {chmod, readdir, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {readLink, readTextFile, startTimeSync} from '../exec/process-table.ts';
import {realPath} from '../files/resolve-path.ts';
import type {SandboxSession} from './sandbox.ts';
import {systemCallFilter} from './seccomp-filter.ts';

/**
 * Makes the private folder for the sandboxed commands of one weft process. It contains the commands' temporary files,
 * which exist as long as weft runs, and the files that weft passes into the sandbox.
 */
export function openSession(): SandboxSession & {close(): Promise<void>} {
  const folder = makeOwnedFolder(tmpdir());
  const at = (name: string): string => {
    mkdirSync(join(folder, name), {mode: 0o700});
    return join(folder, name);
  };
  const held = new Map<string, string>();
  // The file is mounted read-only. Without write permission, programs would get a permission error instead of the real
  // reason.
  writeFileSync(join(folder, 'empty'), '', {mode: 0o644});
  const filter = join(folder, 'filter');
  writeFileSync(filter, systemCallFilter(process.arch), {mode: 0o600});
  return {
    folder,
    filter,
    tmp: at('tmp'),
    changingTmp: at('changing-tmp'),
    mounts: at('mounts'),
    scripts: {outside: at('scripts'), inside: '/run/weft'},
    reports: {outside: at('reports'), inside: '/run/weft-reports'},
    heldIn(place) {
      const known = held.get(place) ?? makeOwnedFolder(place);
      held.set(place, known);
      return known;
    },
    held: () => [...held.values()],
    async close() {
      await Promise.all([folder, ...held.values()].map(removeOwned));
    },
  };
}

function makeOwnedFolder(place: string): string {
  const folder = realPath(mkdtempSync(join(place, 'weft-sandbox-')));
  writeFileSync(join(folder, ownerFile), ownerText());
  return folder;
}

/** The file that names the weft process that owns a folder, so that a later weft process recognizes leftovers. */
export const ownerFile = 'owner';

/** Identifies this process: its number, its start time, the boot and the namespace of the number. */
export const ownerText = (): string =>
  [
    String(process.pid),
    startTimeSync(process.pid),
    (readTextFile('/proc/sys/kernel/random/boot_id') ?? '').trim(),
    readLink('/proc/self/ns/pid'),
  ].join(' ');

/** Whether the process of an `ownerText` has ended. */
export function isOwnerGone(owner: string): boolean {
  const [pid = '', start = '', boot = '', processes = ''] = owner.split(' ');
  const [, , bootNow = '', processesNow = ''] = ownerText().split(' ');
  if (boot !== bootNow) return true;
  // Process numbers of another container mean nothing here.
  return processes === processesNow && startTimeSync(Number(pid)) !== start;
}

/** Removes a session's folder. The owner goes last, so that a later weft recognizes the rest if this one is killed. Never rejects. */
export async function removeOwned(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  await Promise.all(names.filter(name => name !== ownerFile).map(name => forceRemove(join(folder, name))));
  await forceRemove(folder);
}

/** Removes a folder and its content, even if commands or the kernel made parts of it unreadable. Never rejects. */
export async function forceRemove(folder: string): Promise<void> {
  // Overlayfs creates its work folder without any permissions.
  await rm(folder, {recursive: true, force: true}).catch(async () => {
    await unlockFolders(folder).catch(() => {});
    await rm(folder, {recursive: true, force: true}).catch(() => {});
  });
}

async function unlockFolders(folder: string): Promise<void> {
  await chmod(folder, 0o700);
  for (const entry of await readdir(folder, {withFileTypes: true})) {
    if (entry.isDirectory()) await unlockFolders(join(folder, entry.name));
  }
}
