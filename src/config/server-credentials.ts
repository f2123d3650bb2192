import * as z from 'zod/mini';
import {isJsonObject, type Json, type JsonObject, parseJson} from '../base/json.ts';
import {failed, ok, type Outcome} from '../base/outcome.ts';
import type {Fault} from '../domain/fault.ts';
import {changePrivateFile, readTextFile} from './change-file.ts';

const schema = z.object({
  issuer: z.string(),
  /** The client that the tokens belong to, as the authorization server described it. */
  client: z.custom<JsonObject>(value => isJsonObject(value) && typeof value['client_id'] === 'string'),
  accessToken: z.string().check(z.minLength(1)),
  /** Empty if the server gave none. */
  refreshToken: z.string(),
  /** Milliseconds since 1970; 0 if the server did not say. */
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

/** Reads a credential as the keychain or the file has it; `undefined` for anything else. */
export const parseServerCredential = (json: Json | undefined): ServerCredential | undefined =>
  schema.safeParse(json).data;

/** The client that a credential belongs to, as token requests name it. */
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

/** Returns the secrets in a credential. */
export const secretsOf = ({accessToken, refreshToken, client}: ServerCredential): readonly string[] =>
  [accessToken, refreshToken, client['client_secret'], client['registration_access_token']].filter(
    (secret): secret is string => typeof secret === 'string' && secret !== '',
  );

/** The storage of a server's credential. */
export type CredentialPlace = {readonly in: 'keychain'} | {readonly in: 'file'; readonly credential: ServerCredential};

/** The servers that the file names, by address; none if there is no file. An entry of another form is left out. */
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

/** Keeps the credential of a server in the place of an earlier one. The file is the user's alone. */
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

const unreadable = (path: string, why: string): Fault => ({
  kind: 'needs-user',
  message: `The sign-ins kept in ${path} cannot be read: ${why}`,
  fix: 'Delete the file and sign in again.',
});
