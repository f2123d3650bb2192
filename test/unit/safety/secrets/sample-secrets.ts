import {makeSecrets, type Secrets} from '../../../../src/safety/secrets/make-secrets.ts';

/** Secrets of a user who has a few variables and a `.env`. */
export function sampleSecrets(
  given: {
    readonly environment?: Readonly<Record<string, string>>;
    readonly env?: string;
    readonly key?: Uint8Array;
    readonly deep?: string;
  } = {},
): Secrets {
  return makeSecrets({
    environment: given.environment ?? {},
    files: {
      near: () => (given.env === undefined ? [] : [{path: '/work/.env', text: given.env}]),
      all: () => (given.deep === undefined ? [] : [{path: '/work/deep/.env', text: given.deep}]),
    },
    key: () => given.key ?? new Uint8Array(32),
  });
}

/** Every placeholder without its tag. */
export const untagged = (text: string): string => text.replaceAll(/\[\[secret:(\w+):[0-9a-f]+\]\]/gu, '<$1>');
