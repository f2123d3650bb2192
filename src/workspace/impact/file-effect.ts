import {tryOr} from '../../base/outcome.ts';
import {type FileEffect, type ResolvedCommand, unknownFileEffect} from '../../domain/risk.ts';
import {isFolder} from '../files/list-folder.ts';
import {lstatSync, statSync, type Stats} from 'node:fs';
import {realPath} from '../files/resolve-path.ts';
import {expandPaths, type PathWrite, writesOf} from './command-writes.ts';
import type {CommandContext} from './impact.ts';
import {collisions} from './overwrite-impact.ts';

/**
 * Returns whether a command that writes or moves files would overwrite something that is now on the disk. Ignores
 * commands that delete. The loss of empty files and folders doesn't count. The loss of a replaced device, pipe or link
 * does. Never throws.
 */
export function fileEffect(command: ResolvedCommand, {home, readCommand}: CommandContext): FileEffect {
  try {
    const base = {directory: realPath(command.directory), home};
    const written = expandPaths(command.overwrites, base);
    const [program, ...words] = command.argv;
    // A program in another folder may only share the name.
    const isKnown = !program.includes('/') || /^\/(?:usr\/)?(?:local\/)?bin\/[\w-]+$/u.test(program);
    const {changes} = readCommand([isKnown ? program : '', ...words]);
    const own = program === '' ? [] : writesOf(changes, base)?.map(write => effectAt(write.path, lossOf(write)));
    const whole = combineEffects([
      own === undefined ? unknownFileEffect : combineEffects(own),
      ...written.map(path => effectAt(path, lossOfWriting(path))),
    ]);
    const moves = changes?.some(({does}) => does === 'moves' || does === 'renames') === true;
    return moves ? {...whole, moves: own?.flatMap(({touches}) => touches) ?? []} : whole;
  } catch {
    return unknownFileEffect;
  }
}

type Loss = FileEffect['loses'];

/** A missing source counts as a file, because an earlier part of the command may create it. */
function lossOf({path, loses, placed}: PathWrite): Loss {
  if (loses === 'nothing') return 'nothing';
  if (loses === 'content') return lossOfWriting(path);
  if (placed === undefined) return kindAt(path) === 'none' ? 'nothing' : 'something';
  const {from, folders} = placed;
  const lost =
    statOf(from, 'follow')?.isDirectory() === true
      ? collisions(from, path, folders).length > 0 || kindAt(path) === 'other'
      : kindAt(path) !== 'none';
  // A file can't replace a folder.
  const refused = !isFolder(from) && kindAt(path) === 'folder';
  return lost && !refused ? 'something' : 'nothing';
}

const effectAt = (path: string, loses: Loss): FileEffect => ({loses, touches: [path], moves: []});

/** Returns the loss from writing new content to a path, links followed. */
function lossOfWriting(path: string): Loss {
  if (/^\/dev\/(?:null|stdout|stderr|tty)$/u.test(path)) return 'nothing';
  const stats = statOf(path, 'follow');
  if (stats === undefined || stats.isDirectory()) return 'nothing';
  return stats.isFile() && stats.size === 0 ? 'nothing' : 'something';
}

/** Returns the kind of entry at a path; `none` for an empty file too. */
function kindAt(path: string): 'none' | 'folder' | 'other' {
  const stats = statOf(path, 'itself');
  if (stats === undefined || (stats.isFile() && stats.size === 0)) return 'none';
  return stats.isDirectory() ? 'folder' : 'other';
}

/** Returns the stats of a path, or `undefined` if it is missing. Throws other errors. */
function statOf(path: string, links: 'follow' | 'itself'): Stats | undefined {
  return (links === 'follow' ? statSync : lstatSync)(path, {throwIfNoEntry: false});
}

function combineEffects(effects: readonly FileEffect[]): FileEffect {
  const loses = (['something', 'unknown'] as const).find(loss => effects.some(effect => effect.loses === loss));
  return {
    loses: loses ?? 'nothing',
    touches: effects.flatMap(({touches}) => touches),
    moves: effects.flatMap(({moves}) => moves),
  };
}

/** Returns the kind of an entry, links not followed. A file with another name counts as `other`: a change shows there, too. */
export function entryKind(path: string): 'none' | 'file' | 'folder' | 'other' {
  const stats = tryOr(() => statOf(path, 'itself') ?? 'none', 'other');
  if (typeof stats === 'string') return stats;
  if (stats.isDirectory()) return 'folder';
  return stats.isFile() && stats.nlink === 1 ? 'file' : 'other';
}
