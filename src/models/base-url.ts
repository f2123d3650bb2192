/** A base URL in parts. Paths come before the query. */
export interface BaseUrl {
  readonly base: string;
  /** Begins with `?`, or is empty. */
  readonly query: string;
}

/** Returns a base URL without the protocol's own path at its end, which `path` matches. Users often include it. */
function baseUrlOf(given: string, path: RegExp): BaseUrl {
  const [, before = '', query = ''] = /^([^?#]*)(\?[^#]*)?/u.exec(given) ?? [];
  const base = before.replace(/\/+$/u, '').replace(path, '').replace(/\/+$/u, '');
  return {base, query: query === '?' ? '' : query};
}

/** The base URL of Anthropic's protocol, whose paths contain `/v1`. */
export const anthropicBase = (given: string): BaseUrl => baseUrlOf(given, /\/v1(?:\/messages)?$/u);

/** The base URL of OpenAI's protocols, which contains the `/v1`. */
export const openAiBase = (given: string): BaseUrl => baseUrlOf(given, /\/(?:chat\/completions|responses)$/u);

/** Returns the parameters of a query as the SDKs want them. */
export const queryParams = (query: string): Readonly<Record<string, string>> | undefined =>
  query === '' ? undefined : Object.fromEntries(new URLSearchParams(query));
