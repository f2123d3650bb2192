import {isUtf8} from 'node:buffer';
import {spawn} from 'node:child_process';
import {mkdtemp, readFile, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {basename, join} from 'node:path';
import {failed, ok, type Outcome} from '../base/outcome.ts';
import type {EditorPort, EditorRequest} from '../tui/options.ts';

/**
 * Opens the user's editor, from VISUAL or EDITOR, on a temporary file that only the user can read. The file is deleted afterwards.
 * The shell parses the command, so it may have arguments (`code -w`) and quotes.
 */
export function userEditor(env: Readonly<Record<string, string | undefined>>): EditorPort {
  return {
    async edit(work, signal) {
      const command = [env['VISUAL'], env['EDITOR']].map(one => (one ?? '').trim()).find(one => one !== '');
      if (command === undefined) {
        return failed('No editor is set. Set EDITOR, for example EDITOR=vim or EDITOR="code -w", and restart weft.');
      }
      try {
        return await editIn(await mkdtemp(join(tmpdir(), 'weft-edit-')), {...work, command, signal});
      } catch (error) {
        return failed(`Can't pass the text to ${command}: ${error instanceof Error ? error.message : String(error)}.`);
      }
    },
  };
}

interface Edit extends EditorRequest {
  readonly command: string;
  readonly signal: AbortSignal;
}

async function editIn(folder: string, {command, text, name, form, signal}: Edit): Promise<Outcome<string, string>> {
  const file = join(folder, basename(name));
  try {
    await writeFile(file, form === 'file' ? text : `${text}\n`, {mode: 0o600});
    const trouble = await runInTerminal(['/bin/sh', '-c', `${command} "$1"`, 'weft-editor', file], signal);
    if (trouble !== '') return failed(`${command} ${trouble}. The text is unchanged.`);
    const bytes = await readFile(file);
    if (form === 'prose') return ok(bytes.toString().replaceAll('\r\n', '\n').replace(/\n$/u, ''));
    return isUtf8(bytes)
      ? ok(bytes.toString())
      : failed(`${command} wrote ${basename(name)} in an encoding other than UTF-8. The text is unchanged.`);
  } finally {
    await rm(folder, {recursive: true, force: true});
  }
}

const ignore = (): void => {};

/** Runs a program in the terminal. Resolves to words that follow its name if it fails. */
export function runInTerminal(
  [program, ...args]: readonly [string, ...string[]],
  signal: AbortSignal,
): Promise<string> {
  const {promise, resolve} = Promise.withResolvers<string>();
  const child = spawn(program, args, {stdio: 'inherit', signal});
  // Ctrl+C belongs to the program while it has the terminal.
  process.on('SIGINT', ignore);
  child.once('error', error => resolve(`can't be run (${error.message})`));
  child.once('close', (code, by) => {
    if (code === 0) resolve('');
    else if (code === 127) resolve('was not found');
    else resolve(code === null ? `was killed by ${by ?? 'a signal'}` : `exited with code ${code}`);
  });
  return promise.finally(() => process.off('SIGINT', ignore));
}
