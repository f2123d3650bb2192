import {readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {parseSource, type SourceFile} from './source-file.ts';

/** The repository's root, as a path that ends in `/`. */
export const root = fileURLToPath(new URL('../../', import.meta.url));

/** Every TypeScript file under a folder of the repository, parsed, in order of path. */
export function sourceFiles(folder: string): readonly SourceFile[] {
  return filesUnder(folder)
    .filter(path => /\.tsx?$/u.test(path))
    .map(path => parseSource(path, readText(path)));
}

/** Paths from the root of all files under a folder; empty when there is no such folder. */
export function filesUnder(folder: string): readonly string[] {
  return entries(folder, {recursive: true})
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name).slice(root.length).replaceAll('\\', '/'))
    .toSorted();
}

/** Names of the folders directly in a folder. */
export function foldersIn(folder: string): readonly string[] {
  return entries(folder, {recursive: false})
    .filter(entry => entry.isDirectory())
    .map(({name}) => name);
}

export const readText = (path: string): string => readFileSync(join(root, path), 'utf8');

function entries(folder: string, options: {readonly recursive: boolean}) {
  try {
    return readdirSync(join(root, folder), {...options, withFileTypes: true});
  } catch {
    return [];
  }
}
