import {unreachable} from '../../base/unreachable.ts';
import type {Argument, Text} from '../shell/argument.ts';
import {rowsOf} from './all-programs.ts';
import {isHarmlessAwk} from './awk-script.ts';
import {readFlags, type FlagRule} from './flags.ts';
import {isHarmlessJq} from './jq-script.ts';
import type {ArgumentKind, ProgramRow} from './program-table.ts';
import {mayNameSecret} from '../secret-paths.ts';
import {isHarmlessSed} from './sed-script.ts';

/** Judges a path as a command names it: why it is to be asked about, or `undefined`. */
export type PathJudge = (path: Text, use: 'read' | 'named') => string | undefined;

/** Why a program with these arguments is not known to only read, or `undefined` when it is. */
export function whyNotReadOnly(name: string, given: readonly Argument[], judgePath: PathJudge): string | undefined {
  const rows = rowsOf(name);
  let reason: string | undefined;
  for (const {words, row} of rows) {
    if (!words.every((word, at) => at === 0 || plainText(given[at - 1]) === word)) continue;
    const found = whyNotRow(row, given.slice(words.length - 1), judgePath);
    if (found === undefined) return undefined;
    reason ??= found;
  }
  return reason ?? (rows.length === 0 ? 'is not known to only read' : 'is not known to only read with these arguments');
}

/** The text of an argument that is one plain text; `undefined` for all others. */
export function plainText(argument: Argument | undefined): string | undefined {
  const value = argument?.value;
  const [first] = value === undefined || typeof value === 'string' ? [] : value;
  return first?.style === 'plain' && value?.length === 1 ? first.text : undefined;
}

function whyNotRow(row: ProgramRow, given: readonly Argument[], judgePath: PathJudge): string | undefined {
  const flags = readFlags(row.flags);
  const operands: Argument[] = [];
  const used = new Set<string>();
  let options: 'possible' | 'over' = 'possible';
  for (let at = 0; at < given.length; at += 1) {
    const argument = given[at];
    if (argument === undefined) break;
    const text = plainText(argument);
    if (options === 'over' || text === '-' || (text !== undefined && !text.startsWith('-'))) operands.push(argument);
    else if (text === undefined) {
      if (mayBeOption(argument) && row.anyOption === 'may act') return 'might be given an option by a name or a value';
      operands.push(argument);
    } else if (text === '--') options = 'over';
    else {
      const found = readOption(text, {flags, digits: row.digits});
      if (found === undefined) return `is not known to only read with \`${text}\``;
      for (const {name} of found) used.add(name);
      const last = found.at(-1);
      if (last === undefined || last.rule.value === 'none') continue;
      if (last.value !== undefined) {
        const reason = whyNotValue(last.rule.kind, {text: last.value, style: 'plain'}, judgePath);
        if (reason !== undefined) return reason;
      } else if (last.rule.value !== 'attached') {
        for (let left = last.rule.value === 'two' ? 2 : 1; left > 0; left -= 1) {
          at += 1;
          const reason = whyNotNextValue(given[at], {text, kind: last.rule.kind, row}, judgePath);
          if (reason !== undefined) return reason;
        }
      }
    }
  }
  return whyNotOperands(row, {operands, used}, judgePath);
}

function whyNotNextValue(
  value: Argument | undefined,
  {text, kind, row}: {readonly text: string; readonly kind: ArgumentKind; readonly row: ProgramRow},
  judgePath: PathJudge,
): string | undefined {
  // A value that looks like an option may be one to another version of the program.
  if (value === undefined || /^-(?!\d+$)./u.test(plainText(value) ?? '')) return `has \`${text}\` without a value`;
  if (row.anyOption === 'may act' && typeof value.value !== 'string' && value.value.some(mayBeSeveral))
    return 'might be given more than it seems';
  return whyNotArgument(kind, {argument: value, unknowns: 'may act'}, judgePath);
}

interface Option {
  readonly name: string;
  readonly rule: FlagRule;
  /** What stands right behind it. */
  readonly value: string | undefined;
}

/** The options in a word such as `-la`, `-n5` or `--color=never`; `undefined` when one of them is not listed. */
function readOption(
  text: string,
  {flags, digits}: {readonly flags: ReadonlyMap<string, FlagRule>; readonly digits: ProgramRow['digits']},
): readonly Option[] | undefined {
  if (digits === 'a number' && /^-\d+$/u.test(text)) return [];
  const whole = flags.get(text);
  if (whole !== undefined && (text.startsWith('--') || text.length === 2)) {
    return [{name: text, rule: whole, value: undefined}];
  }
  if (text.startsWith('--')) {
    const equals = text.indexOf('=');
    const name = text.slice(0, Math.max(equals, 0));
    const rule = flags.get(name);
    if (rule === undefined || rule.value === 'none' || rule.value === 'two') return undefined;
    return [{name, rule, value: text.slice(equals + 1)}];
  }
  const options: Option[] = [];
  for (let at = 1; at < text.length; at += 1) {
    const name = `-${text.charAt(at)}`;
    const rule = flags.get(name);
    if (rule === undefined) return undefined;
    const rest = text.slice(at + 1);
    if (rule.value !== 'none') return [...options, {name, rule, value: rest === '' ? undefined : rest}];
    options.push({name, rule, value: undefined});
  }
  return options;
}

