import {isSecretVariable, secretPartsOf, valuesOfEnvFile} from './secret-files.ts';
import {asText, findSecrets, isInsideKey} from './find-secrets.ts';
import {shortestLiteral} from './literal-finder.ts';
import {makeVault, placeholderForm, placeholdersIn, placeholderStart, type Vault} from './placeholders.ts';
import type {FoundSecret} from './secret-forms.ts';

/** Redacts secrets in whatever leaves this machine or is stored, and restores them where a command or edit needs them. */
export interface Redactor {
  /** Replaces secrets by placeholders. The number of lines stays, and so do placeholders that are there already. */
  readonly redact: (text: string) => string;
  /** Replaces placeholders by their secrets; placeholders that this process does not know stay. */
  readonly restore: (text: string) => string;
  /** What one placeholder stands for, `undefined` when it is not known. */
  readonly valueOf: (placeholder: string) => string | undefined;
  /** The placeholders in a text that this process does not know. */
  readonly unknownPlaceholders: (text: string) => readonly string[];
  /** Makes a filter that redacts the output of one command as it comes. */
  readonly filter: () => ReturnType<typeof makeOutputFilter>;
  /** Redacts this value everywhere from now on. */
  readonly addSecret: (value: string, name: string) => void;
  /** Reads files of secrets that are new or have changed, also those that `paths` name. */
  readonly refresh: (paths: readonly string[]) => void;
}

/** Files whose names say that they hold secrets (`.env`, `id_rsa`, …). Every answer has only those that are new or have changed since. */
interface SecretFiles {
  /** The files that lie directly in the roots of the workspace. */
  inRoots(): readonly SecretFile[];
  /** The files in folders further down too, and those of `paths` that have such names. */
  everywhere(paths: readonly string[]): readonly SecretFile[];
}

interface SecretFile {
  readonly path: string;
  readonly text: string;
}

/** How many rounds are made until nothing more is found: a secret that is recognised in one place is then looked for in all. */
const maxRounds = 5;

export function makeRedactor(options: {
  /** Variables whose names or values say that they are secret are redacted. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly files: SecretFiles;
  /** Returns the key for the tags; called when the first secret turns up. The same key gives the same placeholders. */
  readonly key: () => Uint8Array;
}): Redactor {
  const vault = makeVault(options.key);
  let begun = false;

  function begin(): void {
    if (begun) return;
    begun = true;
    for (const [name, value = ''] of Object.entries(options.environment)) {
      if (value.length < shortestLiteral || !isSecretVariable(name, value)) continue;
      for (const secret of secretPartsOf(name, value)) vault.redactEverywhere(secret, name);
    }
    learn(options.files.inRoots());
  }

  function learn(files: readonly SecretFile[]): void {
    for (const {text} of files) {
      for (const {name, value} of valuesOfEnvFile(text)) vault.redactEverywhere(value, name);
      findSecrets({text, domain: 'text', end: 'closed'}, vault);
    }
  }

  return {
    redact(text) {
      begin();
      let current = text;
      for (let round = 0; round < maxRounds; round += 1) {
        const {found} = findSecrets({text: current, domain: 'text', end: 'closed'}, vault);
        if (found.length === 0) break;
        let done = 0;
        let next = '';
        for (const {from, to, name} of found) {
          next += current.slice(done, from) + vault.placeholder(current.slice(from, to), name);
          done = to;
        }
        current = next + current.slice(done);
      }
      return current;
    },
    restore: text =>
      text.includes(placeholderStart)
        ? text.replaceAll(placeholderForm, placeholder => vault.valueOf(placeholder) ?? placeholder)
        : text,
    valueOf: placeholder => vault.valueOf(placeholder),
    unknownPlaceholders: text => placeholdersIn(text).filter(placeholder => vault.valueOf(placeholder) === undefined),
    filter() {
      begin();
      return makeOutputFilter(vault);
    },
    addSecret(value, name) {
      begin();
      vault.redactEverywhere(value, name);
    },
    refresh(paths) {
      begin();
      learn(options.files.everywhere(paths));
    },
  };
}

/** How many units before the new ones are looked at again: names, and what stands right before a key. */
const contextLength = 256;

/** How many bytes are held back at most; what may be the beginning of a longer secret is passed on. */
const longestHeld = 32_000;

const keyContext = '-----BEGIN PRIVATE KEY-----\n';

/**
 * Redacts secrets in bytes as they come, wherever these are divided. The bytes are read as Latin-1, so that any of them pass unchanged.
 * Only what may be the beginning of a secret is held back. A pause releases a beginning that is too short to give something away. It
 * stays in the context, so the rest of the secret is redacted when it comes.
 */
