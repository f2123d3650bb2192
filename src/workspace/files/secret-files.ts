import {statSync, type Dirent} from 'node:fs';
import {basename, join, resolve} from 'node:path';
import {generatedFolders} from './generated-folders.ts';
import {entriesIn} from './list-folder.ts';
import {readRegularFile} from './regular-files.ts';

/** A file whose text was read because of its name. */
export interface NamedFile {
  readonly path: string;
  readonly text: string;
}

/** Each method returns what is new or has changed (by size and time) since its last call. */
export interface SecretFileWatch {
  inRoots(): readonly NamedFile[];
  /** Returns files for secrets, including those in folders below within the limits, and those in `paths`. */
  everywhere(paths: readonly string[]): readonly NamedFile[];
}

/** The maximum number of folders that one scan enters, the maximum depth, and milliseconds until the next scan. */
const maxFolders = 300;
const maxDepth = 4;
const rescanMs = 3000;

const maxFiles = 200;
const maxFileBytes = 256 * 1024;

/** Folders with other people's files or generated ones. */
const skippedFolders: ReadonlySet<string> = new Set([
  ...generatedFolders,
  ...'.git .hg .svn .idea .vscode Library .npm .cargo'.split(' '),
]);

/** Watches files in the workspace whose names say that they hold secrets. Unreadable files are left out. */
export function watchSecretFiles(options: {
  readonly roots: readonly string[];
  readonly isSecretFile: (name: string) => boolean;
}): SecretFileWatch {
  const {roots, isSecretFile} = options;
  /** Maps a path to the size and time of what was read. */
  const seen = new Map<string, string>();
  let scannedAt = -Infinity;

  function readChanged(paths: Iterable<string>): readonly NamedFile[] {
    return [...paths].flatMap(path => {
      if (!seen.has(path) && seen.size >= maxFiles) return [];
      try {
        const stats = statSync(path);
        const state = `${stats.size} ${stats.mtimeMs}`;
        if (!stats.isFile() || stats.size > maxFileBytes || seen.get(path) === state) return [];
        const text = readRegularFile(path, maxFileBytes)?.toString('utf8');
        if (text === undefined) return [];
        seen.set(path, state);
        return [{path, text}];
      } catch {
        return [];
      }
    });
  }

  const inFolder = (folder: string, entries: readonly Dirent[]): string[] =>
    entries.filter(entry => !entry.isDirectory() && isSecretFile(entry.name)).map(({name}) => join(folder, name));

  function scanBelowRoots(): readonly string[] {
    const found: string[] = [];
    let level = [...roots];
    let folders = 0;
    for (let depth = 0; depth <= maxDepth && level.length > 0; depth += 1) {
      const next: string[] = [];
      for (const folder of level) {
        folders += 1;
        if (folders > maxFolders) return found;
        const entries = entriesIn(folder);
        found.push(...inFolder(folder, entries));
        for (const entry of entries) {
          if (entry.isDirectory() && !skippedFolders.has(entry.name)) next.push(join(folder, entry.name));
        }
      }
      level = next;
    }
    return found;
  }

  const filesAtRoots = (): readonly string[] => roots.flatMap(root => inFolder(root, entriesIn(root)));

  return {
    inRoots: () => readChanged(filesAtRoots()),
    everywhere(paths) {
      const named = paths.filter(path => isSecretFile(basename(path))).map(path => resolve(roots[0] ?? '.', path));
      const now = performance.now();
      const wide = now - scannedAt >= rescanMs;
      const found = wide ? scanBelowRoots() : filesAtRoots();
      if (wide) scannedAt = performance.now();
      return readChanged(new Set([...seen.keys(), ...found, ...named]));
    },
  };
}
