import {basename, join} from 'node:path';
import type {SimpleCommand} from '../../domain/risk.ts';
import {expandPaths, hasOption, optionValue, sortWords} from './operands.ts';
import {isFolder} from './overwritten-files.ts';

/** Where `mv`, `cp` and `install` would put what, as absolute paths; whether folders go with all that is in them. */
export interface Placements {
  readonly sources: readonly string[];
  readonly pairs: readonly {readonly from: string; readonly to: string}[];
  readonly recursive: boolean;
}

/** Nothing is put anywhere where the options say that nothing is replaced, or that only folders are made. */
export function placements({argv, directory}: Pick<SimpleCommand, 'argv' | 'directory'>, home: string): Placements {
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
