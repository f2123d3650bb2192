import {createHash} from 'node:crypto';
import {access, constants} from 'node:fs/promises';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {byteSize} from './byte-size.ts';
import {nearestNames} from './nearest-names.ts';
import {openRegular} from './open-regular.ts';

/** What an edit starts from. */
export type FileSnapshot = {readonly kind: 'absent'} | PresentFile;

export interface PresentFile {
  readonly kind: 'present';
  readonly bytes: Buffer;
  readonly hash: string;
  /** Permission bits and owner, for the file that replaces it. */
  readonly mode: number;
  readonly owner: {readonly user: number; readonly group: number};
  /** How many names it has: more than one are hard links. */
  readonly names: number;
}

/** A file larger than this is edited by commands. */
const largestEdited = 64_000_000;

/** Reads the whole file; the error is a sentence without the file's name. */
export async function takeSnapshot(path: string): Promise<Outcome<FileSnapshot, string>> {
  const found = await openRegular(path);
  switch (found.kind) {
    case 'missing':
      return ok({kind: 'absent'});
    case 'directory':
      return failed('it is a folder.');
    case 'refused':
      return failed(`${found.reason}.`);
    case 'file':
      break;
  }
  const {handle, stats} = found;
  try {
    if (stats.size > largestEdited) {
      return failed(
        `it is ${byteSize(stats.size)} long, at most ${byteSize(largestEdited)} can be edited; use a command.`,
      );
    }
    const bytes = await handle.readFile();
    const owner = {user: stats.uid, group: stats.gid};
    return ok({kind: 'present', bytes, hash: sha256(bytes), mode: stats.mode & 0o7777, owner, names: stats.nlink});
  } catch (cause) {
    return failed(`it could not be read: ${cause instanceof Error ? cause.message : String(cause)}.`);
  } finally {
    await handle.close();
  }
}

/** Whether this user may write the file: the administrator may write all, but means what the file's own mode says. */
export async function isWritable(path: string, {mode, owner}: PresentFile): Promise<boolean> {
  if (process.platform !== 'win32') {
    const ours = process.geteuid?.() === 0 && owner.user === 0 ? 0o200 : 0o222;
    if ((mode & ours) === 0) return false;
  }
  return access(path, constants.W_OK).then(
    () => true,
    () => false,
  );
}

/** `no such file`, with names that come near. */
export async function missingText(path: string, show: (real: string) => string): Promise<string> {
  const near = await nearestNames(path);
  const question = near.length === 0 ? '' : ` Did you mean ${near.map(show).join(' or ')}?`;
  return `there is no such file.${question}`;
}

export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
