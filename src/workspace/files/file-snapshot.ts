import {createHash} from 'node:crypto';
import {access, constants, readdir} from 'node:fs/promises';
import {basename, dirname, join} from 'node:path';
import {editDistance} from '../../base/nearest-name.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {byteSize} from '../../base/byte-size.ts';
import {openRegular} from './regular-files.ts';
import {realPath} from './resolve-path.ts';

/** The file as it was when an edit was planned. */
export type FileSnapshot = {readonly kind: 'absent'} | PresentFile;

export interface PresentFile {
  readonly kind: 'present';
  readonly bytes: Buffer;
  readonly hash: string;
  /** Permission bits and owner, for the file that replaces it. */
  readonly mode: number;
  readonly owner: {readonly user: number; readonly group: number};
  /** How many names (hard links) the file has. */
  readonly names: number;
}

/** Bytes of a file that the edit tools still edit. */
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
  const {stats} = found;
  await using handle = found.handle;
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
  }
}

/** Whether this user may write the file. Root could write every file; for root the file's mode decides all the same. */
export async function isWritableByUser(path: string, {mode, owner}: PresentFile): Promise<boolean> {
  if (process.platform !== 'win32') {
    const ours = process.geteuid?.() === 0 && owner.user === 0 ? 0o200 : 0o222;
    if ((mode & ours) === 0) return false;
  }
  return access(path, constants.W_OK).then(
    () => true,
    () => false,
  );
}

/** The message that there is no such file, with similar names in the same folder. */
export async function missingFileText(path: string, show: (real: string) => string): Promise<string> {
  const near = await nearestNames(path);
  const question = near.length === 0 ? '' : ` Did you mean ${near.map(show).join(' or ')}?`;
  return `there is no such file.${question}`;
}

export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Names compared before giving up: a folder of a hundred thousand files is not worth the wait. */
const maxNames = 5000;

/** Up to three entries of the same folder whose names are closest to that of `path`, which does not exist. */
async function nearestNames(path: string): Promise<readonly string[]> {
  const folder = dirname(path);
  const wanted = basename(path).toLowerCase();
  const names = realPath(folder) === folder ? await readdir(folder).catch(() => []) : [];
  return names
    .slice(0, maxNames)
    .map(name => ({name, far: distance(wanted, name.toLowerCase())}))
    .filter(({name, far}) => far <= Math.max(2, Math.floor(Math.min(wanted.length, name.length) / 2)))
    .toSorted((a, b) => a.far - b.far || (a.name < b.name ? -1 : 1))
    .slice(0, 3)
    .map(({name}) => join(folder, name));
}

/** The edit distance of two names; names that differ only in their extension have distance 1. */
const distance = (a: string, b: string): number =>
  a !== b && stem(a) !== '' && stem(a) === stem(b) ? 1 : editDistance(a, b);

const stem = (name: string): string => name.replace(/\.[^.]*$/u, '');
