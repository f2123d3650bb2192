import {type Dirent, readdirSync, type Stats, statSync} from 'node:fs';
import {readdir, stat} from 'node:fs/promises';
import {join} from 'node:path';
import {tryOr} from '../../base/outcome.ts';
import type {ReadFile, ReadRequest} from '../../actions/files-port.ts';
import type {FolderEntry} from '../../domain/disk.ts';
import {openFolder} from './folder-handle.ts';

const maxEntries = 500;

/**
 * Lists the folder at `path` (links resolved) by name. Folders, and links to folders, end with a slash. The request's range counts entries.
 * Throws if a link has replaced the folder.
 */
export async function listDirectory(
  path: string,
  shown: {readonly path: string; readonly request: ReadRequest},
): Promise<ReadFile> {
  await using folder = await openFolder(path);
  const entries = await readdir(folder.at('.'), {withFileTypes: true});
  const sorted = entries.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const start = Math.max(1, shown.request.offset) - 1;
  const page = sorted.slice(start, start + Math.min(maxEntries, Math.max(1, shown.request.limit)));
  const names = await Promise.all(
    page.map(async entry => {
      const isLinkToFolder = entry.isSymbolicLink() && (await leadsToFolder(folder.at(entry.name)));
      return entry.isDirectory() || isLinkToFolder ? `${entry.name}/` : entry.name;
    }),
  );
  return {kind: 'directory', path: shown.path, entries: names, more: Math.max(0, sorted.length - start - page.length)};
}

const leadsToFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    target => target.isDirectory(),
    () => false,
  );

/** Returns the entries of a folder; none if it can't be read. */
export const entriesIn = (folder: string): readonly Dirent[] =>
  tryOr(() => readdirSync(folder, {withFileTypes: true}), []);

/** Yields all entries below a folder. Links are not followed, because they may lead around in circles. */
export function* entriesBelow(folder: string): Generator<Dirent> {
  for (const entry of entriesIn(folder)) {
    yield entry;
    if (entry.isDirectory()) yield* entriesBelow(join(folder, entry.name));
  }
}

/** Returns the entries of a folder with their kinds. */
export const listFolder = (path: string): readonly FolderEntry[] =>
  entriesIn(path).map(entry => ({
    name: entry.name,
    kind: entry.isSymbolicLink() ? 'link' : entry.isDirectory() ? 'folder' : 'file',
  }));

/** Returns the names of a folder's entries in file system order; none if the folder can't be read. */
export const entryNames = (folder: string): readonly string[] => tryOr(() => readdirSync(folder), []);

/** True if the path leads to a folder, also through a link. */
export const isFolder = (path: string): boolean => statsOf(path)?.isDirectory() === true;

/** True if the path leads to a regular file, also through a link. */
export const isFile = (path: string): boolean => statsOf(path)?.isFile() === true;

/** Returns when the state of a regular file changed, in milliseconds since the epoch. No program can set it back. */
export const changedAt = (path: string): number | undefined => {
  const stats = statsOf(path);
  return stats?.isFile() === true ? stats.ctimeMs : undefined;
};

/** Returns `undefined` for an invalid or too long path and for a loop of links. */
const statsOf = (path: string): Stats | undefined => tryOr(() => statSync(path), undefined);
