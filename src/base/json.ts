import {failed, ok, type Outcome} from './outcome.ts';

/** Any value JSON can carry. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

/** Parses JSON text; the error is the parser's own message, for a person to read. */
export function parseJson(text: string): Outcome<Json, string> {
  try {
    return ok(JSON.parse(text));
  } catch (cause) {
    return failed(cause instanceof Error ? cause.message : String(cause));
  }
}

/** Whether `value` is a JSON object (not an array, not null). */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether it is a JSON array; `Array.isArray` makes `any` of a list that cannot be written to. */
export const isJsonList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);

/**
 * A value as JSON text in one line. Line breaks of Unicode are escaped: JSON allows them as they are, but readers that split text
 * by Unicode's rules would cut the line in two.
 */
export const jsonText = (value: object): string => JSON.stringify(value).replaceAll(lineBreaks, escapeOf);

const lineBreaks = /[\u0085\u2028\u2029]/gu;

const escapeOf = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
