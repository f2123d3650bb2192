import {accessSync, constants, existsSync, statSync} from 'node:fs';
import {homedir} from 'node:os';
import {delimiter, dirname, isAbsolute, join} from 'node:path';
import QuickLRU from 'quick-lru';
import type {ShellReport} from '../../actions/ports.ts';
import {holds, realPath} from '../files/resolve-path.ts';

/** The folders of a PATH in two parts: those that are trusted, and those whose programs the workspace decides on. */
export interface SplitPath {
  /** The PATH without the dropped folders. */
  readonly trusted: string;
  readonly dropped: readonly string[];
}

/**
 * Takes out of a PATH what depends on where a program runs (empty and relative folders, `/proc/self/cwd`) and what lies in one of the
 * roots or in the repository around it, or leads there: a program of the repository must not run under the name of another.
 * The system's own folders always stay.
 */
export function splitPath(path: string, roots: readonly string[]): SplitPath {
  const key = [path, ...roots].join('\0');
  const known = split.get(key);
  if (known !== undefined) return known;
  const wide = [...new Set(roots.flatMap(root => [root, realPath(root)]).map(repositoryAround))];
  const trusted: string[] = [];
  const dropped: string[] = [];
  for (const folder of path.split(delimiter)) {
    const isOwn =
      isAbsolute(folder) &&
      (systemFolders.has(folder) ||
        (!/^\/(?:proc|dev)\//u.test(folder) &&
          ![folder, realPath(folder)].some(each => wide.some(root => holds(root, each)))));
    (isOwn ? trusted : dropped).push(folder);
  }
  const result = {trusted: (trusted.length > 0 ? trusted : [...systemFolders]).join(delimiter), dropped};
  split.set(key, result);
  return result;
}

/** Answers by PATH and roots: every command asks for the same few. */
const split = new QuickLRU<string, SplitPath>({maxSize: 50});

const systemFolders: ReadonlySet<string> = new Set([
  '/usr/local/bin',
  '/usr/bin',
  '/bin',
  '/usr/local/sbin',
  '/usr/sbin',
  '/sbin',
]);

/** The top of the repository that a folder lies in, else the folder; never one around the user's home. */
function repositoryAround(folder: string): string {
  const home = homedir();
  for (let at = folder; dirname(at) !== at && !holds(at, home); at = dirname(at)) {
    if (existsSync(join(at, '.git'))) return at;
  }
  return folder;
}

/** Where a program of weft's own choice lies: in a folder of PATH that the workspace does not decide on. */
export function findProgram(name: string): string | undefined {
  const path = process.env['PATH'] ?? '';
  const key = `${name}\0${path}`;
  const known = programs.get(key);
  if (known !== undefined) return known;
  const found = programPath(name, [path, ...systemFolders].join(delimiter));
  if (found !== undefined) programs.set(key, found);
  return found;
}

/** Programs found. A missing one is looked for again: it may be installed while weft runs. */
const programs = new Map<string, string>();

/** The file that a program is started from: a path as it is, a name by PATH. `undefined` where there is none that can be run. */
export function programPath(program: string, path: string): string | undefined {
  if (program.includes('/')) return isAbsolute(program) && isExecutable(program) ? program : undefined;
  const folders = path.split(delimiter).filter(folder => isAbsolute(folder));
  return folders.map(folder => join(folder, program)).find(isExecutable);
}

export function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

let given: string | undefined;

/**
 * Has weft's own programs (bash, git, ripgrep, stty, ps) looked for in trusted folders alone, from now on. To be called with the
 * roots before anything is started.
 */
export function trustOwnPath(roots: readonly string[]): void {
  const path = process.env['PATH'];
  if (path === undefined) return;
  given ??= path;
  process.env['PATH'] = splitPath(path, roots).trusted;
}

/** The user's own PATH, for what the user has run. */
export const userPath = (): string => given ?? process.env['PATH'] ?? '';

/** Where the user's PATH finds a program in a folder that the workspace decides on, from a folder; `undefined` for nowhere. */
export function strayProgram(
  name: string,
  {directory, roots}: {readonly directory: string; readonly roots: readonly string[]},
): string | undefined {
  if (name.includes('/')) return undefined;
  return splitPath(userPath(), roots)
    .dropped.map(folder => join(isAbsolute(folder) ? folder : join(directory, folder), name))
    .find(file => existsSync(file));
}

/** A note that folders were dropped from PATH, for a command that looked for a program and may have missed it because of that. */
export function droppedNote(
  command: string,
  end: ShellReport['end'],
  {
    variables,
    roots,
  }: {
    readonly variables: Readonly<Record<'own' | 'given', Readonly<Record<string, string | undefined>>>>;
    readonly roots: readonly string[];
  },
): readonly string[] {
  const asks = /\b(?:which|type|whereis|command -[vV])\b|\s(?:--?version|-[vV])\b/u.test(command);
  if (!asks && !(end.kind === 'exited' && end.code === 127)) return [];
  const path = variables.own['PATH'] ?? variables.given['PATH'] ?? '';
  const dropped = splitPath(path, roots).dropped.filter(folder => folder !== '');
  if (dropped.length === 0) return [];
  return [`nobody was asked, so PATH was without ${dropped.join(', ')}, which the workspace decides on`];
}
