import {randomBytes} from 'node:crypto';
import {existsSync} from 'node:fs';
import {STATUS_CODES} from 'node:http';
import {frameUntrusted, type PageContent, type WebFetchRequest, type WebPage} from '../../actions/web-port.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {unreachable} from '../../base/unreachable.ts';
import {type Fault, rejected} from '../../domain/fault.ts';
import {readWebUrl, type WebUrl} from '../../domain/web-url.ts';
import {truncateText, saveText, maxShownLength} from '../files/long-texts.ts';
import {exchange, type WebAnswer, type WebNetwork} from './exchange.ts';
import {readContent} from './page-content.ts';

export interface PageFetcherOptions {
  readonly network: WebNetwork;
  readonly userAgent: string;
  /** Returns the path of a new file for a text too long to be shown whole. */
  readonly newFile: () => string;
  readonly redact: (text: string) => string;
  readonly now: () => number;
  /** Milliseconds for a whole page, redirects included. */
  readonly timeoutMs: number;
}

/** The maximum number of bytes of a page, both compressed and decompressed. */
const maxPageBytes = 10_000_000;

const maxRedirects = 5;

/** Markdown comes first, because some sites offer their pages in it. */
const accept = 'text/markdown, text/html;q=0.9, */*;q=0.1';

/** Makes the function that reads pages. It caches pages for a while. */
export function makePageFetcher(
  options: PageFetcherOptions,
): (request: WebFetchRequest, signal: AbortSignal) => Promise<Outcome<WebPage, Fault>> {
  const cache = new PageCache();
  return async (request, signal) => {
    const read = readWebUrl(request.url);
    if (read.tag === 'failed') return failed(rejected(read.error));
    // The user is probably developing a local server, so don't cache it.
    const kept = request.cache === 'use' && read.value.scope !== 'loopback' ? cache : undefined;
    const timeout = AbortSignal.timeout(options.timeoutMs);
    return fetchPage(read.value, {...options, cache: kept}, AbortSignal.any([signal, timeout]));
  };
}

type FetchDeps = PageFetcherOptions & {readonly cache: PageCache | undefined};

async function fetchPage(asked: WebUrl, deps: FetchDeps, signal: AbortSignal): Promise<Outcome<WebPage, Fault>> {
  const {cache, now, network, userAgent} = deps;
  const known = cache?.get(asked.href, now());
  const isUsable = known !== undefined && (known.content.kind !== 'text' || fileExists(known.content.file));
  if (isUsable && now() - known.storedAt < known.freshMs) {
    return ok({url: known.url, content: known.content, ageMs: Math.max(1, now() - known.storedAt), notes: known.notes});
  }
  let url = asked;
  for (let redirects = 0; redirects <= maxRedirects; redirects += 1) {
    const conditions = isUsable && url.href === known.url ? known.validators : {};
    const answer = await exchange(
      {
        url,
        method: 'GET',
        headers: {accept, 'user-agent': userAgent, ...conditions},
        body: '',
        reach: 'as-named',
        maxBytes: maxPageBytes,
      },
      network,
      signal,
    );
    if (answer.tag === 'failed') return answer;
    const {status, headers} = answer.value;
    if (status === 304 && isUsable) {
      cache?.set(asked.href, {...known, storedAt: now()});
      return ok({url: known.url, content: known.content, ageMs: 0, notes: known.notes});
    }
    const {location} = headers;
    if (!redirectStatuses.has(status) || location === undefined)
      return toPage(asked, {url, answer: answer.value}, deps, signal);
    const next = redirectOf(url, location);
    if (next.tag === 'failed') return failed(rejected(`${url.href} redirects (${status}): ${next.error}`));
    if (next.value.host !== url.host || next.value.port !== url.port) {
      return ok({url: url.href, content: {kind: 'moved', to: next.value.href, status}, ageMs: 0, notes: []});
    }
    url = next.value;
  }
  return failed(rejected(`${asked.href} redirects more than ${maxRedirects} times.`));
}

const fileExists = (file: string | undefined): boolean => file === undefined || existsSync(file);

const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Returns the target of a redirect. A target that weft may not read, or that drops encryption, is an error. */
function redirectOf(from: WebUrl, location: string): Outcome<WebUrl, string> {
  const next = readWebUrl(location, from.href);
  if (next.tag === 'failed') return next;
  if (from.protocol === 'https:' && next.value.protocol === 'http:') {
    return failed(`from https to http (${next.value.href}), which weft does not follow.`);
  }
  return next.value.scope === 'private'
    ? failed(`to ${next.value.host}, an address of a private network, which weft does not read.`)
    : next;
}

