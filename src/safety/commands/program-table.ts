import type {RiskLevel} from '../../domain/risk.ts';
import type {OptionRule, OptionTable} from './read-words.ts';

/**
 * The roles of a program's arguments.
 *
 * For a program that only reads:
 * - `path`: a file that is read. `place`: a file or folder of which only names and figures are shown. `file`: a `path`
 *   that begins with a letter, digit or one of `_./~-`, for programs that give `+x` or `@x` another meaning. `archive`:
 *   one without a colon, before which some programs take the name of another machine. `document`: a file, or a `jq`
 *   filter.
 * - `number`. `text`: anything. `name`: a name without slashes. `key`: `user.name`. `format`: `+%F`. `layout`: git's output
 *   format.
 * - `glob`: a pattern for file names. `revision`: a git revision, range or path. `sed`, `awk`, `jq`: a harmless script in that
 *   language.
 *
 * For a program that does more than read:
 * - `write`: a file that is written. `edit`: how a file is changed in place. `code`: a file of code or settings. `program`: a
 *   program that runs. `script`: a script that is not examined. `module`: a program, by the name of its module.
 * - `output`: a file for its output, in the folder `into`, or named like the end of the `url` (`named`).
 * - `create`, `overwrite`, `truncate`, `remove`, `remove-empty`, `shred`. `from` (moved), `source` (copied) or `link` to the
 *   `target`. `rename`: moved to an unused name.
 * - For data to other machines: `data`, `encoded`, `variable`, `form` and `cookie` (texts that may name a file to send, each in
 *   its own way), `sent` (a file), `host` (through which the `url` is reached), `reroute` (the same after two colons), `other`
 *   (it may reach further).
 *
 * Options also have (`-r:deep`): `deep` (whole trees), `folders` (folders too), `keeps` (changes no existing file, as `when` does
 * with `none`), `force` (replaces existing files), `append`, `exact` (the target is not a folder to put files into), `no-links`
 * (nor a link to one).
 */
const roles =
  'path place number text glob revision sed awk jq name key format layout file archive document write edit code program script module output into url named create truncate remove remove-empty shred from source link target rename deep folders keeps when force append exact no-links overwrite data encoded variable form cookie sent host reroute other';
export type Role = Words<typeof roles>;

/** The roles of arguments that a read-only program never gets. */
export const actingRoles: ReadonlySet<Role> = new Set([
  'write',
  'edit',
  'code',
  'program',
  'script',
  'module',
  'output',
]);

/**
 * The traits of a program:
 * - How it changes the files that its operands name: `removes`, `moves` and `copies` (the last operand is the target),
 *   `links`, `unpacks`, `rights`, and `writes` for any other change.
 *   `converts`: what it writes holds what it reads in another form: compressed, packed, encrypted, edited.
 * - What it shows: `shows` (its arguments, or the files that they name), `walks` (the content of folders), `pages` (one
 *   screen at a time, or it takes over the terminal).
 * - What it does with words: `data` (runs none of them), `variables` (names of variables; the shell evaluates the text
 *   in the brackets of such a name), `tasks` (names of tasks), `subcommands` (the first is a subcommand), `service` (a
 *   client with its own commands), `database` (queries; a few commands run a shell), `text` (texts for others to read),
 *   `own-words` (its own language, or `--` does not end the options).
 * - What it runs: `shell`, `code` (an interpreter), `input` (reads commands or code from its input), `fed` (the same,
 *   or writes it where it may run), `input-words` (its command's last words come from its input), `runs-given` (a text
 *   that it is given), `runs-words` (its arguments are a command), `runs-any` (any program: in a container, on another
 *   machine, by a setting), `packages` (a program of a package, which may be downloaded).
 * - `restores`: it can create a person's files that do not exist now, so that a later part could destroy them.
 * - For rules: `verbs` (its first word says what it does), `loses-work` (harmless with some arguments, and with others
 *   it destroys work that is nowhere else).
 * - How it reads options: `any-option` (none is harmful, so a pattern may match file names that begin with `-`),
 *   `digits` (`-5` is a number of lines), `abbreviates` (it accepts unambiguous beginnings of long options),
 *   `ends-at-dashes` (arguments after `--` are not for the program itself), `whole-options` (letters never share a
 *   word).
 */
const traits =
  'removes moves copies links unpacks converts rights writes shows walks pages data variables tasks subcommands service database text own-words shell code input fed input-words runs-given runs-words runs-any packages restores verbs loses-work any-option digits abbreviates ends-at-dashes whole-options';
