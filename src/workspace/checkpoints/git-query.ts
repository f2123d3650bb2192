import {dirname, join, resolve} from 'node:path';
import {type GitSetting, restrictedEnvironment, withGitSettings} from '../exec/shell-environment.ts';
import {gitFolderAt, lineOf} from '../files/git-branch.ts';
import {isFile, isFolder as isFolderAt} from '../files/list-folder.ts';
import {runProgram} from '../run-program.ts';
import {isEndless, whenStuck} from '../search/ripgrep.ts';

const limitMs = 10_000;

const maxOutput = 64 * 1024 * 1024;

/** Folders in which git did not answer in time; it is not asked there again. */
const unanswered = new Set<string>();

export interface GitPlace {
  readonly folder: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
}

/**
 * Runs a git command that only reads, in the repository of a folder; `undefined` if git fails or does not answer in time. Git writes
 * nothing and runs no program that the repository's settings name.
 */
export async function runGitQuery(words: readonly string[], place: GitPlace): Promise<string | undefined> {
  const answer = await ask(words, '', place);
  return answer?.code === 0 ? answer.output.toString('utf8') : undefined;
}

/** `undefined` if git could not be run to its end. */
async function ask(
  words: readonly string[],
  input: string,
  {folder, environment, signal}: GitPlace,
): Promise<{readonly code: number; readonly output: Buffer} | undefined> {
  if (unanswered.has(folder) || !isGitReady(folder)) return undefined;
  using stuck = whenStuck(folder, new Set());
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
  if (kind === 'too-slow' || stuck.signal.aborted) unanswered.add(folder);
  return code < 0 ? undefined : {code, output};
}

/**
 * The environment for git: the user's variables without those that name another repository (git sets them for hooks, and a hook may
 * have started weft), and with every setting switched off by which a repository could have a program run.
 */
export function gitEnvironment(environment: NodeJS.ProcessEnv, folder: string): Record<string, string> {
  const own = Object.entries(environment).filter(([name]) => !ofOneRepository.has(name));
  return {
    ...withGitSettings(restrictedEnvironment(Object.fromEntries(own), [folder]), steady),
    LC_ALL: 'C',
    GIT_TERMINAL_PROMPT: '0',
    // A partial clone must not fetch missing objects now.
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: 'none',
    // Replacement objects (git replace) would give other contents under the same name.
    GIT_NO_REPLACE_OBJECTS: '1',
  };
}

/** Settings that keep git's output the same for all users, and keep it out of other repositories. */
const steady: readonly GitSetting[] = [
  ['core.quotePath', 'false'],
  ['core.untrackedCache', 'false'],
  ['diff.ignoreSubmodules', 'all'],
  ['status.relativePaths', 'false'],
  ['status.renames', 'false'],
  ['status.showUntrackedFiles', 'all'],
  ['submodule.recurse', 'false'],
];

/** What `git rev-parse --local-env-vars` lists, settings left out, and what changes how it finds a repository. */
const ofOneRepository: ReadonlySet<string> = new Set(
  (
    'GIT_ALTERNATE_OBJECT_DIRECTORIES GIT_OBJECT_DIRECTORY GIT_DIR GIT_WORK_TREE GIT_IMPLICIT_WORK_TREE ' +
    'GIT_GRAFT_FILE GIT_INDEX_FILE GIT_INDEX_VERSION GIT_REPLACE_REF_BASE GIT_PREFIX GIT_SHALLOW_FILE ' +
    'GIT_COMMON_DIR GIT_NAMESPACE GIT_QUARANTINE_PATH GIT_LITERAL_PATHSPECS GIT_GLOB_PATHSPECS GIT_NOGLOB_PATHSPECS ' +
    'GIT_ICASE_PATHSPECS'
  ).split(' '),
);

/**
 * Returns the outermost folder of the repository that git finds from `folder`, in git's own words; `undefined` if the repository names
 * another one (`core.worktree`), which need not have anything to do with it.
 */
export function topIn(answer: string | undefined): string | undefined {
  const top = answer?.replace(/\n$/u, '');
  return top !== undefined && isThere(join(top, '.git')) ? top : undefined;
}

/**
 * Whether git can be asked about the repository of `folder`: no pipe and no device is in the place of a file that git always opens.
 * Git would block on it until the time limit.
 */
function isGitReady(folder: string): boolean {
  for (let at = folder; ; at = dirname(at)) {
    if (isEndless(join(at, '.gitignore'))) return false;
    const git = join(at, '.git');
    if (isEndless(git)) return false;
    if (isThere(git)) return !foldersOf(at).some(own => openedFirst.some(name => isEndless(join(own, name))));
    if (dirname(at) === at) return true;
  }
}

/** The files in `.git` that git opens for every command. */
const openedFirst =
  'HEAD config config.worktree commondir gitdir index packed-refs info/exclude info/attributes info/sparse-checkout'.split(
    ' ',
  );

/** The repository's own folder; of a worktree or a submodule the one that its file names, and the one shared with others. */
function foldersOf(top: string): readonly string[] {
  const own = gitFolderAt(top) ?? join(top, '.git');
  const common = lineOf(join(own, 'commondir'), /^(.+)$/mu);
  return common === undefined ? [own] : [own, resolve(own, common)];
}

const isThere = (path: string): boolean => isFile(path) || isFolderAt(path);

/** The untracked paths that a repository ignores. Absolute paths. */
export interface IgnoredPaths {
  readonly files: ReadonlySet<string>;
  /** Folders that are ignored as a whole; what lies in them is not listed. */
  readonly folders: ReadonlySet<string>;
}

/**
 * Asks git, which writes nothing and runs nothing of the repository's; `undefined` outside of repositories, without git and where
 * git does not answer.
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
    files: new Set(names.filter(name => !isFolder(name)).map(name => join(folder, name))),
    folders: new Set(names.filter(isFolder).map(name => join(folder, name.slice(0, -1)))),
  };
}

const isFolder = (name: string): boolean => name.endsWith('/');

/**
 * Returns those of the paths that git ignores by the rules that lie there now and that no repository follows; `undefined` if git does not
 * answer. Paths are relative to `folder`, with one character for each byte, and need not exist. None may lie beyond a link.
 */
export async function ignoredAmong(
  paths: readonly string[],
  place: GitPlace,
): Promise<ReadonlySet<string> | undefined> {
  // A path that begins with a colon would be a pattern.
  const input = paths.map(path => `./${path}\0`).join('');
  const answer = await ask(['check-ignore', '-z', '--stdin'], input, place);
  // The exit code is 1 if it ignores none.
  if (answer === undefined || answer.code > 1) return undefined;
  const names = answer.output.toString('latin1').split('\0');
  return new Set(names.map(name => name.slice('./'.length)));
}

/** Returns those of the paths, relative to the top of a repository, that git follows. A path with a line end counts as none. */
export async function followedAmong(paths: readonly string[], place: GitPlace): Promise<ReadonlySet<string>> {
  const asked = paths.filter(path => !path.includes('\n'));
  const answer = await ask(['cat-file', '--batch-check'], asked.map(path => `:0:${path}\n`).join(''), place);
  const lines = answer?.code === 0 ? answer.output.toString('latin1').split('\n') : [];
  return new Set(asked.filter((_path, index) => lines[index]?.endsWith(' missing') === false));
}
