import {createContext, runInContext, type Context} from 'node:vm';
import {tryOr} from '../../base/outcome.ts';

/** The maximum time for one match, in milliseconds. */
const limitMs = 100;
/** The longest part of a name that is matched, in UTF-16 units. */
const maxLength = 512;
/** The maximum number of results that are cached. */
const maxCached = 1000;

const cache = new Map<string, boolean>();
let context: Context | undefined;

/**
 * True if a hook runs for this name: a tool, or the cause of an event. A matcher of plain names separated by `|` is
 * compared literally. Anything else is a regular expression that is searched in the name. A slow or invalid expression
 * matches, because the hook may guard exactly this call.
 */
export function matchesName(matcher: string, name: string): boolean {
  if (matcher === '' || matcher === '*') return true;
  if (/^[\w|]+$/u.test(matcher)) return matcher.split('|').includes(name);
  const key = JSON.stringify([matcher, name]);
  const known = cache.get(key);
  if (known !== undefined) return known;
  if (cache.size >= maxCached) cache.clear();
  const fits = testWithTimeout(matcher, name.slice(0, maxLength));
  cache.set(key, fits);
  return fits;
}

function testWithTimeout(matcher: string, name: string): boolean {
  const inside = (context ??= createContext(Object.assign(Object.create(null), {matcher: '', name: ''})));
  inside['matcher'] = matcher;
  inside['name'] = name;
  return tryOr(() => runInContext('new RegExp(matcher, "u").test(name)', inside, {timeout: limitMs}) === true, true);
}
