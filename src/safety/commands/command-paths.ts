import type {PathContext} from '../paths/path-context.ts';
import {isAbsolutePath, partsThatMayBePaths, pathOf} from '../paths/path-parts.ts';
import {readShell, type ShellWord} from '../shell/loose-reader.ts';
import type {CommandForms} from './command-forms.ts';
import {filesWritten, hasTrait} from './known-programs.ts';

/** The words of a command that may name files. If the words are literal, every file name is included. */
interface CommandNames {
  readonly mentioned: readonly string[];
  /** Names that are certainly written to: redirection targets, and operands of programs that only change files. */
  readonly written: readonly string[];
}

/** The maximum number of words of one command that are examined. A command with more has enough names to ask about. */
const maxNames = 20_000;

/**
 * Returns the words of a command that may be paths, also relative to the folders that it enters (`cd secret && cat key`). Parts
 * of words count: `--file=a`, `-fa`, `@a`, `HEAD:a`.
 */
export function pathsInCommand(command: CommandForms): CommandNames {
  const folders = foldersEntered(command.forms);
  const mentioned = fromFolders([...command.words].flatMap(partsThatMayBePaths), folders);
  const operands = command.forms.flatMap(form => operandsWritten(form.split(' ')));
  const written = fromFolders([...command.redirected, ...operands], folders);
  return {mentioned, written};
}

/** Returns the files that a program changes, from its operands and options. */
export const operandsWritten = (words: readonly string[]): readonly string[] => [
  ...writtenBy(words),
  ...filesWritten(words),
];

export function foldersEntered(forms: readonly string[]): readonly string[] {
  const folders: string[] = [];
  for (const form of forms) {
    const [, entered] =
      /^(?:cd|pushd)(?: -[LPe@]+| --)* (\S+)/u.exec(form) ?? /^(?:git|make|tar)\b.* -C (\S+)/u.exec(form) ?? [];
    if (entered !== undefined && !folders.includes(entered)) folders.push(entered);
    if (folders.length >= maxFolders) break;
  }
  // The folders may be entered one after the other, or separately.
  const chained = folders.map((_, at) => folders.slice(0, at + 1).reduce(joinPath));
  return [...new Set([...folders, ...chained])];
}

const maxFolders = 8;

export function fromFolders(names: readonly string[], folders: readonly string[]): readonly string[] {
  const all = new Set(names);
  for (const folder of folders) for (const name of names) all.add(joinPath(folder, name));
  return [...all].slice(0, maxNames);
}

const joinPath = (folder: string, name: string): string => (/^[/~]/u.test(name) ? name : `${folder}/${name}`);

/** Returns the operands of a program that only changes its files. */
function writtenBy([program = '', ...words]: readonly string[]): readonly string[] {
  const operands = words.filter(word => !word.startsWith('-'));
  if (program === 'dd') return operands.filter(word => word.startsWith('of=')).map(word => word.slice(3));
  if (program === 'sed' || program === 'perl')
    return words.some(word => /^-\w*i|^--in-place/u.test(word)) ? operands : [];
  if (hasTrait(program, 'copies') || hasTrait(program, 'links')) return operands.slice(-1);
  return changes.some(trait => hasTrait(program, trait)) ? operands : [];
}

const changes = ['removes', 'moves', 'writes', 'rights'] as const;

/** A folder in which a command may read all files. `visible` excludes names that begin with a dot. */
interface SearchedFolder {
  readonly folder: string;
  readonly names: 'all' | 'visible';
}

/** Returns the folders in which a command may read all files: by `grep -r`, `rg`, or input to `xargs`. */
export function searchedFolders(command: CommandForms): readonly SearchedFolder[] {
  const searches = command.forms.flatMap(form => searchOf(form.split(' ')));
  if (searches.length === 0) return [];
  const entered = foldersEntered(command.forms);
  return searches.flatMap(({folder, names}) => fromFolders([folder], entered).map(each => ({folder: each, names})));
}

const isOption = (word: string): boolean => word.startsWith('-');

