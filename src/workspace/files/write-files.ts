import {open, rename, rm, unlink} from 'node:fs/promises';
import {basename, dirname} from 'node:path';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {causeText, rejected, type Fault} from '../../domain/fault.ts';
import {sha256, type FileSnapshot} from './file-snapshot.ts';
import {
  type FolderHandle,
  openFolder,
  makeAndOpenFolder,
  removeFolders,
  removeStaleTemporaryFiles,
  temporaryName,
} from './folder-handle.ts';
import {openRegular} from './regular-files.ts';

export interface FileWrite {
  readonly path: string;
  /** The path for messages. */
  readonly shown: string;
  readonly before: FileSnapshot;
  /** The new content; `undefined` if the file is deleted. */
  readonly after: Buffer | undefined;
  /** The file whose mode and owner the new one gets: the replaced file, or the renamed one. */
  readonly like: FileSnapshot;
}

/**
 * Writes all files or none. First it writes every new content to a temporary file beside its target. Then it moves each
 * into place in one step, and deletes last. If a step fails, it rolls back the earlier ones. An abort counts until the
 * first file is in place.
 *
 * Every file is complete at all times, even if the process is killed. After a kill, perhaps only the first of several
 * files are new. The checkpoint taken before restores them. The next edit in a folder removes temporary files left
 * there.
 *
 * Each target becomes a new file. It keeps the old mode and owner if this user may set them. Node can't copy access
 * lists, extended attributes and flags, so these get the folder's defaults. Other hard links to the old file keep the
 * old content: a file shared by a package store must not change for everyone.
 */
export async function writeFiles(
  writes: readonly FileWrite[],
  signal: AbortSignal,
): Promise<Outcome<undefined, Fault>> {
  const staged: Staged[] = [];
  const done: Staged[] = [];
  try {
    for (const write of writes) staged.push(await stage(write));
    if (signal.aborted) throw new WriteError('The edit was stopped before anything was written.');
    for (const file of staged.toSorted((a, b) => Number(isDeletion(a)) - Number(isDeletion(b)))) {
      await moveIntoPlace(file);
      done.push(file);
    }
    for (const {folder} of staged) await folder.sync();
    return ok(undefined);
  } catch (cause) {
    const lost = await rollBack(done);
    for (const file of staged) await discardStaged(file);
    const reason = cause instanceof WriteError ? cause.message : causeText(cause);
    return failed(rejected([reason, ...lost].join(' ')));
  } finally {
    for (const {folder} of staged) await folder[Symbol.asyncDispose]();
  }
}

const isDeletion = ({write}: Staged): boolean => write.after === undefined;

/** Thrown by a step of the write; its message is for the model. */
class WriteError extends Error {}

interface Staged {
  readonly write: FileWrite;
  readonly folder: FolderHandle;
  readonly name: string;
  /** The name of the new content until it is moved into place. */
  readonly temporary: string;
  /** Folders created for the file, outermost first. */
  readonly made: readonly string[];
}

async function stage(write: FileWrite): Promise<Staged> {
  const path = dirname(write.path);
  const name = basename(write.path);
  let folder: FolderHandle | undefined;
  let made: readonly string[] = [];
  const temporary = temporaryName();
  try {
    if (write.after === undefined) folder = await openFolder(path);
    else ({folder, made} = await makeAndOpenFolder(path));
    await removeStaleTemporaryFiles(folder);
    if (write.after !== undefined) await writeAndSync(folder.at(temporary), write.after, write.like);
    return {write, folder, name, temporary, made};
  } catch (cause) {
    if (folder !== undefined) await rm(folder.at(temporary), {force: true}).catch(() => {});
    await folder?.[Symbol.asyncDispose]();
    await removeFolders(made);
    throw new WriteError(`Can't write ${write.shown}: ${causeText(cause)}.`);
  }
}

async function writeAndSync(path: string, content: Buffer, like: FileSnapshot): Promise<void> {
  await using handle = await open(path, 'wx', like.kind === 'present' ? 0o600 : 0o666);
  await handle.writeFile(content);
  if (like.kind === 'present') {
    // If the owner can't be set, the file becomes this user's; its permissions stay.
    await handle.chown(like.owner.user, like.owner.group).catch(() => {});
    await handle.chmod(like.mode);
  }
  await handle.sync();
}

async function moveIntoPlace({write, folder, name, temporary}: Staged): Promise<void> {
  const now = await hashOf(write.path, folder.at(name));
  const expected = write.before.kind === 'present' ? write.before.hash : 'absent';
  if (now !== expected || !(await folder.isInPlace())) {
    throw new WriteError(`${write.shown} changed during the edit; read it again.`);
  }
  try {
    if (write.after === undefined) await unlink(folder.at(name));
    else await rename(folder.at(temporary), folder.at(name));
  } catch (cause) {
    throw new WriteError(`Can't replace ${write.shown}: ${causeText(cause)}.`);
  }
}

/** Returns the hash of a file, or `unknown` if it is not a regular file or unreadable. */
async function hashOf(path: string, through: string): Promise<string> {
  const found = await openRegular(path, through);
  if (found.kind !== 'file') return found.kind === 'missing' ? 'absent' : 'unknown';
  await using handle = found.handle;
  return await handle.readFile().then(sha256, () => 'unknown');
}

/** Returns a sentence for each file that couldn't be restored. */
async function rollBack(done: readonly Staged[]): Promise<readonly string[]> {
  const lost: string[] = [];
  for (const file of done.toReversed()) {
    const {write, folder, name, temporary} = file;
    try {
      if (write.before.kind === 'absent') {
        await rm(folder.at(name));
      } else {
        await writeAndSync(folder.at(temporary), write.before.bytes, write.before);
        await rename(folder.at(temporary), folder.at(name));
      }
    } catch (cause) {
      const state = write.after === undefined ? 'stays removed' : 'keeps its new content';
      lost.push(`${write.shown} ${state}: ${causeText(cause)}.`);
    }
  }
  return lost;
}

async function discardStaged({folder, temporary, made}: Staged): Promise<void> {
  await rm(folder.at(temporary), {force: true}).catch(() => {});
  await removeFolders(made);
}
