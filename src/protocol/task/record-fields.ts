import {isJsonList, isJsonObject, type Json, type JsonObject} from '../../base/json.ts';
import {camelCase, oneOfNames, type OneOf} from './task-schema.ts';

/**
 * Reads fields of a message in the same way from decoded protobuf and from JSON: names in snake_case or camelCase,
 * `null` as absent, a list of one without brackets. A value of the wrong type throws a `FieldTypeError`.
 */
export class FieldTypeError extends Error {
  override readonly name: string = 'FieldTypeError';
}

/** Returns the unchanged value, or `undefined` if it is absent. */
export const fieldValue = (of: JsonObject, name: string): Json | undefined =>
  of[name] ?? of[camelCase(name)] ?? undefined;

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

/** Returns the text of a field, or `''` if it is absent. */
export function textField(of: JsonObject, name: string): string {
  const value = fieldValue(of, name);
  return value === undefined ? '' : toText(value, name);
}

/** Returns the number in a field, or 0 if it is absent. JSON writes 64-bit numbers as text. */
export function numberField(of: JsonObject, name: string): number {
  const number = Number(fieldValue(of, name) ?? 0);
  if (Number.isFinite(number)) return number;
  throw new FieldTypeError(`"${name}" must be a number`);
}

export const textListField = (of: JsonObject, name: string): readonly string[] =>
  listOf(of, name).map(value => toText(value, name));

function listOf(of: JsonObject, name: string): readonly Json[] {
  const value = fieldValue(of, name);
  if (value === undefined) return [];
  return isJsonList(value) ? value : [value];
}

function toText(value: Json, name: string): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new FieldTypeError(`"${name}" must be text`);
}

/** Returns the field of a oneof that is set. As in protobuf, the last of several counts. */
export function whichOneOf(of: JsonObject, names: OneOf): string | undefined {
  let found: string | undefined;
  for (const key of Object.keys(of)) {
    const name = names.get(key);
    if (name !== undefined && of[key] !== null && of[key] !== undefined) found = name;
  }
  return found;
}

/** Reads a part of a message from a record in the schema's names, and writes it back. */
export interface Part<Value> {
  read(of: JsonObject): Value;
  write(value: Value): JsonObject;
}

export type ValueOf<P extends Part<unknown>> = ReturnType<P['read']>;

export const text = (name: string, camel = camelCase(name)): Part<string> => ({
  read: of => toText(of[name] ?? of[camel] ?? '', name),
  write: value => ({[name]: value}),
});

export const number = (name: string): Part<number> => ({
  read: of => numberField(of, name),
  write: value => ({[name]: value}),
});

/** A message in a field. An absent message is read as an empty one. */
export const within = <Value>(name: string, part: Part<Value>): Part<Value> => ({
  read: of => part.read(objectField(of, name) ?? {}),
  write: value => ({[name]: part.write(value)}),
});

export const listOfMessages = <Value>(name: string, part: Part<Value>): Part<readonly Value[]> => ({
  read: of => objectListField(of, name).map(one => part.read(one)),
  write: values => ({[name]: values.map(value => part.write(value))}),
});

/** A part that is written only if it is not empty. */
export const unlessEmpty = (part: Part<string>): Part<string> => ({
  read: of => part.read(of),
  write: value => (value === '' ? {} : part.write(value)),
});

type Parts = Readonly<Record<string, Part<unknown>>>;
type Values<P extends Parts> = {readonly [Key in keyof P]: ReturnType<P[Key]['read']>};

/** A message as an object with one member for each part. The members in `constants` are not written. */
export function message<P extends Parts, Constants extends object = object>(
  parts: P,
  constants?: Constants,
): Part<Constants & Values<P>> {
  const entries = Object.entries(parts);
  return {
    read(of) {
      const made: Record<string, unknown> = {...constants};
      for (const [key, part] of entries) made[key] = part.read(of);
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each member is what its part has read
      return made as Constants & Values<P>;
    },
    write(value) {
      const record: {[name: string]: Json} = {};
      for (const key in parts) Object.assign(record, parts[key]?.write(value[key]));
      return record;
    },
  };
}

/** A field of a oneof, as an object with a `kind`. */
interface Variant<Value> {
  readonly kind: string;
  read(of: JsonObject, name: string): Value;
  write(value: Value): JsonObject;
}

export function variant<const Kind extends string, P extends Parts>(
  kind: Kind,
  parts: P,
): Variant<{readonly kind: Kind} & Values<P>> {
  const body = message(parts, {kind});
  return {kind, read: (of, name) => body.read(objectField(of, name) ?? {}), write: value => body.write(value)};
}

/** A field whose content weft ignores. */
export const marker = <const Kind extends string>(kind: Kind): Variant<{readonly kind: Kind}> => ({
  kind,
  read: () => ({kind}),
  write: () => ({}),
});

/** The field of a oneof that is set. `other` is a field without a variant here; its `field` is written empty. */
export function oneOf<
  Variants extends Readonly<Record<string, Variant<{readonly kind: string}>>>,
  Other extends {readonly kind: string; readonly field?: string},
>(
  [type, oneof]: readonly [type: string, oneof: string],
  variants: Variants,
  other: (field: string, of: JsonObject) => Other,
): Part<ReturnType<Variants[keyof Variants]['read']> | Other> {
  const names = oneOfNames(type, oneof);
  const fields = new Map(Object.entries(variants).map(([name, {kind}]) => [kind, name]));
  return {
    read(of) {
      const name = whichOneOf(of, names()) ?? '';
      const {[name]: found} = variants;
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the variant has read
      return (found?.read(of, name) ?? other(name, of)) as ReturnType<Variants[keyof Variants]['read']>;
    },
    write(value: {readonly kind: string; readonly field?: string}) {
      const name = fields.get(value.kind) ?? '';
      const {[name]: found} = variants;
      if (found !== undefined) return {[name]: found.write(value)};
      const {field = ''} = value;
      return field === '' ? {} : {[field]: {}};
    },
  };
}
