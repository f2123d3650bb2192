import {createHmac} from 'node:crypto';
import {type LiteralFinder, makeLiteralFinder, shortestLiteral} from './literal-finder.ts';
import {isDistinctive} from './secret-value.ts';

/** A placeholder, which replaces a secret: `[[secret:OPENAI_API_KEY:1f3a9c2b]]`. The name is for people, the tag tells secrets apart. */
export const placeholderForm = /\[\[secret:([A-Z0-9_]{1,40}):([0-9a-f]{8,64})\]\]/gu;

/** How every placeholder begins; a text without it has no placeholder. */
export const placeholderStart = '[[secret:';

/** How many hexadecimal digits a tag has; it gets more where two secrets would have the same tag. */
const shortestTag = 8;

/** The whole tag of a value. It is keyed, so that only who has the key can test a guessed value against a placeholder. */
const longTag = (value: string, key: Uint8Array): string => createHmac('sha256', key).update(value).digest('hex');

const placeholderOf = (name: string, tag: string): string => `${placeholderStart}${cleanName(name)}:${tag}]]`;

/** The name in capitals, with underscores for all that is no letter or digit. */
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

/** The secrets this process knows, each with the placeholder that stands for it. They are in memory only. */
export interface Vault {
  /** The placeholder for a secret text; it keeps the first name that the text was given. */
  placeholder(text: string, name: string): string;
  /** Redacts a value from now on wherever it stands, also encoded in base64, in URLs, in JSON and in shell quotes. */
  redactEverywhere(value: string, name: string): void;
  /** What a placeholder stands for; `undefined` for one that is not known. */
  valueOf(placeholder: string): string | undefined;
  /** The name of a secret text. */
  nameOf(text: string): string;
  /** Finds the values that are redacted everywhere, in text or in bytes that are read as Latin-1. */
  finder(domain: 'text' | 'bytes'): LiteralFinder;
}

/** How many texts are looked for everywhere; further values are redacted only where they are recognised by their form. */
const maxLiterals = 20_000;

/** Makes an empty vault. `key` is called when the first secret turns up. */
export function makeVault(key: () => Uint8Array): Vault {
  const names = new Map<string, string>();
  const placeholders = new Map<string, string>();
  const values = new Map<string, string>();
  const literals = new Set<string>();
  let finders: {text: LiteralFinder | undefined; bytes: LiteralFinder | undefined} = {
    text: undefined,
    bytes: undefined,
  };
  let secretKey: Uint8Array | undefined;

  function tagOf(text: string): string {
    secretKey ??= key();
    const long = longTag(text, secretKey);
    for (let length = shortestTag; ; length += 4) {
      const tag = long.slice(0, length);
      const known = values.get(tag);
      if (known === undefined || known === text || length >= long.length) return tag;
    }
  }

  function addLiteral(text: string, name: string): void {
    if (text.length < shortestLiteral || literals.has(text) || literals.size >= maxLiterals) return;
    literals.add(text);
    if (!names.has(text)) names.set(text, name);
    finders = {text: undefined, bytes: undefined};
  }

  return {
    placeholder(text, name) {
      const known = placeholders.get(text);
      if (known !== undefined) return known;
      const tag = tagOf(text);
      const placeholder = placeholderOf(names.get(text) ?? name, tag);
      placeholders.set(text, placeholder);
      values.set(tag, text);
      return placeholder;
    },
    redactEverywhere(value, name) {
      for (const line of value.split(/\r?\n/u)) {
        const plain = line.trim();
        if (!isDistinctive(plain) || literals.has(plain)) continue;
        addLiteral(plain, name);
        for (const {text, suffix} of encodedForms(plain)) addLiteral(text, name + suffix);
      }
    },
    valueOf(placeholder) {
      const [, , tag = ''] = new RegExp(placeholderForm.source, 'u').exec(placeholder) ?? [];
      return values.get(tag);
    },
    nameOf: text => names.get(text) ?? 'VALUE',
    finder(domain) {
      const texts = domain === 'text' ? literals : [...literals].map(asLatin1);
      return (finders[domain] ??= makeLiteralFinder(texts));
    },
  };
}

/** The placeholders in a text, as they stand. */
export const placeholdersIn = (text: string): readonly string[] =>
  text.includes(placeholderStart) ? (text.match(placeholderForm) ?? []) : [];

const asLatin1 = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');

interface EncodedForm {
  readonly text: string;
  readonly suffix: string;
}

function encodedForms(value: string): readonly EncodedForm[] {
  const forms: EncodedForm[] = [];
  const add = (text: string, suffix: string): void => {
    if (text !== value) forms.push({text, suffix});
  };
  if (!value.isWellFormed()) return forms;
  add(JSON.stringify(value).slice(1, -1), '_JSON');
  add(encodeURIComponent(value), '_URL');
  add(value.replaceAll("'", String.raw`'\''`), '_SHELL');
  add(value.replaceAll(/[\\$`"]/gu, String.raw`\$&`), '_SHELL');
  for (const text of base64Forms(value)) {
    add(text, '_BASE64');
    add(text.replaceAll('+', '-').replaceAll('/', '_'), '_BASE64');
  }
  return forms;
}

/** What the base64 of any bytes with this value has in it, for each of the three offsets at which it can begin. */
function base64Forms(value: string): readonly string[] {
  const bytes = Buffer.from(value, 'utf8');
  return [0, 1, 2].map(offset => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
    const first = Math.ceil((offset * 8) / 6);
    return encoded.slice(first, Math.floor(((offset + bytes.length) * 8) / 6));
  });
}
