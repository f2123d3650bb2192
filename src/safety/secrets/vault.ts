import {makeLiteralFinder, shortestLiteral, type LiteralFinder} from './literal-finder.ts';
import {longTag, placeholderForm, placeholderOf, placeholderStart, shortestTag} from './placeholder.ts';
import {isTelling} from './telling-value.ts';

/** The secrets this process knows, each with the placeholder that stands for it. They are in memory only. */
export interface Vault {
  /** The placeholder of a text that is to be hidden; the first name it was given stays. */
  placeholder(text: string, name: string): string;
  /** Hides a value, and what becomes of it in base64, in addresses and in JSON, wherever it stands from now on. */
  hideEverywhere(value: string, name: string): void;
  /** What a placeholder stands for; `undefined` for one that is not known. */
  valueOf(placeholder: string): string | undefined;
  /** The name under which a text is hidden. */
  nameOf(text: string): string;
  /** Finds what is hidden everywhere, in text or in bytes taken for Latin-1. */
  finder(domain: 'text' | 'bytes'): LiteralFinder;
}

/** Texts that are sought everywhere; beyond that values are hidden only where they are recognised. */
const mostLiterals = 20_000;

/** `key` is asked for when the first secret turns up. */
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

  function seek(text: string, name: string): void {
    if (text.length < shortestLiteral || literals.has(text) || literals.size >= mostLiterals) return;
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
    hideEverywhere(value, name) {
      for (const line of value.split(/\r?\n/u)) {
        const plain = line.trim();
        if (!isTelling(plain) || literals.has(plain)) continue;
        seek(plain, name);
        for (const {text, suffix} of encodedForms(plain)) seek(text, name + suffix);
      }
    },
    valueOf(placeholder) {
      const [, , tag = ''] = new RegExp(placeholderForm.source, 'u').exec(placeholder) ?? [];
      return values.get(tag);
    },
    nameOf: text => names.get(text) ?? 'VALUE',
    finder(domain) {
      const sought = domain === 'text' ? literals : [...literals].map(asLatin1);
      return (finders[domain] ??= makeLiteralFinder(sought));
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

/** What is sure to be in the base64 of any bytes that hold the value, for each of the three places it can begin at. */
function base64Forms(value: string): readonly string[] {
  const bytes = Buffer.from(value, 'utf8');
  return [0, 1, 2].map(offset => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
    const first = Math.ceil((offset * 8) / 6);
    return encoded.slice(first, Math.floor(((offset + bytes.length) * 8) / 6));
  });
}
