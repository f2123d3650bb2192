import {makeRedactor, type Redactor} from '../../../../src/safety/secrets/redactor.ts';

/** Secrets of a user who has a few variables and a `.env`. */
export function sampleSecrets(
  given: {
    readonly environment?: Readonly<Record<string, string>>;
    readonly env?: string;
    readonly key?: Uint8Array;
    readonly deep?: string;
  } = {},
): Redactor {
  return makeRedactor({
    environment: given.environment ?? {},
    files: {
      inRoots: () => (given.env === undefined ? [] : [{path: '/work/.env', text: given.env}]),
      everywhere: () => (given.deep === undefined ? [] : [{path: '/work/deep/.env', text: given.deep}]),
    },
    key: () => given.key ?? new Uint8Array(32),
  });
}

/** Every placeholder without its tag. */
export const untagged = (text: string): string => text.replaceAll(/\[\[secret:(\w+):[0-9a-f]+\]\]/gu, '<$1>');
