import * as z from 'zod/mini';
import {pluralize} from '../base/clip.ts';
import {readingAsks} from '../domain/access.ts';
import {interrupted} from '../domain/settled.ts';
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
  'package.json',
  'tsconfig.json',
  'deno.json',
  'pyproject.toml',
  'setup.py',
  'requirements.txt',
  'Cargo.toml',
  'go.mod',
  'pom.xml',
  'build.gradle*',
  'Gemfile',
  'composer.json',
  'mix.exs',
  'CMakeLists.txt',
  'Makefile',
  'justfile',
  'Taskfile.yml',
  'Dockerfile',
  '.github/workflows/*.yml',
  '.github/workflows/*.yaml',
  '.gitlab-ci.yml',
];

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
  {readonly found: readonly string[]; readonly omitted: number},
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
  modelContent: ({found, omitted}) =>
    textContent(
      [
        initInstructions,
        '',
        found.length === 0 ? 'None of the usual files exist yet. Start with the folders.' : 'Files to start with:',
        ...found,
        ...(omitted > 0 ? [`[${omitted} more]`] : []),
      ].join('\n'),
    ),
  outcome: ({found, omitted}) => [pluralize(found.length + omitted, 'relevant file')],
  async run(_, {ports, signal}) {
    // A pattern without a slash matches at every depth.
    const patterns = projectFiles.map(name => (name.includes('/') ? name : `**/${name}`));
    const found = await ports.search.glob({patterns, path: '.', limit: maxFound, maxDepth: depth}, signal);
    if (signal.aborted) return interrupted(undefined);
    if (found.tag === 'failed') return {state: 'error', fault: found.error};
    return {state: 'success', output: {found: found.value.paths, omitted: found.value.omitted}};
  },
});
