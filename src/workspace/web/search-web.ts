import type {WebSearchReport, WebSearchRequest, WebSearchResult} from '../../actions/web-port.ts';
import {clip, collapseSpaces} from '../../base/clip.ts';
import {isJsonList, isJsonObject, type Json, type JsonObject, parseJson, textOf} from '../../base/json.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {withoutInvisible} from '../../base/visible.ts';
import {type Fault, needsUser} from '../../domain/fault.ts';
import {readWebUrl} from '../../domain/web-url.ts';
import {exchange, type ExchangeRequest, type WebAnswer, type WebNetwork} from './exchange.ts';
import {newBoundary} from './fetch-page.ts';
import type {SearchProvider} from './search-provider.ts';

const maxResults = 10;

/** The maximum number of UTF-16 units of a result's title and snippet. */
const maxTitleLength = 200;
const maxSnippetLength = 600;

const maxAnswerBytes = 4 * 1024 * 1024;

/** How long a search's results are reused, in milliseconds, and how many are kept. */
const freshMs = 15 * 60 * 1000;
const maxKept = 100;

export interface SearcherOptions {
  readonly provider: SearchProvider;
  readonly network: WebNetwork;
  readonly userAgent: string;
  readonly now: () => number;
  readonly timeoutMs: number;
}

/** Makes the function that searches the web. It caches results for a while. */
export function makeSearcher(
  options: SearcherOptions,
): (request: WebSearchRequest, signal: AbortSignal) => Promise<Outcome<WebSearchReport, Fault>> {
  const cache = new Map<string, {readonly at: number; readonly report: WebSearchReport}>();
  return async (request, signal) => {
    const {provider, now} = options;
    const domains = domainsOf(request);
    const key = JSON.stringify([collapseSpaces(request.query).toLowerCase(), domains]);
    const known = cache.get(key);
    if (known !== undefined && now() - known.at < freshMs)
      return ok({...known.report, ageMs: Math.max(1, now() - known.at)});
    const asked = exchangeRequest(provider, {...request, ...domains}, options.userAgent);
    if (asked.tag === 'failed') return asked;
    const ending = AbortSignal.any([signal, AbortSignal.timeout(options.timeoutMs)]);
    const answer = await exchange(asked.value, options.network, ending);
    if (answer.tag === 'failed') return failed(providerFault(provider, faultMessage(answer.error), ''));
    const refused = providerProblem(provider, answer.value);
    if (refused !== undefined) return failed(refused);
    const read = parseJson(answer.value.body.toString('utf8'));
    const found = read.tag === 'ok' ? resultsIn(provider, read.value) : undefined;
    if (found === undefined) return failed(providerFault(provider, 'its answer has an unexpected format', ''));
    const results = found.filter(({url}) => isWanted(url, domains)).slice(0, maxResults);
    const report: WebSearchReport = {provider: provider.name, results, boundary: newBoundary(), ageMs: 0};
    cache.delete(key);
    cache.set(key, {at: now(), report});
    for (const oldest of cache.keys()) {
      if (cache.size <= maxKept) break;
      cache.delete(oldest);
    }
    return ok(report);
  };
}

type Domains = Pick<WebSearchRequest, 'allowedDomains' | 'blockedDomains'>;

/** Normalizes hosts for comparison: models also write addresses and `*.`. */
const domainsOf = ({allowedDomains, blockedDomains}: WebSearchRequest): Domains => ({
  allowedDomains: allowedDomains.map(domainOf),
  blockedDomains: blockedDomains.map(domainOf),
});

