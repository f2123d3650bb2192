import * as z from 'zod/mini';
import {ok} from '../base/outcome.ts';
import {rejected} from '../domain/fault.ts';
import {defineAction, text, toolForm} from './define-action.ts';
import type {FileEdit} from './ports.ts';
import type {FileDiff} from './preview.ts';

export interface EditsInput {
  readonly edits: readonly FileEdit[];
}

export interface EditsOutput {
  readonly files: readonly FileDiff[];
}

export interface EditsCut {
  readonly paths: readonly string[];
}

export const requestFileEdits = defineAction<EditsInput, EditsOutput, EditsCut>({
  summary: 'Change, create or overwrite files, all or nothing.',
  risk: 'local-change',
  scheduling: 'barrier',
  tools: [
    toolForm({
      name: 'Edit',
      description:
        'Replace old_string by new_string in a file. old_string must match exactly, white space included, and occur once ' +
        '(or set replace_all). Do not include the line numbers that Read shows.',
      schema: () => z.object({file_path: path(), ...replacement()}),
      toInput: ({file_path, ...rest}) => ({
        edits: [{kind: 'replace', path: file_path, replacements: [toReplacement(rest)]}],
      }),
    }),
    toolForm({
      name: 'MultiEdit',
      description: 'Several replacements in one file, applied in order; if one fails nothing is written.',
      schema: () => z.object({file_path: path(), edits: z.array(z.object(replacement())).check(z.minLength(1))}),
      toInput: ({file_path, edits}) => ({
        edits: [{kind: 'replace', path: file_path, replacements: edits.map(toReplacement)}],
      }),
    }),
    toolForm({
      name: 'Write',
      description: 'Create a file, or overwrite one that has been read.',
      schema: () => z.object({file_path: path(), content: z.string()}),
      toInput: ({file_path, content}) => ({edits: [{kind: 'write', path: file_path, content}]}),
    }),
  ],
  label: input => `Edit ${input.edits.map(edit => edit.path).join(', ')}`,
  cancelled: input => ({paths: input.edits.map(edit => edit.path)}),
  tell: output => text(output.files.map(fileText).join('\n')),
  tellCut: () => '',
  build: {
    state: 'built',
    async preview(input, {ports, signal}) {
      const plan = await ports.files.plan(input.edits, signal);
      return plan.tag === 'ok'
        ? ok({kind: 'diff', files: plan.value})
        : {tag: 'failed', error: {state: 'error', fault: plan.error}};
    },
    async run(input, {ports, shown, signal}) {
      if (shown.kind !== 'diff') return {state: 'error', fault: rejected('The edit was never shown.')};
      const applied = await ports.files.apply(input.edits, shown.files, signal);
      return applied.tag === 'ok'
        ? {state: 'success', output: {files: applied.value}}
        : {state: 'error', fault: applied.error};
    },
  },
});

const path = () => z.string().check(z.minLength(1));

const replacement = () => ({
  old_string: z.string(),
  new_string: z.string(),
  replace_all: z.optional(z.boolean()),
});

const toReplacement = (raw: {old_string: string; new_string: string; replace_all?: boolean | undefined}) => ({
  oldText: raw.old_string,
  newText: raw.new_string,
  occurrence: raw.replace_all === true ? ('every' as const) : ('only' as const),
});

/** What the edit does to the file as a whole. */
export function changeOf(file: FileDiff): 'Created' | 'Deleted' | 'Changed' {
  if (file.before === 'absent') return 'Created';
  return file.after === 'absent' ? 'Deleted' : 'Changed';
}

const fileText = (file: FileDiff): string => `${changeOf(file)} ${file.path} (+${file.added} -${file.removed})`;
