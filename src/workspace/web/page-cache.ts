import {unreachable} from '../../base/unreachable.ts';
import type {PageContent} from '../../actions/web-port.ts';

/** A page as it was read, and what a server can tell by whether it has changed. */
export interface CachedPage {
  readonly url: string;
  readonly content: PageContent;
  readonly notes: readonly string[];
  readonly storedAt: number;
  /** Headers of a request that asks whether it has changed; empty where the server gave nothing to ask by. */
  readonly validators: Readonly<Record<string, string>>;
  /** Milliseconds for which it is given without asking. */
  readonly freshMs: number;
}

/** How long a page is given again without asking the server, in milliseconds. */
const longestFreshMs = 15 * 60 * 1000;

/** How long a page is kept to ask the server whether it has changed. */
const longestKeptMs = 24 * 60 * 60 * 1000;

/** Bytes of all pages, roughly. */
const mostBytes = 50 * 1024 * 1024;

/** Pages of this process, by the address that was asked for. The oldest go first. */
export class PageCache {
  readonly #pages = new Map<string, CachedPage>();
  #bytes = 0;

  get(url: string, now: number): CachedPage | undefined {
    const page = this.#pages.get(url);
    if (page !== undefined && now - page.storedAt > longestKeptMs) {
      this.delete(url);
      return undefined;
    }
    return page;
  }

  set(url: string, page: CachedPage): void {
    this.delete(url);
    const size = sizeOf(page);
    if (size > mostBytes) return;
    this.#pages.set(url, page);
    this.#bytes += size;
    for (const oldest of this.#pages.keys()) {
      if (this.#bytes <= mostBytes) break;
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

/** How long an answer may be given again, by what its server says; `never` where it must not be kept. */
export function freshnessOf(cacheControl: string): number | 'never' {
  const said = cacheControl.toLowerCase();
  if (/\bno-store\b/u.test(said)) return 'never';
  if (/\bno-cache\b/u.test(said)) return 0;
  const [, seconds] = /\bmax-age\s*=\s*"?(\d{1,9})/u.exec(said) ?? [];
  return seconds === undefined ? longestFreshMs : Math.min(longestFreshMs, Number(seconds) * 1000);
}
