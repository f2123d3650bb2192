import type {WebSearchReport, WebSearchRequest, WebSearchResult} from '../../actions/web-port.ts';
import {clip, collapseSpaces} from '../../base/clip.ts';
import {isJsonList, isJsonObject, type Json, type JsonObject, parseJson} from '../../base/json.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {unreachable} from '../../base/unreachable.ts';
import {withoutInvisible} from '../../base/visible.ts';
import type {Fault} from '../../domain/fault.ts';
import {readWebUrl} from '../../domain/web-url.ts';
import {exchange, type ExchangeRequest, type WebAnswer, type WebNetwork} from './exchange.ts';
import {newBoundary} from './fetch-page.ts';
import type {SearchProvider} from './search-provider.ts';

/** Results of one search. */
const count = 10;

/** UTF-16 units of what is said of one result. */
const longestTitle = 200;
const longestSnippet = 600;

const mostAnswerBytes = 4 * 1024 * 1024;

/** How long the answer to a search is given again, in milliseconds, and how many are kept. */
const freshMs = 15 * 60 * 1000;
const mostKept = 100;

export interface SearcherOptions {
  readonly provider: SearchProvider;
  readonly network: WebNetwork;
  readonly userAgent: string;
  readonly now: () => number;
  readonly timeoutMs: number;
}

/** Makes what searches the web, and keeps the answers for a while. */
export function makeSearcher(
  options: SearcherOptions,
): (request: WebSearchRequest, signal: AbortSignal) => Promise<Outcome<WebSearchReport, Fault>> {
  const kept = new Map<string, {readonly at: number; readonly report: WebSearchReport}>();
  return async (request, signal) => {
    const {provider, now} = options;
    const domains = domainsOf(request);
    const key = JSON.stringify([collapseSpaces(request.query).toLowerCase(), domains]);
    const known = kept.get(key);
    if (known !== undefined && now() - known.at < freshMs)
      return ok({...known.report, ageMs: Math.max(1, now() - known.at)});
    const asked = exchangeRequest(provider, {...request, ...domains}, options.userAgent);
    if (asked.tag === 'failed') return asked;
    const ending = AbortSignal.any([signal, AbortSignal.timeout(options.timeoutMs)]);
    const answer = await exchange(asked.value, options.network, ending);
    if (answer.tag === 'failed') return failed(providerFault(provider, faultWords(answer.error), ''));
    const refused = refusalOf(provider, answer.value);
    if (refused !== undefined) return failed(refused);
    const read = parseJson(answer.value.body.toString('utf8'));
    const found = read.tag === 'ok' ? resultsIn(provider, read.value) : undefined;
    if (found === undefined)
      return failed(providerFault(provider, 'its answer is not of the form that weft reads', ''));
    const results = found.filter(({url}) => isWanted(url, domains)).slice(0, count);
    const report: WebSearchReport = {provider: provider.name, results, boundary: newBoundary(), ageMs: 0};
    kept.delete(key);
    kept.set(key, {at: now(), report});
    for (const oldest of kept.keys()) {
      if (kept.size <= mostKept) break;
      kept.delete(oldest);
    }
    return ok(report);
  };
}

type Domains = Pick<WebSearchRequest, 'allowedDomains' | 'blockedDomains'>;

/** As hosts are compared: models also write addresses and `*.`. */
const domainsOf = ({allowedDomains, blockedDomains}: WebSearchRequest): Domains => ({
  allowedDomains: allowedDomains.map(domainOf),
  blockedDomains: blockedDomains.map(domainOf),
});

