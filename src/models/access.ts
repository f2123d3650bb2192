import {FaultError} from '../domain/fault.ts';
import {HttpHeaders} from './fetch-classes.ts';
import type {HttpFetch} from './http-fetch.ts';
import type {Endpoint} from './provider-error.ts';

/** A way to a model other than a plain key: a token, a key from a command, a signature, more headers, another address. */
export interface Access {
  /** Sends requests with the credentials. Rejects with a `FaultError` for an error that the user can fix. */
  readonly fetch: HttpFetch;
  /** How messages name the server and its settings. */
  readonly endpoint: Partial<Omit<Endpoint, 'baseUrl'>>;
  /** Whether the server has the provider's own web search. */
  readonly searchesWeb: boolean;
  /** The betas that the server refused. The user's own header leaves them out. */
  readonly refusedBetas?: Set<string>;
}

export const betaHeader = 'anthropic-beta';

/** Returns the value of the header without the betas that the server refused. Empty if none is left. */
export const allowedBetas = (names: readonly string[], refused: ReadonlySet<string>): string =>
  refused.has('all')
    ? ''
    : names
        .map(name => name.trim())
        .filter(name => name !== '' && !refused.has(name.toLowerCase()))
        .join(',');

export interface WireRequest {
  readonly url: URL;
  readonly method: string;
  readonly headers: HttpHeaders;
  readonly body: string;
}

export interface Authorization {
  /** Adds the credentials. `refused` is the same request with credentials that the server refused. Throws a `FaultError`. */
  authorize(request: WireRequest, refused: WireRequest | undefined, signal: AbortSignal): Promise<WireRequest>;
  /** Whether new credentials may help after this refusal. */
  renewsAfter(refusal: {readonly status: number; readonly text: string}): boolean;
  /** Returns the sentences for a server that refuses the new credentials too. */
  refusedAgain(refusal: {readonly status: number; readonly message: string}): {
    readonly message: string;
    readonly fix: string;
  };
}

/**
 * Returns `send` with credentials. After a refusal that new credentials may resolve, it sends the request once more
 * with new credentials.
 */
export const authorizedFetch =
  (send: HttpFetch, authorization: Authorization): HttpFetch =>
  async (input, init) => {
    const request: WireRequest = {
      url: new URL(typeof input === 'string' || input instanceof URL ? input : input.url),
      method: init?.method ?? 'GET',
      headers: new HttpHeaders(init?.headers),
      body: typeof init?.body === 'string' ? init?.body : '',
    };
    const signal = init?.signal ?? new AbortController().signal;
    const attempt = async (refused: WireRequest | undefined) => {
      const sent = await authorization.authorize(
        {...request, headers: new HttpHeaders(request.headers)},
        refused,
        signal,
      );
      const {url, method, headers, body} = sent;
      const response = await send(url, {...init, method, headers, ...(body === '' ? {} : {body})});
      const renews = !response.ok && authorization.renewsAfter({status: response.status, text: await response.text()});
      return {sent, response, renews};
    };
    const first = await attempt(undefined);
    if (!first.renews) return first.response;
    const second = await attempt(first.sent);
    if (!second.renews) return second.response;
    const {status} = second.response;
    const {refusalWords} = await import('./refusal-words.ts');
    const message = refusalWords(await second.response.text());
    throw new FaultError({kind: 'needs-user', ...authorization.refusedAgain({status, message})}, undefined);
  };
