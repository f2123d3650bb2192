import * as z from 'zod/mini';
import {defineAction, text, toolForm} from './define-action.ts';

export interface DocumentsReadInput {
  readonly documentIds: readonly string[];
}

export interface DocumentsReadOutput {
  readonly documents: readonly string[];
}

export interface DocumentsReadCut {
  readonly documentIds: readonly string[];
}

export const readDocuments = defineAction<DocumentsReadInput, DocumentsReadOutput, DocumentsReadCut>({
  summary: 'Read documents kept with the session.',
  risk: 'read-only',
  scheduling: 'barrier',
  tools: [
    toolForm({
      name: 'ReadDocuments',
      description: 'Read plans and notes kept with the session.',
      schema: () => z.object({document_ids: z.array(z.string())}),
      toInput: raw => ({documentIds: raw.document_ids}),
    }),
  ],
  label: input => `Read ${input.documentIds.length} document(s)`,
  cancelled: input => ({documentIds: input.documentIds}),
  tell: output => text(output.documents.join('\n\n')),
  tellCut: () => '',
  build: {state: 'declared'},
});
