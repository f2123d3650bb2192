import {Ajv as Ajv07, type ErrorObject, type Options, type ValidateFunction} from 'ajv';
import {Ajv2019} from 'ajv/dist/2019.js';
import {Ajv2020} from 'ajv/dist/2020.js';
import {clip} from '../../base/clip.ts';
import {isJsonList, isJsonObject, type Json, type JsonObject} from '../../base/json.ts';
import {failed, ok, type Outcome, tryOr} from '../../base/outcome.ts';

/** The longest text, in UTF-16 units, that is matched by an expression that may read a character more than once. */
const maxTextForRisky = 20_000;
/** The maximum number of ways to match one text that a backtracking expression may try. */
const maxWays = 1_000_000;
/** The maximum number of copies of a repeated group for which the engine can continue without backtracking. */
const maxCopies = 16;

class PatternRefused extends Error {
  override readonly name = 'PatternRefused';
}

/**
 * A regular expression that ends in bounded time. A pattern that could backtrack without bound loses its Unicode
 * flag, so that the engine can continue without backtracking. If the engine can't, the pattern is refused, or only
 * long texts are.
 */
const boundedRegExp = Object.assign(
  (pattern: string, flags: string) => {
    const exact = new RegExp(pattern, flags);
    const linear = toLinearRegExp(pattern, flags);
    const risk = riskOf(pattern);
    if (risk === 'endless' && linear === undefined) {
      throw new PatternRefused(
        `the pattern ${pattern.slice(0, 100)} could run forever: its repetitions can match the same text in many ways. Write a simpler one`,
      );
    }
    const longest =
      risk === 'none' && isFlat(pattern) ? Infinity : linear === undefined ? maxLengthFor(pattern) : maxTextForRisky;
    const expression = risk === 'none' || linear === undefined ? exact : linear;
    return {
      // The library identifies patterns by this text.
      toString: () => String(exact),
      test(text: string): boolean {
        if (text.length <= longest) return expression.test(text);
        throw new PatternRefused(
          `A text of ${text.length} characters is too long for the pattern ${pattern.slice(0, 100)}; the limit is ${longest}.`,
        );
      },
    };
  },
  // The library needs a name for code that it generates into files. weft generates none.
  {code: 'boundedRegExp'},
);

/** Returns a linear-time form of the pattern, or `undefined` if it needs backtracking or has more copies than the engine allows. */
function toLinearRegExp(pattern: string, flags: string): RegExp | undefined {
  if (needsBacktracking.test(pattern) || needsUnicode.test(pattern) || countCopies(pattern) > maxCopies)
    return undefined;
  return tryOr(() => new RegExp(pattern, flags.replace('u', '')), undefined);
}

/**
 * Returns how a pattern can blow up. `endless`: the ways to match grow exponentially with the text's length. `steep`:
 * they grow with the square of the length, or faster.
 */
function riskOf(pattern: string): 'none' | 'steep' | 'endless' {
  if (repeatsGroupWithoutEnd.test(pattern) || countWays(pattern) > maxWays) return 'endless';
  return countUnbounded(pattern) > 2 || countCopies(pattern) > maxCopies ? 'steep' : 'none';
}

/** Counts the longest series of quantifiers without a bound, or with a high one. Each lookaround counts by itself. */
const countUnbounded = (pattern: string): number =>
  Math.max(...pattern.split(lookaround).map(part => (part.match(unbounded) ?? []).length));

/** True if a match can start at only one position and has at most one unbounded choice. */
const isFlat = (pattern: string): boolean =>
  countUnbounded(pattern) === 0 || (pattern.startsWith('^') && countUnbounded(pattern) === 1 && !pattern.includes('|'));

const maxLengthFor = (pattern: string): number =>
  Math.min(maxTextForRisky, Math.floor(1e9 ** (1 / Math.max(1, countUnbounded(pattern)))));