/** Makes the page from its answer. Caches it unless the server forbids that. */
async function toPage(
  asked: WebUrl,
  {url, answer}: {readonly url: WebUrl; readonly answer: WebAnswer},
  deps: FetchDeps,
  signal: AbortSignal,
): Promise<Outcome<WebPage, Fault>> {
  const {status, headers, body, by} = answer;
  if (status < 200 || status >= 300) {
    // Only weft's own words: the server's text would appear without a frame here and pass for weft's.
    const words = STATUS_CODES[status] === undefined ? '' : ` ${STATUS_CODES[status]}`;
    return failed(rejected(`${url.href} answered ${status}${words}.${retryText(headers['retry-after'] ?? '')}`));
  }
  const read = await readContent({url: url.href, body, contentType: headers['content-type'] ?? ''}, signal);
  if (read.tag === 'failed') return read;
  const notes = [
    ...(read.value.kind === 'text' ? read.value.notes : []),
    ...(by === 'proxied' ? ['read through a proxy, which resolved the name, so weft could not check the address'] : []),
  ];
  const content: PageContent = read.value.kind === 'image' ? read.value : await cutText(url.href, read.value, deps);
  const freshMs = freshnessOf(headers['cache-control'] ?? '');
  if (freshMs !== 'never') {
    const {etag, 'last-modified': modified} = headers;
    const validators = {
      ...(etag === undefined ? {} : {'if-none-match': etag}),
      ...(modified === undefined ? {} : {'if-modified-since': modified}),
    };
    deps.cache?.set(asked.href, {url: url.href, content, notes, storedAt: deps.now(), validators, freshMs});
  }
  return ok({url: url.href, content, ageMs: 0, notes});
}

/** Says when the server allows a retry: in seconds, or as an HTTP date. */
function retryText(wait: string): string {
  if (/^\d{1,9}$/u.test(wait)) return ` Retry after ${wait} s.`;
  const at = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/u.test(wait)
    ? Date.parse(wait)
    : Number.NaN;
  return Number.isNaN(at) ? '' : ` Retry after ${wait}.`;
}

/** Returns the beginning of a long text. The complete text goes to a file that the model can read. */
async function cutText(
  url: string,
  {text: given, mediaType}: {readonly text: string; readonly mediaType: string},
  {newFile, redact}: FetchDeps,
): Promise<PageContent> {
  const text = redact(given);
  const boundary = newBoundary();
  const whole = {kind: 'text', text, length: text.length, file: undefined, boundary, mediaType} as const;
  if (text.length <= maxShownLength) return whole;
  const file = await saveText(`${url}\n${frameUntrusted(text, boundary)}\n`, newFile);
  return {...whole, text: truncateText(text), file};
}

/** Returns a boundary that no page can guess. */
export const newBoundary = (): string => `web-${randomBytes(8).toString('hex')}`;

/** A cached page, with the server's validators for it. */
interface CachedPage {
  readonly url: string;
  readonly content: PageContent;
  readonly notes: readonly string[];
  readonly storedAt: number;
  /** Headers of a conditional request; empty if the server sent no validators. */
  readonly validators: Readonly<Record<string, string>>;
  /** Milliseconds for which the page is reused without a request. */
  readonly freshMs: number;
}

/** The longest time for which a page is reused without a request, in milliseconds. */
const maxFreshMs = 15 * 60 * 1000;

/** The longest time for which a page is kept to revalidate it, in milliseconds. */
const maxKeptMs = 24 * 60 * 60 * 1000;

/** The approximate size of all pages in bytes. */
const maxBytes = 50 * 1024 * 1024;

/** The pages of this process by the requested address. The oldest are dropped first. */
class PageCache {
  readonly #pages = new Map<string, CachedPage>();
  #bytes = 0;

  get(url: string, now: number): CachedPage | undefined {
    const page = this.#pages.get(url);
    if (page !== undefined && now - page.storedAt > maxKeptMs) {
      this.delete(url);
      return undefined;
    }
    return page;
  }

  set(url: string, page: CachedPage): void {
    this.delete(url);
    const size = sizeOf(page);
    if (size > maxBytes) return;
    this.#pages.set(url, page);
    this.#bytes += size;
    for (const oldest of this.#pages.keys()) {
      if (this.#bytes <= maxBytes) break;
      this.delete(oldest);
    }
  }

  delete(url: string): void {
    const page = this.#pages.get(url);
    if (page === undefined) return;
    this.#pages.delete(url);
    this.#bytes -= sizeOf(page);
  }
}

function sizeOf({content}: CachedPage): number {
  switch (content.kind) {
    case 'text':
      return 2 * content.text.length + 1000;
    case 'image':
      return content.image.data.length + 1000;
    case 'moved':
      return 1000;
    default:
      return unreachable(content);
  }
}

/** Returns how long the server lets an answer be reused, in milliseconds; `never` if it must not be cached. */
function freshnessOf(cacheControl: string): number | 'never' {
  const directives = cacheControl.toLowerCase();
  if (/\bno-store\b/u.test(directives)) return 'never';
  if (/\bno-cache\b/u.test(directives)) return 0;
  const [, seconds] = /\bmax-age\s*=\s*"?(\d{1,9})/u.exec(directives) ?? [];
  return seconds === undefined ? maxFreshMs : Math.min(maxFreshMs, Number(seconds) * 1000);
}
