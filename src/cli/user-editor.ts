import {spawn} from 'node:child_process';
import {mkdtemp, readFile, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {basename, join} from 'node:path';
import {failed, ok, type Outcome} from '../base/outcome.ts';
import type {EditorPort} from '../tui/options.ts';

/**
 * The user's editor, from VISUAL or EDITOR, on a file that nobody else can read and that is gone afterwards. The command may have
 * arguments (`code -w`) and quotes, as the shell reads it.
 */
export function userEditor(env: Readonly<Record<string, string | undefined>>): EditorPort {
  return {
    async edit({text, name}, signal) {
      const command = [env['VISUAL'], env['EDITOR']].map(one => (one ?? '').trim()).find(one => one !== '');
      if (command === undefined) {
        return failed(
          'No editor is set: export EDITOR (such as EDITOR=vim, or EDITOR="code -w") and start weft again.',
        );
      }
      try {
        return await editIn(await mkdtemp(join(tmpdir(), 'weft-edit-')), {command, text, name, signal});
      } catch (error) {
        return failed(
          `The text could not be handed to ${command}: ${error instanceof Error ? error.message : String(error)}.`,
        );
      }
    },
  };
}

interface Edit {
  readonly command: string;
  readonly text: string;
  readonly name: string;
  readonly signal: AbortSignal;
}

async function editIn(folder: string, {command, text, name, signal}: Edit): Promise<Outcome<string, string>> {
  const file = join(folder, basename(name));
  try {
    await writeFile(file, `${text}\n`, {mode: 0o600});
    const trouble = await run(command, file, signal);
    if (trouble !== '') return failed(`${command} ${trouble}: the text is as it was.`);
    const edited = (await readFile(file, 'utf8')).replaceAll('\r\n', '\n');
    return ok(edited.replace(/\n$/u, ''));
  } finally {
    await rm(folder, {recursive: true, force: true});
  }
}

/** Runs the editor on the terminal; answers with what went wrong, empty for nothing. */
function run(command: string, file: string, signal: AbortSignal): Promise<string> {
  const {promise, resolve} = Promise.withResolvers<string>();
  const child =
    process.platform === 'win32'
      ? spawn(`${command} "${file}"`, {stdio: 'inherit', shell: true, signal})
      : spawn('/bin/sh', ['-c', `${command} "$1"`, 'weft-editor', file], {stdio: 'inherit', signal});
  // Keys that stop programs are the editor's own while it has the terminal.
  const ignore = (): void => {};
  process.on('SIGINT', ignore);
  child.once('error', error => resolve(`could not be run (${error.message})`));
  child.once('close', (code, by) => {
    if (code === 0) resolve('');
    else if (code === 127) resolve('was not found');
    else resolve(code === null ? `was ended by ${by ?? 'a signal'}` : `ended with exit code ${code}`);
  });
  return promise.finally(() => process.off('SIGINT', ignore));
}
