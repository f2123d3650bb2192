import {join, resolve} from 'node:path';
import {expandHome} from '../files/resolve-path.ts';
import {isGlob} from '../glob-pattern.ts';
import {readNamePattern} from '../name-pattern.ts';
import {namesIn} from '../names-in.ts';

/** The words of a command, sorted. */
export interface Words {
  /** Options as written: `-rf`, `--recursive`, `--target=x`. */
  readonly options: readonly string[];
  readonly operands: readonly string[];
}

/** Sorts words; `withValue` names the options whose value is the next word, as `-t` or `--target-directory`. */
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
    } else if (withValue.includes(word)) {
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
  options.some(option => (option.startsWith('--') ? option === long : option.slice(1).includes(letter)));

/** The value of an option: `-t=x`, `-tx`, `--long=x`. */
export function optionValue(options: readonly string[], letter: string, long: string): string | undefined {
  for (const option of options) {
    if (option.startsWith(`${long}=`)) return option.slice(long.length + 1);
    if (!option.startsWith('--') && option.startsWith(`-${letter}`) && option.length > 2) {
      return option.slice(2).replace(/^=/u, '');
    }
  }
  return undefined;
}

/** Paths one pattern may stand for. */
const mostPaths = 100_000;

/** What the shell would make of the words in `directory`: absolute paths. A pattern that fits nothing stays as it is. */
export function expandPaths(
  words: readonly string[],
  {directory, home}: {readonly directory: string; readonly home: string},
): readonly string[] {
  // An empty word is a path that is not known.
  return words
    .filter(word => word !== '')
    .flatMap(word => {
      const path = expandHome(word, home);
      if (!isGlob(path)) return [resolve(directory, path)];
      const found = expandGlob(path, directory);
      return found.length === 0 ? [resolve(directory, path)] : found;
    });
}

function expandGlob(pattern: string, directory: string): readonly string[] {
  let bases = [pattern.startsWith('/') ? '/' : directory];
  for (const part of pattern.split('/').filter(each => each !== '')) {
    if (!isGlob(part)) {
      bases = bases.map(base => join(base, part));
      continue;
    }
    const fits = readNamePattern(part);
    bases = bases.flatMap(base =>
      namesIn(base)
        .toSorted()
        .filter(name => (part.startsWith('.') || !name.startsWith('.')) && fits(name))
        .map(name => join(base, name)),
    );
    if (bases.length > mostPaths) return bases.slice(0, mostPaths);
  }
  return bases;
}
