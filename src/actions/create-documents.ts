import * as z from 'zod/mini';
import {defineAction, text, toolForm} from './define-action.ts';

export interface DocumentsCreateInput {
  readonly documents: readonly {readonly title: string; readonly content: string}[];
}

export interface DocumentsCreateOutput {
  readonly documentIds: readonly string[];
}

export interface DocumentsCreateCut {
  readonly titles: readonly string[];
}

export const createDocuments = defineAction<DocumentsCreateInput, DocumentsCreateOutput, DocumentsCreateCut>({
  summary: 'Create documents kept with the session.',
  risk: 'read-only',
  scheduling: 'barrier',
  tools: [
    toolForm({
      name: 'CreateDocuments',
      description: 'Create plans and notes kept with the session.',
      schema: () => z.object({documents: z.array(z.object({title: z.string(), content: z.string()}))}),
      toInput: raw => raw,
    }),
  ],
  label: input => `Create ${input.documents.length} document(s)`,
  cancelled: input => ({titles: input.documents.map(({title}) => title)}),
  tell: output => text(output.documentIds.join('\n')),
  tellCut: () => '',
  build: {state: 'declared'},
});
