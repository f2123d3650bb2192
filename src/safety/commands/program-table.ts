import type {RiskLevel} from '../../domain/risk.ts';
import type {OptionRule, OptionTable} from './read-words.ts';

/**
 * What an argument of a program that only reads is. `path`: a file that is read; `place`: a file or folder of which only names and figures are
 * shown; `number`; `text`: anything; `glob`: a pattern for names of files; `revision`: a git revision, range or path;
 * `sed`, `awk`, `jq`: a script in that language, which must be a harmless one; `name`: a name without slashes; `key`: `user.name`;
 * `format`: `+%F`; `layout`: how git is to show things; `file`: a `path` that begins plainly, for programs that take `+x` or `@x`
 * for something else; `archive`: one without a colon, before which some take the name of another machine; `document`: a file, or a
 * `jq` filter.
 * With these it does not only read: `write`: a file that is written; `edit`: how a file is changed in place; `code`: a file of code or
 * settings; `program`: what is run; `script`: a script that is not looked at; `module`: a program by the name of its module;
 * `output`: a file for what it prints, in the folder `into`, or of the name that the `url` ends with (`named`); `create`, `overwrite`, `truncate`,
 * `remove`, `remove-empty`, `shred`; `from` (moved), `source` (copied) or `link` to the `target`; `rename`: moved where nothing is.
 * Of what goes to other machines: `data`, `encoded`, `variable`, `form` and `cookie` (texts that may name a file to send, each in its own way),
 * `sent` (a file), `host` (by which the `url` is reached), `reroute` (the same behind two colons); `other`: it may reach further.
 * Options say more (`-r:deep`): `deep` (whole trees), `folders` (folders, too), `keeps` (changes nothing that is there, as `when` does
 * with `none`), `force` (replaces what is there), `append`, `exact` (the target is no folder to put into), `no-links` (nor a link to one).
 */
const roles =
  'path place number text glob revision sed awk jq name key format layout file archive document write edit code program script module output into url named create truncate remove remove-empty shred from source link target rename deep folders keeps when force append exact no-links overwrite data encoded variable form cookie sent host reroute other';
export type Role = Words<typeof roles>;

/** The roles of what a program that only reads is not given. */
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
 * What a program is.
 * How it changes files that its operands name: `removes`, `moves` and `copies` (the last operand is where to), `links`, `unpacks`,
 * `rights`, and `writes` for any other change. What it shows: `shows` (its arguments, or the files that they name), `walks` (what lies in
 * folders), `pages` (one screen after the other, or it takes over the terminal). What it does with words: `data` (runs none of them),
 * `variables` (they are names of variables; the shell evaluates what stands between the brackets of such a name), `tasks` (names of
 * tasks), `subcommands` (the first is a subcommand), `service` (a client with commands of its own), `database` (queries; a few commands
 * run a shell), `text` (texts for others to read), `own-words` (a language of their own, or `--` does not end the options). What it runs:
 * `shell` (a shell), `code` (an interpreter), `input` (takes commands or code from its input), `fed` (likewise, or writes it where it may
 * run), `runs-given` (a text that it is given), `runs-words` (its arguments are a command), `runs-any` (any program: in a container, on
 * another machine, by a setting), `packages` (a program of a package, which may be downloaded). `restores`: it can put a person's files where there are none now, so that a later part could destroy them.
 * For rules: `verbs` (its first word says what it does), `loses-work` (harmless with some arguments, and with others the end of work that
 * is nowhere else).
 * How it reads options: `any-option` (none does harm, so that a pattern may come to names of files that begin with `-`), `digits` (`-5` is
 * a number of lines), `abbreviates` (it accepts unambiguous beginnings of long options), `ends-at-dashes` (the arguments behind `--` are
 * not for the program itself), `whole-options` (letters never share a word).
 */
const traits =
  'removes moves copies links unpacks rights writes shows walks pages data variables tasks subcommands service database text own-words shell code input fed runs-given runs-words runs-any packages restores verbs loses-work any-option digits abbreviates ends-at-dashes whole-options';
export type Trait = Words<typeof traits>;

/** The words of a list. */
type Words<List extends string, Found = never> = List extends `${infer First} ${infer Rest}`
  ? Words<Rest, Found | First>
  : Found | List;

/**
 * The needs of a program besides reading. An overlay gives the program the first two, and `puts-files` if no file is lost: weft decides
 * about the changes afterwards. About all other needs weft asks before.
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

/** What a program does if one of its arguments fits. It raises what a card shows; it lets nothing through. */
export interface Deed {
  readonly when: RegExp;
  readonly risk: RiskLevel;
  /** The predicate of a sentence about the command: "Deletes files (rm a)". */
  readonly does: string;
  readonly reach: ProgramReach;
  /** The predicate where nothing is lost. */
  readonly otherwise: string;
}

