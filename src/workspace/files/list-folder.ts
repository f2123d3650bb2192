import {type Dirent, readdirSync, type Stats, statSync} from 'node:fs';
import {readdir, stat} from 'node:fs/promises';
import {tryOr} from '../../base/outcome.ts';
import type {ReadFile, ReadRequest} from '../../actions/files-port.ts';
import type {FolderEntry} from '../../domain/disk.ts';
import {openFolder} from './folder-handle.ts';

const maxEntries = 500;

/**
 * Lists the folder at `path`, all links resolved, by name, folders (and links to folders) with a closing slash; the request's range
 * counts entries. Throws where a link has taken its place.
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

/** The entries of a folder; none when it cannot be read. */
export const entriesIn = (folder: string): readonly Dirent[] =>
  tryOr(() => readdirSync(folder, {withFileTypes: true}), []);

/** The entries of a folder with their kinds. */
export const listFolder = (path: string): readonly FolderEntry[] =>
  entriesIn(path).map(entry => ({
    name: entry.name,
    kind: entry.isSymbolicLink() ? 'link' : entry.isDirectory() ? 'folder' : 'file',
  }));

/** The names of a folder's entries, in the order of the file system; none when the folder cannot be read. */
export const entryNames = (folder: string): readonly string[] => tryOr(() => readdirSync(folder), []);

/** Whether a folder, or a link to one, is at the path. */
export const isFolder = (path: string): boolean => statsOf(path)?.isDirectory() === true;

/** Whether a regular file, or a link to one, is at the path. */
export const isFile = (path: string): boolean => statsOf(path)?.isFile() === true;

/** Finds nothing at an invalid path, one that is too long, and in a loop of links. */
const statsOf = (path: string): Stats | undefined => tryOr(() => statSync(path), undefined);
