import {lstatSync, readdirSync, rmSync} from 'node:fs';
import {readdir} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {runGitQuery} from '../checkpoints/git-query.ts';
import {readTextFile} from '../exec/process-table.ts';
import {mountTable, sharedUpperFolders} from './overlay.ts';
import {isOwnerGone, ownerFile, removeOwned} from './session.ts';

/** Milliseconds after which a folder of an older version of weft, which names no owner, counts as left behind. */
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

/** The empty files that older versions of weft mounted over during a command, and left over when killed. */
const placeholders = '.claude .envrc .github .gitlab-ci.yml .husky .idea .mcp.json .npmrc .vscode .weft'.split(' ');

/**
 * Removes the placeholders of older versions from a workspace folder, and returns their names. Those are empty read-only files
 * with these names. Files that git tracks, or that a running command has mounted over, stay.
 */
export async function removePlaceholders(
  root: string,
  {environment, signal}: {readonly environment: NodeJS.ProcessEnv; readonly signal: AbortSignal},
): Promise<readonly string[]> {
  const made = placeholders.filter(name => isPlaceholder(join(root, name)));
  if (made.length === 0) return [];
  const followed = await runGitQuery(['ls-files', '-z', '--', ...made], {folder: root, environment, signal});
  const mounted = mountPoints();
  const left = made.filter(name => followed?.split('\0').includes(name) !== true && !mounted.has(join(root, name)));
  for (const name of left) rmSync(join(root, name), {force: true});
  return left;
}

/** Whether bwrap may have created this file as a mount point. */
export function isPlaceholder(path: string): boolean {
  try {
    const stats = lstatSync(path, {throwIfNoEntry: false});
    return stats?.isFile() === true && stats.size === 0 && (stats.mode & 0o777) === 0o444;
  } catch {
    return false;
  }
}

/** Returns the mount points in the namespaces of all processes that weft may inspect. */
function mountPoints(): ReadonlySet<string> {
  const points = new Set<string>();
  for (const pid of readdirSync('/proc').filter(name => /^\d+$/u.test(name))) {
    for (const {point} of mountTable(readTextFile(`/proc/${pid}/mountinfo`) ?? '')) points.add(point);
  }
  return points;
}
