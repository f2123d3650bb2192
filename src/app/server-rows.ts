import {unreachable} from '../base/unreachable.ts';
import {serverKey} from '../extensions/mcp/oauth/session-auth.ts';
import {expandConfig, type ServerConfig} from '../extensions/mcp/server-config.ts';
import {type ServerCheck, serverChecker} from './check-server.ts';
import type {KnownServer} from './known-servers.ts';
import {oauthDeps} from './server-authorization.ts';
import {openServerCredentials} from './server-credentials.ts';
import {userPlaces} from './user-data.ts';
import type {JsonObject} from '../base/json.ts';
import type {Redactor} from '../safety/secrets/redactor.ts';
import {outputRedactor} from './output-redactor.ts';
import {secretName} from '../safety/secrets/secret-name.ts';

/** The time limit for a server to answer `weft mcp list` and `weft doctor`, in milliseconds. */
const checkMs = 10_000;

/** A server in the list of `weft mcp list`. */
export interface ServerRow {
  readonly name: string;
  readonly transport: string;
  /** The command, or the address, without secrets. */
  readonly target: string;
  readonly source: string;
  readonly path: string;
  readonly status: RowStatus;
  /** Why the server does not answer, or its title and version. */
  readonly detail: string;
  /** The number of the server's tools; `null` if it was not checked. */
  readonly tools: number | null;
  readonly signed_in: boolean;
}

export type RowStatus =
  | 'connected'
  | 'needs-sign-in'
  | 'failed'
  | 'not-checked'
  | 'disabled'
  | 'untrusted'
  | 'overridden'
  | 'invalid';

/** Returns the servers of a folder as rows. With `check`, connects to all servers in use at the same time. */
export async function serverRows(
  servers: readonly KnownServer[],
  {directory, check}: {readonly directory: string; readonly check: boolean},
): Promise<readonly ServerRow[]> {
  const checked = check ? await checkAll(servers, directory) : undefined;
  const signedIn = new Set(openServerCredentials(userPlaces(), process.env).urls());
  return servers.map(server => rowOf(server, {check: checked?.get(server), signedIn}));
}

async function checkAll(
  servers: readonly KnownServer[],
  directory: string,
): Promise<ReadonlyMap<KnownServer, ServerCheck>> {
  const wanted = servers.flatMap(server =>
    server.standing === 'counts' && server.config.tag === 'ok' && server.config.value.state === 'enabled'
      ? [{server, config: server.config.value}]
      : [],
  );
  if (wanted.length === 0) return new Map();
  const checker = await serverChecker(
    oauthDeps(() => {}),
    new AbortController().signal,
  );
  try {
    return new Map(
      await Promise.all(
        wanted.map(
          async ({server, config}) =>
            [server, await checker.check({name: server.name, config, directory}, checkMs)] as const,
        ),
      ),
    );
  } finally {
    await checker.close();
  }
}

function rowOf(
  {name, source, path, standing, untrustedReason, config}: KnownServer,
  {check, signedIn}: {readonly check: ServerCheck | undefined; readonly signedIn: ReadonlySet<string>},
): ServerRow {
  const where = {name, source, path};
  if (config.tag === 'failed') {
    return {
      ...where,
      transport: '',
      target: '',
      status: 'invalid',
      detail: config.error,
      tools: null,
      signed_in: false,
    };
  }
  const {transport, state} = config.value;
  const row = {
    ...where,
    transport: transport.kind,
    target: targetText(config.value),
    tools: check?.status === 'connected' ? check.tools : null,
    signed_in: isSignedIn(config.value, signedIn),
  };
  const [status, detail] = statusOf({standing, untrustedReason, state, check});
  return {...row, status, detail};
}

function statusOf({
  standing,
  untrustedReason,
  state,
  check,
}: {
  readonly standing: KnownServer['standing'];
  readonly untrustedReason: string;
  readonly state: ServerConfig['state'];
  readonly check: ServerCheck | undefined;
}): readonly [RowStatus, string] {
  if (standing === 'untrusted') return ['untrusted', untrustedReason];
  if (standing === 'overridden') return ['overridden', 'another file has a server with this name'];
  if (state === 'disabled') return ['disabled', ''];
  if (check === undefined) return ['not-checked', ''];
  switch (check.status) {
    case 'connected':
      return ['connected', `${check.title} ${check.version}`.trim()];
    case 'needs-sign-in':
      return ['needs-sign-in', check.cause.message];
    case 'failed':
      return ['failed', hideSecrets(check.error)];
    default:
      return unreachable(check);
  }
}

export function isSignedIn(config: ServerConfig, signedIn: ReadonlySet<string>): boolean {
  if (config.transport.kind === 'stdio') return false;
  const expanded = expandConfig(config, process.env);
  if (expanded.tag === 'failed' || expanded.value.transport.kind === 'stdio') return false;
  const url = URL.parse(expanded.value.transport.url);
  return url !== null && signedIn.has(serverKey(url));
}

/** Returns the command or the address, without secrets. */
const targetText = ({transport}: ServerConfig): string =>
  transport.kind === 'stdio'
    ? [transport.command, ...transport.args].map(word => shownWord(hideSecrets(word))).join(' ')
    : hiddenUrl(transport.url);

const shownWord = (word: string): string => (/^[\w@%+=:,./~${}<>-]+$/u.test(word) ? word : JSON.stringify(word));

export const isReference = (value: string): boolean =>
  /\$\{[A-Za-z_]\w*(?::-)?\}/u.test(value) && !/\$\{\w+:-[^}]/u.test(value);

/** Hides values that may be secret. References to variables stay visible. */
export const hiddenValues = (values: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(values).map(([key, value]) => [
      key,
      isReference(value) || (secretName(key) === 'none' && hideSecrets(value) === value) ? value : hiddenMark,
    ]),
  );

const hiddenMark = '(hidden)';

/** Hides the parts of a text that have the form of a secret. */
export function hideSecrets(text: string): string {
  redactor ??= outputRedactor({});
  return redactor.redact(text).replaceAll(/\[\[secret:[^\]]*\]\]/gu, hiddenMark);
}
let redactor: Redactor | undefined;

/** Hides passwords in an address, and the values after `?`, which are often keys. */
export function hiddenUrl(address: string): string {
  const [, start = '', user = '', rest = ''] = /^(\w+:\/\/)([^/?#]*@)?(.*)$/su.exec(address) ?? [];
  if (start === '') return hideSecrets(address);
  const shown = rest.replaceAll(
    /([?&][^=&#]*=)([^&#]*)/gu,
    (_whole, name: string, value: string) => `${name}${isReference(value) ? value : hiddenMark}`,
  );
  return hideSecrets(`${start}${user === '' ? '' : `${hiddenMark}@`}${shown}`);
}

export const hiddenOAuth = (oauth: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(oauth).map(([key, value]) => [
      key,
      /secret|privateKey|identityProvider/u.test(key) && !(typeof value === 'string' && isReference(value))
        ? hiddenMark
        : value,
    ]),
  );

/** Returns the name of the first value that may be a literal secret. */
export const findLiteralSecret = (values: Readonly<Record<string, string>>): string | undefined =>
  Object.entries(values).find(
    ([key, value]) =>
      value !== '' && !isReference(value) && (secretName(key) !== 'none' || hideSecrets(value) !== value),
  )?.[0];
