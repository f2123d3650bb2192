import {expect, test} from 'vitest';
import {makeGround} from '../../../src/safety/ground.ts';
import {partsOf} from '../../../src/safety/path-parts.ts';
import {protectedPart} from '../../../src/safety/protected-paths.ts';

const ground = makeGround({
  roots: ['/home/me/.claude/worktrees/x', '/home/me/.config/tool'],
  home: '/home/me',
  resolve: path => ({path, place: 'inside-workspace'}),
  list: () => [],
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
  expect(protectedPart(partsOf(path.startsWith('/') ? path : `/home/me/.claude/worktrees/x/${path}`), ground)).toBe(
    part,
  );
});