/** Estimates the copies of a group that the engine makes for `(…){n,m}`, including nested ones. The estimate is never too low. */
function countCopies(pattern: string): number {
  let copies = 1;
  for (const [, count = '1', most = ''] of pattern.matchAll(countedGroup))
    copies *= Math.max(Number(count), Number(most));
  if (copies === 1) return 1;
  const inside = [...pattern.matchAll(counted)].map(([, count = '1', most = '']) =>
    Math.max(Number(count), Number(most)),
  );
  return copies * Math.max(1, ...inside);
}

/** Counts the ways to match the content of counted groups: the choices of one repetition to the power of the repetitions. */
function countWays(pattern: string): number {
  let ways = 1;
  for (const [, content = '', count = '1', most = ''] of pattern.matchAll(countedContent)) {
    const ranges = [...content.matchAll(counted)].map(([, from = '0', to = '']) =>
      to === '' ? 1 : Math.max(1, Number(to) - Number(from) + 1),
    );
    const optional = 2 ** (content.match(/(?<!\\|\(|[*+}])\?/gu) ?? []).length;
    const alternatives = (content.match(/(?<!\\)\|/gu) ?? []).length + 1;
    const endless = /(?<!\\)[*+]|\{\d+,\}/u.test(content) ? maxTextForRisky : 1;
    const choices = ranges.reduce((product, range) => product * range, optional * alternatives * endless);
    ways *= choices ** Math.max(Number(count), Number(most));
  }
  // A nested group inside a counted group has an unknown number of ways.
  return /\)[*+?]?[^()]*\)\{\d/u.test(pattern) ? Number.POSITIVE_INFINITY : ways;
}

