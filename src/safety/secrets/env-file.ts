import {isPlainName, secretName} from './secret-name.ts';
import {isTelling, isWordy, looksRandom} from './telling-value.ts';

/** A value and the name it goes by. */
export interface NamedValue {
  readonly name: string;
  readonly value: string;
}

/** Lines of one file that are looked at. */
const mostLines = 5000;

/**
 * The values of a file of assignments that are secrets, or may be: `NAME=value`, `export NAME="value"`, `name: value`, and what
 * `.netrc` and `.npmrc` have. Values over several lines count line by line.
 */
export function valuesOfEnvFile(text: string): readonly NamedValue[] {
  const found: NamedValue[] = [];
  let open: {readonly name: string; readonly quote: string} | undefined;
  for (const line of text.split('\n', mostLines)) {
    if (open !== undefined) {
      const end = line.indexOf(open.quote);
      take(open.name, end < 0 ? line : line.slice(0, end));
      if (end >= 0) open = undefined;
      continue;
    }
    const [, name, quote = '', rest = ''] = withEquals.exec(line) ?? withColon.exec(line) ?? [];
    if (name === undefined) {
      for (const [, value = ''] of line.matchAll(/\bpassword\s+(\S+)/gu)) take('PASSWORD', value);
      continue;
    }
    const end = quote === '' ? -1 : rest.indexOf(quote);
    if (quote !== '' && end < 0) {
      take(name, rest);
      open = {name, quote};
    } else {
      take(name, quote === '' ? rest.replace(/\s+#.*$/u, '').trim() : rest.slice(0, end));
    }
  }
  return found;

  function take(name: string, value: string): void {
    const shown = name.replace(/^.*:_/u, '');
    for (const each of secretsIn(shown, value)) found.push({name: shown, value: each});
  }
}

const withEquals = /^\s*(?:export\s+|set\s+)?([\w./:@-]{1,200})\s*=\s*(["'`]?)(.*)$/u;
const withColon = /^\s*["']?([\w.-]{1,200})["']?\s*:\s+(["'`]?)(.*)$/u;

/** Whether a variable of the environment is withheld from commands because of its name, or holds a password. */
export const isSecretVariable = (name: string, value: string): boolean =>
  secretName(name.toUpperCase()) !== 'none' || passwordOf(value).length > 0;

/** What of the value of a variable in such a file, or of the environment, is secret. */
export function secretsIn(name: string, value: string): readonly string[] {
  const password = passwordOf(value);
  if (!isTelling(value)) return password;
  if (password.length > 0) return [value, ...password];
  if (secretName(name) !== 'none') return [value];
  if (isPlainName(name)) return looksRandom(value) && value.length >= 16 ? [value] : [];
  return isWordy(value) && value.length < 20 ? [] : [value];
}

/** The password of an address that holds one, where it tells something; percent signs as they stand and resolved. */
function passwordOf(value: string): readonly string[] {
  if (!value.includes('://')) return [];
  const [, password = ''] = /^[A-Za-z][\w+.-]*:\/\/[^\s/?#@:]*:([^\s/?#]+)@/u.exec(value) ?? [];
  if (!isTelling(password)) return [];
  try {
    return [...new Set([password, decodeURIComponent(password)])];
  } catch {
    return [password];
  }
}
