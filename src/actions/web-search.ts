import * as z from 'zod/mini';
import {pluralize} from '../base/clip.ts';
import {failed, ok} from '../base/outcome.ts';
import {settledBy} from '../domain/settled.ts';
import {checkedForm, defineAction, textContent, toolForm} from './define-action.ts';
import {emptyPreview} from './preview.ts';
import {frameUntrusted, missingSearchEngine, type WebSearchReport, type WebSearchRequest} from './web-port.ts';

/** The maximum number of host names in one call. */
const maxDomains = 50;

export const webSearch = defineAction<
  WebSearchRequest,
  {readonly query: string; readonly report: WebSearchReport},
  {readonly query: string}
>({
  summary: 'Search the web.',
  risk: 'external',
  scheduling: 'parallel',
  offered: 'web-search',
  access: ({query, allowedDomains, blockedDomains}) => ({
    kind: 'web-query',
    text: [query, ...allowedDomains, ...blockedDomains].join('\n'),
  }),
  asks: [
    {name: 'web-search', risks: ['external'], askedWhen: 'no rule allows WebSearch'},
    {name: 'search-secret', risks: ['external'], askedWhen: 'a secret is part of the query, whatever rules allow'},
  ],
  tools: [
    // The models' API and the search providers take only one of the two lists.
    checkedForm(
      toolForm({
        name: 'WebSearch',
        description: 'Search the web; cite the addresses you use.',
        aliases: {search_term: 'query'},
        ignoredFields: {numResults: 'any', num_results: 'any', max_results: 'any'},
        schema: () =>
          z.object({
            query: z.string().check(z.minLength(2), z.maxLength(400)),
            allowed_domains: z.optional(z.array(z.string()).check(z.maxLength(maxDomains))),
            blocked_domains: z.optional(z.array(z.string()).check(z.maxLength(maxDomains))),
          }),
        toInput: ({query, allowed_domains: allowed, blocked_domains: blocked}) => ({
          query,
          allowedDomains: allowed ?? [],
          blockedDomains: blocked ?? [],
        }),
      }),
      value => {
        const {allowedDomains, blockedDomains} = value;
        return allowedDomains.length > 0 && blockedDomains.length > 0
          ? failed('give allowed_domains or blocked_domains, not both')
          : ok(value);
      },
    ),
  ],
  label: ({query}) => `Search the web for ${JSON.stringify(query)}`,
  cancelled: ({query}) => ({query}),
  modelContent: ({query, report}) => textContent(reportText(query, report)),
  outcome: ({report}) => [pluralize(report.results.length, 'result')],
  // Checked before anyone is asked: a call can come although the tool is not offered.
  preview: async (_, {ports}) =>
    ports.web.searching === 'offered' ? ok(emptyPreview) : failed({state: 'error', fault: missingSearchEngine}),
  async run(input, {ports, signal}) {
    const report = await ports.web.search(input, signal);
    return settledBy(report.tag === 'ok' ? ok({query: input.query, report: report.value}) : report);
  },
});

function reportText(query: string, {results, provider, boundary}: WebSearchReport): string {
  if (results.length === 0) return `No results for ${JSON.stringify(query)} (${provider}).`;
  const rows = results.map(({title, url, snippet, published}) =>
    [`[${title}](${url})`, published, snippet].filter(part => part !== '').join('\n'),
  );
  return `${provider}: ${pluralize(results.length, 'result')} for ${JSON.stringify(query)}\n${frameUntrusted(rows.join('\n\n'), boundary)}`;
}
