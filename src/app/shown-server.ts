import {randomBytes} from 'node:crypto';
import type {JsonObject} from '../base/json.ts';
import type {ServerConfig} from '../extensions/mcp/server-config.ts';
import {makeRedactor} from '../safety/secrets/redactor.ts';
import {secretName} from '../safety/secrets/secret-name.ts';

/** What is shown of a server's configuration: references to variables, and of values none that may be secret. */

/** The command, or the address. */
export const targetText = ({transport}: ServerConfig): string =>
  transport.kind === 'stdio'
    ? [transport.command, ...transport.args].map(word => shownWord(hidden(word))).join(' ')
    : hiddenUrl(transport.url);

const shownWord = (word: string): string => (/^[\w@%+=:,./~${}<>-]+$/u.test(word) ? word : JSON.stringify(word));

export const isReference = (value: string): boolean =>
  /\$\{[A-Za-z_]\w*(?::-)?\}/u.test(value) && !/\$\{\w+:-[^}]/u.test(value);

/** Values that refer to variables are shown; others are not, unless they say little. */
export const hiddenValues = (values: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(values).map(([key, value]) => [
      key,
      isReference(value) || (secretName(key) === 'none' && hidden(value) === value) ? value : hiddenMark,
    ]),
  );

const hiddenMark = '(hidden)';

/** A text without secrets that can be told by their form. */
export function hidden(text: string): string {
  redactor ??= makeRedactor({
    environment: {},
    files: {inRoots: () => [], everywhere: () => []},
    key: () => randomBytes(32),
  });
  return redactor.redact(text).replaceAll(/\[\[secret:[^\]]*\]\]/gu, hiddenMark);
}
let redactor: ReturnType<typeof makeRedactor> | undefined;

/** An address without passwords and without what stands behind `?`, which often is a key. */
export function hiddenUrl(address: string): string {
  const [, start = '', user = '', rest = ''] = /^(\w+:\/\/)([^/?#]*@)?(.*)$/su.exec(address) ?? [];
  if (start === '') return hidden(address);
  const shown = rest.replaceAll(
    /([?&][^=&#]*=)([^&#]*)/gu,
    (_whole, name: string, value: string) => `${name}${isReference(value) ? value : hiddenMark}`,
  );
  return hidden(`${start}${user === '' ? '' : `${hiddenMark}@`}${shown}`);
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

/** The name of the first value that may be a secret and stands there itself. */
export const secretIn = (values: Readonly<Record<string, string>>): string | undefined =>
  Object.entries(values).find(
    ([key, value]) => value !== '' && !isReference(value) && (secretName(key) !== 'none' || hidden(value) !== value),
  )?.[0];