function searchOf([program = '', ...words]: readonly string[]): readonly SearchedFolder[] {
  const args = words.filter(word => !word.startsWith('-'));
  const folders = (names: SearchedFolder['names'], operands: readonly string[]): readonly SearchedFolder[] =>
    (operands.length === 0 ? ['.'] : operands).map(folder => ({folder, names}));
  const has = (option: RegExp): boolean => words.some(word => option.test(word));
  if (hasTrait(program, 'input-words')) return folders('all', []);
  if (program === 'rgrep' || program === 'ugrep') return folders('all', args.slice(1));
  if (
    /^[efz]?grep$/u.test(program) &&
    has(/^(?:-\w*[rR]\w*|--recursive|--dereference-recursive|--directories=recurse)$/u)
  ) {
    return folders('all', args.slice(1));
  }
  if (/^(?:rg|ag|ack)$/u.test(program)) {
    return folders(has(/^(?:-\w*[.u]\w*|--hidden|--unrestricted|--no-ignore.*)$/u) ? 'all' : 'visible', args.slice(1));
  }
  if (program === 'find' && has(/^-(?:exec|ok)/u)) return folders('all', words.slice(0, words.findIndex(isOption)));
  if (/^(?:tar|zip|rsync)$/u.test(program) || (/^(?:cp|diff)$/u.test(program) && has(/^(?:-\w*[rRa]|--recursive)/u)))
    return folders('all', args);
  return program === 'git' && args[0] === 'grep' ? folders('all', args.slice(2)) : [];
}

/**
 * The state for finding the paths that the words of a command may mean. It prefers a path too many to one too few: every value of
 * a variable counts, every folder that the command enters, and every text that code joins.
 */
export interface PathExpansion {
  readonly context: PathContext;
  /** Folders in which relative paths may begin. */
  readonly startFolders: readonly string[];
  /** The possible values of each variable. */
  readonly variables: ReadonlyMap<string, readonly string[]>;
}

/**
 * Returns the parts of a word that may be paths: the word, and the text between the characters that code and options put around
 * paths. Code joins texts to paths: `'.config' / 'weft'`, `join('.config', 'weft')`.
 */
