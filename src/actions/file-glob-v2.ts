import * as z from 'zod/mini';
import {pluralize} from '../base/clip.ts';
import {readingAsks} from '../domain/access.ts';
import {settledBy} from '../domain/settled.ts';
import {defineAction, rejectIf, textContent, toolForm} from './define-action.ts';
import type {GlobReport, GlobRequest} from './ports.ts';

/** Paths that one call returns by default. */
const defaultMatches = 200;
/** Paths that one call returns at most. */
const maxMatches = 2000;

export const fileGlobV2 = defineAction<GlobRequest, GlobReport, {readonly patterns: readonly string[]}>({
  summary: 'Find files by name pattern, with bounds.',
  risk: 'read-only',
  scheduling: 'parallel',
  offered: 'always',
  access: ({path, patterns}) => ({kind: 'search', path, patterns}),
  ruleKind: 'searching',
  asks: readingAsks,
  tools: [
    toolForm({
      name: 'Glob',
      description: 'Find files by glob pattern, e.g. "src/**/*.ts"; ignored files are left out.',
      aliases: {
        search_dir: 'path',
        directory: 'path',
        dir_path: 'path',
        target_directory: 'path',
        cwd: 'path',
        glob_pattern: 'pattern',
        max_results: 'max_matches',
        limit: 'max_matches',
        head_limit: 'max_matches',
      },
      ignoredFields: {case_sensitive: [true], respect_git_ignore: [true], respect_gemini_ignore: 'any'},
      unlistedFields: ['patterns', 'max_depth'],
      expectedFields: ['pattern'],
      schema: () =>
        z.object({
          pattern: z.optional(z.string().check(z.minLength(1))),
          patterns: z.optional(z.array(z.string())),
          path: z.optional(z.string()),
          max_matches: z.optional(z.int().check(z.gt(0))),
          max_depth: z.optional(z.int().check(z.gt(0))),
        }),
      toInput: raw => ({
        patterns: [...(raw.pattern === undefined ? [] : [raw.pattern]), ...(raw.patterns ?? [])],
        path: raw.path ?? '.',
        limit: Math.min(raw.max_matches ?? defaultMatches, maxMatches),
        maxDepth: raw.max_depth ?? 0,
      }),
    }),
  ],
  label: input => `Find ${input.patterns.join(', ')} in ${input.path}`,
  cancelled: input => ({patterns: input.patterns}),
  modelContent: report =>
    textContent(
      report.paths.length === 0
        ? 'No files found.'
        : [...report.paths, ...(report.omitted > 0 ? [`[${report.omitted} more; narrow the pattern]`] : [])].join('\n'),
    ),
  outcome: ({paths, omitted}) => [pluralize(paths.length + omitted, 'path')],
  past: 'remarks-at-end',
  preview: async input =>
    rejectIf(input.patterns.length === 0 && 'Glob needs pattern (or patterns with at least one entry).'),
  async run(input, {ports, signal}) {
    const found = await ports.search.glob(input, signal);
    return settledBy(found);
  },
});
