import type {ResolvedCommand} from '../../domain/risk.ts';
import {entryNames, isFolder} from '../files/list-folder.ts';
import {basename, join, resolve} from 'node:path';
import {compileName, hasWildcard} from '../../base/glob.ts';
import {expandHome} from '../files/resolve-path.ts';

/** The words of a command, split into options and operands. */
interface Words {
  /** Options as written: `-rf`, `--recursive`, `--target=x`. */
  readonly options: readonly string[];
  readonly operands: readonly string[];
}

/** Splits words into options and operands; `withValue` names the options whose value is the next word, as `-t` or `--target-directory`. */
export function sortWords(words: readonly string[], withValue: readonly string[] = []): Words {
  const options: string[] = [];
  const operands: string[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (word === '--') {
      operands.push(...words.slice(at + 1));
      break;
    }
    if (!word.startsWith('-') || word === '-') {
      operands.push(word);
    } else if (withValue.some(name => isOption(word, name))) {
      options.push(`${word}=${words[at + 1] ?? ''}`);
      at += 1;
    } else {
      options.push(word);
    }
  }
  return {options, operands};
}

/** Whether one of the options is `letter` (also in a cluster such as `-rf`) or `long`. */
export const hasOption = (options: readonly string[], letter: string, long: string): boolean =>
  options.some(option => (option.startsWith('--') ? isOption(option, long) : option.slice(1).includes(letter)));

/** True if a word is the option. A long name may be abbreviated, as GNU programs and git allow: `--rec` is `--recursive`. */
export const isOption = (word: string, option: string): boolean =>
  word === option || (word.length > 2 && word.startsWith('--') && option.startsWith(word));

/** The value of an option: `-t=x`, `-tx`, `--long=x`. */
export function optionValue(options: readonly string[], letter: string, long: string): string | undefined {
  for (const option of options) {
    const [name = '', ...value] = option.split('=');
    if (value.length > 0 && isOption(name, long)) return value.join('=');
    if (!option.startsWith('--') && option.startsWith(`-${letter}`) && option.length > 2) {
      return option.slice(2).replace(/^=/u, '');
    }
  }
  return undefined;
}

/** Paths one pattern may stand for. */
const mostPaths = 100_000;

/** Expands words to absolute paths as the shell would in `directory`. A pattern that matches nothing stays as it is. */
export function expandPaths(
  words: readonly string[],
  {directory, home}: {readonly directory: string; readonly home: string},
): readonly string[] {
  // An empty word stands for a path that is not known.
  return words
    .filter(word => word !== '')
    .flatMap(word => {
      const path = expandHome(word, home);
      if (!hasWildcard(path)) return [resolve(directory, path)];
      const found = expandGlob(path, directory);
      return found.length === 0 ? [resolve(directory, path)] : found;
    });
}

function expandGlob(pattern: string, directory: string): readonly string[] {
  let bases = [pattern.startsWith('/') ? '/' : directory];
  for (const part of pattern.split('/').filter(each => each !== '')) {
    if (!hasWildcard(part)) {
      bases = bases.map(base => join(base, part));
      continue;
    }
    const fits = compileName(part, {sets: 'exact', hidden: 'as in shells'});
    bases = bases.flatMap(base =>
      entryNames(base)
        .toSorted()
        .filter(fits)
        .map(name => join(base, name)),
    );
    if (bases.length > mostPaths) return bases.slice(0, mostPaths);
  }
  return bases;
}

/** The files that a program writes by its options, as written: `curl -o`, `curl -O`, `wget -O`, `sort -o`. */
export function optionOutputs([program = '', ...words]: readonly string[]): readonly string[] {
  const writer = writers.get(basename(program));
  if (writer === undefined) return [];
  const found: string[] = [];
  const operands: string[] = [];
  let folder = '';
  let isByUrl = false;
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    const [, long = '', value] = /^(--[^=]+)(?:=([\s\S]*))?$/u.exec(word) ?? [];
    if (isOption(long, writer.long) || long === '--output-dir') {
      const path = value ?? words[(at += 1)] ?? '';
      if (isOption(long, writer.long)) found.push(path);
      else folder = `${path}/`;
    } else if (long === '--remote-name') isByUrl = true;
    else if (/^-[^-]/u.test(word)) {
      for (let letter = 1; letter < word.length; letter += 1) {
        const name = word.charAt(letter);
        if (name === 'O' && basename(program) === 'curl') isByUrl = true;
        if (name !== writer.letter && !writer.valued.includes(name)) continue;
        const given = letter + 1 < word.length ? word.slice(letter + 1) : (words[(at += 1)] ?? '');
        if (name === writer.letter) found.push(given);
        break;
      }
    } else if (!word.startsWith('-')) operands.push(word);
  }
  const byUrl = isByUrl
    ? operands.flatMap(url => /[^/]\/(?:[^?#]*\/)?([^/?#]+)(?:[?#].*)?$/u.exec(url)?.[1] ?? [])
    : [];
  return [...found, ...byUrl]
    .filter(path => !/^(?:-|\/dev\/(?:null|stdout|stderr|tty))$/u.test(path))
    .map(path => (path.startsWith('/') ? path : folder + path));
}

interface Writer {
  readonly letter: string;
  readonly long: string;
  /** Other letters that take a value. */
  readonly valued: string;
}

const writers: ReadonlyMap<string, Writer> = new Map([
  ['curl', {letter: 'o', long: '--output', valued: 'AbcCdDeEFhHKmPQrtTuUwxXyYz'}],
  ['wget', {letter: 'O', long: '--output-document', valued: 'aABDeiIloPQRtTUwX'}],
  ['sort', {letter: 'o', long: '--output', valued: 'kStT'}],
]);

/** The sources and targets of `mv`, `cp` and `install` as absolute paths, and whether folders are copied with their content. */
interface Placements {
  readonly sources: readonly string[];
  readonly pairs: readonly {readonly from: string; readonly to: string}[];
  readonly recursive: boolean;
}

/** The pairs are empty if options say that nothing is replaced (`-n`) or that only folders are made (`install -d`). */
export function placements({argv, directory}: Pick<ResolvedCommand, 'argv' | 'directory'>, home: string): Placements {
  const program = basename(argv[0]);
  const values = ['-t', '--target-directory', '-S', '--suffix', ...(program === 'install' ? ['-m', '-o', '-g'] : [])];
  const {options, operands} = sortWords(argv.slice(1), values);
  const given = optionValue(options, 't', '--target-directory');
  const [target = '', ...others] = given === undefined ? operands.toReversed() : [given, ...operands];
  const [at = ''] = expandPaths([target], {directory, home});
  const sources = others.flatMap(word =>
    expandPaths([word], {directory, home}).map(path => ({path, name: /(?:^|\/)\.$/u.test(word) ? '' : basename(path)})),
  );
  const leavesAlone =
    program === 'install'
      ? hasOption(options, 'd', '--directory')
      : hasOption(options, 'n', '--no-clobber') || options.includes('--update=none');
  const into = isFolder(at) && !hasOption(options, 'T', '--no-target-directory');
  return {
    sources: sources.map(({path}) => path),
    pairs: leavesAlone ? [] : sources.map(({path, name}) => ({from: path, to: into ? join(at, name) : at})),
    recursive: program === 'cp' && ['r', 'R', 'a'].some(letter => hasOption(options, letter, '--recursive')),
  };
}

/** The files that `dd` writes, as written. */
export const outputsOfDd = (argv: readonly string[]): readonly string[] =>
  argv.filter(word => word.startsWith('of=')).map(word => word.slice(3));
