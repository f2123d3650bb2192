import {createContext, runInContext, type Context} from 'node:vm';

/** Milliseconds for one look at one name. */
const limitMs = 100;
/** UTF-16 units of a name that are looked at. */
const maxLength = 512;
/** Looks that are remembered. */
const maxKept = 1000;

const kept = new Map<string, boolean>();
let context: Context | undefined;

/**
 * Whether a hook is called for a name: a tool's, or what the event's cause is called. Names with `|` between them are taken as they
 * are; anything else is a regular expression that is looked for in the name. An expression that takes too long fits, since the hook
 * may guard what it was meant for.
 */
export function matcherFits(matcher: string, name: string): boolean {
  if (matcher === '' || matcher === '*') return true;
  if (/^[\w|]+$/u.test(matcher)) return matcher.split('|').includes(name);
  const key = JSON.stringify([matcher, name]);
  const known = kept.get(key);
  if (known !== undefined) return known;
  if (kept.size >= maxKept) kept.clear();
  const fits = testWithin(matcher, name.slice(0, maxLength));
  kept.set(key, fits);
  return fits;
}

function testWithin(matcher: string, name: string): boolean {
  context ??= createContext(Object.assign(Object.create(null), {matcher: '', name: ''}));
  context['matcher'] = matcher;
  context['name'] = name;
  try {
    return runInContext('new RegExp(matcher, "u").test(name)', context, {timeout: limitMs}) === true;
  } catch {
    return true;
  }
}
