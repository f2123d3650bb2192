import type {ResolvedCommand} from '../../domain/risk.ts';
import {entryNames, isFolder} from '../files/list-folder.ts';
import {basename, join, resolve} from 'node:path';
import {compileName, hasWildcard} from '../../base/glob.ts';
import {expandHome} from '../files/resolve-path.ts';
import {kindOf} from './deletion-impact.ts';

/** The words of a command, split into options and operands. */
interface Words {
  readonly options: readonly Option[];
  readonly operands: readonly string[];
}

interface Option {
  /** As written, each letter for itself: `-r`, `--rec`. */
  readonly name: string;
  readonly value: string | undefined;
}

/** Splits words into options and operands; `valued` names the options that take a value: `-t --target-directory`. */
export function sortWords(words: readonly string[], valued = ''): Words {
  const known = valued.split(' ');
  const options: Option[] = [];
  const operands: string[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    const [name = '', ...values] = word.split('=');
    if (word === '--') {
      operands.push(...words.slice(at + 1));
      break;
    }
    if (!word.startsWith('-') || word === '-') operands.push(word);
    else if (values.length > 0 && word.startsWith('--')) options.push({name, value: values.join('=')});
    else if (word.startsWith('--')) {
      const value = known.some(option => isOption(name, option)) ? (words[(at += 1)] ?? '') : undefined;
      options.push({name, value});
    } else {
      for (let letter = 1; letter < word.length; letter += 1) {
        const short = `-${word.charAt(letter)}`;
        const rest = word.slice(letter + 1);
        if (!known.includes(short)) options.push({name: short, value: undefined});
        else {
          options.push({name: short, value: rest === '' ? (words[(at += 1)] ?? '') : rest});
          break;
        }
      }
    }
  }
  return {options, operands};
}

/** Whether one of the options is `letter` or `long`. */
export const hasOption = (options: readonly Option[], letter: string, long: string): boolean =>
  options.some(({name}) => name === `-${letter}` || isOption(name, long));

/** True if a word is the option. A long name may be abbreviated, as GNU programs and git allow: `--rec` is `--recursive`. */
const isOption = (word: string, option: string): boolean =>
  word === option || (word.length > 2 && word.startsWith('--') && option.startsWith(word));

/** The values that an option is given. */
export const optionValues = (options: readonly Option[], letter: string, long: string): readonly string[] =>
  options.flatMap(({name, value}) =>
    value !== undefined && (name === `-${letter}` || isOption(name, long)) ? [value] : [],
  );

/** Paths one pattern may stand for. */
const maxPaths = 100_000;

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
    if (bases.length > maxPaths) return bases.slice(0, maxPaths);
  }
  return bases;
}

/** What a command does at a path. */
export interface Write {
  readonly path: string;
  /** `content`: the file there gets new content, links followed. `entry`: the file or link itself is replaced. */
  readonly loses: 'content' | 'entry' | 'nothing';
  /** The file that is put there by `mv`, `cp` or `install`, and whether a folder is laid over one that is there. */
  readonly placed: {readonly from: string; readonly folders: 'laid-over' | 'left-out'} | undefined;
}

/** What a command writes and replaces by its words; `undefined` if that is not known of the program. */
export function writesOf(
  {argv: [program, ...words], directory}: Pick<ResolvedCommand, 'argv' | 'directory'>,
  home: string,
): readonly Write[] | undefined {
  const {options, operands} = sortWords(words, valuedOptions[program]);
  const has = (letter: string, long: string): boolean => hasOption(options, letter, long);
  const paths = (of: readonly string[]): readonly string[] => expandPaths(of, {directory, home});
  const given = optionValues(options, 't', '--target-directory').at(-1);
  // The target stands last, if no option names it.
  const [target = '', ...sources] = given === undefined ? operands.toReversed() : [given, ...operands];
  const at = (of: readonly string[], loses: Write['loses']): readonly Write[] =>
    paths(of).map(path => ({path, loses, placed: undefined}));
  switch (program) {
    case 'mkdir':
    case 'touch':
      return at(operands, 'nothing');
    case 'mv':
    case 'cp':
    case 'install': {
      const leavesAlone = program === 'install' ? has('d', '--directory') : keepsFiles(options);
      const [place = ''] = paths([target]);
      const into = isFolder(place) && !has('T', '--no-target-directory');
      const whole = program === 'cp' && (has('r', '--recursive') || has('R', '') || has('a', '--archive'));
      const folders = whole ? 'laid-over' : 'left-out';
      return (leavesAlone ? [] : sources).flatMap(word =>
        paths([word]).map(from => {
          const path = into ? join(place, /(?:^|\/)\.$/u.test(word) ? '' : basename(from)) : place;
          return {path, loses: 'entry' as const, placed: {from, folders} as const};
        }),
      );
    }
    case 'ln': {
      // Without force it refuses to replace what is there.
      if (!has('f', '--force')) return at(operands, 'nothing');
      if (sources.length === 0) return undefined;
      const [place = ''] = paths([target]);
      const isInside = has('n', '--no-dereference') ? kindOf(place) === 'folder' : isFolder(place);
      const into = isInside && !has('T', '--no-target-directory');
      return at(into ? paths(sources).map(source => join(place, basename(source))) : [place], 'entry');
    }
    case 'tee':
      return at(operands, has('a', '--append') ? 'nothing' : 'content');
    case 'truncate':
      return at(operands, 'content');
    case 'dd':
      return at(
        operands.flatMap(word => (word.startsWith('of=') ? [word.slice(3)] : [])),
        'content',
      );
    case 'curl':
    case 'wget':
    case 'sort': {
      const [letter, long] = program === 'wget' ? ['O', '--output-document'] : ['o', '--output'];
      const byUrl = program === 'curl' && has('O', '--remote-name') ? operands.flatMap(nameInUrl) : [];
      const folder = options.findLast(({name}) => name === '--output-dir')?.value;
      const files = [...optionValues(options, letter, long), ...byUrl].filter(
        file => !/^(?:-|\/dev\/(?:null|stdout|stderr|tty))$/u.test(file),
      );
      const named = files.map(file => (folder === undefined || file.startsWith('/') ? file : `${folder}/${file}`));
      return named.length === 0 ? undefined : at(named, 'content');
    }
    default:
      return undefined;
  }
}

const keepsFiles = (options: readonly Option[]): boolean =>
  hasOption(options, 'n', '--no-clobber') || options.some(({name, value}) => name === '--update' && value === 'none');

const nameInUrl = (url: string): readonly string[] =>
  /[^/]\/(?:[^?#]*\/)?([^/?#]+)(?:[?#].*)?$/u.exec(url)?.slice(1) ?? [];

const placing = '-t --target-directory -S --suffix';

const valuedOptions: Readonly<Record<string, string>> = {
  mv: placing,
  cp: placing,
  install: `${placing} -m -o -g --mode --owner --group`,
  ln: placing,
  truncate: '-s --size -r --reference',
  touch: '-d --date -r --reference -t',
  mkdir: '-m --mode',
  curl: '-o --output --output-dir -A -b -c -C -d -D -e -E -F -h -H -K -m -P -Q -r -t -T -u -U -w -x -X -y -Y -z',
  wget: '-O --output-document -a -A -B -D -e -i -I -l -o -P -Q -R -t -T -U -w -X',
  sort: '-o --output -k -S -t -T',
};
