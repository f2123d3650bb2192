import {createHash, timingSafeEqual} from 'node:crypto';
import type {IncomingHttpHeaders} from 'node:http';

export interface GuardOptions {
  readonly port: () => number;
  readonly token: string;
  /** Host names besides loopback that requests may use, with any port. */
  readonly allowedHosts: readonly string[];
  /** Origins whose pages may call the server. */
  readonly allowedOrigins: readonly string[];
}

export type Refusal = {readonly status: 401 | 403; readonly error: string} | 'none';

/**
 * Returns why a request is refused. Requests from web pages carry an `Origin` or `Sec-Fetch-Site` header and are refused. The `Host` check
 * refuses pages whose domain resolves to this machine.
 */
export function refusalOf(headers: IncomingHttpHeaders, path: string, options: GuardOptions): Refusal {
  if (!isOwnHost(headers.host, options))
    return {status: 403, error: 'This Host is not allowed (--allow-host NAME allows it).'};
  const {origin} = headers;
  if (origin !== undefined && !options.allowedOrigins.includes(origin))
    return {status: 403, error: 'This Origin is not allowed (--allow-origin ORIGIN allows it).'};
  const site = headers['sec-fetch-site'];
  if (origin === undefined && site !== undefined && site !== 'none' && site !== 'same-origin')
    return {status: 403, error: 'Requests from other web sites are not allowed.'};
  if (path === '/health') return 'none';
  if (!hasToken(headers.authorization, options.token))
    return {status: 401, error: 'The token is missing or wrong. Send Authorization: Bearer TOKEN.'};
  return 'none';
}

function isOwnHost(host: string | undefined, {port, allowedHosts}: GuardOptions): boolean {
  if (host === undefined) return false;
  const given = host.toLowerCase();
  const own = ['127.0.0.1', 'localhost', '[::1]'].flatMap(name => [
    `${name}:${String(port())}`,
    ...(port() === 80 ? [name] : []),
  ]);
  if (own.includes(given)) return true;
  const name = given.replace(/:\d*$/u, '');
  return allowedHosts.some(allowed => allowed.toLowerCase() === name);
}

/** Compares digests in constant time. Digests always have the same length. */
export const isSameSecret = (given: string, secret: string): boolean => timingSafeEqual(digest(given), digest(secret));

function hasToken(authorization: string | undefined, token: string): boolean {
  const given = /^Bearer +(?<token>\S+) *$/iu.exec(authorization ?? '')?.groups?.['token'] ?? '';
  return isSameSecret(given, token) && token !== '';
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
