import {type FileEffect, type ResolvedCommand, unknownFileEffect} from '../../domain/risk.ts';
import {isFolder} from '../files/list-folder.ts';
import {lstatSync, statSync, type Stats} from 'node:fs';
import {basename, join} from 'node:path';
import {realPath} from '../files/resolve-path.ts';
import {expandPaths, hasOption, optionOutputs, outputsOfDd, placements, sortWords} from './command-words.ts';
import {collisions} from './overwrite-impact.ts';

/**
 * Whether a command that writes or moves files would overwrite something, by the present state of the disk. Commands that delete are
 * not looked at. Empty files and folders are no loss; a replaced device, pipe or link is one. The effect of any program but those below
 * is `unknown`. Never throws.
 */
export function fileEffect(command: ResolvedCommand, home: string): FileEffect {
  try {
    const directory = realPath(command.directory);
    const written = expandPaths(command.overwrites, {directory, home});
    const own = ownEffect({...command, directory}, home);
    return together([own, ...written.map(path => effectAt(path, writtenThrough(path)))]);
  } catch {
    return unknownFileEffect;
  }
}

function ownEffect({argv, directory}: ResolvedCommand, home: string): FileEffect {
  const [written, ...words] = argv;
  // A program of another folder may only have the name.
  const program = /^\/(?:usr\/)?(?:local\/)?bin\/[\w-]+$/u.test(written) ? basename(written) : written;
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
      return words[0] === 'mv' && !options.some(option => /^-\w*f|^--f/u.test(option))
        ? moved(operands.slice(1).flatMap(word => expandPaths([word], {directory, home})))
        : unknownFileEffect;
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
      return outputs.length === 0
        ? unknownFileEffect
        : together(outputs.map(path => effectAt(path, writtenThrough(path))));
    }
    default:
      return unknownFileEffect;
  }
}

/** `ln -f`, which replaces the file at the path of the link. */
function linked(options: readonly string[], paths: readonly string[]): FileEffect {
  const [at = '', ...sources] = paths.toReversed();
  if (sources.length === 0) return unknownFileEffect;
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

/** `mv`, `cp` and `install`. A source that does not exist counts as a file: an earlier part of the command may make it. */
function placed(command: Pick<ResolvedCommand, 'argv' | 'directory'>, home: string): FileEffect {
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
  return basename(command.argv[0]) === 'mv' ? {...whole, moves: whole.touches} : whole;
}

type Loss = FileEffect['loses'];

const effectAt = (path: string, loses: Loss): FileEffect => ({loses, touches: [path], moves: []});

const harmless = (paths: readonly string[]): FileEffect => ({loses: 'nothing', touches: paths, moves: []});

const moved = (paths: readonly string[]): FileEffect => ({loses: 'nothing', touches: paths, moves: paths});

/** The loss from writing new content to a path, links followed. */
function writtenThrough(path: string): Loss {
  if (/^\/dev\/(?:null|stdout|stderr|tty)$/u.test(path)) return 'nothing';
  const stats = statOf(path, 'follow');
  if (stats === undefined || stats.isDirectory()) return 'nothing';
  return stats.isFile() && stats.size === 0 ? 'nothing' : 'something';
}

/** The kind of entry at a path; `none` for an empty file too. */
function kindAt(path: string): 'none' | 'folder' | 'other' {
  const stats = statOf(path, 'itself');
  if (stats === undefined || (stats.isFile() && stats.size === 0)) return 'none';
  return stats.isDirectory() ? 'folder' : 'other';
}

/** The stats of a path; `undefined` if it is missing. Throws other errors. */
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
