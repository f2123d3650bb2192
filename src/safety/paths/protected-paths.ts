import {belowRoots, type PathContext} from './path-context.ts';
import type {PathParts} from './path-parts.ts';

/**
 * Files and folders whose content runs automatically, decides what may run, or grants access to the machine. Names are compared
 * without case, because some file systems do so. Instructions for agents (AGENTS.md) and files that a person has to start
 * (package.json, Makefile) are ordinary files.
 */
const names = toSet(
  // Version control and commit hooks.
  '.git .gitconfig .gitmodules .hg .hgrc .svn .jj .jjconfig.toml .bzr .repo .p4config .p4enviro',
  '.husky .huskyrc .githooks .git-hooks .pre-commit-config.yaml .pre-commit-config.yml .pre-commit-hooks.yaml .overcommit.yml prek.toml',
  'lefthook.yml lefthook.yaml lefthook.toml lefthook.json lefthook-local.yml .lefthook .lefthook.yml .lefthook.yaml .lefthook.toml .lefthook-local.yml',
  '.simple-git-hooks.json .simple-git-hooks.js .simple-git-hooks.cjs captainhook.json',
  // Agents: their settings name commands, servers and hooks.
  '.weft .claude .claude.json .mcp.json .codex .gemini .cursor .opencode opencode.json opencode.jsonc .opencode.json .aider.conf.yml',
  '.agents .qwen .kiro .windsurf .codeium .continue .crush crush.json .crush.json .roo .roomodes .junie .amp .factory .cline .kilocode',
  '.kilocodemodes .goose .augment .trae .tabnine .copilot .openhands .iflow .codebuddy .lingma .rovodev .plandex .antigravity .void .pi .warp .qoder .vibe .grok .kimi .auggie',
  // Editors and development containers.
  '.vscode .vscode-insiders .vscode-server .idea .vs .zed .fleet .nova .helix .lapce .devcontainer .devcontainer.json .gitpod.yml .gitpod.yaml',
  '.gitpod.dockerfile .idx .replit .codesandbox .stackblitzrc devfile.yaml .devfile.yaml',
  '.vimrc .gvimrc .exrc .nvimrc .lvimrc .nvim.lua .vimrc.local _vimrc .vim .emacs .emacs.el .emacs.d .dir-locals.el .dir-locals-2.el .spacemacs .doom.d .nanorc',
  // Shells and terminals, and the files that they read at startup.
  '.bashrc .bash_profile .bash_login .bash_logout .bash_aliases .bash_completion .profile .login .logout .zshrc .zshenv .zprofile .zlogin .zlogout',
  '.cshrc .tcshrc .kshrc .mkshrc .shrc .shinit .xonshrc .elvish .oh-my-zsh .inputrc .envrc .direnv .direnvrc .autoenv .autoenv.zsh',
  '.autoenv_leave.zsh .pam_environment .login_conf .selected_editor .lessfilter .lesskey .mailcap .forward .procmailrc',
  '.tmux.conf .screenrc .wezterm.lua microsoft.powershell_profile.ps1',
  // Desktop sessions and services.
  '.xinitrc .xsession .xsessionrc .xprofile .xserverrc .xmonad .i3 .fluxbox .hammerspoon .yabairc .skhdrc',
  // Version managers, which choose the program that runs.
  '.tool-versions mise.toml .mise.toml mise.local.toml .mise.local.toml .mise .rtx.toml .asdfrc .nvmrc .node-version .bun-version .python-version .ruby-version',
  '.ruby-gemset .rvmrc .java-version .jabbarc .sdkmanrc .go-version .php-version .perl-version .lua-version .swift-version .terraform-version .crystal-version',
  '.fvmrc .fvm rust-toolchain rust-toolchain.toml .prototools .proto .volta .nvm .fnm .nodenv .pyenv .rbenv .rvm .asdf .goenv .jenv .phpenv .plenv .tfenv .sdkman .rustup',
  // Debuggers, interpreters and database clients run these files at startup, some from the current folder.
  '.gdbinit .gdbearlyinit .lldbinit .radare2rc .rizinrc .pdbrc .pdbrc.py .pythonrc .pythonrc.py .pythonstartup sitecustomize.py usercustomize.py .ipython .jupyter',
  '.irbrc .pryrc .rprofile .renviron .ghci .ocamlinit .sqliterc .psqlrc .mysqlrc .my.cnf .mongorc.js .mongoshrc.js .duckdbrc',
  // Package managers and build tools.
  '.npmrc .yarnrc .yarnrc.yml .pnpmfile.cjs .pnpmfile.mjs bunfig.toml .gemrc .bundle .pip pip.conf .pypirc .condarc .mvn .jvmopts .sbtopts .bazelrc',
  '.curlrc .wgetrc .terraformrc .terraform.d .ansible.cfg',
  // Continuous integration.
  '.circleci .gitlab-ci.yml .gitlab-ci.yaml .gitlab-ci azure-pipelines.yml azure-pipelines.yaml .azure-pipelines .azuredevops .vsts-ci.yml jenkinsfile',
  '.travis.yml .travis.yaml .drone.yml .drone.yaml .drone.jsonnet .drone.star bitbucket-pipelines.yml bitbucket-pipelines.yaml .buildkite .woodpecker.yml',
  '.woodpecker.yaml .woodpecker appveyor.yml .appveyor.yml .teamcity .semaphore .cirrus.yml .cirrus.star .tekton .harness .builds .build.yml wercker.yml',
  'cloudbuild.yaml cloudbuild.yml cloudbuild.json buildspec.yml buildspec.yaml appspec.yml appspec.yaml amplify.yml codefresh.yml .codefresh bitrise.yml',
  'codemagic.yaml screwdriver.yaml buddy.yml .buddy codeship-steps.yml codeship-services.yml .zuul.yaml .zuul.d .prow.yaml .onedev-buildspec.yml .space.kts',
  // Keys and remote access.
  '.ssh .gnupg .aws .azure .kube .netrc _netrc .rhosts .shosts .k5login',
);

