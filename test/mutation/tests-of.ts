import {existsSync, readdirSync, readFileSync} from 'node:fs';
import {dirname, join, relative} from 'node:path';

/**
 * The test files that a source can fail: those of its own folder, then the others, nearest first: those that import it, those that import
 * what imports it, and so on.
 */
export function testsOf(root: string, source: string): readonly string[] {
  const importers = new Map<string, string[]>();
  for (const folder of ['src', 'test']) {
    for (const name of readdirSync(join(root, folder), {recursive: true, encoding: 'utf8'})) {
      if (!/\.tsx?$/u.test(name)) continue;
      const path = join(folder, name);
      for (const imported of importsOf(root, path)) importers.set(imported, [...(importers.get(imported) ?? []), path]);
    }
  }
  const seen = new Set([source]);
  for (const path of seen) for (const importer of importers.get(path) ?? []) seen.add(importer);
  const own = join('test/unit', relative('src', dirname(source)));
  const isElsewhere = (path: string): number => Number(!path.startsWith(`${own}/`));
  return [...seen]
    .filter(path => /^test\/(?:unit|contract|tui|judgements)\/.*\.test\.tsx?$/u.test(path))
    .toSorted((one, other) => isElsewhere(one) - isElsewhere(other));
}

function importsOf(root: string, path: string): readonly string[] {
  const text = readFileSync(join(root, path), 'utf8');
  return Array.from(text.matchAll(/(?:from|import)[ (]'(\.[^']+)'/gu), ([, name = '']) =>
    join(dirname(path), name),
  ).filter(name => existsSync(join(root, name)));
}
