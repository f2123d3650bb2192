import * as z from 'zod/mini';
import {isJsonObject, type Json, type JsonObject, parseJson} from '../base/json.ts';
import {failed, ok, type Outcome} from '../base/outcome.ts';
import {type Fault, needsUser} from '../domain/fault.ts';
import {changePrivateFile, readTextFile} from './change-file.ts';

const schema = z.object({
  issuer: z.string(),
  /** The client that the tokens belong to, as described by the authorization server. */
  client: z.custom<JsonObject>(value => isJsonObject(value) && typeof value['client_id'] === 'string'),
  accessToken: z.string().check(z.minLength(1)),
  /** Empty if the server issued none. */
  refreshToken: z.string(),
  /** The expiration time in milliseconds since the epoch; 0 if the server did not say. */
  expiresAt: z.number(),
  scope: z.string(),
  /** The resource that the token is for (RFC 8707); empty for none. */
  resource: z.string(),
  /** The address of the server's own metadata. Empty for the usual address. */
  resourceMetadataUrl: z.string(),
});

/**
 * The credential from signing in to an MCP server. It is stored under the server's address. Only the server gets the access
 * token, and only the authorization server `issuer` gets everything else.
 */
export type ServerCredential = Readonly<z.infer<typeof schema>>;

/** Reads a credential in the form of the keychain or the file. Returns `undefined` for anything else. */
export const parseServerCredential = (json: Json | undefined): ServerCredential | undefined =>
  schema.safeParse(json).data;

/** Returns the client that a credential belongs to, in the form of token requests. */
export function registeredClient({client}: ServerCredential): {
  readonly client_id: string;
  readonly client_secret?: string;
  readonly token_endpoint_auth_method?: string;
} {
  const {client_id: id, client_secret: secret, token_endpoint_auth_method: method} = client;
  return {
    client_id: typeof id === 'string' ? id : '',
    ...(typeof secret === 'string' ? {client_secret: secret} : {}),
    ...(typeof method === 'string' ? {token_endpoint_auth_method: method} : {}),
  };
}

export const secretsOf = ({accessToken, refreshToken, client}: ServerCredential): readonly string[] =>
  [accessToken, refreshToken, client['client_secret'], client['registration_access_token']].filter(
    (secret): secret is string => typeof secret === 'string' && secret !== '',
  );

/** The storage of a server's credential. */
export type CredentialPlace = {readonly in: 'keychain'} | {readonly in: 'file'; readonly credential: ServerCredential};

/** Reads the servers that the file names, by address. Returns none if there is no file, and leaves out entries of another form. */
export function readServerCredentials(path: string): Outcome<ReadonlyMap<string, CredentialPlace>, Fault> {
  const read = readTextFile(path);
  if (read.tag === 'failed') return failed(unreadable(path, read.error));
  const entries = entriesIn(read.value);
  if (entries === undefined) return failed(unreadable(path, 'it holds no JSON object'));
  return ok(new Map(Object.entries(entries).flatMap(([url, entry]) => placeOf(url, entry))));
}

function entriesIn(text = ''): JsonObject | undefined {
  if (text.trim() === '') return {};
  const json = parseJson(text);
  return json.tag === 'ok' && isJsonObject(json.value) ? json.value : undefined;
}

function placeOf(url: string, entry: Json): readonly (readonly [string, CredentialPlace])[] {
  if (!isJsonObject(entry)) return [];
  if (entry['in'] === 'keychain') return [[url, {in: 'keychain'}]];
  const credential = parseServerCredential(entry['credential']);
  return credential === undefined ? [] : [[url, {in: 'file', credential}]];
}

/** Stores a server's credential and replaces an earlier one. Only the user can read the file. */
export const writeServerCredential = (
  path: string,
  {url, place}: {readonly url: string; readonly place: CredentialPlace},
): Promise<Outcome<unknown, Fault>> =>
  changeEntries(path, entries => ({...entries, [url]: place.in === 'keychain' ? {in: 'keychain'} : inFile(place)}));

const inFile = ({credential}: CredentialPlace & {readonly in: 'file'}): JsonObject => ({
  in: 'file',
  credential: {...credential},
});

export const forgetServerCredential = (path: string, url: string): Promise<Outcome<unknown, Fault>> =>
  changeEntries(path, ({[url]: _gone, ...others}) => others);

function changeEntries(path: string, change: (entries: JsonObject) => JsonObject): Promise<Outcome<unknown, Fault>> {
  return changePrivateFile(path, text => {
    const entries = entriesIn(text);
    if (entries === undefined) return failed(unreadable(path, 'it holds no JSON object'));
    return ok(`${JSON.stringify(change(entries), undefined, 2)}\n`);
  });
}

const unreadable = (path: string, why: string): Fault =>
  needsUser(`The sign-ins kept in ${path} cannot be read: ${why}`, 'Delete the file and sign in again.');
