import {
  chmodSync,
  closeSync,
  fchmodSync,
  fsyncSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import {dirname} from 'node:path';
import {setTimeout as pause} from 'node:timers/promises';
import {makeFolders} from './make-folders.ts';
import {failed, ok, type Outcome, tryOr} from '../base/outcome.ts';
import {causeText, type Fault, hasCode, needsUser} from '../domain/fault.ts';

/**
 * Changes a small text file atomically, without losing a change of another process. The new text is written to a new
 * file beside it under a unique name, which then replaces the file. `change` gets the current text, or `undefined` if
 * there is no file, and returns the new text. An unchanged text writes nothing. Links are followed and permissions are
 * kept. Only the user can read a new file and its folder.
 */
export async function changeFile(
  path: string,
  change: (text: string | undefined) => Outcome<string | undefined, Fault>,
): Promise<Outcome<'changed' | 'same', Fault>> {
  const target = targetOf(path);
  const lock = `${target}.lock`;
  const opened = await takeLock(lock);
  if (opened.tag === 'failed') return failed(notWritten(path, opened.error));
  let held: 'ours' | 'given' = 'ours';
  try {
    const before = readTextFile(target);
    if (before.tag === 'failed') return failed(notWritten(path, before.error));
    const after = change(before.value);
    if (after.tag === 'failed') return after;
    if (after.value === undefined || after.value === before.value) return ok('same');
    writeFileSync(opened.value, after.value);
    const mode = statSync(target, {throwIfNoEntry: false})?.mode;
    if (mode !== undefined) fchmodSync(opened.value, mode & 0o7777);
    fsyncSync(opened.value);
    renameSync(lock, target);
    held = 'given';
    return ok('changed');
  } catch (cause) {
    return failed(notWritten(path, causeText(cause)));
  } finally {
    closeSync(opened.value);
    if (held === 'ours') rmSync(lock, {force: true});
  }
}

/** Changes a file of secrets as `changeFile` does, and first removes all other users' access. */
export async function changePrivateFile(
  path: string,
  change: (text: string | undefined) => Outcome<string | undefined, Fault>,
): Promise<Outcome<'changed' | 'same', Fault>> {
  if ((statSync(path, {throwIfNoEntry: false})?.mode ?? 0) & 0o077) chmodSync(path, 0o600);
  return changeFile(path, change);
}

/** The maximum number of bytes that a settings file may have. */
const maxBytes = 4 * 1024 * 1024;

/**
 * Returns the text of a regular file of at most `maxBytes`; `undefined` if there is no file. Any encoding but UTF-8 is
 * an error, because it could not be written back.
 */
export function readTextFile(path: string): Outcome<string | undefined, string> {
  try {
    const found = statSync(path);
    if (!found.isFile()) return failed('it is not a file');
    if (found.size > maxBytes) return failed(`it has more than ${String(maxBytes / 1024 / 1024)} MB`);
    const bytes = readFileSync(path);
    const text = bytes.toString('utf8');
    return Buffer.from(text).equals(bytes) ? ok(text) : failed('it is not UTF-8 text');
  } catch (cause) {
    return hasCode(cause, 'ENOENT', 'ENOTDIR') ? ok(undefined) : failed(causeText(cause));
  }
}

const targetOf = (path: string): string => tryOr(() => realpathSync(path), path);

/**
 * The maximum number of attempts to take a lock that another process holds. A change takes milliseconds, so a lock that stays the
 * same during all attempts is left over from a crash.
 */
const tries = 40;
const waitMs = 50;

async function takeLock(lock: string): Promise<Outcome<number, string>> {
  let seen = '';
  let same = 0;
  for (;;) {
    try {
      makeFolders(dirname(lock));
      return ok(openSync(lock, 'wx', 0o600));
    } catch (cause) {
      if (!hasCode(cause, 'EEXIST')) return failed(causeText(cause));
    }
    const found = statSync(lock, {throwIfNoEntry: false});
    const mark = found === undefined ? '' : `${String(found.ino)} ${String(found.mtimeMs)}`;
    same = mark !== '' && mark === seen ? same + 1 : 0;
    seen = mark;
    if (same >= tries) rmSync(lock, {force: true});
    else await pause(waitMs);
  }
}

const notWritten = (path: string, why: string): Fault =>
  needsUser(`${path} cannot be changed: ${why}`, 'Nothing was changed.');
