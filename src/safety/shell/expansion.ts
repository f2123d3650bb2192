import {unreachable} from '../../base/unreachable.ts';
import type {TextRange} from '../../domain/risk.ts';
import type {WordPart, Script, Word} from './syntax-tree.ts';

/** A word as the program receives it, expanded as far as known. */
export interface Argument {
  readonly range: TextRange;
  /**
   * The possible texts. `opaque`: the text is not known, but harmless to show. `unknown`: anything else. An unquoted `opaque`
   * word may expand to any number of words.
   */
  readonly value: readonly ExpandedText[] | 'opaque' | 'unknown';
}

/** One possible expansion of a word. A `wild` one is a pattern that the shell replaces with file names. */
export type ExpandedText = {readonly text: string; readonly style: 'plain' | 'wild'} | FoundFiles;

/**
 * Names of workspace files that another program has listed: those that match one of the patterns in `text` (`*.ts|*.tsx`), or
 * all, including hidden ones, for `**`. With `./` in front, none can be read as an option. `searched` names go to a program that
 * shows little of the files, so secrets in them do not matter.
 */
export interface FoundFiles {
  readonly text: string;
  readonly style: 'found' | 'searched';
  /** The folders in which the listing program may have run. `here` is the folder of the program that receives the names. */
  readonly from: readonly string[] | 'here';
  readonly listed: ListedFiles;
}

export interface ListedFiles {
  /** The folders that it searches, as written, and how many levels deep. */
  readonly below: readonly {readonly folder: string; readonly depth: number}[];
  readonly hidden: 'left out' | 'all but .git' | 'with them';
  readonly links: 'may be among them' | 'none';
  /** `from around`: the names may begin in a folder above. `bare`: they come without their folder, and mean other files here. */
  readonly names: 'from here' | 'from around' | 'bare';
}

/** The facts on which the expansion of a word depends. */
export interface ExpansionContext {
  readonly home: string;
  /** The folders in which the command may run. Empty if they are not known. */
  readonly directories: readonly string[];
  readonly variables: ReadonlyMap<string, Argument['value']>;
  /** Returns what the commands of a substitution print. */
  readonly prints: (script: Script) => PrintedOutput;
}

/** The output of a command: names of workspace files (`git ls-files`), a plain word that represents any similar one, or anything. */
export type PrintedOutput = ExpandedText | 'anything';

/** Returns the text of a word without quotes, or `undefined` if something in it expands. */
export const literalText = ({parts}: Word): string | undefined =>
  parts.every(part => part.kind === 'text') ? parts.map(part => part.text).join('') : undefined;

/** Returns the arguments that a word expands to: one, or several if it has braces. */
export function expandWord({parts, range}: Word, context: ExpansionContext): readonly Argument[] {
  const [only] = parts;
  // The program `[`. Elsewhere it may open a pattern.
  if (only?.kind === 'text' && only.text === '[' && parts.length === 1)
    return [{range, value: [{text: '[', style: 'plain'}]}];
  let words: readonly Argument['value'][] = [[{text: '', style: 'plain'}]];
  for (const part of parts) {
    if (part.kind === 'braces') {
      words = words.flatMap(word => part.alternatives.map(text => appended(word, [{text, style: 'plain'}])));
      if (words.length > maxTexts) return [{range, value: 'unknown'}];
    } else {
      const value = valueOf(part, context);
      words = words.map(word => appended(word, value));
    }
  }
  // `{a,}` expands to `a` alone: an empty unquoted word disappears.
  const mayVanish = words.some(
    value => words.length > 1 && typeof value !== 'string' && value.some(({text}) => text === ''),
  );
  return mayVanish ? [{range, value: 'unknown'}] : words.map(value => ({range, value}));
}

/** The maximum number of texts of one argument, and the maximum number of words that a word may expand to. */
const maxTexts = 64;

function appended(before: Argument['value'], after: Argument['value']): Argument['value'] {
  if (before === 'unknown' || after === 'unknown') return 'unknown';
  if (before === 'opaque' || after === 'opaque') return 'opaque';
  if (before.length * after.length > maxTexts) return 'unknown';
  if (isEmpty(before)) return after;
  if (isEmpty(after)) return before;
  if ([...before, ...after].some(({style}) => style === 'found' || style === 'searched')) return 'opaque';
  if (before.some(first => after.some(second => mixes(first, second) || mixes(second, first)))) return 'unknown';
  return before.flatMap(first =>
    after.map((second): ExpandedText => ({
      text: first.text + second.text,
      style: first.style === 'wild' || second.style === 'wild' ? 'wild' : 'plain',
    })),
  );
}

