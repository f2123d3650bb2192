import * as z from 'zod/mini';
import {pluralize} from '../base/clip.ts';
import {readingAsks} from '../domain/access.ts';
import {interrupted} from '../domain/settled.ts';
import {defineAction, textContent, toolForm} from './define-action.ts';

/** Names of files that tell how a project is built and tested, or what is already written for agents. */
const tellingFiles = [
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

/** Directory levels that are looked through, and paths that are told. */
const depth = 3;
const maxFound = 60;

/** What a project's instructions are to be, for whoever is asked to write them. */
export const projectDirections = `Look this project over and propose its AGENTS.md, which every agent reads when it begins to work here.
- Read what tells how it is built: README, package manifests, Makefile and the like, CI workflows, the top folders and a few typical sources and tests. Where AGENTS.md, CLAUDE.md or rules for other agents exist, begin with them.
- Write what an agent needs and cannot guess: the commands that build, run, check and test it (also a single test), where things are, conventions that the code follows, traps. Name only commands and paths that you have seen. No general advice, no lists of files that a look shows. At most 60 lines.
- Where AGENTS.md exists, improve it by edits and keep what people wrote. Where only CLAUDE.md exists, improve that one. Otherwise create AGENTS.md. Propose it as one edit: the user sees it as a diff and decides.`;

/** Looks which files of a project tell about it; what is to become of them the model reads and the user decides. */
export const initProject = defineAction<
  Record<string, never>,
  {readonly found: readonly string[]; readonly omitted: number},
  undefined
>({
  summary: 'Look the project over for its instructions (AGENTS.md).',
  risk: 'read-only',
  scheduling: 'parallel',
  offered: 'when-found',
  access: () => ({kind: 'search', path: '.', patterns: tellingFiles}),
  ruleKind: 'searching',
  asks: readingAsks,
  tools: [
    toolForm({
      name: 'InitProject',
      description: "Begin to write or improve the project's AGENTS.md: which files to read and what to write.",
      schema: () => z.object({}),
      toInput: () => ({}),
    }),
  ],
  label: () => 'Look the project over',
  cancelled: () => undefined,
  modelContent: ({found, omitted}) =>
    textContent(
      [
        projectDirections,
        '',
        found.length === 0 ? 'There is none of the usual files yet: begin with the folders.' : 'Files that may tell:',
        ...found,
        ...(omitted > 0 ? [`[${omitted} more]`] : []),
      ].join('\n'),
    ),
  outcome: ({found, omitted}) => [pluralize(found.length + omitted, 'telling file')],
  async run(_, {ports, signal}) {
    // A pattern without a slash is sought at every depth.
    const patterns = tellingFiles.map(name => (name.includes('/') ? name : `**/${name}`));
    const found = await ports.search.glob({patterns, path: '.', limit: maxFound, maxDepth: depth}, signal);
    if (signal.aborted) return interrupted(undefined);
    if (found.tag === 'failed') return {state: 'error', fault: found.error};
    return {state: 'success', output: {found: found.value.paths, omitted: found.value.omitted}};
  },
});
