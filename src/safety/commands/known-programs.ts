import {optionTable, type ProgramRow, type Trait, wordsOf} from './program-table.ts';
import {coreutils} from './programs/coreutils.ts';
import {builders} from './programs/builders.ts';
import {git} from './programs/git.ts';
import {packages} from './programs/packages.ts';
import {search} from './programs/search.ts';
import {services} from './programs/services.ts';
import {shell} from './programs/shell.ts';
import {system} from './programs/system.ts';
import {textPrograms} from './programs/text.ts';
import {toolchains} from './programs/toolchains.ts';
import {wrappers} from './programs/wrappers.ts';

/** Everything that weft knows about programs. */
export const allPrograms: readonly ProgramRow[] = [
  ...coreutils,
  ...textPrograms,
  ...search,
  ...git,
  ...toolchains,
  ...builders,
  ...packages,
  ...wrappers,
  ...services,
  ...system,
  ...shell,
];

interface NamedRow {
  /** The words of a command before its arguments, the program first. */
  readonly words: readonly string[];
  readonly row: ProgramRow;
}

const rows = new Map<string, NamedRow[]>();
const rowsByName = new Map<string, ProgramRow>();
for (const row of allPrograms) {
  for (const name of row.names.split(',')) {
    const words = wordsOf(name);
    const [first = ''] = words;
    rows.set(first, [...(rows.get(first) ?? []), {words, row}]);
    rowsByName.set(words.join(' '), row);
  }
}
for (const named of rows.values()) named.sort((a, b) => b.words.length - a.words.length);

/** Returns the rows of a program and of its subcommands, the longest names first. */
export const rowsOf = (program: string): readonly NamedRow[] => rows.get(program) ?? [];

/** Returns the row with the longest name that the words begin with. `gcc-12` and `python3.12` use the row of the bare name. */
export const rowFor = ([program = '', ...args]: readonly string[]): NamedRow | undefined =>
  [program, program.replace(/-?\d[\d.]*$/u, '')]
    .flatMap(rowsOf)
    .find(({words}) => words.every((word, at) => at === 0 || word === args[at - 1]));

/** Returns the row of a program (`git`) or of a subcommand (`git stash list`). */
export const rowOf = (name: string): ProgramRow | undefined => rowsByName.get(name);

export const hasTrait = (name: string, trait: Trait): boolean => rowOf(name)?.is.has(trait) === true;

/** Returns the names of the programs that run a command in their words. */
export const wrappingPrograms = (): readonly string[] =>
  [...rows.keys()].filter(name => rowOf(name)?.wraps !== undefined);

/** True if a subcommand of these words has the trait: `git bisect run` for `git bisect`. */
export const hasSubcommand = (words: string, trait: Trait): boolean =>
  rowsOf(wordsOf(words)[0] ?? '').some(
    ({words: name, row}) => row.is.has(trait) && name.join(' ').startsWith(`${words} `),
  );

/** True if weft knows arguments with which the program only reads. With others it may also read elsewhere. */
export const isReader = (program: string): boolean => rowsOf(program).some(({row}) => row.yes !== undefined);

export const isShell = (program: string): boolean => hasTrait(program, 'shell');

/** True for programs that run code from their arguments, whatever their version: `python3.12`. */
export const isInterpreter = (program: string): boolean =>
  [program, program.toLowerCase(), program.replace(/[\d.]+$/u, '')].some(name => hasTrait(name, 'code'));

/** True for programs that read commands or code from their input. */
export const takesCodeFromInput = (program: string): boolean =>
  isShell(program) || isInterpreter(program) || hasTrait(program, 'input');

/** True if a row knows that a command only reads, and has a place for its operands: `npm run`, but not `npm run build`. */
export function mayOnlyRead(call: readonly string[]): boolean {
  const found = rowFor(call);
  if (found?.row.yes === undefined) return false;
  return found.row.operands !== undefined || call.slice(found.words.length).every(word => word.startsWith('-'));
}

/** True for programs that run a script in their words, such as `sed` and `awk`. */
export const takesScript = (program: string): boolean => /^(?:sed|awk) /u.test(rowOf(program)?.operands ?? '');

/** An option in a word with which a program does more than its name says. See `ProgramRow.runs`. */
export interface ActingOption {
  readonly act: 'runs' | 'writes' | 'loads';
  readonly option: string;
  readonly word: string;
  /** The value after the option, in the same word or the next one. */
  readonly value: string | undefined;
}

const acts = ['runs', 'writes', 'loads'] as const;

/** True if the word may be a subcommand: not an option, and not the value of one of git's options before it. */
export const isSubcommand = (word: string, at: number, args: readonly string[]): boolean =>
  !word.startsWith('-') && !/^(?:-[Cc]|--git-dir|--work-tree|--namespace)$/u.test(args[at - 1] ?? '');

/** Returns the acting options of a program and of its subcommand. Any word may be one, even if it may be the value of another. */
export function actingOptionsOf([program = '', ...args]: readonly string[]): readonly ActingOption[] {
  const name = program.slice(program.lastIndexOf('/') + 1);
  const subcommand = args.find(isSubcommand);
  const own = rowOf(name);
  // `gcc-12` and `python3.12` are known by the bare name.
  const row =
    own !== undefined && acts.some(act => own[act] !== undefined) ? own : rowOf(name.replace(/-?\d[\d.]*$/u, ''));
  const ofSubcommand = rowsOf(name).find(({words}) => words.length === 2 && words[1] === subcommand)?.row;
  return [row ?? own, ofSubcommand].flatMap(each => (each === undefined ? [] : actingOptionsIn(each, args)));
}

