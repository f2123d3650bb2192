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
 * Writes all files or none. First every new content is put on the disk beside its target, then each takes its target's place
 * in one step, then what goes is removed; if one cannot, those before it are put back. A file is always whole: a process that
 * is killed leaves the old one or the new one, and of several files perhaps only the first ones new: the checkpoint taken
 * before takes them back. Temporary files it leaves are removed by the next edit in their folder. An abort counts until the
 * first takes its place.
 *
 * The file that takes the place is a new one. Mode and owner are those of the old one, where this user may give them; what Node
 * cannot copy (access lists, extended attributes, flags) is the folder's default. Other names of the old file (hard links) keep
 * the old content: a file that a package store shares is not to change under all that share it.
 */
export async function writeFiles(
  writes: readonly FileWrite[],
  signal: AbortSignal,
): Promise<Outcome<undefined, Fault>> {
  const staged: Staged[] = [];
  const done: Staged[] = [];
  try {
    for (const write of writes) staged.push(await stage(write));
    if (signal.aborted) throw new NotWritten('The edit was stopped before anything was written.');
    for (const file of staged.toSorted((a, b) => Number(goes(a)) - Number(goes(b)))) {
      await putInPlace(file);
      done.push(file);
    }
    for (const {folder} of staged) await folder.sync();
    return ok(undefined);
  } catch (cause) {
    const lost = await putBack(done);
    for (const file of staged) await unstage(file);
    const reason = cause instanceof NotWritten ? cause.message : causeText(cause);
    return failed(rejected([reason, ...lost].join(' ')));
  } finally {
    for (const {folder} of staged) await folder[Symbol.asyncDispose]();
  }
}

const goes = ({write}: Staged): boolean => write.after === undefined;

/** Thrown by a step of the write; its message is for the model. */
class NotWritten extends Error {}

interface Staged {
  readonly write: FileWrite;
  readonly folder: FolderHandle;
  readonly name: string;
  /** The name of the new content until it takes its place. */
  readonly temporary: string;
  /** Folders made for it, the outermost first. */
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
    if (write.after !== undefined) await writeWhole(folder.at(temporary), write.after, write.like);
    return {write, folder, name, temporary, made};
  } catch (cause) {
    if (folder !== undefined) await rm(folder.at(temporary), {force: true}).catch(() => {});
    await folder?.[Symbol.asyncDispose]();
    await removeFolders(made);
    throw new NotWritten(`${write.shown} could not be written: ${causeText(cause)}.`);
  }
}

async function writeWhole(path: string, content: Buffer, like: FileSnapshot): Promise<void> {
  await using handle = await open(path, 'wx', like.kind === 'present' ? 0o600 : 0o666);
  await handle.writeFile(content);
  if (like.kind === 'present') {
    // Where the owner cannot be kept the file becomes ours; its permissions stay.
    await handle.chown(like.owner.user, like.owner.group).catch(() => {});
    await handle.chmod(like.mode);
  }
  await handle.sync();
}

async function putInPlace({write, folder, name, temporary}: Staged): Promise<void> {
  const now = await hashOf(write.path, folder.at(name));
  const expected = write.before.kind === 'present' ? write.before.hash : 'absent';
  if (now !== expected || !(await folder.isInPlace())) {
    throw new NotWritten(`${write.shown} changed while it was being edited; read it again.`);
  }
  try {
    if (write.after === undefined) await unlink(folder.at(name));
    else await rename(folder.at(temporary), folder.at(name));
  } catch (cause) {
    throw new NotWritten(`${write.shown} could not be replaced: ${causeText(cause)}.`);
  }
}

/** The hash of a file; `unknown` if it is no regular file or cannot be read. */
async function hashOf(path: string, through: string): Promise<string> {
  const found = await openRegular(path, through);
  if (found.kind !== 'file') return found.kind === 'missing' ? 'absent' : 'unknown';
  await using handle = found.handle;
  return await handle.readFile().then(sha256, () => 'unknown');
}

/** Answers with a sentence for each file that could not be put back. */
async function putBack(done: readonly Staged[]): Promise<readonly string[]> {
  const lost: string[] = [];
  for (const file of done.toReversed()) {
    const {write, folder, name, temporary} = file;
    try {
      if (write.before.kind === 'absent') {
        await rm(folder.at(name));
      } else {
        await writeWhole(folder.at(temporary), write.before.bytes, write.before);
        await rename(folder.at(temporary), folder.at(name));
      }
    } catch (cause) {
      const state = write.after === undefined ? 'stays removed' : 'keeps its new content';
      lost.push(`${write.shown} ${state}: ${causeText(cause)}.`);
    }
  }
  return lost;
}

async function unstage({folder, temporary, made}: Staged): Promise<void> {
  await rm(folder.at(temporary), {force: true}).catch(() => {});
  await removeFolders(made);
}