const usualReach: Readonly<Record<RiskLevel, ProgramReach>> = {
  'read-only': 'changes-files',
  'local-change': 'changes-files',
  external: 'network',
  destructive: 'destroys',
  unknown: 'runs-code',
};

export const deed = (
  risk: RiskLevel,
  does: string,
  {when = /^/u, reach = usualReach[risk], otherwise = 'changes files'}: Partial<Deed> = {},
): Deed => ({when, risk, does, reach, otherwise});

/** How a program runs the command that stands in its words. */
interface Wrapping {
  /** The subcommands behind which the command stands, `exec` in `npm exec`; without any it stands behind the program's own options. */
  readonly behind?: string;
  /** The options behind which it stands, as in `find -exec`. */
  readonly options?: string | undefined;
  /** An operand of the wrapper's own stands before the command: `5` in `timeout 5 ls`. */
  readonly operands?: 1;
  /** The paths of the command lead to another machine, or another root folder. */
  readonly where?: 'elsewhere';
  /** Options that take no value, so that the next word is the command. Whether another option does is not known. */
  readonly flags?: string;
  /** A rule has to name the whole command, because another user runs it, or its words come from elsewhere. */
  readonly rule?: 'exact';
}

/** All that weft knows of a program, or of a subcommand of it. Lists are words with blanks between them. */
export interface ProgramRow {
  /** `ls`, or `git stash list`; several with a comma between them. Each name stands in one row. */
  readonly names: string;
  /**
   * Options that are harmless. `-a` and `--all` take no value; `-n=number` takes one, behind it or as the next argument;
   * `--color?=text` takes one only behind an equals sign, `-U?=number` only right behind the letter; `--arg==text` takes two.
   */
  readonly options?: string | undefined;
  /** The roles of the operands; a star behind the last one is for all that follow. */
  readonly operands?: string;
  /** With one of these options there is no first operand of its role: `grep -e x file`. */
  readonly instead?: string;
  /**
   * Further options by which it does more than its name says: they have a program or code run, name a file that is written, or name a
   * file or folder whose code or settings count. Options with the roles `program`, `write` and `code` count as such, too. A rule that ends in a wildcard was not written with these in mind. `--opt*` is any that begins
   * so, `NAME=` an assignment.
   */
  readonly runs?: string | undefined;
  readonly writes?: string | undefined;
  readonly loads?: string | undefined;
  /** Options whose value is a script for a shell, or a program with its arguments. */
  readonly scripts?: string;
  /**
   * For rules about files: the words with which it changes the files that its operands name, and all below them; or all here, if none
   * is named. `*`: always; and `!-n`: not with `-n`, unless an option is listed that is there, too. `named`: not all here. `last`: only the last operand. `.`: always all here,
   * and `.d`: in the folder of `-d`, if there is one.
   */
  readonly edits?: string;
  /** What it does besides reading: the first that fits. */
  readonly does?: readonly Deed[];
  readonly wraps?: Wrapping;
  /** What it can do with some arguments, so that a rule must not leave all of them open. */
  readonly can?: string;
  /** Files of a folder that choose which program runs there by this name. */
  readonly chosenBy?: string;
  readonly is: ReadonlySet<Trait>;
  /**
   * Commands that are let through, and commands that are not, with ` ¦ ` between them: they run as tests. A row with these is certain
   * knowledge: it lets through what gets nothing but what stands in it. A row without them lets nothing through.
   */
  readonly yes?: string;
  readonly no?: string;
}

const defined = new Map<string, ProgramRow>();

/** A row; `is` has its traits. It has the options, too, of the row whose names begin with `like`. */
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

/** The listed options, and those whose value has one of the roles; `undefined` for none. */
function withRole(
  listed: string | undefined,
  {options}: Pick<ProgramRow, 'options'>,
  role: string,
): string | undefined {
  const fits = new RegExp(`=(?:${role})$`, 'u');
  const named = wordsOf(options).flatMap(option => (fits.test(option) ? option.replace(/\??=.*/u, '') : []));
  return listed === undefined && named.length === 0 ? undefined : [...wordsOf(listed), ...named].join(' ');
}

/** Options by which GNU programs say where they put files. */
export const placing = '-t=target --target-directory=target -T:exact --no-target-directory:exact -S=text --suffix=text';

/** The words of a list with blanks between them. */
export const wordsOf = (list = ''): readonly string[] => list.split(/\s+/u).filter(word => word !== '');

/** The harmless options of a row, ready to be read. */
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

/** The commands of `yes` or `no`. */
export const examplesOf = (examples: string): readonly string[] =>
  examples
    .split('¦')
    .map(example => example.trim())
    .filter(example => example !== '');