function actingOptionsIn(row: ProgramRow, args: readonly string[]): readonly ActingOption[] {
  const end = row.is.has('ends-at-dashes') ? args.indexOf('--') : -1;
  const own = end < 0 ? args : args.slice(0, end);
  // `tar tIf x a` is `tar -tIf x a`.
  const words = row.is.has('unpacks')
    ? own.map((word, at) => (at === 0 ? word.replace(/^(?=\w+$)/u, '-') : word))
    : own;
  const found = words.flatMap((word, at) =>
    acts.flatMap((act): readonly ActingOption[] => {
      const next = words[at + 1];
      const read = findOption(word, row, row[act]);
      if (read !== undefined) return [{...read, word: own[at] ?? word, act, value: read.value ?? next}];
      const joined =
        next === undefined || !/^-[^=]+$/u.test(word) ? undefined : patternOption(`${word}=${next}`, row[act]);
      // The value matters, so a rule that names the option with another value does not cover this one.
      return next === undefined || joined === undefined
        ? []
        : [{option: next, word: next, act, value: joined.value ?? next}];
    }),
  );
  const at = wordsOf(row.operands).indexOf('write');
  if (at < 0) return found;
  const {options} = optionTable(row.options);
  const operands = words.filter(
    (word, index) => !/^-./u.test(word) && options.get(words[index - 1] ?? '')?.value !== 'required',
  );
  const written = operands[at];
  return written === undefined ? found : [...found, {option: written, word: written, act: 'writes', value: written}];
}

/** Returns the files that a simple command's options and operands name for writing. */
export const filesWritten = (words: readonly string[]): readonly string[] =>
  actingOptionsOf(words).flatMap(({act, value}) => (act === 'writes' && value !== undefined ? [value] : []));

/** Returns the values of some options of a program, from their words or the next ones. */
export const valuesOf = (args: readonly string[], row: ProgramRow, options: string | undefined): readonly string[] =>
  args.flatMap((word, at) => {
    const read = findOption(word, row, options);
    return read === undefined ? [] : read.value === undefined ? args.slice(at + 1, at + 2) : [read.value];
  });

interface FoundOption {
  readonly option: string;
  readonly value: string | undefined;
}

/** Finds one of the options in a word: alone (`-o`), with a value (`--output=x`), or as one letter among several (`-vo`). */
function findOption(word: string, row: ProgramRow, listed: string | undefined): FoundOption | undefined {
  if (listed === undefined) return undefined;
  const {plain, long} = optionsListed(listed);
  const [name = '', ...values] = word.split('=');
  // Many options share their first two letters, so such an abbreviation means nothing.
  const isAbbreviation =
    row.is.has('abbreviates') && name.length > 4 && name.startsWith('--') && !completeOptions.has(name);
  const fitting = patternOption(word, listed);
  if (fitting !== undefined) return fitting;
  if (
    plain.has(name) ||
    (values.length > 0 && plain.has(`${name.replace(/[:+?!]$/u, '')}=`)) ||
    (isAbbreviation && long.some(option => option.startsWith(name)))
  )
    return {option: name, value: values.length > 0 ? values.join('=') : undefined};
  if (row.is.has('whole-options') || !/^-[A-Za-z]/u.test(word)) return undefined;
  const {options} = optionTable(row.options);
  for (let at = 1; at < word.length; at += 1) {
    const letter = `-${word.charAt(at)}`;
    const value = word.slice(at + 1);
    if (plain.has(letter)) return {option: letter, value: value === '' ? undefined : value};
    if ((options.get(letter)?.value ?? 'none') !== 'none') return undefined;
  }
  return undefined;
}

/** Finds a pattern that matches a word. The value is the text after the equals sign, or else what the last `*` matches. */
function patternOption(word: string, listed: string | undefined): FoundOption | undefined {
  for (const pattern of listed === undefined ? [] : optionsListed(listed).patterns) {
    const found = pattern.exec(word);
    if (found === null) continue;
    const [option = '', ...values] = word.split('=');
    const value = values.length > 0 ? values.join('=') : found.at(-1);
    return {option, value: value === '' ? undefined : value};
  }
  return undefined;
}

interface ListedOptions {
  readonly plain: ReadonlySet<string>;
  readonly long: readonly string[];
  readonly patterns: readonly RegExp[];
}

const known = new Map<string, ListedOptions>();

function optionsListed(listed: string): ListedOptions {
  const found = known.get(listed);
  if (found !== undefined) return found;
  const plain = wordsOf(listed).filter(option => !option.includes('*'));
  const read: ListedOptions = {
    plain: new Set(plain),
    // `--pdf-eng` is an abbreviation of `--pdf-engine*`.
    long: wordsOf(listed).flatMap(option => /^--[\w-]+(?=\*?$)/u.exec(option) ?? []),
    patterns: wordsOf(listed)
      .filter(option => option.includes('*'))
      .map(asPattern),
  };
  known.set(listed, read);
  return read;
}

/** Complete options that longer ones begin with. They are not abbreviations. */
const completeOptions: ReadonlySet<string> = new Set(['--text', '--cache', '--check', '--work', '--dir', '--call']);

/** Compiles a pattern in which `*` is any text. Case is ignored. */
const asPattern = (option: string): RegExp =>
  new RegExp(`^${option.replaceAll(/[.+?^${}()|[\]\\]/gu, String.raw`\$&`).replaceAll('*', '(.*)')}$`, 'isu');
