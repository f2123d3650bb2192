import {posix} from 'node:path';

/** A page in Markdown. `path` is from the repository's root. */
export interface Page {
  readonly path: string;
  readonly text: string;
}

/**
 * The npm scripts a page tells its reader to run: `npm run x`, `npm test`, `npm start`; each once, in order. A pattern such as
 * `npm run lint:*` is no script of ours.
 */
export function scriptsNamed({text}: Page): readonly string[] {
  // Files in YAML are for the reader's own project.
  const own = text.replaceAll(/^```yaml\n.*?^```$/gmsu, '');
  const named = own.matchAll(/\bnpm (?:run (?:-s )?([a-z][\w-]*(?::[\w-]+)*)|(start|test))(?![:*\w-])/gu);
  return [...new Set([...named].flatMap(([, script, short]) => script ?? short ?? []))];
}

/** Files and folders of the repository a page links to, as paths from the root. */
export function filesLinked({path, text}: Page): readonly string[] {
  return [...text.matchAll(/\]\(([^()\s#]+)(?:#[^()\s]*)?\)/gu)]
    .map(([, target = '']) => target)
    .filter(target => !/^[a-z]+:/u.test(target))
    .map(target => posix.join(posix.dirname(path), target));
}

/**
 * Folders that a page names: in code spans that end in a slash (`src/actions/`), and in maps of folders (lines such as
 * `tui/  the terminal UI: state/ (…)` between fences). Each with the folders that it may be meant from.
 */
export function foldersNamed({
  path,
  text,
}: Page): readonly {readonly folder: string; readonly from: readonly string[]}[] {
  const bases = ['.', 'src', posix.dirname(path)];
  const spans = [...text.matchAll(/`([a-z.][\w./-]*\/)`/gu)].map(([, folder = '']) => ({folder, from: bases}));
  const fences = [...text.matchAll(/^```\n(.*?)^```$/gmsu)].map(([, block = '']) => block);
  const rows = fences.flatMap(block => [...block.matchAll(/^([a-z][\w-]*)\/ +(.*)$/gmu)]);
  const maps = rows.flatMap(([, top = '', words = '']) => [
    {folder: `${top}/`, from: bases},
    ...[...words.matchAll(/(?<![\w/-])([a-z][\w-]*\/) \(/gu)].map(([, folder = '']) => ({
      folder,
      from: bases.map(base => posix.join(base, top)),
    })),
  ]);
  return [...spans, ...maps];
}

/**
 * Files (not folders) a page names in code spans, as paths from the root; a placeholder in capitals or `*` is no file. Pages of `src`
 * may leave `src/` out: `tui/state/press.ts`.
 */
export function filesNamed({path, text}: Page): readonly string[] {
  const fromRoot = [...text.matchAll(/`((?:src|test|bin|completions|\.config|\.ci)\/[\w./-]*[\w-])`/gu)];
  const fromSource = path.startsWith('src/')
    ? [...text.matchAll(/`((?!(?:src|test|bin|completions)\/)[a-z][\w-]*(?:\/[\w.-]+)*\/[\w.-]+\.tsx?)`/gu)]
    : [];
  const named = [...fromRoot.map(([, file = '']) => file), ...fromSource.map(([, file = '']) => `src/${file}`)];
  return named.filter(file => !/[A-Z]{3,}/u.test(file) || file.endsWith('.md'));
}
