import * as z from 'zod/mini';
import {pluralize} from '../base/clip.ts';
import {ok} from '../base/outcome.ts';
import {documentName, type SessionDocument} from '../domain/document.ts';
import {interrupted, settledBy} from '../domain/settled.ts';
import {defineAction, needsNoPermission, textContent, toolForm} from './define-action.ts';
import type {DocumentEdit} from './documents-port.ts';

export interface EditDocumentsInput {
  readonly edits: readonly DocumentEdit[];
}

export interface EditDocumentsOutput {
  readonly documents: readonly SessionDocument[];
}

const idsOf = ({edits}: EditDocumentsInput): readonly string[] => [...new Set(edits.map(({id}) => id))];

export const editDocuments = defineAction<EditDocumentsInput, EditDocumentsOutput, {readonly ids: readonly string[]}>({
  summary: 'Edit plans and notes that are kept with the session.',
  ...needsNoPermission,
  offered: 'when-found',
  tools: [
    toolForm({
      name: 'EditDocuments',
      description:
        'Edit documents kept with this session. Each search text must occur exactly once. All edits apply, or none.',
      aliases: {id: 'document_id', old_string: 'search', new_string: 'replace'},
      schema: () =>
        z.object({
          diffs: z
            .array(
              z.object({
                document_id: z.string().check(z.minLength(1)),
                search: z.string().check(z.minLength(1)),
                replace: z.string(),
              }),
            )
            .check(z.minLength(1), z.maxLength(50)),
        }),
      toInput: raw => ({
        edits: raw.diffs.map(({document_id, search, replace}): DocumentEdit => ({
          id: document_id,
          oldText: search,
          newText: replace,
        })),
      }),
    }),
  ],
  label: input => `Edit document ${idsOf(input).join(', ')}`,
  cancelled: input => ({ids: idsOf(input)}),
  modelContent: ({documents}) => textContent(`Edited ${documents.map(documentName).join(', ')}.`),
  outcome: ({documents}) => [pluralize(documents.length, 'document')],
  past: 'as-it-is',
  async run(input, {ports, signal}) {
    const partial = {ids: idsOf(input)};
    if (signal.aborted) return interrupted(partial);
    const edited = await ports.documents.edit(input.edits);
    return settledBy(edited.tag === 'ok' ? ok({documents: edited.value}) : edited);
  },
});
