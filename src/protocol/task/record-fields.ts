import {isJsonList, isJsonObject, type Json, type JsonObject} from '../../base/json.ts';

/**
 * Fields of a message, read the same way from a decoded protobuf message and from JSON: names in snake_case or camelCase, `null`
 * for absent, a list of one without its brackets. A value of another kind than the field's throws a `FieldTypeError`.
 */
export class FieldTypeError extends Error {
  override readonly name: string = 'FieldTypeError';
}

export function objectField(of: JsonObject, name: string): JsonObject | undefined {
  const value = fieldValue(of, name);
  if (value === undefined || isJsonObject(value)) return value;
  throw new FieldTypeError(`"${name}" must be an object`);
}

export function objectListField(of: JsonObject, name: string): readonly JsonObject[] {
  return listOf(of, name).map(value => {
    if (isJsonObject(value)) return value;
    throw new FieldTypeError(`"${name}" must be a list of objects`);
  });
}

/** `''` where it is absent. */
export function textField(of: JsonObject, name: string): string {
  const value = fieldValue(of, name);
  return value === undefined ? '' : asText(value, name);
}

export const textListField = (of: JsonObject, name: string): readonly string[] =>
  listOf(of, name).map(value => asText(value, name));

/** 0 where it is absent. Numbers of 64 bits are text in JSON. */
export function numberField(of: JsonObject, name: string): number {
  const number = Number(fieldValue(of, name) ?? 0);
  if (Number.isFinite(number)) return number;
  throw new FieldTypeError(`"${name}" must be a number`);
}

/** The value as it is; `undefined` where it is absent. */
export const fieldValue = (of: JsonObject, name: string): Json | undefined =>
  of[name] ?? of[camelCase(name)] ?? undefined;

/** Which of the fields of a oneof is set; of several the last one, as protobuf has it. */
export function whichOneOf(of: JsonObject, names: OneOf): string | undefined {
  let found: string | undefined;
  for (const key of Object.keys(of)) {
    const name = names.get(key);
    if (name !== undefined && of[key] !== null && of[key] !== undefined) found = name;
  }
  return found;
}

/** The names of a oneof's fields by both their spellings. */
export type OneOf = ReadonlyMap<string, string>;

export const oneOf = (names: readonly string[]): OneOf =>
  new Map(
    names.flatMap(name => [
      [name, name],
      [camelCase(name), name],
    ]),
  );

export function camelCase(name: string): string {
  let spelled = camelCases.get(name);
  if (spelled === undefined) {
    spelled = name.replaceAll(/_([a-z0-9])/gu, (_match, letter: string) => letter.toUpperCase());
    if (camelCases.size < 1000) camelCases.set(name, spelled);
  }
  return spelled;
}

const camelCases = new Map<string, string>();

export const snakeCase = (name: string): string => name.replaceAll(/[A-Z]/gu, letter => `_${letter.toLowerCase()}`);

function listOf(of: JsonObject, name: string): readonly Json[] {
  const value = fieldValue(of, name);
  if (value === undefined) return [];
  return isJsonList(value) ? value : [value];
}

function asText(value: Json, name: string): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new FieldTypeError(`"${name}" must be text`);
}
