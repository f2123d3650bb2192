import type {JsonObject} from '../base/json.ts';
import {unreachable} from '../base/unreachable.ts';
import {editPaths, editTexts, type FileEdit} from '../domain/file-edit.ts';
import {lineSigns} from './preview.ts';

/** A call in the names of weft's own tools. */
export interface NamedCall {
  readonly name: string;
  readonly input: JsonObject;
}

/** Returns an edit as calls of weft's own tools, one for each file that it changes. */
export function editCalls(edit: FileEdit): readonly NamedCall[] {
  const {kind, path: file_path} = edit;
  switch (kind) {
    case 'write':
      return [{name: 'Write', input: {file_path, content: edit.content}}];
    case 'replace':
    case 'replace-lines':
    case 'patch': {
      const isEvery = kind === 'replace' && edit.replacements.every(({occurrence}) => occurrence === 'every');
      const texts = editTexts(edit).map(({oldText, newText}) => ({
        old_string: oldText,
        new_string: newText,
        ...(isEvery ? {replace_all: true} : {}),
      }));
      const [only, ...more] = texts;
      return [{name: 'Edit', input: {file_path, ...(more.length === 0 ? only : {edits: texts})}}];
    }
    case 'delete':
    case 'rename':
      return editPaths(edit).map(path => ({name: 'Edit', input: {file_path: path, ...patchCall([edit]).input}}));
    default:
      return unreachable(edit);
  }
}

export const patchCall = (edits: readonly FileEdit[]): NamedCall => ({
  name: 'ApplyPatch',
  input: {patch: ['*** Begin Patch', ...edits.flatMap(patchLines), '*** End Patch'].join('\n')},
});

/** Returns an edit as lines of a patch. They show the texts that it names, and not the lines around them. */
function patchLines(edit: FileEdit): readonly string[] {
  const {kind, path} = edit;
  if (kind === 'delete') return [`*** Delete File: ${path}`];
  if (kind === 'rename') return [`*** Update File: ${path}`, `*** Move to: ${edit.to}`];
  if (kind === 'write') return [`*** Add File: ${path}`, ...signed('+', edit.content)];
  if (kind === 'patch')
    return [
      `*** Update File: ${path}`,
      ...edit.hunks.flatMap(({lines}) => ['@@', ...lines.map(line => lineSigns[line.kind] + line.text)]),
    ];
  const texts = editTexts(edit).flatMap(({oldText, newText}) => [
    '@@',
    ...signed('-', oldText),
    ...signed('+', newText),
  ]);
  return [`*** Update File: ${path}`, ...texts];
}

const signed = (sign: string, text: string): readonly string[] =>
  text === ''
    ? []
    : text
        .replace(/\n$/u, '')
        .split('\n')
        .map(line => sign + line);
