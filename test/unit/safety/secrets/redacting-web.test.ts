import {expect, test} from 'vitest';
import type {WebFetchRequest, WebPort, WebSearchRequest} from '../../../../src/actions/web-port.ts';
import {ok} from '../../../../src/base/outcome.ts';
import {faultText} from '../../../../src/domain/fault.ts';
import {redactingWeb} from '../../../../src/app/redacting-ports.ts';
import {makeRedactor} from '../../../../src/safety/secrets/redactor.ts';

const secret = 'hunter2&x=1#correct/horse';

/** A web that keeps what it is asked, and whose pages quote the secret. */
function bench() {
  const secrets = makeRedactor({
    environment: {SHOP_PASSWORD: secret},
    files: {inRoots: () => [], everywhere: () => []},
    key: () => new Uint8Array(32),
  });
  const fetched: WebFetchRequest[] = [];
  const searched: WebSearchRequest[] = [];
  const plain: WebPort = {
    searching: 'offered',
    async fetch(request) {
      fetched.push(request);
      const text = `you sent ${secret}`;
      const content = {kind: 'text', text, length: 9, file: undefined, boundary: 'b', mediaType: 'text/plain'} as const;
      return ok({url: request.url, content, ageMs: 0, notes: []});
    },
    async search(request) {
      searched.push(request);
      const result = {url: 'https://a.example/', title: secret, snippet: secret, published: ''};
      return ok({provider: 'Brave', results: [result], boundary: 'b', ageMs: 0});
    },
  };
  const web = redactingWeb(plain, secrets);
  const {signal} = new AbortController();
  return {
    placeholder: secrets.redact(secret),
    fetched,
    searched,
    read: (url: string) => web.fetch({url, cache: 'use'}, signal),
    search: (query: string) => web.search({query, allowedDomains: [], blockedDomains: []}, signal),
    searchIn: (allowedDomains: readonly string[]) =>
      web.search({query: 'x', allowedDomains, blockedDomains: []}, signal),
  };
}

test('a placeholder becomes its secret as one part of the address, is never kept, and comes back as a placeholder', async () => {
  const {placeholder, fetched, read} = bench();
  const page = await read(`https://a.example/?k=${placeholder}&b=2`);
  expect(fetched).toEqual([{url: `https://a.example/?k=${encodeURIComponent(secret)}&b=2`, cache: 'none'}]);
  expect(page.tag === 'ok' && [page.value.url.includes('hunter2'), page.value.content]).toEqual([
    false,
    expect.objectContaining({text: `you sent ${placeholder}`}),
  ]);
  await read('https://a.example/');
  expect(fetched.at(-1)).toEqual({url: 'https://a.example/', cache: 'use'});
});

test('a placeholder that nobody knows fetches and searches nothing', async () => {
  const {fetched, searched, read, search} = bench();
  const unknown = '[[secret:OTHER:0123456789abcdef]]';
  for (const outcome of [await read(`https://a.example/?k=${unknown}`), await search(unknown)])
    expect(outcome.tag === 'failed' && faultText(outcome.error)).toMatch(/^Nothing was (?:fetched|searched): /u);
  expect([fetched, searched]).toEqual([[], []]);
});

test('results of a search come back without secrets', async () => {
  const {placeholder, search, searched} = bench();
  const found = await search(`leak of ${placeholder}`);
  expect(searched[0]?.query).toBe(`leak of ${secret}`);
  expect(found.tag === 'ok' && found.value.results).toEqual([
    {url: 'https://a.example/', title: placeholder, snippet: placeholder, published: ''},
  ]);
});

test('hosts that a search is limited to are never restored', async () => {
  const {placeholder, searched, searchIn} = bench();
  await searchIn([placeholder]);
  expect(searched[0]?.allowedDomains).toEqual([placeholder]);
});