export function pathCandidates(word: string): readonly string[] {
  const joined = word.replaceAll(/(['"`])\s*[,+/]\s*['"`]/gu, '/');
  const pieces = [word, ...(joined === word ? [] : [joined])].flatMap(text => text.split(/[\s'"`=:,@()<>|&;{}\\]+/u));
  const attached = /^-\w+?([/~.$].*)$/u.exec(word)?.[1];
  return [...new Set([word, ...pieces, ...(attached === undefined ? [] : [attached])])].filter(
    name => name !== '' && !/^-\w*$/u.test(name),
  );
}

/** Returns the absolute paths that a name may mean. */
export const possiblePaths = (name: string, scope: PathExpansion): readonly string[] =>
  withVariables(name, scope).flatMap(expanded => pathsFrom(expanded, scope));

function pathsFrom(name: string, {context, startFolders: entered}: PathExpansion): readonly string[] {
  const home = pathOf(context.homes()[0] ?? []);
  const expanded = name
    .replace(/^~[\w.-]*(?=\/|$)/u, user => (user === '~' || home.endsWith(`/${user.slice(1)}`) ? home : user))
    .replace(/^\/proc\/[^/]+\/root(?=\/|$)/u, '')
    .replace(/^\/proc\/[^/]+\/cwd(?=\/|$)/u, '.')
    .replace(/^\/{2,}/u, '/');
  if (expanded === '') return name.startsWith('/proc') ? ['/'] : [];
  // Code may join it to the home folder.
  if (isAbsolutePath(expanded)) return expanded.startsWith('/.') ? [expanded, home + expanded] : [expanded];
  const fromHome = /^\.[^./]/u.test(expanded) || expanded.startsWith('Library/') ? [`${home}/${expanded}`] : [];
  return [...entered.map(folder => `${folder}/${expanded}`), ...fromHome];
}

/** Returns the text with each possible value of its variables. Unknown variables stay. */
export function withVariables(text: string, {variables}: PathExpansion): readonly string[] {
  let results: readonly string[] = [withEnvironment(text, variables)];
  // A variable's value may contain variables.
  for (let round = 0; round < deepest && results.some(result => result.includes('$')); round += 1) {
    const next = [...new Set(results.flatMap(result => replacedOnce(result, variables)))].slice(0, maxExpansions);
    const isSame = next.length === results.length && next.every((result, at) => result === results[at]);
    results = next;
    if (isSame || next.some(result => result.length > text.length + maxGrowth)) break;
  }
  return results;
}

/** Replaces `$NAME`, `${NAME}`, `${NAME:-otherwise}` and `${NAME%/}` once, the innermost first. */
function replacedOnce(text: string, variables: PathExpansion['variables']): readonly string[] {
  let results = [''];
  let from = 0;
  for (const found of text.matchAll(/\$(?:\{(\w+)([^{}]*)\}|(\w+))/gu)) {
    if (results.some(result => result.length > from + maxGrowth)) break;
    const [written, braced, after = '', bare] = found;
    const otherwise = /^:?[-=+]([^]+)$/u.exec(after)?.[1];
    const values = [...(variables.get(braced ?? bare ?? '') ?? []), ...(otherwise === undefined ? [] : [otherwise])];
    const before = text.slice(from, found.index);
    results = results
      .flatMap(result => (values.length === 0 ? [written] : values).map(value => result + before + value))
      .slice(0, maxExpansions);
    from = found.index + written.length;
  }
  return results.map(result => result + text.slice(from));
}

/** Replaces environment variables in code: `os.environ['HOME']`, `process.env.HOME`, `$ENV{HOME}`. */
const withEnvironment = (text: string, variables: PathExpansion['variables']): string =>
  text.replaceAll(
    /(?:environ|getenv|env|ENV)(?:\.get)?\s*[.([{]\s*['"]?(\w+)(?:['"]?\s*[\])}])?/gu,
    (written, name: string) => {
      const [value] = variables.get(name) ?? [];
      return value === undefined ? written : `'${value}'`;
    },
  );

const maxExpansions = 16;

/**
 * The maximum number of characters that variables may add to a text. A self-referencing value would otherwise double the text
 * repeatedly.
 */
const maxGrowth = 4000;

/** The maximum number of nested variables in values that are replaced. */
const deepest = 6;

/** Returns the variables that lead to weft's own folders. */
export const weftFolderVariables = ({weftFolders, homes}: PathContext): PathExpansion['variables'] =>
  new Map([
    ['HOME', [pathOf(homes()[0] ?? [])]],
    ...Object.entries(weftFolders.variables).map(([name, value]) => [name, [value]] as const),
  ]);

/** Returns the state after the commands of a text: the variables that they set, and the folders that they enter. */
export function expansionAfter<T extends PathExpansion>(text: string, scope: T): T {
  const {commands} = readShell(text);
  const there = {...scope, variables: variablesSet(commands, scope)};
  return {...there, startFolders: foldersOf(commands, there)};
}

/** Returns the variables with the values that the commands assign, and the values of `for` variables. */
function variablesSet(
  commands: readonly (readonly ShellWord[])[],
  {variables}: PathExpansion,
): PathExpansion['variables'] {
  const found = new Map(variables);
  const add = (name: string, values: readonly string[]): void =>
    void found.set(name, [...new Set([...(found.get(name) ?? []), ...values])].slice(0, maxExpansions));
  for (const words of commands) {
    const [first = '', name = '', ...values] = words.map(({plain}) => plain);
    if (first === 'for' || first === 'select') add(name, values);
    for (const {plain} of words) {
      const [, assigned, value] = /^(\w+)\+?=([^]+)$/u.exec(plain) ?? [];
      if (assigned === undefined && !assigning.has(plain)) break;
      if (assigned !== undefined && value !== undefined) add(assigned, [value]);
    }
  }
  return found;
}

const assigning: ReadonlySet<string> = new Set(['export', 'local', 'declare', 'typeset', 'readonly']);

/** Returns the folders that commands start in and enter. */
function foldersOf(commands: readonly (readonly ShellWord[])[], scope: PathExpansion): readonly string[] {
  let folders = scope.startFolders;
  for (const words of commands) {
    const [program = '', ...args] = words.map(({plain}) => plain);
    const goes = /^(?:cd|pushd)$/u.test(program) ? [args.find(isOperand) ?? '~'] : [];
    for (const target of [...goes, ...foldersEnteredByOptions(args)]) {
      folders = [...new Set([...folders, ...possiblePaths(target, {...scope, startFolders: folders})])];
      if (folders.length > maxEntered) return folders.slice(0, maxEntered);
    }
  }
  return folders;
}

const maxEntered = 16;

/** Returns the folders that options such as `-C` make a program enter. */
export const foldersEnteredByOptions = (args: readonly string[]): readonly string[] =>
  attachedOrNextValues(args, /^(?:-C|--(?:directory|chdir|one-top-level|prefix|cwd)=?)/u);

/** Returns the folders that options with these letters make a program write into. */
export const outputFolders = (args: readonly string[], letters: string): readonly string[] =>
  attachedOrNextValues(args, new RegExp(`^-[${letters}]`, 'u'));

/** Returns the values of an option, attached to it or in the next word. */
const attachedOrNextValues = (args: readonly string[], option: RegExp): readonly string[] =>
  args.flatMap((word, at) => {
    if (args[at - 1]?.replace(option, '') === '') return [word];
    const value = word.replace(option, '');
    return value === word || value === '' ? [] : [value];
  });

export const isOperand = (word: string): boolean => !word.startsWith('-');
