import type {TextRange} from '../../domain/risk.ts';
import {argumentsOf, type Argument, type Surroundings, type Text} from './argument.ts';
import type {Word} from './shell-tree.ts';

type Value = Argument['value'];

/**
 * An assignment: `own`, to a variable that means nothing but to the text itself; `harmless`, to one that programs know, with a value
 * that does nothing but set a language or a width; `unsure` otherwise.
 */
export function assigned(
  word: Word,
  around: Surroundings,
): {readonly kind: 'own'; readonly name: string; readonly value: Value} | {readonly kind: 'harmless' | 'unsure'} {
  const [first, ...rest] = word.pieces;
  const [head, name = ''] = (first?.kind === 'text' ? /^([A-Za-z_]\w*)=/u.exec(first.text) : undefined) ?? [];
  if (first?.kind !== 'text' || head === undefined) return {kind: 'unsure'};
  // What is assigned is neither split nor taken for a pattern.
  const pieces = [{...first, text: first.text.slice(head.length)}, ...rest].map(piece =>
    'style' in piece ? {...piece, style: 'quoted' as const} : piece,
  );
  if (pieces.some(({kind}) => kind === 'braces' || kind === 'process')) return {kind: 'unsure'};
  const [argument] = argumentsOf({...word, pieces}, around);
  const value = argument?.value ?? 'unknown';
  if (isOwnVariable(name) || ownNames.has(name)) return {kind: 'own', name, value};
  const isHarmless = typeof value !== 'string' && value.every(({text}) => harmless.get(name)?.test(text) === true);
  return {kind: isHarmless ? 'harmless' : 'unsure'};
}

/** Whether a name is one that no shell and no program gives a meaning to. */
export const isOwnVariable = (name: string): boolean =>
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

/** A value that may be any of several. */
export const together = (values: readonly Argument[]): Value =>
  values.length === 0 ? 'unknown' : values.map(({value}) => value).reduce(either);

function either(a: Value, b: Value): Value {
  if (a === b) return a;
  if (a === 'unknown' || b === 'unknown') return 'unknown';
  if (a === 'opaque' || b === 'opaque') return 'opaque';
  const texts = [...a, ...b.filter(text => !a.some(each => isSame(each, text)))];
  return texts.length > mostTexts ? 'unknown' : texts;
}

const isSame = (a: Text, b: Text): boolean =>
  a.text === b.text &&
  a.style === b.style &&
  (a.style === 'plain' || a.style === 'wild' || JSON.stringify(a) === JSON.stringify(b));

const mostTexts = 64;

/** What variables may be after one of these ways was gone, or none. One that was not set may hold anything. */
export function mergeInto(variables: Map<string, Value>, ways: readonly ReadonlyMap<string, Value>[]): void {
  for (const way of ways) {
    for (const [name, value] of way) {
      const before = variables.get(name) ?? 'unknown';
      if (before !== value) variables.set(name, either(before, value));
    }
  }
}

/**
 * What runs again may find variables as it left them itself. Those that it may set are not known, which are those whose bare names
 * stand in it: `for x in`, `x=` and `read x` all spell the name out.
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
