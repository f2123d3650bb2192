import type {IncomingMessage} from 'node:http';
import * as fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import type {WebSearchRequest} from '../../../../src/actions/web-port.ts';
import type {Json} from '../../../../src/base/json.ts';
import {faultText} from '../../../../src/domain/fault.ts';
import {machineNetwork} from '../../../../src/workspace/web/connect-host.ts';
import {searchProviderOf} from '../../../../src/workspace/web/search-provider.ts';
import {makeSearcher} from '../../../../src/workspace/web/search-web.ts';
import {localServer} from './support/local-web.ts';

/** What a look-alike of a provider was asked, and answers. */
interface Asked {
  readonly method: string;
  readonly url: string;
  readonly key: string;
  readonly body: Json;
}

interface Scripted {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly answer: Json;
}

async function searchAt(
  variables: (base: string) => Readonly<Record<string, string>>,
  {status = 200, headers = {}, answer}: Scripted,
  ...requests: readonly Partial<WebSearchRequest>[]
) {
  const asked: Asked[] = [];
  await using server = await localServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      const json: Json = body === '' ? null : JSON.parse(body);
      asked.push({method: request.method ?? '', url: request.url ?? '', key: keyOf(request), body: json});
      response.writeHead(status, {'content-type': 'application/json', ...headers}).end(JSON.stringify(answer));
    });
  });
  const provider = searchProviderOf(variables(`http://127.0.0.1:${server.port}`));
  if (provider === undefined) throw new Error('no provider');
  const search = makeSearcher({
    provider,
    network: {...machineNetwork, routeOf: () => ({kind: 'direct'})},
    userAgent: 'weft/test',
    now: () => 0,
    timeoutMs: 60_000,
  });
  const reports = [];
  for (const request of requests) {
    const full = {query: 'tea', allowedDomains: [], blockedDomains: [], ...request};
    const report = await search(full, new AbortController().signal);
    reports.push(report.tag === 'ok' ? report.value.results : faultText(report.error));
  }
  return {asked, reports};
}

const keyOf = ({headers}: IncomingMessage): string =>
  [headers['x-subscription-token'], headers.authorization, headers['x-api-key']].filter(Boolean).join();

const brave = (base: string) => ({BRAVE_API_KEY: 'brave-key', BRAVE_BASE_URL: base});
const tavily = (base: string) => ({TAVILY_API_KEY: 'tvly-key', TAVILY_BASE_URL: base});
const exa = (base: string) => ({EXA_API_KEY: 'exa-key', EXA_BASE_URL: `${base}/`});
const searxng = (base: string) => ({SEARXNG_URL: base});

const tea = {url: 'https://tea.example/green', title: 'Green tea', snippet: 'Leaves & water', published: ''};

describe('each provider is asked in its own form', () => {
  test('Brave', async () => {
    const answer = {
      query: {original: 'tea'},
      web: {
        results: [
          {title: 'Green tea', url: tea.url, description: 'Leaves <strong>&</strong> water', page_age: '2026-01-02'},
        ],
      },
    };
    expect(await searchAt(brave, {answer}, {})).toEqual({
      asked: [{method: 'GET', url: '/res/v1/web/search?q=tea&count=20', key: 'brave-key', body: null}],
      reports: [[{...tea, published: '2026-01-02'}]],
    });
  });

  test('Brave that finds nothing', async () => {
    expect((await searchAt(brave, {answer: {query: {original: 'tea'}}}, {})).reports).toEqual([[]]);
  });

  test('Tavily', async () => {
    const answer = {query: 'tea', results: [{title: 'Green tea', url: tea.url, content: 'Leaves & water', score: 0.9}]};
    expect(await searchAt(tavily, {answer}, {allowedDomains: ['tea.example']})).toEqual({
      asked: [
        {
          method: 'POST',
          url: '/search',
          key: 'Bearer tvly-key',
          body: {query: 'tea', max_results: 10, include_domains: ['tea.example']},
        },
      ],
      reports: [[tea]],
    });
  });

  test('Exa', async () => {
    const answer = {
      requestId: '1',
      results: [{id: '1', title: 'Green tea', url: tea.url, highlights: ['Leaves', 'water'], publishedDate: '2026'}],
    };
    expect(await searchAt(exa, {answer}, {blockedDomains: ['bad.example']})).toEqual({
      asked: [
        {
          method: 'POST',
          url: '/search',
          key: 'exa-key',
          body: {
            query: 'tea',
            type: 'auto',
            numResults: 10,
            contents: {highlights: {}, text: {maxCharacters: 600}},
            excludeDomains: ['bad.example'],
          },
        },
      ],
      reports: [[{...tea, snippet: 'Leaves … water', published: '2026'}]],
    });
  });

  test('SearXNG', async () => {
    const answer = {
      query: 'tea',
      results: [{title: 'Green tea', url: tea.url, content: 'Leaves & water', engine: 'x'}],
    };
    const request = {allowedDomains: ['tea.example', 'https://www.leaf.example/x']};
    expect(await searchAt(searxng, {answer}, request)).toEqual({
      asked: [
        {
          method: 'GET',
          url: '/search?q=tea+%28site%3Atea.example+OR+site%3Awww.leaf.example%29&format=json',
          key: '',
          body: null,
        },
      ],
      reports: [[tea]],
    });
  });
});

