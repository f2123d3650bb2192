import {readFileSync, renameSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import type * as z from 'zod/mini';
import {parseJson} from '../../base/json.ts';
import {tryOr} from '../../base/outcome.ts';
import {makeFolders} from '../../config/make-folders.ts';
import {entryNames} from '../files/list-folder.ts';

const ending = '.json';

/** Returns the file of a note. */
export const noteFile = (folder: string, name: string): string => join(folder, name + ending);

/** Writes a note in place of an earlier one in the same file. Other processes see the whole note or none. */
export function saveNote(file: string, note: object): void {
  makeFolders(dirname(file));
  writeFileSync(`${file}.new`, JSON.stringify(note), {mode: 0o600});
  renameSync(`${file}.new`, file);
}

/** Returns the notes in a folder with their files. Skips files that no note of this form is in. */
export const notesIn = <T>(
  folder: string,
  form: z.ZodMiniType<T>,
): readonly {readonly file: string; readonly note: T}[] =>
  entryNames(folder)
    .filter(name => name.endsWith(ending))
    .flatMap(name => {
      const file = join(folder, name);
      const json = parseJson(tryOr(() => readFileSync(file, 'utf8'), ''));
      const parsed = json.tag === 'ok' ? form.safeParse(json.value) : undefined;
      return parsed?.success === true ? [{file, note: parsed.data}] : [];
    });
