import {randomBytes} from 'node:crypto';
import {mkdir, open, readFile, rename, rm, rmdir} from 'node:fs/promises';
import {basename, dirname, join} from 'node:path';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {causeText, rejected, type Fault} from '../../domain/fault.ts';
import {sha256, type FileSnapshot} from './file-snapshot.ts';

/** What to write where, in place of what. */
export interface FileWrite {
  readonly path: string;
  /** The path for messages. */
  readonly shown: string;
  readonly before: FileSnapshot;
  readonly after: Buffer;
}

/**
 * Writes all files or none. First every new content is put on the disk beside its target, then each takes its target's place
 * in one step; if one cannot, those before it are put back. An abort counts until the first takes its place.
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
    for (const file of staged) {
      await putInPlace(file);
      done.push(file);
    }
    return ok(undefined);
  } catch (cause) {
    const lost = await putBack(done);
    for (const file of staged) await unstage(file);
    const reason = cause instanceof NotWritten ? cause.message : causeText(cause);
    return failed(rejected([reason, ...lost].join(' ')));
  }
}

/** Carries a message out of the steps of one write. */
class NotWritten extends Error {}

interface Staged {
  readonly write: FileWrite;
  readonly temporary: string;
  /** Folders made for it, the outermost first. */
  readonly folders: readonly string[];
}

async function stage(write: FileWrite): Promise<Staged> {
  const folder = dirname(write.path);
  const temporary = join(folder, `.${basename(write.path).slice(0, 100)}.${randomBytes(6).toString('hex')}.tmp`);
  let outermost: string | undefined;
  try {
    outermost = await mkdir(folder, {recursive: true});
    await writeWhole(temporary, write);
    return {write, temporary, folders: foldersBetween(outermost, folder)};
  } catch (cause) {
    await rm(temporary, {force: true}).catch(() => {});
    await removeFolders(foldersBetween(outermost, folder));
    throw new NotWritten(`${write.shown} could not be written: ${causeText(cause)}.`);
  }
}

async function writeWhole(path: string, {before, after}: FileWrite): Promise<void> {
  const handle = await open(path, 'wx', before.kind === 'present' ? 0o600 : 0o666);
  try {
    await handle.writeFile(after);
    if (before.kind === 'present') {
      // Where the owner cannot be kept the file becomes ours; its permissions stay.
      await handle.chown(before.owner.user, before.owner.group).catch(() => {});
      await handle.chmod(before.mode);
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function putInPlace({write, temporary}: Staged): Promise<void> {
  const now = await hashOf(write.path);
  const expected = write.before.kind === 'present' ? write.before.hash : 'absent';
  if (now !== expected) throw new NotWritten(`${write.shown} changed while it was being edited; read it again.`);
  try {
    await rename(temporary, write.path);
  } catch (cause) {
    throw new NotWritten(`${write.shown} could not be replaced: ${causeText(cause)}.`);
  }
}

async function hashOf(path: string): Promise<string> {
  try {
    return sha256(await readFile(path));
  } catch {
    return 'absent';
  }
}

/** Answers with a sentence for each file that could not be put back. */
async function putBack(done: readonly Staged[]): Promise<readonly string[]> {
  const lost: string[] = [];
  for (const {write} of done.toReversed()) {
    try {
      if (write.before.kind === 'absent') {
        await rm(write.path);
      } else {
        const back: Staged = await stage({...write, after: write.before.bytes});
        await rename(back.temporary, write.path);
      }
    } catch (cause) {
      lost.push(`${write.shown} keeps its new content: ${causeText(cause)}.`);
    }
  }
  return lost;
}

async function unstage({temporary, folders}: Staged): Promise<void> {
  await rm(temporary, {force: true}).catch(() => {});
  await removeFolders(folders);
}

/** Removes the innermost first; a folder that got other content stays. */
async function removeFolders(folders: readonly string[]): Promise<void> {
  for (const folder of folders.toReversed()) await rmdir(folder).catch(() => {});
}

function foldersBetween(outermost: string | undefined, innermost: string): readonly string[] {
  if (outermost === undefined) return [];
  const folders = [innermost];
  for (let at = innermost; at !== outermost && dirname(at) !== at; at = dirname(at)) folders.unshift(dirname(at));
  return folders;
}
