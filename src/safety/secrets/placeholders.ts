import {createHmac} from 'node:crypto';
import {type LiteralFinder, makeLiteralFinder, shortestLiteral} from './literal-finder.ts';
import {isDistinctive} from './secret-value.ts';

/** Matches a placeholder for a secret: `[[secret:OPENAI_API_KEY:1f3a9c2b]]`. The name is for people. The tag distinguishes secrets. */
export const placeholderForm = /\[\[secret:([A-Z0-9_]{1,40}):([0-9a-f]{8,64})\]\]/gu;

export const placeholderStart = '[[secret:';

/** The number of hexadecimal digits in a tag. Tags get longer if two secrets would share one. */
const shortestTag = 8;

/** Returns the full tag of a value. It is keyed, so only someone with the key can test a guessed value against a placeholder. */
const longTag = (value: string, key: Uint8Array): string => createHmac('sha256', key).update(value).digest('hex');

const placeholderOf = (name: string, tag: string): string => `${placeholderStart}${cleanName(name)}:${tag}]]`;

/** Returns the name in capitals, with underscores for all characters that are not letters or digits. */
function cleanName(name: string): string {
  const clean = name
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/gu, '_')
    .replaceAll(/^_+|_+$/gu, '')
    .slice(0, 40);
  return clean === '' ? 'VALUE' : clean;
}

/** Returns the names of the secrets whose placeholders are in a text, each once. */
export const secretNamesIn = (text: string): readonly string[] =>
  text.includes(placeholderStart)
    ? [...new Set(Array.from(text.matchAll(placeholderForm), ([, name = '']) => name))]
    : [];

/** The secrets that this process knows, each with its placeholder. They are in memory only. */
export interface PlaceholderRegistry {
  /** Returns the placeholder for a secret text. The placeholder keeps the first name that the text was given. */
  placeholder(text: string, name: string): string;
  /** Redacts a value everywhere from now on, including its forms in base64, URLs, JSON and shell quotes. */
  redactEverywhere(value: string, name: string): void;
  /** Returns the secret for a placeholder, or `undefined` if it is unknown. */
  valueOf(placeholder: string): string | undefined;
  nameOf(text: string): string;
  /** Returns how many texts are redacted everywhere. */
  size(): number;
  /** Returns a finder for the values that are redacted everywhere, in text or in bytes read as Latin-1. */
  finder(domain: 'text' | 'bytes'): LiteralFinder;
}

/** The maximum number of texts that are redacted everywhere. Further values are redacted only if their form is recognized. */
const maxLiterals = 20_000;

/** Makes an empty vault. It calls `key` when the first secret turns up. */
export function makePlaceholderRegistry(key: () => Uint8Array): PlaceholderRegistry {
  const names = new Map<string, string>();
  const placeholders = new Map<string, string>();
  const values = new Map<string, string>();
  const literals = new Set<string>();
  const finders: {text: LiteralFinder | undefined; bytes: LiteralFinder | undefined} = {
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
    finders.text?.add(text);
    finders.bytes?.add(toLatin1(text));
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
    size: () => literals.size,
    finder(domain) {
      return (finders[domain] ??= makeLiteralFinder(domain === 'text' ? literals : [...literals].map(toLatin1)));
    },
  };
}

/** Returns the placeholders in a text. */
export const placeholdersIn = (text: string): readonly string[] =>
  text.includes(placeholderStart) ? (text.match(placeholderForm) ?? []) : [];

const toLatin1 = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');

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

/** Returns the text that the base64 of any bytes with this value contains, for each of its three possible offsets. */
function base64Forms(value: string): readonly string[] {
  const bytes = Buffer.from(value, 'utf8');
  return [0, 1, 2].map(offset => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
    const first = Math.ceil((offset * 8) / 6);
    return encoded.slice(first, Math.floor(((offset + bytes.length) * 8) / 6));
  });
}