function makeOutputFilter(vault: Vault) {
  /** The last output that was passed on, with secrets redacted. */
  let context = '';
  let held = '';

  function take(more: string, ending: 'open' | 'paused' | 'closed'): Uint8Array {
    const text = context + held + more;
    const {found, openFrom} = findSecrets({text, domain: 'bytes', end: ending === 'closed' ? 'closed' : 'open'}, vault);
    const isShort = ending === 'paused' && text.length - openFrom < shortestCut;
    const scan = {found, openFrom: isShort ? text.length : openFrom, from: context.length};
    const until = ending === 'closed' ? text.length : passUntil(text, scan);
    const cut = ending === 'closed' ? cutSecret(text, vault) : [];
    const passed = hide(text, {found: [...found, ...cut], from: context.length, until}, vault);
    held = text.slice(until);
    const seen = context + passed;
    const insideKey = isInsideKey(context + text.slice(context.length, until));
    context =
      (insideKey ? keyContext : '') + seen.slice(-contextLength).replaceAll(insideKey ? keyContext : '\0\0', '');
    return Buffer.from(passed, 'latin1');
  }

  return {
    push: (bytes: Uint8Array) =>
      take(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1'), 'open'),
    pause: () => take('', 'paused'),
    end: () => take('', 'closed'),
  };
}

/** How many units of a secret give something of it away. */
const shortestCut = 6;

/** The beginning of a known secret at the end of an output that was cut off. */
function cutSecret(text: string, vault: Vault): readonly FoundSecret[] {
  const from = vault.finder('bytes').openFrom(text);
  return text.length - from < shortestCut ? [] : [{from, to: text.length, name: 'CUT'}];
}

function passUntil(
  text: string,
  scan: {readonly found: readonly FoundSecret[]; readonly openFrom: number; readonly from: number},
): number {
  if (text.length - scan.openFrom > longestHeld) return text.length;
  let until = Math.max(scan.from, scan.openFrom);
  // From the last to the first, since a secret that is held back may hold back the one before it.
  for (const {from, to} of scan.found.toReversed()) {
    if (to > until || to === text.length) until = Math.max(scan.from, Math.min(until, from));
  }
  return until;
}

function hide(
  text: string,
  part: {readonly found: readonly FoundSecret[]; readonly from: number; readonly until: number},
  vault: Vault,
): string {
  let done = part.from;
  let result = '';
  for (const {from, to, name} of part.found) {
    const start = Math.max(from, done);
    if (to <= start || start >= part.until) continue;
    result += text.slice(done, start) + vault.placeholder(asText(text.slice(start, to), 'bytes'), name);
    done = to;
  }
  return result + text.slice(done, part.until);
}

/**
 * The value with the secrets redacted in all its texts; it is the same value where it has none. Lines are redacted together, since some
 * secrets are recognised by the lines around them. What is in `clean` stays.
 */
export const redactDeep = <T>(value: T, {redact}: Pick<Redactor, 'redact'>, clean: ReadonlySet<unknown> = none): T =>
  mapTexts(value, {text: redact, lines: lines => redactLines(lines, redact), exact, clean});

/** What something is found or used by again, and bytes. */
const exact: ReadonlySet<string> = new Set([
  'kind',
  'id',
  'server',
  'session',
  'label',
  'boundary',
  'allowedTools',
  'directory',
  'nextDirectory',
  'file',
  'data',
]);

/** The value with the secrets in the place of their placeholders. */
export const restoreDeep = <T>(value: T, {restore}: Pick<Redactor, 'restore'>): T =>
  mapTexts(value, {
    text: restore,
    lines: lines => lines.flatMap(line => linesOf(line, restore(textOf(line)))),
    exact: none,
    clean: none,
  });

const none: ReadonlySet<never> = new Set();

interface TextChange {
  readonly text: (text: string) => string;
  readonly lines: (lines: readonly Line[]) => readonly Line[];
  /** The names of properties that stay. */
  readonly exact: ReadonlySet<string>;
  readonly clean: ReadonlySet<unknown>;
}

type Line = string | {readonly text: string};

function mapTexts<T>(value: T, change: TextChange): T;
function mapTexts(value: unknown, change: TextChange): unknown {
  if (typeof value === 'string') return change.text(value);
  if (typeof value !== 'object' || value === null || change.clean.has(value)) return value;
  if (Array.isArray(value)) {
    const list: readonly unknown[] = value;
    const next = list.map(item => mapTexts(item, change));
    return next.some((item, at) => item !== list[at]) ? next : list;
  }
  if (Object.getPrototypeOf(value) !== Object.prototype) return value;
  const parts = Object.entries(value).map(
    ([name, part]: [string, unknown]) => [name, part, mapPart(name, part, change)] as const,
  );
  return parts.some(([, before, after]) => before !== after)
    ? Object.fromEntries(parts.map(([name, , after]) => [name, after]))
    : value;
}

function mapPart(name: string, part: unknown, change: TextChange): unknown {
  if (change.exact.has(name)) return part;
  if (name === 'input' || name === 'params') return mapTexts(part, ofProgram(change));
  return name === 'lines' && isLines(part) ? change.lines(part) : mapTexts(part, change);
}

/** What a program is given: the names in it are its own, and say nothing. */
function ofProgram({text, clean}: TextChange): TextChange {
  const change: TextChange = {text, lines: lines => lines.map(line => mapTexts(line, change)), exact: none, clean};
  return change;
}

const isLines = (part: unknown): part is readonly Line[] =>
  Array.isArray(part) && part.every(line => typeof line === 'string' || typeof line?.text === 'string');

const textOf = (line: Line): string => (typeof line === 'string' ? line : line.text);

/** The line with another text, which may be several lines. The words of a diff that changed are not where they were. */
const linesOf = (line: Line, text: string): readonly Line[] =>
  text.split('\n').map(part => {
    if (typeof line === 'string') return part;
    return {...line, text: part, ...('changed' in line && part !== line.text ? {changed: []} : {})};
  });

function redactLines(lines: readonly Line[], redact: Redactor['redact']): readonly Line[] {
  const before = lines.map(textOf).join('\n');
  const after = redact(before);
  if (after === before) return lines;
  const texts = after.split('\n');
  return lines.every(line => typeof line === 'string')
    ? texts
    : lines.flatMap((line, at) => linesOf(line, texts[at] ?? ''));
}
