import {escapeSequence} from '../base/escape-sequences.ts';
import {isJsonList, isJsonObject, type Json, parseJson} from '../base/json.ts';
import {failed, ok, type Outcome} from '../base/outcome.ts';
import {unreachable} from '../base/unreachable.ts';

/** A condition that weft itself checks before a prompt may end. */
export type Condition =
  /** Holds if the command exits with 0. */
  | {readonly kind: 'command'; readonly command: string}
  /** Holds if the named check passes. */
  | {readonly kind: 'check'; readonly name: string}
  /** Holds if the file exists and contains the text, which may be empty. */
  | {readonly kind: 'file'; readonly path: string; readonly text: string}
  | {
      readonly kind: 'json';
      readonly from:
        | {readonly kind: 'file'; readonly path: string}
        | {readonly kind: 'command'; readonly command: string};
      readonly query: string;
      readonly test: JsonTest;
    };

/** The conditions that a program gives with a prompt or a plan. */
export interface EndConditions {
  /** The goal as it was written. Empty if there is none. */
  readonly goal: string;
  readonly requireChecks: readonly string[];
}

/** A comparison with the value that a query finds. `exists`: the value is there and is not null. */
type JsonTest = {readonly operator: 'exists'} | {readonly operator: (typeof operators)[number]; readonly value: Json};

const operators = ['==', '!=', '<=', '>=', '<', '>', 'contains'] as const;

/** The forms of a condition, for help and errors. */
export const conditionForms = [
  'npm test (a command that exits with 0)',
  'command: COMMAND (the same, word for word)',
  'check: NAME (a check of the setting `checks`)',
  'file: PATH exists',
  'file: PATH contains TEXT',
  'json: PATH .key[0].key >= 80',
  'json: $(COMMAND) .key == 0',
] as const;

/** First words of sentences. A command with such a name is written with `command:`. */
const sentenceWords =
  /^(?:the|a|an|all|any|every|everything|each|no|not|my|our|your|it|its|this|that|these|there|until|when|if|is|are|tests|please|i|we|you)$/iu;

/** Words outside quotes that belong to a sentence, not to a command, and a redirection to a file: `coverage > 80`. */
const sentencePart =
  /\s(?:fails?|failed|passes|passed|succeeds|(?:does|do|is|are|can|should|must|wo)(?:\s?not|n['’]t)|is|are|should|must|shall|will|works?|returns|reports|exits|and|but|without|than|ist|sind|soll|muss|nicht|schlägt|läuft|besteht)(?=[\s.,!]|$)|\p{Script=Han}|(?<![<>&])>(?!&\d|\s?\/dev\/null)|<=?\s*\d/iu;

/** First words that bash runs itself. */
const builtIns =
  /^(?:\[\[?|test|true|false|cd|if|for|while|until|case|time|set|export|source|\.|:|eval|exec|command|type|echo|printf|exit|wait|ulimit|umask|trap|read|pushd|shopt)$/u;

/**
 * Reads a condition as the user wrote it. Quotes around the whole text and a final "passes", "succeeds" or "exits with 0" are not part of
 * a command. The error names the forms. `isProgram` says whether this machine has a program of that name.
 */
export function readCondition(
  written: string,
  isProgram: (name: string) => boolean = () => true,
): Outcome<Condition, string> {
  const text = unquoted(written.trim());
  const [, form, rest = ''] = /^(command|check|file|json):\s*([^]*)$/u.exec(text) ?? [];
  const condition =
    form === undefined ? readCommand(text, isProgram) : rest === '' ? undefined : readForm(form, rest.trim());
  if (condition !== undefined) return ok(condition);
  const why = text === '' ? 'A goal needs a condition.' : `weft can't check ${JSON.stringify(text)}.`;
  return failed(`${why} Write one of: ${conditionForms.join('; ')}.`);
}

function readCommand(text: string, isProgram: (name: string) => boolean): Condition | undefined {
  const command = text.replace(/\s+(?:passes|succeeds|exits(?: with)? 0)\.?$/u, '');
  const [first = ''] = command.split(/\s/u);
  const bare = command.replaceAll(/"[^"]*"|'[^']*'/gu, '""');
  if (command === '' || sentenceWords.test(first) || sentencePart.test(bare)) return undefined;
  const isName = /^[\w.+-]+$/u.test(first) && !builtIns.test(first);
  return isName && !isProgram(first) ? undefined : {kind: 'command', command};
}

function readForm(form: string, rest: string): Condition | undefined {
  if (form === 'command') return {kind: 'command', command: rest};
  if (form === 'check') return {kind: 'check', name: rest.replace(/\s+passes$/u, '')};
  if (form === 'file') {
    const [, quoted, plain = '', text = ''] =
      /^(?:"([^"]+)"|(\S+))(?:\s+exists|\s+contains\s+([^]+))?$/u.exec(rest) ?? [];
    const path = quoted ?? plain;
    return path === '' ? undefined : {kind: 'file', path, text: unquoted(text)};
  }
  const [, command, quoted, plain = '', query, operator, written = ''] =
    /^(?:\$\(([^]+)\)|"([^"]+)"|([^\s$]\S*))\s+(\.(?:[^\s"]|"[^"]*")*)(?:\s+(==|!=|<=|>=|<|>|contains)\s+([^]+))?$/u.exec(
      rest,
    ) ?? [];
  if (query === undefined || keysOf(query) === undefined) return undefined;
  const value = parseJson(written);
  const named = operators.find(each => each === operator);
  return {
    kind: 'json',
    from: command === undefined ? {kind: 'file', path: quoted ?? plain} : {kind: 'command', command},
    query,
    test:
      named === undefined
        ? {operator: 'exists'}
        : {operator: named, value: value.tag === 'ok' ? value.value : written.trim()},
  };
}

