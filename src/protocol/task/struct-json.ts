import {isJsonObject, type Json, type JsonObject} from '../../base/json.ts';
import {camelCase} from './record-fields.ts';

/**
 * A `google.protobuf.Struct` as the JSON object it stands for. JSON that is the object already, as protobuf's own JSON has it,
 * stays as it is.
 */
export function structJson(struct: JsonObject): JsonObject {
  const fields = structFields(struct);
  return fields === undefined ? struct : objectOf(fields);
}

function structFields(struct: JsonObject): JsonObject | undefined {
  const fields = struct['fields'];
  const [only, ...others] = Object.keys(struct);
  if (!isJsonObject(fields) || only !== 'fields' || others.length > 0) return undefined;
  const values = Object.values(fields);
  return values.length > 0 && values.every(isValue) ? fields : undefined;
}

/** Keys may be any text, `__proto__` too. */
const objectOf = (fields: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, valueJson(value)]));

function valueJson(value: Json): Json {
  if (!isJsonObject(value)) return null;
  const [kind] = Object.keys(value).filter(key => kinds.has(key));
  const held = kind === undefined ? undefined : value[kind];
  switch (kind === undefined ? undefined : kinds.get(kind)) {
    case 'struct_value':
      return isJsonObject(held) && isJsonObject(held['fields']) ? objectOf(held['fields']) : {};
    case 'list_value': {
      const values = isJsonObject(held) ? held['values'] : undefined;
      return Array.isArray(values) ? values.map(valueJson) : [];
    }
    case 'null_value':
    case undefined:
      return null;
    default:
      return held ?? null;
  }
}

const kinds: ReadonlyMap<string, string> = new Map(
  ['null_value', 'number_value', 'string_value', 'bool_value', 'struct_value', 'list_value'].flatMap(kind => [
    [kind, kind],
    [camelCase(kind), kind],
  ]),
);

const isValue = (value: Json): boolean =>
  isJsonObject(value) && Object.keys(value).length === 1 && Object.keys(value).every(key => kinds.has(key));