export type Trait = Words<typeof traits>;

/** The words of a list type. */
type Words<List extends string, Found = never> = List extends `${infer First} ${infer Rest}`
  ? Words<Rest, Found | First>
  : Found | List;

/**
 * The permissions that a program needs besides reading. An overlay grants the first two, and `puts-files` if no file is
 * lost, because the changes are approved or dropped afterwards. For every other need weft asks first.
 */
export type ProgramReach =
  | 'runs-code'
  | 'changes-files'
  | 'puts-files'
  | 'destroys'
  | 'repository'
  | 'network'
  | 'machine'
  | 'secrets'
  | 'shell';

/** The effect of a program if one of its arguments matches. It raises the risk on a card, and allows nothing. */
export interface EffectRule {
  readonly when: RegExp;
  readonly risk: RiskLevel;
  /** The predicate of a sentence about the command: "Deletes files (rm a)". */
  readonly does: string;
  readonly reach: ProgramReach;
  /** The predicate to use instead of `does` if the command loses nothing. */
  readonly otherwise: string;
}

const usualReach: Readonly<Record<RiskLevel, ProgramReach>> = {
  'read-only': 'changes-files',
  'local-change': 'changes-files',
  external: 'network',
  destructive: 'destroys',
  unknown: 'runs-code',
};

export const effectRule = (
  risk: RiskLevel,
  does: string,
  {when = /^/u, reach = usualReach[risk], otherwise = 'changes files'}: Partial<EffectRule> = {},
): EffectRule => ({when, risk, does, reach, otherwise});

/** How a program runs the command among its words. */
interface Wrapping {
  /**
   * The subcommands before the command, such as `exec` in `npm exec`. Without any, the command follows the program's own options.
   */
  readonly behind?: string;
  /** The options before the command, as in `find -exec`. */
  readonly options?: string | undefined;
  /** The number of the wrapper's own operands before the command: `5` in `timeout 5 ls`. */
  readonly operands?: 1;
  /** The paths of the command lead to another machine, or another root folder. */
  readonly where?: 'elsewhere';
  /** Options without a value, so the next word is the command. Whether other options take one is not known. */
  readonly flags?: string;
  /** A rule must name the whole command, because another user runs it, or its words come from elsewhere. */
  readonly rule?: 'exact';
}

/** Everything that weft knows about a program or subcommand. Lists are words separated by blanks. */
export interface ProgramRow {
  /** `ls`, or `git stash list`. Commas separate several names. Each name is in one row. */
  readonly names: string;
  /**
   * Harmless options. `-a` and `--all` take no value. `-n=number` takes one, attached or as the next argument. `--color?=text`
   * takes one only after an equals sign, and `-U?=number` only directly after the letter. `--arg==text` takes two.
   */
  readonly options?: string | undefined;
  /** The roles of the operands. A star after the last role covers all further operands. */
  readonly operands?: string;
  /** With one of these options the first operand's role is missing: `grep -e x file`. */
  readonly instead?: string;
  /**
   * Further options with which the program does more than its name says: they make it run a program or code, name a
   * file to write, or name a file or folder with code or settings. Options with the roles `program`, `write` and `code`
   * also count. Rules that end in a wildcard do not cover them. `--opt*` is any option that begins with `--opt`, and
   * `NAME=` is an assignment.
   */
  readonly runs?: string | undefined;
  readonly writes?: string | undefined;
  readonly loads?: string | undefined;
  /** Options whose value is a shell script, or a program with its arguments. */
  readonly scripts?: string;
  /**
   * For rules about files: the words with which it changes its operands and everything below them, or everything here if no
   * operand is given:
   * - `*`: always.
   * - `!-n`: not with `-n`, unless a listed option is also given.
   * - `named`: not everything here.
   * - `last`: only the last operand.
   * - `.`: always everything here. `.d`: in the folder of `-d`, if given.
   */
  readonly edits?: string;
  /** The program's effects besides reading. The first matching rule counts. */
  readonly does?: readonly EffectRule[];
  readonly wraps?: Wrapping;
  /** The effect that the program can have with some arguments. Because of this, a rule must not allow all arguments. */
  readonly can?: string;
  /**
   * The checks that the program runs. The first fact that fits counts:
   * - `test`, `build`, `types`, `lint`: always. `test:run`: with the subcommand or option `run`. `build:`: without operands.
   * - `script`: the first operand names a script or a program. `script:run`: the operand after `run`. `target`: any operand.
   * - `module:-m`: the module after `-m`. `!-w`: not with the word `-w`.
   *   `!test:-x=test`: with `-x test`, no test.
   * - `@bin/rspec`: also the file of that path, which projects have of their own.
   */
  readonly checks?: string;
  /** Options that choose tests by their names, with values that only people read. */
  readonly filters?: string;
  /** Files in a folder that determine which program runs there under this name. */
  readonly chosenBy?: string;
  readonly is: ReadonlySet<Trait>;
  /**
   * Commands that weft allows, and commands that it does not, separated by ` ¦ `. They run as tests. A row with these is certain
   * knowledge: it allows commands with only what the row lists. A row without them allows nothing.
   */
  readonly yes?: string;
  readonly no?: string;
}