/** True if quoted characters of one part would be read as part of the pattern in the other. */
const mixes = (wild: ExpandedText, plain: ExpandedText): boolean =>
  wild.style === 'wild' &&
  plain.style === 'plain' &&
  (wild.text.includes('[') ? /[^\w/. ]/u : /[*?[\\]/u).test(plain.text);

const isEmpty = (value: readonly ExpandedText[]): boolean => value.length === 1 && value[0]?.text === '';

function valueOf(part: WordPart, context: ExpansionContext): Argument['value'] {
  switch (part.kind) {
    case 'text':
      return [{text: part.text, style: part.style === 'bare' && /[*?[]/u.test(part.text) ? 'wild' : 'plain'}];
    case 'braces':
      return part.alternatives.map(text => ({text, style: 'plain'}));
    case 'home':
      return [{text: context.home, style: 'plain'}];
    case 'number':
      return 'opaque';
    case 'substitution': {
      const printed = context.prints(part.script);
      return printed === 'anything' || (part.style === 'quoted' && printed.style !== 'plain') ? 'opaque' : [printed];
    }
    case 'process':
      return [{text: '/dev/fd/63', style: 'plain'}];
    case 'parameter': {
      const value = variable(part.name, context);
      if (part.form === 'changed') return value === 'unknown' ? 'unknown' : 'opaque';
      if (value === 'unknown' || value === 'opaque' || part.style === 'quoted') return value;
      // The shell splits a bare value at blanks and expands patterns in it.
      return value.every(({text, style}) => style !== 'plain' || /^[^\s*?[\\]+$/u.test(text)) ? value : 'unknown';
    }
    default:
      return unreachable(part);
  }
}

function variable(name: string, {home, directories, variables}: ExpansionContext): Argument['value'] {
  const known = variables.get(name);
  if (known !== undefined) return known;
  if (name === 'HOME') return [{text: home, style: 'plain'}];
  if (name === 'PWD' && directories.length > 0) return directories.map(text => ({text, style: 'plain'}));
  const digits = numbers[name];
  if (digits !== undefined) return digits.map(text => ({text, style: 'plain'}));
  return shown.has(name) ? 'opaque' : 'unknown';
}

/** Parameters that are always numbers: the exit status, and the number of arguments. */
const numbers: Readonly<Record<string, readonly string[]>> = {'?': ['0', '1'], '#': ['0']};

/** True if a variable's value may be shown. Other variables may hold secrets. */
export const isPublicVariable = (name: string): boolean => name === 'HOME' || shown.has(name);

const shown: ReadonlySet<string> = new Set(
  (
    '$ PWD OLDPWD USER LOGNAME SHELL PATH LANG LC_ALL TERM HOSTNAME OSTYPE HOSTTYPE MACHTYPE BASH_VERSION RANDOM SECONDS ' +
    'UID EUID PPID SHLVL COLUMNS LINES NODE_ENV CI EDITOR VISUAL PAGER GOPATH GOROOT JAVA_HOME VIRTUAL_ENV CONDA_PREFIX ' +
    'NVM_DIR TMPDIR PYTHONPATH CARGO_HOME RUSTUP_HOME DISPLAY XDG_CONFIG_HOME XDG_DATA_HOME XDG_CACHE_HOME'
  ).split(' '),
);

type Value = Argument['value'];

/**
 * Reads an assignment:
 * - `own`: to a variable that only the script itself uses.
 * - `harmless`: to a variable that programs know, with a value that only sets a language or a width.
 * - `known`: to a variable that programs know, with a plain text.
 * - `unsure`: anything else.
 */
export function readAssignment(
  word: Word,
  context: ExpansionContext,
):
  | {readonly kind: 'own'; readonly name: string; readonly value: Value}
  | {readonly kind: 'known'; readonly texts: readonly string[]}
  | {readonly kind: 'harmless' | 'unsure'} {
  const [first, ...rest] = word.parts;
  const [head, name = ''] = (first?.kind === 'text' ? /^([A-Za-z_]\w*)=/u.exec(first.text) : undefined) ?? [];
  if (first?.kind !== 'text' || head === undefined) return {kind: 'unsure'};
  // The shell does not split an assigned value, nor expand patterns in it.
  const parts = [{...first, text: first.text.slice(head.length)}, ...rest].map(part =>
    'style' in part ? {...part, style: 'quoted' as const} : part,
  );
  if (parts.some(({kind}) => kind === 'braces' || kind === 'process')) return {kind: 'unsure'};
  const [argument] = expandWord({...word, parts}, context);
  const value = argument?.value ?? 'unknown';
  if (isScriptVariable(name) || ownNames.has(name)) return {kind: 'own', name, value};
  if (typeof value === 'string') return {kind: 'unsure'};
  if (value.every(({text}) => harmless.get(name)?.test(text) === true)) return {kind: 'harmless'};
  return value.every(({style}) => style === 'plain')
    ? {kind: 'known', texts: value.map(({text}) => text)}
    : {kind: 'unsure'};
}

/** True if neither shells nor programs use a variable with this name. */
export const isScriptVariable = (name: string): boolean =>
  /^(?!npm_|http)[a-z][a-z0-9_]*$/u.test(name) && !/_proxy$|^(?:cd|f|man|mail|module_)?path$/u.test(name);

const ownNames: ReadonlySet<string> = new Set('FILE FILES DIR COUNT TOTAL LINE'.split(' '));

const language = /^(?:C|POSIX|C\.UTF-8|C\.utf8|[a-z]{2}_[A-Z]{2}(?:\.(?:UTF-8|utf8))?)?$/u;
const number = /^\d{0,4}$/u;
const harmless: ReadonlyMap<string, RegExp> = new Map([
  ...['LC_ALL', 'LANG', 'LC_COLLATE', 'LC_CTYPE', 'LC_NUMERIC', 'LC_TIME', 'LC_MESSAGES'].map(
    (name): [string, RegExp] => [name, language],
  ),
  ...['COLUMNS', 'LINES', 'NO_COLOR', 'FORCE_COLOR', 'CI', 'GIT_OPTIONAL_LOCKS', 'GIT_TERMINAL_PROMPT'].map(
    (name): [string, RegExp] => [name, number],
  ),
  ...['PAGER', 'GIT_PAGER', 'MANPAGER'].map((name): [string, RegExp] => [name, /^(?:cat)?$/u]),
  ['TZ', /^(?:[A-Z]{2,5}(?:[+-]?\d{1,2})?|[A-Z][A-Za-z]+\/[A-Z][A-Za-z_]+)$/u],
  ['TERM', /^(?:dumb|xterm|xterm-256color)$/u],
]);

/** Returns the union of several values. */
export const unionOfValues = (values: readonly Argument[]): Value =>
  values.length === 0 ? 'unknown' : values.map(({value}) => value).reduce(either);

function either(a: Value, b: Value): Value {
  if (a === b) return a;
  if (a === 'unknown' || b === 'unknown') return 'unknown';
  if (a === 'opaque' || b === 'opaque') return 'opaque';
  const texts = [...a, ...b.filter(text => !a.some(each => isSame(each, text)))];
  return texts.length > maxTexts ? 'unknown' : texts;
}

const isSame = (a: ExpandedText, b: ExpandedText): boolean =>
  a.text === b.text &&
  a.style === b.style &&
  (a.style === 'plain' || a.style === 'wild' || JSON.stringify(a) === JSON.stringify(b));

/** Records the possible values of variables after one or none of these branches has run. A variable that was not set may hold anything. */
export function mergeInto(variables: Map<string, Value>, ways: readonly ReadonlyMap<string, Value>[]): void {
  for (const way of ways) {
    for (const [name, value] of way) {
      const before = variables.get(name) ?? 'unknown';
      if (before !== value) variables.set(name, either(before, value));
    }
  }
}

/**
 * Forgets the variables that a loop may set, because its body may see its own earlier values. A loop can set only variables
 * whose bare names its text contains: `for x in`, `x=` and `read x` all write the name out.
 */
export function forgetMentioned(
  variables: Map<string, Value>,
  range: TextRange,
  {text}: {readonly text: string},
): void {
  if (variables.size === 0) return;
  const names = new Set(text.slice(range.from, range.to).match(/(?<![\w$]|\$\{)[A-Za-z_]\w*/gu));
  for (const name of variables.keys()) if (names.has(name)) variables.set(name, 'unknown');
}
