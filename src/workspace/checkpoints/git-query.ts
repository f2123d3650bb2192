import {dirname, join} from 'node:path';
import {type GitContext, gitEnvironment} from '../exec/git-environment.ts';
import {commonGitFolder, gitFolderAt} from '../files/git-branch.ts';
import {isFile, isFolder as isFolderAt} from '../files/list-folder.ts';
import {runProgram} from '../run-program.ts';
import {toBytes} from '../sandbox/changes/path-bytes.ts';
import {isPipeOrDevice, watchForStuckRun} from '../search/ripgrep.ts';

const limitMs = 10_000;

const maxOutput = 64 * 1024 * 1024;

/** Folders in which git didn't answer in time; it isn't run there again. */
const unresponsiveFolders = new Set<string>();

/**
 * Runs a read-only git command in the repository of a folder. Returns `undefined` if git fails or doesn't answer in time. Git writes
 * nothing and runs no program that the repository's settings name.
 */
export async function runGitQuery(words: readonly string[], context: GitContext): Promise<string | undefined> {
  const answer = await queryGit(words, '', context);
  return answer?.code === 0 ? answer.output.toString('utf8') : undefined;
}

/** Returns git's output, or `undefined` if git couldn't run to its end. */
async function queryGit(
  words: readonly string[],
  input: string,
  {folder, environment, signal}: GitContext,
): Promise<{readonly code: number; readonly output: Buffer} | undefined> {
  if (unresponsiveFolders.has(folder) || !isGitReady(folder)) return undefined;
  using stuck = watchForStuckRun(folder, new Set());
  const {kind, code, output} = await runProgram(
    'git',
    ['--no-optional-locks', '--no-pager', ...words],
    {
      folder,
      environment: gitEnvironment(environment, folder),
      input: Buffer.from(input, 'latin1'),
      limitMs,
      maxOutput,
    },
    AbortSignal.any([signal, stuck.signal]),
  );
  signal.throwIfAborted();
  if (kind === 'too-slow' || stuck.signal.aborted) unresponsiveFolders.add(folder);
  return code < 0 ? undefined : {code, output};
}

/**
 * Returns the top folder of a repository from git's output. Returns `undefined` if the repository names another folder (`core.worktree`),
 * which may be unrelated.
 */
export function repositoryTop(answer: string | undefined): string | undefined {
  const top = answer?.replace(/\n$/u, '');
  return top !== undefined && exists(join(top, '.git')) ? top : undefined;
}

/**
 * True if git can run in the repository of `folder`. It can't if a file that git always opens is a pipe or a device:
 * git would block until the time limit.
 */
function isGitReady(folder: string): boolean {
  for (let at = folder; ; at = dirname(at)) {
    if (isPipeOrDevice(join(at, '.gitignore'))) return false;
    const git = join(at, '.git');
    if (isPipeOrDevice(git)) return false;
    if (exists(git))
      return !gitFoldersOf(at).some(own => alwaysOpenedFiles.some(name => isPipeOrDevice(join(own, name))));
    if (dirname(at) === at) return true;
  }
}

/** The files in `.git` that git opens for every command. */
const alwaysOpenedFiles =
  'HEAD config config.worktree commondir gitdir index packed-refs info/exclude info/attributes info/sparse-checkout'.split(
    ' ',
  );

/** Returns the repository's own folder. For a worktree or submodule, returns the folder that its file names and the shared one. */
function gitFoldersOf(top: string): readonly string[] {
  const own = gitFolderAt(top) ?? join(top, '.git');
  return [...new Set([own, commonGitFolder(own)])];
}

const exists = (path: string): boolean => isFile(path) || isFolderAt(path);

/** The untracked absolute paths that a repository ignores. */
export interface IgnoredPaths {
  readonly files: ReadonlySet<string>;
  /** Folders that are ignored whole; their content isn't listed. */
  readonly folders: ReadonlySet<string>;
}

/**
 * Lists ignored paths. Git writes nothing and runs nothing of the repository's. Returns `undefined` outside repositories, without git, and
 * if git doesn't answer.
 */
export async function ignoredPaths(
  folder: string,
  {environment, signal}: {readonly environment: NodeJS.ProcessEnv; readonly signal: AbortSignal},
): Promise<IgnoredPaths | undefined> {
  const words = ['--others', '--ignored', '--exclude-standard', '--directory', '-z'];
  const text = await runGitQuery(['ls-files', ...words], {
    folder,
    environment,
    signal,
  });
  if (text === undefined) return undefined;
  const names = text.split('\0').filter(name => name !== '');
  return {
    files: new Set(names.filter(name => !endsWithSlash(name)).map(name => join(folder, name))),
    folders: new Set(names.filter(endsWithSlash).map(name => join(folder, name.slice(0, -1)))),
  };
}

const endsWithSlash = (name: string): boolean => name.endsWith('/');

/**
 * Returns the paths that are untracked and that git ignores by its current rules, or `undefined` if git doesn't answer. Paths are relative
 * to `folder`, with one character for each byte, and need not exist. No path may lead through a link.
 */
export async function filterIgnored(
  paths: readonly string[],
  context: GitContext,
): Promise<ReadonlySet<string> | undefined> {
  // A path that begins with a colon would be a pattern.
  const input = paths.map(path => `./${path}\0`).join('');
  const answer = await queryGit(['check-ignore', '-z', '--stdin'], input, context);
  // Exit code 1 means that git ignores none.
  if (answer === undefined || answer.code > 1) return undefined;
  const names = answer.output.toString('latin1').split('\0');
  return new Set(names.map(name => name.slice('./'.length)));
}

/** Returns those of the paths, relative to the folder, that are untracked and that git ignores; none if git doesn't answer. */
export async function ignoredAmong(paths: readonly string[], context: GitContext): Promise<ReadonlySet<string>> {
  const ignored = paths.length === 0 ? undefined : await filterIgnored(paths.map(toBytes), context);
  return new Set(paths.filter(path => ignored?.has(toBytes(path)) === true));
}

/** Returns the paths, relative to the top of a repository, that git tracks. A path with a line feed counts as untracked. */
export async function filterTracked(paths: readonly string[], context: GitContext): Promise<ReadonlySet<string>> {
  const asked = paths.filter(path => !path.includes('\n'));
  const answer = await queryGit(['cat-file', '--batch-check'], asked.map(path => `:0:${path}\n`).join(''), context);
  const lines = answer?.code === 0 ? answer.output.toString('latin1').split('\n') : [];
  return new Set(asked.filter((_path, index) => lines[index]?.endsWith(' missing') === false));
}
