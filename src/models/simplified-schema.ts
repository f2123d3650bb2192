import {isJsonObject, type Json, type JsonObject, isJsonList, listOf, objectOf} from '../base/json.ts';

/**
 * Returns a JSON Schema that every known provider accepts, with only types, properties, items, enums and descriptions.
 * It permits more than the original, so weft checks the input against the original.
 */
export const simplifiedSchema = (root: JsonObject): JsonObject => ({
  ...simplified(root, definitionsOf(root), 0),
  type: 'object',
});

const definitionsOf = (root: JsonObject): JsonObject => ({
  ...objectOf(root['definitions']),
  ...objectOf(root['$defs']),
});

/** The maximum number of nested levels, because definitions may refer to themselves. */
const maxDepth = 12;

function simplified(schema: Json | undefined, definitions: JsonObject, depth: number): JsonObject {
  if (!isJsonObject(schema) || depth > maxDepth) return {};
  const reference = typeof schema['$ref'] === 'string' ? definitions[schema['$ref'].replace(/^.*\//u, '')] : undefined;
  const whole = joined([schema, reference, ...listOf(schema['allOf']), ...alternative(schema)]);
  const inner = (value: Json | undefined): JsonObject => simplified(value, definitions, depth + 1);
  const type = isJsonList(whole['type']) ? whole['type'].find(name => name !== 'null') : whole['type'];
  const values = (whole['const'] === undefined ? listOf(whole['enum']) : [whole['const']]).filter(
    value => value !== null,
  );
  const properties = isJsonObject(whole['properties'])
    ? Object.fromEntries(Object.entries(whole['properties']).map(([name, value]) => [name, inner(value)]))
    : undefined;
  const required = listOf(whole['required']).filter(
    name => typeof name === 'string' && properties?.[name] !== undefined,
  );
  return {
    ...(typeof type === 'string' ? {type} : {}),
    ...(typeof whole['description'] === 'string' ? {description: whole['description']} : {}),
    // Some providers accept only texts as the values of an enum.
    ...(values.length > 0 && values.every(value => typeof value === 'string') ? {type: 'string', enum: values} : {}),
    ...(properties === undefined ? {} : {properties}),
    ...(required.length === 0 ? {} : {required}),
    ...(type === 'array' ? {items: isJsonObject(whole['items']) ? inner(whole['items']) : {type: 'string'}} : {}),
  };
}

/** Returns the properties of all alternatives, none of them required. If no alternative has properties, returns the first alternative. */
function alternative(schema: JsonObject): readonly Json[] {
  const all = [...listOf(schema['anyOf']), ...listOf(schema['oneOf'])]
    .filter(isJsonObject)
    .filter(({type}) => type !== 'null');
  const objects = all.filter(({properties}) => isJsonObject(properties));
  if (objects.length > 0) return objects.map(({properties = {}}) => ({type: 'object', properties}));
  return all.slice(0, 1);
}

/** Returns one schema with the properties of all. Earlier schemas override later ones. */
function joined(schemas: readonly (Json | undefined)[]): JsonObject {
  const objects = schemas.filter(isJsonObject);
  const properties = objects.map(({properties: given}) => objectOf(given));
  const all: JsonObject = Object.assign({}, ...objects.toReversed());
  return properties.some(given => Object.keys(given).length > 0)
    ? {...all, properties: Object.assign({}, ...properties.toReversed())}
    : all;
}
