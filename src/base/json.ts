import {failed, ok, type Outcome} from './outcome.ts';

/** Any value that JSON can represent. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

/** Parses JSON text. The error is the parser's own message, for a person to read. */
export function parseJson(text: string): Outcome<Json, string> {
  try {
    return ok(JSON.parse(text));
  } catch (cause) {
    return failed(cause instanceof Error ? cause.message : String(cause));
  }
}

/** True if the text is the beginning of JSON whose rest is missing. */
export function isCutJson(text: string): boolean {
  const parsed = parseJson(text);
  if (parsed.tag === 'ok') return false;
  const position = / at position (\d+)/u.exec(parsed.error)?.[1];
  return position === undefined ? parsed.error.includes('end of JSON') : Number(position) === text.length;
}

/** True if `value` is a JSON object (not an array, not null). */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** True if `value` is a JSON array. `Array.isArray` does not narrow a readonly array: it makes it `any[]`. */
export const isJsonList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);

/** Returns the value as a text, an object or a list. A value of any other type counts as empty. */
export const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '');
export const objectOf = (value: unknown): JsonObject => (isJsonObject(value) ? value : {});
export const listOf = (value: Json | undefined): readonly Json[] => (isJsonList(value) ? value : []);

/** Returns all texts in a value, at any depth. */
export function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/**
 * Writes a value as JSON text in one line. Unicode's own line breaks are escaped: JSON allows them unescaped, but a reader that
 * splits text into lines by Unicode's rules would cut the line in two.
 */
export const jsonText = (value: object): string => JSON.stringify(value).replaceAll(lineBreaks, escapeOf);

const lineBreaks = /[\u0085\u2028\u2029]/gu;

const escapeOf = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** The deepest nesting that weft accepts in a tool call's input. The catalog's own inputs have four levels. */
export const maxJsonDepth = 100;

/**
 * True if objects or arrays nest more than `levels` deep in `value`. Works without recursion: `JSON.parse` accepts any
 * depth, but code that walks the value afterwards (`JSON.stringify` too) would overflow the stack.
 */
export function isDeeperThan(value: Json, levels: number): boolean {
  let level: readonly Json[] = [value];
  for (let depth = 0; depth <= levels; depth += 1) {
    level = level.flatMap(childrenOf);
    if (level.length === 0) return false;
  }
  return true;
}

/** Returns the values inside an object or array; none for anything else. */
function childrenOf(value: Json): readonly Json[] {
  return typeof value === 'object' && value !== null ? Object.values(value) : [];
}

/** True if two JSON values are equal, regardless of the order of keys. */
export function sameJson(a: Json, b: Json): boolean {
  if (isJsonObject(a) && isJsonObject(b)) {
    const keys = Object.keys(a);
    return (
      keys.length === Object.keys(b).length &&
      keys.every(key => Object.hasOwn(b, key) && sameJson(a[key] ?? null, b[key] ?? null))
    );
  }
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item: Json, at) => sameJson(item, b[at] ?? null));
  }
  return a === b;
}
