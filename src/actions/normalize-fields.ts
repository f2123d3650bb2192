import {isJsonList, isJsonObject, type Json, type JsonObject, parseJson} from '../base/json.ts';
import {nearestName} from '../base/nearest-name.ts';
import {failed, ok, type Outcome} from '../base/outcome.ts';

/** How a tool reads fields that are not in its schema. */
export interface OtherFields {
  /** Names that other agents use for a field, at every depth. Only names of exactly the same meaning belong here. */
  readonly aliases: Readonly<Record<string, string>>;
  /**
   * Fields that weft does not have, each with the values that request nothing. If one is also an alias of a field, it
   * is ignored only if that field is given.
   */
  readonly ignoredFields: Readonly<Record<string, 'any' | readonly Json[]>>;
}

export interface FieldRules extends OtherFields {
  readonly schema: JsonObject;
  /** The fields that models are offered, which an error lists. */
  readonly offered: readonly string[];
  /** `dropped`: for a call of an earlier session, which ran without the field. */
  readonly unknown: 'refused' | 'dropped';
}

/** Returns the input with the field names of its schema, without null fields. The error names each unknown field. */
export function withKnownFields(input: Json, rules: FieldRules): Outcome<Json, string> {
  const takesObject = isJsonObject(rules.schema) && rules.schema['type'] === 'object';
  const parsed = takesObject && typeof input === 'string' ? parseJson(input) : undefined;
  if (parsed?.tag === 'failed') return failed(`the input must be one JSON object, and is not JSON: ${parsed.error}`);
  const problems: string[] = [];
  const known = normalizeValue(input, {schema: rules.schema, at: '', rules, problems});
  return problems.length === 0 ? ok(known) : failed(problems.join('. '));
}

interface FieldLocation {
  readonly schema: Json | undefined;
  /** The path to the value, with a dot at its end. */
  readonly at: string;
  readonly rules: FieldRules;
  readonly problems: string[];
}

function normalizeValue(value: Json, place: FieldLocation): Json {
  const {schema, at} = place;
  if (!isJsonObject(schema)) return value;
  if (typeof value === 'string') {
    const parsed = parseQuoted(value, schema['type']);
    return typeof parsed === 'object' ? normalizeValue(parsed, place) : parsed;
  }
  if (isJsonList(value))
    return value.map((item, index) => normalizeValue(item, {...place, schema: schema['items'], at: `${at}${index}.`}));
  const {properties} = schema;
  return isJsonObject(value) && isJsonObject(properties) ? normalizeObject(value, properties, place) : value;
}

/** Models put numbers, booleans, lists and objects in quotes. */
function parseQuoted(value: string, type: Json | undefined): Json {
  if (type === 'boolean' && /^(?:true|false)$/u.test(value)) return value === 'true';
  if (type === 'array' || type === 'object') {
    const parsed = parseJson(value);
    const isFitting = parsed.tag === 'ok' && (type === 'array' ? isJsonList : isJsonObject)(parsed.value);
    return isFitting ? parsed.value : value;
  }
  return (type === 'integer' || type === 'number') && /^\d+(?:\.\d+)?$/u.test(value) ? Number(value) : value;
}

function normalizeObject(value: JsonObject, properties: JsonObject, place: FieldLocation): JsonObject {
  const {at, rules, problems} = place;
  const found = new Map<string, {readonly key: string; readonly value: Json}>();
  const unknownKeys: string[] = [];
  for (const [key, given] of Object.entries(value)) {
    if (given === null) continue;
    const name = fieldName(properties, key, rules.aliases);
    const isSpare = name === undefined || (name !== key && (value[name] ?? null) !== null);
    if (isSpare && isIgnorable(key, given, rules)) continue;
    if (name === undefined) {
      unknownKeys.push(key);
      continue;
    }
    const other = found.get(name);
    if (other !== undefined && JSON.stringify(other.value) !== JSON.stringify(given))
      problems.push(`${at}${other.key} and ${at}${key} are the same field and differ. Give one of them`);
    else found.set(name, {key, value: normalizeValue(given, {...place, schema: properties[name], at: `${at}${key}.`})});
  }
  if (rules.unknown === 'refused')
    problems.push(...unknownFieldsText(unknownKeys, at, at === '' ? rules.offered : Object.keys(properties)));
  return Object.fromEntries([...found].map(([name, field]) => [name, field.value]));
}

/** Returns the schema's name for a field: `file_path` for `filePath`. */
export function fieldName(properties: JsonObject, key: string, aliases: OtherFields['aliases']): string | undefined {
  if (Object.hasOwn(properties, key)) return key;
  const simple = simpleName(key);
  const [, other] = Object.entries(aliases).find(([name]) => simpleName(name) === simple) ?? [];
  if (other !== undefined && Object.hasOwn(properties, other)) return other;
  return Object.keys(properties).find(name => simpleName(name) === simple);
}

/** A name of one or two letters may be an option, whose case counts. */
const simpleName = (name: string): string => (name.length < 3 ? name : name.replaceAll(/[_-]/gu, '').toLowerCase());

/** Fields in which models explain a call. */
const remarkFields: ReadonlySet<string> = new Set(['description', 'explanation', 'justification', 'reason']);

/** True for an empty value, a remark, or a value that requests nothing. */
function isIgnorable(key: string, given: Json, {ignoredFields}: OtherFields): boolean {
  if (['""', '[]', '{}'].includes(JSON.stringify(given))) return true;
  // Every call may name its sources (`citations.ts`).
  if (key === 'citations' && isJsonList(given)) return true;
  const idle = Object.hasOwn(ignoredFields, key) ? ignoredFields[key] : undefined;
  const value = typeof given === 'string' ? parseQuoted(given, 'boolean') : given;
  return idle === 'any' || idle?.includes(value) === true || (remarkFields.has(key) && typeof given === 'string');
}

function unknownFieldsText(strangers: readonly string[], at: string, names: readonly string[]): readonly string[] {
  if (strangers.length === 0) return [];
  const named = strangers.map(key => {
    const near = key.length < 3 ? undefined : nearestName(key, names);
    return `${at}${key}${near === undefined ? '' : ` (did you mean ${near}?)`}`;
  });
  const known = names.length === 0 ? 'It takes no fields' : `The fields here are ${names.join(', ')}`;
  return [`there is no field ${named.join(' or ')}. ${known}`];
}
