import type {PathJudge} from './programs/judge-program.ts';
import {belowRoots, type Ground} from './ground.ts';
import {isAbsolutePath, partsOf} from './path-parts.ts';
import {looksSecret, mayNameSecret} from './secret-paths.ts';

/** How paths are judged. `directories` are where a command may run; none when that is not known. */
export interface PathRules {
  readonly from: (directories: readonly string[]) => PathJudge;
  /** The folders a `cd` may lead to; a reason when one of them is outside. */
  readonly after: (target: string, directories: readonly string[]) => readonly string[] | string;
}

/** Inside the workspace, links followed, and nothing that looks like a secret. */
export const workspacePaths = (ground: Ground): PathRules => ({
  from: directories => makePathJudge(directories, ground),
  after: (target, directories) => directoriesAfter(target, {directories, ground}),
});

/** Whatever the path: to tell what only reads, but in the wrong place, from what may do more. */
export const anyPaths: PathRules = {from: () => () => undefined, after: target => [target]};

function makePathJudge(directories: readonly string[], ground: Ground): PathJudge {
  return ({text, style}, use) => {
    if (text === '/dev/null' || text === '/dev/stdin' || text === '/dev/fd/63') return undefined;
    if (/^(?:[A-Za-z]:[\\/]|\\\\)/u.test(text)) return `is given \`${text}\`, which may lie outside the workspace`;
    const fixed = style === 'wild' ? beginningOf(text) : text;
    if (style === 'wild' && /(?:^|\/)\.\.(?:\/|$)/u.test(text.slice(fixed.length)))
      return `is given \`${text}\`, which may lead anywhere`;
    // `.*` stands for the folder above, too.
    if (style === 'wild' && /(?:^|\/)\.[*?[]/u.test(text))
      return `is given \`${text}\`, which may name secrets or the folder above`;
    if (use === 'read' && (style === 'wild' ? mayNameSecret(text) : looksSecret(text)))
      return `reads \`${text}\`, which may hold secrets`;
    const starts = isAbsolutePath(fixed) ? [''] : directories;
    if (starts.length === 0) return `reads \`${text}\`, and from where is not known`;
    for (const start of starts) {
      const leads = placesOf(start === '' ? fixed : `${start}/${fixed}`, ground);
      if (leads.some(({place}) => place === 'outside-workspace'))
        return `reads outside the workspace: ${leads.at(-1)?.path ?? text}`;
      if (use === 'read' && leads.some(({path}) => looksSecret(belowRoot(path, ground))))
        return `reads \`${text}\`, which may hold secrets`;
    }
    return undefined;
  };
}

function directoriesAfter(
  target: string,
  {directories, ground}: {readonly directories: readonly string[]; readonly ground: Ground},
): readonly string[] | string {
  const starts = isAbsolutePath(target) ? [''] : directories;
  if (starts.length === 0) return 'goes on from a folder that is not known';
  const found = starts.flatMap(start => placesOf(start === '' ? target : `${start}/${target}`, ground));
  const outside = found.find(({place}) => place === 'outside-workspace');
  return outside === undefined ? [...new Set(found.map(({path}) => path))] : `leaves the workspace: ${outside.path}`;
}

/**
 * Where an absolute path leads: by the letter, as the shell takes `..` in `cd`, and as the system does, which follows links
 * before it goes up.
 */
function placesOf(path: string, {resolve}: Ground): readonly ReturnType<Ground['resolve']>[] {
  if (!/(?:^|\/)\.\.(?:\/|$)/u.test(path)) return [resolve(path)];
  let real = '';
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    real = part === '..' ? parent(resolve(real === '' ? '/' : real).path) : `${real}/${part}`;
  }
  return [resolve(`/${partsOf(path).join('/')}`), resolve(real === '' ? '/' : real)];
}

const parent = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));

/** What of a pattern comes before its first wildcard, up to a slash. */
const beginningOf = (pattern: string): string => {
  const [plain = ''] = pattern.split(/[*?[]/u, 1);
  const folder = plain.slice(0, plain.lastIndexOf('/') + 1);
  return folder === '' ? '.' : folder;
};

/** Names above a workspace do not make its files secrets. */
const belowRoot = (path: string, ground: Ground): string => {
  const [first] = belowRoots(partsOf(path), ground);
  return first === undefined ? path : first.below.join('/');
};
