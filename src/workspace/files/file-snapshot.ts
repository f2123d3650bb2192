import {createHash} from 'node:crypto';
import {access, constants, readdir} from 'node:fs/promises';
import {basename, dirname, join} from 'node:path';
import {editDistance} from '../../base/nearest-name.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {byteSize} from '../../base/byte-size.ts';
import {openRegular} from './regular-files.ts';
import {realPath} from './resolve-path.ts';

/** The file at the time an edit was planned. */
export type FileSnapshot = {readonly kind: 'absent'} | PresentFile;

export interface PresentFile {
  readonly kind: 'present';
  readonly bytes: Buffer;
  readonly hash: string;
  /** Permission bits and owner, for the file that replaces it. */
  readonly mode: number;
  readonly owner: {readonly user: number; readonly group: number};
  /** The number of names (hard links) of the file. */
  readonly linkCount: number;
}

/** The size of the largest file that the edit tools edit, in bytes. */
const maxEditableBytes = 64_000_000;

/** Reads the whole file. The error is a sentence without the file's name. */
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
    if (stats.size > maxEditableBytes) {
      return failed(
        `it has ${byteSize(stats.size)}, the limit for edits is ${byteSize(maxEditableBytes)}; use a command.`,
      );
    }
    const bytes = await handle.readFile();
    const owner = {user: stats.uid, group: stats.gid};
    return ok({kind: 'present', bytes, hash: sha256(bytes), mode: stats.mode & 0o7777, owner, linkCount: stats.nlink});
  } catch (cause) {
    return failed(`can't read it: ${cause instanceof Error ? cause.message : String(cause)}.`);
  }
}

/** True if this user may write the file. For root, who could write any file, the mode decides. */
export async function isWritableByUser(path: string, {mode, owner}: PresentFile): Promise<boolean> {
  const ours = process.geteuid?.() === 0 && owner.user === 0 ? 0o200 : 0o222;
  if ((mode & ours) === 0) return false;
  return access(path, constants.W_OK).then(
    () => true,
    () => false,
  );
}

/** Returns the message for a missing file, with similar names in the same folder. */
export async function missingFileText(path: string, show: (real: string) => string): Promise<string> {
  const near = await nearestNames(path);
  const question = near.length === 0 ? '' : ` Did you mean ${near.map(show).join(' or ')}?`;
  return `there is no such file.${question}`;
}

export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** The maximum number of names to compare: a folder of a hundred thousand files isn't worth the wait. */
const maxNames = 5000;

/** Returns up to three entries of the folder whose names are closest to that of the missing `path`. */
async function nearestNames(path: string): Promise<readonly string[]> {
  const folder = dirname(path);
  const wanted = basename(path).toLowerCase();
  const names = realPath(folder) === folder ? await readdir(folder).catch(() => []) : [];
  return names
    .slice(0, maxNames)
    .map(name => ({name, far: nameDistance(wanted, name.toLowerCase())}))
    .filter(({name, far}) => far <= Math.max(2, Math.floor(Math.min(wanted.length, name.length) / 2)))
    .toSorted((a, b) => a.far - b.far || (a.name < b.name ? -1 : 1))
    .slice(0, 3)
    .map(({name}) => join(folder, name));
}

/** Returns the edit distance of two names. Names that differ only in their extension have distance 1. */
const nameDistance = (a: string, b: string): number =>
  a !== b && stem(a) !== '' && stem(a) === stem(b) ? 1 : editDistance(a, b);

const stem = (name: string): string => name.replace(/\.[^.]*$/u, '');
