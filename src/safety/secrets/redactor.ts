import {StringDecoder} from 'node:string_decoder';
import {mayHoldEscapes} from '../../base/escape-sequences.ts';
import {isSecretVariable, secretPartsOf, valuesOfEnvFile} from './secret-files.ts';
import {textOfBytes} from './anchors.ts';
import {decodeUnits, findSecrets, isInsideKey} from './find-secrets.ts';
import {shortestLiteral} from './literal-finder.ts';
import {longestCommand} from './named-forms.ts';
import {
  makePlaceholderRegistry,
  placeholderForm,
  placeholdersIn,
  placeholderStart,
  type PlaceholderRegistry,
} from './placeholders.ts';
import type {FoundSecret} from './secret-forms.ts';
import {shortenEscapes, splitEscapes} from './shown-text.ts';

/** Redacts secrets in everything that leaves this machine or is stored, and restores them when a command or edit needs them. */
export interface Redactor {
  /** Replaces secrets with placeholders. Keeps the number of lines and existing placeholders. */
  readonly redact: (text: string) => string;
  /** Replaces placeholders with their secrets. Unknown placeholders stay. */
  readonly restore: (text: string) => string;
  /** Returns the secret for a placeholder, or `undefined` if it is unknown. */
  readonly valueOf: (placeholder: string) => string | undefined;
  /** Returns the placeholders in a text that this process does not know. */
  readonly unknownPlaceholders: (text: string) => readonly string[];
  readonly filter: () => ReturnType<typeof makeOutputFilter>;
  /** Redacts this value everywhere from now on. */
  readonly addSecret: (value: string, name: string) => void;
  /** Reads new and changed secret files, including those in `paths`. */
  readonly refresh: (paths: readonly string[]) => void;
}

/**
 * Finds files whose names say that they contain secrets (`.env`, `id_rsa`, …). Each call returns only files that are new or
 * changed since the last.
 */
interface SecretFiles {
  inRoots(): readonly SecretFile[];
  /** Returns the files for secrets in these folders and below, and the paths in `paths` with such names. */
  everywhere(paths: readonly string[]): readonly SecretFile[];
}

interface SecretFile {
  readonly path: string;
  readonly text: string;
}

/** The maximum number of rounds until nothing more is found: a secret recognized in one place is then redacted everywhere. */
const maxRounds = 5;

