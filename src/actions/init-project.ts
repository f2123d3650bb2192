import * as z from 'zod/mini';
import {pluralize} from '../base/clip.ts';
import {readingAsks} from '../domain/access.ts';
import {checkLines, lockFileNames, manifests, projectChecks} from '../domain/project-checks.ts';
import {interrupted} from '../domain/settled.ts';
import type {GrepRequest} from './ports.ts';
import {defineAction, textContent, toolForm} from './define-action.ts';

/** Names of files that show how a project is built and tested, or that hold instructions for agents. */
const projectFiles = [
  'AGENTS.md',
  'CLAUDE.md',
  'GEMINI.md',
  '.cursorrules',
  '.github/copilot-instructions.md',
  'README*',
  'CONTRIBUTING*',
  ...manifests,
  'tsconfig.json',
  'deno.json',
  'setup.py',
  'requirements.txt',
  'pom.xml',
  'build.gradle*',
  'Gemfile',
  'composer.json',
  'mix.exs',
  'CMakeLists.txt',
  'justfile',
  'Taskfile.yml',
  'Dockerfile',
  '.github/workflows/*.yml',
  '.github/workflows/*.yaml',
  '.gitlab-ci.yml',
];

const checkSearch = (): GrepRequest => ({
  queries: checkLines,
  path: '.',
  globs: manifests.map(name => `/${name}`),
  mode: 'content',
  letterCase: 'sensitive',
  before: 0,
  after: 0,
  fileType: '',
  span: 'line',
  limit: 40,
});

/** Asks the model to offer the setting `checks`. The user decides about the edit. */
const checksOffer = (commands: readonly string[]): string =>
  `Commands that check this project: ${commands.join(' · ')}.\n` +
  'If .weft/settings.json has no `checks`, also propose it, as a separate edit that keeps the rest of the file. Leave out commands that do not work here:\n' +
  `"checks": ${JSON.stringify(commands.map(command => ({name: command, command})))}`;

/** Directory levels to look through. */
const depth = 3;
/** The maximum number of paths to list. */
const maxFound = 60;

/** Instructions for the model that writes a project's AGENTS.md. */
export const initInstructions = `Explore this project and propose its AGENTS.md, which every agent reads when it starts work here.
- Read how it is built: README, package manifests, Makefile and the like, CI workflows, the top folders, and a few typical sources and tests. Start with AGENTS.md, CLAUDE.md or rules for other agents, if any exist.
- Write what an agent needs and can't guess: the commands that build, run, check and test it (including a single test), where things are, the conventions of the code, pitfalls. Name only commands and paths that you have seen. No general advice, no file lists that a look would show. At most 60 lines.
- If AGENTS.md exists, improve it with edits and keep what people wrote. If only CLAUDE.md or GEMINI.md exists, improve that. Otherwise create AGENTS.md. Propose it as one edit: the user sees the diff and decides.`;

/** Finds the files that describe a project. The model reads what to do with them, and the user decides about its proposal. */
export const initProject = defineAction<
  Record<string, never>,
  {readonly found: readonly string[]; readonly omitted: number; readonly checks: readonly string[]},
  undefined
>({
  summary: 'Explore the project to write its instructions (AGENTS.md).',
  risk: 'read-only',
  scheduling: 'parallel',
  offered: 'when-found',
  access: () => ({kind: 'search', path: '.', patterns: projectFiles}),
  ruleKind: 'searching',
  asks: readingAsks,
  tools: [
    toolForm({
      name: 'InitProject',
      description: "Start writing or improving the project's AGENTS.md: which files to read, what to write.",
      schema: () => z.object({}),
      toInput: () => ({}),
    }),
  ],
  label: () => 'Explore the project',
  cancelled: () => undefined,
  modelContent: ({found, omitted, checks}) =>
    textContent(
      [
        initInstructions,
        '',
        found.length === 0 ? 'None of the usual files exist yet. Start with the folders.' : 'Files to start with:',
        ...found,
        ...(omitted > 0 ? [`[${omitted} more]`] : []),
        ...(checks.length === 0 ? [] : ['', checksOffer(checks)]),
      ].join('\n'),
    ),
  outcome: ({found, omitted, checks}) => [
    pluralize(found.length + omitted, 'relevant file'),
    ...(checks.length === 0 ? [] : [pluralize(checks.length, 'check')]),
  ],
  async run(_, {ports, signal}) {
    // A pattern without a slash matches at every depth.
    const patterns = [...projectFiles.map(name => (name.includes('/') ? name : `**/${name}`)), ...lockFileNames];
    const found = await ports.search.glob({patterns, path: '.', limit: maxFound, maxDepth: depth}, signal);
    if (signal.aborted) return interrupted(undefined);
    if (found.tag === 'failed') return {state: 'error', fault: found.error};
    const {paths, omitted} = found.value;
    const named = paths.some(path => manifests.some(name => name === path))
      ? await ports.search.grep(checkSearch(), signal)
      : undefined;
    if (signal.aborted) return interrupted(undefined);
    const checks = named?.tag === 'ok' ? projectChecks(named.value.lines, paths) : [];
    return {state: 'success', output: {found: paths.filter(path => !lockFileNames.includes(path)), omitted, checks}};
  },
});
