import * as z from 'zod/mini';
import {defineAction, text, toolForm} from './define-action.ts';

export interface DocumentsEditInput {
  readonly diffs: readonly {readonly documentId: string; readonly search: string; readonly replace: string}[];
}

export interface DocumentsEditOutput {
  readonly documentIds: readonly string[];
}

export interface DocumentsEditCut {
  readonly documentIds: readonly string[];
}

export const editDocuments = defineAction<DocumentsEditInput, DocumentsEditOutput, DocumentsEditCut>({
  summary: 'Edit documents kept with the session.',
  risk: 'read-only',
  scheduling: 'barrier',
  tools: [
    toolForm({
      name: 'EditDocuments',
      description: 'Edit plans and notes kept with the session.',
      schema: () =>
        z.object({diffs: z.array(z.object({document_id: z.string(), search: z.string(), replace: z.string()}))}),
      toInput: raw => ({
        diffs: raw.diffs.map(({document_id, search, replace}) => ({documentId: document_id, search, replace})),
      }),
    }),
  ],
  label: input => `Edit ${input.diffs.length} document(s)`,
  cancelled: input => ({documentIds: input.diffs.map(({documentId}) => documentId)}),
  tell: output => text(output.documentIds.join('\n')),
  tellCut: () => '',
  build: {state: 'declared'},
});
