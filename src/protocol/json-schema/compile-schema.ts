import {Ajv as Ajv07, type ErrorObject, type Options, type ValidateFunction} from 'ajv';
import {Ajv2019} from 'ajv/dist/2019.js';
import {Ajv2020} from 'ajv/dist/2020.js';
import {clip} from '../../base/clip.ts';
import {isJsonObject, type Json, type JsonObject} from '../../base/json.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {BudgetSpent, budgetKeyword, makeBudget, withBudget} from './reference-budget.ts';
import {boundedRegExp, PatternRefused} from './bounded-pattern.ts';

/** Says what of a value does not fit, one line each, at most `mostErrors`; empty when all does. Never throws, ends in bounded time. */
export type SchemaCheck = (value: Json) => readonly string[];

export const mostErrors = 20;
const mostCharacters = 200_000;

/**
 * Makes the check of a JSON Schema: 2020-12 unless `$schema` names draft-06, draft-07 or 2019-09. References lead into the schema
 * itself; nothing is fetched. Formats and keywords that nobody knows hold of everything. The error says why it is no schema.
 *
 * Regular expressions that could take exponential time are given to the engine without the Unicode flag: it must run with V8's
 * linear-time fallback (`--enable-experimental-regexp-engine-on-excessive-backtracks`) for the bound to hold.
 */
export function compileSchema(schema: Json): Outcome<SchemaCheck, string> {
  if (!isJsonObject(schema)) return failed('a schema is a JSON object');
  const {length} = JSON.stringify(schema);
  if (length > mostCharacters) return failed(`it has ${length} characters; ${mostCharacters} are the most`);
  const dialect = dialectOf(schema);
  if (dialect.tag === 'failed') return dialect;
  const budget = makeBudget();
  try {
    const ajv = dialect.value({
      ...options,
      keywords: [{keyword: budgetKeyword, schemaType: 'boolean', validate: budget.spend, errors: false}],
    });
    // Its own dialect has been chosen; other spellings of the name would not be found.
    const {$schema: _dialect, ...body} = schema;
    if (ajv.validateSchema(body) !== true) {
      return failed(
        linesOf(ajv.errors ?? [], 'the schema')
          .slice(0, 3)
          .join('; '),
      );
    }
    const validate = ajv.compile(withBudget(body));
    // Such a one answers with a promise, which is not looked at.
    if ('$async' in validate) return failed('$async is no keyword of JSON Schema');
    return ok(checkBy(validate, budget.begin));
  } catch (cause) {
    return failed(clip(cause instanceof Error ? cause.message : String(cause), 500));
  }
}

const options: Options = {
  strict: false,
  allErrors: true,
  validateFormats: false,
  inlineRefs: false,
  logger: false,
  code: {regExp: boundedRegExp},
};

type MakeAjv = (options: Options) => Ajv07 | Ajv2019 | Ajv2020;

function dialectOf({$schema}: JsonObject): Outcome<MakeAjv, string> {
  if ($schema === undefined) return ok(dialects['2020-12']);
  if (typeof $schema !== 'string') return failed('$schema is not text');
  const [, name = ''] = /^https?:\/\/json-schema\.org\/(?:draft\/)?([^/]+)\/schema#?$/u.exec($schema) ?? [];
  const make = Object.hasOwn(dialects, name) ? dialects[name] : undefined;
  return make === undefined
    ? failed(`its $schema is ${clip($schema, 100)}; weft knows 2020-12, 2019-09, draft-07 and draft-06`)
    : ok(make);
}

const dialects: Readonly<Record<string, MakeAjv>> & {readonly '2020-12': MakeAjv} = {
  '2020-12': given => new Ajv2020(given),
  '2019-09': given => new Ajv2019(given),
  'draft-07': given => new Ajv07(given),
  'draft-06': given => new Ajv07(given),
};

const checkBy =
  (validate: ValidateFunction, begin: () => void): SchemaCheck =>
  value => {
    begin();
    try {
      return validate(value) ? [] : linesOf(validate.errors ?? [], 'the answer');
    } catch (cause) {
      if (cause instanceof BudgetSpent || cause instanceof PatternRefused) return [cause.message];
      if (cause instanceof RangeError) return ['The schema refers to itself without end.'];
      return [`The check broke off: ${cause instanceof Error ? cause.message : String(cause)}`];
    }
  };

function linesOf(errors: readonly ErrorObject[], whole: string): readonly string[] {
  const lines = [...new Set(errors.slice(0, 200).map(error => lineOf(error, whole)))];
  return lines.length > mostErrors
    ? [...lines.slice(0, mostErrors - 1), `and ${lines.length - mostErrors + 1} more`]
    : lines;
}

/** `/items/0/price: must be number`. */
function lineOf({instancePath, message = 'does not fit', params}: ErrorObject, whole: string): string {
  const named = ['additionalProperty', 'unevaluatedProperty', 'propertyName']
    .map(key => (isJsonObject(params) ? params[key] : undefined))
    .find(name => typeof name === 'string');
  const allowed = isJsonObject(params) ? (params['allowedValues'] ?? params['allowedValue']) : undefined;
  const more = [
    ...(named === undefined ? [] : [JSON.stringify(named)]),
    ...(allowed === undefined ? [] : [JSON.stringify(allowed)]),
  ].join(' ');
  return clip(`${instancePath === '' ? whole : instancePath}: ${message}${more === '' ? '' : `: ${more}`}`, 500);
}
