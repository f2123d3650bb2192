import {firstFound} from '../../base/first-found.ts';
import {type PartEffect, runsCode} from '../../domain/reason.ts';
import {mayNameSecret} from '../paths/secret-paths.ts';
import type {Argument, ExpandedText} from '../shell/expansion.ts';
import {rowsOf} from './known-programs.ts';
import {actingRoles, optionTable, type ProgramRow, type Role, roleOf, wordsOf} from './program-table.ts';
import {readWords} from './read-words.ts';
import {isHarmlessAwk, isHarmlessJq, isHarmlessSed} from './script-languages.ts';

/** Judges a path in a command. Returns why weft asks about it, or `undefined`. */
export type PathJudge = (path: ExpandedText, use: 'read' | 'named') => PartEffect | undefined;

/** Explains why a program with these arguments may do more than read. Returns `undefined` if it only reads. */
export function programProblem(name: string, args: readonly Argument[], judgePath: PathJudge): PartEffect | undefined {
  const rows = rowsOf(name).filter(({row}) => row.yes !== undefined);
  let reason: PartEffect | undefined;
  for (const {words, row} of rows) {
    if (!words.every((word, at) => at === 0 || plainText(args[at - 1]) === word)) continue;
    const found = rowProblem(row, args.slice(words.length - 1), judgePath);
    if (found === undefined) return undefined;
    reason ??= found;
  }
  return reason ?? runsCode(rows.length === 0 ? 'may do more than read' : 'may do more than read with these arguments');
}

/** Returns the text of an argument that is one plain text, or `undefined` for any other argument. */
export function plainText(argument: Argument | undefined): string | undefined {
  const value = argument?.value;
  const [first] = value === undefined || typeof value === 'string' ? [] : value;
  return first?.style === 'plain' && value?.length === 1 ? first.text : undefined;
}

function rowProblem(row: ProgramRow, args: readonly Argument[], judgePath: PathJudge): PartEffect | undefined {
  const operands: Argument[] = [];
  const used = new Set<string>();
  const texts = args.map(plainText);
  for (const word of readWords(texts, optionTable(row.options, row.is.has('digits')))) {
    const argument = args[word.at];
    if (argument === undefined || word.kind === 'end') continue;
    const text = texts[word.at] ?? '';
    if (word.kind === 'unlisted') return runsCode(`may do more than read with ${text}`);
    if (word.kind !== 'option') {
      if (word.kind === 'unknown' && mayBeOption(argument) && !row.is.has('any-option'))
        return 'may take a file name or a value for an option';
      operands.push(argument);
      continue;
    }
    used.add(word.name);
    const {attached, rule} = word;
    if (actingRoles.has(rule.role)) return runsCode(`may do more than read with ${text}`);
    const reason =
      attached === undefined
        ? firstFound(word.values, at => nextValueProblem(args[at], {text, kind: rule.role, row}, judgePath))
        : valueProblem(rule.role, {text: attached, style: 'plain'}, judgePath);
    if (reason !== undefined) return reason;
  }
  return operandsProblem(row, {operands, used}, judgePath);
}

function nextValueProblem(
  value: Argument | undefined,
  {text, kind, row}: {readonly text: string; readonly kind: Role; readonly row: ProgramRow},
  judgePath: PathJudge,
): PartEffect | undefined {
  // Another version of the program may read a value that looks like an option as one.
  if (value === undefined || /^-(?!\d+$)./u.test(plainText(value) ?? '')) return `uses ${text} without a value`;
  if (!row.is.has('any-option') && typeof value.value !== 'string' && value.value.some(mayBeSeveral))
    return 'may get more arguments than it seems';
  return argumentProblem(kind, {argument: value, unknowns: 'may act'}, judgePath);
}

function operandsProblem(
  row: ProgramRow,
  {operands, used}: {readonly operands: readonly Argument[]; readonly used: ReadonlySet<string>},
  judgePath: PathJudge,
): PartEffect | undefined {
  const listed = wordsOf(row.operands).slice(wordsOf(row.instead).some(option => used.has(option)) ? 1 : 0);
  const isOpen = listed.at(-1)?.endsWith('*') === true;
  const kinds = listed.map(role => roleOf(role.replace('*', '')));
  const onlyTexts = isOpen && kinds.every(each => each === 'text');
  return firstFound(operands.entries(), ([at, argument]) => {
    const kind = kinds[isOpen ? Math.min(at, kinds.length - 1) : at];
    if (kind === undefined || actingRoles.has(kind)) return runsCode('may do more than read with so many arguments');
    const several = argument.value === 'opaque' || (argument.value !== 'unknown' && argument.value.some(mayBeSeveral));
    // An argument that expands to several words shifts those after it.
    if (several && (at + 1 < kinds.length || !isOpen) && !row.is.has('any-option'))
      return 'may get more arguments than it seems';
    return argumentProblem(
      kind,
      {argument, unknowns: onlyTexts && row.is.has('any-option') ? 'harmless' : 'may act'},
      judgePath,
    );
  });
}