const repeatsGroupWithoutEnd = /(?<!\\)\)(?:[*+]|\{\d+,\})/u;
const countedGroup = /(?<!\\)\)\{(\d+)(?:,(\d*))?\}/gu;
const countedContent = /\(([^()]*)\)\{(\d+)(?:,(\d+))?\}/gu;
const counted = /(?<!\))\{(\d+)(?:,(\d+))?\}/gu;
const unbounded = /(?<!\\)[*+]|\{\d+,\d*\}/gu;
const lookaround = /\(\?<?[=!]/u;
/** Lookaround and back references. */
const needsBacktracking = /\(\?<?[=!]|\\[1-9]|\\k</u;
const needsUnicode = /\\u\{|\\p\{|\\P\{/u;

/** Returns the errors of a value, one line each, at most `maxErrors`; empty if it is valid. Never throws, and ends in bounded time. */
export type SchemaCheck = (value: Json) => readonly string[];

export const maxErrors = 20;
const maxCharacters = 200_000;

/**
 * Compiles a JSON Schema: 2020-12, unless `$schema` names draft-06, draft-07 or 2019-09. References point into the
 * schema itself; nothing is fetched. Unknown formats and keywords accept everything. The error says why the schema is
 * invalid.
 *
 * Regular expressions that could take exponential time run without the Unicode flag. The process must run with V8's
 * linear-time fallback (`--enable-experimental-regexp-engine-on-excessive-backtracks`) for the bound to hold.
 */
export function compileSchema(schema: Json): Outcome<SchemaCheck, string> {
  if (!isJsonObject(schema)) return failed('a schema is a JSON object');
  const {length} = JSON.stringify(schema);
  if (length > maxCharacters) return failed(`it has ${length} characters; the limit is ${maxCharacters}`);
  const dialect = dialectOf(schema);
  if (dialect.tag === 'failed') return dialect;
  const budget = makeBudget();
  try {
    const ajv = dialect.value({
      ...options,
      keywords: [{keyword: budgetKeyword, schemaType: 'boolean', validate: budget.spend, errors: false}],
    });
    // The dialect is chosen by now, and the library would not find other spellings of its name.
    const {$schema: _dialect, ...body} = schema;
    if (ajv.validateSchema(body) !== true) {
      const lines = errorLinesOf(ajv.errors ?? [], 'the schema');
      return failed(lines.slice(0, 3).join('; '));
    }
    const validate = ajv.compile(withBudget(body));
    // An asynchronous schema returns a promise, which a check can't read.
    if ('$async' in validate) return failed('$async is not a JSON Schema keyword');
    return ok(toSchemaCheck(validate, budget.begin));
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
    ? failed(`its $schema is ${clip($schema, 100)}; weft supports 2020-12, 2019-09, draft-07 and draft-06`)
    : ok(make);
}

const dialects: Readonly<Record<string, MakeAjv>> & {readonly '2020-12': MakeAjv} = {
  '2020-12': given => new Ajv2020(given),
  '2019-09': given => new Ajv2019(given),
  'draft-07': given => new Ajv07(given),
  'draft-06': given => new Ajv07(given),
};

const toSchemaCheck =
  (validate: ValidateFunction, begin: () => void): SchemaCheck =>
  value => {
    begin();
    try {
      return validate(value) ? [] : errorLinesOf(validate.errors ?? [], 'the answer');
    } catch (cause) {
      if (cause instanceof BudgetSpent || cause instanceof PatternRefused) return [cause.message];
      if (cause instanceof RangeError) return ['The schema refers to itself without end.'];
      return [`The check failed: ${cause instanceof Error ? cause.message : String(cause)}`];
    }
  };

function errorLinesOf(errors: readonly ErrorObject[], whole: string): readonly string[] {
  const lines = [...new Set(errors.slice(0, 200).map(error => errorLineOf(error, whole)))];
  return lines.length > maxErrors
    ? [...lines.slice(0, maxErrors - 1), `and ${lines.length - maxErrors + 1} more`]
    : lines;
}

/** Formats an error, such as `/items/0/price: must be number`. */
function errorLineOf({instancePath, message = 'is invalid', params}: ErrorObject, whole: string): string {
  const named = ['additionalProperty', 'unevaluatedProperty', 'propertyName']
    .map(key => (isJsonObject(params) ? params[key] : undefined))
    .find(name => typeof name === 'string');
  const allowed = isJsonObject(params) ? (params['allowedValues'] ?? params['allowedValue']) : undefined;
  const more = [named, allowed].flatMap(detail => (detail === undefined ? [] : [JSON.stringify(detail)])).join(' ');
  return clip(`${instancePath === '' ? whole : instancePath}: ${message}${more === '' ? '' : `: ${more}`}`, 500);
}

/** The maximum number of references that one check may follow: a small schema can lead to 2^n of them. */
const maxReferences = 200_000;

/** weft's own keyword, added next to every reference. It counts references and accepts every value. */
const budgetKeyword = 'x-weft-budget';

class BudgetSpent extends Error {
  override readonly name = 'BudgetSpent';
}

function makeBudget() {
  let left = maxReferences;
  return {
    begin: () => {
      left = maxReferences;
    },
    spend: () => {
      left -= 1;
      if (left < 0) throw new BudgetSpent(`The check needs more than ${maxReferences} references of the schema.`);
      return true;
    },
  };
}

/** Adds the budget keyword next to every reference. Values that are data (`const`, `enum`, …) stay as they are. */
function withBudget(schema: JsonObject): JsonObject {
  const entries = Object.entries(schema).map(([key, value]): readonly [string, Json] => {
    if (data.has(key)) return [key, value];
    if (maps.has(key) && isJsonObject(value)) {
      return [key, Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withBudgetValue(member)]))];
    }
    return [key, withBudgetValue(value)];
  });
  const refers = references.some(key => typeof schema[key] === 'string');
  return Object.fromEntries(refers ? [[budgetKeyword, true], ...entries] : entries);
}

function withBudgetValue(value: Json): Json {
  if (isJsonList(value)) return value.map(withBudgetValue);
  return isJsonObject(value) ? withBudget(value) : value;
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
