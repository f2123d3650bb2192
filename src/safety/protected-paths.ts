import {belowRoots, type Ground} from './ground.ts';
import type {PathParts} from './path-parts.ts';

/**
 * Files and folders whose content runs, decides what may run, or lets somebody in: git's own files and hooks, shell start-up
 * files, configuration of agents and MCP servers (weft's too), of package managers and CI, keys. Compared without case, since
 * some file systems do. Instructions to agents (AGENTS.md) are ordinary files.
 */
const names = listed(
  '.git .gitconfig .gitmodules .husky .pre-commit-config.yaml .envrc',
  '.weft .claude .claude.json .mcp.json .codex .gemini .cursor .opencode opencode.json .aider.conf.yml .vscode .idea .devcontainer',
  '.bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin .zlogout .cshrc .tcshrc .kshrc',
  '.npmrc .yarnrc .yarnrc.yml .pnpmfile.cjs',
  '.circleci .gitlab-ci.yml azure-pipelines.yml jenkinsfile .travis.yml .drone.yml bitbucket-pipelines.yml .buildkite .woodpecker.yml .woodpecker',
  'appveyor.yml .appveyor.yml .teamcity lefthook.yml .lefthook.yml .githooks',
  '.ssh .gnupg .aws .netrc',
);

/** A folder and what lies right in it. */
const pairs = listed('.github/workflows .github/actions .config/fish .config/git .config/weft').add(
  'application support/weft',
);

/**
 * The part of a path that makes it protected, or `undefined`. Inside the workspace only the parts below a root count, and the
 * root's own name: a workspace that lies under `~/.claude/worktrees` is not protected as a whole, `~/.claude` itself is.
 */
export function protectedPart(path: PathParts, ground: Ground): string | undefined {
  const inRoots = belowRoots(path, ground).map(({root, below}) => [...root.slice(-1), ...below]);
  for (const parts of inRoots.length === 0 ? [path] : inRoots) {
    const found = protectedIn(parts.map(part => part.toLowerCase()));
    if (found !== undefined) return found;
  }
  return undefined;
}

function protectedIn(parts: PathParts): string | undefined {
  for (const [at, part] of parts.entries()) {
    const slash = at === parts.length - 1 ? '' : '/';
    if (names.has(part)) return part + slash;
    const pair = `${parts[at - 1] ?? ''}/${part}`;
    if (pairs.has(pair)) return pair + slash;
  }
  return undefined;
}

function listed(...lines: readonly string[]): Set<string> {
  return new Set(lines.flatMap(line => line.split(' ')));
}
