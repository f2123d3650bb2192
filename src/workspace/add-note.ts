import {access, constants, realpath, rename, rm, stat, writeFile} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import {readRegularFile} from './files/read-regular-file.ts';
import {failed, ok, type Outcome} from '../base/outcome.ts';
import {causeText, type Fault} from '../domain/fault.ts';
import {holds} from './files/resolve-path.ts';
import {temporaryName} from './files/temporary-name.ts';

/** Files of standing instructions, the one that counts first. */
const names = ['AGENTS.md', 'CLAUDE.md'] as const;

/**
 * Adds a note to the workspace's standing instructions, as the last item under `## Notes`: to AGENTS.md, or to CLAUDE.md where
 * only that is there (a new AGENTS.md would hide it). Answers with the name of the file. Whatever else is in it stays as it is.
 */
export async function addNote(note: string, directory: string): Promise<Outcome<string, Fault>> {
  let name: string = names[0];
  try {
    for (const one of names.toReversed()) if (await exists(join(directory, one))) name = one;
    const path = join(directory, name);
    const isThere = await exists(path);
    const real = isThere ? await realpath(path) : path;
    if (isThere && !holds(await realpath(directory), real)) {
      return failed(notWritten(`${name} leads out of the workspace, to ${real}`));
    }
    if (isThere && !(await stat(real)).isFile()) return failed(notWritten(`${name} is not a regular file`));
    if (isThere) await access(real, constants.W_OK);
    const before = isThere ? readRegularFile(real, mostBytes) : Buffer.alloc(0);
    if (before === undefined) return failed(notWritten(`${name} cannot be read, or is too large`));
    const text = before.toString('utf8');
    if (!Buffer.from(text, 'utf8').equals(before)) return failed(notWritten(`${name} is not UTF-8 text`));
    await replace(real, withNote(text, note));
    return ok(name);
  } catch (cause) {
    return failed(notWritten(`${name} could not be written: ${causeText(cause)}`));
  }
}

/** Bytes of a file that a note is added to. */
const mostBytes = 4_000_000;

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
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return false;
    throw cause;
  }
}

/** Whole or not at all, with the permissions the file had. */
async function replace(path: string, text: string): Promise<void> {
  const temporary = join(dirname(path), temporaryName());
  const mode = await stat(path).then(
    stats => stats.mode & 0o777,
    () => 0o666 & ~process.umask(),
  );
  try {
    await writeFile(temporary, text, {mode, flag: 'wx'});
    await rename(temporary, path);
  } catch (cause) {
    await rm(temporary, {force: true});
    throw cause;
  }
}
