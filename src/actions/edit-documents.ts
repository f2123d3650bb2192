import * as z from 'zod/mini';
import {pluralize} from '../base/clip.ts';
import {ok} from '../base/outcome.ts';
import {documentName, type SessionDocument} from '../domain/document.ts';
import {defineAction, textContent, toolForm} from './define-action.ts';
import type {DocumentEdit} from './documents-port.ts';
import {nothingToShow} from './preview.ts';

export interface EditDocumentsInput {
  readonly edits: readonly DocumentEdit[];
}

export interface EditDocumentsOutput {
  /** Those that changed. */
  readonly documents: readonly SessionDocument[];
}

export interface EditDocumentsPartial {
  readonly ids: readonly string[];
}

const idsOf = ({edits}: EditDocumentsInput): readonly string[] => [...new Set(edits.map(({id}) => id))];

export const editDocuments = defineAction<EditDocumentsInput, EditDocumentsOutput, EditDocumentsPartial>({
  summary: 'Edit plans and notes that are kept with the session.',
  risk: 'read-only',
  scheduling: 'barrier',
  offered: 'when-found',
  access: () => ({kind: 'none'}),
  ruleKind: 'whole-tool',
  asks: [],
  tools: [
    toolForm({
      name: 'EditDocuments',
      description:
        'Edit documents kept with this session: each search text must stand there exactly once. All edits are made, or none.',
      otherNames: {id: 'document_id', old_string: 'search', new_string: 'replace'},
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
  partialText: () => '',
  outcome: ({documents}) => [pluralize(documents.length, 'document')],
  reported: 'as-action',
  preview: async () => ok(nothingToShow),
  async run(input, {ports, signal}) {
    const partial = {ids: idsOf(input)};
    if (signal.aborted) return {state: 'cancelled', why: {reason: 'interrupted', message: ''}, partial};
    const edited = await ports.documents.edit(input.edits);
    return edited.tag === 'ok'
      ? {state: 'success', output: {documents: edited.value}}
      : {state: 'error', fault: edited.error};
  },
});