/** One or two folders and an entry directly in them. */
const nested = toSet(
  '.github/workflows .github/actions .github/hooks .gitea/workflows .gitea/actions .forgejo/workflows .forgejo/actions .gitlab/ci .azure/pipelines',
  '.config/weft .config/git .config/hg .config/jj .config/gh .config/mise .config/direnv .config/pip .config/gcloud .config/containers',
  '.config/fish .config/bash .config/zsh .config/nushell .config/xonsh .config/elvish .config/powershell .config/starship.toml .config/tmux .config/kitty',
  '.config/alacritty .config/ghostty .config/wezterm .config/nvim .config/vim .config/emacs .config/doom .config/helix .config/kak .config/gdb .config/zed',
  '.config/code .config/cursor .config/vscodium .config/opencode .config/crush .config/goose .config/amp .config/claude .config/codex .config/github-copilot',
  '.config/systemd .config/autostart .config/autostart-scripts .config/environment.d .config/user-tmpfiles.d .config/upstart .config/plasma-workspace',
  '.config/nix .config/home-manager .config/ranger .config/lf .config/yazi .config/mpv mise/config.toml',
  '.config/i3 .config/sway .config/hypr .config/openbox .config/awesome .config/bspwm .config/sxhkd .config/xmonad .kde/autostart .kde4/autostart',
  '.local/bin .local/lib .local/pipx .local/state/nix .local/share/mise .local/share/fnm .local/share/pnpm .local/share/uv .local/share/pipx',
  'library/launchagents library/launchdaemons .docker/config.json .docker/cli-plugins',
  '.local/share/systemd .local/share/dbus-1 .local/share/applications .local/share/gnome-shell .local/share/nautilus .local/share/kio',
  '.cargo/config .cargo/config.toml .cargo/bin .cargo/env .m2/settings.xml .gradle/init.d .gradle/init.gradle .gradle/gradle.properties .yarn/plugins .yarn/releases .pnpm/bin .go/bin .deno/bin .bun/bin .npm-global/bin',
  'programs/startup documents/powershell documents/windowspowershell',
).add('application support/weft');

/** The last names of the nested entries. */
const nestedNames = new Set([...nested].map(path => path.slice(path.lastIndexOf('/') + 1)));

/**
 * Returns the part of a path that makes it protected, or `undefined`. Inside the workspace only the root's own name and the parts
 * below it count: a workspace under `~/.claude/worktrees` is not protected as a whole, but `~/.claude` itself is.
 */
export function protectedPart(path: PathParts, context: PathContext): string | undefined {
  const inRoots = belowRoots(path, context).map(({root, below}) => [...root.slice(-1), ...below]);
  for (const parts of inRoots.length === 0 ? [path] : inRoots) {
    const found = protectedIn(parts.map(part => part.toLowerCase()));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** True if a path below a workspace root, with slashes between its names, is protected because of its names. */
export const isProtectedBelow = (path: string): boolean => protectedIn(path.toLowerCase().split('/')) !== undefined;

function protectedIn(parts: PathParts): string | undefined {
  for (const [at, part] of parts.entries()) {
    const slash = at === parts.length - 1 ? '' : '/';
    if (names.has(part) || miseEnvironmentFile.test(part)) return part + slash;
    if (!nestedNames.has(part)) continue;
    for (const above of [1, 2]) {
      const path = parts.slice(Math.max(0, at - above), at + 1).join('/');
      if (nested.has(path)) return path + slash;
    }
  }
  return undefined;
}

/** Matches mise's configuration file for one environment: `mise.production.toml`. */
const miseEnvironmentFile = /^\.?mise\.[^/]+\.toml$/u;

function toSet(...lines: readonly string[]): Set<string> {
  return new Set(lines.flatMap(line => line.split(' ')));
}
