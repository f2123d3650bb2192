import {accessSync, constants, existsSync, statSync} from 'node:fs';
import {homedir} from 'node:os';
import {delimiter, dirname, isAbsolute, join} from 'node:path';
import QuickLRU from 'quick-lru';
import type {ShellReport} from '../../actions/ports.ts';
import {containsPath, realPath} from '../files/resolve-path.ts';

/** The folders of a PATH in two parts: trusted ones, and those whose content the workspace controls. */
export interface SplitPath {
  /** The PATH without the dropped folders. */
  readonly trusted: string;
  readonly dropped: readonly string[];
}

/**
 * Drops folders from a PATH so that a program of the repository can't run under another program's name. It drops
 * folders that depend on the current directory (empty and relative ones, `/proc/self/cwd`). It also drops folders that
 * are in, or link into, one of the roots or the repository around it. The system's own folders always stay.
 */
export function splitPath(path: string, roots: readonly string[]): SplitPath {
  const key = [path, ...roots].join('\0');
  const known = splitPaths.get(key);
  if (known !== undefined) return known;
  const untrustedRoots = [...new Set(roots.flatMap(root => [root, realPath(root)]).map(repositoryAround))];
  const trusted: string[] = [];
  const dropped: string[] = [];
  for (const folder of path.split(delimiter)) {
    const isTrusted =
      isAbsolute(folder) &&
      (systemFolders.has(folder) ||
        (!/^\/(?:proc|dev)\//u.test(folder) &&
          ![folder, realPath(folder)].some(each => untrustedRoots.some(root => containsPath(root, each)))));
    (isTrusted ? trusted : dropped).push(folder);
  }
  const result = {trusted: (trusted.length > 0 ? trusted : [...systemFolders]).join(delimiter), dropped};
  splitPaths.set(key, result);
  return result;
}

/** Results by PATH and roots: every command requests the same few. */
const splitPaths = new QuickLRU<string, SplitPath>({maxSize: 50});

const systemFolders: ReadonlySet<string> = new Set(
  '/usr/local/bin /usr/bin /bin /usr/local/sbin /usr/sbin /sbin'.split(' '),
);

/** Returns the top of the repository that contains the folder, otherwise the folder. Never returns a folder above the user's home. */
function repositoryAround(folder: string): string {
  const home = homedir();
  for (let at = folder; dirname(at) !== at && !containsPath(at, home); at = dirname(at)) {
    if (existsSync(join(at, '.git'))) return at;
  }
  return folder;
}

/** Returns the path of a program that weft itself runs, from a trusted folder of PATH. */
export function findProgram(name: string): string | undefined {
  const path = process.env['PATH'] ?? '';
  const key = `${name}\0${path}`;
  const known = foundPrograms.get(key);
  if (known !== undefined) return known;
  const found = programPath(name, [path, ...systemFolders].join(delimiter));
  if (found !== undefined) foundPrograms.set(key, found);
  return found;
}

/** Programs found so far. A missing program is searched for again, because it may be installed while weft runs. */
const foundPrograms = new Map<string, string>();

/** Returns the file of a program: a path unchanged, a name by PATH. `undefined` if there is no executable one. */
export function programPath(program: string, path: string): string | undefined {
  if (program.includes('/')) return isAbsolute(program) && isExecutable(program) ? program : undefined;
  const folders = path.split(delimiter).filter(folder => isAbsolute(folder));
  return folders.map(folder => join(folder, program)).find(isExecutable);
}

/** Returns the shell that runs commands: bash if there is one, otherwise sh. Skips folders of PATH that are relative or inside `roots`. */
export const findShell = (environment: {readonly PATH?: string | undefined}, roots: readonly string[]): string =>
  programPath('bash', [splitPath(environment.PATH ?? '', roots).trusted, '/bin', '/usr/bin'].join(delimiter)) ??
  '/bin/sh';

export function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

let originalPath: string | undefined;

/**
 * Makes weft find its own programs (bash, git, ripgrep, stty, ps) in trusted folders only. Call this with the roots
 * before starting anything.
 */
export function restrictOwnPath(roots: readonly string[]): void {
  const path = process.env['PATH'];
  if (path === undefined) return;
  originalPath ??= path;
  process.env['PATH'] = splitPath(path, roots).trusted;
}

/** The user's own PATH, for commands of the user. */
export const userPath = (): string => originalPath ?? process.env['PATH'] ?? '';

/**
 * Returns the path of a program from the user's PATH, as seen from `directory`, if the workspace controls its folder;
 * otherwise `undefined`.
 */
export function findUntrustedProgram(
  name: string,
  {directory, roots}: {readonly directory: string; readonly roots: readonly string[]},
): string | undefined {
  if (name.includes('/')) return undefined;
  return splitPath(userPath(), roots)
    .dropped.map(folder => join(isAbsolute(folder) ? folder : join(directory, folder), name))
    .find(file => existsSync(file));
}

/** Returns a note that folders were dropped from PATH, if the command may have missed a program because of that. */
export function droppedFoldersNote(
  command: string,
  end: ShellReport['end'],
  {
    variables,
    roots,
  }: {
    readonly variables: Readonly<Record<'userSet' | 'inherited', Readonly<Record<string, string | undefined>>>>;
    readonly roots: readonly string[];
  },
): readonly string[] {
  const isLookup = /\b(?:which|type|whereis|command -[vV])\b|\s(?:--?version|-[vV])\b/u.test(command);
  if (!isLookup && !(end.kind === 'exited' && end.code === 127)) return [];
  const path = variables.userSet['PATH'] ?? variables.inherited['PATH'] ?? '';
  const dropped = splitPath(path, roots).dropped.filter(folder => folder !== '');
  if (dropped.length === 0) return [];
  return [`the command ran without approval, so PATH left out ${dropped.join(', ')}, which the workspace controls`];
}
