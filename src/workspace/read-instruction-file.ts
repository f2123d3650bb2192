import {closeSync, constants, fstatSync, openSync, readSync, realpathSync, statSync, type Stats} from 'node:fs';
import {basename, dirname, join, sep} from 'node:path';
import {instructionFileNames, maxInstructions, type InstructionFile} from '../config/instructions.ts';
import {holds} from './files/resolve-path.ts';

export interface InstructionPlaces {
  readonly workspace: string;
  /** The user's own folder. What he links there may lie anywhere, unless it is part of the workspace. */
  readonly config: string;
  /** Whether a file of that name is made to hold secrets. */
  readonly isSecretFile: (name: string) => boolean;
}

/**
 * Reads the beginning of a file of standing instructions. A repository may hold a link of that name, and what is read goes to the
 * model before anybody has trusted the folder: so the file must be a regular one, and lie in the folder it was found in or in the
 * workspace. A file that somebody else put into a folder where all may write (a parent such as /tmp) does not count either.
 */
export function readInstructionFile(folder: string, name: string, places: InstructionPlaces): InstructionFile {
  const path = join(folder, name);
  try {
    const real = realpathSync.native(path);
    const why = whyNotRead(real, {folder, name, places}) ?? whyNoText(statSync(real));
    if (why !== undefined) return {kind: 'skipped', why};
    return readBeginning(real);
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'it cannot be read';
    return code === 'ENOENT' || code === 'ENOTDIR' ? {kind: 'none'} : {kind: 'skipped', why: code};
  }
}

function whyNotRead(
  real: string,
  {folder, name, places}: {readonly folder: string; readonly name: string; readonly places: InstructionPlaces},
): string | undefined {
  const found = realpathSync.native(folder);
  if (real === join(found, name)) return undefined;
  const workspace = realPathOf(places.workspace);
  const isUsers = found === realPathOf(places.config) && !holds(workspace, found);
  const isInside = holds(workspace, real) || holds(found, real);
  if (!isUsers && !isInside && !isOfFolderAbove(real, places)) return `it is a link to ${real}, outside the workspace`;
  if (places.isSecretFile(basename(real)) || real.split(sep).includes('.git')) {
    return `it is a link to ${real}, which may hold secrets`;
  }
  return undefined;
}

/** Whether the file is the instructions of a folder above the workspace, which are read for that folder in any case. */
const isOfFolderAbove = (real: string, {workspace}: InstructionPlaces): boolean =>
  instructionFileNames.some(name => name === basename(real)) && holds(dirname(real), realPathOf(workspace));

function whyNoText(stats: Stats): string | undefined {
  if (!stats.isFile()) return 'it is not a regular file';
  const self = process.getuid?.();
  if (self !== undefined && stats.uid !== self && stats.uid !== 0) return 'it belongs to another user';
  return undefined;
}

/** Bytes that hold more characters than are used: a UTF-16 unit takes at most three. */
const mostBytes = 3 * maxInstructions + 64;

/** The path may name another file by now: what counts is the file that is open. A FIFO does not make the opening wait. */
function readBeginning(real: string): InstructionFile {
  const handle = openSync(real, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  try {
    const stats = fstatSync(handle);
    const now = statSync(realpathSync.native(real));
    if (realpathSync.native(real) !== real || now.ino !== stats.ino || now.dev !== stats.dev) {
      return {kind: 'skipped', why: 'it changed while it was read'};
    }
    const why = whyNoText(stats);
    if (why !== undefined) return {kind: 'skipped', why};
    // Files that the system makes up as they are read, such as those of /proc, have no size.
    const bytes = Buffer.alloc(Math.min(stats.size, mostBytes));
    const read = readSync(handle, bytes, 0, bytes.length, 0);
    const text = new TextDecoder('utf-8', {ignoreBOM: true}).decode(bytes.subarray(0, read), {
      stream: read < stats.size,
    });
    return text.includes('\0')
      ? {kind: 'skipped', why: 'it is not text'}
      : {kind: 'text', real, text, bytes: stats.size};
  } finally {
    closeSync(handle);
  }
}

function realPathOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}
