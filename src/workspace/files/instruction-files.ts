import {closeSync, constants, fstatSync, openSync, readSync, realpathSync, type Stats, statSync} from 'node:fs';
import {access, realpath, rename, rm, stat, writeFile} from 'node:fs/promises';
import {basename, dirname, join, sep} from 'node:path';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {isOpenDatabase, openDatabaseReason} from '../../config/open-databases.ts';
import {type InstructionFile, instructionFileNames, maxInstructions} from '../../config/instructions.ts';
import {causeText, type Fault, hasCode, needsUser} from '../../domain/fault.ts';
import {openFolder, temporaryName} from './folder-handle.ts';
import {readRegularFile} from './regular-files.ts';
import {containsPath, realPath} from './resolve-path.ts';

interface InstructionFolders {
  readonly workspace: string;
  /** The user's own folder. Its links may lead anywhere, unless the folder is part of the workspace. */
  readonly config: string;
  /** The user's Claude Code folder, treated like `config`. */
  readonly claude: string;
  /** The folder of the user's notes for projects. */
  readonly memory: string;
  /** True if the name is typical of a file for secrets. */
  readonly isSecretFile: (name: string) => boolean;
}

/**
 * Reads the beginning of an instruction file. Its text goes to the model before anyone has trusted the folder, and a repository may contain
 * a link with this name. So the file must be a regular one, in the folder it was found in or in the workspace. Another user's file in a
 * shared folder (a parent such as /tmp) is skipped too.
 */
export function readInstructionFile(folder: string, name: string, places: InstructionFolders): InstructionFile {
  const path = join(folder, name);
  try {
    const real = realpathSync.native(path);
    const why = linkProblem(real, {folder, name, places}) ?? fileProblem(statSync(real));
    if (why !== undefined) return {kind: 'skipped', why};
    if (isOpenDatabase(real)) return {kind: 'skipped', why: openDatabaseReason};
    return readBeginning(real);
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'it cannot be read';
    return code === 'ENOENT' || code === 'ENOTDIR' ? {kind: 'none'} : {kind: 'skipped', why: code};
  }
}

function linkProblem(
  real: string,
  {folder, name, places}: {readonly folder: string; readonly name: string; readonly places: InstructionFolders},
): string | undefined {
  const found = realpathSync.native(folder);
  if (real === join(found, name)) return undefined;
  const workspace = realPath(places.workspace);
  const isUsers =
    ([places.config, places.claude].some(own => found === realPath(own)) ||
      containsPath(realPath(places.memory), found)) &&
    !containsPath(workspace, found);
  const isInside = containsPath(workspace, real) || containsPath(found, real);
  if (!isUsers && !isInside && !isInstructionsOfParent(real, places))
    return `it is a link to ${real}, outside the workspace`;
  if (places.isSecretFile(basename(real)) || real.split(sep).includes('.git')) {
    return `it is a link to ${real}, which may hold secrets`;
  }
  return undefined;
}

/** True if the file is the instruction file of a folder above the workspace, which is read anyway. */
const isInstructionsOfParent = (real: string, {workspace}: InstructionFolders): boolean =>
  instructionFileNames.some(name => name === basename(real)) && containsPath(dirname(real), realPath(workspace));

function fileProblem(stats: Stats): string | undefined {
  if (!stats.isFile()) return 'it is not a regular file';
  const self = process.getuid?.();
  if (self !== undefined && stats.uid !== self && stats.uid !== 0) return 'it belongs to another user';
  return undefined;
}

/** Enough bytes for all the characters that are used: a UTF-16 unit takes at most three. */
const maxBytes = 3 * maxInstructions + 64;

/** Checks the open file, because the path may lead to another one by now. Opening a FIFO doesn't block. */
function readBeginning(real: string): InstructionFile {
  const handle = openSync(real, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  try {
    const stats = fstatSync(handle);
    const now = statSync(realpathSync.native(real));
    if (realpathSync.native(real) !== real || now.ino !== stats.ino || now.dev !== stats.dev) {
      return {kind: 'skipped', why: 'it changed while it was read'};
    }
    const why = fileProblem(stats);
    if (why !== undefined) return {kind: 'skipped', why};
    // Files that the system generates, such as those of /proc, have no size.
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
 * Adds a note to the workspace's instructions, as the last item under `## Notes`. Uses the file that weft
 * reads, because a new AGENTS.md would hide another one. Returns the file's name. Leaves everything else in the file
 * unchanged.
 */
export async function addInstructionNote(note: string, directory: string): Promise<Outcome<string, Fault>> {
  let name: string = instructionFileNames[0];
  try {
    for (const one of instructionFileNames.toReversed()) if (await exists(join(directory, one))) name = one;
    const path = join(await realpath(directory), name);
    const isThere = await exists(path);
    const real = isThere ? await realpath(path) : path;
    if (isThere && !containsPath(dirname(path), real)) {
      return failed(noteNotAdded(`${name} is a link that leads out of the workspace, to ${real}`));
    }
    if (isThere && !(await stat(real)).isFile()) return failed(noteNotAdded(`${name} is not a regular file`));
    if (isThere) await access(real, constants.W_OK);
    const before = isThere ? readRegularFile(real, maxNoteBytes) : Buffer.alloc(0);
    if (before === undefined) return failed(noteNotAdded(`${name} is unreadable or too large`));
    const text = before.toString('utf8');
    if (!Buffer.from(text, 'utf8').equals(before)) return failed(noteNotAdded(`${name} is not UTF-8 text`));
    await replaceFile(real, insertNote(text, note));
    return ok(name);
  } catch (cause) {
    return failed(noteNotAdded(`can't write ${name}: ${causeText(cause)}`));
  }
}

const maxNoteBytes = 4_000_000;

const noteNotAdded = (why: string): Fault =>
  needsUser(`Couldn't add the note: ${why}`, 'Add it to your AGENTS.md by hand, or include it in a prompt.');

/** Returns the text with the note added; line endings stay as they are. */
export function insertNote(text: string, note: string): string {
  const end = text.includes('\r\n') ? '\r\n' : '\n';
  const item = `- ${note.trim().replaceAll(/\s*[\r\n]+\s*/gu, ' ')}`;
  const lines = text === '' ? [] : text.replace(/(?:\r?\n)+$/u, '').split(/\r?\n/u);
  const heading = lines.findIndex(line => /^##[ \t]+notes[ \t]*#*$/iu.test(line));
  if (heading < 0) return [...lines, ...(lines.length > 0 ? [''] : []), '## Notes', '', item, ''].join(end);
  const next = lines.findIndex((line, at) => at > heading && /^#{1,2}[ \t]/u.test(line));
  const section = lines.slice(heading + 1, next < 0 ? lines.length : next);
  while (section.at(-1)?.trim() === '') section.pop();
  const body =
    section.length === 0 ? ['', item] : isListItem(section.at(-1)) ? [...section, item] : [...section, '', item];
  const rest = next < 0 ? [] : ['', ...lines.slice(next)];
  return [...lines.slice(0, heading + 1), ...body, ...rest, ''].join(end);
}

const isListItem = (line: string | undefined): boolean => /^\s*(?:[-*+]|\d+[.)])\s|^\s+\S/u.test(line ?? '');

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (cause) {
    if (hasCode(cause, 'ENOENT')) return false;
    throw cause;
  }
}

/** Replaces the file in one step and keeps its permissions. */
async function replaceFile(path: string, text: string): Promise<void> {
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
