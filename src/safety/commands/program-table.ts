import type {OptionRule, OptionTable} from './read-words.ts';

/**
 * What an argument of a program is. `path`: a file that is read; `place`: a file or folder of which only names and figures are
 * shown; `number`; `text`: anything; `glob`: a pattern for names of files; `revision`: a git revision, range or path;
 * `sed`, `awk`, `jq`: a script in that language, which must be a harmless one; `name`: a name without slashes; `key`: `user.name`;
 * `format`: `+%F`; `layout`: how git is to show things; `file`: a `path` that begins plainly, for programs that take `+x` or `@x`
 * for something else; `archive`: one without a colon, before which some take the name of another machine; `document`: a file, or a
 * `jq` filter.
 */
const argumentKinds = [
  'path',
  'place',
  'number',
  'text',
  'glob',
  'revision',
  'sed',
  'awk',
  'jq',
  'name',
  'key',
  'format',
  'layout',
  'file',
  'archive',
  'document',
] as const;
export type ArgumentKind = (typeof argumentKinds)[number];

/**
 * One program, or one sub-command of it, that only reads as long as it gets nothing but what stands here: certain knowledge
 * alone belongs in a row. Whatever a row does not list is asked about.
 */
export interface ProgramRow {
  /** `ls`, or `git stash list`; several with a comma between them. */
  readonly names: string;
  /**
   * Options, apart by blanks. `-a` and `--all` take no value; `-n=number` takes one, behind it or as the next argument;
   * `--color?=text` takes one only behind an equals sign, `-U?=number` only right behind the letter; `--arg==text` takes two.
   */
  readonly flags: string;
  /** Kinds of the operands; the last stands for all that follow, and `none` for the end. */
  readonly operands: readonly (ArgumentKind | 'none')[];
  /** With one of these options there is no first operand of its kind: `grep -e x file`. */
  readonly insteadOfFirst: string;
  /** Whether `-5` is a number of lines. */
  readonly digits: 'a number' | 'no option';
  /**
   * What names of files that begin with `-` would do, if a pattern came to them: nothing bad with any option the program
   * has, or perhaps something.
   */
  readonly anyOption: 'harmless' | 'may act';
  /** Commands that are let through, and commands that are not: they run as tests. */
  readonly match: readonly string[];
  readonly notMatch: readonly string[];
}

/** A row with the usual settings for what is not said. */
export function program(
  names: string,
  row: Partial<Omit<ProgramRow, 'names'>> & Pick<ProgramRow, 'match' | 'notMatch'>,
): ProgramRow {
  return {names, flags: '', operands: ['none'], insteadOfFirst: '', digits: 'no option', anyOption: 'may act', ...row};
}

/** The options of a row, ready to be read. */
export function optionTable({flags: written, digits}: Pick<ProgramRow, 'flags' | 'digits'>): OptionTable<ArgumentKind> {
  const options = known.get(written) ?? new Map<string, OptionRule<ArgumentKind>>();
  if (!known.has(written)) {
    for (const flag of written.split(/\s+/u)) {
      const [, name = '', sign = '', kind = 'text'] = /^(--?[^=?]+?)(?:(\??=|==)(\w+))?$/u.exec(flag) ?? [];
      if (name === '') continue;
      if (!isKind(kind)) throw new Error(`No kind of argument: ${flag}`);
      // `--color` and `--color?=name` are one option.
      if (sign !== '' || options.get(name)?.value !== 'attached')
        options.set(name, {value: valueOfSign[sign] ?? 'none', role: kind});
    }
    known.set(written, options);
  }
  return {options, digits: digits === 'a number', stopsAtOperand: false};
}

const valueOfSign: Readonly<Partial<Record<string, OptionRule['value']>>> = {
  '=': 'required',
  '==': 'two',
  '?=': 'attached',
};

const known = new Map<string, Map<string, OptionRule<ArgumentKind>>>();

const isKind = (kind: string): kind is ArgumentKind => argumentKinds.some(each => each === kind);