function domainOf(text: string): string {
  const name = text.trim().replace(/^\*\./u, '');
  const url = readWebUrl(/^https?:\/\//iu.test(name) ? name : `http://${name}`);
  return url.tag === 'ok' ? url.value.host : name.toLowerCase();
}

/** Whether a result belongs to a wanted host or its subdomains. Drops results that are not web addresses. */
function isWanted(url: string, {allowedDomains, blockedDomains}: Domains): boolean {
  const read = readWebUrl(url);
  if (read.tag === 'failed') return false;
  const {host} = read.value;
  const isBelow = (domain: string): boolean => host === domain || host.endsWith(`.${domain}`);
  return (allowedDomains.length === 0 || allowedDomains.some(isBelow)) && !blockedDomains.some(isBelow);
}

/** The request and answer format of a search engine. */
interface Engine {
  /** Returns path and query. Engines without filters understand `site:` in the query; weft filters their results again. */
  readonly path: (filtered: string) => string;
  readonly headers: (key: string) => Readonly<Record<string, string>>;
  /** Returns the body of a POST; `undefined` for a GET. */
  readonly body: ((request: WebSearchRequest) => JsonObject) | undefined;
  readonly results: (answer: JsonObject) => Json | undefined;
  readonly published: string;
  readonly snippet: (item: JsonObject) => string;
}

const searchPath = (path: string, words: Readonly<Record<string, string>>): string =>
  `${path}/search?${new URLSearchParams(words).toString()}`;

const unlessEmpty = (name: string, list: readonly string[]): JsonObject => (list.length === 0 ? {} : {[name]: list});

const engines: Readonly<Record<SearchProvider['name'], Engine>> = {
  Brave: {
    path: q => searchPath('/res/v1/web', {q, count: String(2 * maxResults)}),
    headers: key => ({'x-subscription-token': key}),
    body: undefined,
    // Brave omits `web` if it found nothing.
    results: ({web}) => (isJsonObject(web) ? web['results'] : []),
    published: 'page_age',
    // Brave puts <strong> around the words that it found.
    snippet: item => textOf(item['description']).replaceAll(/<\/?[a-z]+>/gu, ''),
  },
  SearXNG: {
    path: q => searchPath('', {q, format: 'json'}),
    headers: () => ({}),
    body: undefined,
    results: ({results}) => results,
    published: 'publishedDate',
    snippet: item => textOf(item['content']),
  },
  Tavily: {
    path: () => '/search',
    headers: key => ({authorization: `Bearer ${key}`}),
    body: ({query, allowedDomains, blockedDomains}) => ({
      query,
      max_results: maxResults,
      ...unlessEmpty('include_domains', allowedDomains),
      ...unlessEmpty('exclude_domains', blockedDomains),
    }),
    results: ({results}) => results,
    published: 'published_date',
    snippet: item => textOf(item['content']),
  },
  Exa: {
    path: () => '/search',
    headers: key => ({'x-api-key': key}),
    body: ({query, allowedDomains, blockedDomains}) => ({
      query,
      type: 'auto',
      numResults: maxResults,
      contents: {highlights: {}, text: {maxCharacters: maxSnippetLength}},
      ...unlessEmpty('includeDomains', allowedDomains),
      ...unlessEmpty('excludeDomains', blockedDomains),
    }),
    results: ({results}) => results,
    published: 'publishedDate',
    snippet({highlights, ...item}) {
      const texts = isJsonList(highlights) ? highlights.filter(text => typeof text === 'string') : [];
      return texts.length > 0 ? texts.join(' … ') : textOf(item['summary']) || textOf(item['text']);
    },
  },
};

function exchangeRequest(
  provider: SearchProvider,
  request: WebSearchRequest,
  userAgent: string,
): Outcome<ExchangeRequest, Fault> {
  const {name, baseUrl, key} = provider;
  const {query, allowedDomains, blockedDomains} = request;
  const {path, headers, body} = engines[name];
  const sites = [
    ...(allowedDomains.length === 0 ? [] : [`(${allowedDomains.map(domain => `site:${domain}`).join(' OR ')})`]),
    ...blockedDomains.map(domain => `-site:${domain}`),
  ];
  const url = readWebUrl(`${baseUrl}${path([query, ...sites].join(' '))}`, `${baseUrl}/`);
  if (url.tag === 'failed') return failed(providerFault(provider, url.error, 'Check its address in the environment.'));
  const posted = body === undefined ? {} : {'content-type': 'application/json'};
  return ok({
    url: url.value,
    reach: 'any',
    maxBytes: maxAnswerBytes,
    method: body === undefined ? 'GET' : 'POST',
    headers: {accept: 'application/json', 'user-agent': userAgent, ...posted, ...headers(key)},
    body: body === undefined ? '' : JSON.stringify(body(request)),
  });
}

const providerFault = ({name}: SearchProvider, message: string, fix: string): Fault =>
  needsUser(`${name}: ${message}`, fix);

const faultMessage = (fault: Fault): string => fault.message.replace(/\.$/u, '');

/** Returns why a provider did not search; `undefined` if it answered. */
function providerProblem(provider: SearchProvider, {status, headers, body}: WebAnswer): Fault | undefined {
  if (status >= 200 && status < 300) return undefined;
  const {name, variable} = provider;
  if (name === 'SearXNG' && status === 403) {
    return providerFault(
      provider,
      'it does not answer in JSON (403)',
      'Add json to search.formats in its settings.yml.',
    );
  }
  switch (status) {
    case 401:
    case 403:
      return providerFault(provider, `it rejected the key (${status})`, `Check ${variable}.`);
    case 402:
    case 432:
    case 433:
      return providerFault(
        provider,
        `the plan's limit is reached (${status})`,
        `Check your plan, or unset ${variable}.`,
      );
    case 429: {
      const wait = headers['retry-after'] ?? headers['x-ratelimit-reset'];
      const seconds = /^\d+/u.exec(String(wait ?? ''))?.[0];
      return providerFault(
        provider,
        'too many searches (429)',
        seconds === undefined ? 'Wait a while.' : `Retry in ${seconds} s.`,
      );
    }
    default: {
      const said = collapseSpaces(withoutInvisible(body.toString('utf8', 0, 400)));
      return providerFault(provider, `it answered ${status}${said === '' ? '' : `: ${clip(said, 200)}`}`, '');
    }
  }
}

/** Returns the results; `undefined` if the answer has another format. */
function resultsIn({name}: SearchProvider, answer: Json): readonly WebSearchResult[] | undefined {
  if (!isJsonObject(answer)) return undefined;
  const listed = engines[name].results(answer);
  return isJsonList(listed) ? listed.flatMap(item => (isJsonObject(item) ? resultOf(name, item) : [])) : undefined;
}

function resultOf(name: SearchProvider['name'], item: JsonObject): readonly WebSearchResult[] {
  const given = textOf(item['url']);
  // The parsed form has no line breaks or control characters.
  const url = readWebUrl(given).tag === 'ok' ? URL.parse(given)?.href : undefined;
  if (url === undefined) return [];
  const title = clip(plain(textOf(item['title'])).replaceAll(/[[\]]/gu, ''), maxTitleLength);
  return [
    {
      // Characters that would end a markdown link.
      url: url.replaceAll(/[\s()<>]/gu, character =>
        encodeURIComponent(character).replace('(', '%28').replace(')', '%29'),
      ),
      title: title === '' ? url : title,
      snippet: clip(plain(engines[name].snippet(item)), maxSnippetLength),
      published: clip(plain(textOf(item[engines[name].published])), 40),
    },
  ];
}

const plain = (text: string): string => collapseSpaces(withoutInvisible(text));
