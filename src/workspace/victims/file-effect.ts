import {lstatSync, statSync, type Stats} from 'node:fs';
import {basename, join} from 'node:path';
import {unknownEffect, type FileEffect, type SimpleCommand} from '../../domain/risk.ts';
import {realPath} from '../files/resolve-path.ts';
import {expandPaths, hasOption, sortWords} from './operands.ts';
import {optionOutputs} from './option-outputs.ts';
import {collisions, isFolder} from './overwritten-files.ts';
import {outputsOfDd, placements} from './placements.ts';

/**
 * What a command that puts files in place would lose, told from the disk as it is; one that deletes is there to destroy, whatever
 * lies there. Empty files and folders are no loss; a device, a pipe or a link that would be replaced is one. Anything but the programs below is `unknown`. Never throws.
 */
export function fileEffect(command: SimpleCommand, home: string): FileEffect {
  try {
    const directory = realPath(command.directory);
    const written = expandPaths(command.overwrites, {directory, home});
    const own = ownEffect({...command, directory}, home);
    return together([own, ...written.map(path => effectAt(path, writtenThrough(path)))]);
  } catch {
    return unknownEffect;
  }
}

function ownEffect({argv, directory}: SimpleCommand, home: string): FileEffect {
  const [program, ...words] = argv;
  const {options, operands} = sortWords(words, valueOptions[program] ?? []);
  const paths = (): readonly string[] => expandPaths(operands, {directory, home});
  const each = (loss: (path: string) => Loss): FileEffect => together(paths().map(path => effectAt(path, loss(path))));
  switch (program) {
    case '':
    case 'mkdir':
    case 'touch':
      return program === '' ? harmless([]) : harmless(paths());
    case 'mv':
    case 'cp':
    case 'install':
      return placed({argv, directory}, home);
    case 'git':
      // Without force git refuses to move a file over another one.
      return words[0] === 'mv' && !options.some(option => /^-\w*f|^--force/u.test(option))
        ? moved(operands.slice(1).flatMap(word => expandPaths([word], {directory, home})))
        : unknownEffect;
    case 'ln':
      // Without force it refuses to replace what is there.
      return hasOption(options, 'f', '--force') ? linked(options, paths()) : harmless(paths());
    case 'tee':
      return hasOption(options, 'a', '--append') ? harmless(paths()) : each(writtenThrough);
    case 'truncate':
      return each(writtenThrough);
    case 'dd':
      return together(
        outputsOfDd(argv)
          .flatMap(path => expandPaths([path], {directory, home}))
          .map(path => effectAt(path, writtenThrough(path))),
      );
    case 'curl':
    case 'wget':
    case 'sort': {
      const outputs = expandPaths(optionOutputs(argv), {directory, home});
      return outputs.length === 0 ? unknownEffect : together(outputs.map(path => effectAt(path, writtenThrough(path))));
    }
    default:
      return unknownEffect;
  }
}

/** `ln -f`, which replaces what bears the name of the link. */
function linked(options: readonly string[], paths: readonly string[]): FileEffect {
  const [at = '', ...sources] = paths.toReversed();
  if (sources.length === 0) return unknownEffect;
  const into =
    isFolder(at) && !hasOption(options, 'T', '--no-target-directory') && !hasOption(options, 'n', '--no-dereference');
  const places = into ? sources.map(source => join(at, basename(source))) : [at];
  return together(places.map(path => effectAt(path, kindAt(path) === 'none' ? 'nothing' : 'something')));
}

const valueOptions: Readonly<Record<string, readonly string[]>> = {
  truncate: ['-s', '--size', '-r', '--reference'],
  touch: ['-d', '--date', '-r', '--reference', '-t'],
  mkdir: ['-m', '--mode'],
};

/** `mv`, `cp` and `install`. What is not there yet may have been made by an earlier part by then, so it counts as a file. */
function placed(command: Pick<SimpleCommand, 'argv' | 'directory'>, home: string): FileEffect {
  const {pairs, recursive} = placements(command, home);
  const effects = pairs.map(({from, to}): FileEffect => {
    const lost =
      statOf(from, 'follow')?.isDirectory() === true
        ? collisions(from, to, recursive ? 'laid-over' : 'left-out').length > 0 || kindAt(to) === 'other'
        : kindAt(to) !== 'none';
    // A file cannot take the place of a folder.
    const refused = !isFolder(from) && kindAt(to) === 'folder';
    return effectAt(to, lost && !refused ? 'something' : 'nothing');
  });
  const whole = together(effects);
  return command.argv[0] === 'mv' ? {...whole, moves: whole.touches} : whole;
}

type Loss = FileEffect['loses'];

const effectAt = (path: string, loses: Loss): FileEffect => ({loses, touches: [path], moves: []});

const harmless = (paths: readonly string[]): FileEffect => ({loses: 'nothing', touches: paths, moves: []});

const moved = (paths: readonly string[]): FileEffect => ({loses: 'nothing', touches: paths, moves: paths});

/** Writing new content through links into whatever is there. */
function writtenThrough(path: string): Loss {
  if (/^\/dev\/(?:null|stdout|stderr|tty)$/u.test(path)) return 'nothing';
  const stats = statOf(path, 'follow');
  if (stats === undefined || stats.isDirectory()) return 'nothing';
  return stats.isFile() && stats.size === 0 ? 'nothing' : 'something';
}

/** `none`: nothing, or an empty file. */
function kindAt(path: string): 'none' | 'folder' | 'other' {
  const stats = statOf(path, 'itself');
  if (stats === undefined || (stats.isFile() && stats.size === 0)) return 'none';
  return stats.isDirectory() ? 'folder' : 'other';
}

/** What cannot be looked at for another reason than that it is missing is thrown. */
function statOf(path: string, links: 'follow' | 'itself'): Stats | undefined {
  return (links === 'follow' ? statSync : lstatSync)(path, {throwIfNoEntry: false});
}

function together(effects: readonly FileEffect[]): FileEffect {
  const loses = (['something', 'unknown'] as const).find(loss => effects.some(effect => effect.loses === loss));
  return {
    loses: loses ?? 'nothing',
    touches: effects.flatMap(({touches}) => touches),
    moves: effects.flatMap(({moves}) => moves),
  };
}
