import type {PathContext} from '../paths/path-context.ts';
import {belowRoots, realParts, writtenParts} from '../paths/path-context.ts';
import {protectedPart} from '../paths/protected-paths.ts';

/**
 * True if a file runs later, or steers what runs: scripts, build files, packages, containers, continuous integration, hooks, set-up of
 * tests, settings of tools and instructions for agents. Ordinary source, prose and data do not.
 */
export function runsLater(
  path: string,
  content: string,
  {context, isExecutable}: {readonly context: PathContext; readonly isExecutable: (path: string) => boolean},
): boolean {
  if (/^\uFEFF?#!/u.test(content)) return true;
  return [realParts(path, context), writtenParts(path, context)].some(parts => {
    const inside = belowRoots(parts, context)[0]?.below;
    const name = (parts.at(-1) ?? '').toLowerCase();
    const folders = (inside ?? parts).slice(0, -1).map(folder => folder.toLowerCase());
    return (
      protectedPart(parts, context) !== undefined ||
      files.test(name) ||
      (folders.some((folder, at) => isRunFolder(folder, at, name)) && !prose.test(name)) ||
      (codeFolders.test(`/${folders.join('/')}/`) && code.test(name)) ||
      (folders.some(folder => /^(?:__)?(?:tests?|spec|e2e)(?:__)?$/u.test(folder)) && setup.test(name)) ||
      (inside === undefined && systemFolders.test(`/${parts.join('/')}`)) ||
      isExecutable(`/${parts.join('/')}`)
    );
  });
}

const prose = /\.(?:md|mdx|txt|rst|adoc|json|ya?ml|csv|html?|css|svg|png)$/u;

/** True if people or tools run the files of the folder. Components call some of their own sources hooks and tools. */
const isRunFolder = (folder: string, depth: number, name: string): boolean =>
  /^(?:scripts|s?bin|cron\..*|init\.d|\.?ci)$/u.test(folder) ||
  (depth === 0 && /^(?:tools|script)$/u.test(folder)) ||
  (/^\.?hooks$/u.test(folder) && !/\.(?:[cm]?[jt]sx?|vue|svelte)$/u.test(name));

/** Folders whose code a tool or a framework loads by itself, whatever its name. */
const codeFolders = /\/(?:\.storybook|cypress\/(?:support|plugins)|config\/(?:initializers|environments))\//u;
const code = /\.(?:[cm]?[jt]sx?|rb|py|php)$/u;
const setup = /^(?:global[._-]?)?(?:setup|teardown|bootstrap|preload)\.(?:[cm]?[jt]sx?|py|rb|php)$/u;

const systemFolders =
  /^\/(?:etc|usr|opt|lib\w*|boot|root\/\.|var\/spool\/cron|Library|System)\b|\/(?:autostart|LaunchAgents|LaunchDaemons|systemd)\//u;

/** Matches the lower-case names of files that run later. */
const files = new RegExp(
  String.raw`^(?:${[
    // Packages and their builds.
    String.raw`package\.json|composer\.json|deno\.jsonc?|jsr\.json|lerna\.json|nx\.json|turbo\.json|workspace\.json|project\.json`,
    String.raw`(?:gnu)?makefile.*|.*\.(?:mk|mak|cmake|gradle|gradle\.kts|bzl|bazel|nix|ninja|sbt|cabal)|cmakelists\.txt|build(?:\.bazel)?|workspace|meson\.build|sconstruct|wscript`,
    String.raw`(?:just|rake|gem|proc|vagrant|brew|tilt|jenkins|fast|app|pod|dev|snake|earth|cap|guard|pip|invoke|caddy|dagger)file(?:\..*)?|\.?justfile|taskfile\.ya?ml|podfile|dangerfile.*`,
    String.raw`pom\.xml|build\.xml|.*\.(?:csproj|fsproj|vbproj|vcxproj|sln|props|targets|gemspec|podspec|nimble|rockspec|opam)|build\.(?:rs|zig|sbt|clj|boot|sh|py)|(?:build|esbuild|(?:pre|post)?(?:un)?install|prepare|prepublish)\.[cm]?[jt]s|hatch_build\.py|magefile\.go|.*\.(?:gypi?|cake)|devbox\.json|mix\.exs|rebar\.config|project\.clj|deps\.edn|package\.swift|dune(?:-project)?|stack\.yaml|cargo\.toml|go\.mod`,
    String.raw`pyproject\.toml|setup\.(?:py|cfg)|requirements.*\.(?:txt|in)|tox\.ini|noxfile\.py|tasks\.py|fabfile\.py|dodo\.py|manage\.py|wsgi\.py|asgi\.py|gunicorn\.conf\.py`,
    // Tests and their set-up.
    String.raw`conftest\.py|pytest\.ini|phpunit\.xml.*|(?:jest|vitest|test|tests|mocha|karma|cypress|playwright|global)[.-]?(?:global)?[.-]?setup.*|setup[._-]?(?:tests?|env|files?|jest|vitest).*|globalsetup.*|\.mocharc.*|(?:spec|test|rails)_helper\.rb|sitecustomize\.py|usercustomize\.py|.*\.pth`,
    // Settings that are code, or that name code.
    String.raw`.*\.conf(?:ig)?\.[cm]?[jt]sx?|\.?(?:eslint|prettier|stylelint|babel|swc|postcss|commitlint|lintstaged|lint-staged|nyc|c8|release|semantic-release|size-limit|husky)rc(?:\..*)?|\.lintstagedrc.*|(?:gulp|grunt)file.*|nodemon\.json|pm2.*|ecosystem\..*|\.env(?:rc|\..*)?|crontab|.*\.(?:service|timer|socket|plist|desktop|reg|crontab)`,
    // Containers, machines and continuous integration.
    String.raw`(?:.*[.-])?(?:docker|container)file(?:\..*)?|(?:docker-)?compose.*\.ya?ml|.*\.(?:tf|tfvars|hcl|pkr\.hcl|bicep|pp)|(?:playbook|site|skaffold|helmfile|chart|serverless|netlify|vercel|fly|render|now|firebase|wrangler|dependabot|renovate|action|cloud-init|user-data|kustomization).*\.(?:ya?ml|toml|jsonc?)|.*pipelines?\.ya?ml|\.gitlab-ci.*|\.travis.*`,
    // Scripts, notebooks and macros.
    String.raw`.*\.(?:sh|bash|zsh|fish|ksh|csh|ps1|psm1|psd1|bat|cmd|vbs|vbe|wsf|hta|scpt|applescript|command|awk|expect|ipynb|xlsm|docm)|(?:install|configure|bootstrap|entrypoint|deploy|run|start|gradlew|mvnw|autogen)`,
    // Instructions and abilities of agents.
    String.raw`(?:agents|claude|gemini|weft|qwen|warp|crush|skill|copilot-instructions)(?:\.local|\.override)?\.md|\.(?:cursor|windsurf|cline|roo|goose|aider|continue|github-copilot)(?:rules|hints|ignore)(?:\..*)?|\.?mcp\.json`,
    // git and shells, beyond the protected files.
    String.raw`\.gitattributes|\.gitmodules|\.gitconfig|\.hgrc|authorized_keys|known_hosts|hosts|sudoers`,
  ].join('|')})$`,
  'u',
);
