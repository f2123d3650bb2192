import {Ajv as Ajv07, type ErrorObject, type Options, type ValidateFunction} from 'ajv';
import {Ajv2019} from 'ajv/dist/2019.js';
import {Ajv2020} from 'ajv/dist/2020.js';
import {clip} from '../../base/clip.ts';
import {isJsonList, isJsonObject, type Json, type JsonObject} from '../../base/json.ts';
import {failed, ok, type Outcome, tryOr} from '../../base/outcome.ts';

/** Text longer than this is matched only by an expression that looks at every character once. */
const maxMatched = 20_000;
/** Ways to match one text that a backtracking expression may try. */
const maxWays = 1_000_000;
/** Copies of a repeated group up to which the engine can go on without backtracking. */
const maxCopies = 16;

class PatternRefused extends Error {
  override readonly name = 'PatternRefused';
}

/**
 * A regular expression that ends in bounded time. One that could backtrack without measure loses its Unicode flag, so that the
 * engine can go on without backtracking; where the engine cannot, the pattern is refused, or the text where it is long.
 */
const boundedRegExp = Object.assign(
  (pattern: string, flags: string) => {
    const exact = new RegExp(pattern, flags);
    const linear = linearForm(pattern, flags);
    const risk = riskOf(pattern);
    if (risk === 'endless' && linear === undefined) {
      throw new PatternRefused(
        `the pattern ${pattern.slice(0, 100)} could take for ever: it repeats what can repeat. Write a simpler one`,
      );
    }
    const longest =
      risk === 'none' && isFlat(pattern) ? Infinity : linear === undefined ? longestFor(pattern) : maxMatched;
    const expression = risk === 'none' || linear === undefined ? exact : linear;
    return {
      // The library tells patterns apart by this.
      toString: () => String(exact),
      test(text: string): boolean {
        if (text.length <= longest) return expression.test(text);
        throw new PatternRefused(
          `A text of ${text.length} characters is too long for the pattern ${pattern.slice(0, 100)}; ${longest} are the most.`,
        );
      },
    };
  },
  // What the library would write into code that it makes for files; weft makes none.
  {code: 'boundedRegExp'},
);

/** `undefined` if the pattern needs what only backtracking does, or copies more than the engine takes. */
function linearForm(pattern: string, flags: string): RegExp | undefined {
  if (needsBacktracking.test(pattern) || needsUnicode.test(pattern) || copiesOf(pattern) > maxCopies) return undefined;
  return tryOr(() => new RegExp(pattern, flags.replace('u', '')), undefined);
}

/** `endless`: the ways to match grow with the power of the text's length. `steep`: with a square of it or more. */
function riskOf(pattern: string): 'none' | 'steep' | 'endless' {
  if (repeatsGroupWithoutEnd.test(pattern) || waysOfCounted(pattern) > maxWays) return 'endless';
  return unboundedIn(pattern) > 2 || copiesOf(pattern) > maxCopies ? 'steep' : 'none';
}

/** The most quantifiers without an end, or with a far one, that follow each other; what is looked ahead for counts by itself. */
const unboundedIn = (pattern: string): number =>
  Math.max(...pattern.split(lookaround).map(part => (part.match(unbounded) ?? []).length));

/** One beginning, and at most one place where it can go on or not. */
const isFlat = (pattern: string): boolean =>
  unboundedIn(pattern) === 0 || (pattern.startsWith('^') && unboundedIn(pattern) === 1 && !pattern.includes('|'));

const longestFor = (pattern: string): number =>
  Math.min(maxMatched, Math.floor(1e9 ** (1 / Math.max(1, unboundedIn(pattern)))));

/** Copies of a group that the engine makes for `(…){n,m}`, those inside of it counted in; too many rather than too few. */
function copiesOf(pattern: string): number {
  let copies = 1;
  for (const [, count = '1', most = ''] of pattern.matchAll(countedGroup))
    copies *= Math.max(Number(count), Number(most));
  if (copies === 1) return 1;
  const inside = [...pattern.matchAll(counted)].map(([, count = '1', most = '']) =>
    Math.max(Number(count), Number(most)),
  );
  return copies * Math.max(1, ...inside);
}

/** Ways to match what stands in groups that are repeated so many times: the choices of one time to the power of the times. */
function waysOfCounted(pattern: string): number {
  let ways = 1;
  for (const [, content = '', count = '1', most = ''] of pattern.matchAll(countedContent)) {
    const ranges = [...content.matchAll(counted)].map(([, from = '0', to = '']) =>
      to === '' ? 1 : Math.max(1, Number(to) - Number(from) + 1),
    );
    const optional = 2 ** (content.match(/(?<!\\|\(|[*+}])\?/gu) ?? []).length;
    const alternatives = (content.match(/(?<!\\)\|/gu) ?? []).length + 1;
    const endless = /(?<!\\)[*+]|\{\d+,\}/u.test(content) ? maxMatched : 1;
    const choices = ranges.reduce((product, range) => product * range, optional * alternatives * endless);
    ways *= choices ** Math.max(Number(count), Number(most));
  }
  // A group in a group that is counted: what its content comes to is not looked into.
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

/** Says what of a value does not fit, one line each, at most `maxErrors`; empty when all does. Never throws, ends in bounded time. */
export type SchemaCheck = (value: Json) => readonly string[];

export const maxErrors = 20;
const maxCharacters = 200_000;

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
  if (length > maxCharacters) return failed(`it has ${length} characters; ${maxCharacters} are the most`);
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
      const lines = linesOf(ajv.errors ?? [], 'the schema');
      return failed(lines.slice(0, 3).join('; '));
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
  return lines.length > maxErrors
    ? [...lines.slice(0, maxErrors - 1), `and ${lines.length - maxErrors + 1} more`]
    : lines;
}

/** `/items/0/price: must be number`. */
function lineOf({instancePath, message = 'does not fit', params}: ErrorObject, whole: string): string {
  const named = ['additionalProperty', 'unevaluatedProperty', 'propertyName']
    .map(key => (isJsonObject(params) ? params[key] : undefined))
    .find(name => typeof name === 'string');
  const allowed = isJsonObject(params) ? (params['allowedValues'] ?? params['allowedValue']) : undefined;
  const more = [named, allowed].flatMap(told => (told === undefined ? [] : [JSON.stringify(told)])).join(' ');
  return clip(`${instancePath === '' ? whole : instancePath}: ${message}${more === '' ? '' : `: ${more}`}`, 500);
}

/** References that one check may follow: a small schema can lead to 2^n of them. */
const maxReferences = 200_000;

/** A keyword of our own, put beside every reference; it counts and holds of everything. */
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
      if (left < 0) throw new BudgetSpent(`The check follows more than ${maxReferences} references of the schema.`);
      return true;
    },
  };
}

/** The schema with the keyword beside every reference. Values that are data (`const`, `enum`, …) stay as they are. */
function withBudget(schema: JsonObject): JsonObject {
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
