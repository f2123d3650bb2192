import {isJsonObject, type Json, type JsonObject} from '../../base/json.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {causeText} from '../../domain/fault.ts';

/** A Markdown file with front matter, the format of skills, commands and agents. */
export interface MarkdownFile {
  /** Every field, known or not. */
  readonly fields: JsonObject;
  /** `none` if the file has no front matter. Then the whole file is the body. */
  readonly frontMatter: 'some' | 'none';
  /** The text after the front matter, without blank lines around it. */
  readonly body: string;
}

/**
 * Reads a file as people write it: with a byte-order mark, any line endings, tabs, or colons in unquoted values. The
 * error says why the front matter can't be read. Front matter without a closing line is an error.
 */
export async function readMarkdownFile(text: string): Promise<Outcome<MarkdownFile, string>> {
  const lines = text
    .replace(/^\uFEFF/u, '')
    .replaceAll(/\r\n?/gu, '\n')
    .split('\n');
  const start = lines.findIndex(line => line.trim() !== '');
  if (start < 0 || !isFence(lines[start])) return ok({fields: {}, frontMatter: 'none', body: lines.join('\n').trim()});
  const end = lines.findIndex((line, at) => at > start && isFence(line));
  if (end < 0) return failed('its front matter has no closing line ---');
  const fields = await readFields(lines.slice(start + 1, end));
  const body = lines
    .slice(end + 1)
    .join('\n')
    .trim();
  return fields.tag === 'ok' ? ok({fields: fields.value, frontMatter: 'some', body}) : fields;
}

const isFence = (line = ''): boolean => /^---\s*$/u.test(line);

/** Reads fields of one plain line each directly, and loads the YAML library for everything else. */
async function readFields(lines: readonly string[]): Promise<Outcome<JsonObject, string>> {
  const plain = readPlainFields(lines);
  if (plain !== undefined) return ok(plain);
  const {parse} = await import('yaml');
  const read = (text: string): Outcome<JsonObject, string> => {
    try {
      const value: unknown = parse(text, {prettyErrors: false, schema: 'core', logLevel: 'error', maxAliasCount: 20});
      const json = toJson(value, 0);
      if (json === null) return ok({});
      return isJsonObject(json) ? ok(json) : failed('its front matter has no fields');
    } catch (cause) {
      return failed(`its front matter is not valid YAML: ${causeText(cause).split('\n')[0] ?? ''}`);
    }
  };
  const asWritten = read(lines.join('\n'));
  if (asWritten.tag === 'ok') return asWritten;
  const quoted = read(lines.map(quoteValue).join('\n'));
  return quoted.tag === 'ok' ? quoted : asWritten;
}

/** Reads lines of the form `key: value` if YAML reads the value as the same text. Returns `undefined` if a line has any other form. */
export function readPlainFields(lines: readonly string[]): JsonObject | undefined {
  const fields: Record<string, Json> = {};
  for (const line of lines) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    const [, key, value] = /^([A-Za-z][\w-]*): +(\S.*?) *$/u.exec(line) ?? [];
    if (key === undefined || value === undefined || Object.hasOwn(fields, key)) return undefined;
    const read = readPlainValue(value);
    if (read === undefined) return undefined;
    fields[key] = read;
  }
  return fields;
}

function readPlainValue(value: string): string | boolean | undefined {
  if (value === 'true' || value === 'false') return value === 'true';
  if (/^"[^"\\\p{Control}]*"$/u.test(value) || /^'[^'\p{Control}]*'$/u.test(value)) return value.slice(1, -1);
  // YAML gives another meaning to text that begins with a sign, looks like a number or a date, or contains `: ` or `
  // #`.
  const isText = /^[A-Za-z][^\p{Control}]*$/u.test(value) && !/:(?: |$)| #/u.test(value);
  return isText && !/^(?:null|true|false|nan|inf|yes|no|on|off)$/iu.test(value) ? value : undefined;
}

/** Puts the value of a line in quotes if YAML would reject it. Tabs at the start of the line become spaces. */
function quoteValue(line: string): string {
  const spaced = line.replace(/^\t+/u, tabs => '  '.repeat(tabs.length));
  const [, key, value] = /^(\s*[\w-]+):[ \t]+(\S.*?)\s*$/u.exec(spaced) ?? [];
  if (
    key === undefined ||
    value === undefined ||
    /^(?:[|>][+-]?\d?|\[[^\]]*\]|\{[^}]*\}|"(?:[^"\\]|\\.)*"|'[^']*')$/u.test(value)
  ) {
    return spaced;
  }
  return `${key}: ${JSON.stringify(value)}`;
}

/** The deepest level that is read; deeper values become `null`. */
const maxDepth = 20;

/** Turns values that JSON doesn't have into text. */
function toJson(value: unknown, depth: number): Json {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (depth > maxDepth) return null;
  if (Array.isArray(value)) return value.map(item => toJson(item, depth + 1));
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object') return null;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, toJson(item, depth + 1)]));
}

/** Returns the first of the named fields that has a value, as text. Returns an empty text if none has a single value. */
export function textField(fields: JsonObject, ...names: readonly string[]): string {
  for (const name of names) {
    const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (typeof value === 'string') return value.trim();
    if (typeof value === 'number' || typeof value === 'boolean') return String(value);
    // YAML reads `[pull-request]` as a list, but people mean it as a hint.
    if (Array.isArray(value) && value.every(item => typeof item === 'string')) return `[${value.join(', ')}]`;
  }
  return '';
}

/** Returns a field that is `true` or `false`, or `undefined` if it is neither. */
export function flagField(fields: JsonObject, name: string): boolean | undefined {
  const text = textField(fields, name).toLowerCase();
  return ['true', 'yes'].includes(text) ? true : ['false', 'no'].includes(text) ? false : undefined;
}

/** Returns a field with rules or tools: a list, or text separated by commas or spaces outside parentheses. */
export function listField(fields: JsonObject, name: string): readonly string[] {
  const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
  const texts = Array.isArray(value)
    ? value.filter(item => typeof item === 'string')
    : typeof value === 'string'
      ? [value]
      : [];
  return texts.flatMap(text => text.match(/(?:[^\s,(]|\((?:[^()]|\([^()]*\))*(?:\)|$))+/gu) ?? []);
}
