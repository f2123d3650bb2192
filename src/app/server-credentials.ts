import {createHash} from 'node:crypto';
import {readFileSync, rmSync, statSync, writeFileSync} from 'node:fs';
import {dirname} from 'node:path';
import {setTimeout as pause} from 'node:timers/promises';
import {hasCode} from '../domain/fault.ts';
import {parseJson} from '../base/json.ts';
import {ok} from '../base/outcome.ts';
import {makeFolders} from '../config/make-folders.ts';
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
import {isRunning} from '../workspace/exec/process-table.ts';
import {userKeychain} from './api-keys.ts';
import {unwrap} from './exit-code.ts';

/** What the user got by signing in to MCP servers: in the keychain where one answers, else in a file of weft's that is the user's alone. */
export interface ServerCredentials extends CredentialStore {
  /** The addresses of the servers that the user is signed in to. */
  urls(): readonly string[];
  /** Where the credential of a server is, in words; `undefined` where there is none. */
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
    async alone(url, work, signal) {
      const lock = `${file}.${hashOf(url)}.lock`;
      const until = Date.now() + longestWaitMs;
      while (!takeLock(lock) && Date.now() < until) await pause(50, undefined, {signal});
      try {
        return await work();
      } finally {
        rmSync(lock, {force: true});
      }
    },
    async forget(url) {
      if (places().get(url)?.in === 'keychain') await keychain.remove(accountOf(url));
      return forgetServerCredential(file, url);
    },
  };
}

/** The address itself may hold what a keychain's own commands read as theirs. */
const accountOf = (url: string): string => `mcp ${new URL(url).host} ${hashOf(url)}`;

const hashOf = (url: string): string => createHash('sha256').update(url).digest('hex').slice(0, 16);

/** Milliseconds after which the work of another process counts as left behind; each request about tokens has half of it. */
const longestWaitMs = 60_000;

/** Takes a lock that no other running process holds. Whether this process may go on: also where a lock cannot be written at all. */
function takeLock(lock: string): boolean {
  try {
    makeFolders(dirname(lock));
    writeFileSync(lock, String(process.pid), {flag: 'wx', mode: 0o600});
    return true;
  } catch (cause) {
    if (!hasCode(cause, 'EEXIST')) return true;
    if (!isHeld(lock)) rmSync(lock, {force: true});
    return false;
  }
}

function isHeld(lock: string): boolean {
  try {
    const holder = readFileSync(lock, 'utf8');
    const age = Date.now() - statSync(lock).mtimeMs;
    return age < longestWaitMs && (holder === '' || isRunning(Number(holder)));
  } catch {
    return false;
  }
}

/** The tokens in weft's own file, by names as of variables: nobody is to see them, whether this run uses them or not. */
export function keptTokens({serverCredentials}: Pick<Places, 'serverCredentials'>): Readonly<Record<string, string>> {
  const read = readServerCredentials(serverCredentials);
  // A run that needs no server goes on without.
  if (read.tag === 'failed') return {};
  const secrets = [...read.value.values()].flatMap(place => (place.in === 'file' ? secretsOf(place.credential) : []));
  return Object.fromEntries(secrets.map((secret, at) => [`MCP_SERVER_TOKEN_${at + 1}`, secret]));
}
