import type {Ground} from './ground.ts';
import {isAbsolutePath, pathOf} from './path-parts.ts';
import {readShell, type ShellWord} from './read-shell.ts';

/**
 * Which paths the words of a command may stand for, when a path too many is better than one too few: variables in every way they
 * may be set, each folder the command goes to, and texts that code puts together.
 */
export interface WordPaths {
  readonly ground: Ground;
  /** Folders in which relative paths may begin. */
  readonly entered: readonly string[];
  /** What each variable may stand for. */
  readonly variables: ReadonlyMap<string, readonly string[]>;
}

/**
 * What in a word may be a path: the word, and its parts between the signs that code and options put around paths. Code joins
 * texts to paths: `'.config' / 'weft'`, `join('.config', 'weft')`.
 */
export function namesIn(word: string): readonly string[] {
  const joined = word.replaceAll(/(['"`])\s*[,+/]\s*['"`]/gu, '/');
  const pieces = [word, ...(joined === word ? [] : [joined])].flatMap(text => text.split(/[\s'"`=:,@()<>|&;{}\\]+/u));
  const stuck = /^-\w+?([/~.$].*)$/u.exec(word)?.[1];
  return [...new Set([word, ...pieces, ...(stuck === undefined ? [] : [stuck])])].filter(
    name => name !== '' && !/^-\w*$/u.test(name),
  );
}

/** The absolute paths a name may stand for. */
export const pathsOf = (name: string, look: WordPaths): readonly string[] =>
  withVariables(name, look).flatMap(expanded => pathsFrom(expanded, look));

function pathsFrom(name: string, {ground, entered}: WordPaths): readonly string[] {
  const home = pathOf(ground.homes()[0] ?? []);
  const expanded = name
    .replace(/^~[\w.-]*(?=\/|$)/u, user => (user === '~' || home.endsWith(`/${user.slice(1)}`) ? home : user))
    .replace(/^\/proc\/[^/]+\/root(?=\/|$)/u, '')
    .replace(/^\/proc\/[^/]+\/cwd(?=\/|$)/u, '.')
    .replace(/^\/{2,}/u, '/');
  if (expanded === '') return name.startsWith('/proc') ? ['/'] : [];
  // Code joins it to the home folder by itself.
  if (isAbsolutePath(expanded)) return expanded.startsWith('/.') ? [expanded, home + expanded] : [expanded];
  const fromHome = /^\.[^./]/u.test(expanded) || expanded.startsWith('Library/') ? [`${home}/${expanded}`] : [];
  return [...entered.map(folder => `${folder}/${expanded}`), ...fromHome];
}

/** The text with its variables replaced, in each way they may be set; those that nothing is known of stay. */
export function withVariables(text: string, {variables}: WordPaths): readonly string[] {
  let ways: readonly string[] = [withEnvironment(text, variables)];
  // What a variable stands for may hold variables.
  for (let round = 0; round < deepest && ways.some(way => way.includes('$')); round += 1) {
    const next = [...new Set(ways.flatMap(way => replacedOnce(way, variables)))].slice(0, mostWays);
    const isSame = next.length === ways.length && next.every((way, at) => way === ways[at]);
    ways = next;
    if (isSame || next.some(way => way.length > text.length + mostGrowth)) break;
  }
  return ways;
}

/** `$NAME`, `${NAME}`, `${NAME:-otherwise}`, `${NAME%/}`: the innermost first. */
function replacedOnce(text: string, variables: WordPaths['variables']): readonly string[] {
  let ways = [''];
  let from = 0;
  for (const found of text.matchAll(/\$(?:\{(\w+)([^{}]*)\}|(\w+))/gu)) {
    if (ways.some(way => way.length > from + mostGrowth)) break;
    const [written, braced, after = '', bare] = found;
    const otherwise = /^:?[-=+]([^]+)$/u.exec(after)?.[1];
    const values = [...(variables.get(braced ?? bare ?? '') ?? []), ...(otherwise === undefined ? [] : [otherwise])];
    const before = text.slice(from, found.index);
    ways = ways
      .flatMap(way => (values.length === 0 ? [written] : values).map(value => way + before + value))
      .slice(0, mostWays);
    from = found.index + written.length;
  }
  return ways.map(way => way + text.slice(from));
}

/** Code reads variables of the environment by name: `os.environ['HOME']`, `process.env.HOME`, `$ENV{HOME}`. */
const withEnvironment = (text: string, variables: WordPaths['variables']): string =>
  text.replaceAll(
    /(?:environ|getenv|env|ENV)(?:\.get)?\s*[.([{]\s*['"]?(\w+)(?:['"]?\s*[\])}])?/gu,
    (written, name: string) => {
      const [value] = variables.get(name) ?? [];
      return value === undefined ? written : `'${value}'`;
    },
  );

const mostWays = 16;

/** Characters by which variables may lengthen a text: those that stand for themselves twice would double it again and again. */
const mostGrowth = 4000;

/** Variables in variables that are followed. */
const deepest = 6;

/** The variables that lead to weft's folders. */
export const ownVariables = ({own, homes}: Ground): WordPaths['variables'] =>
  new Map([
    ['HOME', [pathOf(homes()[0] ?? [])]],
    ...Object.entries(own.variables).map(([name, value]) => [name, [value]] as const),
  ]);

/** What a text sets before its commands use it: variables, and the folder it goes to. */
export function enterText<T extends WordPaths>(text: string, look: T): T {
  const {commands} = readShell(text);
  const there = {...look, variables: variablesSet(commands, look)};
  return {...there, entered: foldersEntered(commands, there)};
}

/** With what the commands assign, and what the variable of a `for` may be. */
function variablesSet(commands: readonly (readonly ShellWord[])[], {variables}: WordPaths): WordPaths['variables'] {
  const found = new Map(variables);
  const add = (name: string, values: readonly string[]): void =>
    void found.set(name, [...new Set([...(found.get(name) ?? []), ...values])].slice(0, mostWays));
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

/** The folders that commands go to, one after the other and each by itself, and where they start. */
function foldersEntered(commands: readonly (readonly ShellWord[])[], look: WordPaths): readonly string[] {
  let folders = look.entered;
  for (const words of commands) {
    const [program = '', ...given] = words.map(({plain}) => plain);
    const goes = /^(?:cd|pushd)$/u.test(program) ? [given.find(isOperand) ?? '~'] : [];
    for (const target of [...goes, ...foldersChosen(given)]) {
      folders = [...new Set([...folders, ...pathsOf(target, {...look, entered: folders})])];
      if (folders.length > mostFolders) return folders.slice(0, mostFolders);
    }
  }
  return folders;
}

const mostFolders = 16;

/** The folders that options tell a program to go to. */
export const foldersChosen = (given: readonly string[]): readonly string[] =>
  valuesOf(given, /^(?:-C|--(?:directory|chdir|one-top-level)=?)/u);

/** The folders that options of these letters tell a program to put things into. */
export const foldersGiven = (given: readonly string[], letters: string): readonly string[] =>
  valuesOf(given, new RegExp(`^-[${letters}]`, 'u'));

/** What stands behind an option, or is the next word. */
const valuesOf = (given: readonly string[], option: RegExp): readonly string[] =>
  given.flatMap((word, at) => {
    if (given[at - 1]?.replace(option, '') === '') return [word];
    const value = word.replace(option, '');
    return value === word || value === '' ? [] : [value];
  });

export const isOperand = (word: string): boolean => !word.startsWith('-');
