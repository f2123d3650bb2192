import * as z from 'zod/mini';
import {pluralize} from '../base/clip.ts';
import {ok} from '../base/outcome.ts';
import {rejected} from '../domain/fault.ts';
import {readingAsks} from './access.ts';
import {defineAction, textContent, toolForm} from './define-action.ts';
import type {GrepReport, GrepRequest} from './ports.ts';
import {nothingToShow} from './preview.ts';

export interface GrepPartial {
  readonly queries: readonly string[];
}

/** Result lines when the model sets no limit, and at most. */
const defaultLimit = 250;
const mostLines = 2000;

export const grep = defineAction<GrepRequest, GrepReport, GrepPartial>({
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
      otherNames: {
        search_dir: 'path',
        directory: 'path',
        dir_path: 'path',
        query: 'pattern',
        regex: 'pattern',
        include: 'glob',
        include_pattern: 'glob',
        file_pattern: 'glob',
        '-C': 'context',
        ignore_case: '-i',
        case_insensitive: '-i',
        max_results: 'head_limit',
      },
      idleFields: {'-n': true, multiline: false},
      schema: () =>
        z.object({
          pattern: z.optional(z.string().check(z.minLength(1))),
          queries: z.optional(z.array(z.string()).check(z.describe('Several patterns: any may match'))),
          path: z.optional(z.string().check(z.describe('File or folder'))),
          glob: z.optional(z.string().check(z.describe('Only these files, e.g. "*.ts"'))),
          output_mode: z.optional(
            z.enum(['content', 'files_with_matches', 'count']).check(z.describe('Default files_with_matches')),
          ),
          context: z.optional(z.int().check(z.gte(0), z.lte(100), z.describe('Lines around a match'))),
          '-i': z.optional(z.boolean().check(z.describe('Ignore case'))),
          head_limit: z.optional(z.int().check(z.gt(0), z.describe(`Most lines, default ${defaultLimit}`))),
        }),
      toInput: raw => ({
        queries: [...(raw.pattern === undefined ? [] : [raw.pattern]), ...(raw.queries ?? [])],
        path: raw.path ?? '.',
        globs: raw.glob === undefined ? [] : [raw.glob],
        mode: raw.output_mode === 'content' ? 'content' : raw.output_mode === 'count' ? 'count' : 'files',
        letterCase: raw['-i'] === true ? 'insensitive' : 'sensitive',
        context: raw.context ?? 0,
        limit: Math.min(raw.head_limit ?? defaultLimit, mostLines),
      }),
    }),
  ],
  label: input => `Search ${input.queries.map(query => JSON.stringify(query)).join(', ')} in ${input.path}`,
  cancelled: input => ({queries: input.queries}),
  modelContent: report =>
    textContent(report.lines.length === 0 ? 'No matches.' : [...report.lines, ...omittedText(report)].join('\n')),
  partialText: () => '',
  outcome: ({lines, omitted}) => [
    `${omitted.exact === 'exact' ? '' : 'at least '}${pluralize(lines.length + omitted.count, 'line')}`,
  ],
  reported: 'as-action',
  preview: async input =>
    input.queries.length > 0
      ? ok(nothingToShow)
      : {
          tag: 'failed',
          error: {state: 'error', fault: rejected('Grep needs pattern (or queries with at least one entry).')},
        },
  async run(input, {ports, signal}) {
    const found = await ports.search.grep(input, signal);
    return found.tag === 'ok' ? {state: 'success', output: found.value} : {state: 'error', fault: found.error};
  },
});

function omittedText({omitted}: GrepReport): string[] {
  if (omitted.count === 0) return [];
  const prefix = omitted.exact === 'exact' ? '' : 'at least ';
  return [`[${prefix}${omitted.count} more lines; narrow the search or raise head_limit]`];
}