function whyNotOperands(
  row: ProgramRow,
  {operands, used}: {readonly operands: readonly Argument[]; readonly used: ReadonlySet<string>},
  judgePath: PathJudge,
): string | undefined {
  const given = row.insteadOfFirst.split(' ').some(flag => used.has(flag));
  const kinds = given ? row.operands.slice(1) : row.operands;
  for (const [at, argument] of operands.entries()) {
    const kind = kinds[Math.min(at, kinds.length - 1)] ?? 'none';
    if (kind === 'none') return 'is not known to only read with so many arguments';
    const several = argument.value === 'opaque' || (argument.value !== 'unknown' && argument.value.some(mayBeSeveral));
    // What comes to several words moves those behind it.
    if (several && at + 1 < kinds.length && row.anyOption === 'may act') return 'might be given more than it seems';
    const onlyTexts = kinds.every(each => each === 'text');
    const reason = whyNotArgument(kind, {argument, unknowns: onlyTexts ? row.anyOption : 'may act'}, judgePath);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

function mayBeOption({value}: Argument): boolean {
  return (
    typeof value === 'string' ||
    value.some(({text, style}) => text.startsWith('-') || (style !== 'plain' && /^[*?[]/u.test(text)))
  );
}

const mayBeSeveral = ({style}: Text): boolean => style !== 'plain';

function whyNotArgument(
  kind: ArgumentKind,
  {argument, unknowns}: {readonly argument: Argument; readonly unknowns: ProgramRow['anyOption']},
  judgePath: PathJudge,
): string | undefined {
  const {value} = argument;
  if (value.length === 0) return 'is given nothing that is known';
  if (value === 'opaque') {
    // It may come to several words, options among them.
    return kind === 'text' && unknowns === 'harmless'
      ? undefined
      : 'is given something that is only known when it runs';
  }
  if (value === 'unknown') return 'is given a value that is not known';
  for (const text of value) {
    const reason = whyNotValue(kind, text, judgePath);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

function whyNotValue(kind: ArgumentKind, value: Text, judgePath: PathJudge): string | undefined {
  const {text} = value;
  switch (kind) {
    case 'path':
      return text === '-' ? undefined : judgePath(value, 'read');
    case 'place':
      return text === '-' ? undefined : judgePath(value, 'named');
    case 'revision':
      return whyNotRevision(value, judgePath);
    case 'text':
      // A pattern comes to names of files: it must not look elsewhere for them.
      return value.style === 'wild' ? judgePath(value, 'named') : undefined;
    case 'glob':
      return whyNotPattern(text.replace(/^!/u, ''));
    case 'layout':
      // Programs run to check signatures.
      return isPlain(value, /^(?!.*(?:%G|signature|trailers:.*=%))/su) ? undefined : `has \`${text}\` for a format`;
    case 'file':
      return isPlain(value, /^[\w./~-]/u) ? judgePath(value, 'read') : `has \`${text}\` for a file`;
    case 'archive':
      return isPlain(value, /^[\w./~][^:]*$/u) ? judgePath(value, 'read') : `has \`${text}\` for an archive`;
    case 'document':
      return isHarmlessJq(text) ? judgePath(value, 'read') : 'has a filter that is not known to be harmless';
    case 'number':
      return isPlain(value, /^[+-]?\d+(?:\.\d+)?[A-Za-z%]{0,3}$/u) ? undefined : `has \`${text}\` for a number`;
    case 'name':
      return isPlain(value, /^[\w.@+:,][\w.@+:,=-]*$/u) ? undefined : `has \`${text}\` for a name`;
    case 'key':
      return isPlain(value, /^\w[\w-]*(?:\.[\w-]+)+$/u) ? undefined : `has \`${text}\` for a setting`;
    case 'format':
      return isPlain(value, /^\+/u) ? undefined : `has \`${text}\` for a format`;
    case 'sed':
      return isPlain(value, /^/u) && isHarmlessSed(text) ? undefined : 'has a script that is not known to be harmless';
    case 'awk':
      return isPlain(value, /^/u) && isHarmlessAwk(text) ? undefined : 'has a script that is not known to be harmless';
    case 'jq':
      return isPlain(value, /^/u) && isHarmlessJq(text) ? undefined : 'has a filter that is not known to be harmless';
    default:
      return unreachable(kind);
  }
}

/** A pattern for names by which a program picks files itself, hidden ones too. */
const whyNotPattern = (pattern: string): string | undefined =>
  /(?:^|\/)\.\.(?:\/|$)/u.test(pattern)
    ? `is given \`${pattern}\`, which may lead anywhere`
    : mayNameSecret(pattern, 'like other characters')
      ? `looks for \`${pattern}\`, which may hold secrets`
      : undefined;

const isPlain = ({text, style}: Text, pattern: RegExp): boolean => style === 'plain' && pattern.test(text);

/** `main..HEAD`, `HEAD:src/a.ts`, a path: what could be a path is judged as one, with and without what leads up to it. */
function whyNotRevision(value: Text, judgePath: PathJudge): string | undefined {
  const colon = value.text.lastIndexOf(':');
  // git has patterns of its own for paths.
  const pattern = value.text.slice(colon + 1).replace(/^[!^]|^\([^)]*\)/u, '');
  if (/[*?[]/u.test(pattern)) {
    const reason = whyNotPattern(pattern);
    if (reason !== undefined) return reason;
  }
  const inside = colon < 0 ? undefined : judgePath({...value, text: value.text.slice(colon + 1)}, 'read');
  const isRange = /^[^/~.][^/~]*?\.{2,3}[^/]/u.test(value.text) && !/(?:^|\/)\.\.(?:\/|$)/u.test(value.text);
  return inside ?? (isRange ? undefined : judgePath(value, 'read'));
}