export function makeRedactor(options: {
  /** Variables with secret names or values are redacted. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly files: SecretFiles;
  /** Returns the key for the tags, and is called when the first secret turns up. The same key gives the same placeholders. */
  readonly key: () => Uint8Array;
}): Redactor {
  const vault = makePlaceholderRegistry(options.key);
  let begun = false;
  /** The last output that a filter passed, and how many secrets were known then. */
  let passedOutput = {text: '', known: 0};

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
      // Much output without control characters comes here again as the filter passed it, piece by piece.
      if (text.length > contextLength && text === passedOutput.text && vault.size() === passedOutput.known) return text;
      let current = text;
      for (let round = 0; round < maxRounds; round += 1) {
        const {found} = findSecrets({text: current, domain: 'text', end: 'closed'}, vault);
        if (found.length === 0) break;
        let done = 0;
        let next = '';
        for (const {from, to, name} of found) {
          next += current.slice(done, from) + hide(current.slice(from, to), {name, domain: 'text', vault});
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
      return makeOutputFilter(vault, text => (passedOutput = {text, known: vault.size()}));
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

/** How many units before new ones are examined again, for names and for the text right before a key. */
const contextLength = 256;

/** How many units may contain these, with escape sequences. */
const longestContext = 4096;

/** The maximum number of bytes that are held back. Beyond that, a possible beginning of a secret is passed on. */
const longestHeld = 32_000;

const keyContext = '-----BEGIN PRIVATE KEY-----\n';
const keyMark = /-----(?:BEGIN|END)[^\n]*\n?/u;

/**
 * Redacts secrets in bytes as they arrive, however they are split. Bytes are read as Latin-1, so that all of them pass unchanged.
 * Only a possible beginning of a secret is held back. A pause releases a beginning that is too short to reveal anything. It stays
 * in the context, so the rest of the secret is redacted when it arrives.
 */
function makeOutputFilter(vault: PlaceholderRegistry, pass: (text: string) => void) {
  /** The last output that was passed on, redacted. */
  let context = '';
  let held = '';
  const decoder = new StringDecoder('utf8');

  function take(bytes: Uint8Array, ending: 'open' | 'paused' | 'closed'): Uint8Array {
    const isUnchanged = held === '';
    const {text, aligned} = textOfBytes(context + held, bytes);
    const scan = findSecrets({text, domain: 'bytes', end: ending === 'closed' ? 'closed' : 'open', aligned}, vault);
    const {found, escapeFrom, mentionsPrivateKey} = scan;
    const openFrom =
      ending === 'open'
        ? Math.min(scan.openFrom, startOfEcho(text))
        : ending === 'paused' && scan.opensBriefly
          ? escapeFrom
          : scan.openFrom;
    const until = ending === 'closed' ? text.length : passUntil(text, {found, openFrom, from: context.length});
    const cut = ending === 'closed' ? scan.cut : [];
    const passed = redactRange(text, {found: [...found, ...cut], from: context.length, until}, vault);
    held = text.slice(until);
    const shown = shortenEscapes(passed.slice(-longestContext), 'bytes');
    const seen = shown.length < contextLength ? context + shown : shown;
    const insideKey = mentionsPrivateKey && isInsideKey(splitEscapes(text.slice(0, until), 'bytes').shown);
    const recent = seen.slice(-contextLength);
    // An earlier key may have ended before this one began.
    if (insideKey) context = keyContext + (recent.split(keyMark).at(-1) ?? '');
    else context = scan.openTable === '' ? recent : scan.openTable + recent.slice(recent.indexOf('\n') + 1);
    const isSame = isUnchanged && found.length + cut.length === 0;
    const output = isSame ? Buffer.from(bytes.buffer, bytes.byteOffset, passed.length) : Buffer.from(passed, 'latin1');
    pass(decoder.write(output));
    return output;
  }

  return {
    push: (bytes: Uint8Array) => take(bytes, 'open'),
    pause: () => take(nothing, 'paused'),
    end: () => take(nothing, 'closed'),
  };
}

/** Returns where the last line begins to print a text, which the rest of the line may pipe into a login, or the length of the text. */
function startOfEcho(text: string): number {
  const line = text.slice(Math.max(text.lastIndexOf('\n') + 1, text.length - longestCommand));
  const at = line.search(/\b(?:echo|printf)[ \t]+\S/u);
  return at < 0 ? text.length : text.length - line.length + at;
}

const nothing = new Uint8Array();

function passUntil(
  text: string,
  scan: {readonly found: readonly FoundSecret[]; readonly openFrom: number; readonly from: number},
): number {
  if (text.length - scan.openFrom > longestHeld) return text.length;
  let until = Math.max(scan.from, scan.openFrom);
  // Goes backwards, because a secret that is held back may hold back the one before it.
  for (const {from, to} of scan.found.toReversed()) {
    if (to > until || to === text.length) until = Math.max(scan.from, Math.min(until, from));
  }
  return until;
}

function redactRange(
  text: string,
  part: {readonly found: readonly FoundSecret[]; readonly from: number; readonly until: number},
  vault: PlaceholderRegistry,
): string {
  let done = part.from;
  let result = '';
  for (const {from, to, name} of part.found) {
    const start = Math.max(from, done);
    if (to <= start || start >= part.until) continue;
    result += text.slice(done, start) + hide(text.slice(start, to), {name, domain: 'bytes', vault});
    done = to;
  }
  return result + text.slice(done, part.until);
}

/** Returns a placeholder, and the escape sequences in the secret, so that the text after the secret keeps its colors. */
function hide(
  secret: string,
  {
    name,
    domain,
    vault,
  }: {readonly name: string; readonly domain: 'text' | 'bytes'; readonly vault: PlaceholderRegistry},
): string {
  if (!mayHoldEscapes(secret, domain)) return vault.placeholder(decodeUnits(secret, domain), name);
  const {shown, codes} = splitEscapes(secret, domain);
  return vault.placeholder(decodeUnits(shown, domain), name) + codes;
}

/**
 * Redacts the secrets in all texts of a value. Returns the same value if there are none. Lines are redacted together, because
 * some secrets are recognized by the lines around them. Values in `clean` stay.
 */
export const redactDeep = <T>(value: T, {redact}: Pick<Redactor, 'redact'>, clean: ReadonlySet<unknown> = none): T =>
  mapTexts(value, {text: redact, lines: lines => redactLines(lines, redact), exact, clean});

/** Properties that identify something, and bytes. */
const exact: ReadonlySet<string> = new Set(
  'kind id server session label boundary allowedTools directory nextDirectory file data'.split(' '),
);

/** Replaces the placeholders in all texts of a value with their secrets. */
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
  /** The names of properties that do not change. */
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
  if (name === 'input' || name === 'params') return mapTexts(part, forProgramInput(change));
  return name === 'lines' && isLines(part) ? change.lines(part) : mapTexts(part, change);
}

/** Returns the change for a program's input, in which property names are the program's own and mean nothing. */
function forProgramInput({text, clean}: TextChange): TextChange {
  const change: TextChange = {text, lines: lines => lines.map(line => mapTexts(line, change)), exact: none, clean};
  return change;
}

const isLines = (part: unknown): part is readonly Line[] =>
  Array.isArray(part) && part.every(line => typeof line === 'string' || typeof line?.text === 'string');

const textOf = (line: Line): string => (typeof line === 'string' ? line : line.text);

/** Returns the line with a new text, which may be several lines. The changed words of a diff no longer apply. */
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