/** Removes quotes around the whole text. */
function unquoted(text: string): string {
  const [, , inner] = /^(["'])([^]*)\1$/u.exec(text) ?? [];
  return inner === undefined || inner.includes(text[0] ?? '') ? text : inner.trim();
}

/** Describes a condition exactly: a command appears as it will run. */
export function conditionText(condition: Condition): string {
  switch (condition.kind) {
    case 'command':
      return `\`${condition.command}\` exits with 0`;
    case 'check':
      return `the check ${condition.name} passes`;
    case 'file':
      return `${condition.path} ${condition.text === '' ? 'exists' : `contains ${JSON.stringify(condition.text)}`}`;
    case 'json': {
      const {from, query, test} = condition;
      const what = from.kind === 'file' ? from.path : `the output of \`${from.command}\``;
      return `${query} of ${what} ${test.operator === 'exists' ? 'exists' : `${test.operator} ${JSON.stringify(test.value)}`}`;
    }
    default:
      return unreachable(condition);
  }
}

/** Returns what a query finds in a JSON text if the value fails the test; empty if it passes. */
export function jsonFailure(
  text: string,
  {query, test}: Pick<Extract<Condition, {kind: 'json'}>, 'query' | 'test'>,
): string {
  const parsed = parseOutput(text);
  if (parsed.tag === 'failed') return `not JSON: ${parsed.error}`;
  const found = (keysOf(query) ?? []).reduce<Json | undefined>(childOf, parsed.value);
  return passes(found, test) ? '' : `${query} is ${found === undefined ? 'missing' : JSON.stringify(found)}`;
}

/** Parses the output of a command, which may have other lines around its JSON. */
function parseOutput(text: string): Outcome<Json, string> {
  const whole = parseJson(text);
  const [inner] = /[[{][^]*[\]}]/u.exec(text) ?? [];
  return whole.tag === 'ok' || inner === undefined ? whole : parseJson(inner);
}

/** Reads `.a["b c"][0]` as keys. `undefined` if the query is malformed. */
function keysOf(query: string): readonly string[] | undefined {
  const part = /\.?\["([^"]*)"\]|\.?\[(\d+)\]|\.([^.[\]"]+)/uy;
  const keys: string[] = [];
  let end = query.startsWith('.') && query.length === 1 ? 1 : 0;
  for (let match = part.exec(query); match !== null; match = part.exec(query)) {
    keys.push(match[1] ?? match[2] ?? match[3] ?? '');
    end = part.lastIndex;
  }
  return end === query.length ? keys : undefined;
}

function childOf(value: Json | undefined, key: string): Json | undefined {
  if (isJsonList(value)) return key === 'length' ? value.length : value[Number(key)];
  return isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

function passes(found: Json | undefined, test: JsonTest): boolean {
  if (test.operator === 'exists') return found !== undefined && found !== null;
  const {operator, value} = test;
  if (operator === '==') return JSON.stringify(found) === JSON.stringify(value);
  if (operator === '!=') return JSON.stringify(found) !== JSON.stringify(value);
  if (operator === 'contains')
    return typeof found === 'string'
      ? found.includes(typeof value === 'string' ? value : JSON.stringify(value))
      : isJsonList(found) && found.includes(value);
  if (typeof found !== 'number' || typeof value !== 'number') return false;
  return {'<': found < value, '>': found > value, '<=': found <= value, '>=': found >= value}[operator];
}

/** Removes from a failure what differs between two runs of the same failing program: times, temporary paths, addresses, ids, counters, and the order of its lines. */
export const comparable = (output: string): string =>
  output
    .replaceAll(escapeSequence, '')
    .replaceAll(/\b[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}\b/giu, '')
    .replaceAll(/\d{4}-\d\d-\d\d[T ]?/gu, '')
    .replaceAll(/(?<![:\w.])\d{1,2}:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?/gu, '')
    .replaceAll(/\b\d+(?:[.,]\d+)?\s?(?:ns|[µμ]s|us|ms|s|sec|secs|seconds?|m|min|minutes?)\b/gu, '')
    .replaceAll(/\bduration_ms:? [\d.]+/gu, '')
    .replaceAll(/(?:\/private)?(?:\/tmp|\/var\/folders|\/var\/tmp)\/[^\s:'")\]]+/gu, '')
    .replaceAll(/\b0x[\da-f]+\b/giu, '')
    .replaceAll(/\b(?=[a-f]*\d)(?=\d*[a-f])[\da-f]{7,}\b/giu, '')
    .replaceAll(
      /\b(?:pid|port|seed|run|attempt|try|iteration|request|id|nonce)[ :=#]*\d+|(?<=(?:0\.0\.0\.0|127\.0\.0\.1|localhost|::1?\]?):)\d+/giu,
      '',
    )
    .split('\n')
    .map(line => line.replaceAll(/\s+/gu, ' ').trim())
    .toSorted()
    .join('\n');

/** The failures of one condition or several, to find out when trying again brings nothing new. */
export class Failures {
  readonly #seen = new Set<string>();
  #stale = 0;

  /**
   * Adds the failure of an attempt. `since`: whether anything was done since the attempt before that may change files.
   * Returns `stuck` if two attempts in a row brought nothing new.
   */
  add(output: string, since: 'work' | 'nothing'): 'go-on' | 'stuck' {
    const failure = comparable(output);
    this.#stale = since === 'nothing' || this.#seen.has(failure) ? this.#stale + 1 : 0;
    this.#seen.add(failure);
    return this.#stale >= 2 ? 'stuck' : 'go-on';
  }
}
