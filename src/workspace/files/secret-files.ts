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

/** Each answer has what is new or has changed (by size and time) since the last one. */
export interface SecretFileWatch {
  /** Right in the roots. */
  inRoots(): readonly NamedFile[];
  /** Also in the folders below, as far as the bounds reach, and those of `paths` that have such a name. */
  everywhere(paths: readonly string[]): readonly NamedFile[];
}

/** Folders that one look below the roots goes into, how deep, and milliseconds until the next look. */
const maxFolders = 300;
const deepest = 4;
const lookAgainMs = 3000;

const maxFiles = 200;
const largestFile = 256 * 1024;

/** Folders of other people's files, or of none that anybody wrote. */
const passedOver: ReadonlySet<string> = new Set([
  ...generatedFolders,
  ...'.git .hg .svn .idea .vscode Library .npm .cargo'.split(' '),
]);

/** Watches files in the workspace whose names say that they hold secrets. What cannot be read is left out. */
export function watchSecretFiles(options: {
  readonly roots: readonly string[];
  readonly isSecretFile: (name: string) => boolean;
}): SecretFileWatch {
  const {roots, isSecretFile} = options;
  /** Path to size and time of what was read. */
  const seen = new Map<string, string>();
  let lookedAt = -Infinity;

  function readChanged(paths: Iterable<string>): readonly NamedFile[] {
    return [...paths].flatMap(path => {
      if (!seen.has(path) && seen.size >= maxFiles) return [];
      try {
        const stats = statSync(path);
        const state = `${stats.size} ${stats.mtimeMs}`;
        if (!stats.isFile() || stats.size > largestFile || seen.get(path) === state) return [];
        const text = readRegularFile(path, largestFile)?.toString('utf8');
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

  function below(): readonly string[] {
    const found: string[] = [];
    let level = [...roots];
    let folders = 0;
    for (let depth = 0; depth <= deepest && level.length > 0; depth += 1) {
      const next: string[] = [];
      for (const folder of level) {
        folders += 1;
        if (folders > maxFolders) return found;
        const entries = entriesIn(folder);
        found.push(...inFolder(folder, entries));
        for (const entry of entries) {
          if (entry.isDirectory() && !passedOver.has(entry.name)) next.push(join(folder, entry.name));
        }
      }
      level = next;
    }
    return found;
  }

  const atRoots = (): readonly string[] => roots.flatMap(root => inFolder(root, entriesIn(root)));

  return {
    inRoots: () => readChanged(atRoots()),
    everywhere(paths) {
      const named = paths.filter(path => isSecretFile(basename(path))).map(path => resolve(roots[0] ?? '.', path));
      const now = performance.now();
      const wide = now - lookedAt >= lookAgainMs;
      const found = wide ? below() : atRoots();
      if (wide) lookedAt = performance.now();
      return readChanged(new Set([...seen.keys(), ...found, ...named]));
    },
  };
}
