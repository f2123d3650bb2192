import {isJsonObject, parseJson, textOf} from '../base/json.ts';
import {ok, type Outcome} from '../base/outcome.ts';
import {forgetKeptKey, type KeptKey, type KeyPlace, readKeptKeys, writeKeptKey} from '../config/kept-keys.ts';
import type {Places} from '../config/places.ts';
import type {KeptProvider} from '../domain/api-key.ts';
import {type Fault, faultText} from '../domain/fault.ts';
import type {IssuedKey, KeyIssuer, SharedIssue} from './key-issuer.ts';
import type {Keychain} from '../workspace/keychain.ts';
import {UsageError} from './exit-code.ts';

/** The API keys that the user has saved: in the keychain if it answers, otherwise in a file that only the user can read. */
export interface ApiKeys {
  kept(): readonly KeptKey[];
  /** Returns the key itself; `undefined` if the keychain does not return it. */
  keyOf(kept: KeptKey): Promise<string | undefined>;
  keep(given: NewKey): Promise<Outcome<string, Fault>>;
  forget(kept: KeptKey): Promise<Outcome<unknown, Fault>>;
  placeText(kept: KeptKey): string;
  /** Runs `work` while no other weft process changes a key of this provider. Rejects when `signal` aborts while it waits. */
  alone<T>(provider: KeptProvider, work: () => Promise<T>, signal: AbortSignal): Promise<T>;
}

/** The parts of the saved keys that connecting to a model uses. */
export type UsedKeys = Omit<ApiKeys, 'forget'>;

interface NewKey {
  readonly provider: KeptProvider;
  readonly key: string;
  /** The address that the key is for; empty for the provider's own. */
  readonly baseUrl: string;
}

export function openApiKeys(places: Pick<Places, 'credentials'>, environment: NodeJS.ProcessEnv): ApiKeys {
  const {credentials: file} = places;
  const keychain = userKeychain(environment);
  const placeText = (place: KeyPlace): string => (place.in === 'keychain' ? 'the keychain' : file);

  return {
    kept() {
      const read = readKeptKeys(file);
      if (read.tag === 'failed') throw new UsageError(faultText(read.error));
      return read.value;
    },
    async keyOf({provider, place}) {
      return place.in === 'file' ? place.key : keychain.read(provider);
    },
    async keep({provider, key, baseUrl}) {
      const place: KeyPlace = (await keychain.store(provider, key)) ? {in: 'keychain'} : {in: 'file', key};
      const written = await writeKeptKey(file, {provider, baseUrl, place});
      return written.tag === 'failed' ? written : ok(placeText(place));
    },
    async forget({provider, place}) {
      if (place.in === 'keychain') await keychain.remove(provider);
      return forgetKeptKey(file, provider);
    },
    placeText: ({place}) => placeText(place),
    async alone(provider, work, signal) {
      const {withLock} = await import('./file-lock.ts');
      return withLock(`${file}.${provider}.lock`, work, signal);
    },
  };
}

/** Opens the keychain of this machine. If it does not answer, nothing is read or stored. Each WEFT_HOME has its own accounts. */
export function userKeychain(environment: NodeJS.ProcessEnv) {
  const home = environment['WEFT_HOME'] ?? '';
  const accountOf = (name: string): string => (home === '' ? name : `${name} in ${home}`);
  const open = async (limitMs: number): Promise<Keychain | undefined> =>
    (await import('../workspace/keychain.ts')).systemKeychain({platform: process.platform, environment, limitMs});
  return {
    read: async (name: string): Promise<string | undefined> => (await open(readMs))?.read(accountOf(name)),
    store: async (name: string, secret: string): Promise<boolean> =>
      (await (await open(storeMs))?.store(accountOf(name), secret)) === true,
    remove: async (name: string): Promise<void> => void (await (await open(storeMs))?.remove(accountOf(name))),
  };
}

/** The keys that commands and token servers issued to this run. They are kept in memory alone. */
export interface IssuedKeys {
  /** Returns the issuer's key if it is still good, or a new one. Throws a `FaultError`. */
  get(issuer: KeyIssuer, isRefused: (text: string) => boolean, signal: AbortSignal): Promise<IssuedKey>;
  /** Calls `learn` with each secret before the key is used. Returns a function that ends this. */
  onSecret(learn: (secret: string) => void): () => void;
}

export function issuedKeys(): IssuedKeys {
  const kept = new Map<string, IssuedKey>();
  const running = new Map<string, SharedIssue>();
  const listeners = new Set<(secret: string) => void>();
  return {
    onSecret(learn) {
      listeners.add(learn);
      return () => void listeners.delete(learn);
    },
    async get(issuer, isRefused, signal) {
      const before = kept.get(issuer.id);
      if (before !== undefined && before.until > Date.now() && !isRefused(before.text)) return before;
      const {SharedIssue: Shared} = await import('./key-issuer.ts');
      const issue = running.get(issuer.id) ?? new Shared(issuer, before?.text);
      running.set(issuer.id, issue);
      try {
        const key = await issue.wait(signal);
        for (const secret of issuer.secrets(key.text)) for (const learn of listeners) learn(secret);
        kept.set(issuer.id, key);
        return key;
      } finally {
        running.delete(issuer.id);
      }
    },
  };
}

/** Returns the keys in weft's own file, by variable name, so that they are redacted even if this run does not use them. */
export function keptSecrets({credentials}: Pick<Places, 'credentials'>): Readonly<Record<string, string>> {
  const read = readKeptKeys(credentials);
  // A run that needs no saved key works without them.
  if (read.tag === 'failed') return {};
  const inFile = read.value.flatMap(({provider, place}) => {
    if (place.in === 'keychain') return [];
    const secrets = provider === 'chatgpt' ? signInSecrets(place.key) : [place.key];
    return secrets.map((secret, at) => ({
      name: `KEPT_${provider.toUpperCase()}_API_KEY${at === 0 ? '' : at + 1}`,
      secret,
    }));
  });
  return Object.fromEntries(inFile.map(({name, secret}) => [name, secret]));
}

/** Returns the tokens in a kept sign-in, which is JSON. */
export function signInSecrets(text: string): readonly string[] {
  const parsed = parseJson(text);
  if (parsed.tag === 'failed' || !isJsonObject(parsed.value)) return [];
  const {accessToken, refreshToken} = parsed.value;
  return [accessToken, refreshToken].map(textOf).filter(token => token !== '');
}

/** Milliseconds for a keychain to answer. A locked keychain may open a window to ask the user. */
const readMs = 5000;
const storeMs = 15_000;
