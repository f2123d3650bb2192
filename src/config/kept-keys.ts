import * as z from 'zod/mini';
import {parseJson} from '../base/json.ts';
import {failed, ok, type Outcome} from '../base/outcome.ts';
import {keptProviders, type KeptProvider} from '../domain/api-key.ts';
import {type Fault, needsUser} from '../domain/fault.ts';
import {changePrivateFile, readTextFile} from './change-file.ts';

/**
 * The user's API keys and sign-ins, in the form of `credentials.json`. A key itself is stored only if no keychain accepted it. `baseUrl` is
 * the only address to which the key is sent, or empty for the provider's own.
 */
export interface KeptKey {
  readonly provider: KeptProvider;
  readonly baseUrl: string;
  readonly place: KeyPlace;
}

export type KeyPlace = {readonly in: 'keychain'} | {readonly in: 'file'; readonly key: string};

const keyEntry = z.union([
  z.object({in: z.literal('keychain'), baseUrl: z.string()}),
  z.object({in: z.literal('file'), baseUrl: z.string(), key: z.string().check(z.minLength(1))}),
]);
const keysFile = z.partialRecord(z.enum(keptProviders), keyEntry);

/** Reads the keys that the file names. Returns none if there is no file. */
export function readKeptKeys(path: string): Outcome<readonly KeptKey[], Fault> {
  const read = readTextFile(path);
  if (read.tag === 'failed') return failed(unreadable(path, read.error));
  const parsed = parsedKeys(read.value ?? '');
  return parsed === undefined ? failed(unreadable(path, 'it has another form')) : ok(parsed);
}

function parsedKeys(text: string): readonly KeptKey[] | undefined {
  if (text.trim() === '') return [];
  const json = parseJson(text);
  const parsed = keysFile.safeParse(json.tag === 'ok' ? json.value : undefined);
  if (!parsed.success) return undefined;
  return keptProviders.flatMap(provider => {
    const entry = parsed.data[provider];
    if (entry === undefined) return [];
    const {baseUrl} = entry;
    const place: KeyPlace = entry.in === 'file' ? {in: 'file', key: entry.key} : {in: 'keychain'};
    return [{provider, baseUrl, place}];
  });
}

/** Stores a key and replaces an earlier one of the same provider. Only the user can read the file. */
export const writeKeptKey = (path: string, kept: KeptKey): Promise<Outcome<unknown, Fault>> =>
  changeKeys(path, keys => [...keys.filter(({provider}) => provider !== kept.provider), kept]);

export const forgetKeptKey = (path: string, provider: KeptProvider): Promise<Outcome<unknown, Fault>> =>
  changeKeys(path, keys => keys.filter(key => key.provider !== provider));

function changeKeys(
  path: string,
  change: (keys: readonly KeptKey[]) => readonly KeptKey[],
): Promise<Outcome<unknown, Fault>> {
  return changePrivateFile(path, text => {
    const keys = parsedKeys(text ?? '');
    if (keys === undefined) return failed(unreadable(path, 'it has another form'));
    const entries = change(keys).map(({provider, baseUrl, place}) => [provider, {...place, baseUrl}]);
    return ok(`${JSON.stringify(Object.fromEntries(entries), undefined, 2)}\n`);
  });
}

const unreadable = (path: string, why: string): Fault =>
  needsUser(`The kept keys in ${path} cannot be read: ${why}`, 'Delete the file and give the key again.');