function mayBeOption({value}: Argument): boolean {
  return (
    typeof value === 'string' ||
    value.some(({text, style}) => text.startsWith('-') || (style !== 'plain' && /^[*?[]/u.test(text)))
  );
}

const mayBeSeveral = ({style}: ExpandedText): boolean => style !== 'plain';

function argumentProblem(
  kind: Role,
  {argument, unknowns}: {readonly argument: Argument; readonly unknowns: 'harmless' | 'may act'},
  judgePath: PathJudge,
): PartEffect | undefined {
  const {value} = argument;
  if (value.length === 0) return 'gets an unknown value';
  if (value === 'opaque') {
    // The value may expand to several words, and some may be options.
    return kind === 'text' && unknowns === 'harmless' ? undefined : 'gets a value that is only known when it runs';
  }
  if (value === 'unknown') return 'gets an unknown value';
  return firstFound(value, text => valueProblem(kind, text, judgePath));
}

function valueProblem(kind: Role, value: ExpandedText, judgePath: PathJudge): PartEffect | undefined {
  const {text} = value;
  switch (kind) {
    case 'path':
      return text === '-' ? undefined : judgePath(value, 'read');
    case 'place':
      return text === '-' ? undefined : judgePath(value, 'named');
    case 'revision':
      return revisionProblem(value, judgePath);
    case 'text':
      // The shell replaces a pattern with file names, and must not search elsewhere for them.
      return value.style === 'wild' ? judgePath(value, 'named') : undefined;
    case 'glob':
      return patternProblem(text.replace(/^!/u, ''));
    case 'layout':
      // Programs run to check signatures.
      return isPlain(value, /^(?!.*(?:%G|signature|trailers:.*=%))/su) ? undefined : `uses the format ${text}`;
    case 'file':
      return isPlain(value, /^[\w./~-]/u) ? judgePath(value, 'read') : `uses the file ${text}`;
    case 'archive':
      return isPlain(value, /^[\w./~][^:]*$/u) ? judgePath(value, 'read') : `uses the archive ${text}`;
    case 'document':
      return isHarmlessJq(text) ? judgePath(value, 'read') : 'uses a filter that may do more than read';
    case 'number':
      return isPlain(value, /^[+-]?\d+(?:\.\d+)?[A-Za-z%]{0,3}$/u) ? undefined : `uses the number ${text}`;
    case 'name':
      return isPlain(value, /^[\w.@+:,][\w.@+:,=-]*$/u) ? undefined : `uses the name ${text}`;
    case 'key':
      return isPlain(value, /^\w[\w-]*(?:\.[\w-]+)+$/u) ? undefined : `uses the setting ${text}`;
    case 'format':
      return isPlain(value, /^\+/u) ? undefined : `uses the format ${text}`;
    case 'sed':
      return isPlain(value, /^/u) && isHarmlessSed(text)
        ? undefined
        : runsCode('runs a script that may do more than read');
    case 'awk':
      return isPlain(value, /^/u) && isHarmlessAwk(text)
        ? undefined
        : runsCode('runs a script that may do more than read');
    case 'jq':
      return isPlain(value, /^/u) && isHarmlessJq(text) ? undefined : 'uses a filter that may do more than read';
    default:
      return runsCode('may do more than read');
  }
}

/** Returns why weft asks about a pattern by which a program picks files itself, including hidden ones. */
const patternProblem = (pattern: string): PartEffect | undefined =>
  /(?:^|\/)\.\.(?:\/|$)/u.test(pattern)
    ? `may reach outside the workspace: ${pattern}`
    : mayNameSecret(pattern, 'like others')
      ? `searches for files that may hold secrets: ${pattern}`
      : undefined;

const isPlain = ({text, style}: ExpandedText, pattern: RegExp): boolean => style === 'plain' && pattern.test(text);

/**
 * Returns why weft asks about a git revision, range or path. Judges each possible path, with and without the revision
 * before it.
 */
function revisionProblem(value: ExpandedText, judgePath: PathJudge): PartEffect | undefined {
  const colon = value.text.lastIndexOf(':');
  // git has its own patterns for paths.
  const pattern = value.text.slice(colon + 1).replace(/^[!^]|^\([^)]*\)/u, '');
  if (/[*?[]/u.test(pattern)) {
    const reason = patternProblem(pattern);
    if (reason !== undefined) return reason;
  }
  const inside = colon < 0 ? undefined : judgePath({...value, text: value.text.slice(colon + 1)}, 'read');
  const isRange = /^[^/~.][^/~]*?\.{2,3}[^/]/u.test(value.text) && !/(?:^|\/)\.\.(?:\/|$)/u.test(value.text);
  return inside ?? (isRange ? undefined : judgePath(value, 'read'));
}
