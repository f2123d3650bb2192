import {createHmac} from 'node:crypto';

/** What stands in the place of a secret: `[[secret:OPENAI_API_KEY:1f3a9c2b]]`. The name is for people, the tag tells them apart. */
export const placeholderForm = /\[\[secret:([A-Z0-9_]{1,40}):([0-9a-f]{8,64})\]\]/gu;

/** What every placeholder begins with: a quick way to see that a text holds none. */
export const placeholderStart = '[[secret:';

/** Hexadecimal digits of a tag; more of them where two secrets would get the same. */
export const shortestTag = 8;

/** The whole tag of a value. Keyed, so that nobody without the key can try values out on a placeholder. */
export const longTag = (value: string, key: Uint8Array): string =>
  createHmac('sha256', key).update(value).digest('hex');

export const placeholderOf = (name: string, tag: string): string => `${placeholderStart}${cleanName(name)}:${tag}]]`;

/** Letters, digits and underscores of a name, in capitals. */
function cleanName(name: string): string {
  const clean = name
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/gu, '_')
    .replaceAll(/^_+|_+$/gu, '')
    .slice(0, 40);
  return clean === '' ? 'VALUE' : clean;
}

/** The names of the secrets whose placeholders stand in a text, each once. */
export const secretNamesIn = (text: string): readonly string[] =>
  text.includes(placeholderStart)
    ? [...new Set(Array.from(text.matchAll(placeholderForm), ([, name = '']) => name))]
    : [];
