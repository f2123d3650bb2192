import {isJsonList, isJsonObject, type Json, type JsonObject} from '../../base/json.ts';

/** References that one check may follow: a small schema can lead to 2^n of them. */
const mostReferences = 200_000;

/** A keyword of our own, put beside every reference; it counts and holds of everything. */
export const budgetKeyword = 'x-weft-budget';

export class BudgetSpent extends Error {
  override readonly name = 'BudgetSpent';
}

export interface Budget {
  readonly begin: () => void;
  readonly spend: () => boolean;
}

export function makeBudget(): Budget {
  let left = mostReferences;
  return {
    begin: () => {
      left = mostReferences;
    },
    spend: () => {
      left -= 1;
      if (left < 0) throw new BudgetSpent(`The check follows more than ${mostReferences} references of the schema.`);
      return true;
    },
  };
}

/** The schema with the keyword beside every reference. Values that are data (`const`, `enum`, …) stay as they are. */
export const withBudget = (schema: JsonObject): JsonObject => marked(schema);

function marked(schema: JsonObject): JsonObject {
  const entries = Object.entries(schema).map(([key, value]): readonly [string, Json] => {
    if (data.has(key)) return [key, value];
    if (maps.has(key) && isJsonObject(value)) {
      return [key, Object.fromEntries(Object.entries(value).map(([name, member]) => [name, markedValue(member)]))];
    }
    return [key, markedValue(value)];
  });
  const refers = references.some(key => typeof schema[key] === 'string');
  return Object.fromEntries(refers ? [[budgetKeyword, true], ...entries] : entries);
}

function markedValue(value: Json): Json {
  if (isJsonList(value)) return value.map(markedValue);
  return isJsonObject(value) ? marked(value) : value;
}

const references = ['$ref', '$dynamicRef', '$recursiveRef'];
const data: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples', 'required', 'type']);
const maps: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
  'dependencies',
]);
