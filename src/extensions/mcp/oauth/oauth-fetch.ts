import type {FetchLike} from '@modelcontextprotocol/client';

/** The most bytes of one answer about signing in: metadata and tokens are small. */
const mostBytes = 1024 * 1024;
const limitMs = 30_000;

/**
 * A `fetch` for requests about signing in. Each has 30 seconds and at most 1 MiB of answer, ends with `signal`, and follows no redirect:
 * a code, a secret or a token goes to the address that the metadata named, or nowhere.
 */
export const oauthFetch =
  (request: FetchLike, signal: AbortSignal): FetchLike =>
  async (url, init) => {
    const response = await request(url, {
      ...init,
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(limitMs)]),
    });
    const body = await boundedBody(response);
    const {status, statusText, headers} = response;
    return new Response(hasNoBody.has(status) ? null : body, {status, statusText, headers});
  };

const hasNoBody: ReadonlySet<number> = new Set([101, 204, 205, 304]);

async function boundedBody(response: Response): Promise<Blob> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  for await (const part of response.body ?? []) {
    bytes += part.byteLength;
    if (bytes > mostBytes) throw new Error('the answer of the authorization server is too long');
    parts.push(new Uint8Array(part));
  }
  return new Blob(parts);
}
