import {type GitSetting, restrictedEnvironment, withGitSettings} from './shell-environment.ts';

export interface GitContext {
  readonly folder: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
}

/**
 * Returns the environment for git. It lacks variables that name another repository: git sets them for hooks, and a hook may have started
 * weft. It turns off every setting by which a repository could run a program.
 */
export function gitEnvironment(environment: NodeJS.ProcessEnv, folder: string): Record<string, string> {
  const own = Object.entries(environment).filter(([name]) => !repositoryVariables.has(name));
  return {
    ...withGitSettings(restrictedEnvironment(Object.fromEntries(own), [folder]), stableSettings),
    LC_ALL: 'C',
    GIT_TERMINAL_PROMPT: '0',
    // A partial clone must not fetch missing objects now.
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: 'none',
    // Replacement objects (git replace) would give other content under the same name.
    GIT_NO_REPLACE_OBJECTS: '1',
  };
}

/** Settings that make git's output the same for all users, and keep git out of other repositories. */
const stableSettings: readonly GitSetting[] = [
  ['core.quotePath', 'false'],
  ['core.untrackedCache', 'false'],
  ['diff.ignoreSubmodules', 'all'],
  ['status.relativePaths', 'false'],
  ['status.renames', 'false'],
  ['status.showUntrackedFiles', 'all'],
  ['submodule.recurse', 'false'],
];

/** The variables that `git rev-parse --local-env-vars` lists, without settings, and those that change how git finds a repository. */
const repositoryVariables: ReadonlySet<string> = new Set(
  (
    'GIT_ALTERNATE_OBJECT_DIRECTORIES GIT_OBJECT_DIRECTORY GIT_DIR GIT_WORK_TREE GIT_IMPLICIT_WORK_TREE ' +
    'GIT_GRAFT_FILE GIT_INDEX_FILE GIT_INDEX_VERSION GIT_REPLACE_REF_BASE GIT_PREFIX GIT_SHALLOW_FILE ' +
    'GIT_COMMON_DIR GIT_NAMESPACE GIT_QUARANTINE_PATH GIT_LITERAL_PATHSPECS GIT_GLOB_PATHSPECS GIT_NOGLOB_PATHSPECS ' +
    'GIT_ICASE_PATHSPECS'
  ).split(' '),
);
