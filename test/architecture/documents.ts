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
  const named = text.matchAll(/\bnpm (?:run (?:-s )?([a-z][\w-]*(?::[\w-]+)*)|(start|test))(?![:*\w-])/gu);
  return [...new Set([...named].flatMap(([, script, short]) => script ?? short ?? []))];
}

/** Files and folders of the repository a page links to, as paths from the root. */
export function filesLinked({path, text}: Page): readonly string[] {
  return [...text.matchAll(/\]\(([^()\s#]+)(?:#[^()\s]*)?\)/gu)]
    .map(([, target = '']) => target)
    .filter(target => !/^[a-z]+:/u.test(target))
    .map(target => posix.join(posix.dirname(path), target));
}

/** Files (not folders) a page names in code spans by their path from the root; a placeholder in capitals or `*` is no file. */
export function filesNamed({text}: Page): readonly string[] {
  return [...text.matchAll(/`((?:src|test|bin|completions|\.config|\.ci)\/[\w./-]*[\w-])`/gu)]
    .map(([, path = '']) => path)
    .filter(path => !/[A-Z]{3,}/u.test(path) || path.endsWith('.md'));
}