describe('what a provider refuses is said in words', () => {
  test.each([
    [brave, 401, {}, 'Brave: it rejected the key (401). Check BRAVE_API_KEY.'],
    [tavily, 403, {}, 'Tavily: it rejected the key (403). Check TAVILY_API_KEY.'],
    [tavily, 432, {}, "Tavily: the plan's limit is reached (432). Check your plan, or unset TAVILY_API_KEY."],
    [exa, 429, {'retry-after': '30'}, 'Exa: too many searches (429). Retry in 30 s.'],
    [brave, 429, {}, 'Brave: too many searches (429). Wait a while.'],
    [searxng, 403, {}, 'SearXNG: it does not answer in JSON (403). Add json to search.formats in its settings.yml.'],
    [exa, 500, {}, 'Exa: it answered 500: {"error":"no"}'],
  ] as const)('%s %d', async (variables, status, headers, words) => {
    expect((await searchAt(variables, {status, headers, answer: {error: 'no'}}, {})).reports).toEqual([words]);
  });

  test.each([[[]], ['x'], [{results: 'none'}], [{}]])('an answer of another form: %j', async answer => {
    expect((await searchAt(tavily, {answer}, {})).reports).toEqual(['Tavily: its answer has an unexpected format']);
  });
});

test('hosts are compared label by label, whatever the provider did', async () => {
  const urls = [
    'https://tea.example/',
    'https://www.tea.example/',
    'https://badtea.example/',
    'https://tea.example.evil.test/',
    'javascript:alert(1)',
    'https://user:pw@tea.example/',
  ];
  const answer = {results: urls.map(url => ({url, title: url, content: ''}))};
  const {reports} = await searchAt(
    searxng,
    {answer},
    {allowedDomains: ['tea.example']},
    {query: 'other', blockedDomains: ['*.tea.example']},
  );
  expect(reports.map(report => (typeof report === 'string' ? report : report.map(({url}) => url)))).toEqual([
    ['https://tea.example/', 'https://www.tea.example/'],
    ['https://badtea.example/', 'https://tea.example.evil.test/'],
  ]);
});

test('results are bounded, in one line and without invisible characters; the same question is asked once', async () => {
  const result = {url: 'https://a.example/(x)', title: `a\u202e[b]\n${'t'.repeat(500)}`, content: 'w '.repeat(5000)};
  const answer = {results: Array.from({length: 50}, () => result)};
  const {reports, asked} = await searchAt(tavily, {answer}, {}, {query: '  TEA '});
  expect(asked).toHaveLength(1);
  const [first, again] = reports;
  expect(first).toEqual(again);
  if (first === undefined || typeof first === 'string') throw new Error('no results');
  expect({count: first.length, ...first[0]}).toEqual({
    count: 10,
    url: 'https://a.example/%28x%29',
    title: `ab ${'t'.repeat(196)}…`,
    snippet: `${'w '.repeat(299)}w…`,
    published: '',
  });
});

test('the first key in the environment decides, and an own address takes the place of the official one', () => {
  expect(searchProviderOf({})).toBeUndefined();
  expect(searchProviderOf({BRAVE_API_KEY: ' ', EXA_API_KEY: 'e', SEARXNG_URL: 'http://s/'})).toEqual({
    name: 'Exa',
    variable: 'EXA_API_KEY',
    key: 'e',
    baseUrl: 'https://api.exa.ai',
  });
  expect(searchProviderOf({SEARXNG_URL: 'http://s:8080/search'})?.baseUrl).toBe('http://s:8080');
});

test('whatever a provider answers, nothing throws', async () => {
  await fc.assert(
    fc.asyncProperty(fc.jsonValue(), async value => {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- fast-check's JSON values are ours, typed otherwise
      const {reports} = await searchAt(tavily, {answer: {results: value as Json}}, {});
      expect(reports).toHaveLength(1);
    }),
    {numRuns: 20},
  );
});
