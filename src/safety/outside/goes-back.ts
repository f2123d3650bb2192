import type {Json, JsonObject} from '../../base/json.ts';
import {placeOf, type TextSource} from './text-source.ts';

/** A call of a tool of an MCP server. `tool` is its name without the server's. */
export interface ServerCall {
  readonly server: string;
  readonly tool: string;
  readonly arguments: JsonObject;
}

/** Returns all texts of a value, in order. */
export const textsOf = (value: Json): readonly string[] =>
  typeof value === 'string'
    ? [value]
    : value === null || typeof value !== 'object'
      ? []
      : (Array.isArray(value) ? value : Object.values(value)).flatMap((each: Json) => textsOf(each));

/** Returns all keys of a value, in order. */
export const keysOf = (value: Json): readonly string[] =>
  value === null || typeof value !== 'object'
    ? []
    : Array.isArray(value)
      ? value.flatMap((each: Json) => keysOf(each))
      : Object.entries(value).flatMap(([key, each]) => [key, ...keysOf(each)]);

/** Matches e-mail addresses, links, hosts and account numbers. */
export const address =
  /[\w.+-]+@[\w-]+(?:\.[\w-]+)+|https?:\/\/[^\s"'<>)]+|\bwww\.[\w.-]+|\b[\w-]+(?:\.[\w-]+)*\.(?:com|net|org|io|dev|app|ai|info|biz|xyz|example|test)\b|\b[A-Z]{2}\d{2}[A-Z\d]{11,}/giu;

const verb = (words: string): RegExp => new RegExp(String.raw`(?:^|[_-])(?:${words})(?:[_-]|[A-Z]|$)`, 'u');
const reads = verb('get|list|read|search|query|find|fetch|look(?:up)?|describe|show|select|count|view');
const runs = verb('run|exec|execute|shell|bash|terminal|command|eval|python|script|code|sql');
const sends = verb(
  'send|post|publish|share|invite|forward|transfer|pay|payment|reply|e?mail|notify|schedule|upload|event|members?|participants?|collaborators?|webhook|grant|permission|message|dm|sms|tweet',
);
const statement = /^\W*(?:insert|update|delete|drop|alter|grant|truncate|copy|call|select\b[^]*\bfrom)\b/iu;

/** Returns the tracker of a host, a program or a server. Empty for others. */
export const trackerOf = (name: string): string =>
  /^(?:gh|hub|(?:mcp__)?github(?:\.com)?(?:$|[_-].*))$/iu.test(name)
    ? 'github'
    : /^(?:glab|(?:mcp__)?gitlab(?:\.com)?(?:$|[_-].*))$/iu.test(name)
      ? 'gitlab'
      : '';

/**
 * True if a text goes back to the server that it came from, to the same place there. A text that the server would run does not go
 * back, nor one in a message to an address that the user did not name.
 */
export function goesBack(
  {source, span}: {readonly source: TextSource; readonly span: string},
  {server, tool, arguments: given}: ServerCall,
  said: readonly string[],
): boolean {
  const tracker = trackerOf(server);
  if (source.name !== server && (tracker === '' || trackerOf(source.host) !== tracker)) return false;
  const texts = textsOf(given);
  const begins = texts.some(text => text.trimStart().startsWith(span.trim().slice(0, leastBeginning)));
  if (begins && (runs.test(tool) || statement.test(span))) return false;
  if (reads.test(tool)) return true;
  const place = placeOf(given);
  if ([...source.place].some(([key, value]) => place.has(key) && place.get(key) !== value)) return false;
  if (!sends.test(tool)) return runs.test(tool) || !span.match(address);
  const known = said.join('\n').toLowerCase();
  return texts.flatMap(text => text.match(address) ?? []).every(each => known.includes(each.toLowerCase()));
}

const leastBeginning = 24;
