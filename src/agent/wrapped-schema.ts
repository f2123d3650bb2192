import {isJsonList, isJsonObject, type Json, type JsonObject} from '../base/json.ts';

/**
 * The schema of an object whose member `value` is what `schema` describes. References into the schema itself are turned to its
 * new place.
 */
export const pointToValue = (schema: JsonObject): JsonObject => ({
  type: 'object',
  properties: {value: turned(schema)},
  required: ['value'],
  additionalProperties: false,
});

function turned(value: Json): Json {
  if (isJsonList(value)) return value.map(turned);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) =>
      key === '$ref' && typeof member === 'string' && /^#(?:\/|$)/u.test(member)
        ? [key, `#/properties/value${member.slice(1)}`]
        : [key, turned(member)],
    ),
  );
}
