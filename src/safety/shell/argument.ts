import {unreachable} from '../../base/unreachable.ts';
import type {TextRange} from '../../domain/risk.ts';
import type {Piece, Script, Word} from './shell-tree.ts';

/** One word as a program gets it. */
export interface Argument {
  readonly range: TextRange;
  /**
   * What it can be: one of a few texts; `opaque`, something that is harmless to show but not known; `unknown`. An `opaque` word
   * may come to any number of words when it is not quoted.
   */
  readonly value: readonly Text[] | 'opaque' | 'unknown';
}

/** One text that a word may come to. `wild` is a pattern that the shell replaces with names of files. */
export type Text = {readonly text: string; readonly style: 'plain' | 'wild'} | FoundText;

/**
 * Names of files in the workspace that another program told: those that fit one of the patterns in `text` (`*.ts|*.tsx`), or all,
 * hidden ones too, for `**`. With `./` before it none of them can be taken for an option. `searched` is the same where secrets
 * among them do not count.
 */
export interface FoundText {
  readonly text: string;
  readonly style: 'found' | 'searched';
  /** Where the program ran that told them; `here`, right where the one runs that gets them. */
  readonly from: readonly string[] | 'here';
  readonly told: Told;
}

/** Which files a program tells of. */
export interface Told {
  /** The folders it looks in, as it is given them, and how many folders deep. */
  readonly below: readonly {readonly folder: string; readonly depth: number}[];
  readonly hidden: 'left out' | 'all but .git' | 'with them';
  readonly links: 'may be among them' | 'none';
  /** `from around`: they may begin in a folder around. `bare`: without the folder they lie in, and so stand for others here. */
  readonly names: 'from here' | 'from around' | 'bare';
}

/** What is known where a word stands. */
export interface Surroundings {
  readonly home: string;
  /** Where the command may run; none when that is not known. */
  readonly directories: readonly string[];
  readonly variables: ReadonlyMap<string, Argument['value']>;
  /** What the commands of a substitution print. */
  readonly prints: (script: Script) => Printed;
}

/** What a command prints: names of files in the workspace, as `git ls-files` does, a plain word like those it stands for, or anything. */
export type Printed = Text | 'anything';

/** The arguments a word comes to: one, or several by its braces. */
export function argumentsOf({pieces, range}: Word, around: Surroundings): readonly Argument[] {
  const [only] = pieces;
  // The program `[`; elsewhere it may open a pattern.
  if (only?.kind === 'text' && only.text === '[' && pieces.length === 1)
    return [{range, value: [{text: '[', style: 'plain'}]}];
  let words: readonly Argument['value'][] = [[{text: '', style: 'plain'}]];
  for (const piece of pieces) {
    if (piece.kind === 'braces') {
      words = words.flatMap(word => piece.alternatives.map(text => appended(word, [{text, style: 'plain'}])));
      if (words.length > mostTexts) return [{range, value: 'unknown'}];
    } else {
      const value = valueOf(piece, around);
      words = words.map(word => appended(word, value));
    }
  }
  // `{a,}` comes to `a` alone: a word that is empty without quotes is none.
  const vanishes = words.some(
    value => words.length > 1 && typeof value !== 'string' && value.some(({text}) => text === ''),
  );
  return vanishes ? [{range, value: 'unknown'}] : words.map(value => ({range, value}));
}

/** Texts one argument may be, and words one pair of braces may make. */
const mostTexts = 64;

function appended(before: Argument['value'], after: Argument['value']): Argument['value'] {
  if (before === 'unknown' || after === 'unknown') return 'unknown';
  if (before === 'opaque' || after === 'opaque') return 'opaque';
  if (before.length * after.length > mostTexts) return 'unknown';
  if (isEmpty(before)) return after;
  if (isEmpty(after)) return before;
  if ([...before, ...after].some(({style}) => style === 'found' || style === 'searched')) return 'opaque';
  if (before.some(first => after.some(second => mixes(first, second) || mixes(second, first)))) return 'unknown';
  return before.flatMap(first =>
    after.map((second): Text => ({
      text: first.text + second.text,
      style: first.style === 'wild' || second.style === 'wild' ? 'wild' : 'plain',
    })),
  );
}

/** Signs that are quoted in one part would be taken for those of the pattern in the other. */
const mixes = (wild: Text, plain: Text): boolean =>
  wild.style === 'wild' &&
  plain.style === 'plain' &&
  (wild.text.includes('[') ? /[^\w/. ]/u : /[*?[\\]/u).test(plain.text);

const isEmpty = (value: readonly Text[]): boolean => value.length === 1 && value[0]?.text === '';

function valueOf(piece: Piece, around: Surroundings): Argument['value'] {
  switch (piece.kind) {
    case 'text':
      return [{text: piece.text, style: piece.style === 'bare' && /[*?[]/u.test(piece.text) ? 'wild' : 'plain'}];
    case 'braces':
      return piece.alternatives.map(text => ({text, style: 'plain'}));
    case 'home':
      return [{text: around.home, style: 'plain'}];
    case 'number':
      return 'opaque';
    case 'substitution': {
      const printed = around.prints(piece.script);
      return printed === 'anything' || (piece.style === 'quoted' && printed.style !== 'plain') ? 'opaque' : [printed];
    }
    case 'process':
      return [{text: '/dev/fd/63', style: 'plain'}];
    case 'parameter': {
      const value = variable(piece.name, around);
      if (piece.form === 'changed') return value === 'unknown' ? 'unknown' : 'opaque';
      if (value === 'unknown' || value === 'opaque' || piece.style === 'quoted') return value;
      // Bare, the shell splits it at blanks and takes it for a pattern.
      return value.every(({text, style}) => style !== 'plain' || /^[^\s*?[\\]+$/u.test(text)) ? value : 'unknown';
    }
    default:
      return unreachable(piece);
  }
}

function variable(name: string, {home, directories, variables}: Surroundings): Argument['value'] {
  const known = variables.get(name);
  if (known !== undefined) return known;
  if (name === 'HOME') return [{text: home, style: 'plain'}];
  if (name === 'PWD' && directories.length > 0) return directories.map(text => ({text, style: 'plain'}));
  const figures = numbers[name];
  if (figures !== undefined) return figures.map(text => ({text, style: 'plain'}));
  return shown.has(name) ? 'opaque' : 'unknown';
}

/** Numbers whatever happens: the end of the last command, how many arguments there are. */
const numbers: Readonly<Record<string, readonly string[]>> = {'?': ['0', '1'], '#': ['0']};

/** Whether anybody may see what the variable holds; others may hold secrets. */
export const isShown = (name: string): boolean => name === 'HOME' || shown.has(name);

const shown: ReadonlySet<string> = new Set(
  (
    '$ PWD OLDPWD USER LOGNAME SHELL PATH LANG LC_ALL TERM HOSTNAME OSTYPE HOSTTYPE MACHTYPE BASH_VERSION RANDOM SECONDS ' +
    'UID EUID PPID SHLVL COLUMNS LINES NODE_ENV CI EDITOR VISUAL PAGER GOPATH GOROOT JAVA_HOME VIRTUAL_ENV CONDA_PREFIX ' +
    'NVM_DIR TMPDIR PYTHONPATH CARGO_HOME RUSTUP_HOME DISPLAY XDG_CONFIG_HOME XDG_DATA_HOME XDG_CACHE_HOME'
  ).split(' '),
);
