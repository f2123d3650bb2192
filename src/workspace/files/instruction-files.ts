import {closeSync, constants, fstatSync, openSync, readSync, realpathSync, type Stats, statSync} from 'node:fs';
import {access, realpath, rename, rm, stat, writeFile} from 'node:fs/promises';
import {basename, dirname, join, sep} from 'node:path';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {isOpenDatabase, openDatabaseReason} from '../../config/open-databases.ts';
import {type InstructionFile, instructionFileNames, maxInstructions} from '../../config/instructions.ts';
import {causeText, type Fault, hasCode} from '../../domain/fault.ts';
import {openFolder, temporaryName} from './folder-handle.ts';
import {readRegularFile} from './regular-files.ts';
import {holds, realPath} from './resolve-path.ts';

interface InstructionPlaces {
  readonly workspace: string;
  /** The user's own folder. What he links there may lie anywhere, unless it is part of the workspace. */
  readonly config: string;
  /** The user's own folder of Claude Code, which counts like it. */
  readonly claude: string;
  /** The folder of the user's notes for projects. */
  readonly memory: string;
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
    if (isOpenDatabase(real)) return {kind: 'skipped', why: openDatabaseReason};
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
  const workspace = realPath(places.workspace);
  const isUsers =
    ([places.config, places.claude].some(own => found === realPath(own)) || holds(realPath(places.memory), found)) &&
    !holds(workspace, found);
  const isInside = holds(workspace, real) || holds(found, real);
  if (!isUsers && !isInside && !isOfFolderAbove(real, places)) return `it is a link to ${real}, outside the workspace`;
  if (places.isSecretFile(basename(real)) || real.split(sep).includes('.git')) {
    return `it is a link to ${real}, which may hold secrets`;
  }
  return undefined;
}

/** Whether the file is the instructions of a folder above the workspace, which are read for that folder in any case. */
const isOfFolderAbove = (real: string, {workspace}: InstructionPlaces): boolean =>
  instructionFileNames.some(name => name === basename(real)) && holds(dirname(real), realPath(workspace));

function whyNoText(stats: Stats): string | undefined {
  if (!stats.isFile()) return 'it is not a regular file';
  const self = process.getuid?.();
  if (self !== undefined && stats.uid !== self && stats.uid !== 0) return 'it belongs to another user';
  return undefined;
}

/** Bytes that hold more characters than are used: a UTF-16 unit takes at most three. */
const maxBytes = 3 * maxInstructions + 64;

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
    const bytes = Buffer.alloc(Math.min(stats.size, maxBytes));
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

/**
 * Adds a note to the workspace's standing instructions, as the last item under `## Notes`: to AGENTS.md, or to CLAUDE.md where
 * only that is there (a new AGENTS.md would hide it). Answers with the name of the file. Whatever else is in it stays as it is.
 */
export async function addInstructionNote(note: string, directory: string): Promise<Outcome<string, Fault>> {
  let name: string = instructionFileNames[0];
  try {
    for (const one of instructionFileNames.toReversed()) if (await exists(join(directory, one))) name = one;
    const path = join(await realpath(directory), name);
    const isThere = await exists(path);
    const real = isThere ? await realpath(path) : path;
    if (isThere && !holds(dirname(path), real)) {
      return failed(notWritten(`${name} leads out of the workspace, to ${real}`));
    }
    if (isThere && !(await stat(real)).isFile()) return failed(notWritten(`${name} is not a regular file`));
    if (isThere) await access(real, constants.W_OK);
    const before = isThere ? readRegularFile(real, maxNoteBytes) : Buffer.alloc(0);
    if (before === undefined) return failed(notWritten(`${name} cannot be read, or is too large`));
    const text = before.toString('utf8');
    if (!Buffer.from(text, 'utf8').equals(before)) return failed(notWritten(`${name} is not UTF-8 text`));
    await replace(real, withNote(text, note));
    return ok(name);
  } catch (cause) {
    return failed(notWritten(`${name} could not be written: ${causeText(cause)}`));
  }
}

const maxNoteBytes = 4_000_000;

const notWritten = (why: string): Fault => ({
  kind: 'needs-user',
  message: `The note was not kept: ${why}`,
  fix: 'Add it to your AGENTS.md by hand, or say it in a prompt.',
});

/** The text with the note in its place; line ends stay as they are. */
export function withNote(text: string, note: string): string {
  const end = text.includes('\r\n') ? '\r\n' : '\n';
  const item = `- ${note.trim().replaceAll(/\s*[\r\n]+\s*/gu, ' ')}`;
  const lines = text === '' ? [] : text.replace(/(?:\r?\n)+$/u, '').split(/\r?\n/u);
  const heading = lines.findIndex(line => /^##[ \t]+notes[ \t]*#*$/iu.test(line));
  if (heading < 0) return [...lines, ...(lines.length > 0 ? [''] : []), '## Notes', '', item, ''].join(end);
  const next = lines.findIndex((line, at) => at > heading && /^#{1,2}[ \t]/u.test(line));
  const section = lines.slice(heading + 1, next < 0 ? lines.length : next);
  while (section.at(-1)?.trim() === '') section.pop();
  const body = section.length === 0 ? ['', item] : isItem(section.at(-1)) ? [...section, item] : [...section, '', item];
  const rest = next < 0 ? [] : ['', ...lines.slice(next)];
  return [...lines.slice(0, heading + 1), ...body, ...rest, ''].join(end);
}

const isItem = (line: string | undefined): boolean => /^\s*(?:[-*+]|\d+[.)])\s|^\s+\S/u.test(line ?? '');

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (cause) {
    if (hasCode(cause, 'ENOENT')) return false;
    throw cause;
  }
}

/** Whole or not at all, with the permissions the file had. */
async function replace(path: string, text: string): Promise<void> {
  await using folder = await openFolder(dirname(path));
  const [target, temporary] = [folder.at(basename(path)), folder.at(temporaryName())];
  const mode = await stat(target).then(
    stats => stats.mode & 0o777,
    () => 0o666 & ~process.umask(),
  );
  try {
    await writeFile(temporary, text, {mode, flag: 'wx'});
    await rename(temporary, target);
  } catch (cause) {
    await rm(temporary, {force: true});
    throw cause;
  }
}
