import {createSign} from 'node:crypto';
import type {JsonObject} from '../base/json.ts';
import {failed, ok, type Outcome, tryOr} from '../base/outcome.ts';
import {firstLine} from '../base/clip.ts';
import {type HttpFetch, readJson} from './http-fetch.ts';

export interface GoogleToken {
  readonly token: string;
  readonly expiresInMs: number;
}

/**
 * Exchanges application default credentials for an access token: those of a user (`gcloud auth application-default
 * login`) and of a service account (google.aip.dev/auth/4113). The failure is the end of a sentence about the
 * credentials.
 */
export async function exchangeGoogleCredentials(
  credentials: JsonObject,
  send: HttpFetch,
  {signal, now}: {readonly signal: AbortSignal; readonly now: number},
): Promise<Outcome<GoogleToken, string>> {
  const text = (name: string): string => {
    const {[name]: value} = credentials;
    return typeof value === 'string' ? value : '';
  };
  const uri = text('token_uri') || 'https://oauth2.googleapis.com/token';
  switch (text('type')) {
    case 'authorized_user':
      return exchange(
        uri,
        {
          grant_type: 'refresh_token',
          client_id: text('client_id'),
          client_secret: text('client_secret'),
          refresh_token: text('refresh_token'),
        },
        {send, signal},
      );
    case 'service_account': {
      const seconds = Math.floor(now / 1000);
      const claims = {iss: text('client_email'), scope, aud: uri, iat: seconds, exp: seconds + 3600};
      const unsigned = [{alg: 'RS256', typ: 'JWT', kid: text('private_key_id')}, claims].map(encode).join('.');
      const sign = (): string => createSign('RSA-SHA256').update(unsigned).sign(text('private_key'), 'base64url');
      const signature = tryOr(sign, undefined);
      if (signature === undefined) return failed('hold no private key that can sign');
      const assertion = `${unsigned}.${signature}`;
      return exchange(uri, {grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion}, {send, signal});
    }
    default:
      return failed(`are of the type ${JSON.stringify(text('type'))}, which weft can't use`);
  }
}

const scope = 'https://www.googleapis.com/auth/cloud-platform';

const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');

interface Sending {
  readonly send: HttpFetch;
  readonly signal: AbortSignal;
}

async function exchange(
  uri: string,
  form: Readonly<Record<string, string>>,
  {send, signal}: Sending,
): Promise<Outcome<GoogleToken, string>> {
  const headers = {'content-type': 'application/x-www-form-urlencoded'};
  const init = {method: 'POST', headers, body: new URLSearchParams(form).toString(), signal};
  return tokenOf(await send(uri, init));
}

/** Requests a token from the metadata server of a machine in Google's cloud (cloud.google.com/compute/docs/metadata/overview). */
export async function metadataToken(host: string, {send, signal}: Sending): Promise<Outcome<GoogleToken, string>> {
  const url = `http://${host}/computeMetadata/v1/instance/service-accounts/default/token`;
  return tokenOf(await send(url, {headers: {'metadata-flavor': 'Google'}, signal}));
}

async function tokenOf(response: Response): Promise<Outcome<GoogleToken, string>> {
  const {error, error_description: about, access_token: token, expires_in: seconds} = await readJson(response);
  if (!response.ok) {
    const said = [error, about].filter(part => typeof part === 'string').join(', ');
    return failed(`were refused (${response.status})${said === '' ? '' : `: ${firstLine(said, 300)}`}`);
  }
  return typeof token === 'string' && token !== ''
    ? ok({token, expiresInMs: typeof seconds === 'number' ? seconds * 1000 : 0})
    : failed('brought no access token');
}
