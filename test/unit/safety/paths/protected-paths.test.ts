import {expect, test} from 'vitest';
import {makePathContext} from '../../../../src/safety/paths/path-context.ts';
import {partsOf} from '../../../../src/safety/paths/path-parts.ts';
import {protectedPart} from '../../../../src/safety/paths/protected-paths.ts';
import {unknownFileEffect} from '../../../../src/domain/risk.ts';

const context = makePathContext({
  roots: ['/home/me/.claude/worktrees/x', '/home/me/.config/tool'],
  home: '/home/me',
  resolve: path => ({path, place: 'inside-workspace'}),
  list: () => [],
  read: () => ({kind: 'missing'}),
  findWorkspaceProgram: () => undefined,
  effectOf: () => unknownFileEffect,
  weftFolders: {folders: [], variables: {}, grantingSettings: new Set()},
});

/** Each protects itself or, with a slash at its end, all that lies in it. */
const alone = `
  .qwen/ .kiro/ .windsurf/ .continue/ .crush.json crush.json .zed/ .roo/ .junie/ .amp/ .factory/ .agents/ .goose/ .hg/ .jj/ .svn/
  .gitea/workflows/ .forgejo/workflows/ cloudbuild.yaml cloudbuild.yml buildspec.yml .semaphore/ .cirrus.yml .tekton/ azure-pipelines.yaml
  .config/systemd/ .config/autostart/ .config/environment.d/ .config/i3/ .config/nvim/ .local/bin/ .local/share/applications/
  library/launchagents/ .cargo/config.toml .cargo/bin/ .gdbinit .lldbinit .pdbrc .ghci .rprofile sitecustomize.py
  .xprofile .xsession .xinitrc .pam_environment .inputrc .tmux.conf .vimrc .emacs.d/ .dir-locals.el .selected_editor
  .tool-versions mise.toml .mise.toml .nvmrc .python-version .ruby-version rust-toolchain.toml .rvmrc .sdkmanrc .mvn/ .docker/config.json
  mise.production.toml .mise.dev.toml mise/config.toml .prototools .volta/ .nvm/ .pyenv/ .asdf/ .rustup/ .deno/bin/ .bun/bin/ .npm-global/bin/
  .local/share/mise/ .local/pipx/ .local/state/nix/ .config/nix/ .config/mpv/ .gradle/gradle.properties .github/hooks/ .qoder/
`
  .trim()
  .split(/\s+/u);

test.each(alone)('%s', name => {
  const path = `/home/me/.claude/worktrees/x/sub/${name.endsWith('/') ? `${name}a.toml` : name}`;
  expect(protectedPart(partsOf(path), context)).toBe(name);
  expect(
    protectedPart(
      partsOf(path.toUpperCase().replace('/HOME/ME/.CLAUDE/WORKTREES/X', '/home/me/.claude/worktrees/x')),
      context,
    ),
  ).toBe(name);
});

/** Projects have files by names like these. */
const ordinary = `
  src/windsurf.ts amp/a.c kiro/x.md zed.md docs/.zedrc continue.ts factory/a.ts src/buildspec.ts config/systemd/a.service local/bin/x bin/x
  autostart/a.desktop usr/share/applications/a.desktop cargo/config.toml .cargo/audit.toml src/gdbinit profile.ts xprofile .config/app.json
  .docker/dev.Dockerfile versions .github/ISSUE_TEMPLATE.md .gitea/issue_template.md library/agents.py src/mise.ts src/mise.test.ts promise.a.toml src/nvm/a.ts .deno/a.json .github/hooks.md .gradle/a.txt src/hooks/a.ts tool-versions.md hg/a.c
  nvmrc.md python-version.txt package.json Makefile Dockerfile docker-compose.yml .env.example .editorconfig .prettierrc .eslintrc.json
  .dockerignore .gitattributes .gitkeep tsconfig.json Cargo.toml pyproject.toml agents/a.ts weft/a.ts src/weft/settings.json trust.json
`
  .trim()
  .split(/\s+/u);

test.each(ordinary)('%s is ordinary', path => {
  expect(protectedPart(partsOf(`/home/me/.claude/worktrees/x/${path}`), context)).toBe(undefined);
});

test.each<[string, string | undefined]>([
  ['src/a.ts', undefined],
  ['AGENTS.md', undefined],
  ['CLAUDE.md', undefined],
  ['.gitignore', undefined],
  ['.github/dependabot.yml', undefined],
  ['.git', '.git'],
  ['sub/.git', '.git'],
  ['sub/.GIT/config', '.git/'],
  ['.git/hooks/pre-commit', '.git/'],
  ['.github/workflows/ci.yml', '.github/workflows/'],
  ['.ssh/authorized_keys', '.ssh/'],
  ['.gnupg/x', '.gnupg/'],
  ['.aws/credentials', '.aws/'],
  ['.zlogin', '.zlogin'],
  ['.zlogout', '.zlogout'],
  ['.bash_logout', '.bash_logout'],
  ['.config/fish/config.fish', '.config/fish/'],
  ['.config/other', undefined],
  ['.pre-commit-config.yaml', '.pre-commit-config.yaml'],
  ['.yarnrc', '.yarnrc'],
  ['.yarnrc.yml', '.yarnrc.yml'],
  ['.pnpmfile.cjs', '.pnpmfile.cjs'],
  ['.devcontainer/devcontainer.json', '.devcontainer/'],
  ['.circleci/config.yml', '.circleci/'],
  ['.gitlab-ci.yml', '.gitlab-ci.yml'],
  ['azure-pipelines.yml', 'azure-pipelines.yml'],
  ['Jenkinsfile', 'jenkinsfile'],
  ['.travis.yml', '.travis.yml'],
  ['.buildkite/pipeline.yml', '.buildkite/'],
  ['lefthook.yml', 'lefthook.yml'],
  ['.githooks/pre-push', '.githooks/'],
  ['opencode.json', 'opencode.json'],
  ['.bash_aliases', '.bash_aliases'],
  ['.netrc', '.netrc'],
  ['/home/me/.claude/settings.json', '.claude/'],
  ['/home/me/.config/weft/settings.json', '.config/weft/'],
  ['/home/me/.config/tool/a', undefined],
  ['/home/me/notes', undefined],
])('%s: %s', (path, part) => {
  expect(protectedPart(partsOf(path.startsWith('/') ? path : `/home/me/.claude/worktrees/x/${path}`), context)).toBe(
    part,
  );
});
