import {createHash, createHmac} from 'node:crypto';
import type {WireRequest} from './access.ts';

export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Empty for keys that have none. */
  readonly sessionToken: string;
}

/**
 * Signs a request with AWS Signature Version 4. It signs the host and the headers that it adds, so other headers may change afterwards
 * (docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html).
 */
export function signForAws(
  {url, method, headers, body}: WireRequest,
  {
    credentials,
    region,
    service,
    now,
  }: {
    readonly credentials: AwsCredentials;
    readonly region: string;
    readonly service: string;
    readonly now: Date;
  },
): void {
  const time = now.toISOString().replaceAll(/[-:]|\.\d{3}/gu, '');
  const bodyHash = sha256(body);
  headers.set('x-amz-date', time);
  headers.set('x-amz-content-sha256', bodyHash);
  if (credentials.sessionToken !== '') headers.set('x-amz-security-token', credentials.sessionToken);
  const signed = [
    ['host', url.host],
    ...['x-amz-content-sha256', 'x-amz-date', 'x-amz-security-token'].flatMap(name =>
      headers.has(name) ? [[name, headers.get(name) ?? '']] : [],
    ),
  ];
  const names = signed.map(([name]) => name).join(';');
  // The path is already percent-encoded, and AWS wants it encoded again.
  const path = url.pathname.split('/').map(encode).join('/');
  const query = [...url.searchParams]
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .toSorted()
    .join('&');
  const lines = signed.map(([name, value]) => `${name}:${value}\n`).join('');
  const scope = `${time.slice(0, 8)}/${region}/${service}/aws4_request`;
  const canonical = [method, path, query, lines, names, bodyHash].join('\n');
  const toSign = ['AWS4-HMAC-SHA256', time, scope, sha256(canonical)].join('\n');
  const key = scope.split('/').reduce<string | Buffer>(hmac, `AWS4${credentials.secretAccessKey}`);
  const signature = hmac(key, toSign).toString('hex');
  headers.set(
    'authorization',
    `AWS4-HMAC-SHA256 Credential=${credentials.accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`,
  );
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

/** Percent-encodes everything but letters, digits and `-._~`. */
const encode = (text: string): string =>
  encodeURIComponent(text).replaceAll(/[!'()*]/gu, mark => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
