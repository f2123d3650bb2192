import {tryOr} from '../../base/outcome.ts';
import {isHarmlessName, secretName} from './secret-name.ts';
import {isDistinctive, isWords, looksRandom} from './secret-value.ts';

/** True if the name is typical of a file for secrets: variables, keys, passwords. Example files are not. */
export function isSecretFile(name: string): boolean {
  const lower = name.toLowerCase();
  return (
    forms.some(form => form.test(lower)) && !/[.-](?:example|sample|template|dist|defaults?|schema|pub)$/u.test(lower)
  );
}

const forms: readonly RegExp[] = [
  /^\.env(?:[.-].+)?$/u,
  /\.env$/u,
  /^\.(?:envrc|flaskenv|dev\.vars|secrets?|npmrc|yarnrc|netrc|pypirc|pgpass|my\.cnf|git-credentials|dockercfg|vault-token|boto|s3cfg)$/u,
  /^_netrc$/u,
  /^(?:secrets?|credentials?)(?:\.(?:json|ya?ml|toml|env|ini|txt))?$/u,
  /^(?:id_(?:rsa|dsa|ecdsa|ed25519)|master\.key|local\.settings\.json|kubeconfig)$/u,
  /\.(?:pem|key|p8|tfvars|pgpass)$/u,
];

/** Returns the words of a command or output that are paths of secret files. */
export function secretFilesIn(text: string): readonly string[] {
  const paths = new Set<string>();
  for (const [word] of text.matchAll(/[^\s"'`;|&<>()=:]{2,500}/gu)) {
    if (paths.size >= maxPaths) break;
    if (isSecretFile(word.slice(word.lastIndexOf('/') + 1))) paths.add(word);
  }
  return [...paths];
}

const maxPaths = 50;

interface NamedValue {
  readonly name: string;
  readonly value: string;
}

/** The maximum number of lines of one file that weft reads. */
const maxLines = 5000;

/**
 * Returns the values in a file of assignments that are or may be secrets: `NAME=value`, `export NAME="value"`, `name: value`, and
 * the formats of `.netrc` and `.npmrc`. Each line of a multi-line value counts separately.
 */
export function valuesOfEnvFile(text: string): readonly NamedValue[] {
  const found: NamedValue[] = [];
  let open: {readonly name: string; readonly quote: string} | undefined;
  for (const line of text.split('\n', maxLines)) {
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
    for (const each of secretPartsOf(shown, value)) found.push({name: shown, value: each});
  }
}

const withEquals = /^\s*(?:export\s+|set\s+)?([\w./:@-]{1,200})\s*=\s*(["'`]?)(.*)$/u;
const withColon = /^\s*["']?([\w.-]{1,200})["']?\s*:\s+(["'`]?)(.*)$/u;

/** True if an environment variable is withheld from commands, because of its name or because it contains a password. */
export const isSecretVariable = (name: string, value: string): boolean =>
  secretName(name.toUpperCase()) !== 'none' || /_CUSTOM_HEADERS$/iu.test(name) || passwordOf(value).length > 0;

/** Returns the secret parts of a variable's value, from such a file or from the environment. */
export function secretPartsOf(name: string, value: string): readonly string[] {
  const password = passwordOf(value);
  if (!isDistinctive(value)) return password;
  if (password.length > 0) return [value, ...password];
  if (secretName(name) !== 'none') return [value];
  if (isHarmlessName(name)) return looksRandom(value) && value.length >= 16 ? [value] : [];
  return isWords(value) && value.length < 20 ? [] : [value];
}

/** Returns the password in a URL if it is distinctive, as written and percent-decoded. */
function passwordOf(value: string): readonly string[] {
  if (!value.includes('://')) return [];
  const [, password = ''] = /^[A-Za-z][\w+.-]*:\/\/[^\s/?#@:]*:([^\s/?#]+)@/u.exec(value) ?? [];
  if (!isDistinctive(password)) return [];
  return tryOr(() => [...new Set([password, decodeURIComponent(password)])], [password]);
}
