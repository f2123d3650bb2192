import {createHash} from 'node:crypto';
import {parseJson} from '../base/json.ts';
import {ok} from '../base/outcome.ts';
import type {Places} from '../config/places.ts';
import {
  type CredentialPlace,
  forgetServerCredential,
  parseServerCredential,
  readServerCredentials,
  secretsOf,
  writeServerCredential,
} from '../config/server-credentials.ts';
import type {CredentialStore} from '../extensions/mcp/oauth/session-auth.ts';
import {userKeychain} from './api-keys.ts';
import {unwrap} from './exit-code.ts';
import {withLock} from './file-lock.ts';

/** The user's credentials for MCP servers: in the keychain if it answers, otherwise in a file that only the user can read. */
export interface ServerCredentials extends CredentialStore {
  /** Returns the addresses of the servers that the user is signed in to. */
  urls(): readonly string[];
  /** Describes where the credential of a server is saved; `undefined` if there is none. */
  placeText(url: string): string | undefined;
}

export function openServerCredentials(
  {serverCredentials: file}: Pick<Places, 'serverCredentials'>,
  environment: NodeJS.ProcessEnv,
): ServerCredentials {
  const keychain = userKeychain(environment);
  const places = (): ReadonlyMap<string, CredentialPlace> => unwrap(readServerCredentials(file));
  const inWords = (place: CredentialPlace): string => (place.in === 'keychain' ? 'the keychain' : file);

  return {
    urls: () => [...places().keys()],
    placeText(url) {
      const place = places().get(url);
      return place === undefined ? undefined : inWords(place);
    },
    async read(url) {
      const place = places().get(url);
      if (place?.in !== 'keychain') return place?.credential;
      const kept = await keychain.read(accountOf(url));
      const json = kept === undefined ? undefined : parseJson(kept);
      return parseServerCredential(json?.tag === 'ok' ? json.value : undefined);
    },
    async write(url, credential) {
      const isStored = await keychain.store(accountOf(url), JSON.stringify(credential));
      const place: CredentialPlace = isStored ? {in: 'keychain'} : {in: 'file', credential};
      const written = await writeServerCredential(file, {url, place});
      return written.tag === 'failed' ? written : ok(inWords(place));
    },
    alone: (url, work, signal) => withLock(`${file}.${hashOf(url)}.lock`, work, signal),
    async forget(url) {
      if (places().get(url)?.in === 'keychain') await keychain.remove(accountOf(url));
      return forgetServerCredential(file, url);
    },
  };
}

/** Returns the keychain account of a server. It has a hash, because keychain commands may misread characters of the address. */
const accountOf = (url: string): string => `mcp ${new URL(url).host} ${hashOf(url)}`;

const hashOf = (url: string): string => createHash('sha256').update(url).digest('hex').slice(0, 16);

/** Returns the tokens in weft's own file, by variable name, so that they are redacted even if this run does not use them. */
export function keptTokens({serverCredentials}: Pick<Places, 'serverCredentials'>): Readonly<Record<string, string>> {
  const read = readServerCredentials(serverCredentials);
  // A run that needs no server works without them.
  if (read.tag === 'failed') return {};
  const secrets = [...read.value.values()].flatMap(place => (place.in === 'file' ? secretsOf(place.credential) : []));
  return Object.fromEntries(secrets.map((secret, at) => [`MCP_SERVER_TOKEN_${at + 1}`, secret]));
}
