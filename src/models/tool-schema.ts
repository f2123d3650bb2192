import {isJsonList, isJsonObject, type Json, type JsonObject, listOf} from '../base/json.ts';
import {unreachable} from '../base/unreachable.ts';

/** The JSON schemas that a provider accepts for tools. */
export type SchemaRule = 'gemini' | 'moonshot' | 'no-patterns';

/** Returns the nearest schema that the provider accepts: the schema itself if it is accepted. */
export function toolSchema(schema: JsonObject, rule: SchemaRule): JsonObject {
  switch (rule) {
    case 'gemini':
      return mapped(schema, constAsEnum);
    case 'moonshot':
      return mapped(schema, moonshotSchema);
    case 'no-patterns':
      return mapped(schema, ({pattern: _pattern, format: _format, ...rest}) => rest);
    default:
      return unreachable(rule);
  }
}

/** Keywords whose value is a schema, a list of schemas, or schemas by name. */
const single = ['items', 'additionalProperties', 'not', 'contains', 'propertyNames', 'if', 'then', 'else'];
const listed = ['anyOf', 'oneOf', 'allOf', 'prefixItems'];
const named = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'];

/** Changes every schema inside `schema`, innermost first. Keeps properties that have the name of a keyword. */
function mapped(schema: JsonObject, change: (schema: JsonObject) => JsonObject): JsonObject {
  const inner = (value: Json): Json => (isJsonObject(value) ? mapped(value, change) : value);
  const entries = Object.entries(schema).map(([key, value]): [string, Json] => {
    if (single.includes(key)) return [key, inner(value)];
    if (listed.includes(key) && isJsonList(value)) return [key, value.map(inner)];
    if (!named.includes(key) || !isJsonObject(value)) return [key, value];
    return [key, Object.fromEntries(Object.entries(value).map(([name, each]) => [name, inner(each)]))];
  });
  return change(Object.fromEntries(entries));
}

function constAsEnum({const: value, ...rest}: JsonObject): JsonObject {
  return value === undefined ? rest : {...rest, enum: [value]};
}

/**
 * Kimi: no boolean schemas, no `$schema`, `$ref` without other keywords, no null among strings, and no keyword both
 * beside and inside `anyOf`.
 */
function moonshotSchema({$schema: _schema, ...given}: JsonObject): JsonObject {
  if (given['$ref'] !== undefined) return {$ref: given['$ref']};
  const alternatives = listOf(given['anyOf']).filter(isJsonObject);
  const inside = new Set(alternatives.flatMap(each => Object.keys(each)));
  const entries = Object.entries(given).flatMap(([key, value]): [string, Json][] => {
    if (inside.has(key)) return [];
    if (key === 'items' && typeof value === 'boolean') return [[key, {}]];
    if (key === 'anyOf' && isJsonList(value)) return [[key, value.filter(isJsonObject)]];
    if (key === 'enum' && given['type'] === 'string') return [[key, listOf(value).filter(each => each !== null)]];
    if (key !== 'properties' || !isJsonObject(value)) return [[key, value]];
    const properties = Object.entries(value).map(([name, each]) => [name, typeof each === 'boolean' ? {} : each]);
    return [[key, Object.fromEntries(properties)]];
  });
  return Object.fromEntries(entries);
}