function domainOf(text: string): string {
  const name = text.trim().replace(/^\*\./u, '');
  const url = readWebUrl(/^https?:\/\//iu.test(name) ? name : `http://${name}`);
  return url.tag === 'ok' ? url.value.host : name.toLowerCase();
}

/** Whether a result is of the wanted hosts, each of which stands for all below it. Only addresses of the web are results at all. */
function isWanted(url: string, {allowedDomains, blockedDomains}: Domains): boolean {
  const read = readWebUrl(url);
  if (read.tag === 'failed') return false;
  const {host} = read.value;
  const isBelow = (domain: string): boolean => host === domain || host.endsWith(`.${domain}`);
  return (allowedDomains.length === 0 || allowedDomains.some(isBelow)) && !blockedDomains.some(isBelow);
}

function exchangeRequest(
  provider: SearchProvider,
  {query, allowedDomains, blockedDomains}: WebSearchRequest,
  userAgent: string,
): Outcome<ExchangeRequest, Fault> {
  const {baseUrl, key} = provider;
  const address = requestAddress(provider, {query, allowedDomains, blockedDomains});
  const url = readWebUrl(address.path, `${baseUrl}/`);
  if (url.tag === 'failed') {
    return failed({
      kind: 'needs-user',
      message: `${provider.name}: ${url.error}`,
      fix: `Check its address in the environment.`,
    });
  }
  const common = {accept: 'application/json', 'user-agent': userAgent};
  const basis = {url: url.value, reach: 'any', mostBytes: mostAnswerBytes} as const;
  switch (provider.name) {
    case 'Brave':
      return ok({...basis, method: 'GET', headers: {...common, 'x-subscription-token': key}, body: ''});
    case 'SearXNG':
      return ok({...basis, method: 'GET', headers: common, body: ''});
    case 'Tavily':
      return ok({
        ...basis,
        method: 'POST',
        headers: {...common, 'content-type': 'application/json', authorization: `Bearer ${key}`},
        body: JSON.stringify({
          query,
          max_results: count,
          ...(allowedDomains.length === 0 ? {} : {include_domains: allowedDomains}),
          ...(blockedDomains.length === 0 ? {} : {exclude_domains: blockedDomains}),
        }),
      });
    case 'Exa':
      return ok({
        ...basis,
        method: 'POST',
        headers: {...common, 'content-type': 'application/json', 'x-api-key': key},
        body: JSON.stringify({
          query,
          type: 'auto',
          numResults: count,
          contents: {highlights: {}, text: {maxCharacters: longestSnippet}},
          ...(allowedDomains.length === 0 ? {} : {includeDomains: allowedDomains}),
          ...(blockedDomains.length === 0 ? {} : {excludeDomains: blockedDomains}),
        }),
      });
    default:
      return unreachable(provider.name);
  }
}

/** Engines without filters understand `site:`; what they find is looked through again. */
function requestAddress(
  {name, baseUrl}: SearchProvider,
  {query, allowedDomains, blockedDomains}: WebSearchRequest,
): {readonly path: string} {
  const sites = [
    ...(allowedDomains.length === 0 ? [] : [`(${allowedDomains.map(domain => `site:${domain}`).join(' OR ')})`]),
    ...blockedDomains.map(domain => `-site:${domain}`),
  ];
  const filtered = [query, ...sites].join(' ');
  switch (name) {
    case 'Brave':
      return {
        path: `${baseUrl}/res/v1/web/search?${new URLSearchParams({q: filtered, count: String(2 * count)}).toString()}`,
      };
    case 'SearXNG':
      return {path: `${baseUrl}/search?${new URLSearchParams({q: filtered, format: 'json'}).toString()}`};
    case 'Tavily':
    case 'Exa':
      return {path: `${baseUrl}/search`};
    default:
      return unreachable(name);
  }
}

const providerFault = ({name}: SearchProvider, message: string, fix: string): Fault => ({
  kind: 'needs-user',
  message: `${name}: ${message}`,
  fix,
});

const faultWords = (fault: Fault): string => fault.message.replace(/\.$/u, '');

/** Why a provider did not search, in words; `undefined` for an answer. */
function refusalOf(provider: SearchProvider, {status, headers, body}: WebAnswer): Fault | undefined {
  if (status >= 200 && status < 300) return undefined;
  const {name, variable} = provider;
  if (name === 'SearXNG' && status === 403) {
    return providerFault(provider, 'it answers no JSON (403)', 'Add json to search.formats in its settings.yml.');
  }
  switch (status) {
    case 401:
    case 403:
      return providerFault(provider, `it refuses the key (${status})`, `Check ${variable}.`);
    case 402:
    case 432:
    case 433:
      return providerFault(
        provider,
        `the plan's limit is reached (${status})`,
        `Look at your plan, or unset ${variable}.`,
      );
    case 429: {
      const wait = headers['retry-after'] ?? headers['x-ratelimit-reset'];
      const seconds = /^\d+/u.exec(String(wait ?? ''))?.[0];
      return providerFault(
        provider,
        'too many searches (429)',
        seconds === undefined ? 'Wait a while.' : `It can be asked again in ${seconds} s.`,
      );
    }
    default: {
      const said = collapseSpaces(withoutInvisible(body.toString('utf8', 0, 400)));
      return providerFault(provider, `it answered ${status}${said === '' ? '' : `: ${clip(said, 200)}`}`, '');
    }
  }
}

/** `undefined` for an answer of another form. */
function resultsIn({name}: SearchProvider, answer: Json): readonly WebSearchResult[] | undefined {
  if (!isJsonObject(answer)) return undefined;
  const web = answer['web'];
  // Brave leaves out what it found nothing for.
  const listed = name === 'Brave' ? (isJsonObject(web) ? web['results'] : []) : answer['results'];
  return isJsonList(listed) ? listed.flatMap(item => (isJsonObject(item) ? resultOf(name, item) : [])) : undefined;
}

function resultOf(name: SearchProvider['name'], item: JsonObject): readonly WebSearchResult[] {
  const given = textIn(item, 'url');
  // As it is parsed: without line breaks and control characters.
  const url = readWebUrl(given).tag === 'ok' ? URL.parse(given)?.href : undefined;
  if (url === undefined) return [];
  const title = clip(plain(textIn(item, 'title')).replaceAll(/[[\]]/gu, ''), longestTitle);
  return [
    {
      // What would end a markdown link.
      url: url.replaceAll(/[\s()<>]/gu, character =>
        encodeURIComponent(character).replace('(', '%28').replace(')', '%29'),
      ),
      title: title === '' ? url : title,
      snippet: clip(plain(snippetOf(name, item)), longestSnippet),
      published: clip(plain(textIn(item, publishedIn[name])), 40),
    },
  ];
}

const publishedIn = {
  Brave: 'page_age',
  Tavily: 'published_date',
  Exa: 'publishedDate',
  SearXNG: 'publishedDate',
} as const;

function snippetOf(name: SearchProvider['name'], item: JsonObject): string {
  switch (name) {
    case 'Brave':
      // With <strong> around the words that were found.
      return textIn(item, 'description').replaceAll(/<\/?[a-z]+>/gu, '');
    case 'Exa': {
      const {highlights} = item;
      const texts = isJsonList(highlights) ? highlights.filter(text => typeof text === 'string') : [];
      return texts.length > 0 ? texts.join(' … ') : textIn(item, 'summary') || textIn(item, 'text');
    }
    case 'Tavily':
    case 'SearXNG':
      return textIn(item, 'content');
    default:
      return unreachable(name);
  }
}

function textIn(item: JsonObject, key: string): string {
  const value = item[key];
  return typeof value === 'string' ? value : '';
}

const plain = (text: string): string => collapseSpaces(withoutInvisible(text));
