import * as z from 'zod/mini';
import {pluralize} from '../base/clip.ts';
import {rejected} from '../domain/fault.ts';
import {readingAsks} from '../domain/access.ts';
import {defineAction, rejectIf, textContent, toolForm} from './define-action.ts';
import type {GrepReport, GrepRequest} from './ports.ts';

export interface GrepInput extends GrepRequest {
  /** Lines of the result to skip, which the model has already read. */
  readonly offset: number;
}

/** Lines that one call returns by default. */
const defaultLimit = 250;
/** Lines that one call returns at most. */
const maxLines = 2000;

export const grep = defineAction<GrepInput, GrepReport, {readonly queries: readonly string[]}>({
  summary: 'Search file contents with regular expressions.',
  risk: 'read-only',
  scheduling: 'parallel',
  offered: 'always',
  access: ({path}) => ({kind: 'search', path, patterns: []}),
  ruleKind: 'searching',
  asks: readingAsks,
  tools: [
    toolForm({
      name: 'Grep',
      description: 'Search file contents by regular expression (ripgrep syntax); ignored files are left out.',
      aliases: {
        search_dir: 'path',
        directory: 'path',
        dir_path: 'path',
        query: 'pattern',
        regex: 'pattern',
        include: 'glob',
        include_pattern: 'glob',
        file_pattern: 'glob',
        target_directory: 'path',
        '-C': 'context',
        before: '-B',
        after: '-A',
        ignore_case: '-i',
        case_insensitive: '-i',
        max_results: 'head_limit',
        limit: 'head_limit',
      },
      ignoredFields: {
        '-n': [true, false],
        case_sensitive: [true],
        fixed_strings: [false],
        is_regexp: [true],
        names_only: [false],
        no_ignore: [false],
        recursive: [true],
      },
      unlistedFields: ['-A', '-B', 'multiline', 'offset', 'queries', 'type'],
      expectedFields: ['pattern'],
      schema: () =>
        z.object({
          pattern: z.optional(z.string().check(z.minLength(1))),
          queries: z.optional(z.array(z.string()).check(z.describe('Several patterns, any matches'))),
          path: z.optional(z.string().check(z.describe('File or folder'))),
          glob: z.optional(z.string().check(z.describe('Only these files, e.g. "*.ts"'))),
          output_mode: z.optional(
            z.enum(['content', 'files_with_matches', 'count']).check(z.describe('Default files_with_matches')),
          ),
          context: z.optional(z.int().check(z.gte(0), z.lte(100), z.describe('Lines around a match'))),
          '-i': z.optional(z.boolean().check(z.describe('Ignore case'))),
          head_limit: z.optional(z.int().check(z.gte(0), z.describe(`Max lines, default ${defaultLimit}`))),
          '-A': z.optional(z.int().check(z.gte(0), z.lte(100))),
          '-B': z.optional(z.int().check(z.gte(0), z.lte(100))),
          multiline: z.optional(z.boolean()),
          offset: z.optional(z.int().check(z.gte(0), z.lte(10_000))),
          type: z.optional(z.string()),
        }),
      toInput: raw => ({
        queries: [...(raw.pattern === undefined ? [] : [raw.pattern]), ...(raw.queries ?? [])],
        path: raw.path ?? '.',
        globs: raw.glob ? [raw.glob] : [],
        mode: raw.output_mode === 'content' ? 'content' : raw.output_mode === 'count' ? 'count' : 'files',
        letterCase: raw['-i'] === true ? 'insensitive' : 'sensitive',
        before: raw['-B'] ?? raw.context ?? 0,
        after: raw['-A'] ?? raw.context ?? 0,
        fileType: raw.type ?? '',
        span: raw.multiline === true ? 'lines' : 'line',
        offset: raw.offset ?? 0,
        // Other agents use 0 for no limit.
        limit: Math.min((raw.head_limit ?? defaultLimit) || maxLines, maxLines),
      }),
    }),
  ],
  label: input => `Search ${input.queries.map(query => JSON.stringify(query)).join(', ')} in ${input.path}`,
  cancelled: input => ({queries: input.queries}),
  modelContent: report =>
    textContent(report.lines.length === 0 ? 'No matches.' : [...report.lines, ...omittedText(report)].join('\n')),
  outcome: ({lines, omitted}) => [
    `${omitted.exact === 'exact' ? '' : 'at least '}${pluralize(lines.length + omitted.count, 'line')}`,
  ],
  past: 'remarks-at-end',
  preview: async input =>
    rejectIf(input.queries.length === 0 && 'Grep needs pattern (or queries with at least one entry).'),
  async run(input, {ports, signal}) {
    const {offset, ...request} = input;
    const found = await ports.search.grep({...request, limit: request.limit + offset}, signal);
    if (found.tag === 'failed') return {state: 'error', fault: found.error};
    const {lines, omitted} = found.value;
    return lines.length > 0 && offset >= lines.length
      ? {
          state: 'error',
          fault: rejected(`The search found only ${pluralize(lines.length, 'line')}, so offset ${offset} leaves none.`),
        }
      : {state: 'success', output: {lines: lines.slice(offset), omitted}};
  },
});

function omittedText({omitted}: GrepReport): string[] {
  if (omitted.count === 0) return [];
  const prefix = omitted.exact === 'exact' ? '' : 'at least ';
  return [`[${prefix}${omitted.count} more lines; narrow the search or raise head_limit]`];
}