const defined = new Map<string, ProgramRow>();

/** Makes a row with the traits in `is`. It also has the options of the row whose names begin with `like`. */
export function program(
  names: string,
  {is, like, ...facts}: Omit<ProgramRow, 'names' | 'is'> & {readonly is?: string; readonly like?: string},
): ProgramRow {
  const other = like === undefined ? undefined : defined.get(like);
  if (like !== undefined && other === undefined) throw new Error(`No row: ${like}`);
  const all = (key: 'options' | 'runs' | 'writes' | 'loads'): string | undefined =>
    other?.[key] === undefined ? facts[key] : `${other[key]} ${facts[key] ?? ''}`;
  const row: ProgramRow = {
    names,
    ...facts,
    options: all('options'),
    runs: withRole(all('runs'), facts, 'program'),
    writes: withRole(all('writes'), facts, 'write|output|into'),
    loads: withRole(all('loads'), facts, 'code'),
    is: new Set(wordsOf(is).map(traitOf)),
  };
  defined.set(names.split(',')[0] ?? '', row);
  return row;
}

/** Returns the listed options and those whose value has one of the roles, or `undefined` for none. */
function withRole(
  listed: string | undefined,
  {options}: Pick<ProgramRow, 'options'>,
  role: string,
): string | undefined {
  const fits = new RegExp(`=(?:${role})$`, 'u');
  const named = wordsOf(options).flatMap(option => (fits.test(option) ? option.replace(/\??=.*/u, '') : []));
  return listed === undefined && named.length === 0 ? undefined : [...wordsOf(listed), ...named].join(' ');
}

/** Options with which GNU programs name their target. */
export const targetOptions =
  '-t=target --target-directory=target -T:exact --no-target-directory:exact -S=text --suffix=text';

/** Returns the words of a list that are separated by blanks. */
export const wordsOf = (list = ''): readonly string[] => list.split(/\s+/u).filter(word => word !== '');

/** Parses the harmless options of a row. */
export function optionTable(written = '', digits = false): OptionTable<Role> {
  const options = known.get(written) ?? new Map<string, OptionRule<Role>>();
  if (!known.has(written)) {
    for (const option of wordsOf(written)) {
      const [, name = '', sign = '', role = 'text'] = /^(--?[^=?:]+?)(?:(\??=|==|:)([\w-]+))?$/u.exec(option) ?? [];
      // `--color` and `--color?=name` are one option.
      if (sign !== '' || options.get(name)?.value !== 'attached')
        options.set(name, {value: valueOfSign[sign] ?? 'none', role: roleOf(role)});
    }
    known.set(written, options);
  }
  return {options, digits, stopsAtOperand: false};
}

const valueOfSign: Readonly<Partial<Record<string, OptionRule['value']>>> = {
  '=': 'required',
  '==': 'two',
  '?=': 'attached',
};

const known = new Map<string, Map<string, OptionRule<Role>>>();

const knownRoles: readonly string[] = roles.split(' ');
const isRole = (text: string): text is Role => knownRoles.includes(text);

export function roleOf(text: string): Role {
  if (!isRole(text)) throw new Error(`No role: ${text}`);
  return text;
}

const knownTraits: readonly string[] = traits.split(' ');
const isTrait = (text: string): text is Trait => knownTraits.includes(text);

function traitOf(text: string): Trait {
  if (!isTrait(text)) throw new Error(`No trait: ${text}`);
  return text;
}

/** Returns the commands of `yes` or `no`. */
export const examplesOf = (examples: string): readonly string[] =>
  examples
    .split('¦')
    .map(example => example.trim())
    .filter(example => example !== '');
