import * as z from 'zod/mini';
import {clip, firstLine} from '../base/clip.ts';
import {readingAsks} from '../domain/access.ts';
import {settledBy} from '../domain/settled.ts';
import {defineAction, textContent, toolForm} from './define-action.ts';
import type {CodebaseReport, CodebaseRequest, CodeMatch} from './ports.ts';

/** Results that one call returns by default. */
const defaultLimit = 10;
/** Results that one call returns at most. */
const maxPlaces = 30;

/** UTF-16 units of a line that the model reads. Lines are cut after secrets are replaced, so that no secret is cut. */
const maxTextLength = 160;

/** Finds the code that a question is about, when its exact words are unknown. */
export const searchCodebase = defineAction<CodebaseRequest, CodebaseReport, {readonly query: string}>({
  summary: 'Find code by what it does.',
  risk: 'read-only',
  scheduling: 'parallel',
  offered: 'when-found',
  access: ({path}) => ({kind: 'search', path, patterns: []}),
  ruleKind: 'searching',
  asks: readingAsks,
  tools: [
    toolForm({
      name: 'SearchCodebase',
      description:
        "Find code by a question or by words for what it does (also synonyms), best file first, when you don't know what to Grep for; skips ignored files.",
      aliases: {codebase_path: 'path', search_dir: 'path', max_results: 'limit', partial_paths: 'path_filters'},
      schema: () =>
        z.object({
          query: z.string().check(z.minLength(1), z.maxLength(2000)),
          path: z.optional(z.string().check(z.describe('File or folder'))),
          path_filters: z.optional(
            z
              .array(z.string())
              .check(z.maxLength(20), z.describe('Only paths containing one of these, e.g. "src/api"')),
          ),
          limit: z.optional(z.int().check(z.minimum(1), z.maximum(maxPlaces), z.describe(`Default ${defaultLimit}`))),
        }),
      toInput: raw => ({
        query: raw.query,
        path: raw.path ?? '.',
        filters: raw.path_filters ?? [],
        limit: raw.limit ?? defaultLimit,
      }),
    }),
  ],
  label: ({query, path}) =>
    `Search the code for ${JSON.stringify(firstLine(query, 80))}${path === '.' ? '' : ` in ${path}`}`,
  cancelled: ({query}) => ({query}),
  modelContent: report => textContent(reportText(report)),
  outcome: ({places}) => [places.length === 0 ? 'nothing found' : places.slice(0, 3).map(matchText).join(', ')],
  past: 'remarks-at-end',
  async run(input, {ports, signal}) {
    const found = await ports.search.codebase(input, signal);
    return settledBy(found);
  },
});

/** The location, such as `src/a.ts:12-40 in parseRules`. */
export const matchText = ({path, from, to, within}: CodeMatch): string =>
  `${path}:${from}${to === from ? '' : `-${to}`}${within === '' ? '' : ` in ${within}`}`;

function reportText({places, terms, files, searched}: CodebaseReport): string {
  const cut = searched === 'cut' ? ['[The search ran out of time; give a narrower path.]'] : [];
  if (places.length === 0) {
    return [`Nothing found for ${terms.join(', ')}. Try other words.`, ...cut].join('\n');
  }
  return [
    ...places.flatMap(place => [
      matchText(place),
      ...place.lines.map(({line, text}) => `  ${line}: ${clip(text, maxTextLength)}`),
    ]),
    `[best ${places.length} of ${files} files with ${terms.join(', ')}]`,
    ...cut,
  ].join('\n');
}
