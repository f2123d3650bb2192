import {type FileEffect, type ResolvedCommand, unknownFileEffect} from '../../domain/risk.ts';
import {isFolder} from '../files/list-folder.ts';
import {lstatSync, statSync, type Stats} from 'node:fs';
import {basename} from 'node:path';
import {realPath} from '../files/resolve-path.ts';
import {expandPaths, hasOption, sortWords, type Write, writesOf} from './command-words.ts';
import {collisions} from './overwrite-impact.ts';

/**
 * Whether a command that writes or moves files would overwrite something, by the present state of the disk. Commands that delete are
 * not looked at. Empty files and folders are no loss; a replaced device, pipe or link is one. Never throws.
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

function ownEffect({argv: [written, ...words], directory}: ResolvedCommand, home: string): FileEffect {
  // A program of another folder may only have the name.
  const program = /^\/(?:usr\/)?(?:local\/)?bin\/[\w-]+$/u.test(written) ? basename(written) : written;
  if (program === '') return together([]);
  if (program === 'git') {
    const {options, operands} = sortWords(words);
    const [, ...moved] = operands;
    // Without force git refuses to move a file over another one.
    if (words[0] !== 'mv' || hasOption(options, 'f', '--force')) return unknownFileEffect;
    const touches = expandPaths(moved, {directory, home});
    return {loses: 'nothing', touches, moves: touches};
  }
  const writes = writesOf({argv: [program, ...words], directory}, home);
  if (writes === undefined) return unknownFileEffect;
  const whole = together(writes.map(write => effectAt(write.path, lossOf(write))));
  return program === 'mv' ? {...whole, moves: whole.touches} : whole;
}

type Loss = FileEffect['loses'];

/** A source that does not exist counts as a file: an earlier part of the command may make it. */
function lossOf({path, loses, placed}: Write): Loss {
  if (loses === 'nothing') return 'nothing';
  if (loses === 'content') return writtenThrough(path);
  if (placed === undefined) return kindAt(path) === 'none' ? 'nothing' : 'something';
  const {from, folders} = placed;
  const lost =
    statOf(from, 'follow')?.isDirectory() === true
      ? collisions(from, path, folders).length > 0 || kindAt(path) === 'other'
      : kindAt(path) !== 'none';
  // A file cannot take the place of a folder.
  const refused = !isFolder(from) && kindAt(path) === 'folder';
  return lost && !refused ? 'something' : 'nothing';
}

const effectAt = (path: string, loses: Loss): FileEffect => ({loses, touches: [path], moves: []});

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
